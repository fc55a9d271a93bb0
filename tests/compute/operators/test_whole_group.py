"""Aggregates of whole groups: what a list of the group's rows, sorted, says at every time."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.oneshot import evaluate_once
from ptvc.compute.operators.reductions import group_contents
from ptvc.expr.functions.aggregates import HYPOTHETICAL, aggregate_function, resolve_arguments
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.types import BOOL, FLOAT8, INT4, INT8, TEXT, ScalarType, array_of

from ..histories import batch_of, consolidated, frozen, history, random_cuts, schema_of
from ..reference import Rows, as_of, collect, reduce
from .test_reduce import steps

SCHEMA = schema_of(INT4, INT4, TEXT, FLOAT8, BOOL)
_VALUES: tuple[tuple[Any, ...], ...] = (
    (0, 1, 2),
    (None, 1, 1, 2, 3, -7),
    (None, "", "a", "b", "ab", "ä"),
    (None, 0.5, 1.25, -3.0, 1e300, math.inf),
    (None, True, False),
)


def column(index: int) -> ColumnRef:
    return ColumnRef(index, SCHEMA[index].type)


def ordered_set(
    name: str, key: int, *direct: Literal, descending: bool = False, type_: ScalarType | None = None
) -> r.Aggregate:
    function = aggregate_function(name)
    assert function is not None
    resolved = function.result(SCHEMA[key].type)
    assert resolved is not None
    order = (r.ScalarOrder(column(key), descending, descending),)
    return r.Aggregate(name, None, type_ or resolved[1], name, order=order, direct=direct)


def call(name: str, *arguments: Scalar, **options: Any) -> r.Aggregate:
    _, type_ = resolve_arguments(name, [argument.type for argument in arguments])
    return r.Aggregate(name, arguments[0], type_, name, rest=arguments[1:], **options)


def half(value: Any, type_: ScalarType = FLOAT8) -> Literal:
    return Literal(value, type_)


BIG = resolve_call("gt", (column(1), Literal(0, INT4)))
AGGREGATES = (
    call("array_agg", column(1)),
    call("array_agg", column(2), order=(r.ScalarOrder(column(1), True, True), r.ScalarOrder(column(3)))),
    call("array_agg", column(3), distinct=True),
    call("array_agg", column(1), filter=BIG),
    call("string_agg", column(2), Literal(",", TEXT)),
    call("string_agg", column(2), column(2), order=(r.ScalarOrder(column(3), True),), filter=BIG),
    call("string_agg", column(2), Literal(None, TEXT), distinct=True),
    call("any_value", column(1)),
    call("any_value", column(4)),
    ordered_set("mode", 1),
    ordered_set("mode", 2, descending=True),
    ordered_set("percentile_disc", 2, half(0.5)),
    ordered_set("percentile_disc", 1, half(0.3), descending=True),
    ordered_set("percentile_disc", 1, half([0.0, None, 1.0], array_of(FLOAT8)), type_=array_of(INT4)),
    ordered_set("percentile_disc", 1, half(None)),
    ordered_set("rank", 1, Literal(2, INT4)),
    ordered_set("rank", 2, Literal("aa", TEXT), descending=True),
    ordered_set("dense_rank", 1, Literal(None, INT4)),
    ordered_set("dense_rank", 1, Literal(3, INT4), descending=True),
    ordered_set("percent_rank", 1, Literal(2, INT4)),
    ordered_set("cume_dist", 1, Literal(1, INT4)),
    r.Aggregate("count", None, INT8, "n", nullable=False),
    r.Aggregate("max", column(1), INT4, "top"),
    r.Aggregate("sum", column(1), INT8, "total", distinct=True),
)
FINITE = (
    ordered_set("percentile_cont", 3, half(0.5)),
    ordered_set("percentile_cont", 3, half([0.25, 0.9], array_of(FLOAT8)), type_=array_of(FLOAT8)),
    ordered_set("percentile_cont", 3, half(1.0), descending=True),
)


def view(aggregates: tuple[r.Aggregate, ...], *, scalar: bool = False) -> r.Reduce:
    aggregates = tuple(a if a.name != a.function else _named(a, i) for i, a in enumerate(aggregates))
    keys = () if scalar else (column(0),)
    return r.Reduce(r.Get("t", SCHEMA), keys, ("k",) * len(keys), aggregates, scalar)


def _named(aggregate: r.Aggregate, number: int) -> r.Aggregate:
    fields = {name: getattr(aggregate, name) for name in aggregate.__slots__}
    return r.Aggregate(**(fields | {"name": f"a{number}"}))


def check(relation: r.Reduce, seed: int, values: tuple[tuple[Any, ...], ...], times: int = 8) -> None:
    random = Random(seed)
    updates = history(random, lambda rng: tuple(rng.choice(v) for v in values), times=times, per_time=4)
    histories = []
    for cuts in ([0, times + 1], list(range(times + 2)), random_cuts(random, times)):
        oks, errs = steps(relation, updates, cuts)
        assert errs == []
        for time in range(times + 1):
            assert as_of(oks, time) == reduce(relation, as_of(updates, time)), f"at {time}, steps {cuts}"
        histories.append(consolidated(oks))
    assert histories[0] == histories[1] == histories[2]


@pytest.mark.parametrize("scalar", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_matches_recomputation_at_every_time(seed: int, scalar: bool) -> None:
    check(view(AGGREGATES, scalar=scalar), seed, _VALUES)


@pytest.mark.parametrize("seed", range(4))
def test_percentiles_between_values(seed: int) -> None:
    finite = (*_VALUES[:3], (None, 0.5, 1.25, -3.0, 7.0, 1e10), _VALUES[4])
    check(view(FINITE, scalar=bool(seed % 2)), seed, finite)


@pytest.mark.parametrize("seed", range(3))
def test_points_in_chunks(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The grid of entries and points is never whole: a few points are taken at a time."""
    monkeypatch.setattr(group_contents, "MAX_CELLS", 20)
    check(view(AGGREGATES), 100 + seed, _VALUES, times=12)


def test_each_aggregate_by_itself() -> None:
    for aggregate in AGGREGATES:
        check(view((aggregate,)), 7, _VALUES, times=4)


def test_one_off_query() -> None:
    rows: Rows = collect((tuple(Random(i).choice(v) for v in _VALUES), 1) for i in range(40))
    relation = view(AGGREGATES)
    delta = evaluate_once(relation, {"t": batch_of(SCHEMA, [(row, 1, n) for row, n in rows.items()])}, 5)
    columns = [c.to_pylist() for c in delta.oks.columns]
    found = {frozen(row): 1 for row in zip(*columns, strict=True)}
    assert found == reduce(relation, rows)


def test_least_and_greatest_array() -> None:
    type_ = array_of(INT4)
    schema = schema_of(INT4, type_)
    argument = ColumnRef(1, type_)
    relation = r.Reduce(
        r.Get("t", schema),
        (ColumnRef(0, INT4),),
        ("k",),
        tuple(r.Aggregate(name, argument, type_, name) for name in ("min", "max", "any_value")),
    )
    updates = [
        ((1, [2, 1]), 1, 1),
        ((1, [1, 5]), 1, 1),
        ((1, [1]), 2, 1),
        ((1, None), 2, 1),
        ((1, [2, 1]), 3, -1),
    ]
    oks, _ = steps(relation, updates, [0, 2, 4])
    shown = {time: row[1:] for row, time, diff in oks if diff > 0}
    assert shown == {1: ((1, 5), (2, 1), (1, 5)), 2: ((1,), (2, 1), (1,)), 3: ((1,), (1, 5), (1,))}


def test_distinct_and_mode_hold_zeros_equal() -> None:
    aggregates = (call("array_agg", column(3), distinct=True), ordered_set("mode", 3))
    rows = [((0, 1, "a", v, True), 1, 1) for v in (0.0, -0.0, -0.0, 1.0, 1.0)]
    oks, _ = steps(view(aggregates), rows, [0, 2])
    assert [row for row, _, _ in oks] == [(0, (0.0, 1.0), 0.0)]


def test_hypothetical_ranks_of_nothing() -> None:
    direct = Literal(1, INT4)
    relation = view(tuple(ordered_set(name, 1, direct) for name in HYPOTHETICAL), scalar=True)
    oks, _ = steps(relation, [], [0, 2])
    assert as_of(oks, 0) == {(1, 1, 0.0, 1.0): 1}


def test_untouched_groups_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step looks at the rows of the groups that it touches only."""
    dataflow = Dataflow(lower(view((call("array_agg", column(1)),))), 0)
    rows = [((k, k, "a", 0.0, True), 1, 1) for k in range(1000) for _ in range(2)]
    dataflow.step({"t": Delta(batch_of(SCHEMA, rows), NO_ERRORS)}, 0, 2)
    seen: list[int] = []
    entries = group_contents._entries

    def spy(columns: Any, order: Any, group: Any) -> Any:
        seen.append(len(group))
        return entries(columns, order, group)

    monkeypatch.setattr(group_contents, "_entries", spy)
    dataflow.step({"t": Delta(batch_of(SCHEMA, [((5, 1, "a", 0.0, True), 2, 1)]), NO_ERRORS)}, 2, 3)
    assert len(seen) == 1
    assert seen[0] <= 3
