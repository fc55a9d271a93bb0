"""Numeric columns as integers at a known scale, which is how exact arithmetic is done on them.

A decimal column of scale s holds the integer v for the value v / 10^s.  `as_int64` gives those integers when all
fit in 64 bits, which is the fast path; `as_ints` gives them as Python integers in an object array, of any size.
Results go back through `from_int64` and `from_ints`; what does not fit the type is reported, never wrapped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...repr.buffers import validity
from ...repr.types import NUMERIC_MAX_PRECISION, UNCONSTRAINED_SCALE, ScalarType
from .arrays import numpy_values
from .row_errors import Mask

Ints = npt.NDArray[Any]
"""Object array of Python integers, or int64."""

POWERS = np.array([10**i for i in range(170)], dtype=object)
_WORD = 1 << 64
_INT64_LIMIT = 1 << 63


def storage_scale(type_: ScalarType) -> int:
    """The scale at which a column of a number type is held."""
    if type_.is_integer:
        return 0
    return UNCONSTRAINED_SCALE if type_.scale is None else type_.scale


def limit_of(type_: ScalarType) -> int:
    """Values of a numeric type are below this, as integers at its storage scale."""
    if type_.scale is None:
        return int(10 ** (NUMERIC_MAX_PRECISION + UNCONSTRAINED_SCALE))
    return int(10 ** (type_.precision if type_.precision is not None else NUMERIC_MAX_PRECISION))


def words_of(array: pa.Array) -> npt.NDArray[np.int64]:
    """int64[n, width]: the words of a decimal (or integer of 64 bits) array, the least one first; of NULL anything."""
    width = array.type.byte_width // 8
    data = array.buffers()[1]
    if data is None or not len(array):
        return np.zeros((len(array), width), np.int64)
    flat = np.frombuffer(data, np.int64, len(array) * width, array.offset * width * 8)
    return flat.reshape(-1, width)


def as_int64(array: pa.Array) -> npt.NDArray[np.int64] | None:
    """The integers of a decimal (or integer) array when all fit in 64 bits, with 0 for NULL; else None."""
    valid = validity(array)
    if pa.types.is_integer(array.type):
        values = numpy_values(array)
        if valid is not None:
            values = np.where(valid, values, values.dtype.type(0))
        if values.dtype == np.uint64 and len(values) and int(values.max()) >= _INT64_LIMIT:
            return None
        return values.astype(np.int64, copy=False)
    words = words_of(array)
    low = words[:, 0]
    sign = low >> 63
    fits = (words[:, 1:] == sign[:, None]).all(axis=1)
    if valid is not None:
        fits |= ~valid
        low = np.where(valid, low, 0)
    return np.ascontiguousarray(low) if fits.all() else None


def as_ints(array: pa.Array) -> Ints:
    """The integers of a decimal (or integer) array as an object array, with 0 for NULL."""
    small = as_int64(array)
    if small is not None:
        return small.astype(object)
    words = words_of(array)
    # The top word has the sign, but of an unsigned integer.
    top = words[:, -1]
    value = (top.view(np.uint64) if pa.types.is_uint64(array.type) else top).astype(object)
    for i in range(words.shape[1] - 2, -1, -1):
        value = value * _WORD + words[:, i].view(np.uint64).astype(object)
    valid = validity(array)
    return value if valid is None else np.where(valid, value, 0)


def _decimal_array(words: npt.NDArray[np.int64], valid: Mask | None, type_: pa.DataType) -> pa.Array:
    bitmap = None if valid is None else pa.array(valid).buffers()[1]
    return pa.Array.from_buffers(type_, len(words), [bitmap, pa.py_buffer(np.ascontiguousarray(words))])


def from_int64(values: npt.NDArray[np.int64], valid: Mask | None, type_: ScalarType) -> pa.Array:
    """A decimal array of `type_` from integers at its storage scale, which must be within its limit."""
    arrow = type_.arrow
    words = np.empty((len(values), arrow.byte_width // 8), np.int64)
    words[:, 0] = values
    words[:, 1:] = (values >> 63)[:, None]
    return _decimal_array(words, valid, arrow)


def from_ints(values: Ints, valid: Mask | None, type_: ScalarType) -> tuple[pa.Array, Mask | None]:
    """A decimal array from integers at the storage scale of `type_`, and the rows beyond its limit, if any."""
    overflow: Mask | None = None
    limit = limit_of(type_)
    magnitude = np.abs(values)
    if len(values) and int(magnitude.max()) >= limit:
        overflow = (magnitude >= limit).astype(np.bool_)
        if valid is not None:
            overflow &= valid
        values = np.where(overflow, 0, values)
        valid = ~overflow if valid is None else valid & ~overflow
    arrow = type_.arrow
    words = np.empty((len(values), arrow.byte_width // 8), np.int64)
    rest = values.astype(object)
    for i in range(words.shape[1]):
        words[:, i] = (rest % _WORD).astype(np.uint64).view(np.int64)
        rest = rest // _WORD
    return _decimal_array(words, valid, arrow), overflow


def fits_int64(values: npt.NDArray[np.int64], factor: int) -> bool:
    """Whether every value times `factor` fits in 62 bits, so that one addition cannot overflow."""
    if not len(values):
        return True
    largest = max(abs(int(values.max())), abs(int(values.min())))
    return largest * factor < _INT64_LIMIT // 2


def divide_rounded(numerator: Ints, denominator: Ints) -> Ints:
    """Quotients of integers, rounded half away from zero; denominators are not 0."""
    top, bottom = np.abs(numerator), np.abs(denominator)
    quotient = top // bottom
    quotient = quotient + ((top - quotient * bottom) * 2 >= bottom)
    rounded: Ints = np.where((numerator < 0) != (denominator < 0), -quotient, quotient)
    return rounded


def rescale(values: Ints, scale: int, target: int) -> Ints:
    """Object integers at `scale` brought to scale `target`, rounded half away from zero."""
    if target >= scale:
        return values * int(10 ** (target - scale))
    return divide_rounded(values, np.full(len(values), int(10 ** (scale - target)), dtype=object))


def digit_count(values: Ints) -> npt.NDArray[np.int64]:
    """How many decimal digits each |value| has; 0 has none."""
    return np.searchsorted(POWERS, np.abs(values), side="right").astype(np.int64)


def trailing_zeros(values: Ints) -> npt.NDArray[np.int64]:
    """How many of the last 38 digits of each value are zeros at its end."""
    count = np.zeros(len(values), np.int64)
    rest = values
    for step in (32, 16, 8, 4, 2, 1):
        power = int(10**step)
        divisible = (rest % power == 0).astype(np.bool_)
        rest = np.where(divisible, rest // power, rest)
        count += np.where(divisible, step, 0)
    return np.minimum(count, UNCONSTRAINED_SCALE)
