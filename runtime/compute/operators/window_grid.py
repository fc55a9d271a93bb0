"""The grid of a step: the distinct rows of each partition by its points in time, and what changes between them.

```
              before   @3    @7              line of the partition before the step:  a b b
    row a        1      1     0              after its segment at 3:                 a b c
    row b        2      1     1              after its segment at 7:                 b c
    row c        0      1     1
```
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...repr.batch import Batch, Indices, Mask, Times
from ...repr.equality import rows_equal
from ...repr.order import dense_ranks, order_keys
from ..plan import WindowOp
from .segments import Segments
from .window_calls import Values
from .window_layout import Ints, Layout, changes, layout


@dataclass(frozen=True, slots=True)
class Grid:
    """The lines of a step: a layout whose line is one partition at one point in time.

    `point` int64[n]: the point of each position, numbered through all partitions; `times` uint64: that of each
    point (of the first one of a partition, which is before the step, meaningless).  `next` int64[n]: where the same
    occurrence of the same row stands at the partition's next point, or -1; `last` bool[n]: there is no next point.
    """

    layout: Layout
    point: Ints
    times: Times
    next: Ints
    first: Mask
    last: Mask

    def changed(self, values: Values) -> tuple[Indices, Indices]:
        """Positions whose row goes after their point, and those whose row comes with it."""
        goes, comes = ~self.last, ~self.first
        stays = np.flatnonzero(self.next >= 0)
        if len(stays):
            following = self.next[stays]
            same = rows_equal(values.columns, stays, values.columns, following, exact=True)
            if values.errors is not None:
                failed = np.zeros(len(self.point), np.bool_)
                failed[values.errors.indices] = True
                same &= ~failed[stays] & ~failed[following]
            goes[stays[same]] = False
            comes[following[same]] = False
        return np.flatnonzero(goes), np.flatnonzero(comes)


@dataclass(frozen=True, slots=True)
class _Entries:
    """The distinct rows by group, then in the window's order.

    `rows` int64[e]: a position in the combined batch; `group` int64[e]; `peers` int64[e] changes where the order key
    does.  `of` int64[n]: the entry of each row of the combined batch.
    """

    rows: Indices
    group: Ints
    peers: Ints
    of: Indices


@dataclass(frozen=True, slots=True)
class _Cells:
    """Entries by points, ordered by group, then point, then entry: `counts`, `entry`, `point` (within the group)
    and `height` (the entries of the group), int64 each."""

    counts: Ints
    entry: Ints
    point: Ints
    height: Ints


def grid_of(op: WindowOp, combined: Batch, old: Ints, of_rows: Indices, segments: Segments) -> Grid:
    """`combined` is the rows held, of groups `old`, and behind them the step's, of segments `of_rows`."""
    entries = _entries(op, combined, np.concatenate((old, segments.group[of_rows])))
    points = segments.sizes() + 1  # before the step, then after each segment of the group
    cells = _cells(combined, entries, points, of_rows, segments)
    group = entries.group[cells.entry]
    times = np.zeros(int(points.sum()), np.uint64)
    times[np.arange(len(segments.starts)) + segments.group + 1] = segments.times
    counts = cells.counts
    starts = np.cumsum(counts) - counts
    cell = np.repeat(np.arange(len(counts)), counts)
    occurrence = np.arange(len(cell)) - starts[cell]
    first, last = (cells.point == 0)[cell], (cells.point == points[group] - 1)[cell]
    after = np.where(last, cell, cell + cells.height[cell])
    stays = ~last & (occurrence < counts[after])
    following = np.where(stays, starts[after] + occurrence, -1)
    point = ((np.cumsum(points) - points)[group] + cells.point)[cell]
    entry = cells.entry[cell]
    lay = layout(combined, entries.rows[entry], point, entries.peers[entry])
    return Grid(lay, point, times, following, first, last)


def _cells(combined: Batch, entries: _Entries, points: Ints, of_rows: Indices, segments: Segments) -> _Cells:
    e, k = len(entries.rows), len(combined) - len(of_rows)
    width = points[entries.group]
    begins = np.cumsum(width) - width
    counts = np.zeros(int(width.sum()), np.int64)
    np.add.at(counts, begins[entries.of[:k]], combined.diffs[:k])
    point = of_rows - segments.first[segments.group[of_rows]] + 1
    np.add.at(counts, begins[entries.of[k:]] + point, combined.diffs[k:])
    running = np.cumsum(counts)
    running -= np.repeat(running[begins] - counts[begins], width)
    # From "by entry, then point" to "by point, then entry".
    height = np.bincount(entries.group, minlength=segments.groups)
    base = np.cumsum(height * points) - height * points
    local = np.arange(e) - (np.cumsum(height) - height)[entries.group]
    entry = np.repeat(np.arange(e), width)
    at = np.arange(len(counts)) - begins[entry]
    place = (base[entries.group] + local)[entry] + at * height[entries.group[entry]]
    source = np.empty(len(counts), np.int64)
    source[place] = np.arange(len(counts))
    entry = entry[source]
    return _Cells(np.maximum(running, 0)[source], entry, at[source], height[entries.group[entry]])


def _entries(op: WindowOp, combined: Batch, group: Ints) -> _Entries:
    n = len(combined)
    identity = dense_ranks(combined.columns[: op.width], n)
    keys = [
        key
        for order in op.order
        for key in order_keys(combined.columns[order.index], order.descending, order.nulls_first)
    ]
    by = np.lexsort((identity, *reversed(keys), group))
    new = changes(group[by]) | changes(identity[by])
    of = np.empty(n, np.int64)
    of[by] = np.cumsum(new) - 1
    rows = by[new]
    new_peers = changes(group[rows])
    for key in keys:
        new_peers |= changes(key[rows])
    return _Entries(rows, group[rows], np.cumsum(new_peers), of)
