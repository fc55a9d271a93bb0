"""What is true of all floats of a column: found once for a column that never changes, where a query would look at each value again."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from . import buffers

_PACKED = struct.Struct("<dd??")


@dataclass(frozen=True, slots=True)
class FloatFacts:
    """Of some values, or of more than those: `greatest` and `least` are magnitudes, of those that are not zero (0.0 and infinity if there
    are none); `finite`: none is NaN or infinite; `negative_zero`: one may be -0.0.  NULLs count for nothing."""

    greatest: float = 0.0
    least: float = np.inf
    finite: bool = True
    negative_zero: bool = False

    @classmethod
    def of(cls, column: pa.Array) -> FloatFacts:
        values = buffers.fixed(column)
        if (valid := buffers.validity(column)) is not None:
            values = values[valid]
        magnitudes = np.abs(values)
        greatest = float(magnitudes.max(initial=0.0))
        zeros = values == 0
        has_zeros = bool(zeros.any())
        return cls(
            greatest,
            float(
                np.min(magnitudes, where=~zeros, initial=np.inf)
                if has_zeros
                else magnitudes.min(initial=np.inf)
            ),
            bool(np.isfinite(greatest)),
            has_zeros and bool(np.signbit(values[zeros]).any()),
        )

    @classmethod
    def merged(cls, facts: Iterable[FloatFacts]) -> FloatFacts:
        """Of the values of all."""
        greatest, least, finite, negative_zero = 0.0, np.inf, True, False
        for each in facts:
            greatest, least = max(greatest, each.greatest), min(least, each.least)
            finite &= each.finite
            negative_zero |= each.negative_zero
        return cls(greatest, least, finite, negative_zero)

    def packed(self) -> bytes:
        return _PACKED.pack(self.greatest, self.least, self.finite, self.negative_zero)

    @classmethod
    def unpacked(cls, packed: bytes) -> FloatFacts:
        return cls(*_PACKED.unpack(packed))
