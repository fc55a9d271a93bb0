"""Reduce: exact sums, and results that follow their rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.operators.reductions.float_sum import LIMBS, pieces, rounded
from ptvc.compute.operators.reductions.limbs import from_limbs, to_limbs
from ptvc.errors import Unsupported
from ptvc.expr.functions.aggregates import resolve_aggregate
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.types import (
    BOOL,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    TEXT,
    Kind,
    ScalarType,
    derived_numeric,
)

from ..histories import batch_of, consolidated, history, schema_of, updates_of
from ..reference import Rows, Update, as_of, evaluate

MONEY = ScalarType(Kind.NUMERIC, 12, 2)


def reduction(type_: ScalarType, *functions: str, distinct: bool = False, scalar: bool = False) -> r.Reduce:
    """`functions` of the second column, by the first (by nothing, if `scalar`)."""
    schema = schema_of(INT4, type_)
    aggregates = tuple(
        r.Aggregate(f, ColumnRef(1, type_), resolve_aggregate(f, type_)[1], f, distinct) for f in functions
    )
    keys = () if scalar else (ColumnRef(0, INT4),)
    return r.Reduce(r.Get("t", schema), keys, ("k",) * len(keys), aggregates, scalar)


def steps(
    relation: r.Reduce, updates: Sequence[Update], cuts: Sequence[int]
) -> tuple[list[Update], list[Update]]:
    dataflow = Dataflow(lower(relation), cuts[0])
    schema = relation.input.schema
    oks: list[Update] = []
    errs: list[Update] = []
    for begin, end in pairwise(cuts):
        batch = batch_of(schema, [u for u in updates if begin <= u[1] < end])
        delta = dataflow.step({"t": Delta(batch, NO_ERRORS)}, begin, end)
        oks += updates_of(delta.oks)
        errs += updates_of(delta.errs)
    return oks, errs


def contents(relation: r.Reduce, rows: Sequence[tuple[Any, ...]]) -> Rows:
    oks, errs = steps(relation, [(row, 1, 1) for row in rows], [0, 2])
    assert errs == []
    return as_of(oks, 1)


def test_sum_of_int8_goes_beyond_int8() -> None:
    biggest = 2**63 - 1
    relation = reduction(INT8, "sum", "avg")
    rows = contents(relation, [(1, biggest), (1, biggest), (1, biggest), (2, -(2**63)), (2, -(2**63))])
    assert rows == {
        (1, Decimal(3 * biggest), Decimal(biggest)): 1,
        (2, Decimal(-(2**64)), Decimal(-(2**63))): 1,
    }


@pytest.mark.parametrize("type_", [INT2, INT4])
def test_sum_of_small_integers_is_int8(type_: ScalarType) -> None:
    biggest = 2**15 - 1 if type_ == INT2 else 2**31 - 1
    oks, _ = steps(reduction(type_, "sum"), [((1, biggest), 1, 1_000_000), ((1, -5), 1, 1)], [0, 2])
    assert as_of(oks, 1) == {(1, 1_000_000 * biggest - 5): 1}


@pytest.mark.parametrize("type_", [MONEY, derived_numeric(6), NUMERIC])
@pytest.mark.parametrize("seed", range(5))
def test_sums_of_numerics_are_exact(type_: ScalarType, seed: int) -> None:
    random = Random(seed)
    scale = 38 if type_.scale is None else type_.scale

    def value() -> Decimal:
        return Decimal(random.randint(-(10**30), 10**30)).scaleb(-scale)

    updates = [((random.randrange(3), value()), time, 1) for time in range(1, 9) for _ in range(4)]
    updates += [(row, time + 1, -1) for row, time, _ in updates[::3]]
    relation = reduction(type_, "sum", "min", "max", "count")
    for cuts in ([0, 10], list(range(11))):
        oks, errs = steps(relation, updates, cuts)
        assert errs == []
        with localcontext(prec=120):
            for time in range(10):
                assert as_of(oks, time) == evaluate(relation, {"t": as_of(updates, time)})


def test_sum_that_does_not_fit_is_an_error_that_retracts() -> None:
    huge = Decimal(10**38 - 1)
    type_ = derived_numeric(0)
    updates = [((1, huge), 1, 1), ((1, Decimal(7)), 2, 1), ((2, Decimal(1)), 2, 1), ((1, huge), 3, -1)]
    for cuts in ([0, 4], [0, 1, 2, 3, 4]):
        oks, errs = steps(reduction(type_, "sum", "count"), updates, cuts)
        assert consolidated(errs) == {
            ("22003", "value overflows numeric format", 2): 1,
            ("22003", "value overflows numeric format", 3): -1,
        }
        assert as_of(oks, 1) == {(1, huge, 1): 1}
        assert as_of(oks, 2) == {(2, Decimal(1), 1): 1}
        assert as_of(oks, 3) == {(1, Decimal(7), 1): 1, (2, Decimal(1), 1): 1}


def test_float_sums_are_exact_under_cancellation() -> None:
    relation = reduction(FLOAT8, "sum")
    assert contents(relation, [(1, 1e300), (1, 1.0), (1, -1e300)]) == {(1, 1.0): 1}
    assert contents(relation, [(1, 0.1)] * 10) == {(1, 1.0): 1}
    updates = [((1, 1e308), 1, 1), ((1, 5e-324), 1, 1), ((1, 1e308), 2, -1)]
    oks, _ = steps(relation, updates, [0, 2, 3])
    assert as_of(oks, 2) == {(1, 5e-324): 1}


def test_float_sum_overflows_as_an_error() -> None:
    updates = [((1, 1.7e308), 1, 2), ((1, 1.7e308), 2, -1)]
    oks, errs = steps(reduction(FLOAT8, "sum"), updates, [0, 3])
    assert as_of(errs, 1) == {("22003", "value out of range: overflow"): 1}
    assert as_of(errs, 2) == {}
    assert as_of(oks, 2) == {(1, 1.7e308): 1}


def test_float_specials_come_and_go() -> None:
    relation = reduction(FLOAT8, "sum", "avg")
    updates = [
        ((1, 2.5), 1, 1),
        ((1, math.inf), 2, 1),
        ((1, -math.inf), 3, 1),
        ((1, math.inf), 4, -1),
        ((1, math.nan), 5, 1),
        ((1, -math.inf), 6, -1),
        ((1, math.nan), 7, -1),
    ]
    for cuts in ([0, 8], list(range(9))):
        oks, errs = steps(relation, updates, cuts)
        assert errs == []
        inserted = {time: str(row[1:]) for row, time, diff in oks if diff > 0}
        assert inserted == {
            1: "(2.5, 2.5)",
            2: "(inf, inf)",
            3: "(nan, nan)",
            4: "(-inf, -inf)",
            5: "(nan, nan)",
            7: "(2.5, 2.5)",
        }


def test_float4_sum_is_rounded_once() -> None:
    assert contents(reduction(FLOAT4, "sum"), [(1, 16777216.0), (1, 1.0), (1, 1.0)]) == {(1, 16777218.0): 1}


@pytest.mark.parametrize("seed", range(20))
def test_superaccumulator_rounds_to_nearest_even(seed: int) -> None:
    random = Random(seed)
    for _ in range(50):
        values = [
            random.choice(
                (
                    math.ldexp(random.random() - 0.5, random.randint(-1080, 1020)),
                    random.choice((1e300, -1e300, 1.0, 2.0**53, 5e-324, -5e-324, 2.2250738585072014e-308)),
                    random.uniform(-1000, 1000),
                )
            )
            for _ in range(random.randint(1, 6))
        ]
        values += [-v for v in values[: random.randint(0, len(values))]]
        found = pieces(np.array(values))
        sums = np.zeros((1, LIMBS), np.int64)
        np.add.at(sums[0], found.limbs, found.values)
        assert rounded(sums, 0)[0] == float(sum(map(Fraction, values)))


@pytest.mark.parametrize("type_", [INT4, INT8, MONEY, NUMERIC])
def test_limbs_hold_any_multiple(type_: ScalarType) -> None:
    random = Random(1)
    result = {INT4: INT8, INT8: derived_numeric(0)}.get(type_, type_)
    digits = {INT4: 9, INT8: 18, MONEY: 10, NUMERIC: 60}[type_]
    scale = type_.scale or (38 if type_ == NUMERIC else 0)
    for _ in range(50):
        whole = [random.randint(-(10**digits), 10**digits) for _ in range(4)]
        values = whole if type_.is_integer else [Decimal(v).scaleb(-scale) for v in whole]
        column = pa.array([None, *values, None], type_.arrow).slice(1)
        weights = np.array([random.randint(-3, 10**6) for _ in values] + [5])
        total = (to_limbs(column) * weights).sum(axis=1)[:, None]
        array, overflow = from_limbs(total, result, np.array([True]))
        assert not overflow.any()
        with localcontext(prec=120):
            expected = sum(v * int(w) for v, w in zip(values, weights, strict=False))
        assert array[0].as_py() == expected


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_aggregates_match_recomputation(seed: int, distinct: bool) -> None:
    random = Random(seed)
    relation = reduction(INT4, "count", "sum", "min", "max", distinct=distinct)
    updates = history(
        random, lambda rng: (rng.choice((1, 2, None)), rng.choice((None, 1, 2, 3, -4))), times=8
    )
    for cuts in ([0, 9], [0, 3, 9]):
        oks, errs = steps(relation, updates, cuts)
        assert errs == []
        for time in range(9):
            assert as_of(oks, time) == evaluate(relation, {"t": as_of(updates, time)})


@pytest.mark.parametrize("type_", [TEXT, FLOAT8])
def test_extremes_over_many_times(type_: ScalarType) -> None:
    """One group, hundreds of times in one step: values come and go over intervals of all lengths."""
    random = Random(5)
    values = [f"v{i:03}" if type_ == TEXT else i / 4 for i in range(40)]
    updates: list[Update] = []
    live: set[Any] = set()
    for time in range(1, 301):
        value = random.choice(values)
        updates.append(((1, value), time, -1 if value in live else 1))
        live ^= {value}
    relation = reduction(type_, "min", "max")
    whole, _ = steps(relation, updates, [0, 301])
    parts, _ = steps(relation, updates, [*range(0, 302, 7), 302])
    assert consolidated(whole) == consolidated(parts)
    for time in range(0, 301, 9):
        assert as_of(whole, time) == evaluate(relation, {"t": as_of(updates, time)})


def test_scalar_reduction_always_has_its_row() -> None:
    relation = reduction(INT4, "count", "sum", "min", scalar=True)
    dataflow = Dataflow(lower(relation), 5)
    first = dataflow.step({}, 5, 6)
    assert updates_of(first.oks) == [((0, None, None), 5, 1)]
    assert not dataflow.step({}, 6, 9)
    row = batch_of(schema_of(INT4, INT4), [((1, 4), 9, 1), ((1, 4), 11, -1)])
    later = dataflow.step({"t": Delta(row, NO_ERRORS)}, 9, 12)
    empty, one = (0, None, None), (1, 4, 4)
    assert consolidated(updates_of(later.oks)) == {
        (*empty, 9): -1,
        (*one, 9): 1,
        (*one, 11): -1,
        (*empty, 11): 1,
    }


def test_empty_group_vanishes_and_unchanged_rows_are_silent() -> None:
    relation = reduction(INT4, "max")
    updates = [((1, 5), 1, 1), ((1, 3), 2, 1), ((1, 3), 3, -1), ((1, 5), 4, -1)]
    oks, _ = steps(relation, updates, [0, 2, 3, 4, 5])
    assert oks == [((1, 5), 1, 1), ((1, 5), 4, -1)]


def test_averages_have_postgresql_digits() -> None:
    rows = contents(reduction(INT4, "avg"), [(1, 1), (1, 2), (1, 2), (2, None)])
    assert rows == {(1, Decimal("1.6666666666666667")): 1, (2, None): 1}


def test_filter_keeps_an_argument_from_being_computed() -> None:
    """count(*) FILTER and sum FILTER become columns that are NULL where the filter is not TRUE."""
    schema = schema_of(INT4, INT4, BOOL)
    condition = ColumnRef(2, BOOL)
    relation = r.Reduce(
        r.Get("t", schema),
        (ColumnRef(0, INT4),),
        ("k",),
        (
            r.Aggregate("count", None, INT8, "n", filter=condition),
            r.Aggregate("sum", ColumnRef(1, INT4), INT8, "s", filter=condition),
            r.Aggregate("count", None, INT8, "all"),
        ),
    )
    rows = contents(relation, [(1, 10, True), (1, 20, False), (1, 30, None), (2, 5, False)])
    assert rows == {(1, 1, 10, 3): 1, (2, 0, None, 1): 1}


def test_bool_aggregates() -> None:
    relation = reduction(BOOL, "bool_and", "bool_or")
    rows = contents(relation, [(1, True), (1, None), (2, True), (2, False), (3, False), (4, None)])
    assert rows == {(1, True, True): 1, (2, False, True): 1, (3, False, False): 1, (4, None, None): 1}


def test_zeros_and_nans_are_one_group_each() -> None:
    schema = schema_of(FLOAT8)
    relation = r.Reduce(
        r.Get("t", schema), (ColumnRef(0, FLOAT8),), ("k",), (r.Aggregate("count", None, INT8, "n"),)
    )
    nan = struct_nan()
    rows = [(0.0,), (-0.0,), (math.nan,), (nan,)]
    oks, _ = steps(relation, [(row, 1, 1) for row in rows], [0, 2])
    assert sorted(str(row) for row, _, _ in oks) == ["(0.0, 2)", "(nan, 2)"]


def struct_nan() -> float:
    """A NaN whose sign bit is set."""
    return float(np.array([0xFFF8_0000_0000_0001], np.uint64).view(np.float64)[0])


def test_unknown_aggregate_is_refused() -> None:
    relation = r.Reduce(
        r.Get("t", schema_of(INT4)), (), (), (r.Aggregate("median", ColumnRef(0, INT4), INT4, "m"),)
    )
    with pytest.raises(Unsupported, match="median"):
        Dataflow(lower(relation), 0)


def test_constant_argument() -> None:
    relation = r.Reduce(
        r.Get("t", schema_of(INT4)), (), (), (r.Aggregate("sum", Literal(2, INT4), INT8, "s"),)
    )
    assert contents(relation, [(1,), (2,), (3,)]) == {(6,): 1}


def test_what_might_wrap_is_refused() -> None:
    relation = reduction(INT4, "sum")
    with pytest.raises(Unsupported, match="rows of one group or one step") as caught:
        steps(relation, [((1, 1), 1, 2**29)], [0, 2])
    assert caught.value.hint is not None
    with pytest.raises(Unsupported):
        steps(relation, [((1, 1), time, 2**29 - 1) for time in (1, 2, 3)], [0, 2, 3, 4])
    counted = r.Reduce(r.Get("t", schema_of(INT4)), (), (), (r.Aggregate("count", None, INT8, "n"),))
    oks, _ = steps(counted, [((1,), 1, 2**40)], [0, 2])
    assert as_of(oks, 1) == {(2**40,): 1}
