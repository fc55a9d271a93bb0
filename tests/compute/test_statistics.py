"""Variance, covariance, regression and bit aggregates: exact, whatever came and went before."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.lower import lower
from ptvc.compute.operators.build import build
from ptvc.compute.operators.reductions.float_sum import ExactSums
from ptvc.compute.operators.reductions.limb_products import product_pieces, squares
from ptvc.compute.operators.reductions.moments import REGRESSIONS, VARIANCES
from ptvc.compute.plan import ReduceOp
from ptvc.expr.functions.aggregates import resolve_arguments
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.repr.types import FLOAT4, FLOAT8, INT2, INT4, INT8, NUMERIC, Kind, ScalarType

from .histories import check, history, schema_of
from .operators.test_reduce import steps
from .reference import as_of, reduce

MONEY = ScalarType(Kind.NUMERIC, 12, 2)
_FLOATS = (1.5, 0.1, -3.25, 1e200, -1e200, 1e-200, 5e-324, 2.0**53, 1e8, 1e8 + 1, None)
_VALUES: dict[ScalarType, tuple[Any, ...]] = {
    INT2: (0, 1, -1, 2**15 - 1, -(2**15), 7, None),
    INT4: (0, 1, -1, 2**31 - 1, -(2**31), 7, None),
    INT8: (0, 1, -1, 10**18, -(10**18), 7, None),
    MONEY: (Decimal("0.00"), Decimal("0.01"), Decimal("-99999999.99"), Decimal("12.50"), None),
    NUMERIC: (Decimal(0), Decimal("0.01"), Decimal("-1234567890.125"), Decimal("12.5"), None),
    FLOAT8: _FLOATS,
}


def reduction(types: tuple[ScalarType, ...], functions: tuple[str, ...]) -> r.Reduce:
    """`functions` of the columns after the first, by the first."""
    schema = schema_of(INT4, *types)
    arguments = [ColumnRef(i + 1, type_) for i, type_ in enumerate(types)]
    aggregates = tuple(
        r.Aggregate(f, arguments[0], resolve_arguments(f, types)[1], f, rest=tuple(arguments[1:]))
        for f in functions
    )
    return r.Reduce(r.Get("t", schema), (ColumnRef(0, INT4),), ("k",), aggregates)


def check_reduction(relation: r.Reduce, seed: int, values: tuple[tuple[Any, ...], ...]) -> None:
    """Over what `lower` puts before the reduction (masks of pairs), the operator agrees with recomputation."""
    random = Random(seed)
    rows = history(random, lambda rng: (rng.randrange(3), *(rng.choice(v) for v in values)))
    plan = lower(relation)
    cuts = ([0, 13], list(range(14)))
    outputs = []
    for cut in cuts:
        oks, errs = steps(relation, rows, cut)
        assert errs == []
        outputs.append(oks)
    (node,) = [node for node in plan.nodes if isinstance(node.op, ReduceOp)]
    if len(plan.nodes) == 2:  # no masks: the operator by itself, cut at random too
        check(
            lambda: build(node.op, plan.input_schemas(node), node.schema, 0),
            [(relation.input.schema, rows)],
            lambda contents: reduce(relation, contents[0]),
            random,
        )
    for time in range(13):
        expected = reduce(relation, as_of(rows, time))
        for output in outputs:
            assert as_of(output, time) == expected


@pytest.mark.parametrize("type_", list(_VALUES), ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_variances_match_exact_arithmetic(type_: ScalarType, seed: int) -> None:
    functions = tuple(VARIANCES)
    values = _VALUES[type_]
    if type_ is FLOAT8:  # squares of these do not fit a double: but the deviations' mean may
        values = tuple(v for v in _FLOATS if v is None or abs(v) < 1e150)
    check_reduction(reduction((type_,), functions), seed, (values,))


@pytest.mark.parametrize("seed", range(6))
def test_regressions_match_exact_arithmetic(seed: int) -> None:
    values = tuple(v for v in _FLOATS if v is None or 1e-3 < abs(v) < 1e20)
    check_reduction(reduction((FLOAT8, FLOAT8), tuple(REGRESSIONS)), seed, (values, values))


@pytest.mark.parametrize("type_", [INT2, INT4, INT8], ids=str)
def test_bits_match_recomputation(type_: ScalarType) -> None:
    values = (*_VALUES[type_], 85, -86, 2**14 + 3)
    check_reduction(reduction((type_,), ("bit_and", "bit_or", "bit_xor")), 1, (values,))


def test_variance_survives_cancellation() -> None:
    relation = reduction((FLOAT8,), ("var_pop", "stddev_samp"))
    small = [1e8 + 1, 1e8 + 2, 1e8 + 4]
    updates = [((1, v), 1, 1) for v in small] + [((1, 1e300), 1, 1), ((1, -1e300), 2, 1), ((1, 5e-324), 2, 1)]
    updates += [((1, 1e300), 3, -1), ((1, -1e300), 3, -1), ((1, 5e-324), 3, -1)]
    for cuts in ([0, 4], [0, 1, 2, 3, 4]):
        oks, errs = steps(relation, updates, cuts)
        last = [row for row, time, diff in oks if time == 3 and diff > 0]
        assert last == [(1, float(Fraction(14, 9)), math.sqrt(float(Fraction(7, 3))))]
        assert [(time, diff) for _, time, diff in errs] == [(1, 1), (3, -1)] or len(errs) == 4


def test_values_beyond_the_root_of_the_largest_double() -> None:
    """Their squares do not fit a double, their variance does."""
    relation = reduction((FLOAT8,), ("var_pop",))
    oks, errs = steps(relation, [((1, 1e200), 1, 3)], [0, 2])
    assert ([row for row, _, _ in oks], errs) == ([(1, 0.0)], [])
    oks, errs = steps(relation, [((1, 1e200), 1, 1), ((1, -1e200), 1, 1)], [0, 2])
    assert oks == []
    assert [row[0] for row, _, _ in errs] == ["22003"]


def test_not_finite_values_come_and_go() -> None:
    relation = reduction((FLOAT8, FLOAT8), ("corr", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy"))
    updates = [
        ((1, 1.0, 2.0), 1, 1),
        ((1, 2.0, 4.0), 1, 1),
        ((1, math.inf, 1.0), 2, 1),
        ((1, math.inf, 1.0), 3, -1),
        ((1, 3.0, math.nan), 4, 1),
        ((1, 3.0, math.nan), 5, -1),
    ]
    for cuts in ([0, 6], list(range(7))):
        oks, errs = steps(relation, updates, cuts)
        assert errs == []
        shown = {time: str(row[1:]) for row, time, diff in oks if diff > 0}
        plain = "(1.0, 3.0, 1.5, 2.0, 0.5)"
        assert shown == {
            1: plain,
            2: f"(nan, {7 / 3}, inf, {float(Fraction(14, 3))}, nan)",
            3: plain,
            4: "(nan, nan, 2.0, nan, 2.0)",
            5: plain,
        }


def test_corr_of_tiny_numbers_keeps_its_digits() -> None:
    relation = reduction((FLOAT8, FLOAT8), ("corr",))
    rows = [(1, 0.0, 0.0), (1, 1e-170, 1.0), (1, 1.0, -1e-170)]
    oks, _ = steps(relation, [(row, 1, 1) for row in rows], [0, 2])
    ((row, _, _),) = oks
    assert row[1] == pytest.approx(-0.5, abs=1e-15)


def test_float4_is_computed_in_double_precision() -> None:
    relation = reduction((FLOAT4,), ("var_pop",))
    tenth = float(np.float32(0.1))
    oks, _ = steps(relation, [((1, tenth), 1, 1), ((1, 1.0), 1, 1)], [0, 2])
    assert oks[0][0][1] == float((Fraction(tenth) - 1) ** 2 / 4)


@pytest.mark.parametrize("seed", range(5))
def test_products_are_exact(seed: int) -> None:
    random = Random(seed)

    def draw() -> float:
        return random.choice(
            (math.ldexp(random.random() - 0.5, random.randint(-1074, 1023)), 5e-324, -0.0, 1.7e308, -3.0)
        )

    left, right = np.array([draw() for _ in range(200)]), np.array([draw() for _ in range(200)])
    found = product_pieces(left, right)
    assert ((found.values != 0) & (np.abs(found.values) < 2**32)).all()
    for row in range(200):
        mine = found.rows == row
        pairs = zip(found.limbs[mine].tolist(), found.values[mine].tolist(), strict=True)
        total = sum(Fraction(value) * Fraction(2) ** (32 * limb - 2148) for limb, value in pairs)
        assert total == Fraction(float(left[row])) * Fraction(float(right[row]))


def test_squares_of_the_extremes() -> None:
    for type_, extremes in (
        (pa.int16(), (-(2**15), 2**15 - 1)),
        (pa.int32(), (-(2**31), 2**31 - 1)),
        (pa.int64(), (-(2**63), 2**63 - 1, 3)),
    ):
        _assert_squares(pa.array([*extremes, None, 0], type_), [*extremes, 0, 0])
    widest = 10**38 - 1
    _assert_squares(
        pa.array([Decimal(widest), Decimal(-widest), None], pa.decimal128(38, 0)), [widest, widest, 0]
    )
    with localcontext(prec=80):
        number = Decimal(10**76 - 1).scaleb(-38)
        _assert_squares(pa.array([number, -number], pa.decimal256(76, 38)), [10**76 - 1] * 2)


def _assert_squares(column: pa.Array, integers: list[int]) -> None:
    limbs = squares(column)
    assert ((limbs >= 0) & (limbs < 2**32)).all()
    assert ExactSums(limbs, 0).integers.tolist() == [value * value for value in integers]
