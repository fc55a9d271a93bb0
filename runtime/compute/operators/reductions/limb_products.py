"""Products and squares, exact, as limbs: what sums of squares are made of.

An integer is written in base 2^32, least significant limb first, and its sign apart.  A product of two of them is
their convolution with the carries resolved, so that every limb is in [0, 2^32) again and may be summed like any
other (see `limbs` for integers and numerics, `float_sum` for floats).

| square of                | limbs |
|--------------------------|-------|
| int2, int4, uint2, uint4 | 2     |
| int8, uint8              | 4     |
| decimal128               | 8     |
| decimal256               | 16    |

A double is m 2^(s - 1074) with m below 2^53, so a product of two is m m' 2^(s + s' - 2148): four limbs, moved by
up to 31 bits, which makes five.  No product is ever rounded and none over- or underflows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....repr import buffers
from ....repr.types import ScalarType
from .float_sum import Floats, Ints, Pieces, mantissas
from .limbs import Limbs, limb_count

Magnitudes = npt.NDArray[np.uint64]
"""uint64[limbs, n], every limb below 2^32, least significant first."""

_LOW = np.uint64(0xFFFF_FFFF)
_S32 = np.uint64(32)
_ONE = np.uint64(1)


def square_limbs(type_: ScalarType) -> int:
    """How many limbs the square of a value has."""
    return max(2, 2 * limb_count(type_))


def squares(column: pa.Array) -> Limbs:
    """int64[square_limbs, n]: the square of each value, at twice its scale; NULL is zero."""
    magnitudes = _magnitudes(column)
    valid = buffers.validity(column)
    if valid is not None:
        magnitudes[:, ~valid] = 0
    return _product(magnitudes, magnitudes).view(np.int64)


def product_pieces(left: Floats, right: Floats) -> Pieces:
    """left[i] * right[i] exactly, as pieces of weight 2^(32 limb - 2148) that are not zero.

    A product with a NaN or an infinity contributes nothing.
    """
    first, shift_first, negative_first = mantissas(left)
    second, shift_second, negative_second = mantissas(right)
    product = _product(_split(first), _split(second))
    shift = shift_first + shift_second
    limb, bit = shift >> np.int64(5), (shift & np.int64(31)).astype(np.uint64)
    moved: Magnitudes = np.zeros((len(product) + 1, len(left)), np.uint64)
    moved[:-1] = (product << bit) & _LOW
    moved[1:] |= product >> (_S32 - bit)
    values = moved.view(np.int64) * np.where(negative_first != negative_second, np.int64(-1), np.int64(1))
    at, rows = np.nonzero(values)
    return Pieces(rows, limb[rows] + at, values[at, rows])


def _split(mantissa: Ints) -> Magnitudes:
    words = mantissa.view(np.uint64)
    return np.stack((words & _LOW, words >> _S32))


def _magnitudes(column: pa.Array) -> Magnitudes:
    """The absolute values, in a new array."""
    if column.type.id not in buffers.DECIMAL_LIMBS:
        values = buffers.fixed(column)
        if values.dtype == np.uint64:
            words = values
        else:
            words = np.abs(values.astype(np.int64)).view(np.uint64)  # -2^63 is its own, and right as unsigned
        return np.stack((words & _LOW, words >> _S32)) if values.itemsize == 8 else words[None, :]
    words = buffers.limbs(column)
    out = np.ascontiguousarray(words.view(np.uint32).T.astype(np.uint64))
    negative = np.flatnonzero(words[:, -1].view(np.int64) < 0)
    if len(negative):
        turned = out[:, negative] ^ _LOW
        carry: npt.NDArray[np.uint64] = np.ones(len(negative), np.uint64)
        for row in turned:
            row += carry
            carry = row >> _S32
            row &= _LOW
        out[:, negative] = turned
    return out


def _product(left: Magnitudes, right: Magnitudes) -> Magnitudes:
    """The convolution; limbs that are zero throughout cost nothing."""
    width = max(2, len(left) + len(right))
    out: Magnitudes = np.zeros((width, left.shape[1]), np.uint64)
    used = [j for j in range(len(right)) if right[j].any()]
    for i in range(len(left)):
        if not left[i].any():
            continue
        for j in used:
            product = left[i] * right[j]
            out[i + j] += product & _LOW
            out[i + j + 1] += product >> _S32
    for i in range(width - 1):
        out[i + 1] += out[i] >> _S32
        out[i] &= _LOW
    return out
