"""Segments: the (group, time) pairs of a step, so that many times are worked on at once.

```
rows of the step, by group and time     a@3 a@3 a@7 | b@5 | c@3 c@4
segments                                 0   0   1  |  2  |  3   4
groups                                   0   0   0  |  1  |  2   2
```

What a group is worth at the end of a segment is its state before the step plus all of its segments up to that one: a
running sum, taken for all groups at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...repr.batch import Batch, Indices, Times
from ...repr.buffers import Words
from ...repr.consolidate import group_rows
from ...repr.hash import hash_columns

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Segments:
    """`order` int64[n]: the step's rows by group, then time.  `starts` int64[s]: where each segment starts in
    `order`; `group` int64[s]: its group; `times` uint64[s].  `first` int64[g]: the first segment of each group;
    `heads` int64[g]: a row of each group; `hashes` uint64[g]: the hash of its key."""

    order: Indices
    starts: Indices
    group: Indices
    times: Times
    first: Indices
    heads: Indices
    hashes: Words

    @property
    def groups(self) -> int:
        return len(self.first)

    @property
    def single(self) -> bool:
        """Every group has one time only."""
        return len(self.first) == len(self.starts)

    @cached_property
    def lengths(self) -> Ints:
        """Rows per segment: int64[s]."""
        return np.diff(self.starts, append=len(self.order))

    @cached_property
    def of_rows(self) -> Indices:
        """The segment of every row, in the rows' own order: int64[n]."""
        out = np.empty(len(self.order), np.int64)
        out[self.order] = np.repeat(np.arange(len(self.starts)), self.lengths)
        return out

    def in_order(self) -> Segments:
        """The same segments of the rows in this order."""
        order = np.arange(len(self.order))
        heads = self.starts[self.first]
        return Segments(order, self.starts, self.group, self.times, self.first, heads, self.hashes)

    def sizes(self) -> Ints:
        """Segments per group: int64[g]."""
        return np.diff(self.first, append=len(self.starts))

    def sums(self, values: Ints) -> Ints:
        """Per segment, the sum of `values` (int64[n], in the rows' own order)."""
        if not values.strides[0]:  # one value, as the diffs of rows that are only added
            summed: Ints = values[0] * self.lengths
            return summed
        ordered = values[self.order]
        if len(self.starts) == len(ordered):
            return ordered
        return np.add.reduceat(ordered, self.starts)

    def running(self, before: Ints, deltas: Ints) -> Ints:
        """State at the end of each segment: from `before` int64[..., g] and each segment's `deltas`
        int64[..., s]."""
        if self.single:
            return before + deltas
        total = np.cumsum(deltas, axis=-1)  # may wrap, and wraps back in the difference
        offset = before - (total[..., self.first] - deltas[..., self.first])
        return total + offset[..., self.group]

    def previous(self, before: Ints, after: Ints) -> Ints:
        """State before each segment: `before` for a group's first, else that after its last one."""
        if self.single:
            return before
        out = np.empty_like(after)
        out[..., 1:] = after[..., :-1]
        out[..., self.first] = before
        return out


def segments_of(batch: Batch, keys: tuple[pa.Array, ...]) -> Segments:
    """The segments of a batch of at least one row, grouped by `keys` as SQL holds them equal."""
    n = len(batch)
    hashes = hash_columns(keys, n)
    if n == 1:
        zero: Indices = np.zeros(1, np.int64)
        return Segments(zero, zero, zero, batch.times, zero, zero, hashes)
    found = group_rows(keys, hashes, batch.times)
    order, starts = found.order, found.starts
    heads = order[starts]
    times = batch.times
    if (times == times[0]).all():
        groups = np.arange(len(starts))
        return Segments(order, starts, groups, times[heads], groups, heads, hashes[heads])
    ordered = times[order]
    new = np.zeros(n, np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    is_group = np.zeros(n, np.bool_)
    is_group[starts] = True
    segment_starts = np.flatnonzero(new | is_group)
    opens_group = is_group[segment_starts]
    return Segments(
        order,
        segment_starts,
        np.cumsum(opens_group) - 1,
        ordered[segment_starts],
        np.flatnonzero(opens_group),
        heads,
        hashes[heads],
    )
