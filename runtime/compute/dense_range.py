"""Integer keys that lie close together: where each of them is in a table of one place for each value from the least to the greatest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..repr import buffers
from ..repr.types import Kind, ScalarType

SPARSE = 16
"""A table has at most so many places for each row of its keys."""

_KINDS = frozenset((Kind.INT2, Kind.INT4, Kind.INT8, Kind.DATE))


def may_be_dense(type_: ScalarType) -> bool:
    return type_.kind in _KINDS


@dataclass(frozen=True, slots=True)
class DenseRange:
    """`size` values from `least` on."""

    least: int
    size: int

    @classmethod
    def of(cls, columns: Iterable[pa.Array], most: int) -> DenseRange | None:
        """From the least value of all columns to the greatest, NULLs apart; None if those are more than `most`."""
        least, greatest = None, None
        for column in columns:
            values = buffers.fixed(column)
            if (valid := buffers.validity(column)) is not None:
                values = values[valid]
            if not len(values):
                continue
            low, high = int(values.min()), int(values.max())
            least = low if least is None else min(least, low)
            greatest = high if greatest is None else max(greatest, high)
            if greatest - least >= most:
                return None
        return cls(0, 0) if least is None or greatest is None else cls(least, greatest - least + 1)

    def places(self, values: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """int64[n]: of values that are in the range; of others anything."""
        found: npt.NDArray[np.int64] = values.astype(np.int64)
        if self.least:
            found -= self.least
        return found
