"""How the records of an interval are cut into transactions.

A transaction ends between two times, so that a reader sees each time whole or not at all, unless one time alone is larger than a
transaction may be.  Of such a time, as the contents are that a sink begins with, each transaction has a piece, and says how
many records of it there are by now.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....repr.batch import Indices, Times

ENCODED_RECORDS = 32_768
"""At once; texts of more might be beyond what 32 bits address."""
ENCODED_BYTES = 32 << 20
"""Of rows in memory, at once, about."""


@dataclass(frozen=True, slots=True)
class PieceSize:
    """When a transaction is full, in records and in bytes of messages."""

    records: int
    nbytes: int

    def full(self, records: int, nbytes: int) -> bool:
        return records >= self.records or nbytes >= self.nbytes


BEGINNING = PieceSize(100_000, 64 << 20)
"""While a sink writes the contents that it begins with: a transaction ends long before it times out."""
FOLLOWING = PieceSize(1_000_000, 512 << 20)


class Cuts:
    """Where the records of an interval, which are in the order of their `times`, may be cut."""

    def __init__(self, times: Times, at_once: int = ENCODED_RECORDS) -> None:
        self._times = times
        self._at_once = at_once
        changes: Indices = np.flatnonzero(times[1:] != times[:-1]) + 1
        self._ends = np.append(changes, len(times)) if len(times) else changes

    def between_times(self, position: int) -> bool:
        """Whether the record there is the first of its time."""
        return (
            position == 0
            or position >= len(self._times)
            or bool(self._times[position] != self._times[position - 1])
        )

    def end_of_time(self, position: int) -> int:
        """Where the time of the record there ends."""
        return int(self._ends[np.searchsorted(self._ends, position, side="right")])

    def next(self, position: int, most: int) -> int:
        """Where to end what is encoded at once from there on: between two times, if there is such a place."""
        limit = min(position + min(self._at_once, most), len(self._times))
        last = int(np.searchsorted(self._ends, limit, side="right")) - 1
        return int(self._ends[last]) if last >= 0 and self._ends[last] > position else limit


def records_at_once(rows: int, nbytes: int) -> int:
    """Of rows with so many bytes in memory."""
    return max(1, min(ENCODED_RECORDS, ENCODED_BYTES * rows // max(nbytes, 1)))
