"""The grid of a step: the distinct rows of each partition by its points in time, and what changes between them.

```
              before   @3    @7              line of the partition before the step:  a b b
    row a        1      1     0              after its segment at 3:                 a b c
    row b        2      1     1              after its segment at 7:                 b c
    row c        0      1     1
```
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....repr.batch import Batch, Indices, Mask, Times
from ....repr.equality import rows_equal
from ....repr.order import dense_ranks, order_keys
from ...plan import WindowOp
from ..segments import Segments
from .calls import Values
from .layout import Ints, Layout, changes, layout

GRID_CELLS = 1 << 22
"""A step that would need a larger grid because of its many times is cut in two by time."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What stands before each of u units of their partitions: rows and groups of peers int64[u], and sums
    int64[width, u]."""

    rows: Ints
    groups: Ints
    sums: Ints

    def onto(self, lay: Layout, unit: Ints) -> Layout:
        """The layout whose positions are of units `unit`, with what is carried on to each."""
        return replace(
            lay, places=self.rows[unit], groups_before=self.groups[unit], sums_before=self.sums[:, unit]
        )


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
class Entries:
    """The distinct rows by unit, then in the window's order.

    `rows` int64[e]: a position in the combined batch; `unit` int64[e]; `peers` int64[e] changes where the order key
    does.  `of` int64[n]: the entry of each row of the combined batch.  `before`, `after` int64[e]: how often each
    occurs before the step and after it.
    """

    rows: Indices
    unit: Ints
    peers: Ints
    of: Indices
    before: Ints
    after: Ints

    @property
    def occur(self) -> Mask:
        """Which occur before the step or after it."""
        mask: Mask = (self.before != 0) | (self.after != 0)
        return mask


@dataclass(frozen=True, slots=True)
class Cells:
    """Entries by points, ordered by unit, then point, then entry: `counts`, `entry`, `point` (within the unit)
    and `height` (the entries of the unit), int64 each.  `points` int64[u] are the points of each unit."""

    counts: Ints
    entry: Ints
    point: Ints
    height: Ints
    points: Ints


@dataclass(frozen=True, slots=True)
class Lines:
    """What a step looks at: `batch`, the rows held and behind them the step's, of segments `of_rows`; the `unit` of
    each row, int64[n]; and the group of each unit, `groups` int64[u], ascending.  A unit is a partition, or a
    part of one: some blocks, of which each row has one, `block` int64[n]."""

    batch: Batch
    unit: Ints
    groups: Ints
    of_rows: Indices
    segments: Segments
    block: Ints | None = None

    @property
    def cells(self) -> int:
        """A bound on the size of the grid."""
        points = self.segments.sizes()[self.groups] + 1
        return int(points[self.unit].sum())


def grid_of(entries: Entries, cells: Cells, lines: Lines, carried: Carried | None = None) -> Grid:
    """`carried` is what the rows of the partition before a unit add up to."""
    segments = lines.segments
    counts, points = cells.counts, cells.points
    first_point = np.cumsum(points) - points
    unit_of_point = np.repeat(np.arange(len(points)), points)
    within = np.arange(len(unit_of_point)) - first_point[unit_of_point]
    times = segments.times[segments.first[lines.groups[unit_of_point]] + np.maximum(within - 1, 0)]
    starts = np.cumsum(counts) - counts
    cell = np.repeat(np.arange(len(counts)), counts)
    occurrence = np.arange(len(cell)) - starts[cell]
    unit = entries.unit[cells.entry]
    first, last = (cells.point == 0)[cell], (cells.point == points[unit] - 1)[cell]
    after = np.where(last, cell, cell + cells.height[cell])
    stays = ~last & (occurrence < counts[after])
    following = np.where(stays, starts[after] + occurrence, -1)
    point = (first_point[unit] + cells.point)[cell]
    entry = cells.entry[cell]
    lay = layout(lines.batch, entries.rows[entry], point, entries.peers[entry])
    if carried is not None:
        lay = carried.onto(lay, unit[cell])
    return Grid(lay, point, times, following, first, last)


def cells_of(op: WindowOp, lines: Lines) -> tuple[Entries, Cells]:
    rows, unit, peers, of = _entries(op, lines)
    segments, of_rows = lines.segments, lines.of_rows
    points = segments.sizes()[lines.groups] + 1  # before the step, then after each segment of the group
    e, k = len(rows), len(lines.batch) - len(of_rows)
    width = points[unit]
    begins = np.cumsum(width) - width
    counts = np.zeros(int(width.sum()), np.int64)
    np.add.at(counts, begins[of[:k]], lines.batch.diffs[:k])
    point = of_rows - segments.first[segments.group[of_rows]] + 1
    np.add.at(counts, begins[of[k:]] + point, lines.batch.diffs[k:])
    running = np.cumsum(counts)
    running -= np.repeat(running[begins] - counts[begins], width)
    np.maximum(running, 0, out=running)
    # From "by entry, then point" to "by point, then entry".
    height = np.bincount(unit, minlength=len(points))
    base = np.cumsum(height * points) - height * points
    local = np.arange(e) - (np.cumsum(height) - height)[unit]
    entry = np.repeat(np.arange(e), width)
    at = np.arange(len(counts)) - begins[entry]
    place = (base[unit] + local)[entry] + at * height[unit[entry]]
    source = np.empty(len(counts), np.int64)
    source[place] = np.arange(len(counts))
    entries = Entries(rows, unit, peers, of, running[begins], running[begins + width - 1])
    entry = entry[source]
    return entries, Cells(running[source], entry, at[source], height[unit[entry]], points)


def _entries(op: WindowOp, lines: Lines) -> tuple[Indices, Ints, Ints, Indices]:
    """Of a row that has gone from one block to another, updates that come to nothing may be left in the first: so
    rows of different blocks are different entries."""
    combined, unit = lines.batch, lines.unit
    n = len(combined)
    identity = dense_ranks(combined.columns[: op.width], n)
    keys = [
        key
        for order in op.order
        for key in order_keys(combined.columns[order.index], order.descending, order.nulls_first)
    ]
    minor = () if lines.block is None else (lines.block,)
    by = np.lexsort((*minor, identity, *reversed(keys), unit))
    new = changes(unit[by]) | changes(identity[by])
    for block in minor:
        new |= changes(block[by])
    of = np.empty(n, np.int64)
    of[by] = np.cumsum(new) - 1
    rows = by[new]
    new_peers = changes(unit[rows])
    for key in keys:
        new_peers |= changes(key[rows])
    return rows, unit[rows], np.cumsum(new_peers), of
