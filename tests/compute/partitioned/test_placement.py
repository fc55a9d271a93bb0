"""Where rows lie is where they are said to, and what is together already does not move."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from ptvc.compute.lower import lower
from ptvc.compute.partitioned.part import Part
from ptvc.compute.partitioned.placement import Division, divided, undivided
from ptvc.compute.plan import ArrangeOp, DataflowPlan, JoinOp, Node, levels
from ptvc.compute.spark.exchange import partition_of
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.batch import Delta
from ptvc.repr.hash import hash_columns
from ptvc.repr.types import INT4, INT8, TEXT

from ..histories import schema_of
from ..test_views import random_histories
from .simulated import Faults
from .test_simulation import maintained, random_view

ORDERS = r.Get("u1", schema_of(INT4, INT4, TEXT))
CUSTOMERS = r.Get("u2", schema_of(INT4, TEXT))
NUMBER = r.Aggregate("count", None, INT8, "n", nullable=False)


def by(*columns: int) -> tuple[ColumnRef, ...]:
    return tuple(ColumnRef(i, INT4) for i in columns)


def joined(
    kind: r.JoinKind = r.JoinKind.INNER, left: Sequence[int] = (1,), right: Sequence[int] = (0,)
) -> r.Join:
    return r.Join(ORDERS, CUSTOMERS, kind, by(*left), by(*right))


def grouped(relation: r.Relation, *keys: int) -> r.Reduce:
    return r.Reduce(relation, by(*keys), tuple(f"k{i}" for i in keys), (NUMBER,))


def barriers(relation: r.Relation, delta_joins: bool | None = False) -> int:
    return len(levels(divided(lower(relation, delta_joins=delta_joins)).plan)) - 1


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (grouped(ORDERS, 1), 1),
        (grouped(r.Distinct(ORDERS), 1), 2),
        (joined(), 1),
        (grouped(joined(), 1), 0),
        (grouped(joined(), 1, 2), 0),
        (grouped(joined(), 3), 0),
        (grouped(joined(), 2), 2),
        (grouped(joined(r.JoinKind.LEFT), 1), 0),
        (grouped(joined(r.JoinKind.LEFT), 3), 2),
        (grouped(joined(r.JoinKind.RIGHT), 3), 0),
        (grouped(joined(r.JoinKind.RIGHT), 1), 2),
        (grouped(joined(r.JoinKind.FULL), 1), 1),
        (grouped(joined(r.JoinKind.SEMI), 1), 0),
        (r.TopK(grouped(ORDERS, 1, 0), (0,), (), 3), 2),
        (r.TopK(grouped(ORDERS, 1), (0,), (), 3), 1),
        (r.TopK(ORDERS, (1,), (), 3), 0),
        (grouped(r.Union((ORDERS, r.Negate(ORDERS)), ORDERS.schema), 1), 1),
        (r.Distinct(grouped(joined(), 1, 4)), 0),
        (r.Reduce(grouped(ORDERS, 1), (), (), (NUMBER,), scalar=True), 2),
        (r.Reduce(ORDERS, (), (), (NUMBER,), scalar=True), 1),
    ],
)
def test_what_is_together_does_not_move(relation: r.Relation, expected: int) -> None:
    """One barrier is for inputs that move as sums, or to a join whose keys may be split: others move when the step begins."""
    assert barriers(relation) == expected


def test_a_join_meets_the_side_that_lies_by_some_of_its_keys() -> None:
    """The grouping lies by its key, and the join by that and another: customers come to where the groups are."""
    left = grouped(r.Distinct(ORDERS), 1)
    relation = r.Join(left, CUSTOMERS, r.JoinKind.INNER, by(0, 0), by(0, 0))
    plan = divided(lower(relation, delta_joins=False)).plan
    (join,) = (node for node in plan if isinstance(node.op, JoinOp))
    assert join.exchange[0] is None


def test_keys_of_other_types_do_not_lie_alike() -> None:
    """Their hashes are of different values, whatever the operator makes of them."""
    texts = r.Get("u3", schema_of(TEXT))
    plan = lower(
        r.Join(r.Distinct(CUSTOMERS), texts, r.JoinKind.INNER, (ColumnRef(1, TEXT),), (ColumnRef(0, TEXT),))
    )
    assert divided(plan).plan.nodes[-1].exchange.count(None) <= 1


def test_what_has_no_key_is_not_divided() -> None:
    assert undivided(lower(r.Filter(ORDERS, (Literal(True, INT4),)))) is not None
    assert undivided(lower(r.TopK(ORDERS, (), (), 3))) is not None
    assert undivided(lower(grouped(ORDERS, 1))) is None


def test_what_is_added_up_is_divided_without_a_key() -> None:
    """Each part adds up its own rows, and sends the sums."""
    assert undivided(lower(r.Reduce(ORDERS, (), (), (NUMBER,), scalar=True))) is None
    listed = r.Aggregate("string_agg", ColumnRef(2, TEXT), TEXT, "all", rest=(Literal(",", TEXT),))
    assert undivided(lower(r.Reduce(ORDERS, (), (), (listed,), scalar=True))) is not None


def test_what_an_index_holds_is_not_divided() -> None:
    three = r.Join(joined(), CUSTOMERS, r.JoinKind.INNER, by(1), by(0))
    plan = lower(three, delta_joins=True)
    held = tuple(
        Node(n.id, ArrangeOp(n.op.key, "u9"), n.inputs, n.schema, n.exchange)
        if isinstance(n.op, ArrangeOp)
        else n
        for n in plan
    )
    assert held != plan.nodes
    assert undivided(DataflowPlan(held, plan.imports, plan.output, plan.schema)) is not None


def test_rows_are_where_they_are_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every node, by every list of columns, in every part, at every step."""
    looked, at = 0, Part._at
    for seed in range(60):
        random = Random(700_000 + seed)
        _, plan = random_view(random)
        division = divided(plan)

        def checked(part: Part, id: int, *rest: object, division: Division = division) -> Delta:
            nonlocal looked
            output = at(part, id, *rest)  # type: ignore[arg-type]
            for columns in division.placements[id]:
                looked += len(output.oks)
                _check(division, id, columns, output, part)
            return output

        with monkeypatch.context() as patched:
            patched.setattr(Part, "_at", checked)
            maintained(random, plan, random_histories(random), Faults())
    assert looked > 1_000


def _check(division: Division, id: int, columns: tuple[int, ...], output: Delta, part: Part) -> None:
    rows = output.oks
    if not len(rows):
        return
    if not columns:
        assert part._part == 0
        return
    hashes = hash_columns([rows.columns[i] for i in columns], len(rows))
    there = set(partition_of(hashes, part._parts).tolist())
    assert there == {part._part}, (division.plan.nodes[id], columns)
