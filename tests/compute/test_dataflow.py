"""Dataflow: steps without gaps, errors as a set, state that can be saved, quiet steps that cost nothing."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.operators.base import Operator
from ptvc.errors import InvalidUsage
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.batch import NO_ERRORS, Delta, batch_from_rows
from ptvc.repr.schema import ERROR_SCHEMA
from ptvc.repr.types import FLOAT8, INT4, INT8

from .histories import batch_of, consolidated, schema_of, updates_of
from .random_views import TABLES, Views
from .reference import Update, as_of
from .test_views import TIMES, random_histories

T = schema_of(INT4, INT4)
GET = r.Get("t", T)
A, B = ColumnRef(0, INT4), ColumnRef(1, INT4)
DIVISION = ("22012", "division by zero")


def delta(updates: Sequence[Update]) -> Delta:
    return Delta(batch_of(T, updates), NO_ERRORS)


def quotients() -> r.Relation:
    return r.Map(GET, (resolve_call("divide", (A, B)),), ("q",))


def grouped() -> r.Reduce:
    aggregates = (
        r.Aggregate("count", None, INT8, "n"),
        r.Aggregate("sum", B, INT8, "s"),
        r.Aggregate("min", B, INT4, "low"),
        r.Aggregate("count", B, INT8, "d", distinct=True),
    )
    return r.Reduce(GET, (A,), ("k",), aggregates)


def test_errors_are_a_set_and_are_taken_back() -> None:
    dataflow = Dataflow(lower(quotients()), 0)
    first = dataflow.step({"t": delta([((1, 0), 0, 1), ((2, 0), 0, 5), ((4, 2), 0, 1)])}, 0, 1)
    assert updates_of(first.errs) == [(DIVISION, 0, 1)]
    assert updates_of(first.oks) == [((4, 2, 2), 0, 1)]
    fewer = dataflow.step({"t": delta([((1, 0), 1, -1), ((2, 0), 2, -4)])}, 1, 3)
    assert not fewer
    last = dataflow.step({"t": delta([((2, 0), 3, -1), ((3, 0), 5, 1)])}, 3, 6)
    assert consolidated(updates_of(last.errs)) == {(*DIVISION, 3): -1, (*DIVISION, 5): 1}


def test_errors_of_an_import_reach_the_output() -> None:
    dataflow = Dataflow(lower(grouped()), 0)
    errs = batch_from_rows(ERROR_SCHEMA, [("XX001", "broken"), ("XX001", "broken")], 0)
    out = dataflow.step({"t": Delta(batch_of(T, []), errs)}, 0, 1)
    assert updates_of(out.errs) == [(("XX001", "broken"), 0, 1)]


def test_a_scalar_subquery_of_two_rows_fails_while_it_has_them() -> None:
    dataflow = Dataflow(lower(r.AssertSingle(GET, (0,))), 0)
    dataflow.step({"t": delta([((1, 1), 0, 1)])}, 0, 1)
    two = dataflow.step({"t": delta([((1, 2), 1, 1), ((3, 1), 1, 2)])}, 1, 2)
    assert [(row[0], diff) for row, _, diff in updates_of(two.errs)] == [("21000", 1)]
    one = dataflow.step({"t": delta([((1, 2), 2, -1), ((3, 1), 2, -2)])}, 2, 3)
    assert [(row[0], diff) for row, _, diff in updates_of(one.errs)] == [("21000", -1)]


@pytest.mark.parametrize("interval", [(0, 5), (6, 7), (5, 5), (5, 4)])
def test_steps_follow_one_another(interval: tuple[int, int]) -> None:
    dataflow = Dataflow(lower(GET), 0)
    dataflow.step({}, 0, 5)
    with pytest.raises(InvalidUsage, match="as of 5"):
        dataflow.step({}, *interval)
    assert dataflow.upper == 5


def test_a_step_without_updates_runs_no_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    dataflow = Dataflow(lower(grouped()), 0)
    dataflow.step({"t": delta([((1, 1), 0, 1)])}, 0, 1)

    def fail(*_: object) -> Delta:
        raise AssertionError("an operator ran")

    monkeypatch.setattr(Operator, "step", fail)
    assert not dataflow.step({}, 1, 1000)
    assert not dataflow.step({"t": delta([])}, 1000, 1001)
    assert dataflow.upper == 1001


def test_statistics_count_updates_and_state() -> None:
    dataflow = Dataflow(lower(r.Filter(grouped(), (resolve_call("gt", (B, Literal(0, INT4))),))), 0)
    dataflow.step({"t": delta([((1, 1), 0, 1), ((1, 2), 0, 1), ((2, 0), 0, 1)])}, 0, 1)
    _, reduce, mfp = dataflow.statistics()
    assert (reduce.steps, reduce.rows_in, reduce.rows_out) == (1, 3, 2)
    assert reduce.state_rows == 2 + 3 + 3  # groups, values, distinct values
    assert reduce.state_bytes > 0
    assert reduce.seconds > 0
    assert (mfp.rows_in, mfp.rows_out, mfp.state_rows, mfp.state_bytes) == (2, 2, 0, 0)


@pytest.mark.parametrize("seed", range(20))
def test_a_dataflow_goes_on_from_saved_state(seed: int) -> None:
    """Everything that a later step depends on is in `spines()`."""
    random = Random(900 + seed)
    relation = Views(random).relation(3)
    histories = random_histories(random)
    cut = random.randint(1, TIMES)

    def step(dataflow: Dataflow, begin: int, end: int) -> list[Update]:
        inputs = {
            id_: Delta(batch_of(TABLES[id_], [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
            for id_, updates in histories.items()
        }
        return updates_of(dataflow.step(inputs, begin, end).oks)

    plan = lower(relation)
    straight, saved = Dataflow(plan, 0), Dataflow(plan, 0)
    expected = step(straight, 0, cut) + step(straight, cut, TIMES + 1)
    before = step(saved, 0, cut)
    resumed = Dataflow(plan, 0)
    resumed.load({id_: spine.runs for id_, spine in saved.spines().items()}, cut)
    assert consolidated(before + step(resumed, cut, TIMES + 1)) == consolidated(expected)


def test_unknown_state_is_refused() -> None:
    dataflow = Dataflow(lower(GET), 0)
    with pytest.raises(InvalidUsage, match="no state"):
        dataflow.load({(7, "groups"): ()}, 3)


def test_float_sum_over_many_steps_forgets_nothing() -> None:
    schema = schema_of(INT4, FLOAT8)
    relation = r.Reduce(
        r.Get("t", schema), (A,), ("k",), (r.Aggregate("sum", ColumnRef(1, FLOAT8), FLOAT8, "s"),)
    )
    dataflow = Dataflow(lower(relation), 0)
    values = [0.1 * i for i in range(-50, 51)] + [1e200, 1e-200]
    updates: list[Update] = []
    for time, value in enumerate(values):
        batch = batch_of(schema, [((1, value), time, 1)])
        updates += updates_of(dataflow.step({"t": Delta(batch, NO_ERRORS)}, time, time + 1).oks)
    for offset, value in enumerate(reversed(values)):
        time = len(values) + offset
        batch = batch_of(schema, [((1, value), time, -1)])
        updates += updates_of(dataflow.step({"t": Delta(batch, NO_ERRORS)}, time, time + 1).oks)
        if offset < len(values) - 1:
            mirrored = as_of(updates, len(values) - 2 - offset)
            assert as_of(updates, time) == mirrored
    assert as_of(updates, 2 * len(values)) == {}
