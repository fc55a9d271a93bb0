"""Mathematical functions: rounding, roots, powers, logarithms, trigonometry.

On floats they are the platform's (within an ulp of PostgreSQL's, which uses the same library).  Of numerics
rounding and square roots are here; `exp`, `ln`, `log` and `power` of them are in numeric_powers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.buffers import validity
from ....repr.types import FLOAT8, INT4, NUMERIC, ScalarType, derived_numeric
from ...coercion.type_rules import numeric_scale
from ...columns.arrays import numpy_values
from ...columns.decimals import POWERS, Ints, as_ints, divide_rounded, storage_scale
from ...columns.row_errors import Evaluated, Mask, merge_errors, same_error
from ...tree.function import CallInfo, Datum, Kernel, Overload, as_array
from ...tree.scalar import Literal, Scalar
from .arithmetic import float_result, rows_where
from .numeric import _display_scale, _leading, numeric_result, whole_type

Floats = npt.NDArray[np.float64]

INVALID_LOGARITHM = "2201E"
INVALID_POWER = "2201F"


# --- floats ----------------------------------------------------------------------------------------------------------


def _plain(compute: Callable[[Floats], Floats]) -> Kernel:
    """A function defined for every float, that neither over- nor underflows."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        array = as_array(args[0], info.length)
        with np.errstate(all="ignore"):
            values = compute(numpy_values(array))
        return float_result(
            values, (array,), FLOAT8, overflow=np.zeros(len(values), np.bool_), underflow=None
        ).values

    return kernel


def _scaled(compute: Callable[[Floats], Floats]) -> Kernel:
    """A multiplication by a constant, with overflow and underflow as errors."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        array = as_array(args[0], info.length)
        values = numpy_values(array)
        with np.errstate(all="ignore"):
            results = compute(values)
        overflow = np.isinf(results) & ~np.isinf(values)
        underflow = (results == 0) & (values != 0)
        return float_result(results, (array,), FLOAT8, overflow=overflow, underflow=underflow)

    return kernel


def _refuse(
    values: Evaluated, rows: Mask, arrays: Sequence[pa.Array], sqlstate: str, message: str
) -> Evaluated:
    """NULL and an error on those of `rows` where no argument is NULL; it comes before other errors."""
    failed = rows_where(rows, *arrays)
    if not len(failed):
        return values
    nulled = pc.if_else(pa.array(rows), pa.scalar(None, values.values.type), values.values)
    return Evaluated(nulled, merge_errors([same_error(failed, sqlstate, message), values.errors]))


def _sqrt(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    array = as_array(args[0], info.length)
    values = numpy_values(array)
    with np.errstate(all="ignore"):
        roots = np.sqrt(values)
    result = float_result(roots, (array,), FLOAT8, overflow=np.zeros(len(values), np.bool_), underflow=None)
    return _refuse(
        result, values < 0, (array,), INVALID_POWER, "cannot take square root of a negative number"
    )


def _exp(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    array = as_array(args[0], info.length)
    values = numpy_values(array)
    with np.errstate(all="ignore"):
        powers = np.exp(values)
    return float_result(
        powers,
        (array,),
        FLOAT8,
        overflow=np.isinf(powers) & ~np.isinf(values),
        underflow=(powers == 0) & ~np.isinf(values),
    )


def _logarithm(compute: Callable[[Floats], Floats]) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        array = as_array(args[0], info.length)
        values = numpy_values(array)
        with np.errstate(all="ignore"):
            logs = compute(values)
        none = np.zeros(len(values), np.bool_)
        result = float_result(logs, (array,), FLOAT8, overflow=none, underflow=None)
        result = _refuse(
            result, values < 0, (array,), INVALID_LOGARITHM, "cannot take logarithm of a negative number"
        )
        return _refuse(result, values == 0, (array,), INVALID_LOGARITHM, "cannot take logarithm of zero")

    return kernel


def _power(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    base, exponent = (as_array(datum, info.length) for datum in args)
    a, b = numpy_values(base), numpy_values(exponent)
    with np.errstate(all="ignore"):
        powers = np.power(a, b)
        whole = np.floor(b) == b
    finite = np.isfinite(a) & np.isfinite(b)
    zero_base = (a == 0) & (b < 0) & ~np.isnan(b)
    complex_root = (a < 0) & ~whole & np.isfinite(b)
    result = float_result(
        powers,
        (base, exponent),
        FLOAT8,
        overflow=np.isinf(powers) & finite & ~zero_base,
        underflow=(powers == 0) & finite & (a != 0),
    )
    result = _refuse(
        result,
        complex_root,
        (base, exponent),
        INVALID_POWER,
        "a negative number raised to a non-integer power yields a complex result",
    )
    return _refuse(
        result, zero_base, (base, exponent), INVALID_POWER, "zero raised to a negative power is undefined"
    )


def _bounded(compute: Callable[[Floats], Floats], outside: Callable[[Floats], Mask]) -> Kernel:
    """A function that fails with `input is out of range` on the arguments that `outside` names."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        array = as_array(args[0], info.length)
        values = numpy_values(array)
        with np.errstate(all="ignore"):
            results = compute(values)
        none = np.zeros(len(values), np.bool_)
        result = float_result(results, (array,), FLOAT8, overflow=none, underflow=None)
        return _refuse(result, outside(values), (array,), "22003", "input is out of range")

    return kernel


def _sign_float(values: Floats) -> Floats:
    return np.where(values > 0, 1.0, np.where(values < 0, -1.0, 0.0))


# --- rounding of numeric ---------------------------------------------------------------------------------------------


def _wanted_digits(args: Sequence[Datum], info: CallInfo) -> npt.NDArray[np.int64]:
    """round's and trunc's second argument, within what a numeric can have."""
    if len(args) == 1:
        return np.zeros(info.length, np.int64)
    digits: npt.NDArray[np.int64] = numpy_values(as_array(args[1], info.length)).astype(np.int64)
    return np.clip(digits, -NUMERIC_DIGITS, NUMERIC_DIGITS)


NUMERIC_DIGITS = 80


def _to_digits(nearest: bool) -> Kernel:
    """round (half away from zero) or trunc (towards zero) to so many digits after the point."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        array = as_array(args[0], info.length)
        scale = storage_scale(info.types[0])
        values = as_ints(array)
        digits = _wanted_digits(args, info)
        dropped = np.maximum(scale - digits, 0)
        divisor = POWERS[dropped]
        if nearest:
            quotient = divide_rounded(values, divisor)
        else:
            quotient = np.abs(values) // divisor
            quotient = np.where(values < 0, -quotient, quotient)
        valid = validity(array)
        if len(args) == 2 and isinstance(args[1], pa.Array) and (other := validity(args[1])) is not None:
            valid = other if valid is None else valid & other
        exact = quotient * divisor
        target = info.result.scale
        if target is not None and target < scale:
            return numeric_result(exact // int(10 ** (scale - target)), target, valid, info.result)
        return numeric_result(exact, scale, valid, info.result)

    return kernel


def _digits_type(args: tuple[Scalar, ...]) -> ScalarType:
    """A constant number of digits is the scale of the result; a varying one leaves it open."""
    if numeric_scale(args[0].type) is None or not isinstance(args[1], Literal) or args[1].value is None:
        return NUMERIC
    return derived_numeric(max(0, args[1].value))


def _sqrt_numeric(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The root at PostgreSQL's number of digits: at least 16 significant ones, and those of the argument."""
    array = as_array(args[0], info.length)
    scale = storage_scale(info.types[0])
    values = as_ints(array)
    negative = (values < 0).astype(np.bool_)
    weight, _ = _leading(values, scale)
    significant = (weight + 1) * 2 - 1
    shown = _display_scale(values, info.types[0])
    digits = np.clip(np.maximum(16 - significant, shown), 0, NUMERIC_DIGITS).astype(np.int64)
    roots = rounded_roots(np.where(negative, 0, values), scale, digits)
    widest = int(digits.max(initial=0))
    valid = validity(array)
    result = numeric_result(roots * POWERS[widest - digits], widest, valid, NUMERIC)
    return _refuse(result, negative, (array,), INVALID_POWER, "cannot take square root of a negative number")


def rounded_roots(values: Ints, scale: int, digits: npt.NDArray[np.int64]) -> Ints:
    """sqrt(v / 10^scale) at so many digits, rounded half up; exact, by integer roots.

    The root is cut off at one digit more, or where the radicand is whole: rounding what is left of it up from a
    half is rounding the true root.
    """
    finer = np.maximum(digits + 1, (scale + 1) // 2)
    radicand = values * POWERS[2 * finer - scale]
    floors = np.array([math.isqrt(int(v)) for v in radicand], dtype=object)
    return divide_rounded(floors, POWERS[finer - digits])


_ONE = (FLOAT8,)


def _float(compute: Callable[[Floats], Floats]) -> Overload:
    return Overload(_ONE, FLOAT8, _plain(compute))


def _is_infinite(values: Floats) -> Mask:
    return np.isinf(values)


def _beyond_one(values: Floats) -> Mask:
    return np.abs(values) > 1


OVERLOADS: dict[str, list[Overload]] = {
    "ceil": [_float(np.ceil)],
    "floor": [_float(np.floor)],
    "sign": [_float(_sign_float)],
    "round": [
        _float(np.rint),
        Overload((NUMERIC,), whole_type, _to_digits(True), can_fail=True),
        Overload((NUMERIC, INT4), _digits_type, _to_digits(True), can_fail=True),
    ],
    "trunc": [
        _float(np.trunc),
        Overload((NUMERIC,), whole_type, _to_digits(False)),
        Overload((NUMERIC, INT4), _digits_type, _to_digits(False)),
    ],
    "sqrt": [
        Overload(_ONE, FLOAT8, _sqrt, can_fail=True),
        Overload((NUMERIC,), NUMERIC, _sqrt_numeric, can_fail=True),
    ],
    "square_root": [Overload(_ONE, FLOAT8, _sqrt, can_fail=True)],  # of the operator
    "cbrt": [_float(np.cbrt)],
    "exp": [Overload(_ONE, FLOAT8, _exp, can_fail=True)],
    "ln": [
        Overload(_ONE, FLOAT8, _logarithm(np.log), can_fail=True),
    ],
    **{
        name: [
            Overload(_ONE, FLOAT8, _logarithm(np.log10), can_fail=True),
        ]
        for name in ("log", "log10")
    },
    "power": [
        Overload((FLOAT8, FLOAT8), FLOAT8, _power, can_fail=True),
    ],
    "degrees": [Overload(_ONE, FLOAT8, _scaled(np.degrees), can_fail=True)],
    "radians": [Overload(_ONE, FLOAT8, _scaled(np.radians), can_fail=True)],
    "atan": [_float(np.arctan)],
    **{
        name: [Overload(_ONE, FLOAT8, _bounded(compute, _is_infinite), can_fail=True)]
        for name, compute in (("sin", np.sin), ("cos", np.cos), ("tan", np.tan))
    },
    **{
        name: [Overload(_ONE, FLOAT8, _bounded(compute, _beyond_one), can_fail=True)]
        for name, compute in (("asin", np.arcsin), ("acos", np.arccos))
    },
}
