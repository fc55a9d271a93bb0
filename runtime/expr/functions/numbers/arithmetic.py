"""Arithmetic on integers and floats: + - * / % and sign change, with overflow as an error of its row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.buffers import validity
from ....repr.types import FLOAT4, FLOAT8, INT2, INT4, INT8, UINT2, UINT4, UINT8, ScalarType
from ...columns.arrays import array_of_numpy, both_valid, numpy_values
from ...columns.row_errors import Evaluated, Mask, merge_errors, same_error
from ...tree.function import CallInfo, Datum, Kernel, Overload, as_array

Numbers = npt.NDArray[Any]

OUT_OF_RANGE = "22003"
DIVISION_BY_ZERO = "22012"
_CHECKED = {"add": pc.add_checked, "subtract": pc.subtract_checked, "multiply": pc.multiply_checked}
_EXACT: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
}


def rows_where(mask: Mask, *args: pa.Array) -> npt.NDArray[np.int64]:
    """Rows of the mask on which no argument is NULL."""
    for array in args:
        valid = validity(array)
        if valid is not None:
            mask = mask & valid
    return np.flatnonzero(mask)


def _as(datum: Datum, arrow: pa.DataType) -> Datum:
    return datum if datum.type == arrow else datum.cast(arrow)


def _integer_kernel(name: str) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array | Evaluated:
        left, right = (_as(datum, info.result.arrow) for datum in args)
        try:
            return _CHECKED[name](left, right)
        except pa.ArrowInvalid:
            return _with_overflow(
                name, as_array(left, info.length), as_array(right, info.length), info.result
            )

    return kernel


def _with_overflow(name: str, left: pa.Array, right: pa.Array, type_: ScalarType) -> Evaluated:
    """The same in unbounded integers, with an error on each row that does not fit."""
    exact = _EXACT[name](numpy_values(left).astype(object), numpy_values(right).astype(object))
    info = np.iinfo(numpy_values(left).dtype)
    wrong = ((exact < int(info.min)) | (exact > int(info.max))).astype(np.bool_)
    return _integers(np.where(wrong, 0, exact).astype(info.dtype), wrong, left, right, type_)


def _integers(values: Numbers, wrong: Mask, left: pa.Array, right: pa.Array, type_: ScalarType) -> Evaluated:
    rows = rows_where(wrong, left, right)
    valid = both_valid(validity(left), validity(right))
    if len(rows):
        valid = both_valid(valid, ~wrong)
    return Evaluated(
        array_of_numpy(values, valid, type_.arrow), same_error(rows, OUT_OF_RANGE, f"{type_} out of range")
    )


def _divide_integers(args: Sequence[Datum], info: CallInfo) -> pa.Array | Evaluated:
    """Towards zero."""
    left, right = (as_array(_as(datum, info.result.arrow), info.length) for datum in args)
    try:
        return pc.divide_checked(left, right)
    except pa.ArrowInvalid:
        pass
    a, b = numpy_values(left), numpy_values(right)
    zero = b == 0
    overflow = (a == np.iinfo(a.dtype).min) & (b == -1)
    good = ~(zero | overflow)
    safe = pc.if_else(pa.array(good), right, pa.scalar(1, right.type))
    valid = both_valid(both_valid(validity(left), validity(right)), good)
    values = pc.if_else(pa.array(valid), pc.divide(left, safe), pa.scalar(None, left.type))
    errors = merge_errors(
        [
            same_error(rows_where(zero, left, right), DIVISION_BY_ZERO, "division by zero"),
            same_error(rows_where(overflow, left, right), OUT_OF_RANGE, f"{info.result} out of range"),
        ]
    )
    return Evaluated(values, errors)


def _modulo_integers(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The remainder, with the dividend's sign."""
    left, right = (as_array(_as(datum, info.result.arrow), info.length) for datum in args)
    a, b = numpy_values(left), numpy_values(right)
    zero = b == 0
    valid = both_valid(validity(left), validity(right))
    rows = rows_where(zero, left, right)
    if len(rows):
        valid = both_valid(valid, ~zero)
    # x % -1 is 0, without asking the processor to divide the smallest integer by -1.
    values = np.where(b == -1, 0, np.fmod(a, np.where(zero | (b == -1), 1, b))).astype(a.dtype)
    return Evaluated(
        array_of_numpy(values, valid, info.result.arrow),
        same_error(rows, DIVISION_BY_ZERO, "division by zero"),
    )


def _negate_integer(args: Sequence[Datum], info: CallInfo) -> pa.Array | Evaluated:
    return _signed(args[0], info, pc.negate_checked, np.negative)


def _abs_integer(args: Sequence[Datum], info: CallInfo) -> pa.Array | Evaluated:
    return _signed(args[0], info, pc.abs_checked, np.abs)


def _signed(
    datum: pa.Array, info: CallInfo, checked: Callable[[Any], Any], exact: Callable[[Numbers], Numbers]
) -> pa.Array | Evaluated:
    try:
        return checked(datum)
    except pa.ArrowInvalid:
        values = numpy_values(datum)
        smallest = values == np.iinfo(values.dtype).min
        result = exact(np.where(smallest, 0, values).astype(values.dtype))
        return _integers(result, smallest, datum, datum, info.result)


# --- floats ----------------------------------------------------------------------------------------------------------


def float_result(
    values: Numbers, args: Sequence[pa.Array], type_: ScalarType, *, overflow: Mask, underflow: Mask | None
) -> Evaluated:
    """Floats, with an error where a finite computation overflowed to infinity or underflowed to zero."""
    over = rows_where(overflow, *args)
    under = rows_where(underflow, *args) if underflow is not None else np.empty(0, np.int64)
    valid: Mask | None = None
    for array in args:
        valid = both_valid(valid, validity(array))
    if len(over) or len(under):
        bad = overflow if underflow is None else overflow | underflow
        valid = both_valid(valid, ~bad)
    errors = merge_errors(
        [
            same_error(over, OUT_OF_RANGE, "value out of range: overflow"),
            same_error(under, OUT_OF_RANGE, "value out of range: underflow"),
        ]
    )
    return Evaluated(array_of_numpy(values, valid, type_.arrow), errors)


def _float_kernel(name: str) -> Kernel:
    compute = _EXACT[name]

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        left, right = (as_array(_as(datum, info.result.arrow), info.length) for datum in args)
        a, b = numpy_values(left), numpy_values(right)
        with np.errstate(all="ignore"):
            values = compute(a, b)
        overflow = np.isinf(values) & ~np.isinf(a) & ~np.isinf(b)
        underflow = (values == 0) & (a != 0) & (b != 0) if name == "multiply" else None
        return float_result(values, (left, right), info.result, overflow=overflow, underflow=underflow)

    return kernel


def _divide_floats(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    left, right = (as_array(_as(datum, info.result.arrow), info.length) for datum in args)
    a, b = numpy_values(left), numpy_values(right)
    zero = (b == 0) & ~np.isnan(a)
    with np.errstate(all="ignore"):
        values = a / b
    overflow = np.isinf(values) & ~np.isinf(a) & ~zero
    underflow = (values == 0) & (a != 0) & ~np.isinf(b) & ~zero
    result = float_result(values, (left, right), info.result, overflow=overflow, underflow=underflow)
    rows = rows_where(zero, left, right)
    if not len(rows):
        return result
    zeros = same_error(rows, DIVISION_BY_ZERO, "division by zero")
    nulled = pc.if_else(pa.array(zero), pa.scalar(None, info.result.arrow), result.values)
    return Evaluated(nulled, merge_errors([zeros, result.errors]))


def _plain(function: Callable[[Any], Any]) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        return function(args[0])

    return kernel


def _unchanged(datum: Datum) -> Datum:
    return datum


_INTEGER_PAIRS = [
    ((left, right), max(left, right, key=lambda t: (INT2, INT4, INT8).index(t)))
    for left in (INT2, INT4, INT8)
    for right in (INT2, INT4, INT8)
]
_UNSIGNED_PAIRS = [((type_, type_), type_) for type_ in (UINT2, UINT4, UINT8)]
_FLOAT_PAIRS = [
    ((left, right), FLOAT4 if left == right == FLOAT4 else FLOAT8)
    for left in (FLOAT4, FLOAT8)
    for right in (FLOAT4, FLOAT8)
]


def _overloads(
    pairs: list[tuple[tuple[ScalarType, ScalarType], ScalarType]], kernel: Kernel
) -> list[Overload]:
    return [Overload(params, result, kernel, can_fail=True) for params, result in pairs]


OVERLOADS: dict[str, list[Overload]] = {
    **{
        name: _overloads(_INTEGER_PAIRS + _UNSIGNED_PAIRS, _integer_kernel(name))
        + _overloads(_FLOAT_PAIRS, _float_kernel(name))
        for name in _EXACT
    },
    "divide": _overloads(_INTEGER_PAIRS + _UNSIGNED_PAIRS, _divide_integers)
    + _overloads(_FLOAT_PAIRS, _divide_floats),
    "modulo": [
        Overload((t, t), t, _modulo_integers, can_fail=True) for t in (INT2, INT4, INT8, UINT2, UINT4, UINT8)
    ],
    "negate": [
        *(Overload((t,), t, _negate_integer, can_fail=True) for t in (INT2, INT4, INT8)),
        *(Overload((t,), t, _plain(pc.negate)) for t in (FLOAT4, FLOAT8)),
    ],
    "plus": [Overload((t,), t, _plain(_unchanged)) for t in (INT2, INT4, INT8, FLOAT4, FLOAT8)],
    "abs": [
        *(Overload((t,), t, _abs_integer, can_fail=True) for t in (INT2, INT4, INT8)),
        *(Overload((t,), t, _plain(pc.abs)) for t in (FLOAT4, FLOAT8)),
    ],
}
"""Overloads on integers and floats by function name; numeric and dates add theirs (see the catalog)."""

SIGNS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "modulo": "%",
    "negate": "-",
    "plus": "+",
    "square_root": "|/",
}
