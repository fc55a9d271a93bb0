"""Rows of events, which follow each other without saying how long they are: found in all events of a table at once.

rows event = header (19 bytes), number of the table (6), flags (2), number of columns, which columns there are (a bit each; of updates twice), then rows
row        = which columns are NULL (a bit each), then the values of the others

Row k of every event is looked at in one step, so that events of one row are as fast as long ones.  What is sought is where rows end; where
their values lie is found for all of them together then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .events import MapColumn, broken

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

PADDING = bytes(64)
"""So that what is read of an event that is too short is there; then it is noticed."""
_MOST_BYTES = (1 << 31) - 1 - len(PADDING)


class Stream:
    """Events end to end, less than 2 GiB.  Event i is bytes `[starts[i], ends[i])` of `raw`."""

    def __init__(self, events: Sequence[bytes]) -> None:
        lengths = np.fromiter(map(len, events), np.int64, len(events))
        self.ends: Positions = np.cumsum(lengths)
        self.starts: Positions = self.ends - lengths
        if len(events) and self.ends[-1] > _MOST_BYTES:
            raise broken("more than 2 GiB in one piece")
        self.data = b"".join([*events, PADDING])
        self.raw: Bytes = np.frombuffer(self.data, np.uint8)

    def little(self, at: Positions, width: int) -> npt.NDArray[np.uint64]:
        """Numbers of up to 8 bytes, the least significant first."""
        found = self.raw[at].astype(np.uint64)
        for place in range(1, width):
            found |= self.raw[at + place].astype(np.uint64) << np.uint64(8 * place)
        return found

    def big(self, at: Positions, width: int) -> npt.NDArray[np.uint64]:
        """Numbers of up to 8 bytes, the most significant first."""
        found = np.zeros(len(at), np.uint64)
        for place in range(width):
            found = found << np.uint64(8) | self.raw[at + place]
        return found


@dataclass(frozen=True, slots=True)
class Cells:
    """A column of n rows: the value of row i is `lengths[i]` bytes from `starts[i]` on, none where it is `null`."""

    column: MapColumn
    starts: Positions
    lengths: Positions
    null: Mask | None


class Walker:
    def __init__(self, stream: Stream, columns: Sequence[MapColumn]) -> None:
        self._stream = stream
        self._columns = columns
        self._widths = np.array([column.width for column in columns], np.int64)
        self._long = [place for place, column in enumerate(columns) if column.is_long]
        self._mask_bytes = (len(columns) + 7) // 8
        self._used = np.packbits(np.ones(len(columns), np.bool_), bitorder="little")

    def rows(self, at: Positions, ends: Positions) -> tuple[Positions, Positions]:
        """Where the rows of the events begin, in order, and the number of each one's event; the rows of event i are bytes `[at[i], ends[i])`."""
        starts, owners = [], []
        owner = np.flatnonzero(at < ends)
        at, ends = at[owner], ends[owner]
        while len(owner):
            starts.append(at)
            owners.append(owner)
            at = self._end(at)
            if (at > ends).any():
                raise broken("rows that are cut off")
            more = at < ends
            if not more.all():
                owner, at, ends = owner[more], at[more], ends[more]
        if not starts:
            none = np.empty(0, np.int64)
            return none, none
        found = np.concatenate(starts)
        order = np.argsort(found)
        return found[order], np.concatenate(owners)[order]

    def _null(self, at: Positions) -> Mask | None:
        """By row and column; None where nothing is NULL."""
        bits = self._stream.raw[at[:, None] + np.arange(self._mask_bytes)] & self._used
        if not bits.any():
            return None
        return np.unpackbits(bits, axis=1, count=len(self._columns), bitorder="little").view(np.bool_)

    def _end(self, at: Positions) -> Positions:
        """Where the rows end that begin there."""
        null = self._null(at)
        at = at + self._mask_bytes
        if null is None:
            done = 0
            for place in self._long:
                at = at + int(self._widths[done:place].sum())
                at = at + self._length(at, place) + int(self._widths[place])
                done = place + 1
            end: Positions = at + int(self._widths[done:].sum())
            return end
        widths = np.where(null, 0, self._widths)
        done = 0
        for place in self._long:
            at = at + widths[:, done:place].sum(axis=1)
            at = at + np.where(null[:, place], 0, self._length(at, place)) + widths[:, place]
            done = place + 1
        found: Positions = at + widths[:, done:].sum(axis=1)
        return found

    def _length(self, at: Positions, place: int) -> Positions:
        # What is read where the column is NULL means nothing, and may lie behind the last event.
        within = np.minimum(at, len(self._stream.raw) - len(PADDING))
        return self._stream.little(within, int(self._widths[place])).astype(np.int64)

    def cells(self, at: Positions) -> list[Cells]:
        """The values of the rows that begin there, by column."""
        null = self._null(at) if len(at) else None
        at = at + self._mask_bytes
        found = []
        for place, column in enumerate(self._columns):
            gone = None if null is None or not null[:, place].any() else null[:, place]
            width = int(self._widths[place])
            if column.is_long:
                lengths = self._length(at, place)
                start = at + width
                if gone is not None:
                    lengths, start = np.where(gone, 0, lengths), np.where(gone, at, start)
                at = start + lengths
            else:
                start, lengths = at, np.full(len(at), width, np.int64)
                at = at + (width if gone is None else np.where(gone, 0, width))
            found.append(Cells(column, start, lengths, gone))
        return found
