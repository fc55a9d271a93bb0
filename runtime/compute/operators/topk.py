"""TopK: per group, the rows at places `[offset, offset + limit)` of an order.

A row of multiplicity m takes m places.  Ties fall to the total order of rows, so the answer is a function of the
multiset.  A step looks at all rows of the groups that it touches, and lays out, per group, a grid of rows by points in
time (before the step, then after each of the group's segments): counts run along time, places along the order, and
what changes from one point to the next is the output.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...expr.relation import OrderBy
from ...repr.batch import Batch, Delta, Indices, concat_batches
from ...repr.consolidate import canonical
from ...repr.order import dense_ranks, order_keys
from ...repr.schema import Schema
from ..plan import TopKOp
from ..spine import Spine
from .base import Operator
from .segments import Ints, Segments, segments_of

GRID_CELLS = 1 << 21
"""A step that would need a larger grid because of its many times is cut in two by time."""


@dataclass(frozen=True, slots=True)
class _Entries:
    """The distinct rows of touched groups, by group and then in order.

    `rows` int64[e]: a position in the combined batch; `group` int64[e].  `of` int64[k]: the entry of each row of
    the combined batch.
    """

    rows: Indices
    group: Indices
    of: Indices


class TopK(Operator):
    def __init__(self, op: TopKOp, schema: Schema) -> None:
        super().__init__(schema)
        self._op = op
        self._spine = Spine(schema, op.group)
        self._spines = {"rows": self._spine}

    def spines(self) -> dict[str, Spine]:
        return self._spines

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        (batch,) = oks
        if self._op.limit is None and self._op.offset == 0:
            return self.delta(batch)
        return self.delta(self._top(batch))

    def _top(self, batch: Batch) -> Batch:
        keys = tuple(canonical(batch.columns[i]) for i in self._op.group)
        segments = segments_of(batch, keys)
        if not segments.single and (cut := self._cut(batch, segments)) is not None:
            early = batch.times < cut
            parts = [self._top(batch.filter(early)), self._top(batch.filter(~early))]
            return concat_batches(self.schema, parts)
        head_index = pa.array(segments.heads)
        of_rows = segments.of_rows()
        group = segments.group[of_rows]
        old = self._spine.probe(tuple(key.take(head_index) for key in keys), segments.hashes)
        self._spine.insert(
            Batch(batch.columns, np.zeros(len(batch), np.uint64), batch.diffs), segments.hashes[group]
        )
        combined = concat_batches(self.schema, [old.rows, batch])
        entries = self._entries(combined, np.concatenate((old.probe, group)))
        k = len(old)
        before = np.zeros(len(entries.rows), np.int64)
        np.add.at(before, entries.of[:k], old.rows.diffs)
        if not segments.single:
            entries, before = self._pruned(entries, before, k)
        return self._window(combined, entries, before, entries.of[k:], of_rows, batch.diffs, segments)

    def _cut(self, batch: Batch, segments: Segments) -> np.uint64 | None:
        """The time to cut a step at whose grid would be too large, or None."""
        edges = np.append(segments.starts, len(batch))[np.append(segments.first, len(segments.starts))]
        if int((np.diff(edges) * segments.sizes()).sum()) <= GRID_CELLS:
            return None
        times = np.unique(batch.times)
        return np.uint64(times[len(times) // 2]) if len(times) > 1 else None

    def _entries(self, combined: Batch, group: Indices) -> _Entries:
        n = len(combined)
        identity = dense_ranks(combined.columns, n)
        keys = [key for order in self._op.order for key in _keys(combined, order)]
        order = np.lexsort((identity, *reversed(keys), group))
        new = np.ones(n, np.bool_)
        new[1:] = (identity[order][1:] != identity[order][:-1]) | (group[order][1:] != group[order][:-1])
        of = np.empty(n, np.int64)
        of[order] = np.cumsum(new) - 1
        rows = order[new]
        return _Entries(rows, group[rows], of)

    def _pruned(self, entries: _Entries, before: Ints, old: int) -> tuple[_Entries, Ints]:
        """Without the rows that do not change in this step and stand behind `offset + limit` rows of that kind."""
        if self._op.limit is None:
            return entries, before
        stable = np.ones(len(before), np.bool_)
        stable[entries.of[old:]] = False
        ahead = _places(np.where(stable, np.maximum(before, 0), 0), entries.group)
        keep = ~stable | (ahead < self._op.offset + self._op.limit)
        position = np.cumsum(keep) - 1
        return _Entries(entries.rows[keep], entries.group[keep], position[entries.of]), before[keep]

    def _window(
        self,
        combined: Batch,
        entries: _Entries,
        before: Ints,
        entry: Indices,
        segment: Indices,
        diffs: Ints,
        segments: Segments,
    ) -> Batch:
        """Output changes.  Row i of the step is `entry[i]`, in `segment[i]`, with `diffs[i]`."""
        e = len(entries.rows)
        points = segments.sizes() + 1  # before the step, then after each segment of the group
        width = points[entries.group]
        ends = np.cumsum(width)
        begins = ends - width
        counts = np.zeros(int(ends[-1]), np.int64)
        counts[begins] = before
        point = segment - segments.first[segments.group[segment]] + 1
        np.add.at(counts, begins[entry] + point, diffs)
        cell_entry = np.repeat(np.arange(e), width)
        cell_point = np.arange(len(counts)) - begins[cell_entry]
        running = np.cumsum(counts)
        running -= (running[begins] - counts[begins])[cell_entry]
        # The same cells by point and then entry: places run along the entries.
        by_point = np.lexsort((cell_entry, cell_point, entries.group[cell_entry]))
        taken = np.maximum(running, 0)[by_point]
        line = np.cumsum(np.append(0, segments.sizes() + 1))[entries.group[cell_entry]] + cell_point
        start = np.empty(len(counts), np.int64)
        start[by_point] = _places(taken, line[by_point])
        shown = self._shown(start, np.maximum(running, 0))
        change = np.zeros(len(counts), np.int64)
        change[1:] = shown[1:] - shown[:-1]
        change[begins] = 0
        changed = np.flatnonzero(change)
        at = segments.first[entries.group[cell_entry[changed]]] + cell_point[changed] - 1
        index = pa.array(entries.rows[cell_entry[changed]])
        return Batch(
            tuple(column.take(index) for column in combined.columns), segments.times[at], change[changed]
        )

    def _shown(self, start: Ints, count: Ints) -> Ints:
        """How many of the places `[start, start + count)` are in the window."""
        low = np.maximum(start, self._op.offset)
        high = start + count
        if self._op.limit is not None:
            high = np.minimum(high, self._op.offset + self._op.limit)
        shown: Ints = np.maximum(high - low, 0)
        return shown


def _places(counts: Ints, line: Indices) -> Ints:
    """The sum of `counts` before each one on its line; lines are contiguous and ascending."""
    total = np.cumsum(counts) - counts
    first = np.searchsorted(line, line, side="left") if len(line) else line
    places: Ints = total - total[first]
    return places


def _keys(batch: Batch, order: OrderBy) -> tuple[Ints, ...]:
    return order_keys(batch.columns[order.index], order.descending, order.nulls_first)
