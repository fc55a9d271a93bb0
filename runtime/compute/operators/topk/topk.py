"""TopK: per group, the rows at places `[offset, offset + limit)` of an order.

A row of multiplicity m takes m places.  Ties fall to the total order of rows, so the answer is a function of the
multiset.  A step lays out, per group, a grid of rows by points in time (before the step, then after each of the group's
segments): counts run along time, places along the order, and what changes from one point to the next is the output.

The grid does not need all rows of a group, only its *front*: some first rows, more than the window needs.

```
all rows of a group, in order   [ window ........ | reserve ........ | behind ........................ ]
                                 `----------- front ---------------'
```

Invariant: every row that is not in the front stands behind all rows that are.  So a change behind the front changes
nothing, one inside it concerns the front alone, and a step costs the size of the front, whatever that of the group.
Deletions use up the reserve; when fewer rows than the window needs are left, at any time of a step, the group is read
as a whole, once, and its front laid out anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....expr.relation import OrderBy
from ....repr import buffers
from ....repr.batch import Batch, Delta, Indices, Mask, concat_batches
from ....repr.consolidate import canonical
from ....repr.equality import rows_equal
from ....repr.order import dense_ranks, order_keys, sort_keys
from ....repr.schema import Schema
from ...plan import TopKOp
from ...spine import Spine
from ..base import Operator
from ..segments import Ints, Segments, segments_of

RESERVE_ROWS = 64
RESERVE_FACTOR = 4
"""A front holds RESERVE_FACTOR times the rows that the window needs, and RESERVE_ROWS."""

GRID_CELLS = 1 << 21
"""A step that would need a larger grid because of its many times is cut in two by time."""


Columns = tuple[pa.Array, ...]


@dataclass(frozen=True, slots=True)
class Entries:
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
        self._needed = op.offset + (op.limit or 0)
        self._front_rows = RESERVE_FACTOR * self._needed + RESERVE_ROWS
        self._spine = Spine(schema, op.group)
        self._front = Spine(schema, op.group)
        self._spines = {"rows": self._spine, "front": self._front}

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
        heads = buffers.take(keys, segments.heads)
        return self._from_state(batch, segments, heads)

    def _from_state(self, batch: Batch, segments: Segments, heads: Columns) -> Batch:
        """The output of a step that needs no cutting."""
        if self._op.limit is None:
            return self._whole_groups(batch, segments, heads, np.ones(segments.groups, np.bool_))[0]
        return self._by_front(batch, segments, heads)

    def _by_front(self, batch: Batch, segments: Segments, heads: Columns) -> Batch:
        """The output of a step, from the fronts where they suffice, from whole groups where not."""
        of_rows = segments.of_rows()
        group = segments.group[of_rows]
        old = self._front.probe(heads, segments.hashes, columns=range(len(self.schema)))
        combined = concat_batches(self.schema, [old.rows, batch])
        entries = self._entries(combined, np.concatenate((old.probe, group)))
        k = len(old)
        before = np.zeros(len(entries.rows), np.int64)
        np.add.at(before, entries.of[:k], old.rows.diffs)
        here = self._inside(entries, before)
        inside = here[entries.of[k:]]
        short = self._short(segments, old.probe, old.rows.diffs, np.where(inside, batch.diffs, 0))
        output, refill = self._nothing.oks, self._nothing.oks
        if short.any():
            output, refill = self._whole_groups(batch, segments, heads, short)
            inside &= ~short[group]
        else:
            self._spine.insert(_untimed(batch), segments.hashes[group])
        taken = np.flatnonzero(inside)
        pieces = [batch if len(taken) == len(batch) else batch.take(taken), refill]
        if short.any():
            pieces.append(old.rows.take(np.flatnonzero(short[old.probe])).negate())
        if len(taken):
            used = here & ~short[entries.group]
            change, trimmed = self._fronts(
                combined, entries, before, used, k + taken, of_rows[taken], segments
            )
            output = concat_batches(self.schema, [output, change])
            pieces.append(trimmed)
        hashes = segments.hashes[group[taken]] if not any(map(len, pieces[1:])) else None
        self._front.insert(_untimed(concat_batches(self.schema, pieces)), hashes)
        return output

    def _inside(self, entries: Entries, before: Ints) -> Mask:
        """Which entries stand before the end of their group's front."""
        if not len(entries.group):
            return np.zeros(0, np.bool_)
        last = np.full(int(entries.group.max()) + 1, -1, np.int64)
        held = np.flatnonzero(before)
        last[entries.group[held]] = held  # ascending: the last one stays
        inside: Mask = np.arange(len(before)) <= last[entries.group]
        return inside

    def _short(self, segments: Segments, probe: Indices, held: Ints, diffs: Ints) -> Mask:
        """Groups whose front has, at some time of the step, fewer rows than the window needs."""
        rows = np.zeros(segments.groups, np.int64)
        np.add.at(rows, probe, held)
        after = segments.running(rows, segments.sums(diffs))
        least = rows.copy()
        np.minimum.at(least, segments.group, after)
        return least < self._needed

    def _fronts(
        self,
        combined: Batch,
        entries: Entries,
        before: Ints,
        used: Mask,
        new: Indices,
        segment: Indices,
        segments: Segments,
    ) -> tuple[Batch, Batch]:
        """Output changes of the entries `used`, and what leaves fronts that have grown too long.

        `new` int64[m] are the rows of the step among them, as positions in `combined`, `segment` their segments.
        """
        entry = entries.of[new]
        if not used.all():
            entry = (np.cumsum(used) - 1)[entry]
            entries = Entries(entries.rows[used], entries.group[used], entry)
            before = before[used]
        diffs = combined.diffs[new]
        after = before.copy()
        np.add.at(after, entry, diffs)
        change = self._changes(combined, entries, before, entry, segment, diffs, segments)
        if len(entries.rows) <= 2 * self._front_rows:
            return change, self._nothing.oks
        start = row_places(after, entries.group)
        totals = np.zeros(segments.groups, np.int64)
        np.add.at(totals, entries.group, after)
        long = (totals > 2 * self._front_rows)[entries.group] & (start >= self._front_rows) & (after != 0)
        trimmed = combined.take(entries.rows[long])
        return change, Batch(trimmed.columns, trimmed.times, -after[long])

    def _whole_groups(
        self, batch: Batch, segments: Segments, heads: Columns, which: Mask
    ) -> tuple[Batch, Batch]:
        """Output changes of the groups `which` from all of their rows, and their new fronts."""
        of_rows = segments.of_rows()
        group = segments.group[of_rows]
        places = np.flatnonzero(which)
        old = self._spine.probe(buffers.take(heads, places), segments.hashes[places])
        self._spine.insert(_untimed(batch), segments.hashes[group])
        mine = np.flatnonzero(which[group])
        combined = concat_batches(self.schema, [old.rows, batch.take(mine)])
        entries = self._entries(combined, np.concatenate((places[old.probe], group[mine])))
        k = len(old)
        before = np.zeros(len(entries.rows), np.int64)
        np.add.at(before, entries.of[:k], old.rows.diffs)
        after = before.copy()
        np.add.at(after, entries.of[k:], batch.diffs[mine])
        first = (after != 0) & (row_places(after, entries.group) < self._front_rows)
        front = combined.take(entries.rows[first])
        refill = Batch(front.columns, front.times, after[first])
        if not segments.single:
            entries, before = self._pruned(entries, before, k)
        change = self._changes(
            combined, entries, before, entries.of[k:], of_rows[mine], batch.diffs[mine], segments
        )
        return change, refill

    def _cut(self, batch: Batch, segments: Segments) -> np.uint64 | None:
        """The time to cut a step at whose grid would be too large, or None."""
        edges = np.append(segments.starts, len(batch))[np.append(segments.first, len(segments.starts))]
        if int((np.diff(edges) * segments.sizes()).sum()) <= GRID_CELLS:
            return None
        times = np.unique(batch.times)
        return np.uint64(times[len(times) // 2]) if len(times) > 1 else None

    def _entries(self, combined: Batch, group: Indices) -> Entries:
        n = len(combined)
        if not n:
            return Entries(group, group, group)
        keys = (group, *(key for order in self._op.order for key in _keys(combined, order)))
        order, new = sort_keys(keys)
        ties = np.flatnonzero(~new)
        columns = combined.columns
        if not rows_equal(columns, order[ties - 1], columns, order[ties], exact=True).all():
            # Different rows at the same place of the order: the total order of rows decides.
            order, new = sort_keys((*keys, dense_ranks(columns, n)))
        of = np.empty(n, np.int64)
        of[order] = np.cumsum(new) - 1
        rows = order[new]
        return Entries(rows, group[rows], of)

    def _pruned(self, entries: Entries, before: Ints, old: int) -> tuple[Entries, Ints]:
        """Without the rows that do not change in this step and stand behind `offset + limit` rows of that kind."""
        if self._op.limit is None:
            return entries, before
        stable = np.ones(len(before), np.bool_)
        stable[entries.of[old:]] = False
        ahead = row_places(np.where(stable, np.maximum(before, 0), 0), entries.group)
        keep = ~stable | (ahead < self._op.offset + self._op.limit)
        position = np.cumsum(keep) - 1
        return Entries(entries.rows[keep], entries.group[keep], position[entries.of]), before[keep]

    def _changes(
        self,
        combined: Batch,
        entries: Entries,
        before: Ints,
        entry: Indices,
        segment: Indices,
        diffs: Ints,
        segments: Segments,
    ) -> Batch:
        """Output changes.  Row i of the step is `entry[i]`, in `segment[i]`, with `diffs[i]`."""
        if segments.single:
            return self._changes_at_once(combined, entries, before, entry, diffs, segments)
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
        start[by_point] = row_places(taken, line[by_point])
        shown = self._shown(start, np.maximum(running, 0))
        change = np.zeros(len(counts), np.int64)
        change[1:] = shown[1:] - shown[:-1]
        change[begins] = 0
        changed = np.flatnonzero(change)
        at = segments.first[entries.group[cell_entry[changed]]] + cell_point[changed] - 1
        columns = buffers.take(combined.columns, entries.rows[cell_entry[changed]])
        return Batch(columns, segments.times[at], change[changed])

    def _changes_at_once(
        self,
        combined: Batch,
        entries: Entries,
        before: Ints,
        entry: Indices,
        diffs: Ints,
        segments: Segments,
    ) -> Batch:
        """As `_changes`, where every group has one segment: two lines of places, and no grid."""
        after = before.copy()
        np.add.at(after, entry, diffs)
        was, now = np.maximum(before, 0), np.maximum(after, 0)
        shown = self._shown(row_places(now, entries.group), now)
        shown -= self._shown(row_places(was, entries.group), was)
        changed = np.flatnonzero(shown)
        columns = buffers.take(combined.columns, entries.rows[changed])
        return Batch(columns, segments.times[entries.group[changed]], shown[changed])

    def _shown(self, start: Ints, count: Ints) -> Ints:
        """How many of the places `[start, start + count)` are in the window."""
        low = np.maximum(start, self._op.offset)
        high = start + count
        if self._op.limit is not None:
            high = np.minimum(high, self._op.offset + self._op.limit)
        shown: Ints = np.maximum(high - low, 0)
        return shown


def _untimed(batch: Batch) -> Batch:
    """State is as of the last step: its rows need no times."""
    return Batch(batch.columns, np.zeros(len(batch), np.uint64), batch.diffs)


def row_places(counts: Ints, line: Indices) -> Ints:
    """The sum of `counts` before each one on its line; lines are contiguous and ascending."""
    if not len(line):
        return counts
    total: Ints = np.cumsum(counts)
    total -= counts
    opens = np.flatnonzero(np.concatenate(([True], line[1:] != line[:-1])))
    total -= np.repeat(total[opens], np.diff(opens, append=len(line)))
    return total


def _keys(batch: Batch, order: OrderBy) -> tuple[Ints, ...]:
    return order_keys(batch.columns[order.index], order.descending, order.nulls_first)
