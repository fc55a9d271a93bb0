"""How often each key hash occurs: what unique constraints are checked against.

A multiset of 64-bit hashes in sorted runs, as in an LSM tree: adding costs a sort of what is added, and a run is merged
into the next larger one before it has half of its size, so a hash is moved a logarithmic number of times and a
look-up searches a logarithmic number of runs.  Keys that are added are most often new: a bitmap of a large run says so of most of them,
which are not searched for then.  13 to 14 bytes a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from ...repr.batch import Indices
from ...repr.buffers import Words
from ...repr.hash_bitmap import HashBitmap

Counts = npt.NDArray[np.int32]

_LEAST_FILTERED = 4_096
"""A run of fewer hashes is in the caches of a core: to search it costs no more than to look into a bitmap."""

_SORTED_PROBES = 1_000
"""More hashes than this are put in order before they are looked up: neighbours then share cache lines of a run."""

_EMPTY_HASHES: Words = np.empty(0, np.uint64)
_EMPTY_COUNTS: Counts = np.empty(0, np.int32)


_versions = count(1)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """`hashes` ascending, each once, and how often each occurs.  A large one has a `bitmap` of them."""

    hashes: Words
    counts: Counts
    bitmap: HashBitmap | None

    @classmethod
    def of(cls, hashes: Words, counts: Counts) -> Run:
        return cls(hashes, counts, HashBitmap.of(hashes) if len(hashes) >= _LEAST_FILTERED else None)

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def nbytes(self) -> int:
        return self.hashes.nbytes + self.counts.nbytes + (0 if self.bitmap is None else self.bitmap.nbytes)

    def find(self, hashes: Words) -> tuple[Indices, Indices]:
        """Which of `hashes` are here, by position, and where."""
        asked = None if self.bitmap is None else self.bitmap.suspected(hashes)
        if asked is not None:
            hashes = hashes[asked]
        found = np.searchsorted(self.hashes, hashes)
        found[found == len(self.hashes)] = 0
        hits = np.flatnonzero(self.hashes[found] == hashes)
        return (hits if asked is None else asked[hits]), found[hits]


class KeyCounts:
    """Counts may be negative: a transaction's own changes are one of these, too.  With `zeros`, hashes stay whose count has
    come to nothing: those of rows that were changed under one key.

    `version`: of counts with the same one the contents are the same; 0: there are none.  `free_beside`: none of the hashes that these add
    occurs more than once together with the counts of that version; None: who wants to know has to look.
    """

    def __init__(self, *, zeros: bool = False) -> None:
        self._zeros = zeros
        self.version = 0
        self.free_beside: int | None = None
        self._runs: list[Run] = []  # the largest first

    def __bool__(self) -> bool:
        return bool(self._runs)

    def __len__(self) -> int:
        """How many hashes there are at most: one that is in several runs counts for each."""
        return sum(map(len, self._runs))

    @property
    def nbytes(self) -> int:
        return sum(run.nbytes for run in self._runs)

    def add(self, hashes: Words, diffs: npt.NDArray[np.int64]) -> None:
        """`diffs[i]` more rows of key `hashes[i]`."""
        if len(hashes):
            self._changed()
            self._push(_summed(hashes, diffs.astype(np.int32), self._zeros))

    def copy(self) -> KeyCounts:
        """Runs are never changed, so they are shared."""
        copy = KeyCounts(zeros=self._zeros)
        copy._runs = list(self._runs)
        copy.version, copy.free_beside = self.version, self.free_beside
        return copy

    def merge(self, other: KeyCounts, at_once: int | None = None) -> None:
        """Runs that are together of more than `at_once` hashes stay apart: they are `due`."""
        self._changed()
        for run in other._runs:
            if other._zeros and not self._zeros:
                kept = np.flatnonzero(run.counts)
                if len(kept) < len(run):
                    run = Run.of(run.hashes[kept], run.counts[kept])
            self._push(run, at_once)

    def due(self) -> tuple[Run, Run] | None:
        """Two runs that are to be `join`ed."""
        for older, newer in zip(reversed(self._runs[:-1]), reversed(self._runs[1:]), strict=True):
            if _too_close(older, newer):
                return older, newer
        return None

    def join(self, pair: tuple[Run, Run]) -> Run:
        """What is put in the place of both; for any thread."""
        hashes = np.concatenate([run.hashes for run in pair])
        return _summed(hashes, np.concatenate([run.counts for run in pair]), self._zeros)

    def replace(self, pair: tuple[Run, Run], joined: Run) -> None:
        """Puts `joined` in the place of both; not if they were joined with others meanwhile."""
        for at in range(len(self._runs) - 1):
            if self._runs[at] is pair[0] and self._runs[at + 1] is pair[1]:
                self._runs[at : at + 2] = [joined] if len(joined) else []
                return

    def of(self, hashes: Words) -> Counts:
        """How often each of `hashes` occurs."""
        if len(hashes) > _SORTED_PROBES and (hashes[1:] < hashes[:-1]).any():
            order = np.argsort(hashes)
            total = np.empty(len(hashes), np.int32)
            total[order] = self.of(hashes[order])
            return total
        total = np.zeros(len(hashes), np.int32)
        for run in self._runs:
            hits, places = run.find(hashes)
            total[hits] += run.counts[places]
        return total

    def has_any(self, hashes: Words) -> bool:
        """Whether one of `hashes` is among these, however often."""
        return any(len(run.find(hashes)[0]) for run in self._runs)

    def entries(self) -> tuple[Words, Counts]:
        """Every hash that occurs, once, in order, and how often."""
        while len(self._runs) > 1:
            self._join_last()
        return (self._runs[0].hashes, self._runs[0].counts) if self._runs else (_EMPTY_HASHES, _EMPTY_COUNTS)

    def repeated(self) -> Words:
        """The hashes that occur more than once."""
        hashes, counts = self.entries()
        return hashes[counts > 1]

    def _changed(self) -> None:
        self.version, self.free_beside = next(_versions), None

    def _push(self, run: Run, at_once: int | None = None) -> None:
        if not len(run):
            return
        self._runs.append(run)
        while len(self._runs) > 1 and _too_close(*self._runs[-2:]):
            if at_once is not None and sum(map(len, self._runs[-2:])) > at_once:
                return
            self._join_last()

    def _join_last(self) -> None:
        older, newer = self._runs[-2:]
        self.replace((older, newer), self.join((older, newer)))


def _too_close(older: Run, newer: Run) -> bool:
    return 2 * len(newer) > len(older)


def _summed(hashes: Words, counts: Counts, zeros: bool) -> Run:
    """Sorted, each hash once, none that comes to nothing but with `zeros`."""
    if len(hashes) == 1:
        return Run.of(hashes, counts) if zeros or counts[0] else Run.of(_EMPTY_HASHES, _EMPTY_COUNTS)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    first = np.empty(len(ordered), np.bool_)
    first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    sums = np.add.reduceat(counts[order], starts).astype(np.int32)
    if not zeros:
        kept = np.flatnonzero(sums)
        starts, sums = starts[kept], sums[kept]
    return Run.of(ordered[starts], sums)
