"""The spine: a collection indexed by a hash of its key, as a short list of immutable sorted runs.

    runs (oldest, largest first)      [........................] [..........] [....] [.]
    pending                           small insertions, as they came: until someone looks, they need no order
    insert                            sorts the new updates by hash: one more run at the end
    probe                             a binary search per run for a whole batch of keys, then true equality
    merge                             the tail of runs that are too close in size becomes one run

Invariants: a run never changes once built; the list of runs is replaced as a whole, so a handle to it is a
snapshot; a run is ascending by hash; equal hashes are never divided among chunks of a merge.  Sizes grow
geometrically once merges have caught up, so an update is moved O(log n) times and a probe searches O(log n) runs.

Merging never blocks a step.  Tiny runs are merged by the inserting thread, a few at a time, as that is cheaper than
to search them; larger ones by the process's one merge thread (`merge_worker`), in chunks, as numpy and Arrow let go of the
interpreter inside a kernel but not between them.  A merge consolidates equal rows and advances times to `since`.
Only when the thread falls far behind (`MAX_RUNS`) does an insert wait.  A spine that has a `store` keeps its large
runs in mapped files: the same thread writes them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..repr import buffers
from ..repr.batch import Batch, Indices, concat_batches, empty_batch, picked, repeated
from ..repr.buffers import Words
from ..repr.equality import rows_equal
from ..repr.hash import hash_columns
from ..repr.order import hash_order
from ..repr.schema import Schema
from .memory import release_merged
from .merge import Identity, MergeWorker, merge_runs, merge_worker, past_runs
from .run import Run
from .run_file import map_run, write_run
from .run_store import RunStore

__all__ = ["Matches", "Run", "Spine", "map_run", "probe_runs", "run_of", "write_run"]

INLINE_ROWS = 2_000
"""Runs of together fewer rows are merged by the inserting thread."""

GATHERED = 6
"""Tiny runs are left until there are so many of them: to search one more costs 3 to 20 us, a merge 100."""

PENDING = 16
"""So many small insertions, and INLINE_ROWS rows, may wait to be put in order."""

MAX_RUNS = 32
"""With more runs than this an insert waits for merges."""

MAX_RUN_BYTES = 1 << 30
"""Runs are not merged beyond this size: offsets of Arrow's strings are 32 bits wide."""

PROBE_ROWS = 1 << 18
"""Pairs of a probe are formed and checked so many at a time."""

_SORTED_PROBES = 2_048
"""Above so many probe keys, sorting them first pays: neighbours then share cache lines of the runs."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Pairs of equal keys: `rows` row i matches probe row `probe[i]`."""

    probe: Indices
    rows: Batch

    def __len__(self) -> int:
        return len(self.probe)


class Spine:
    """A collection of `schema`, indexed by the columns at the positions `key`.

    `sums` are positions of int64 columns without NULLs that are accumulators: when rows that are equal in all
    other columns meet, these are added up, as the diff is; a row vanishes when its diff and all sums are zero.
    With `compact`, merges add up equal insertions too: for few rows that are inserted again and again.
    One thread inserts; merges may run on another, and any may take a `handle` and probe its runs.
    """

    def __init__(
        self,
        schema: Schema,
        key: tuple[int, ...],
        sums: tuple[int, ...] = (),
        *,
        compact: bool = False,
        worker: MergeWorker | None = None,
    ) -> None:
        self.schema = schema
        self.key = key
        self.sums = sums
        others = tuple(i for i in range(len(schema)) if i not in sums)
        self._identity = Identity(others, sorted(key) == list(others), compact)
        self._worker = worker
        self._base: tuple[Run, ...] = ()
        self._runs: tuple[Run, ...] = ()
        self._pending: list[tuple[Words, Batch]] = []
        self._pending_rows = 0
        self._merging: set[int] = set()
        self._since = 0
        self._changed = threading.Condition(threading.Lock())
        self._failure: Exception | None = None
        self.store: RunStore | None = None

    @property
    def runs(self) -> tuple[Run, ...]:
        if self._pending:
            self._settle()
        return (*self._base, *self._runs) if self._base else self._runs

    @property
    def added(self) -> tuple[Run, ...]:
        """What was inserted since `stand_on`."""
        if self._pending:
            self._settle()
        return self._runs

    def handle(self) -> tuple[Run, ...]:
        """The contents as of now, for good: later inserts and merges do not change it."""
        return self.runs

    @property
    def rows(self) -> int:
        """Updates held, not yet consolidated ones included."""
        return sum(len(run) for run in self.runs)

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return sum(run.nbytes for run in self.runs if not run.mapped)

    @property
    def mapped_nbytes(self) -> int:
        """Bytes of runs that are mapped files."""
        return sum(run.nbytes for run in self.runs if run.mapped)

    @property
    def since(self) -> int:
        return self._since

    def advance_since(self, since: int) -> None:
        """No time before `since` is read any more: merges may advance times to it."""
        if since > self._since:
            self._since = since

    def hashes(self, columns: Sequence[pa.Array], length: int) -> Words:
        """Hashes of rows that have this spine's columns, by its key."""
        return hash_columns([columns[i] for i in self.key], length)

    def insert(self, batch: Batch, hashes: Words | None = None) -> None:
        """Adds updates.  `hashes` are those of the key columns, when the caller has them."""
        count = len(batch)
        if count == 0:
            return
        if hashes is None:
            hashes = self.hashes(batch.columns, count)
        self._raise_failure()
        with self._changed:
            self._pending.append((hashes, batch))
            self._pending_rows += count
        if self._pending_rows > INLINE_ROWS or len(self._pending) >= PENDING:
            self._settle()

    def clear(self) -> None:
        """Empties the spine: as if it were new."""
        self.load(())
        self._since = 0

    def load(self, runs: Sequence[Run]) -> None:
        """Replaces the contents by `runs` (of this schema and key, as another spine held or a file maps them)."""
        with self._changed:
            self._pending, self._pending_rows = [], 0
            self._runs = tuple(run for run in runs if len(run))

    def stand_on(self, runs: Sequence[Run]) -> None:
        """Begins with the contents of another spine, which merges leave alone: what is inserted stays apart."""
        self._base = tuple(run for run in runs if len(run))

    def extend(self, runs: Sequence[Run]) -> None:
        """Adds what a spine that stood on these contents was given: its `added` runs, of this schema and key."""
        if self._pending:
            self._settle()
        with self._changed:
            self._runs = (*self._runs, *(run for run in runs if len(run)))
        self._request()

    def swap(self, runs: Mapping[int, Run]) -> None:
        """Puts in place of runs others with the same contents: by the id of the one that goes.  One that is being
        merged, or is not here any more, stays as it is."""
        with self._changed:
            self._runs = tuple(
                run if id(run) in self._merging else runs.get(id(run), run) for run in self._runs
            )

    def _settle(self) -> None:
        """Makes one run of what is pending, and does or asks for the merges that are due then."""
        with self._changed:
            if not self._pending:
                return
            self._runs = (*self._runs, _settled(self.schema, self._pending))
            self._pending, self._pending_rows = [], 0
        if self.store is None and _at_rest(self._runs):
            return
        while self._merge(inline=True):
            pass
        self._request()

    def _request(self) -> None:
        """Asks for the merges that are due."""
        if self._plan(self._runs, None) is None and not self._unspilled():
            return
        worker = self._worker or merge_worker()
        if worker.inline:
            while self.maintain():
                pass
            return
        worker.request(self)
        if len(self._runs) > MAX_RUNS:
            self._wait()

    def _wait(self) -> None:
        """Back-pressure: until merges have caught up."""
        while len(self._runs) > MAX_RUNS:
            if self._merge(inline=False):
                continue
            with self._changed:
                self._raise_failure()
                if not self._merging:
                    return  # nothing is due: the runs are as large as runs may be
                self._changed.wait(1.0)

    def _raise_failure(self) -> None:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def maintain(self) -> bool:
        """Does one merge that is due, or writes one run that should not stay in memory, on the calling thread;
        False when there is nothing to do."""
        return self._merge(inline=False) or self._spill()

    def spill(self) -> bool:
        """Asks for what the store wants to be written, though nothing was inserted; False when there is nothing."""
        if self._unspilled():
            worker = self._worker or merge_worker()
            if worker.inline:
                while self.maintain():
                    pass
            else:
                worker.request(self)
        return self._unspilled()

    def at_rest(self) -> bool:
        """Whether nothing is merged or written, and nothing is due to be; what is due is asked for."""
        if self._pending:
            self._settle()
        else:
            self._request()
        return not self._merging and self._plan(self._runs, None) is None and not self._unspilled()

    def _unspilled(self) -> bool:
        store = self.store
        return store is not None and any(store.wants(run) for run in self._runs)

    def _spill(self) -> bool:
        store = self.store
        if store is None:
            return False
        with self._changed:
            run = next((r for r in self._runs if store.wants(r) and id(r) not in self._merging), None)
            if run is None:
                return False
            self._merging.add(id(run))
        spilled: Run | None = None
        try:
            spilled = store.spill(run)
        finally:
            with self._changed:
                self._merging.discard(id(run))
                if spilled is not None:
                    self._install((run,), spilled)
                self._changed.notify_all()
        if spilled is None:
            return False
        nbytes = run.nbytes
        del run
        store.released(nbytes)
        return True

    def failed(self, error: Exception) -> None:
        """A merge on the worker's thread has failed: the next insert raises `error`.  The runs are as they were."""
        self._failure = error

    def _merge(self, *, inline: bool) -> bool:
        with self._changed:
            span = self._plan(self._runs, INLINE_ROWS if inline else None)
            if span is None:
                return False
            since = self._since
            chosen = self._runs[span[0] : span[1]]
            if not inline:
                chosen = past_runs(chosen, since)
            ids = {id(run) for run in chosen}
            self._merging |= ids  # no other merge takes these: several threads may merge, each its own runs
        merged: Run | None = None
        try:
            merged = merge_runs(chosen, since, self.sums, self._identity)
        finally:
            with self._changed:
                self._merging -= ids
                if merged is not None:
                    self._install(chosen, merged)
                self._changed.notify_all()
        del chosen
        if merged is not None and not inline:
            release_merged(len(merged))
        return True

    def _install(self, chosen: tuple[Run, ...], merged: Run) -> None:
        """Puts `merged` where `chosen` stands, unless `load` has replaced everything meanwhile."""
        runs = self._runs
        at = next((i for i, run in enumerate(runs) if run is chosen[0]), len(runs))
        stop = at + len(chosen)
        if len(runs) < stop or any(a is not b for a, b in zip(runs[at:stop], chosen, strict=True)):
            return
        self._runs = (*runs[:at], *((merged,) if len(merged) else ()), *runs[stop:])

    def _plan(self, runs: tuple[Run, ...], limit: int | None) -> tuple[int, int] | None:
        """The newest neighbouring runs, as positions [start, stop), that are due to become one.

        A run is due to absorb what is newer as soon as that is more than half its size, and tiny ones as soon as
        there are enough of them.  `limit` bounds the rows of the result (for merges by the inserting thread).
        """
        stop = len(runs)
        while stop > 1:
            start = stop - 1
            if id(runs[start]) in self._merging:
                stop -= 1
                continue
            rows = len(runs[start])
            while start > 0 and id(runs[start - 1]) not in self._merging:
                older = len(runs[start - 1])
                if older >= 2 * rows or (limit is not None and rows + older > limit):
                    break
                if rows + older > INLINE_ROWS and _nbytes(runs[start - 1 : stop]) > MAX_RUN_BYTES:
                    break
                rows, start = rows + older, start - 1
            if stop - start >= (GATHERED if rows <= INLINE_ROWS else 2):
                return start, stop
            if limit is not None:
                return None
            stop -= 1
        return None

    def probe(
        self,
        keys: Sequence[pa.Array],
        hashes: Words,
        *,
        exact: bool = False,
        columns: Sequence[int] | None = None,
    ) -> Matches:
        """All rows whose key equals that of a probe row.

        `keys` are columns of the types of this spine's key, in its order, `hashes` theirs.  NULL equals NULL
        here: a caller that wants `=` leaves rows with NULL keys out.  With `exact`, -0.0 differs from 0.0.
        With `columns`, rows have these only: to gather one costs as much as to find them.
        """
        found = list(self.probe_chunks(keys, hashes, exact=exact, columns=columns))
        if not found:
            nothing = empty_batch(self.schema)
            return Matches(np.empty(0, np.int64), nothing if columns is None else nothing.select(columns))
        if len(found) == 1:
            return found[0]
        return Matches(
            np.concatenate([matches.probe for matches in found]),
            concat_batches(self.schema, [matches.rows for matches in found]),
        )

    def probe_chunks(
        self,
        keys: Sequence[pa.Array],
        hashes: Words,
        *,
        exact: bool = False,
        columns: Sequence[int] | None = None,
        limit: int = PROBE_ROWS,
    ) -> Iterator[Matches]:
        """As `probe`, in pieces of at most `limit` pairs, none of them empty."""
        if not len(hashes):
            return iter(())  # what is pending stays so
        return probe_runs(self.runs, self.key, keys, hashes, exact=exact, columns=columns, limit=limit)


def _nbytes(runs: Sequence[Run]) -> int:
    return sum(run.nbytes for run in runs)


def _at_rest(runs: tuple[Run, ...]) -> bool:
    """Whether the newest of `runs` makes no merge due: most often it does not, and to plan one costs more than to see
    this.  Where others were due without it, they have been asked for."""
    at, rows = len(runs) - 1, len(runs[-1].hashes)
    while at and len(runs[at - 1].hashes) < 2 * rows:
        at, rows = at - 1, rows + len(runs[at - 1].hashes)
        if rows > INLINE_ROWS or len(runs) - at >= GATHERED:
            return False
    return len(runs) <= MAX_RUNS


def _settled(schema: Schema, pending: Sequence[tuple[Words, Batch]]) -> Run:
    """One run of insertions, in their order where their hashes are equal."""
    if len(pending) == 1:
        hashes, batch = pending[0]
    else:
        hashes = np.concatenate([hashes for hashes, _ in pending])
        batch = concat_batches(schema, [batch for _, batch in pending])
    return run_of(batch, hashes)


def run_of(batch: Batch, hashes: Words) -> Run:
    """Updates with the hashes of their keys as a run."""
    times, diffs = repeated(batch.times), repeated(batch.diffs)
    if not (hashes[1:] < hashes[:-1]).any():
        return Run(hashes, Batch(batch.columns, times, diffs))  # what operators insert by group is in order
    order = hash_order(hashes)
    columns = buffers.take(batch.columns, order)
    return Run(hashes[order], Batch(columns, picked(times, order), picked(diffs, order)))


def probe_runs(
    runs: Sequence[Run],
    key: tuple[int, ...],
    keys: Sequence[pa.Array],
    hashes: Words,
    *,
    exact: bool = False,
    columns: Sequence[int] | None = None,
    limit: int = PROBE_ROWS,
) -> Iterator[Matches]:
    """As `Spine.probe_chunks`, over a handle: the runs of a spine with this `key` as of some moment."""
    if not len(hashes):
        return
    positions: Indices | None = None
    if len(hashes) > _SORTED_PROBES and (hashes[1:] < hashes[:-1]).any():
        positions = hash_order(hashes)
        hashes = hashes[positions]
    for run in runs:
        key_columns = [run.batch.columns[i] for i in key]
        for probe, rows in run.pairs(hashes, limit):
            if positions is not None:
                probe = positions[probe]
            if key_columns:
                equal = rows_equal(keys, probe, key_columns, rows, exact=exact)
                if not equal.all():
                    probe, rows = probe[equal], rows[equal]
            if not len(probe):
                continue
            if columns is None:
                yield Matches(probe, run.batch.take(rows))
                continue
            wanted = buffers.take([run.batch.columns[i] for i in columns], rows)
            yield Matches(probe, Batch(wanted, run.batch.times[rows], run.batch.diffs[rows]))
