"""The catalog in memory and in its shard."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ptvc.clock import ManualClock
from ptvc.coord.catalog.catalog import Catalog
from ptvc.coord.catalog.entries import (
    Change,
    ClusterEntry,
    IdsEntry,
    SchemaEntry,
    bootstrap_entries,
    entry_from_json,
    entry_key,
    entry_to_json,
    renamed,
)
from ptvc.coord.catalog.items import Item, Table, View
from ptvc.coord.storage.catalog_store import CATALOG_SHARD, CatalogStore
from ptvc.coord.storage.catalog_store import SCHEMA as CATALOG_SCHEMA
from ptvc.errors import Fenced, UndefinedObject
from ptvc.expr.tree.relation import Get
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, TEXT

SCHEMA = Schema((Column("a", INT4, False), Column("b", TEXT)))


def table(catalog: Catalog, name: str, **fields: Any) -> Table:
    id_, oid = catalog.allocate()
    return Table(id=id_, oid=oid, schema_name="public", name=name, schema=SCHEMA, shard=id_, **fields)


def view(catalog: Catalog, name: str, on: Item) -> View:
    id_, oid = catalog.allocate()
    return View(
        id=id_,
        oid=oid,
        schema_name="public",
        name=name,
        schema=SCHEMA,
        relation=Get(on.id, SCHEMA),
        uses=(on.id,),
        definition_sql="SELECT 'é' FROM t",
    )


@pytest.fixture
def persist() -> PersistClient:
    return PersistClient(MemoryConsensus(), MemoryBlob(), ManualClock())


def test_entries_survive_json() -> None:
    catalog = Catalog()
    on = table(catalog, "t", comment="é", column_comments={1: "b"}, retain_history_ms=0, created_at=7)
    for entry in (
        on,
        view(catalog, "v", on),
        SchemaEntry("s", 20_000, "c"),
        ClusterEntry("c1", "q", {"job_min_rows": 0}),
        IdsEntry(5, 17_000),
    ):
        assert entry_from_json(entry_key(entry), entry_to_json(entry)) == entry
    with pytest.raises(UndefinedObject, match="unknown kind"):
        entry_from_json("gadget/1", "{}")


def test_names_and_dependents() -> None:
    catalog = Catalog(bootstrap_entries())
    t = table(catalog, "t")
    v = view(catalog, "v", t)
    catalog.apply([Change(None, t), Change(None, v)])
    assert catalog.find("public", "t") == t
    assert catalog.dependents(t.id) == [v]
    catalog.apply([renamed(t, name="u")])
    assert catalog.find("public", "t") is None
    assert catalog.get(t.id).name == "u"
    assert catalog.dependents(t.id) == [v]


def test_what_is_below_and_above() -> None:
    """Each object once, those that are asked for included, by whichever way they are reached."""
    catalog = Catalog()
    t, other = table(catalog, "t"), table(catalog, "other")
    catalog.apply([Change(None, t), Change(None, other)])
    v = view(catalog, "v", t)
    w = view(catalog, "w", v)
    x = replace(view(catalog, "x", v), uses=(t.id, v.id))
    catalog.apply([Change(None, item) for item in (v, w, x)])

    def names(items: Iterable[Item]) -> list[str]:
        return sorted(item.name for item in items)

    assert names(catalog.below([w.id])) == ["t", "v", "w"]
    assert names(catalog.below([x.id, other.id])) == ["other", "t", "v", "x"]
    assert names(catalog.above([t.id])) == ["t", "v", "w", "x"]
    assert names(catalog.above([w.id, other.id])) == ["other", "w"]
    assert names(catalog.above(["u999"])) == names(catalog.below(["u999"])) == []


def test_a_swap_is_one_change() -> None:
    catalog = Catalog(bootstrap_entries())
    one, two = table(catalog, "one"), table(catalog, "two")
    catalog.apply([Change(None, one), Change(None, two)])
    catalog.apply([renamed(one, name="two"), renamed(two, name="one")])
    assert (catalog.find("public", "one"), catalog.find("public", "two")) == (
        replace(two, name="one"),
        replace(one, name="two"),
    )


def test_ids_stay_used_when_their_objects_are_gone() -> None:
    catalog = Catalog(bootstrap_entries())
    t = table(catalog, "t")
    change = catalog.ids_change()
    assert change is not None
    catalog.apply([Change(None, t), change])
    assert catalog.ids_change() is None
    catalog.apply([Change(t, None)])
    assert change.after is not None
    successor = Catalog([*bootstrap_entries(), change.after])
    id_, oid = successor.allocate()
    assert id_ != t.id
    assert oid > t.oid
    successor.skip_ids(["u40"])
    assert successor.allocate()[0] == "u41"


def test_the_store_keeps_every_version(persist: PersistClient) -> None:
    epoch = persist.take_epoch("coordinator")
    store = CatalogStore(persist, epoch)
    assert sorted(store.load(), key=entry_key) == sorted(bootstrap_entries(), key=entry_key)
    catalog = Catalog(store.load())
    items = [table(catalog, f"t{i}") for i in range(5)]
    for item in items:
        store.save([Change(None, item)])
    store.save([renamed(items[0], name="new"), Change(items[1], None)])
    temporary = replace(items[2], id="u99", schema_name="pg_temp_3")
    store.save([Change(None, temporary)])
    loaded = Catalog(CatalogStore(persist, epoch).load())
    assert [item.name for item in loaded.user_items()] == ["new", "t2", "t3", "t4"]


def test_a_fenced_store_changes_nothing(persist: PersistClient) -> None:
    old = CatalogStore(persist, persist.take_epoch("coordinator"))
    old.load()
    new = CatalogStore(persist, persist.take_epoch("coordinator"))
    upper = persist.state(CATALOG_SHARD).upper
    with pytest.raises(Fenced):
        old.save([Change(None, SchemaEntry("s", 20_000))])
    assert persist.state(CATALOG_SHARD).upper == upper
    assert sorted(new.load(), key=entry_key) == sorted(bootstrap_entries(), key=entry_key)


def test_store_in_files(tmp_path: Path) -> None:
    from ptvc.persist.blob.file import FileBlob
    from ptvc.persist.consensus.sqlite import SqliteConsensus

    for start in range(2):
        consensus = SqliteConsensus(tmp_path / "consensus.sqlite")
        client = PersistClient(consensus, FileBlob(tmp_path / "blobs"), ManualClock())
        store = CatalogStore(client, client.take_epoch("coordinator"))
        schemas = sorted(e.name for e in store.load() if isinstance(e, SchemaEntry))
        assert schemas == ["public", "s0"][: start + 1]
        store.save([Change(None, SchemaEntry(f"s{start}", 20_000 + start))])
        consensus.close()


def test_what_an_older_version_wrote_is_written_anew(persist: PersistClient) -> None:
    """A change takes back the words that are stored: they must be those of this version."""
    store = CatalogStore(persist, persist.take_epoch("coordinator"))
    persist.create_shard(CATALOG_SHARD, CATALOG_SCHEMA, epoch=1)
    old = [
        ("schema/2200", '{"name":"public","oid":2200,"comment":null}'),
        ("cluster/c1", '{"id":"c1","name":"quickstart","options":{}}'),
    ]
    store._append(store._write([(row, 1) for row in old]))
    entries = {entry_key(entry): entry for entry in store.load()}
    assert entries == {entry_key(entry): entry for entry in bootstrap_entries()}
    schema = entries["schema/2200"]
    assert isinstance(schema, SchemaEntry)
    store.save([Change(schema, replace(schema, comment="ours"))])
    again = CatalogStore(persist, persist.take_epoch("coordinator")).load()
    assert [e.comment for e in again if isinstance(e, SchemaEntry)] == ["ours"]
    assert len(again) == len(bootstrap_entries())
