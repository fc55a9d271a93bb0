"""The current entry of every key: a short list of immutable runs, of which the newest that has a key is right.

```
runs, oldest first    [========== file ==========] [== file ==] [== file ==] [memory] [memory]
add                                                                                   one more, in memory
look_up               <------ from the newest on, for the keys that no newer run had ------
```

An entry may say that its key is gone: its last column, a boolean.  FAN_IN neighbours of about a size become one run, and all
runs do once those behind the oldest have half as many entries as it: an entry is moved O(log n) times, there are O(log n)
runs, and all of them together are at most half as large again as the oldest (and twice that while they are merged).

Nothing waits for a merge: `maintain` moves at most WORK entries for each one that was added, and goes on with the same
merges later.  What comes meanwhile makes new runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ...repr import buffers
from ...repr.order import hash_order
from .block import Block, Columns, Hashes, joined, ordered
from .merge import Merge, newest
from .run import Found, Run
from .scratch import Scratch

FAN_IN = 4
WORK = 16
"""Twice what merges need that keep up: 3 for the oldest run, and a move per FAN_IN-fold size up to it."""

RELEASE_ROWS = 1 << 19
"""What the allocator keeps goes back to the system after so many moves."""


class KeyedRows:
    """Entries of columns of `types`, whose key are those at `key`."""

    def __init__(self, types: Sequence[pa.DataType], key: Sequence[int], scratch: Scratch) -> None:
        self._types = tuple(types)
        self._key = tuple(key)
        self._scratch = scratch
        self._runs: list[Run] = []
        self._merges: list[Merge] = []
        self._owed = 0
        self._moved = 0

    @property
    def runs(self) -> int:
        return len(self._runs)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return sum(run.nbytes for run in self._runs)

    @property
    def mapped_nbytes(self) -> int:
        """Bytes in files."""
        return sum(run.size for run in self._runs if run.mapped)

    def load(self, run: Run | None) -> None:
        """The contents are those of the run."""
        self._abandon()
        self._runs = [] if run is None else [run]

    def look_up(self, keys: Columns, hashes: Hashes) -> Found:
        """The entries of those keys that have one and are not gone; `hashes` are those of `keys`, which are distinct."""
        left = hash_order(hashes)
        pieces: list[Found] = []
        for run in reversed(self._runs):
            found = list(run.look_up(self._key, keys, hashes, left))
            if found:
                pieces += found
                missing = np.ones(len(hashes), np.bool_)
                for piece in found:
                    missing[piece.probes] = False
                left = left[missing[left]]
            if not len(left):
                break
        if not pieces:
            nothing = tuple(pa.array([], type_) for type_ in self._types)
            return Found(np.empty(0, np.int64), Block(np.empty(0, np.uint64), nothing))
        probes, rows = np.concatenate([p.probes for p in pieces]), joined([p.rows for p in pieces])
        gone = buffers.fixed(rows.columns[-1])
        if gone.any():
            kept = np.flatnonzero(~gone)
            probes, rows = probes[kept], rows.take(kept)
        return Found(probes, rows)

    def add(self, columns: Columns, hashes: Hashes) -> None:
        """Entries of distinct keys, which take the place of those that the keys have had."""
        if len(hashes):
            self._runs.append(Run([ordered(columns, hashes)]))
            self._owed += WORK * len(hashes)

    def maintain(self) -> None:
        """Does merges that are due, as many as were paid for by what was added.

        Raises DiskFull, or StorageError, when one cannot be written: nothing is lost, and the next call tries again.
        """
        self._plan()
        while self._owed > 0 and self._merges:
            # The newest are the smallest: they would pile up behind the others.
            merge = self._merges[-1]
            before = merge.moved
            try:
                merge.advance()
                self._owed -= merge.moved - before
                self._moved += merge.moved - before
                if merge.done:
                    self._install(self._merges.pop(), merge.result())
                    self._plan()
            except BaseException:
                self._owed += merge.moved
                self._merges = [other for other in self._merges if other is not merge]
                merge.abandon()
                raise
        if not self._merges:
            self._owed = 0
        if self._moved >= RELEASE_ROWS:
            self._moved = 0
            pa.default_memory_pool().release_unused()

    def _plan(self) -> None:
        """Begins the merges that are due of runs that are in none."""
        while (span := self._due()) is not None:
            start, stop = span
            combine = newest(self._key, drop_gone=start == 0)
            self._merges.append(Merge(self._runs[start:stop], combine, self._scratch, self._types))
            self._merges.sort(key=lambda merge: self._runs.index(merge.runs[0]))

    def _due(self) -> tuple[int, int] | None:
        """The runs [start, stop) that are due to become one, or to be written."""
        merging = {id(run) for merge in self._merges for run in merge.runs}
        free = [id(run) not in merging for run in self._runs]
        sizes = [len(run) for run in self._runs]
        if len(sizes) > 1 and all(free) and 2 * sum(sizes[1:]) >= sizes[0]:
            return 0, len(sizes)
        stop = len(sizes)
        while stop:
            if not free[stop - 1]:
                stop -= 1
                continue
            start, largest = stop - 1, sizes[stop - 1]
            while start and free[start - 1] and sizes[start - 1] < 2 * largest:
                start -= 1
                largest = max(largest, sizes[start])
            if stop - start >= FAN_IN:
                return start, stop
            run = self._runs[stop - 1]
            if not run.mapped and self._scratch.is_large(len(run), run.size):
                return stop - 1, stop
            stop -= 1
        return None

    def _install(self, merge: Merge, run: Run | None) -> None:
        at = self._runs.index(merge.runs[0])
        self._runs[at : at + len(merge.runs)] = [] if run is None else [run]

    def _abandon(self) -> None:
        for merge in self._merges:
            merge.abandon()
        self._merges, self._owed = [], 0
