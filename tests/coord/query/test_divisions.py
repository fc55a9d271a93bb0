"""What EXPLAIN says of a plan among several workers is what they run by."""

from __future__ import annotations

from random import Random

import pytest
from compute.histories import schema_of
from compute.partitioned.test_simulation import random_view
from ptvc.compute.lower import lower
from ptvc.compute.partitioned.dealing import GATHER_ROWS
from ptvc.compute.partitioned.part import Part
from ptvc.compute.partitioned.placement import divided
from ptvc.coord.query.divisions import Divided, Undivided, maintained, of_query
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.types import BOOL, INT4, INT8, TEXT

ORDERS = r.Get("u1", schema_of(INT4, INT4, TEXT))
CUSTOMERS = r.Get("u2", schema_of(INT4, TEXT))
NAMES = {"u1": "public.orders", "u2": "public.customers"}
JOINED = r.Join(ORDERS, CUSTOMERS, r.JoinKind.INNER, (ColumnRef(1, INT4),), (ColumnRef(0, INT4),))
BY_SEGMENT = r.Reduce(
    JOINED, (ColumnRef(4, TEXT),), ("s",), (r.Aggregate("count", None, INT8, "n", nullable=False),)
)


def shown(relation: r.Relation, *, written: bool = True) -> Divided | Undivided | None:
    return maintained(lower(relation, delta_joins=False), 3, NAMES, written=written)[0]


def lines(relation: r.Relation, *, written: bool = True) -> list[str]:
    division = shown(relation, written=written)
    assert division is not None
    return division.lines()


SHARES = "  before level 0, of 20,000 rows or more at once: shares of the input that all workers read"


def test_what_moves_is_named_with_its_columns_and_level() -> None:
    division, plan = maintained(lower(BY_SEGMENT, delta_joins=False), 3, NAMES, written=True)
    (moved,) = (node.inputs[0] for node in plan if any(by is not None for by in node.exchange))
    (by,) = (by for node in plan for by in node.exchange if by is not None)
    assert isinstance(by, tuple)
    assert division is not None
    assert division.lines() == [
        "Divided among 3 workers: public.customers by hash(#0), public.orders by hash(#1)",
        SHARES,
        f"  behind level 0: %{moved} by hash(#{by[0]})",
    ]
    assert division.document() == {
        "workers": 3,
        "dealt": [
            {"object": "public.orders", "columns": [1]},
            {"object": "public.customers", "columns": [0]},
        ],
        "read_apart": {"rows": 20_000},
        "moves": [{"level": 0, "node": moved, "by": list(by), "arrives": [1]}],
        "output_gathered": None,
    }


def test_what_stays_where_it_came_to_moves_no_more() -> None:
    assert lines(JOINED) == [
        "Divided among 3 workers: public.customers by hash(#0), public.orders by hash(#1)",
        SHARES,
    ]


def test_equal_rows_of_an_output_that_lies_by_nothing_come_together_where_each_worker_writes() -> None:
    halves = r.Project(JOINED, (0, 4), ("id", "s"))
    expected = f"  behind level 0, of {GATHER_ROWS:,} rows or more: the output by hash of all its columns"
    assert lines(halves)[2:] == [expected]
    assert lines(halves, written=False)[2:] == [], "the leader has all of an index"
    document = shown(halves)
    assert isinstance(document, Divided)
    assert document.document()["output_gathered"] == {"level": 0, "rows": GATHER_ROWS}


def test_the_reason_is_there_where_nothing_is_divided() -> None:
    plain = r.Filter(ORDERS, (Literal(True, BOOL),))
    division = shown(plain)
    assert division == Undivided(3, "nothing in it brings rows together by a key")
    assert lines(plain) == ["In one of 3 workers: nothing in it brings rows together by a key"]
    assert division.document() == {"workers": 3, "undivided": "nothing in it brings rows together by a key"}


def test_queries_are_not_divided() -> None:
    division = of_query(4)
    assert division is not None
    assert division.lines() == ["None of 4 workers: queries are computed by one process, or by a Spark job"]


def test_of_one_worker_nothing_is_said() -> None:
    plan = lower(BY_SEGMENT)
    assert maintained(plan, 1, NAMES, written=True) == (None, plan)
    assert of_query(1) is None


@pytest.mark.parametrize("seed", range(20))
def test_all_that_moves_is_shown(seed: int) -> None:
    """And what is shown is what a part has, level by level: each exchange of the plan, once for all that want it."""
    _, plan = random_view(Random(seed))
    division = divided(plan)
    wanted = {
        (i, by)
        for node in division.plan
        for i, by in zip(node.inputs, node.exchange, strict=True)
        if by is not None
    }
    moves = division.moves
    assert {(move.node, move.by) for move in moves} == wanted
    assert len(moves) == len(wanted)
    part = Part(division, 0, 0, 2)
    for number, move in enumerate(moves):
        assert move.node in part._levels[move.leaves]
        assert [level for level, numbers in enumerate(part._leaving) if number in numbers] == [move.leaves]
        assert min(move.arrives) > move.leaves
    text = Divided(division, 2, written=False, names={f"u{i}": f"u{i}" for i in range(9)}).lines()
    assert len(text) == 2 + len({move.leaves for move in moves})
