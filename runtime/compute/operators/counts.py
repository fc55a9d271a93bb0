"""Counts: how often each row occurs, and how a function of that changes.

`distinct`, `threshold` and "does the other side have this key" are all f(count) for an f of one number.  State is a
spine of rows whose diff is their count.  A step's updates are cut into segments of (row, time), and for all of them
at once:  change(segment) = f(count after it) - f(count before it).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...repr import buffers
from ...repr.batch import Batch
from ...repr.buffers import Words
from ...repr.consolidate import canonical
from ...repr.schema import Schema
from ..spine import Spine
from .segments import segments_of

Ints = npt.NDArray[np.int64]


def occurs(counts: Ints) -> Ints:
    """1 where a row occurs; a row whose count is negative for now does not."""
    return (counts > 0).astype(np.int64)


def at_least_zero(counts: Ints) -> Ints:
    return np.maximum(counts, 0)


class Counts:
    """The multiplicity of every row of a collection of `schema`; rows are equal as in SQL (-0.0 is 0.0)."""

    def __init__(self, schema: Schema) -> None:
        self.spine = Spine(schema, tuple(range(len(schema))))

    def of(self, columns: Sequence[pa.Array], hashes: Words) -> Ints:
        """How often each of these rows occurs, by all updates so far: int64[n]."""
        counts = np.zeros(len(hashes), np.int64)
        for matches in self.spine.probe_chunks(columns, hashes, columns=()):
            np.add.at(counts, matches.probe, matches.rows.diffs)
        return counts

    def update(self, batch: Batch, function: Callable[[Ints], Ints]) -> Batch:
        """Takes in the updates of a step; returns those of the collection that maps each row to
        `function(count)`: one per row and time at which it changes."""
        if not len(batch):
            return batch
        batch = batch.with_columns([canonical(column) for column in batch.columns])
        segments = segments_of(batch, batch.columns)
        heads = batch.take(segments.heads)
        before = self.of(heads.columns, segments.hashes)
        sums = segments.sums(batch.diffs)
        after = segments.running(before, sums)
        changes = function(after) - function(segments.previous(before, after))
        net, hashes = _segments_batch(heads, segments.group, segments.times, sums), segments.hashes
        arrived = np.flatnonzero(sums)
        self.spine.insert(net.take(arrived), hashes[segments.group[arrived]])
        changed = np.flatnonzero(changes)
        return Batch(net.columns, net.times, changes).take(changed)

    def appear(self, batch: Batch) -> Batch:
        """Takes in insertions; returns each row that had not occurred before, once, at its first time.  From then on
        it is counted as one, however often it is inserted again."""
        if not len(batch):
            return batch
        batch = batch.with_columns([canonical(column) for column in batch.columns])
        segments = segments_of(batch, batch.columns)
        heads = batch.take(segments.heads)
        new = self.of(heads.columns, segments.hashes) == 0
        come = np.flatnonzero(new[segments.group] & (segments.sums(batch.diffs) > 0))
        if not segments.single:
            group = segments.group[come]
            come = come[np.flatnonzero(np.diff(group, prepend=-1))]
        group = segments.group[come]
        rows = buffers.take(heads.columns, group)
        appeared = Batch(rows, segments.times[come], np.ones(len(come), np.int64))
        self.spine.insert(appeared, segments.hashes[group])
        return appeared


def _segments_batch(
    heads: Batch, group: npt.NDArray[np.int64], times: npt.NDArray[np.uint64], diffs: Ints
) -> Batch:
    """One update per segment: the row of its group, its time, `diffs`."""
    if len(group) == len(heads):
        return Batch(heads.columns, times, diffs)
    index = pa.array(group)
    return Batch(tuple(column.take(index) for column in heads.columns), times, diffs)
