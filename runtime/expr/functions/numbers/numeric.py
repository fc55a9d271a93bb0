"""Arithmetic on numeric: exact, on integers at known scales (see `decimals`).

Sums and products of numerics with a known scale have one too; quotients are rounded to the number of digits that
PostgreSQL chooses from the operands of each row.  What needs more digits than the result's type has is error
22003: it is never rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from ....repr.buffers import validity
from ....repr.types import NUMERIC, UNCONSTRAINED_SCALE, ScalarType, derived_numeric
from ...coercion.type_rules import numeric_scale
from ...columns.arrays import both_valid
from ...columns.decimals import (
    POWERS,
    Ints,
    as_int64,
    as_ints,
    digit_count,
    divide_rounded,
    fits_int64,
    from_int64,
    from_ints,
    rescale,
    storage_scale,
    trailing_zeros,
)
from ...columns.row_errors import Evaluated, Mask, merge_errors, same_error
from ...tree.function import CallInfo, Datum, Kernel, Overload, as_array
from ...tree.scalar import Scalar
from .arithmetic import DIVISION_BY_ZERO, OUT_OF_RANGE

TOO_LARGE = "value overflows numeric format"
_INT64_LIMIT = 1 << 63


def _scales(args: tuple[Scalar, ...]) -> list[int | None]:
    return [numeric_scale(arg.type) for arg in args]


def widest_scale(args: tuple[Scalar, ...]) -> ScalarType:
    """The type of a sum: the larger scale, if both are known."""
    scales = _scales(args)
    if any(scale is None for scale in scales):
        return NUMERIC
    return derived_numeric(max(scale for scale in scales if scale is not None))


def _summed_scale(args: tuple[Scalar, ...]) -> ScalarType:
    scales = _scales(args)
    if any(scale is None for scale in scales):
        return NUMERIC
    return derived_numeric(sum(scale for scale in scales if scale is not None))


def same_scale(args: tuple[Scalar, ...]) -> ScalarType:
    return NUMERIC if (scale := numeric_scale(args[0].type)) is None else derived_numeric(scale)


def numeric_result(values: Ints, scale: int, valid: Mask | None, type_: ScalarType) -> Evaluated:
    """Object integers at `scale` as a column of `type_`; digits that the type cannot hold are an error."""
    values = values.astype(object, copy=False)
    target = storage_scale(type_)
    lost: Mask | None = None
    if target >= scale:
        values = values * int(10 ** (target - scale))
    else:
        divisor = int(10 ** (scale - target))
        quotient = values // divisor
        inexact = (quotient * divisor != values).astype(np.bool_)
        if inexact.any():
            lost = inexact if valid is None else inexact & valid
            quotient = np.where(inexact, 0, quotient)
            valid = both_valid(valid, ~inexact)
        values = quotient
    array, overflow = from_ints(values, valid, type_)
    if lost is None and overflow is None:
        return Evaluated(array)
    errors = [
        same_error(np.flatnonzero(mask), OUT_OF_RANGE, TOO_LARGE)
        for mask in (lost, overflow)
        if mask is not None
    ]
    return Evaluated(array, merge_errors(errors))


def _arrays(args: Sequence[Datum], info: CallInfo) -> list[pa.Array]:
    return [as_array(datum, info.length) for datum in args]


def _valid(arrays: Sequence[pa.Array]) -> Mask | None:
    valid: Mask | None = None
    for array in arrays:
        valid = both_valid(valid, validity(array))
    return valid


def _sum_kernel(sign: int) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        left, right = _arrays(args, info)
        scales = [storage_scale(type_) for type_ in info.types]
        scale = max(scales)
        valid = _valid((left, right))
        factors = [10 ** (scale - own) for own in scales]
        a, b = as_int64(left), as_int64(right)
        if (
            a is not None
            and b is not None
            and info.result.scale is not None
            and fits_int64(a, factors[0])
            and fits_int64(b, factors[1])
            and max(factors) < 1 << 62
        ):
            return Evaluated(
                from_int64(a * np.int64(factors[0]) + b * np.int64(sign * factors[1]), valid, info.result)
            )
        total = as_ints(left) * factors[0] + as_ints(right) * (sign * factors[1])
        return numeric_result(total, scale, valid, info.result)

    return kernel


def _multiply(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    left, right = _arrays(args, info)
    scale = sum(storage_scale(type_) for type_ in info.types)
    valid = _valid((left, right))
    a, b = as_int64(left), as_int64(right)
    if a is not None and b is not None and info.result.scale is not None and len(a):
        largest = max(abs(int(a.max())), abs(int(a.min()))) * max(abs(int(b.max())), abs(int(b.min())))
        if largest < _INT64_LIMIT:
            return Evaluated(from_int64(a * b, valid, info.result))
    return numeric_result(as_ints(left) * as_ints(right), scale, valid, info.result)


def _display_scale(values: Ints, type_: ScalarType) -> Ints:
    """Digits after the point of each value, as far as known: without trailing zeros for an open scale."""
    scale = numeric_scale(type_)
    if scale is not None:
        return np.full(len(values), scale, np.int64)
    return UNCONSTRAINED_SCALE - trailing_zeros(values)


def _leading(values: Ints, scale: int) -> tuple[Ints, Ints]:
    """(weight, first digit) of each value in base 10,000, as PostgreSQL stores a numeric; (0, 0) for zero."""
    magnitude = np.abs(values)
    exponent = digit_count(values) - 1 - scale
    weight = np.where(values == 0, 0, exponent // 4)
    shift = weight * 4 + scale
    up = POWERS[np.maximum(-shift, 0)]
    down = POWERS[np.maximum(shift, 0)]
    return weight, magnitude * up // down


def quotient_scale(a: Ints, b: Ints, types: tuple[ScalarType, ScalarType]) -> Ints:
    """int64[n]: digits after the point that PostgreSQL gives a / b (its select_div_scale)."""
    shown = np.maximum(_display_scale(a, types[0]), _display_scale(b, types[1]))
    return division_scale(a, storage_scale(types[0]), b, storage_scale(types[1]), shown)


def division_scale(a: Ints, scale_a: int, b: Ints, scale_b: int, shown: Ints) -> Ints:
    """As `quotient_scale`, of integers at these scales; `shown` int64[n] is how many digits they show."""
    weight_a, digit_a = _leading(a, scale_a)
    weight_b, digit_b = _leading(b, scale_b)
    weight = weight_a - weight_b - (digit_a <= digit_b)
    scale = np.maximum(16 - weight * 4, shown)
    chosen: Ints = np.maximum(scale, 0).astype(np.int64)
    return chosen


def _divide(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    left, right = _arrays(args, info)
    return divide(left, right, (info.types[0], info.types[1]))


def divide(left: pa.Array, right: pa.Array, types: tuple[ScalarType, ScalarType]) -> Evaluated:
    """numeric quotients (also of integers, as `avg` needs them), with PostgreSQL's digits, as NUMERIC."""
    valid = _valid((left, right))
    a, b = as_ints(left), as_ints(right)
    zero = (b == 0).astype(np.bool_)
    rows = np.flatnonzero(zero if valid is None else zero & valid)
    if zero.any():
        b = np.where(zero, 1, b)
        valid = both_valid(valid, ~zero)
    scale = quotient_scale(a, b, types)
    # a/10^s1 / (b/10^s2) at `scale` digits is a * 10^(scale + s2) / (b * 10^s1), rounded.
    quotient = divide_rounded(
        a * POWERS[scale + storage_scale(types[1])], b * int(10 ** storage_scale(types[0]))
    )
    widest = int(scale.max(initial=UNCONSTRAINED_SCALE))
    result = numeric_result(quotient * POWERS[widest - scale], widest, valid, NUMERIC)
    return Evaluated(
        result.values, merge_errors([same_error(rows, DIVISION_BY_ZERO, "division by zero"), result.errors])
    )


def _modulo(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    left, right = _arrays(args, info)
    scales = [storage_scale(type_) for type_ in info.types]
    scale = max(scales)
    valid = _valid((left, right))
    a, b = (rescale(as_ints(x), s, scale) for x, s in zip((left, right), scales, strict=True))
    zero = (b == 0).astype(np.bool_)
    rows = np.flatnonzero(zero if valid is None else zero & valid)
    if zero.any():
        b = np.where(zero, 1, b)
        valid = both_valid(valid, ~zero)
    remainder = np.abs(a) % np.abs(b)
    result = numeric_result(np.where(a < 0, -remainder, remainder), scale, valid, info.result)
    return Evaluated(
        result.values, merge_errors([same_error(rows, DIVISION_BY_ZERO, "division by zero"), result.errors])
    )


def _unary(change: Callable[[Ints], Ints]) -> Kernel:
    """A function of the integers themselves, at the scale that they have."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        array = as_array(args[0], info.length)
        small = as_int64(array)
        if small is not None and fits_int64(small, 1):
            return Evaluated(from_int64(change(small), validity(array), info.result))
        scale = storage_scale(info.types[0])
        return numeric_result(change(as_ints(array)), scale, validity(array), info.result)

    return kernel


def whole_type(args: tuple[Scalar, ...]) -> ScalarType:
    """The type of ceil, floor and sign: no digits after the point."""
    return derived_numeric(0) if numeric_scale(args[0].type) is not None else NUMERIC


def _whole(divide_by: Callable[[Ints, int], Ints]) -> Kernel:
    """A function from the integer at its scale s and 10^s to a whole number."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        array = as_array(args[0], info.length)
        power = int(10 ** storage_scale(info.types[0]))
        return numeric_result(divide_by(as_ints(array), power), 0, validity(array), info.result)

    return kernel


_BINARY = (NUMERIC, NUMERIC)

OVERLOADS: dict[str, list[Overload]] = {
    "add": [Overload(_BINARY, widest_scale, _sum_kernel(1), can_fail=True)],
    "subtract": [Overload(_BINARY, widest_scale, _sum_kernel(-1), can_fail=True)],
    "multiply": [Overload(_BINARY, _summed_scale, _multiply, can_fail=True)],
    "divide": [Overload(_BINARY, NUMERIC, _divide, can_fail=True)],
    "modulo": [Overload(_BINARY, widest_scale, _modulo, can_fail=True)],
    "negate": [Overload((NUMERIC,), same_scale, _unary(np.negative))],
    "plus": [Overload((NUMERIC,), same_scale, _unary(lambda values: values))],
    "abs": [Overload((NUMERIC,), same_scale, _unary(np.abs))],
    "sign": [
        Overload((NUMERIC,), whole_type, _whole(lambda v, power: np.where(v > 0, 1, np.where(v < 0, -1, 0))))
    ],
    "ceil": [Overload((NUMERIC,), whole_type, _whole(lambda v, power: -(-v // power)))],
    "floor": [Overload((NUMERIC,), whole_type, _whole(lambda v, power: v // power))],
}
