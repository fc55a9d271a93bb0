"""Change records: what a sink writes for an interval, by envelope, before any format.

| envelope | one record per                                    | before              | after          |
|----------|---------------------------------------------------|---------------------|----------------|
| NONE     | row and time                                      | -                   | the row        |
| UPSERT   | key and time                                      | -                   | the new row    |
| DEBEZIUM | key and time; without a key, row, time and copy   | the old row         | the new row    |

Records come in the order of their times.  Within a time their order depends on the changes alone, so a sink that writes
an interval writes the same records.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...repr.batch import Batch, Diffs, Indices, Mask, Times
from ...repr.order import dense_ranks, row_order
from ...repr.schema import Schema
from .contract import IntervalRefused

ABSENT = -1


class SinkEnvelope(enum.Enum):
    NONE = "none"
    UPSERT = "upsert"
    DEBEZIUM = "debezium"


class KeyNotUnique(IntervalRefused):
    """A sink's key has two rows at one time, so that a consumer could not tell which one holds."""

    sqlstate = "23505"


@dataclass(frozen=True, slots=True)
class ChangeRecords:
    """m records: `before` and `after` int64[m] are rows of the interval's batch, or ABSENT; `times`, `diffs` [m].

    `keys` is a row of the batch that has the record's key.
    """

    before: Indices
    after: Indices
    keys: Indices
    times: Times
    diffs: Diffs

    def __len__(self) -> int:
        return len(self.times)

    def slice(self, start: int, stop: int) -> ChangeRecords:
        return ChangeRecords(
            self.before[start:stop],
            self.after[start:stop],
            self.keys[start:stop],
            self.times[start:stop],
            self.diffs[start:stop],
        )


def change_records(schema: Schema, batch: Batch, envelope: SinkEnvelope, key: Sequence[int]) -> ChangeRecords:
    """The records of a consolidated batch.  Raises KeyNotUnique."""
    if key and envelope is not SinkEnvelope.NONE:
        return _by_key(schema, batch, key)
    ranks = np.empty(len(batch), np.int64)
    ranks[row_order(batch.columns, len(batch))] = np.arange(len(batch))
    order = np.lexsort((ranks, batch.diffs > 0, batch.times))
    if envelope is SinkEnvelope.DEBEZIUM:
        order = np.repeat(order, np.abs(batch.diffs[order]))
        gone = batch.diffs[order] < 0
        before, after = np.where(gone, order, ABSENT), np.where(gone, ABSENT, order)
        return ChangeRecords(before, after, order, batch.times[order], np.where(gone, -1, 1))
    absent = np.full(len(order), ABSENT)
    return ChangeRecords(absent, order, order, batch.times[order], batch.diffs[order])


def _by_key(schema: Schema, batch: Batch, key: Sequence[int]) -> ChangeRecords:
    if not len(batch):
        empty = np.empty(0, np.int64)
        return ChangeRecords(empty, empty, empty, batch.times, batch.diffs)
    ranks = dense_ranks([batch.columns[index] for index in key], len(batch))
    order = np.lexsort((batch.diffs > 0, ranks, batch.times))
    times, ranks, diffs = batch.times[order], ranks[order], batch.diffs[order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (times[1:] != times[:-1]) | (ranks[1:] != ranks[:-1])
    starts = np.flatnonzero(fresh)
    ends = np.append(starts[1:], len(order)) - 1
    two_of_a_kind = ~fresh[1:] & ((diffs[1:] > 0) == (diffs[:-1] > 0))
    _refuse_duplicates(schema, batch, key, order[1:][two_of_a_kind])
    _refuse_duplicates(schema, batch, key, order[np.abs(diffs) > 1])
    before = np.where(diffs[starts] < 0, order[starts], ABSENT)
    after = np.where(diffs[ends] > 0, order[ends], ABSENT)
    net: Diffs = (after != ABSENT).astype(np.int64) - (before != ABSENT)
    return ChangeRecords(before, after, order[ends], times[starts], net)


def _refuse_duplicates(schema: Schema, batch: Batch, key: Sequence[int], rows: Indices) -> None:
    if not len(rows):
        return
    row = int(rows[0])
    names = ", ".join(schema[index].name for index in key)
    values = ", ".join(str(batch.columns[index][row].as_py()) for index in key)
    raise KeyNotUnique(
        f"the sink's key ({names}) is not unique: two rows have ({values}) at time {batch.times[row]}",
        hint="Choose columns that identify a row; or write a row for each change, without a key (ENVELOPE NONE; of an ICEBERG or DELTA sink MODE APPEND).",
    )


def chosen(rows: Indices) -> Mask:
    """Which of the rows are there: bool[m]."""
    mask: Mask = rows != ABSENT
    return mask
