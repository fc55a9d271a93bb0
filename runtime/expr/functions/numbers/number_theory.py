"""gcd, lcm, factorial, div, width_bucket, min_scale, trim_scale."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from ....repr.buffers import present, validity
from ....repr.types import FLOAT8, INT4, INT8, NUMERIC, Kind, ScalarType, array_of, derived_numeric
from ...coercion.literals import cast_to, coerce_unknown
from ...coercion.type_rules import common_type
from ...columns.arrays import both_valid
from ...columns.decimals import as_ints, storage_scale, trailing_zeros
from ...columns.lists import counts_of, element_codes, owners_of
from ...columns.row_errors import Evaluated, merge_errors, same_error
from ...datetimes.datetime_input import InputError
from ...tree.function import CallInfo, Datum, Function, Overload, as_array
from ...tree.scalar import Call, Scalar
from ..comparison.comparison_keys import order_keys
from ..containers.arrays import undefined
from ..rowwise import rowwise
from .arithmetic import DIVISION_BY_ZERO, OUT_OF_RANGE, rows_where
from .numeric import numeric_result, widest_scale


def _fitting(compute: Callable[[int, int], int], type_: ScalarType) -> Overload:
    bound = 1 << (31 if type_ == INT4 else 63)

    def one(left: int, right: int) -> int:
        value = compute(left, right)
        if value >= bound:
            raise InputError(OUT_OF_RANGE, f"{type_} out of range")
        return value

    return Overload((type_, type_), type_, rowwise(one), can_fail=True)


def _of_numerics(compute: Callable[[int, int], int]) -> Overload:
    """Over the integers that the numerics are at their larger scale."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        left, right = (as_array(datum, info.length) for datum in args)
        scales = [storage_scale(type_) for type_ in info.types]
        scale = max(scales)
        a, b = (as_ints(c) * int(10 ** (scale - s)) for c, s in zip((left, right), scales, strict=True))
        values = np.array([compute(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)], dtype=object)
        return numeric_result(values, scale, both_valid(validity(left), validity(right)), info.result)

    return Overload((NUMERIC, NUMERIC), widest_scale, kernel, can_fail=True)


def _factorial(value: int) -> Decimal:
    if value < 0:
        raise InputError(OUT_OF_RANGE, "factorial of a negative number is undefined")
    if value > 33:
        raise InputError(OUT_OF_RANGE, "value overflows numeric format")
    return Decimal(math.factorial(value))


def _div(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The quotient's whole part."""
    left, right = (as_array(datum, info.length) for datum in args)
    scales = [storage_scale(type_) for type_ in info.types]
    a, b = as_ints(left).astype(object), as_ints(right).astype(object)
    zero = (b == 0).astype(np.bool_)
    top, bottom = np.abs(a) * int(10 ** scales[1]), np.where(zero, 1, np.abs(b)) * int(10 ** scales[0])
    quotient = np.where((a < 0) != (b < 0), -(top // bottom), top // bottom)
    valid = both_valid(validity(left), validity(right))
    rows = rows_where(zero, left, right)
    if len(rows):
        valid = both_valid(valid, ~zero)
    result = numeric_result(quotient, 0, valid, info.result)
    errors = same_error(rows, DIVISION_BY_ZERO, "division by zero")
    return Evaluated(result.values, merge_errors([errors, result.errors]))


def _digits_kept(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """min_scale: how many digits after the point the value needs."""
    array = as_array(args[0], info.length)
    scale = storage_scale(info.types[0])
    values = as_ints(array)
    needed = np.where(values == 0, 0, np.maximum(scale - trailing_zeros(values), 0)).astype(np.int32)
    valid = validity(array)
    return pa.array(needed, mask=None if valid is None else ~valid)


def _trimmed(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The value as a numeric without a scale, which has no zeros at its end."""
    array = as_array(args[0], info.length)
    return numeric_result(as_ints(array), storage_scale(info.types[0]), validity(array), NUMERIC)


# --- width_bucket ------------------------------------------------------------------------------------------------------


def _bucket(operand: Any, low: Any, high: Any, count: int) -> int:
    if count <= 0:
        raise InputError("2201G", "count must be greater than zero")
    if isinstance(low, float):
        if math.isnan(operand) or math.isnan(low) or math.isnan(high):
            raise InputError("2201G", "operand, lower bound, and upper bound cannot be NaN")
        if math.isinf(low) or math.isinf(high):
            raise InputError("2201G", "lower and upper bounds must be finite")
    if low == high:
        raise InputError("2201G", "lower bound cannot equal upper bound")
    below, above = (operand < low, operand >= high) if low < high else (operand > low, operand <= high)
    if below:
        return 0
    if above:
        if count == 2147483647:
            raise InputError(OUT_OF_RANGE, "integer out of range")
        return count + 1
    if isinstance(low, Decimal):
        return 1  # the lower bound itself
    span = high - low
    share = (operand - low) / span if not math.isinf(span) else (operand / 2 - low / 2) / (high / 2 - low / 2)
    return min(int(count * share), count - 1) + 1


def _numeric_bucket(operand: Decimal, low: Decimal, high: Decimal, count: int) -> int:
    if count > 0 and low != high and min(low, high) < operand < max(low, high):
        return math.floor((Fraction(operand) - Fraction(low)) * count / (Fraction(high) - Fraction(low))) + 1
    return _bucket(operand, low, high, count)


def _thresholds(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """How many of a row's thresholds, which ascend, are at most its operand."""
    operands, lists = (as_array(datum, info.length) for datum in args)
    valid = present(operands) & present(lists)
    elements = lists.flatten()
    own, others = element_codes(
        *(as_array(order_keys(values, info.types[0]), len(values)) for values in (operands, elements))
    )
    ends = np.cumsum(counts_of(lists))
    starts = ends - counts_of(lists)
    holds_null = np.zeros(info.length, np.bool_)
    holds_null[owners_of(counts_of(lists))[~present(elements)]] = True
    wrong = np.flatnonzero(holds_null & valid)
    valid &= ~holds_null
    places = [
        bisect_right(others, code, low, high) - low if used else None
        for code, low, high, used in zip(own, starts.tolist(), ends.tolist(), valid.tolist(), strict=True)
    ]
    values = pa.array(places, pa.int32())
    return Evaluated(values, same_error(wrong, "22004", "thresholds array must not contain NULLs"))


_SCALARS = (
    Overload((FLOAT8, FLOAT8, FLOAT8, INT4), INT4, rowwise(_bucket), can_fail=True),
    Overload((NUMERIC, NUMERIC, NUMERIC, INT4), INT4, rowwise(_numeric_bucket), can_fail=True),
)


def _resolve_bucket(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    name = "width_bucket"
    if len(args) == 2:
        if unknown[1] or args[1].type.kind is not Kind.ARRAY or args[0].type.kind is Kind.ARRAY:
            raise undefined(name, args, unknown)
        type_ = common_type([None if unknown[0] else args[0].type, args[1].type.element], name)
        operand = coerce_unknown(args[0], type_) if unknown[0] else cast_to(args[0], type_)
        arrays = cast_to(args[1], array_of(type_))
        return Call(name, (operand, arrays), INT4, operand.nullable or arrays.nullable)
    if len(args) != 4:
        raise undefined(name, args, unknown)
    known = [arg.type for arg, flag in zip(args[:3], unknown[:3], strict=True) if not flag]
    if not all(type_.is_numeric_category for type_ in known) or not (unknown[3] or args[3].type.is_integer):
        raise undefined(name, args, unknown)
    exact = bool(known) and all(t.kind is Kind.NUMERIC for t in known)
    target = NUMERIC if exact else FLOAT8
    typed = [
        coerce_unknown(arg, type_) if flag else arg if type_ == NUMERIC else cast_to(arg, type_)
        for arg, flag, type_ in zip(args, unknown, (target, target, target, INT4), strict=True)
    ]
    return Call(name, tuple(typed), INT4, any(arg.nullable for arg in typed))


FUNCTIONS: tuple[Function, ...] = (
    Function("gcd", (_fitting(math.gcd, INT4), _fitting(math.gcd, INT8), _of_numerics(math.gcd))),
    Function("lcm", (_fitting(math.lcm, INT4), _fitting(math.lcm, INT8), _of_numerics(math.lcm))),
    Function("factorial", (Overload((INT8,), derived_numeric(0), rowwise(_factorial), can_fail=True),)),
    Function("div", (Overload((NUMERIC, NUMERIC), derived_numeric(0), _div, can_fail=True),)),
    Function("min_scale", (Overload((NUMERIC,), INT4, _digits_kept),)),
    Function("trim_scale", (Overload((NUMERIC,), NUMERIC, _trimmed, can_fail=True),)),
    Function(
        "width_bucket",
        (*_SCALARS, Overload(None, INT4, _thresholds, can_fail=True)),
        None,
        _resolve_bucket,
    ),
)
