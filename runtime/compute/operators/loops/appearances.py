"""Appearances: the distinct rows of a growing loop, each from one rank on.

A row is held by its derivations, one for every way in which operators make it of other rows, and each of these has a
rank: that of the highest row it is made of, one more when that went round the loop.  A row has a rank too, never less than that of
a derivation which holds it.  So no row holds itself, not even by way of others, and when it has lost all derivations up
to its rank it is known not to stand by itself, whatever else there may be:

```
rank                                  2    3    4    5    6    7
derivations held                                1         1         the row has rank 4
one of rank 2 comes                   .    .    2    .    1    .    and is held at 4, as if it were of that rank
one of rank 3 goes (or of 2, or 4)    .    .    1    .    1    .    it was held at 4
another one goes                      .    .    .    .    1    .    the row goes, at 4, and may come again, at 6
```

Any ranks with that property will do.  Exact iterations (`CountHistory`) are such ranks, the least ones, but there a row moves
whenever a shorter way to it comes or goes, and all moves that was derived from it.  Here a row stays as long as
anything at all holds it that was there before it.

Rows that come are put off while others still go (see `Waves`): a derivation may be gone in the next wave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ....repr.batch import Batch, Indices, Mask, Times, concat_batches, empty_batch
from ....repr.buffers import Words
from ....repr.consolidate import canonical, consolidate, group_rows
from ....repr.hash import hash_columns
from ....repr.order import sort_keys
from ....repr.schema import Schema
from ...spine import Spine
from ..segments import Ints

_PACKED_ROWS = 1_500
"""From so many updates on, to sort them by one number pays."""


@dataclass(frozen=True, slots=True)
class _Derivations:
    """Updates of n derivations of m different rows, `columns` and `hashes` of length m; `row` int64[n] ascending: whose
    each is; `ranks`, `diffs` of length n."""

    columns: tuple[pa.Array, ...]
    hashes: Words
    row: Indices
    ranks: Times
    diffs: Ints


class Appearances:
    """Rows of `schema`; they are equal as in SQL.  No row may have less than zero derivations of a rank, as no
    collection has a row less than zero times."""

    def __init__(self, schema: Schema) -> None:
        every = tuple(range(len(schema)))
        self.spine = Spine(schema, every)
        self._schema = schema
        self._nothing = empty_batch(schema)
        self._put_off = Spine(schema, every)
        self.waiting = False
        """Rows have been put off."""

    def update(self, derivations: Batch, *, coming: bool) -> Batch:
        """Takes in updates of derivations, their ranks in the place of the times; returns those of the rows.

        With `coming` unset these are rows that go.  Set, they are those that were put off, and new ones; no derivation
        goes any more then.
        """
        released = self._release() if coming and self.waiting else self._nothing
        if not len(derivations):
            return released
        changes = self._change(_grouped(derivations), coming=coming)
        return concat_batches(self._schema, [released, changes])

    def _release(self) -> Batch:
        rows = consolidate(concat_batches(self._schema, [run.batch for run in self._put_off.runs]))
        self._put_off.clear()
        self.waiting = False
        return rows

    def _change(self, given: _Derivations, *, coming: bool) -> Batch:
        columns, hashes, row = given.columns, given.hashes, given.row
        count = len(hashes)
        found = self.spine.probe(columns, hashes, columns=())
        held_row, held_rank, held = _sums(found.probe, found.rows.times, found.rows.diffs)
        lowest = _firsts(held_row)
        there = held_row[lowest]
        stands = np.zeros(count, np.bool_)
        rank = np.zeros(count, np.uint64)
        holding = np.zeros(count, np.int64)  # what holds a row at its rank
        stands[there], rank[there], holding[there] = True, held_rank[lowest], held[lowest]
        floor = rank
        off = self._is_put_off(columns, hashes) if self.waiting else None
        if off is not None:
            stands &= ~off
            floor = np.where(off, np.uint64(0), rank)
        ranks = np.maximum(given.ranks, floor[row])
        self.spine.insert(Batch(buffers.take(columns, row), ranks, given.diffs), hashes[row])
        np.add.at(holding, row, given.diffs * (ranks == rank[row]))
        stays = stands & (holding != 0)
        if stays.all():
            return self._nothing
        open_ = ~stays  # whose rank is to be found anew
        old, new = open_[held_row].nonzero()[0], open_[row].nonzero()[0]
        come, come_rank, _ = _sums(
            np.concatenate((held_row[old], row[new])),
            np.concatenate((held_rank[old], ranks[new])),
            np.concatenate((held[old], given.diffs[new])),
        )
        if len(come):
            first = _firsts(come)
            come, come_rank = come[first], come_rank[first]
        gone = (stands & open_).nonzero()[0]
        goes = self._rows(given, gone, rank[gone], -1)
        if coming:
            return concat_batches(self._schema, [goes, self._rows(given, come, come_rank, 1)])
        if off is not None:
            (was,) = off.nonzero()
            self._put(given, was, rank[was], -1)
        self._put(given, come, come_rank, 1)
        return goes

    def _rows(self, given: _Derivations, row: Indices, rank: Times, diff: int) -> Batch:
        if not len(row):
            return self._nothing
        return Batch(buffers.take(given.columns, row), rank, np.full(len(row), diff, np.int64))

    def _put(self, given: _Derivations, row: Indices, rank: Times, diff: int) -> None:
        """Puts off rows that come, or takes them back."""
        if len(row):
            self._put_off.insert(self._rows(given, row, rank, diff), given.hashes[row])
            self.waiting = True

    def _is_put_off(self, columns: Sequence[pa.Array], hashes: Words) -> Mask | None:
        """Which rows wait to come; None for none."""
        found = self._put_off.probe(columns, hashes, columns=())
        if not len(found):
            return None
        counts = np.zeros(len(hashes), np.int64)
        np.add.at(counts, found.probe, found.rows.diffs)
        waits: Mask = counts != 0
        return waits


def _grouped(batch: Batch) -> _Derivations:
    """At least one update."""
    columns = tuple(canonical(column) for column in batch.columns)
    hashes = hash_columns(columns, len(batch))
    if len(batch) == 1:
        return _Derivations(columns, hashes, np.zeros(1, np.int64), batch.times, batch.diffs)
    groups = group_rows(columns, hashes)
    order, starts = groups.order, groups.starts
    heads = order[starts]
    row = np.arange(len(heads))
    if len(heads) < len(order):
        row = row.repeat(np.diff(starts, append=len(order)))
    return _Derivations(
        buffers.take(columns, heads), hashes[heads], row, batch.times[order], batch.diffs[order]
    )


def _sums(row: Indices, rank: Times, diff: Ints) -> tuple[Indices, Times, Ints]:
    """The same updates by row, then rank, one for each that are not zero together."""
    if not len(row):
        return row, rank, diff
    if len(row) < _PACKED_ROWS:
        order = np.lexsort((rank, row))
        row, rank, diff = row[order], rank[order], diff[order]
        new = np.empty(len(row), np.bool_)
        new[0] = True
        new[1:] = (row[1:] != row[:-1]) | (rank[1:] != rank[:-1])
    else:
        order, new = sort_keys((row, rank))
        row, rank, diff = row[order], rank[order], diff[order]
    if not new.all():
        (starts,) = new.nonzero()
        row, rank, diff = row[starts], rank[starts], np.add.reduceat(diff, starts)
    kept = diff != 0
    if not kept.all():
        row, rank, diff = row[kept], rank[kept], diff[kept]
    return row, rank, diff


def _firsts(row: Indices) -> Indices:
    """Where in `row`, ascending, each value is for the first time."""
    new = np.empty(len(row), np.bool_)
    new[:1] = True
    new[1:] = row[1:] != row[:-1]
    return new.nonzero()[0]
