"""Statistics of a part: what a reader may know about its rows without fetching it.

Per column of the rows (not of the errors): the number of NULLs and, where the type has an order that Arrow and
PostgreSQL share, the least and the greatest value.  `bounds` is None when nothing is known: no value at all,
a NaN (which PostgreSQL puts above every number and Arrow leaves out), a text or bytes too long to be worth keeping, an
interval, or an array.  A reader may skip a part only if its filter can be neither true nor an error within the
statistics, and never one that holds errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..repr.batch import Batch
from ..repr.intervals import is_interval

MAX_TEXT_BOUND = 256
"""Characters, or bytes.  A longer bound is dropped, not cut: a cut greatest value would be too small."""

MAX_BYTES = 4 * MAX_TEXT_BOUND
"""What takes more has more characters.  To make Python's text of 32 MB to count them would hold other threads up."""


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """NULLs of one column, and its `(least, greatest)` value as Python values (integers for dates: days since
    1970-01-01, and for timestamps: microseconds), or None when unknown."""

    nulls: int
    bounds: tuple[Any, Any] | None


@dataclass(frozen=True, slots=True)
class PartStats:
    """Statistics of a part's `rows` rows, one entry of `columns` per column of the schema it was written in."""

    rows: int
    columns: tuple[ColumnStats, ...]

    def to_json(self) -> list[Any]:
        return [self.rows, [[c.nulls, *_bounds_to_json(c.bounds)] for c in self.columns]]

    @classmethod
    def from_json(cls, value: Sequence[Any]) -> PartStats:
        rows, columns = value
        return cls(rows, tuple(ColumnStats(nulls, _bounds_from_json(rest)) for nulls, *rest in columns))


def batch_stats(batch: Batch) -> PartStats:
    """Statistics of a batch's rows: one pass over each column."""
    return PartStats(len(batch), tuple(_column_stats(column) for column in batch.columns))


def bounds_of(values: pa.Array) -> tuple[Any, Any] | None:
    """The least and the greatest of some values without NULLs, in the form in which `ColumnStats` has bounds; None when
    they have none there."""
    return _column_stats(values).bounds


def _column_stats(column: pa.Array) -> ColumnStats:
    nulls = column.null_count
    if nulls == len(column):
        return ColumnStats(nulls, None)
    kind = column.type
    if pa.types.is_nested(kind) or is_interval(kind):
        return ColumnStats(nulls, None)
    if pa.types.is_floating(kind):
        if pc.any(pc.is_nan(column)).as_py():
            return ColumnStats(nulls, None)
    elif pa.types.is_date32(kind):
        column = column.view(pa.int32())
    elif pa.types.is_timestamp(kind):
        column = column.view(pa.int64())
    extremes = pc.min_max(column)
    if isinstance(extremes["min"], pa.BinaryScalar) and any(
        extremes[each].as_buffer().size > MAX_BYTES for each in ("min", "max")
    ):
        return ColumnStats(nulls, None)
    least, greatest = extremes["min"].as_py(), extremes["max"].as_py()
    if isinstance(least, str | bytes) and (len(least) > MAX_TEXT_BOUND or len(greatest) > MAX_TEXT_BOUND):
        return ColumnStats(nulls, None)
    return ColumnStats(nulls, (least, greatest))


def _bounds_to_json(bounds: tuple[Any, Any] | None) -> list[Any]:
    if bounds is None:
        return []
    least, greatest = bounds
    if isinstance(least, Decimal):
        return ["d", str(least), str(greatest)]
    if isinstance(least, float):
        return ["f", least.hex(), greatest.hex()]
    if isinstance(least, bytes):
        return ["b", least.hex(), greatest.hex()]
    return ["v", least, greatest]


def _bounds_from_json(value: Sequence[Any]) -> tuple[Any, Any] | None:
    if not value:
        return None
    tag, least, greatest = value
    if tag == "d":
        return Decimal(least), Decimal(greatest)
    if tag == "f":
        return float.fromhex(least), float.fromhex(greatest)
    if tag == "b":
        return bytes.fromhex(least), bytes.fromhex(greatest)
    return least, greatest
