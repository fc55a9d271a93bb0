"""A run: an immutable piece of a spine, updates ascending by the hash of their key.

A run lives in memory, or in a file that is mapped into it.  Of a mapped run every 1,024th hash is kept in memory
(`samples`), so that a search touches the pages of one block of hashes instead of one for each step of its bisection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..repr.batch import Batch, Indices
from ..repr.buffers import Words

SAMPLE_ROWS = 1_024
"""Hashes per block of a mapped run."""

_DIRECT_PROBES = 4_096
"""A search for more hashes than this reads the mapped hashes as they are: it needs most blocks anyway."""

_NOWHERE: Indices = np.empty(0, np.int64)
_FIRST: Indices = np.zeros(1, np.int64)

_SINGLE_PROBES = 48
"""So few are searched one by one: that is quicker than to bisect for all of them at once."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class RunFile:
    """Where a run is on file: `length` bytes of the file at `path` from `offset` on.

    `checksum` is the CRC-32 of these bytes; None: it was not taken yet.  A value is compared by identity: as long as
    somebody holds one, its file is needed.
    """

    path: Path
    offset: int
    length: int
    checksum: int | None = None


@dataclass(frozen=True, slots=True)
class StoredRun:
    """As `RunFile`, for all processes of the environment: by the file's name (`shared_files`)."""

    name: str
    offset: int
    length: int
    checksum: int | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """`hashes` uint64[n] ascending, `batch` n updates in the same order; `samples` is `hashes[::SAMPLE_ROWS]`.

    `file` is where the same run can be read again, if it was ever written; a run with samples is mapped from there.
    """

    hashes: Words
    batch: Batch
    samples: Words | None = None
    file: RunFile | None = None

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def nbytes(self) -> int:
        return self.hashes.nbytes + self.batch.nbytes

    @property
    def mapped(self) -> bool:
        """Its bytes are pages of a file, not memory that is its own."""
        return self.samples is not None

    @property
    def searched_file(self) -> RunFile | None:
        """Where another process finds the run as it is searched."""
        return self.file

    def slice(self, start: int, stop: int) -> Run:
        """Rows `[start, stop)`, without a copy."""
        return Run(self.hashes[start:stop], self.batch.slice(start, stop))

    def search(self, probes: Words) -> tuple[Indices, Indices, Indices]:
        """Where probes are found: (positions in `probes` that are, the first row of each, how many rows)."""
        hashes = self.hashes
        if self.samples is None or len(probes) > _DIRECT_PROBES:
            first = hashes.searchsorted(probes, "left")
            hits = (hashes.take(first, mode="clip") == probes).nonzero()[0]
            if not len(hits):
                return _NOWHERE, _NOWHERE, _NOWHERE
            first = first[hits]
            return hits, first, self._counts(probes[hits], first)
        first = self._bisect(probes, after=False)
        hits = np.flatnonzero(hashes[np.minimum(first, len(hashes) - 1)] == probes)
        first = first[hits]
        return hits, first, self._bisect(probes[hits], after=True) - first

    def _counts(self, probes: Words, first: Indices) -> Indices:
        """How many rows have the hash of each probe, from `first` on: one or more.

        In a state of one row per key nearly all have one: a look at the next hash costs less than a second search.
        """
        if len(probes) <= _SINGLE_PROBES:
            return self.hashes.searchsorted(probes, "right") - first
        counts = np.ones(len(probes), np.int64)
        more = np.flatnonzero(self.hashes.take(first + 1, mode="clip") == probes)
        if len(more):
            counts[more] = self.hashes.searchsorted(probes[more], "right") - first[more]
        return counts

    def _bisect(self, probes: Words, *, after: bool) -> Indices:
        """For each probe how many hashes are less (with `after`: or equal), looking only at the block between two
        samples in which that changes."""
        assert self.samples is not None
        side: Literal["left", "right"] = "right" if after else "left"
        block = self.samples.searchsorted(probes, side)
        low = np.maximum(block - 1, 0) * SAMPLE_ROWS
        rows = np.minimum(block * SAMPLE_ROWS, len(self)) - low  # as far as the count of the block can go
        if len(probes) <= _SINGLE_PROBES:
            places = zip(low.tolist(), rows.tolist(), probes, strict=True)
            found = [start + self.hashes[start : start + n].searchsorted(p, side) for start, n, p in places]
            return np.array(found, np.int64)
        count = np.zeros(len(probes), np.int64)
        step = SAMPLE_ROWS
        while step:
            reach = count + step
            last = self.hashes[np.minimum(low + reach, len(self)) - 1]
            less = last <= probes if after else last < probes
            count = np.where(less & (reach <= rows), reach, count)
            step >>= 1
        return low + count

    def pairs(self, probes: Words, limit: int) -> Iterator[tuple[Indices, Indices]]:
        """(position in `probes`, row) of equal hashes, in pieces of at most `limit` pairs, none of them empty."""
        hits, first, counts = self.search(probes)
        if not len(hits):
            return
        total = int(counts.sum())
        if total == len(hits):
            for start in range(0, total, limit):
                yield hits[start : start + limit], first[start : start + limit]
            return
        ends: npt.NDArray[np.int64] = np.cumsum(counts)
        shift = first - (ends - counts)  # row = number of the pair + shift
        if total <= limit:
            yield hits.repeat(counts), np.arange(total) + shift.repeat(counts)
            return
        for start in range(0, total, limit):
            stop = min(start + limit, total)
            pairs = np.arange(start, stop)
            # The hits that have pairs here, and how many of their pairs are.
            low, high = int(ends.searchsorted(start, "right")), int(ends.searchsorted(stop, "left")) + 1
            edges = np.minimum(ends[low:high], stop)
            which = np.repeat(np.arange(low, high), np.diff(edges, prepend=start))
            yield hits[which], pairs + shift[which]
