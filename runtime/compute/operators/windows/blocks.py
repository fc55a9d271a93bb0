"""A large partition as blocks: runs of neighbouring rows, with a directory of what each holds.

```
rows in order      a a b c d | d' e e f | g h i ...        blocks are cut between groups of peers
directory          0: 5 rows | 3: 4 rows | 1: ...          id, first order key, rows, groups of peers, sums
```

A step reads the directory of the partitions that it touches, finds the blocks of its rows, and reads those, with as
many rows around them as the window's functions look at.  What the blocks before carry on to them (rows, groups, sums)
is added up from the directory; where that changes, the blocks behind are read too, up to where it is as before.

A partition that has never been large is block 0 and has no directory.  A block that grows is cut, one that is empty
vanishes; rows between the keys of two blocks belong to the former.  A group of peers is never cut, however large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....expr.tree.relation import OrderBy
from ....repr import buffers
from ....repr.batch import Batch, Indices, Mask
from ....repr.order import Key, order_keys
from ....repr.schema import Column, Schema
from ....repr.types import INT8
from ...plan import WindowOp
from ...spine import Spine
from .layout import Ints, changes

BLOCK_ROWS = 128
"""Blocks are cut to so many rows when they have twice as many."""


def directory_spine(op: WindowOp, schema: Schema, width: int) -> Spine:
    """Rows are (partition, block, first order key, groups, `width` sums), their multiplicity the block's rows."""
    partition = [schema[i] for i in op.partition]
    first = [schema[order.index] for order in op.order]
    sums = [Column("sum", INT8, False) for _ in range(1 + width)]
    columns = (*partition, Column("block", INT8, False), *first, *sums)
    at = len(columns) - len(sums)
    return Spine(Schema(columns), tuple(range(len(partition))), tuple(range(at, len(columns))))


@dataclass(frozen=True, slots=True)
class Directory:
    """The blocks of g partitions, by partition and then in order: d of them, at least one each.

    `group`, `block` (its id) int64[d]; `source` int64[d]: its row of `read`, or -1 for a partition without a
    directory; `totals` int64[2 + width, d]: rows, groups of peers, sums.
    """

    group: Ints
    block: Ints
    source: Indices
    totals: Ints
    read: Batch
    keys: int

    def __len__(self) -> int:
        return len(self.group)

    @property
    def first(self) -> Indices:
        """The first block of each partition."""
        return np.flatnonzero(changes(self.group))

    def boundaries(self, order: tuple[OrderBy, ...]) -> tuple[pa.Array, ...]:
        """The first order keys of the blocks `source` >= 0."""
        index = pa.array(self.source[self.source >= 0])
        at = self.keys + 1
        return tuple(column.take(index) for column in self.read.columns[at : at + len(order)])

    def locate(self, order: tuple[OrderBy, ...], batch: Batch, group: Ints) -> Ints:
        """The block of each row of `batch`, of partition `group`, by its place in the directory: int64[n]."""
        first = self.first
        out = first[group]
        known = np.flatnonzero(self.source >= 0)
        if not len(known):
            return out
        keys: list[Key] = []
        for boundary, key in zip(self.boundaries(order), order, strict=True):
            both = pa.concat_arrays([boundary, batch.columns[key.index]])
            keys += order_keys(both, key.descending, key.nulls_first)
        k = len(known)
        is_row = np.arange(k + len(batch)) >= k
        by = np.lexsort((is_row, *reversed(keys), np.concatenate((self.group[known], group))))
        seen = np.cumsum(~is_row[by]) - 1
        rows = np.flatnonzero(is_row[by])
        found = known[np.maximum(seen[rows], 0)]
        mine = by[rows] - k
        fits = (self.group[found] == group[mine]) & (seen[rows] >= 0)
        out[mine[fits]] = found[fits]
        return out

    def loaded(self, touched: Mask, dirty: Mask, reach: int) -> Mask:
        """The blocks to read: those that are touched, those within `reach` rows of them, and those behind the
        `dirty` ones, up to the next that is touched."""
        d = len(self)
        places = np.arange(d)
        begins = changes(self.group)
        rows = np.cumsum(np.where(touched, 0, self.totals[0]))
        start = np.maximum.accumulate(np.where(begins, places, 0))
        last = np.maximum.accumulate(np.where(touched, places, -1))
        out = touched.copy()
        after = (last >= start) & ~touched
        at = np.flatnonzero(after)
        out[at] = dirty[last[at]] | (rows[at - 1] - rows[last[at]] < reach)
        if reach:
            ends = np.append(begins[1:], True)
            end = np.minimum.accumulate(np.where(ends, places, d)[::-1])[::-1]
            following = np.minimum.accumulate(np.where(touched, places, d)[::-1])[::-1]
            at = np.flatnonzero((following <= end) & ~touched)
            out[at] |= rows[following[at] - 1] - rows[at] < reach
        return out

    def units(self, loaded: Mask) -> tuple[Ints, Ints]:
        """Numbers of the runs of neighbouring blocks that are loaded, int64[d] (-1 elsewhere), and the first block
        of each."""
        starts = loaded & (changes(self.group) | ~np.append(False, loaded[:-1]))
        return np.where(loaded, np.cumsum(starts) - 1, -1), np.flatnonzero(starts)

    def carried(self, blocks: Indices) -> Ints:
        """The totals of all blocks of the partition before each of `blocks`: int64[2 + width, len(blocks)]."""
        running = np.cumsum(self.totals, axis=1) - self.totals
        return running[:, blocks] - running[:, self.first[self.group[blocks]]]


def read_directory(
    spine: Spine, op: WindowOp, heads: tuple[pa.Array, ...], hashes: buffers.Words, groups: int
) -> Directory:
    """The directories of the partitions with keys `heads`."""
    keys = len(op.partition)
    found = spine.probe(heads, hashes)
    width = len(spine.sums)
    missing = np.ones(groups, np.bool_)
    group = block = source = np.empty(0, np.int64)
    totals = np.zeros((1 + width, 0), np.int64)
    if len(found):
        blocks = buffers.fixed(found.rows.columns[keys])
        ordered = [
            key
            for i, order in enumerate(op.order)
            for key in order_keys(found.rows.columns[keys + 1 + i], order.descending, order.nulls_first)
        ]
        by = np.lexsort((blocks, *reversed(ordered), found.probe))
        new = changes(found.probe[by]) | changes(blocks[by])
        for key in ordered:
            new |= changes(key[by])
        starts = np.flatnonzero(new)
        parts = [found.rows.diffs, *(buffers.fixed(found.rows.columns[i]) for i in spine.sums)]
        totals = np.stack([np.add.reduceat(part[by], starts) for part in parts])
        kept = np.flatnonzero(totals[0])
        source, totals = by[starts[kept]], totals[:, kept]
        group, block = found.probe[source], blocks[source].astype(np.int64)
        missing[group] = False
    absent = np.flatnonzero(missing)
    if len(absent):
        zeros = np.zeros(len(absent), np.int64)
        group = np.concatenate((group, absent))
        block = np.concatenate((block, zeros))
        source = np.concatenate((source, zeros - 1))
        totals = np.concatenate((totals, np.zeros((1 + width, len(absent)), np.int64)), axis=1)
        by = np.argsort(group, kind="stable")
        group, block, source, totals = group[by], block[by], source[by], totals[:, by]
    return Directory(group, block, source, totals, found.rows, keys)
