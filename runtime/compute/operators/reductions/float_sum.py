"""Exact sums of floats: a fixed-point number wide enough for every double, kept sparsely.

Every finite double is an integer times 2^-1074.  In base 2^32 that integer has at most three limbs that are not
zero, so a value is three pairs (limb, int64) and a sum is a column of int64 per limb that occurs.  Adding and taking
away are exact and commute, so a sum is a function of the multiset alone, and 1e300 + 1 - 1e300 is 1.  The result is
rounded once, to nearest even.  NaN and the infinities have counters of their own (see `accumulators`).

(The idea is Kulisch's long accumulator; the sparse limbs are Neal's "superaccumulator", arXiv:1505.05571.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LIMBS = 68
"""Limbs of the widest double, with room for carries."""

UNIT = -1074
"""The lowest limb of a sum of doubles weighs 2^UNIT; that of a sum of products of two, 2^(2 UNIT)."""

_LOW = np.int64(0xFFFF_FFFF)
_S32 = np.int64(32)


@dataclass(frozen=True, slots=True)
class Pieces:
    """`rows[i]` contributes `values[i]` at limb `limbs[i]`; int64[k] each."""

    rows: Ints
    limbs: Ints
    values: Ints


def mantissas(values: Floats) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """(m, s, negative) of each value, which is +-m 2^(s - 1074); m is 0 for NaN and infinities."""
    bits = np.ascontiguousarray(values).view(np.int64)
    exponent = (bits >> np.int64(52)) & np.int64(0x7FF)
    mantissa = bits & np.int64((1 << 52) - 1)
    mantissa = np.where(exponent > 0, mantissa | np.int64(1 << 52), mantissa)
    mantissa[exponent == 0x7FF] = 0
    return mantissa, np.maximum(exponent, 1) - 1, bits < 0


def pieces(values: Floats) -> Pieces:
    """One occurrence of each value, as pieces that are not zero.  NaN and infinities contribute nothing."""
    mantissa, shift, negative = mantissas(values)
    limb, bit = shift >> np.int64(5), shift & np.int64(31)
    low = (mantissa & _LOW) << bit  # below 2^63
    high = (mantissa >> _S32) << bit  # below 2^52
    middle = (low >> _S32) + (high & _LOW)
    sign = np.where(negative, np.int64(-1), np.int64(1))
    parts = np.concatenate(((low & _LOW) * sign, middle * sign, (high >> _S32) * sign))
    limbs = np.concatenate((limb, limb + 1, limb + 2))
    rows = np.tile(np.arange(len(values), dtype=np.int64), 3)
    keep = np.flatnonzero(parts)
    return Pieces(rows[keep], limbs[keep], parts[keep])


class ExactSums:
    """n sums before they are rounded: `limbs` int64[k, n], of which row j weighs 2^(unit + 32 (first + j))."""

    def __init__(self, limbs: Ints, first: int, unit: int = UNIT) -> None:
        self._limbs = limbs
        self._first = first
        self._unit = unit

    @property
    def exponent(self) -> int:
        """The sums are `integers` times 2^exponent."""
        return self._unit + 32 * self._first

    @cached_property
    def rounded(self) -> Floats:
        """The nearest doubles (of sums of doubles, not of products); an infinity beyond the largest."""
        assert self._unit == UNIT
        return rounded(self._limbs.T, self._first)

    @cached_property
    def integers(self) -> npt.NDArray[Any]:
        """Python integers, as an object array."""
        return integers(self._limbs)


def integers(limbs: Ints) -> npt.NDArray[Any]:
    """int64[k, n] in base 2^32, least significant first and not carried, as n Python integers."""
    total: npt.NDArray[Any] = limbs[-1].astype(object)
    for row in limbs[-2::-1]:
        total = total * (1 << 32) + row.astype(object)
    return total


def rounded(sums: Ints, first: int) -> Floats:
    """float64[n]: the doubles nearest to the sums int64[n, k], whose column j weighs 2^(32 (first + j) - 1074).

    A sum beyond the largest double is an infinity.
    """
    n = len(sums)
    negative, digits = _carried(sums)
    if negative.any():
        _, digits = _carried(np.where(negative[:, None], -sums, sums))
    k = digits.shape[1]
    padded: npt.NDArray[np.uint64] = np.zeros((n, k + 2), np.uint64)
    padded[:, 2:] = digits.astype(np.uint64)
    filled = padded != 0
    top = (k + 1) - np.argmax(filled[:, ::-1], axis=1)  # the highest limb that is not zero
    zero = ~filled.any(axis=1)
    top[zero] = 2
    row = np.arange(n)
    first_limb, second, third = padded[row, top], padded[row, top - 1], padded[row, top - 2]
    below = np.concatenate((np.zeros((n, 1), np.bool_), np.logical_or.accumulate(filled, axis=1)), axis=1)
    sticky = below[row, top - 2]
    length = np.frexp(first_limb.astype(np.float64))[1].astype(np.int64)
    length[zero] = 32
    unsigned = length.astype(np.uint64)
    word = (
        (first_limb << (np.uint64(64) - unsigned))
        | (second << (np.uint64(32) - unsigned))
        | (third >> unsigned)
    )
    sticky |= (third & ((np.uint64(1) << unsigned) - np.uint64(1))) != 0
    # `word` has its highest bit set; its lowest weighs 2^scale.
    scale = 32 * (top - 4 + first) + length - 1074
    lost = 11 + np.maximum(0, -1022 - (scale + 63))
    result = _round_word(word, sticky, lost, scale)
    result[zero] = 0.0
    return np.where(negative, -result, result)


def _carried(sums: Ints) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Which sums are negative; and the limbs with carries resolved, two longer (meaningful if not negative)."""
    n, k = sums.shape
    digits = np.empty((n, k + 2), np.int64)
    carry: Ints = np.zeros(n, np.int64)
    for i in range(k):
        total = sums[:, i] + carry
        digits[:, i] = total & _LOW
        carry = total >> _S32
    digits[:, k] = carry & _LOW
    digits[:, k + 1] = (carry >> _S32) & _LOW
    return carry < 0, digits


def _round_word(
    word: npt.NDArray[np.uint64], sticky: npt.NDArray[np.bool_], lost: Ints, scale: Ints
) -> Floats:
    """`word` * 2^scale without its `lost` lowest bits, rounded to nearest, ties to even."""
    drop = lost.astype(np.uint64)
    kept = word >> drop
    rest = word & ((np.uint64(1) << drop) - np.uint64(1))
    half = np.uint64(1) << (drop - np.uint64(1))
    up = (rest > half) | ((rest == half) & (sticky | ((kept & np.uint64(1)) == 1)))
    kept = kept + up.astype(np.uint64)
    with np.errstate(over="ignore"):
        result: Floats = np.ldexp(kept.astype(np.float64), (scale + lost).astype(np.int32))
    return result
