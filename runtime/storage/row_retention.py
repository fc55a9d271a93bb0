"""RETAIN ROWS FOR ... BY column: a source of rows that only come keeps those of the last while.

A row is *due* when its column is older than now less the duration, or NULL: what `WHERE column + duration >= mz_now()` shows no more, and will not show
again.  What is due when it is read is not stored; what becomes due later is taken back by the coordinator (coord/dml/row_retention.py).
So the source never lacks a row that is not due.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..repr.batch import Mask
from ..repr.types import Kind, ScalarType
from .changes import Changes
from .decode import Decoded
from .row_filter import taken

LEAST_MS = 1_000
MOST_MS = 100 * 366 * 86_400_000


@dataclass(frozen=True, slots=True)
class RowRetention:
    """`column` is a place in the schema of what is stored."""

    column: int
    duration_ms: int

    @property
    def granularity_ms(self) -> int:
        """A row that is due is there so long at most, as long as the source can be read."""
        return max(1_000, self.duration_ms // 100)

    def due(self, columns: Sequence[pa.Array], now_ms: int) -> Mask:
        column = columns[self.column]
        old: Mask = (
            column.cast(pa.timestamp("us"))
            .view(pa.int64())
            .fill_null(np.iinfo(np.int64).min)
            .to_numpy(zero_copy_only=False)
            < (now_ms - self.duration_ms) * 1000
        )
        return old

    def to_json(self) -> list[int]:
        return [self.column, self.duration_ms]


def undue_changes(retention: RowRetention, changes: Changes, now_ms: int) -> Changes:
    """Those of rows that are not due."""
    kept = ~retention.due(changes.columns, now_ms)
    if kept.all():
        return changes
    mask = pa.array(kept)
    return Changes(tuple(column.filter(mask) for column in changes.columns), changes.diffs[kept])


def undue_records(retention: RowRetention, decoded: Decoded, now_ms: int) -> Decoded:
    """Those that are not due, and those in error."""
    kept = ~retention.due(decoded.columns, now_ms)
    kept[decoded.errors.rows] = True
    return decoded if kept.all() else taken(decoded, np.flatnonzero(kept))


def retention_from_json(value: Sequence[int] | None) -> RowRetention | None:
    return None if value is None else RowRetention(*value)


def may_be_retained_by(type_: ScalarType) -> bool:
    return type_.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
