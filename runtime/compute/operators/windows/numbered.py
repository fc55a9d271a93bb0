"""Some of the positions of a layout, numbered through: functions that pass over the others work on numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ....repr.batch import Mask
from .frames import Frames, Interval
from .layout import Ints


@dataclass(frozen=True, slots=True)
class Numbered:
    """`places` int64[m]: the positions, in order; `before` int64[n + 1]: how many of them stand before each of all n
    positions, and m."""

    places: Ints
    before: Ints

    @classmethod
    def of(cls, mask: Mask) -> Numbered:
        return cls(np.flatnonzero(mask), np.concatenate(([0], np.cumsum(mask))))

    @classmethod
    def present(cls, values: pa.Array) -> Numbered:
        """Positions whose value is not NULL."""
        return cls.of(buffers.present(values))

    def intervals(self, found: Frames) -> tuple[Interval, ...]:
        """The frames as ranges of numbers."""
        return tuple((self.before[start], self.before[stop]) for start, stop in found.intervals)

    def position(self, number: Ints) -> Ints:
        """Of the one with this number; of no use where there is none."""
        if not len(self.places):
            return np.zeros(len(number), np.int64)
        return self.places[np.clip(number, 0, len(self.places) - 1)]
