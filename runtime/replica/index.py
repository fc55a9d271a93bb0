"""An index in memory: the output of a dataflow, arranged by key, readable at any time from its `since` on.

Other dataflows of the replica may share its rows (`sharing`): they read it as of their own frontiers, so `since` stays
behind these.

The step thread writes it; `lookup`, `lookup_each` and `errors` may be asked of any thread.  Runs never change, and every write is in an order
in which a time counts as readable only while all of its updates are there, apart: `upper` moves behind the updates below it,
`since` before any of them is advanced.  So a reader takes the runs at hand, and looks at both frontiers before and after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..compute.run import Run, RunFile
from ..compute.run_file import read_run
from ..compute.run_store import INDEX_RUNS
from ..compute.spine import Matches, Spine, probe_runs
from ..errors import ObjectNotReady, PtvcError
from ..repr.batch import Batch, Delta, concat_batches, empty_batch
from ..repr.buffers import Words
from ..repr.consolidate import advance, consolidate
from ..repr.hash import hash_columns
from ..repr.schema import ERROR_SCHEMA, Schema

INDEX_ERRS = "index_errs"

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class HeldRows:
    """All updates that an index holds, for good: in `runs`, and what other workers hold, as it has crossed (`batches`) and in mapped `files`,
    which have `file_rows`."""

    runs: tuple[Run, ...]
    batches: tuple[Batch, ...] = ()
    files: tuple[RunFile, ...] = ()
    file_rows: int = 0

    def __len__(self) -> int:
        return sum(map(len, self.runs)) + sum(map(len, self.batches)) + self.file_rows

    def at(self, schema: Schema, as_of: int) -> Batch:
        """The rows at `as_of`, consolidated."""
        read = (read_run(file, mapped=True) for file in self.files)
        batches = [*(run.batch for run in chain(self.runs, read)), *self.batches]
        return contents(schema, batches, as_of)

    @property
    def mapped(self) -> tuple[RunFile, ...]:
        """What another process maps."""
        return (*(run.file for run in self.runs if run.mapped and run.file is not None), *self.files)

    @property
    def unmapped(self) -> list[Batch]:
        """What is told it."""
        return [*(run.batch for run in self.runs if not run.mapped or run.file is None), *self.batches]


class Index:
    """Invariant: holds every update below `upper`, with times below `since` advanced to it; and `since < upper`, so that
    state as of `upper` is readable at the last time before it."""

    shareable = True
    """Whether other dataflows of this process may read its runs: all rows are among them."""

    def __init__(self, schema: Schema, key: tuple[int, ...]) -> None:
        self.schema = schema
        self._key = key
        self._oks = Spine(schema, key)
        self._errs = Spine(ERROR_SCHEMA, (0, 1))
        self.upper = 0

    @property
    def since(self) -> int:
        return self._oks.since

    def handle(self) -> tuple[Run, ...]:
        """The rows: the object's columns, then the key's."""
        return self._oks.handle()

    def below(self, upper: int) -> list[Run]:
        """The rows' updates at times below `upper`."""
        out = []
        for run in self._oks.handle():
            there = run.batch.times < np.uint64(upper)
            out.append(run if there.all() else Run(run.hashes[there], run.batch.filter(there)))
        return out

    def spines(self) -> dict[str, Spine]:
        """All that it holds, by names that are stable."""
        return {INDEX_RUNS: self._oks, INDEX_ERRS: self._errs}

    def begin(self, as_of: int) -> None:
        """Nothing is held yet; the first insertion has everything as of `as_of`."""
        for spine in self.spines().values():
            spine.advance_since(as_of)
        self.upper = as_of

    def load(self, runs: Mapping[str, Sequence[Run]], upper: int, since: int | None = None) -> None:
        """Takes over what an index of the same key, readable from `since` on (None: at the last time), held at `upper`."""
        since = upper - 1 if since is None else min(since, upper - 1)
        for name, spine in self.spines().items():
            spine.advance_since(since)
            spine.load(runs.get(name, ()))
        self.upper = upper

    def insert(self, delta: Delta, upper: int) -> None:
        if len(delta.oks):
            self._oks.insert(delta.oks)
        if len(delta.errs):
            self._errs.insert(delta.errs)
        self.upper = upper

    def advance_since(self, since: int) -> None:
        """Allows compaction up to `since`, or as far as the index is complete: no reader needs a time before it."""
        since = min(since, self.upper - 1)
        self._oks.advance_since(since)
        self._errs.advance_since(since)

    def errors(self, as_of: int) -> Batch:
        """The errors at `as_of`.  This, like the reads below, raises ObjectNotReady for a time outside `[since, upper)`."""
        return contents(ERROR_SCHEMA, [run.batch for run in self._readable(self._errs, as_of)], as_of)

    def held(self, as_of: int) -> HeldRows:
        """What all rows at `as_of` are among."""
        return HeldRows(self._readable(self._oks, as_of))

    def rows(self, as_of: int) -> Batch:
        """All rows at `as_of`, consolidated."""
        return self.held(as_of).at(self.schema, as_of)

    def keys_of(self, values: Sequence[Sequence[Any]]) -> tuple[pa.Array, ...]:
        """Columns of keys to be looked up, of the values of each."""
        types = (self.schema[place].type.arrow for place in self._key)
        return tuple(pa.array(column, type_) for column, type_ in zip(values, types, strict=True))

    def lookup(self, keys: tuple[pa.Array, ...], as_of: int) -> Batch:
        """The rows at `as_of` whose key equals a row of `keys`."""
        runs = self._readable(self._oks, as_of)
        found = probe_runs(runs, self._key, keys, hash_columns(keys, len(keys[0])))
        return contents(self.schema, [matches.rows for matches in found], as_of)

    def lookup_each(
        self, keys: tuple[pa.Array, ...], as_of: int, columns: Sequence[int]
    ) -> tuple[Batch, Numbers]:
        """These columns of the rows at `as_of` of each key, one behind the other, and the number of the key of each, from 0.  An index in
        several processes raises ManyFound where these are more than an answer to look-ups has."""
        runs = self._readable(self._oks, as_of)
        hashes = hash_columns(keys, len(keys[0]))
        return rows_of_each(self.schema, self._key, runs, keys, hashes, columns, as_of)

    def _readable(self, spine: Spine, as_of: int) -> tuple[Run, ...]:
        """Runs that have, among others, all updates up to `as_of`, told apart from later ones."""
        self._check_readable(as_of)
        runs = spine.handle()
        self._check_readable(as_of)
        return runs

    def _check_readable(self, as_of: int) -> None:
        if not self.since <= as_of < self.upper:
            raise ObjectNotReady(
                f"the index is readable from {self.since} to {self.upper - 1}, not at {as_of}"
            )


class ManyFound(PtvcError):
    """There are more rows than are looked up."""


def contents(schema: Schema, batches: list[Batch], as_of: int) -> Batch:
    """What updates of an index say at `as_of`, consolidated."""
    if not batches:
        return empty_batch(schema)
    batch = concat_batches(schema, batches)
    batch = advance(batch.filter(batch.times <= np.uint64(as_of)), as_of)
    return batch if len(batch) <= 1 else consolidate(batch)


def rows_of_each(
    schema: Schema,
    key: tuple[int, ...],
    runs: Sequence[Run],
    keys: Sequence[pa.Array],
    hashes: Words,
    columns: Sequence[int],
    as_of: int,
) -> tuple[Batch, Numbers]:
    """These columns of the rows at `as_of` of each key, among runs by a `key` of the schema: see `of_each`."""
    probed = list(probe_runs(runs, key, keys, hashes, columns=columns))
    return of_each(schema.project(columns), probed, len(hashes), as_of)


def of_each(schema: Schema, probed: Sequence[Matches], count: int, as_of: int) -> tuple[Batch, Numbers]:
    """What matches of `count` keys say at `as_of`, the rows of each key one behind the other, and the number of the key of each row."""
    if count == 1:
        rows = contents(schema, [matches.rows for matches in probed], as_of)
        return rows, np.zeros(len(rows), np.int64)
    if not probed:
        return empty_batch(schema), np.zeros(0, np.int64)
    rows = concat_batches(schema, [matches.rows for matches in probed])
    numbers = np.concatenate([matches.probe for matches in probed])
    past = np.flatnonzero(rows.times <= np.uint64(as_of))
    order = past[np.argsort(numbers[past], kind="stable")]
    rows, numbers = advance(rows.take(order), as_of), numbers[order]
    if (numbers[1:] > numbers[:-1]).all() and (rows.diffs > 0).all():
        return rows, numbers  # an update of each key, which is the row
    numbered = consolidate(rows.with_columns((pa.array(numbers), *rows.columns)))
    numbers = numbered.columns[0].to_numpy()
    order = np.argsort(numbers, kind="stable")
    ordered = numbered.take(order)
    return ordered.with_columns(ordered.columns[1:]), numbers[order]
