"""A run: an immutable piece of a spine, updates ascending by the hash of their key.

A run lives in memory, or in a file that is mapped into it.  Of a mapped run every 1,024th hash is kept in memory
(`samples`), so that a search reads one block of hashes instead of touching a page for each step of its bisection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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

    def slice(self, start: int, stop: int) -> Run:
        """Rows `[start, stop)`, without a copy."""
        return Run(self.hashes[start:stop], self.batch.slice(start, stop))

    def search(self, probes: Words) -> tuple[Indices, Indices, Indices]:
        """Where probes are found: (positions in `probes` that are, the first row of each, how many rows)."""
        hashes, base = self.hashes, None
        if len(probes) == 1 and self.samples is None:  # the commonest: 2 us in place of 15
            first = hashes.searchsorted(probes, "left")
            if first[0] == len(hashes) or hashes[first[0]] != probes[0]:
                return _NOWHERE, _NOWHERE, _NOWHERE
            return _FIRST, first, hashes.searchsorted(probes, "right") - first
        if self.samples is not None and len(probes) <= _DIRECT_PROBES:
            hashes, base = self._blocks(probes)
        first = hashes.searchsorted(probes, "left")
        hits = np.flatnonzero(hashes[np.minimum(first, len(hashes) - 1)] == probes)
        first = first[hits]
        if base is None:
            return hits, first, hashes.searchsorted(probes[hits], "right") - first
        # Equal hashes may go on into a block that was not read, so their end is searched in the samples as well.
        start = base[first // SAMPLE_ROWS] + first % SAMPLE_ROWS
        return hits, start, self._ends(probes[hits]) - start

    def _blocks(self, probes: Words) -> tuple[Words, Indices]:
        """The blocks in which the first row of each probe would be, one after the other (the last one filled up
        with its last hash), and where in the run each begins."""
        assert self.samples is not None
        blocks = np.unique(np.maximum(self.samples.searchsorted(probes, "left") - 1, 0))
        # A hash that is a sample itself may begin right after the block before it.
        blocks = np.unique(np.concatenate([blocks, np.minimum(blocks + 1, len(self.samples) - 1)]))
        return self._read(blocks), blocks * SAMPLE_ROWS

    def _ends(self, probes: Words) -> Indices:
        """For hashes that are in the run: one past the last row of each."""
        assert self.samples is not None
        if not len(probes):
            return np.empty(0, np.int64)
        blocks, which = np.unique(self.samples.searchsorted(probes, "right") - 1, return_inverse=True)
        inside = self._read(blocks).searchsorted(probes, "right") - which * SAMPLE_ROWS
        return np.minimum(blocks[which] * SAMPLE_ROWS + inside, len(self))

    def _read(self, blocks: Indices) -> Words:
        rows = (blocks[:, None] * SAMPLE_ROWS + np.arange(SAMPLE_ROWS)).ravel()
        read: Words = self.hashes[np.minimum(rows, len(self) - 1)]
        return read

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
        for start in range(0, total, limit):
            stop = min(start + limit, total)
            pairs = np.arange(start, stop)
            # The hits that have pairs here, and how many of their pairs are.
            low, high = int(ends.searchsorted(start, "right")), int(ends.searchsorted(stop, "left")) + 1
            edges = np.minimum(ends[low:high], stop)
            which = np.repeat(np.arange(low, high), np.diff(edges, prepend=start))
            yield hits[which], pairs + shift[which]
