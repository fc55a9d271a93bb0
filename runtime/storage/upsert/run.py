"""A run: an immutable list of blocks, ascending by hash, in memory or in a file that is mapped.

Rows of one hash are in one block.  Of a mapped run the first hash of each block is in memory; a search touches the pages
that it needs, block by block, and lets go of them before the next (`forget`): what a process holds of a run is a block,
whatever its size.  The operating system keeps the pages as long as it has room.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...repr.batch import Indices
from ...repr.equality import rows_equal
from .block import Block, Columns, Hashes

_DROP: int | None = getattr(mmap, "MADV_DONTNEED", None) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True)
class Mapping:
    """A file as memory; block i is bytes `[bounds[i], bounds[i + 1])`."""

    memory: mmap.mmap
    bounds: tuple[int, ...]

    def forget(self, first: int, stop: int) -> None:
        """The pages of blocks `[first, stop)` are not this process's any more until it looks at them again."""
        if _DROP is not None:
            start = self.bounds[first] // mmap.PAGESIZE * mmap.PAGESIZE
            self.memory.madvise(_DROP, start, self.bounds[stop] - start)


@dataclass(frozen=True, slots=True)
class Found:
    """Rows that were found: `rows` row i is that of probe `probes[i]`."""

    probes: Indices
    rows: Block


class Run:
    """At least one block, none of them empty; `mapping` if they lie in a file."""

    def __init__(
        self, blocks: Sequence[Block], mapping: Mapping | None = None, firsts: Hashes | None = None
    ) -> None:
        self._blocks = tuple(blocks)
        self._mapping = mapping
        self._firsts = np.array([b.hashes[0] for b in blocks], np.uint64) if firsts is None else firsts
        self._rows = sum(map(len, blocks))
        self.nbytes = 0 if mapping is not None else sum(block.nbytes for block in blocks)
        """Bytes in memory."""

    def __len__(self) -> int:
        return self._rows

    @property
    def mapped(self) -> bool:
        return self._mapping is not None

    @property
    def size(self) -> int:
        """Bytes, wherever they are."""
        return self.nbytes if self._mapping is None else self._mapping.bounds[-1]

    def between(self, low: int, high: int | None) -> list[Block]:
        """The rows with `low <= hash < high` (None: to the end), without a copy."""
        first = max(int(self._firsts.searchsorted(np.uint64(low), "right")) - 1, 0)
        found = []
        last = None if high is None else int(self._firsts.searchsorted(np.uint64(high), "left"))
        for block in self._blocks[first:last]:
            start = int(block.hashes.searchsorted(np.uint64(low), "left"))
            stop = len(block) if high is None else int(block.hashes.searchsorted(np.uint64(high), "left"))
            if start < stop:
                found.append(block.slice(start, stop))
        return found

    def forget(self) -> None:
        """Nothing that was read of the run is looked at any more."""
        if self._mapping is not None:
            self._mapping.forget(0, len(self._blocks))

    def look_up(self, key: Sequence[int], keys: Columns, hashes: Hashes, probes: Indices) -> Iterator[Found]:
        """The rows whose columns at `key` equal `keys` at one of `probes`, which are in the order of `hashes`.

        The rows are copies.
        """
        wanted = hashes[probes]
        cuts = [0, *wanted.searchsorted(self._firsts[1:], "left").tolist(), len(probes)]
        for number, block in enumerate(self._blocks):
            start, stop = cuts[number], cuts[number + 1]
            if start == stop:
                continue
            positions, rows = _pairs(block.hashes, wanted[start:stop])
            if len(rows):
                of = probes[start:stop][positions]
                found = block.take(rows)
                own = [found.columns[i] for i in key]
                equal = rows_equal(keys, of, own, np.arange(len(of)))
                if not equal.all():
                    kept = np.flatnonzero(equal)
                    of, found = of[kept], found.take(kept)
                if len(of):
                    yield Found(of, found)
            if self._mapping is not None:
                self._mapping.forget(number, number + 1)


def _pairs(hashes: Hashes, wanted: Hashes) -> tuple[Indices, Indices]:
    """(position in `wanted`, row) of equal hashes; both are ascending."""
    first = hashes.searchsorted(wanted, "left")
    hits = np.flatnonzero(hashes.take(first, mode="clip") == wanted)
    first = first[hits]
    following = hashes.take(first + 1, mode="clip") == wanted[hits]
    if not (following & (first + 1 < len(hashes))).any():
        return hits, first
    counts = hashes.searchsorted(wanted[hits], "right") - first
    ends = np.cumsum(counts)
    return hits.repeat(counts), np.arange(ends[-1]) + (first - (ends - counts)).repeat(counts)
