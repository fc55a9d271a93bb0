"""What moves between workers of rows that have one key: what they come to, however many they are."""

from __future__ import annotations

from random import Random

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.operators.reductions import combine
from ptvc.compute.partitioned import stored
from ptvc.expr.functions.aggregates import resolve_aggregate
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.types import FLOAT8, INT4, INT8, TEXT

from ..histories import batch_of, consolidated, schema_of, updates_of
from ..reference import Update
from .simulated import Flow, Simulated

ROWS = schema_of(INT4, FLOAT8, INT4, TEXT)
SOURCE = r.Get("u1", ROWS)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows are read by all workers, as many are."""
    monkeypatch.setattr(stored, "LEAST_CUT_ROWS", 1)


def aggregate(function: str, column: int, *, distinct: bool = False) -> r.Aggregate:
    type_ = ROWS.types[column]
    return r.Aggregate(
        function, ColumnRef(column, type_), resolve_aggregate(function, type_)[1], function, distinct
    )


NUMBER = r.Aggregate("count", None, INT8, "n", nullable=False)
SUMS = (NUMBER, aggregate("sum", 1), aggregate("avg", 2))
VALUES = (aggregate("min", 2), aggregate("count", 2, distinct=True))
KEY = (ColumnRef(0, INT4),)

VIEWS = {
    "sums": r.Reduce(SOURCE, KEY, ("k",), SUMS),
    "totals": r.Reduce(SOURCE, (), (), SUMS, scalar=True),
    "sums of few values": r.Reduce(SOURCE, KEY, ("k",), (*SUMS, *VALUES)),
    "distinct": r.Distinct(r.Project(SOURCE, (0, 2), ("a", "b"))),
    "sums of a projection": r.Reduce(
        r.Project(SOURCE, (2, 1), ("a", "b")), (ColumnRef(0, INT4),), ("k",), ()
    ),
}


def rows(count: int, time: int, diff: int = 1) -> list[Update]:
    """All of one key, nearly, and all different."""
    return [((7 if i % 50 else i, i / 8, i % 3, f"text {i}"), time, diff) for i in range(count)]


class Steps:
    """Of one view, by several workers and by one; `moved` are the bytes to each worker in the last step."""

    def __init__(self, relation: r.Relation, workers: int) -> None:
        plan = lower(relation)
        self._team = Simulated(Random(1), workers)
        self._flow, self._whole = Flow(self._team, plan, 0), Dataflow(plan, 0)
        self._upper = 0
        self.moved = dict.fromkeys(range(workers), 0)

    def step(self, updates: list[Update]) -> None:
        """Each worker reads a share; raises AssertionError unless both put out the same."""
        lower_, self._upper = self._upper, self._upper + 10
        delta = Delta(batch_of(ROWS, [(row, lower_ + time, diff) for row, time, diff in updates]), NO_ERRORS)
        given = self._flow._stored("u1", delta, lower_, self._upper)
        self._team.moved.clear()
        divided = self._flow.dataflow.step_over({}, {"u1": given}, lower_, self._upper)
        self.moved = {worker: self._team.moved[worker] for worker in self.moved}
        whole = self._whole.step({"u1": delta}, lower_, self._upper)
        assert consolidated(updates_of(divided.delta.oks)) == consolidated(updates_of(whole.oks))


@pytest.mark.parametrize("workers", [2, 3, 7])
@pytest.mark.parametrize("view", VIEWS)
def test_what_moves_does_not_grow_with_the_rows_of_a_key(view: str, workers: int) -> None:
    """Also when the rows go again, some at one time and some at another."""
    few, many = Steps(VIEWS[view], workers), Steps(VIEWS[view], workers)
    for time, diff in ((0, 1), (3, -1)):
        few.step(rows(6_000, time, diff) + rows(100, 5, -diff))
        many.step(rows(12_000, time, diff) + rows(100, 5, -diff))
        cold = 6_000 // 50 * 120  # so many more of other keys, and what a row takes
        assert max(many.moved.values()) < max(few.moved.values()) + cold
        assert sum(many.moved.values()) < 100_000


def test_without_combining_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combine, "FEW_ROWS", 1 << 30)
    steps = Steps(VIEWS["sums"], 3)
    steps.step(rows(12_000, 0))
    assert max(steps.moved.values()) > 12_000 * 2 / 3 * 14  # the columns of a row


def test_what_two_want_by_the_same_key_moves_once_as_rows() -> None:
    """A join wants rows, and a reduction beside it takes these, too."""
    few = r.Filter(SOURCE, (resolve_call("lt", (ColumnRef(2, INT4), Literal(3, INT4))),))
    joined = r.Join(few, few, r.JoinKind.SEMI, KEY, KEY)
    both = r.Join(r.Reduce(few, KEY, ("k",), SUMS), joined, r.JoinKind.INNER, KEY, KEY)
    steps = Steps(both, 3)
    steps.step(rows(600, 0))
    steps.step(rows(300, 0, -1))
