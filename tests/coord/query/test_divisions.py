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
from ptvc.compute.plan import JoinOp
from ptvc.coord.query.divisions import Divided, Undivided, maintained, of_query
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.types import BOOL, INT4, INT8, TEXT

ORDERS = r.Get("u1", schema_of(INT4, INT4, TEXT))
CUSTOMERS = r.Get("u2", schema_of(INT4, TEXT))
NAMES = {"u1": "public.orders", "u2": "public.customers"}
NUMBER = r.Aggregate("count", None, INT8, "n", nullable=False)


def joined(kind: r.JoinKind) -> r.Join:
    return r.Join(ORDERS, CUSTOMERS, kind, (ColumnRef(1, INT4),), (ColumnRef(0, INT4),))


def by_segment(join: r.Join) -> r.Reduce:
    return r.Reduce(join, (ColumnRef(4, TEXT),), ("s",), (NUMBER,))


JOINED = joined(r.JoinKind.FULL)
"""No keys of it are split."""
BY_SEGMENT = by_segment(JOINED)


def shown(relation: r.Relation, index_key: tuple[int, ...] | None = None) -> Divided | Undivided | None:
    return maintained(lower(relation, delta_joins=False), 3, NAMES, index_key=index_key)[0]


def lines(relation: r.Relation, index_key: tuple[int, ...] | None = None) -> list[str]:
    division = shown(relation, index_key)
    assert division is not None
    return division.lines()


SHARES = "  before level 0, of 20,000 rows or more at once: shares of the input that all workers read"


def test_what_moves_is_named_with_its_columns_and_level() -> None:
    division, plan = maintained(lower(BY_SEGMENT, delta_joins=False), 3, NAMES, index_key=None)
    (moved,) = (node.inputs[0] for node in plan if any(by is not None for by in node.exchange))
    (by,) = (by for node in plan for by in node.exchange if by is not None)
    assert isinstance(by, tuple)
    assert division is not None
    assert division.lines() == [
        "Divided among 3 workers: public.customers by hash(#0), public.orders by hash(#1)",
        SHARES,
        f"  behind level 0: %{moved} by hash(#{by[0]}), combined",
    ]
    assert division.document() == {
        "workers": 3,
        "dealt": [
            {"object": "public.orders", "columns": [1]},
            {"object": "public.customers", "columns": [0]},
        ],
        "everywhere": [],
        "read_apart": {"rows": 20_000},
        "moves": [
            {
                "level": 0,
                "node": moved,
                "by": list(by),
                "last_level": 1,
                "combined": True,
                "distinct_in_place": False,
                "keys_split": False,
            }
        ],
        "keys_counted": [],
        "output_gathered": None,
        "index_key": None,
    }


def test_what_is_broadcast_is_named() -> None:
    plan = lower(by_segment(joined(r.JoinKind.INNER)), delta_joins=False)
    division, _ = maintained(plan, 3, NAMES, index_key=None, few=(plan.imports.index("u2"),))
    assert division is not None
    assert division.lines()[0].startswith(
        "Divided among 3 workers: public.customers everywhere, public.orders by"
    )
    assert division.document()["everywhere"] == ["public.customers"]


def test_what_stays_where_it_came_to_moves_no_more() -> None:
    assert lines(r.Reduce(joined(r.JoinKind.INNER), (ColumnRef(1, INT4),), ("k",), (NUMBER,))) == [
        "Divided among 3 workers: public.customers by hash(#0), public.orders by hash(#1)",
        SHARES,
    ]


def test_equal_rows_of_an_output_that_lies_by_nothing_come_together_where_each_worker_writes() -> None:
    halves = r.Project(JOINED, (0, 4), ("id", "s"))
    expected = f"  behind level 0, of {GATHER_ROWS:,} rows or more: the output by hash of all its columns"
    assert lines(halves)[2:] == [expected]
    document = shown(halves)
    assert isinstance(document, Divided)
    assert document.document()["output_gathered"] == {
        "level": 0,
        "rows": GATHER_ROWS,
        "if_keys_are_split": False,
    }


def test_of_an_index_each_worker_holds_a_range() -> None:
    """Its rows are dealt out by its key, or move to it last; and operators have the numbers that they have in one process."""
    by_name = r.Map(ORDERS, (ColumnRef(2, TEXT),), ("key0",))
    held = "  each worker holds a range of the index by hash(#3)"
    assert lines(by_name, (3,)) == ["Divided among 3 workers: public.orders by hash(#2)", SHARES, held]
    joined_by_name = r.Map(JOINED, (ColumnRef(2, TEXT),), ("key0",))
    plan = lower(joined_by_name, delta_joins=False)
    division, plan_shown = maintained(plan, 3, NAMES, index_key=(5,))
    assert isinstance(division, Divided)
    assert division.lines()[2:] == [
        f"  behind level 0: %{plan.output} by hash(#5)",
        "  each worker holds a range of the index by hash(#5)",
    ]
    assert division.document()["index_key"] == [5]
    assert division.document()["output_gathered"] is None
    assert [node.op for node in plan_shown] == [node.op for node in plan]
    assert plan_shown.output == plan.output


def test_joins_that_may_split_keys_say_so() -> None:
    """Its inputs move as late as they have to, since where they go depends on how many rows keys have."""
    several = by_segment(joined(r.JoinKind.INNER))
    division, plan = maintained(lower(several, delta_joins=False), 3, NAMES, index_key=None)
    (join,) = (node for node in plan if isinstance(node.op, JoinOp))
    left, right = join.inputs
    assert division is not None
    assert division.lines()[0] == "Divided among 3 workers: rows as they come"
    assert division.lines()[2:4] == [
        "  behind level 0, in the first step: how many rows keys have",
        f"  behind level 0: %{left} by hash(#1), keys of many rows split; %{right} by hash(#0), keys of many rows split",
    ]
    document = division.document()
    assert document["keys_counted"] == [0]
    assert [move["keys_split"] for move in document["moves"]] == [True, True, False]


def test_the_reason_is_there_where_nothing_is_divided() -> None:
    plain = r.Filter(ORDERS, (Literal(True, BOOL),))
    division = shown(plain)
    why = "nothing in it brings rows together by a key, or adds them up"
    assert division == Undivided(3, why)
    assert lines(plain) == [f"In one of 3 workers: {why}"]
    assert division.document() == {"workers": 3, "undivided": why}


def test_queries_are_not_divided() -> None:
    division = of_query(4)
    assert division is not None
    assert division.lines() == ["None of 4 workers: queries are computed by one process, or by a Spark job"]


def test_of_one_worker_nothing_is_said() -> None:
    plan = lower(BY_SEGMENT)
    assert maintained(plan, 1, NAMES, index_key=None) == (None, plan)
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
    shown_ = Divided(division, 2, names={f"u{i}": f"u{i}" for i in range(9)})
    moves = shown_.moves
    assert {(move.producer, move.exchange) for move in moves} == wanted
    part = Part(division, 0, 0, 2)
    sent = [part._ways.all[number] for numbers in part._leaving for number in numbers]
    assert sorted(sent, key=lambda way: (way.leaves, way.producer)) == moves
    assert all(move.producer in part._levels[move.leaves] and move.last > move.leaves for move in moves)
    levels = {move.leaves for move in moves}
    gathered = shown_.document()["output_gathered"] is not None
    assert len(shown_.lines()) == 2 + len(levels) + len(shown_.document()["keys_counted"]) + gathered
