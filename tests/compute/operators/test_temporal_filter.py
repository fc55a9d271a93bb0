"""Temporal filters: rows come and go at their own times, however time is cut into steps, saved or not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.oneshot import evaluate_once
from ptvc.compute.operators.base import NEVER_DUE
from ptvc.compute.operators.due_times import DueTimes
from ptvc.compute.operators.temporal_filter import TemporalFilter
from ptvc.compute.plan import TemporalFilterOp, TimeBound
from ptvc.expr.registry import resolve_call
from ptvc.expr.temporal import at_time
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal, NowCompare, Scalar
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.types import INT8, NUMERIC, TEXT, TIMESTAMP, TIMESTAMPTZ, Kind, ScalarType

from ..histories import batch_of, consolidated, history, random_cuts, run, schema_of, updates_of
from ..reference import Row, Rows, Update, as_of, evaluate

TIMES = 14
T = schema_of(TEXT, INT8, INT8, INT8)
GET = r.Get("u1", T)
A, B, C = (ColumnRef(i, INT8) for i in (1, 2, 3))
MS = timedelta(milliseconds=1)
START = datetime(1970, 1, 1, tzinfo=UTC)


def row(random: Random) -> Row:
    def time() -> int | None:
        return random.choice((None, -5, 0, 2**63 - 1, *range(1, TIMES + 4), *range(1, TIMES + 4)))

    return (random.choice("ab"), time(), time(), random.randrange(3))


def now(operator: str, bound: Scalar) -> NowCompare:
    return NowCompare(operator, bound)


FROM = r.Filter(GET, (now("ge", A),))
AFTER = r.Filter(GET, (now("gt", A), resolve_call("lt", (C, Literal(2, INT8)))))
UNTIL = r.Filter(GET, (now("lt", B),))
LAST = r.Filter(GET, (now("le", B),))
WITHIN = r.Filter(GET, (now("ge", A), now("lt", B)))
AT = r.Filter(GET, (now("eq", A),))
SUM = r.Filter(GET, (now("le", resolve_call("add", (C, C))), now("ge", C)))
COUNT = r.Reduce(
    r.Project(WITHIN, (0, 3)), (ColumnRef(0, TEXT),), ("key",), (r.Aggregate("count", None, INT8, "n"),)
)
TOTAL = r.Reduce(LAST, (), (), (r.Aggregate("count", None, INT8, "n", nullable=False),), scalar=True)
SELF = r.Join(UNTIL, AFTER, r.JoinKind.LEFT, (C,), (C,))
PAIRS = r.Join(
    GET, GET, r.JoinKind.INNER, (C,), (C,), (now("lt", resolve_call("add", (C, ColumnRef(7, INT8)))),)
)
NESTED = r.Filter(r.Distinct(r.Project(UNTIL, (0, 1, 3))), (now("ge", ColumnRef(1, INT8)),))
VIEWS = {
    "from": FROM, "after": AFTER, "until": UNTIL, "last": LAST, "within": WITHIN, "at": AT, "sum": SUM, "count": COUNT,
    "total": TOTAL, "self": SELF, "pairs": PAIRS, "nested": NESTED,
}  # fmt: skip


def step_all(
    relation: r.Relation, updates: Sequence[Update], cuts: Sequence[int], *, restarted: bool = False
) -> list[Update]:
    plan = lower(relation)
    dataflow = Dataflow(plan, cuts[0])
    out: list[Update] = []
    for begin, end in pairwise(cuts):
        given = [u for u in updates if begin <= u[1] < end]
        inputs = {"u1": Delta(batch_of(T, given), NO_ERRORS)} if given else {}
        delta = dataflow.step(inputs, begin, end)
        assert not len(delta.errs)
        found = updates_of(delta.oks)
        assert all(begin <= time < end for _, time, _ in found), (found, begin, end)
        out += found
        if restarted:
            state = {id_: spine.runs for id_, spine in dataflow.spines().items()}
            dataflow = Dataflow(plan, cuts[0])
            dataflow.load(state, end)
    return out


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("seed", range(3))
def test_every_time_is_as_if_it_were_now(seed: int, name: str) -> None:
    random, view = Random(seed), VIEWS[name]
    updates = history(random, row, times=TIMES, per_time=4)
    end = TIMES + 6
    expected: dict[int, Rows] = {
        time: evaluate(at_time(view, time), {"u1": as_of(updates, time)}) for time in range(end)
    }
    outputs = []
    for cuts in ([0, end], list(range(end + 1)), [*random_cuts(random, TIMES), end]):
        for restarted in (False, True):
            output = step_all(view, updates, cuts, restarted=restarted)
            for time, rows in expected.items():
                assert as_of(output, time) == rows, f"at {time}, steps {cuts}, restarted {restarted}"
            outputs.append(consolidated(output))
    assert all(output == outputs[0] for output in outputs)


@pytest.mark.parametrize("name", VIEWS)
def test_hydration_at_a_time(name: str) -> None:
    view = VIEWS[name]
    updates = history(Random(99), row, times=TIMES, per_time=4)
    contents = as_of(updates, 7)
    snapshot = [(row, 7, n) for row, n in contents.items()]
    output = step_all(view, snapshot, [7, 8, 30])
    for time in range(7, 30):
        assert as_of(output, time) == evaluate(at_time(view, time), {"u1": contents})


@pytest.mark.parametrize("name", VIEWS)
def test_a_one_off_query_sees_its_own_time(name: str) -> None:
    updates = history(Random(5), row, times=TIMES, per_time=4)
    contents = as_of(updates, 9)
    relation = at_time(VIEWS[name], 9)
    batch = batch_of(T, [(row, 9, n) for row, n in contents.items()])
    delta = evaluate_once(relation, {"u1": batch}, 9)
    assert not len(delta.errs)
    assert as_of(updates_of(delta.oks), 9) == evaluate(relation, {"u1": contents})


def bounds_of(type_: ScalarType, values: Sequence[object], operator: str) -> list[tuple[object, int, int]]:
    schema = schema_of(type_)
    filter_ = TemporalFilter(TemporalFilterOp((TimeBound(operator, 0),)), schema)
    oks, errs = run(filter_, [(schema, [((value,), 10, 1) for value in values])], [10, 100])
    assert errs == []
    return [(row[0], time, diff) for row, time, diff in oks]


def test_numerics_are_compared_exactly() -> None:
    for type_ in (NUMERIC, ScalarType(Kind.NUMERIC, 10, 2), ScalarType(Kind.NUMERIC, None, 0)):
        half = Decimal(20) if type_.scale == 0 else Decimal("20.50")
        later = 20 if type_.scale == 0 else 21
        assert [u[1:] for u in bounds_of(type_, [half], "ge")] == [(later, 1)]
        assert [u[1:] for u in bounds_of(type_, [half], "gt")] == [(21, 1)]
        assert [u[1:] for u in bounds_of(type_, [half], "lt")] == [(10, 1), (later, -1)]
        assert [u[1:] for u in bounds_of(type_, [half], "le")] == [(10, 1), (21, -1)]
    huge = [Decimal(10) ** 30, -(Decimal(10) ** 30), None]
    assert [u[1:] for u in bounds_of(NUMERIC, huge, "lt")] == [(10, 1)]
    assert [u[1:] for u in bounds_of(NUMERIC, huge, "ge")] == [(10, 1)]
    assert [u[1:] for u in bounds_of(NUMERIC, huge, "le")] == [(10, 1)]
    assert [u[1:] for u in bounds_of(NUMERIC, [Decimal("-0.5")], "le")] == []
    small = ScalarType(Kind.NUMERIC, 38, 30)
    assert [u[1:] for u in bounds_of(small, [Decimal("10.5"), Decimal("-10.5")], "le")] == [(10, 1), (11, -1)]


@pytest.mark.parametrize("type_", [TIMESTAMP, TIMESTAMPTZ])
def test_timestamps_count_in_whole_milliseconds(type_: ScalarType) -> None:
    at = START + 20 * MS + timedelta(microseconds=999)
    before = START - timedelta(microseconds=1)
    if type_ is TIMESTAMP:
        at, before = at.replace(tzinfo=None), before.replace(tzinfo=None)
    assert sorted(u[1:] for u in bounds_of(type_, [at, before], "ge")) == [(10, 1), (20, 1)]
    assert sorted(u[1:] for u in bounds_of(type_, [at, before], "lt")) == [(10, 1), (20, -1)]
    assert sorted(u[1:] for u in bounds_of(type_, [at, before], "le")) == [(10, 1), (21, -1)]
    schema = schema_of(type_)
    for operator in ("eq", "lt", "le", "gt", "ge"):
        view = r.Filter(r.Get("u1", schema), (now(operator, ColumnRef(0, type_)),))
        for time in (19, 20, 21):
            snapshot = {"u1": batch_of(schema, [((at,), 1, 1)])}
            once = len(evaluate_once(at_time(view, time), snapshot, time).oks)
            assert (
                once
                == {"eq": time == 20, "lt": time < 20, "le": time <= 20, "gt": time > 20, "ge": time >= 20}[
                    operator
                ]
            )


def test_a_bound_that_fails_is_an_error_until_its_row_is_gone() -> None:
    view = r.Filter(GET, (now("lt", resolve_call("divide", (A, C))),))
    dataflow = Dataflow(lower(view), 0)
    bad = ("a", 8, 1, 0)
    first = dataflow.step({"u1": Delta(batch_of(T, [(bad, 0, 1), (("b", 8, 1, 1), 0, 1)]), NO_ERRORS)}, 0, 1)
    assert updates_of(first.errs) == [(("22012", "division by zero"), 0, 1)]
    assert updates_of(first.oks) == [(("b", 8, 1, 1), 0, 1)]
    second = dataflow.step({"u1": Delta(batch_of(T, [(bad, 3, -1)]), NO_ERRORS)}, 1, 20)
    assert updates_of(second.errs) == [(("22012", "division by zero"), 3, -1)]
    assert updates_of(second.oks) == [(("b", 8, 1, 1), 8, -1)]


def test_an_idle_dataflow_steps_for_what_is_due_only() -> None:
    dataflow = Dataflow(lower(WITHIN), 0)
    rows = [(("a", 5, 9, 0), 0, 1), (("b", 7, 2**63 - 1, 0), 0, 1)]
    dataflow.step({"u1": Delta(batch_of(T, rows), NO_ERRORS)}, 0, 1)
    due, steps = [], []
    for time in range(1, 12):
        due.append(dataflow.next_due())
        dataflow.step({}, time, time + 1)
        steps.append(sum(s.steps for s in dataflow.statistics()))
    assert due == [5] * 5 + [7, 7, 9, 9, NEVER_DUE, NEVER_DUE]
    assert [b - a for a, b in pairwise(steps)] == [0, 0, 0, 1, 0, 1, 0, 1, 0, 0]


def test_what_is_due_is_forgotten() -> None:
    schema = schema_of(INT8)
    filter_ = TemporalFilter(TemporalFilterOp((TimeBound("lt", 0),)), schema)
    updates = [((t + 5,), t, 1) for t in range(1, 200)]
    run(filter_, [(schema, updates)], list(range(300)))
    (spine,) = filter_.spines().values()
    while spine.maintain():
        pass
    assert spine.rows <= 32
    assert filter_.next_due() == NEVER_DUE


@pytest.mark.parametrize("seed", range(5))
def test_due_times_are_given_in_order(seed: int) -> None:
    random, times, model = Random(seed), DueTimes(), set[int]()
    for upper in range(0, 2000, 40):
        new = [random.randrange(upper, 3000) for _ in range(random.randrange(60))]
        times.add(np.array(new, np.uint64))
        model |= set(new)
        assert times.first() == min(model, default=NEVER_DUE)
        taken = sorted(t for t in model if t < upper + 40)
        assert times.take(upper + 40).tolist() == taken
        model -= set(taken)
    assert len(times) >= len(model)
