"""Trigonometry beyond sin, cos and tan: in degrees (exact at 0, 30, 45, 60, 90 and their like), hyperbolic, erf, pi."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.buffers import validity
from ....repr.types import FLOAT8
from ...columns.arrays import array_of_numpy, both_valid, numpy_values
from ...columns.row_errors import Evaluated, Mask, same_error
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array
from .arithmetic import rows_where

Floats = npt.NDArray[np.float64]

_DEGREE = 0.0174532925199432957692
_SIN_30 = math.sin(30 * _DEGREE)
_ONE_MINUS_COS_60 = 1.0 - math.cos(60 * _DEGREE)
_ASIN_HALF = math.asin(0.5)
_ACOS_HALF = math.acos(0.5)
_ATAN_ONE = math.atan(1.0)


def _sine_quadrant(x: Floats) -> Floats:
    """The sine of 0 to 90 degrees."""
    small = np.sin(x * _DEGREE) / _SIN_30 / 2.0
    return np.where(x <= 30, small, _cosine_to_60(90.0 - x))


def _cosine_to_60(x: Floats) -> Floats:
    return 1.0 - ((1.0 - np.cos(x * _DEGREE)) / _ONE_MINUS_COS_60) / 2.0


def _cosine_quadrant(x: Floats) -> Floats:
    x2 = 90.0 - x
    return np.where(x <= 60, _cosine_to_60(x), np.sin(x2 * _DEGREE) / _SIN_30 / 2.0)


_TAN_45 = float((_sine_quadrant(np.array([45.0])) / _cosine_quadrant(np.array([45.0])))[0])
_COT_45 = float((_cosine_quadrant(np.array([45.0])) / _sine_quadrant(np.array([45.0])))[0])


def _reduced(x: Floats) -> tuple[Floats, Floats, Floats]:
    """The angle within 0 to 90 degrees; the signs of its sine and its cosine."""
    angle = np.fmod(x, 360.0)
    sine = np.where(angle < 0, -1.0, 1.0)
    angle = np.abs(angle)
    beyond = angle > 180
    sine = np.where(beyond, -sine, sine)
    angle = np.where(beyond, 360.0 - angle, angle)
    cosine = np.where(angle > 90, -1.0, 1.0)
    return np.where(angle > 90, 180.0 - angle, angle), sine, cosine


def _sind(x: Floats) -> Floats:
    angle, sine, _ = _reduced(x)
    return sine * _sine_quadrant(angle)


def _cosd(x: Floats) -> Floats:
    angle, _, cosine = _reduced(x)
    return cosine * _cosine_quadrant(angle)


def _tand(x: Floats) -> Floats:
    angle, sine, cosine = _reduced(x)
    result = sine * cosine * (_sine_quadrant(angle) / _cosine_quadrant(angle) / _TAN_45)
    return np.where(result == 0, 0.0, result)


def _cotd(x: Floats) -> Floats:
    angle, sine, cosine = _reduced(x)
    result = sine * cosine * (_cosine_quadrant(angle) / _sine_quadrant(angle) / _COT_45)
    result = np.where((x == 0) & np.signbit(x), -np.inf, result)
    return np.where(result == 0, 0.0, result)


def _asind_quadrant(x: Floats) -> Floats:
    return np.where(x <= 0.5, np.arcsin(x) / _ASIN_HALF * 30.0, 90.0 - np.arccos(x) / _ACOS_HALF * 60.0)


def _asind(x: Floats) -> Floats:
    return np.where(x >= 0, 1.0, -1.0) * _asind_quadrant(np.abs(x))


def _acosd(x: Floats) -> Floats:
    quadrant = np.where(x <= 0.5, 90.0 - np.arcsin(x) / _ASIN_HALF * 30.0, np.arccos(x) / _ACOS_HALF * 60.0)
    return np.where(x >= 0, quadrant, 90.0 + _asind_quadrant(-x))


def _atand(x: Floats) -> Floats:
    return np.arctan(x) / _ATAN_ONE * 45.0


def _atan2d(y: Floats, x: Floats) -> Floats:
    return np.arctan2(y, x) / _ATAN_ONE * 45.0


def _cot(x: Floats) -> Floats:
    return 1.0 / np.tan(x)


def _elementwise(one: Callable[[float], float]) -> Callable[[Floats], Floats]:
    def compute(x: Floats) -> Floats:
        return np.array([one(value) for value in x.tolist()], np.float64)

    return compute


def _kernel(compute: Callable[..., Any], outside: Callable[[Floats], Mask] | None) -> Kernel:
    """Rows of which `outside` is true have no answer."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        arrays = [as_array(datum, info.length) for datum in args]
        valid = validity(arrays[0])
        for other in arrays[1:]:
            valid = both_valid(valid, validity(other))
        values = [numpy_values(array) for array in arrays]
        if valid is not None:
            values = [np.where(valid, value, 0.5) for value in values]
        with np.errstate(all="ignore"):
            wrong = np.zeros(info.length, np.bool_) if outside is None else outside(values[0])
            results = compute(*values)
        rows = rows_where(wrong, *arrays)
        result = array_of_numpy(results, valid, FLOAT8.arrow)
        if not len(rows):
            return Evaluated(result)
        nulled = pc.if_else(pa.array(wrong), pa.scalar(None, pa.float64()), result)
        return Evaluated(nulled, same_error(rows, "22003", "input is out of range"))

    return kernel


def _pi(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return pa.repeat(pa.scalar(math.pi), info.length)


def _function(
    name: str, compute: Callable[..., Any], outside: Callable[[Floats], Mask] | None = None, arity: int = 1
) -> Function:
    overload = Overload((FLOAT8,) * arity, FLOAT8, _kernel(compute, outside), can_fail=outside is not None)
    return Function(name, (overload,))


def _infinite(x: Floats) -> Mask:
    return np.isinf(x)


def _beyond_one(x: Floats) -> Mask:
    return np.abs(x) > 1


def _below_one(x: Floats) -> Mask:
    return x < 1


FUNCTIONS: tuple[Function, ...] = (
    _function("sind", _sind, _infinite),
    _function("cosd", _cosd, _infinite),
    _function("tand", _tand, _infinite),
    _function("cotd", _cotd, _infinite),
    _function("asind", _asind, _beyond_one),
    _function("acosd", _acosd, _beyond_one),
    _function("atand", _atand),
    _function("atan2", np.arctan2, arity=2),
    _function("atan2d", _atan2d, arity=2),
    _function("cot", _cot, _infinite),
    _function("sinh", np.sinh),
    _function("cosh", np.cosh),
    _function("tanh", np.tanh),
    _function("asinh", np.arcsinh),
    _function("acosh", np.arccosh, _below_one),
    _function("atanh", np.arctanh, _beyond_one),
    _function("erf", _elementwise(math.erf)),
    _function("erfc", _elementwise(math.erfc)),
    Function("pi", (Overload((), FLOAT8, _pi),)),
)
