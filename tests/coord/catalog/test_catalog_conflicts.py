"""A block's definitions over those of others: whether the two go together, and what the block sees of both."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ptvc.coord.catalog.catalog import Catalog
from ptvc.coord.catalog.entries import Change, ClusterEntry, Entry, SchemaEntry, bootstrap_entries
from ptvc.coord.catalog.items import Former, Item, MaterializedView, Sink, Table, View
from ptvc.coord.transaction.block_catalog import BlockCatalog
from ptvc.errors import SerializationFailure
from ptvc.expr.tree.relation import Get
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, TEXT
from ptvc.sql.plans.definition_plans import FileSinkConnector
from ptvc.sql.plans.query_plans import Envelope

SCHEMA = Schema((Column("a", INT4),))


def item(number: int, name: str, *uses: int, schema: str = "public") -> Item:
    id_, oid = f"u{number}", 20_000 + number
    if not uses:
        return Table(id=id_, oid=oid, schema_name=schema, name=name, schema=SCHEMA, shard=id_)
    ids = tuple(f"u{n}" for n in uses)
    relation = Get(ids[0], SCHEMA)
    return View(
        id=id_,
        oid=oid,
        schema_name=schema,
        name=name,
        schema=SCHEMA,
        relation=relation,
        definition_sql="SELECT",
        uses=ids,
    )


T, U, V, VV = item(1, "t"), item(2, "u"), item(3, "v", 1), item(4, "vv", 3)
S, R = SchemaEntry("s", 17_000), SchemaEntry("r", 17_001)
IN_S = item(5, "t", schema="s")
IN_C = ClusterEntry("c2", "b")
OF_C = MaterializedView(
    id="u6",
    oid=20_006,
    schema_name="public",
    name="w",
    schema=SCHEMA,
    relation=Get("u1", SCHEMA),
    definition_sql="SELECT",
    uses=("u1",),
    cluster="b",
    shard="u6",
)


SINK = Sink(
    id="u7",
    oid=20_007,
    schema_name="public",
    name="k",
    schema=SCHEMA,
    cluster="b",
    remap="u7",
    create_sql="CREATE SINK",
    connector=FileSinkConnector("/data/out", "json"),
    key=(),
    envelope=Envelope.NONE,
    as_of=1,
).reading("u2", (Former("u1", 0, 9),))
SINK = replace(SINK, generation=1)


def catalog() -> Catalog:
    return Catalog([*bootstrap_entries(), S, R, IN_C, T, U, V, VV, IN_S, OF_C, SINK])


def becomes(entry: Item, **changes: object) -> Change:
    return Change(entry, replace(entry, **changes))  # type: ignore[arg-type]


WIDER = Schema((*SCHEMA.columns, Column("b", TEXT)))
NEW, OTHER = item(11, "new"), item(12, "other")
OVER_U = item(13, "over", 2)

TOGETHER: dict[str, tuple[list[Change], list[Change]]] = {
    "two new ones": ([Change(None, NEW)], [Change(None, OTHER)]),
    "a rename of what is used": ([Change(None, OVER_U)], [becomes(U, name="uu")]),
    "a comment on what is used": ([Change(None, OVER_U)], [becomes(U, comment="x")]),
    "another text of what is used": (
        [Change(None, item(13, "over", 3))],
        [becomes(V, definition_sql="SELECT 1")],
    ),
    "a view over what is written otherwise": (
        [becomes(OF_C, definition_sql="SELECT 1")],
        [Change(None, item(13, "over", 6))],
    ),
    "a view over what is renamed": ([becomes(U, name="uu")], [Change(None, OVER_U)]),
    "a name that is left": ([becomes(T, name="x"), Change(None, item(11, "t"))], [becomes(U, name="uu")]),
    "another schema": (
        [Change(S, replace(S, name="z")), becomes(IN_S, schema_name="z")],
        [Change(None, NEW)],
    ),
    "a new schema": ([Change(None, SchemaEntry("q", 17_002))], [Change(None, NEW)]),
    "nothing and something": ([], [Change(T, None), Change(V, None), Change(VV, None)]),
}

APART: dict[str, tuple[list[Change], list[Change], str]] = {
    "one name": ([Change(None, NEW)], [Change(None, item(12, "new"))], '"public.new" was created'),
    "a name that is given up": ([Change(None, NEW)], [becomes(U, name="new")], '"public.new" was created'),
    "one object": ([becomes(U, name="x")], [becomes(U, comment="y")], '"public.u" was altered'),
    "one dropped object": ([becomes(U, name="x")], [Change(U, None)], '"public.u" was dropped'),
    "what is used": ([Change(None, OVER_U)], [becomes(U, schema=WIDER)], '"public.u" was altered'),
    "what is used is gone": ([Change(None, OVER_U)], [Change(U, None)], '"public.u" was dropped'),
    "what is used by what is used": (
        [Change(None, item(13, "over", 4))],
        [becomes(T, schema=WIDER)],
        '"public.t" was altered',
    ),
    "a use of what is dropped": ([Change(U, None)], [Change(None, OVER_U)], 'an object over "public.u"'),
    "a use of what is altered": (
        [becomes(U, schema=WIDER)],
        [Change(None, OVER_U)],
        'an object over "public.u"',
    ),
    "a cluster's name": (
        [becomes(IN_C, name="c"), becomes(OF_C, cluster="c")],
        [Change(None, ClusterEntry("c3", "c"))],
        'cluster "c" was created',
    ),
    "a schema that is renamed": (
        [Change(None, item(11, "n", schema="s"))],
        [Change(S, replace(S, name="z")), becomes(IN_S, schema_name="z")],
        'schema "s"',
    ),
    "schemas that are swapped": (
        [Change(S, replace(S, name="r")), Change(R, replace(R, name="s")), becomes(IN_S, schema_name="r")],
        [Change(None, item(12, "n", schema="r"))],
        'schema "r"',
    ),
    "a schema that is dropped": ([Change(R, None)], [Change(None, item(12, "n", schema="r"))], 'schema "r"'),
    "one new schema": (
        [Change(None, SchemaEntry("q", 17_002))],
        [Change(None, SchemaEntry("q", 17_003))],
        'schema "q" was created',
    ),
}


@pytest.mark.parametrize("what", TOGETHER)
def test_what_goes_together_comes_to_the_same_in_either_order(what: str) -> None:
    mine, theirs = TOGETHER[what]
    shared, in_order = catalog(), catalog()
    block = BlockCatalog(shared)
    block.add(mine)
    shared.apply(theirs)
    block.refresh()
    in_order.apply(mine)
    in_order.apply(theirs)
    assert block.catalog.entries() == in_order.entries()
    shared.apply(block.changes.values())
    assert shared.entries() == in_order.entries()
    assert shared.user_items() == in_order.user_items()


def test_a_sink_that_lets_go_of_what_it_has_read_goes_together_with_anything() -> None:
    shared = catalog()
    renamed = replace(SINK, name="kk")
    exchanged = replace(renamed.reading("u6", (*SINK.formers, Former("u2", 1))), generation=2)
    block = BlockCatalog(shared)
    block.add([Change(SINK, renamed)])
    kept = block.changes
    block.add([Change(renamed, exchanged)])
    settled = SINK.reading("u2", ())
    shared.apply([Change(SINK, settled)])
    block.refresh()
    found = replace(exchanged.reading("u6", (Former("u2", 1),)))
    assert dict(block.changes) == {"item/u7": Change(settled, found)}
    assert block.catalog.find_by_id("u7") == found
    block.restore(kept)
    assert dict(block.changes) == {"item/u7": Change(settled, replace(settled, name="kk"))}
    shared.apply(block.changes.values())
    assert shared.find("public", "kk") == replace(settled, name="kk")
    assert [item.name for item in shared.dependents("u1")] == ["v", "w"]


def test_a_sink_that_was_given_something_else_meanwhile_is_altered() -> None:
    shared = catalog()
    block = BlockCatalog(shared)
    block.add([becomes(SINK, name="kk")])
    exchanged = replace(SINK.reading("u6", (*SINK.formers, Former("u2", 1, 11))), generation=2)
    shared.apply([Change(SINK, exchanged)])
    with pytest.raises(SerializationFailure) as refused:
        block.refresh()
    assert '"public.k" was altered' in str(refused.value.detail)


@pytest.mark.parametrize("what", APART)
def test_what_does_not(what: str) -> None:
    mine, theirs, why = APART[what]
    shared = catalog()
    block = BlockCatalog(shared)
    block.add(mine)
    shared.apply(theirs)
    with pytest.raises(SerializationFailure) as refused:
        block.refresh()
    assert why in str(refused.value.detail)


def test_changes_are_net() -> None:
    shared = catalog()
    block = BlockCatalog(shared)
    renamed = replace(U, name="uu")
    block.add([Change(None, NEW), Change(U, renamed)])
    kept = block.changes
    block.add([Change(NEW, replace(NEW, name="newer")), Change(renamed, U)])
    assert dict(block.changes) == {"item/u11": Change(None, replace(NEW, name="newer"))}
    assert block.catalog.unbuilt == {"u11"}
    block.add([Change(replace(NEW, name="newer"), None), Change(U, None)])
    assert dict(block.changes) == {"item/u2": Change(U, None)}
    block.restore(kept)
    assert [entry.name for entry in names(block.catalog, "new", "uu")] == ["new", "uu"]
    block.restore({})
    assert block.catalog.entries() == shared.entries()


def names(found: Catalog, *wanted: str) -> list[Item]:
    items: list[Entry | None] = [found.find("public", name) for name in wanted]
    return [entry for entry in items if isinstance(entry, Item)]


def test_ids_come_from_one_place() -> None:
    shared = catalog()
    block = BlockCatalog(shared)
    ids = [source.allocate() for source in (block.catalog, shared, block.catalog)]
    assert len({id_ for id_, _ in ids}) == len({oid for _, oid in ids}) == 3
