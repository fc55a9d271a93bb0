"""The current row of every key: immutable runs sorted by the hash of the key, at most one live row per key.

A new row of a key goes into a new run, and the one that it replaces is marked dead where it is, so a key is alive in
one place at most and a lookup need not care about the order of runs.  Runs are merged, without their dead rows, so
that each is at least twice the next: a lookup of m keys costs O(m log n) per run, an update O(log n) amortised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..repr.batch import Indices, Mask
from ..repr.equality import rows_equal

Hashes = npt.NDArray[np.uint64]

NOT_FOUND = -1


@dataclass(slots=True)
class _Run:
    hashes: Hashes
    columns: tuple[pa.Array, ...]
    alive: Mask
    live: int


@dataclass(frozen=True, slots=True)
class Places:
    """Where rows are: of m keys, `runs[i]` (NOT_FOUND for a key without a row) and `rows[i]` within it."""

    runs: Indices
    rows: Indices

    def __len__(self) -> int:
        return len(self.runs)


class KeyedRows:
    """Rows of `columns` whose key are the columns at `key`."""

    def __init__(self, key: Sequence[int]) -> None:
        self._key = tuple(key)
        self._runs: list[_Run] = []

    def __len__(self) -> int:
        return sum(run.live for run in self._runs)

    def find(self, keys: Sequence[pa.Array], hashes: Hashes) -> Places:
        """The live rows of m keys; `hashes` are those of `keys`."""
        found_runs = np.full(len(hashes), NOT_FOUND, np.int64)
        found_rows = np.zeros(len(hashes), np.int64)
        for number, run in enumerate(self._runs):
            low = np.searchsorted(run.hashes, hashes, "left")
            counts = np.searchsorted(run.hashes, hashes, "right") - low
            probes = np.repeat(np.arange(len(hashes)), counts)
            if not len(probes):
                continue
            offsets = np.arange(len(probes)) - np.repeat(np.cumsum(counts) - counts, counts)
            rows = np.repeat(low, counts) + offsets
            live = run.alive[rows]
            probes, rows = probes[live], rows[live]
            same = rows_equal(keys, probes, [run.columns[index] for index in self._key], rows)
            found_runs[probes[same]] = number
            found_rows[probes[same]] = rows[same]
        return Places(found_runs, found_rows)

    def take(self, places: Places) -> tuple[pa.Array, ...]:
        """The rows at `places`, all of which were found, in that order; at least one."""
        order = np.argsort(places.runs, kind="stable")
        parts: list[list[pa.Array]] = []
        for number in np.unique(places.runs).tolist():
            index = pa.array(places.rows[order[places.runs[order] == number]])
            parts.append([column.take(index) for column in self._runs[number].columns])
        if len(parts) == 1:
            return tuple(parts[0])
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        index = pa.array(back)
        return tuple(pa.concat_arrays(list(column)).take(index) for column in zip(*parts, strict=True))

    def replace(self, dead: Places, columns: Sequence[pa.Array], hashes: Hashes) -> None:
        """Removes the rows at `dead`, all of which were found, and adds the rows of `columns`, in one step.

        `hashes` are those of the new rows' keys; no other live row has one of these keys.
        """
        for number in np.unique(dead.runs).tolist():
            run, rows = self._runs[number], dead.rows[dead.runs == number]
            run.alive[rows] = False
            run.live -= len(rows)
        if len(hashes):
            self._runs.append(_sorted_run(tuple(columns), hashes))
        self._merge()

    def _merge(self) -> None:
        # Emptied runs go, half-empty ones are rewritten, and the last ones are merged while they are of a size.
        self._runs = [_compact(run) for run in self._runs if run.live]
        while len(self._runs) > 1 and self._runs[-2].live < 2 * self._runs[-1].live:
            newer, older = _compact(self._runs.pop(), 1.0), _compact(self._runs.pop(), 1.0)
            columns = tuple(
                pa.concat_arrays([a, b]) for a, b in zip(older.columns, newer.columns, strict=True)
            )
            self._runs.append(_sorted_run(columns, np.concatenate([older.hashes, newer.hashes])))


def _sorted_run(columns: tuple[pa.Array, ...], hashes: Hashes) -> _Run:
    order = np.argsort(hashes, kind="stable")
    index = pa.array(order)
    count = len(hashes)
    return _Run(
        hashes[order], tuple(column.take(index) for column in columns), np.ones(count, np.bool_), count
    )


def _compact(run: _Run, least: float = 0.5) -> _Run:
    """The run without its dead rows, if less than this part of it is alive."""
    if run.live >= least * len(run.hashes):
        return run
    kept = np.flatnonzero(run.alive)
    index = pa.array(kept)
    return _Run(
        run.hashes[kept],
        tuple(column.take(index) for column in run.columns),
        np.ones(len(kept), np.bool_),
        len(kept),
    )
