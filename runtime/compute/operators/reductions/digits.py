"""Exact sums of floats by additions of floats: of digits that are so short that no sum of them is rounded.

```
value:   1.0110...........1011 x 2^e         at most `most` values are added up between two `carry`s
digits:  1.0110.....   .......   ...1011     each a multiple of its unit, and below 2^53 / most of it
```

What all values have in common decides where they are cut: the greatest and the least magnitude (`FloatFacts`).  Two digits are
enough for most columns, so that a value costs two additions; `float_sum` has three limbs for each, and knows all doubles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....repr.batch import Indices
from ....repr.float_facts import FloatFacts
from .float_sum import UNIT, ExactSums, Floats, Ints

MANTISSA = 53

MOST_DIGITS = 6

LEAST_BITS = 16
"""Of a digit: shorter ones would be many."""

_MOST_BITS = MANTISSA - 2
"""Of a digit that is not the last: it is found by adding 1.5 times 2^52 of its units."""

_GREATEST_UNIT = 1023 - MANTISSA

_LOW = np.int64(0xFFFF_FFFF)
_LIMB = np.int64(32)


@dataclass(frozen=True, slots=True)
class Digits:
    """`units`: the exponents of the digits' units, the greatest first; the last has no more bits below it."""

    units: tuple[int, ...]

    @classmethod
    def of(cls, facts: FloatFacts, most: int) -> Digits | None:
        """None where that would be many, and of NaN, infinities and numbers near the largest."""
        bits = MANTISSA - max(most - 1, 0).bit_length()
        if not facts.finite or bits < LEAST_BITS:
            return None
        if not np.isfinite(facts.least):
            return cls((0,))  # zeros
        top, last = int(np.frexp(facts.greatest)[1]), int(np.frexp(facts.least)[1]) - MANTISSA
        last = max(last, UNIT)
        units = []
        while top - last > bits:
            unit = top - min(bits, _MOST_BITS)
            units.append(unit)
            top = unit - 1  # what is left is at most half a unit
        units.append(last)
        return cls(tuple(units)) if len(units) <= MOST_DIGITS and units[0] <= _GREATEST_UNIT else None


class DigitSums:
    """A sum for each of so many places."""

    def __init__(self, digits: Digits, places: int) -> None:
        self._units = digits.units
        self._digits: Floats = np.zeros((len(digits.units), places))
        self._whole: Ints = np.zeros((len(digits.units), places), np.int64)

    def add(self, places: Indices, values: Floats, diffs: Floats | None) -> None:
        """Adds each value to the sum at its place, as often as its diff says, once if there is none.  NULLs are zeros."""
        *firsts, last = self._digits
        for unit, sums in zip(self._units, firsts, strict=False):
            shift = np.ldexp(1.5, MANTISSA - 1 + unit)
            digit = values + shift  # its last bit is a unit: it is rounded to whole ones
            digit -= shift
            values = values - digit
            np.add.at(sums, places, digit if diffs is None else digit * diffs)
        np.add.at(last, places, values if diffs is None else values * diffs)

    def carry(self) -> None:
        """After at most as many values of one place as the digits are for, and 2^9 times at most."""
        for unit, sums, whole in zip(self._units, self._digits, self._whole, strict=True):
            whole += np.ldexp(sums, -unit).astype(np.int64)
        self._digits[:] = 0.0

    def exact(self, places: Indices) -> ExactSums:
        """What has been carried."""
        first = (self._units[-1] - UNIT) >> 5
        limbs = np.zeros((((self._units[0] - UNIT) >> 5) - first + 3, len(places)), np.int64)
        for unit, sums in zip(self._units, self._whole, strict=True):
            whole = sums[places]
            at, bit = ((unit - UNIT) >> 5) - first, np.int64((unit - UNIT) & 31)
            low, high = (whole & _LOW) << bit, (whole >> _LIMB) << bit
            limbs[at] += low & _LOW
            limbs[at + 1] += (low >> _LIMB) + (high & _LOW)
            limbs[at + 2] += high >> _LIMB
        return ExactSums(limbs, first)
