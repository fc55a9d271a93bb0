"""What is in a group at every moment of a step, in order.

```
group a:  before   t=3    t=7          lines: one per group and point, groups one after the other
          point 0  1      2
```

A *point* of a group is before the step, or the end of one of its segments; a *line* is a group at a point.  An
*entry* is a row that is there at some point, equal ones once, in order; a *cell* is an entry in a line, with its count.
Lines are handed out in chunks of points, so that no more than some millions of cells exist at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....repr.batch import Indices
from ....repr.order import dense_ranks, order_keys
from ..segments import Ints, Segments

MAX_CELLS = 1 << 23

SortKey = tuple[pa.Array, bool, bool]
"""(values, descending, nulls first)"""


@dataclass(frozen=True, slots=True)
class Updates:
    """Rows of the touched groups: `group` and `point` int64[n] say from where on row i counts `diffs[i]` times."""

    group: Indices
    point: Indices
    diffs: Ints

    def take(self, rows: Indices) -> Updates:
        return Updates(self.group[rows], self.point[rows], self.diffs[rows])


@dataclass(frozen=True, slots=True)
class Contents:
    """The cells of l lines: line i has those at `[offsets[i], offsets[i + 1])`, in order.

    `lines` int64[l] are their places among all lines of the step; `rows` int64[cells] is a row for each cell's entry,
    `counts` int64[cells] how often it is there, at least once.
    """

    lines: Indices
    offsets: Indices
    rows: Indices
    counts: Ints

    @property
    def totals(self) -> Ints:
        """How many values each line has, repeated ones included: int64[l]."""
        return self.sums(self.counts)

    def sums(self, values: Ints) -> Ints:
        """Per line, the sum of a value per cell."""
        running = np.concatenate((np.zeros(1, values.dtype), np.cumsum(values)))
        sums: Ints = running[self.offsets[1:]] - running[self.offsets[:-1]]
        return sums

    def of_cells(self) -> Indices:
        """The line of each cell, from 0 to l - 1."""
        return np.repeat(np.arange(len(self.lines)), np.diff(self.offsets))


def line_places(segments: Segments) -> tuple[Indices, Indices]:
    """(lines before, lines after) each segment: int64[s] twice."""
    after = np.arange(len(segments.starts)) + segments.group + 1
    return after - 1, after


def contents(
    columns: Sequence[pa.Array],
    order: Sequence[SortKey],
    updates: Updates,
    segments: Segments,
    *,
    distinct: bool,
) -> Iterator[Contents]:
    """All lines of the step, each once.  Rows are equal when all `columns` are, and then count as one with `distinct`;
    they are ordered by `order` and then by the total order of `columns`."""
    points = segments.sizes() + 1
    starts = segments.first + np.arange(segments.groups)
    rows, group, of = _entries(columns, order, updates.group)
    entries = len(rows)
    base = np.zeros(entries, np.int64)
    step = max(1, MAX_CELLS // max(entries, 1))
    last = int(points.max())
    for begin in range(0, last, step):
        width = min(step, last - begin)
        mine = np.flatnonzero((updates.point >= begin) & (updates.point < begin + width))
        counts = np.zeros((entries, width), np.int64)
        np.add.at(counts, (of[mine], updates.point[mine] - begin), updates.diffs[mine])
        counts[:, 0] += base
        np.cumsum(counts, axis=1, out=counts)
        base = counts[:, -1].copy()
        found = _cells(counts, group, begin, points, starts, distinct=distinct)
        yield Contents(found.lines, found.offsets, rows[found.rows], found.counts)


def _entries(
    columns: Sequence[pa.Array], order: Sequence[SortKey], group: Indices
) -> tuple[Indices, Indices, Indices]:
    """(a row of each entry, its group, the entry of each row); entries are in order."""
    n = len(group)
    identity = dense_ranks(columns, n)
    keys = [key for values, down, first in order for key in order_keys(values, down, first)]
    sorted_ = np.lexsort((identity, *reversed(keys), group))
    new = np.ones(n, np.bool_)
    new[1:] = (identity[sorted_][1:] != identity[sorted_][:-1]) | (group[sorted_][1:] != group[sorted_][:-1])
    of = np.empty(n, np.int64)
    of[sorted_] = np.cumsum(new) - 1
    rows = sorted_[new]
    return rows, group[rows], of


def _cells(
    counts: Ints, group: Indices, begin: int, points: Ints, starts: Indices, *, distinct: bool
) -> Contents:
    """The chunk of points from `begin` on: `counts` int64[entries, width]; `rows` of the result are entries."""
    width = counts.shape[1]
    held = np.clip(points - begin, 0, width)  # lines of each group in the chunk
    ends = np.cumsum(held)
    lines = np.repeat(starts + begin - (ends - held), held) + np.arange(int(ends[-1]))
    entry, point = np.nonzero(counts > 0)
    inside = point < held[group[entry]]
    if not inside.all():
        entry, point = entry[inside], point[inside]
    line = (ends - held)[group[entry]] + point
    if width > 1:
        by_line = np.argsort(line, kind="stable")
        entry, point, line = entry[by_line], point[by_line], line[by_line]
    offsets = np.searchsorted(line, np.arange(len(lines) + 1))
    there = np.ones(len(entry), np.int64) if distinct else counts[entry, point]
    return Contents(lines, offsets, entry, there)
