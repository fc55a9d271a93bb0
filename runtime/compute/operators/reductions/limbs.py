"""Exact sums of integers and numerics, as limbs.

A value is written in base 2^32: limb i weighs 2^(32 i), all limbs but the last are in [0, 2^32), the last is signed.
Limbs of different values are added independently in int64, so a column of sums is additive (a retraction subtracts)
and does not wrap before 2^31 occurrences per group.  Carries are resolved only when a result is read.

| type                     | limbs |
|--------------------------|-------|
| int2, int4, uint2, uint4 | 1     |
| int8, uint8              | 2     |
| decimal128               | 4     |
| decimal256               | 8     |
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....repr import buffers
from ....repr.types import Kind, ScalarType

Limbs = npt.NDArray[np.int64]
"""int64[limbs, n]: one row per limb, least significant first."""

_LOW = np.int64(0xFFFF_FFFF)
_SHIFT = np.int64(32)


def limb_count(type_: ScalarType) -> int:
    if type_.kind is Kind.NUMERIC:
        return 8 if type_.scale is None else 4
    return 2 if type_.kind in (Kind.INT8, Kind.UINT8) else 1


def to_limbs(column: pa.Array) -> Limbs:
    """One occurrence of each value; NULL is zero.  Of numbers that are small and not negative, which most are, the upper limbs
    are left out: all are zero."""
    if column.type.id in buffers.DECIMAL_LIMBS:
        words = buffers.limbs(column)
        low = words[:, 0].copy().view(np.int64)
        if len(low) and not words[:, 1:].any() and low.min() >= 0:
            out = low[None, :] if low.max() <= _LOW else np.stack((low & _LOW, low >> _SHIFT))
        else:
            out = np.ascontiguousarray(words.view(np.uint32).T.astype(np.int64))
            out[-1] = out[-1].astype(np.int32)  # the sign lives in the last limb
    else:
        values = buffers.fixed(column)
        wide = values.astype(np.int64)
        if values.dtype == np.uint64:
            out = np.stack((wide & _LOW, (values >> np.uint64(32)).astype(np.int64)))
        elif values.itemsize < 8 or (len(wide) and wide.min() >= 0 and wide.max() <= _LOW):
            out = wide[None, :]
        else:
            out = np.stack((wide & _LOW, wide >> _SHIFT))
    valid = buffers.validity(column)
    if valid is not None:
        out[:, ~valid] = 0
    return out


def int64_array(values: npt.NDArray[np.int64], valid: npt.NDArray[np.bool_]) -> pa.Array:
    return pa.array(values) if valid.all() else pa.array(values, mask=~valid)


def from_limbs(
    limbs: Limbs, type_: ScalarType, valid: npt.NDArray[np.bool_]
) -> tuple[pa.Array, npt.NDArray[np.bool_]]:
    """Sums as values of `type_` (INT8 or UINT8 from one limb, else a numeric of the summands' scale), NULL where not
    `valid`; and the mask of those that do not fit the type, which are NULL too."""
    if type_.kind is not Kind.NUMERIC:
        sums = int64_array(limbs[0], valid)
        return sums if type_.kind is Kind.INT8 else sums.view(type_.arrow), np.zeros(limbs.shape[1], np.bool_)
    digits = _resolve(limbs)
    words = 4 if type_.scale is None else 2
    values, overflow = _words(digits, words, 76 if words == 4 else 38)
    overflow &= valid
    valid = valid & ~overflow
    n = limbs.shape[1]
    buffer = pa.py_buffer(np.ascontiguousarray(values.T))
    bitmap = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(type_.arrow, n, [bitmap, buffer]), overflow


def _resolve(limbs: Limbs) -> Limbs:
    """The same sums with every limb but the last in [0, 2^32); two limbs longer, so that nothing is lost."""
    width, n = limbs.shape
    out = np.empty((width + 2, n), np.int64)
    carry: npt.NDArray[np.int64] = np.zeros(n, np.int64)
    for i in range(width):
        total = limbs[i] + carry
        out[i] = total & _LOW
        carry = total >> _SHIFT
    out[width] = carry & _LOW
    out[width + 1] = carry >> _SHIFT
    return out


def _words(digits: Limbs, count: int, precision: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """uint64[count, n], two's complement, and the mask of values of more than `precision` digits."""
    n = digits.shape[1]
    sign = digits[-1] >> np.int64(63)
    wide = np.empty((max(2 * count, len(digits)), n), np.int64)
    wide[: len(digits)] = digits
    wide[len(digits) :] = sign & _LOW
    overflow: npt.NDArray[np.bool_] = np.zeros(n, np.bool_)
    for extra in wide[2 * count :]:
        overflow |= (extra & _LOW) != (sign & _LOW)
    words = (wide[0 : 2 * count : 2] & _LOW).view(np.uint64) | (
        wide[1 : 2 * count : 2].view(np.uint64) << np.uint64(32)
    )
    overflow |= (words[-1].view(np.int64) < 0) != (sign < 0)
    bound = 10**precision
    overflow |= ~_less(words, bound) | ~_greater(words, -bound)
    return words, overflow


def _constant(value: int, count: int) -> tuple[list[np.uint64], np.int64]:
    raw = value.to_bytes(8 * count, "little", signed=True)
    return list(np.frombuffer(raw, np.uint64)), np.frombuffer(raw, np.int64)[-1]


def _less(words: npt.NDArray[np.uint64], value: int) -> npt.NDArray[np.bool_]:
    return _compare(words, value, less=True)


def _greater(words: npt.NDArray[np.uint64], value: int) -> npt.NDArray[np.bool_]:
    return _compare(words, value, less=False)


def _compare(words: npt.NDArray[np.uint64], value: int, *, less: bool) -> npt.NDArray[np.bool_]:
    """Strictly less (greater) than `value`, most significant word first."""
    constant, top = _constant(value, len(words))
    result: npt.NDArray[np.bool_] = np.zeros(words.shape[1], np.bool_)
    for i in range(len(words) - 1):
        beyond = words[i] < constant[i] if less else words[i] > constant[i]
        result = beyond | ((words[i] == constant[i]) & result)
    last = words[-1].view(np.int64)
    beyond = last < top if less else last > top
    decided: npt.NDArray[np.bool_] = beyond | ((last == top) & result)
    return decided
