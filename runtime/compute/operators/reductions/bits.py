"""Counters of small classes: how many of a group's values have each bit set, or each number of digits.

A bit of the AND is set when all values have it, of the OR when any has, of the XOR when an odd number has.  And the
variance of a numeric without a scale shows twice the digits of the value that has most after the point.  Two counters
share a column of the accumulators, as its lower and its upper 32 bits: a count is below 2^30 (Reduce refuses
groups of more rows), so a sum never runs over, and a negative contribution borrows from the upper half exactly what it
gives back.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....expr.columns.decimals import as_ints, trailing_zeros
from ....repr import buffers
from ....repr.types import UNCONSTRAINED_SCALE, ScalarType
from .limbs import Limbs

Ints = npt.NDArray[np.int64]

BITS = frozenset(("bit_and", "bit_or", "bit_xor"))

_S32 = np.int64(32)
_ONE = np.int64(1)


def bit_columns(type_: ScalarType) -> int:
    """Columns of the accumulators that the bits of a value take."""
    return type_.typlen * 8 // 2


SCALE_COLUMNS = UNCONSTRAINED_SCALE // 2
"""Columns that the counts of digits after the point take."""


def scale_counts(column: pa.Array) -> Limbs:
    """int64[SCALE_COLUMNS, n]: what one occurrence of an unconstrained numeric adds.  Column i counts the values of
    2 i + 1 and of 2 i + 2 digits after the point, without zeros at the end; NULL has none."""
    digits = UNCONSTRAINED_SCALE - trailing_zeros(as_ints(column))
    digits[np.flatnonzero(np.asarray(column.is_null()))] = 0
    out = np.zeros((SCALE_COLUMNS, len(column)), np.int64)
    rows = np.flatnonzero(digits)
    place = digits[rows] - 1
    out[place // 2, rows] = _ONE << (_S32 * (place % 2))
    return out


def largest_scale(counts: Limbs) -> Ints:
    """The most digits after the point of any value of each group."""
    there = _counters(counts) > 0
    return np.where(there.any(axis=0), len(there) - np.argmax(there[::-1], axis=0), 0)


def _counters(counts: Limbs) -> Limbs:
    low = counts & np.int64(0xFFFF_FFFF)
    return np.stack((low, counts >> _S32), axis=1).reshape(-1, counts.shape[1])


def bit_counts(column: pa.Array) -> Limbs:
    """int64[bit_columns, n]: what one occurrence adds.  Column i counts bits 2 i and 2 i + 1; NULL has none."""
    values = buffers.fixed(column)
    width = values.itemsize * 8
    words = values.astype(np.int64)
    valid = buffers.validity(column)
    if valid is not None:
        words = np.where(valid, words, 0)
    places = np.arange(0, width, 2, dtype=np.int64)[:, None]
    return ((words >> places) & _ONE) + (((words >> (places + _ONE)) & _ONE) << _S32)


def bit_result(function: str, counts: Limbs, present: Ints, type_: ScalarType) -> pa.Array:
    """The aggregate of `present` values; NULL where there are none."""
    counters = _counters(counts)
    if function == "bit_and":
        bits = counters == present
    elif function == "bit_or":
        bits = counters > 0
    else:
        bits = (counters & _ONE) == 1
    weights = np.uint64(1) << np.arange(len(bits), dtype=np.uint64)
    words = (bits * weights[:, None]).sum(axis=0, dtype=np.uint64)
    values = words.astype(f"u{type_.typlen}").view(buffers.FIXED[type_.arrow.id])
    return pa.array(values, mask=present == 0)
