"""TopK: per group, the rows at places `[offset, offset + limit)` of an order.

A row of multiplicity m takes m places.  Ties fall to the total order of rows, so the answer is a function of the
multiset.  A step lays out, per group, a grid of rows by points in time (before the step, then after each of the group's
segments): counts run along time, places along the order, and what changes from one point to the next is the output.

Most changes are behind the window.  Of each group a *cutoff* is kept (`cutoffs`), and where all changes of a step are behind it,
the group is not looked at.  Where one is not, all rows of the group are read; if they are many, its *front* is laid out:
some first rows, more than the window needs.

```
all rows of a group, in order   [ window ........ | reserve ........ | behind ........................ ]
                                 `----------- front ---------------'
```

Invariant: every row that is not in the front stands behind all rows that are.  So a change behind the front changes
nothing, one inside it concerns the front alone, and a step costs the size of the front, whatever that of the group.
Deletions use up the reserve; when fewer rows than the window needs are left, at any time of a step, the group is read
as a whole, once, and its front laid out anew.  A group that has a front has no cutoff.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ....repr.batch import Batch, Delta, Indices, Mask, concat_batches
from ....repr.consolidate import canonical
from ....repr.schema import Schema
from ...plan import TopKOp
from ...spine import Matches, Spine
from ..base import Operator
from ..segments import Ints, Segments, segments_of
from .cutoffs import ANYTHING, Cutoffs
from .entries import Entries, entries_of, row_places

RESERVE_ROWS = 64
RESERVE_FACTOR = 4
"""A front holds RESERVE_FACTOR times the rows that the window needs, and RESERVE_ROWS."""

ORDERED_ROWS = 2_000
"""The rows of a larger step are put in the order of their groups, once: all that follows is then quicker."""

GRID_CELLS = 1 << 21
"""A step that would need a larger grid because of its many times is cut in two by time."""


Columns = tuple[pa.Array, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """Updates of some groups: the first `old` of `rows` are of before the step, the others its own.

    `place` int64[n]: the segment from which each counts; `group` int64[n]: its group.
    """

    rows: Batch
    place: Indices
    group: Indices
    old: int
    segments: Segments

    @classmethod
    def of(
        cls, schema: Schema, old: Matches, batch: Batch, which: Indices, of_rows: Indices, segments: Segments
    ) -> Step:
        """From what is held of groups, and the updates `which` of the step, whose segments are `of_rows`."""
        new = batch if len(which) == len(batch) else batch.take(which)
        place = np.concatenate((segments.first[old.probe], of_rows[which]))
        group = place if segments.single else segments.group[place]
        return cls(concat_batches(schema, [old.rows, new]), place, group, len(old), segments)

    def updates(self, rows: Indices, diffs: Ints) -> Batch:
        """These of the rows, with other diffs."""
        columns = buffers.take(self.rows.columns, rows)
        return Batch(columns, np.zeros(len(diffs), np.uint64), diffs)


class TopK(Operator):
    def __init__(self, op: TopKOp, schema: Schema) -> None:
        super().__init__(schema)
        self._op = op
        self._needed = op.offset + (op.limit or 0)
        self._front_rows = RESERVE_FACTOR * self._needed + RESERVE_ROWS
        self._spine = Spine(schema, op.group)
        self._front = Spine(schema, op.group)
        self._cutoffs = Cutoffs(schema, op.group, op.order)
        self._spines = {"rows": self._spine, "front": self._front, "bars": self._cutoffs.spine}

    def spines(self) -> dict[str, Spine]:
        return self._spines

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        (batch,) = oks
        if self._op.limit is None and self._op.offset == 0:
            return self.delta(batch)
        if self._op.limit == 0:
            return self._nothing
        return self.delta(self._top(batch))

    def _top(self, batch: Batch) -> Batch:
        keys = tuple(canonical(batch.columns[i]) for i in self._op.group)
        segments = segments_of(batch, keys)
        if not segments.single and (cut := self._cut(batch, segments)) is not None:
            early = batch.times < cut
            parts = [self._top(batch.filter(early)), self._top(batch.filter(~early))]
            return concat_batches(self.schema, parts)
        heads = buffers.take(keys, segments.heads)
        if len(batch) > ORDERED_ROWS:
            batch, segments = batch.take(segments.order), segments.in_order()
        return self._from_state(batch, segments, heads)

    def _from_state(self, batch: Batch, segments: Segments, heads: Columns) -> Batch:
        """The output of a step that needs no cutting."""
        of_rows = segments.of_rows
        if self._op.limit is None:
            return self._whole_groups(batch, segments, of_rows, heads, np.ones(segments.groups, np.bool_))
        group = segments.group[of_rows]
        cutoffs = self._cutoffs.read(heads, segments)
        concerned = np.zeros(segments.groups, np.bool_)
        concerned[group[self._cutoffs.words(batch.columns) <= cutoffs[group]]] = True
        if not self._front.runs:
            return self._whole_groups(batch, segments, of_rows, heads, concerned, cutoffs)
        near, whole = self._by_fronts(batch, segments, of_rows, heads, concerned)
        rest = self._whole_groups(batch, segments, of_rows, heads, whole, cutoffs)
        return concat_batches(self.schema, [near, rest])

    def _by_fronts(
        self, batch: Batch, segments: Segments, of_rows: Indices, heads: Columns, concerned: Mask
    ) -> tuple[Batch, Mask]:
        """The output for groups whose fronts suffice, and which groups are to be read as a whole: of those without a
        front the ones that are `concerned`."""
        old = self._front.probe(heads, segments.hashes, columns=range(len(self.schema)))
        held = np.zeros(segments.groups, np.int64)
        np.add.at(held, old.probe, old.rows.diffs)
        fronted = held >= self._needed
        group = segments.group[of_rows]
        mine = np.flatnonzero(fronted[group])
        step = Step.of(self.schema, old, batch, mine, of_rows, segments)
        entries = entries_of(step.rows, step.group, step.old, self._op.order)
        here = self._inside(entries)
        inside = mine[here[entries.of()[step.old :]]]
        short = fronted & self._short(segments, held, of_rows[inside], batch.diffs[inside])
        whole = short | (concerned & ~fronted)
        stale = np.flatnonzero((entries.before != 0) & whole[entries.group])
        inside = inside[~short[group[inside]]]
        pieces = [
            batch if len(inside) == len(batch) else batch.take(inside),
            step.updates(entries.rows[stale], -entries.before[stale]),
        ]
        entries = entries.kept(here & (fronted & ~whole)[entries.group])
        places = row_places(np.maximum(entries.after, 0), entries.group)
        long = self._long(entries, places, segments.groups)
        if long.any():
            far = np.flatnonzero(long[entries.group] & (places >= self._front_rows) & (entries.after != 0))
            pieces.append(step.updates(entries.rows[far], -entries.after[far]))
        hashes = segments.hashes[group[inside]] if not any(map(len, pieces[1:])) else None
        self._front.insert(_untimed(concat_batches(self.schema, pieces)), hashes)
        return self._changes(step, entries, places), whole

    def _inside(self, entries: Entries) -> Mask:
        """Which entries stand before the end of their group's front."""
        if not len(entries):
            return np.zeros(0, np.bool_)
        last = np.full(int(entries.group.max()) + 1, -1, np.int64)
        held = np.flatnonzero(entries.before)
        last[entries.group[held]] = held  # ascending: the last one stays
        inside: Mask = np.arange(len(entries)) <= last[entries.group]
        return inside

    def _short(self, segments: Segments, held: Ints, place: Indices, diffs: Ints) -> Mask:
        """Groups whose front, `held` rows and `diffs` in the segments `place`, has, at some time of the step, fewer rows
        than the window needs."""
        deltas = np.zeros(len(segments.starts), np.int64)
        np.add.at(deltas, place, diffs)
        least = held.copy()
        np.minimum.at(least, segments.group, segments.running(held, deltas))
        return least < self._needed

    def _long(self, entries: Entries, places: Ints, groups: int) -> Mask:
        """Groups of so many rows after the step that they have a front, or that their front is too long."""
        long = np.zeros(groups, np.bool_)
        long[entries.group[places + entries.after > 2 * self._front_rows]] = True
        return long

    def _whole_groups(
        self,
        batch: Batch,
        segments: Segments,
        of_rows: Indices,
        heads: Columns,
        which: Mask,
        cutoffs: Ints | None = None,
    ) -> Batch:
        """Takes in the step's rows; returns the output changes of the groups `which`, from all of their rows.

        Without `cutoffs`, those before the step, neither cutoffs nor fronts are kept.
        """
        groups = np.flatnonzero(which)
        found: Matches | None = None
        if len(groups) == segments.groups:
            found = self._spine.probe(heads, segments.hashes)
        elif len(groups):
            found = self._spine.probe(buffers.take(heads, groups), segments.hashes[groups])
            found = Matches(groups[found.probe], found.rows)
        group = segments.group[of_rows]
        self._spine.insert(_untimed(batch), segments.hashes[group])
        if found is None:
            return self._nothing.oks
        step = Step.of(self.schema, found, batch, np.flatnonzero(which[group]), of_rows, segments)
        entries = entries_of(step.rows, step.group, step.old, self._op.order)
        places = row_places(np.maximum(entries.after, 0), entries.group)
        if cutoffs is not None:
            fronted = self._lay_out(step, entries, places)
            after = np.where(fronted, ANYTHING, self._bars_of(step, entries, places))
            self._cutoffs.write(heads, segments, groups, cutoffs[groups], after[groups])
        return self._changes(step, entries, places)

    def _lay_out(self, step: Step, entries: Entries, places: Ints) -> Mask:
        """Lays out the fronts of groups of many rows, which have none; returns which those are."""
        long = self._long(entries, places, step.segments.groups)
        if long.any():
            first = np.flatnonzero(long[entries.group] & (places < self._front_rows) & (entries.after != 0))
            front = step.updates(entries.rows[first], entries.after[first])
            self._front.insert(front, step.segments.hashes[entries.group[first]])
        return long

    def _bars_of(self, step: Step, entries: Entries, places: Ints) -> Ints:
        """The cutoff of each group after the step: int64[g]; of those whose entries these are, the others' are arbitrary."""
        last = np.flatnonzero((places < self._needed) & (places + entries.after >= self._needed))
        cutoffs = np.full(step.segments.groups, ANYTHING)
        cutoffs[entries.group[last]] = self._cutoffs.words(step.rows.columns, entries.rows[last])
        return cutoffs

    def _cut(self, batch: Batch, segments: Segments) -> np.uint64 | None:
        """The time to cut a step at whose grid would be too large, or None."""
        edges = np.append(segments.starts, len(batch))[np.append(segments.first, len(segments.starts))]
        if int((np.diff(edges) * segments.sizes()).sum()) <= GRID_CELLS:
            return None
        times = np.unique(batch.times)
        return np.uint64(times[len(times) // 2]) if len(times) > 1 else None

    def _pruned(self, step: Step, entries: Entries) -> Entries:
        """Without the rows that do not change in this step and stand behind `offset + limit` rows of that kind."""
        if self._op.limit is None:
            return entries
        stable = np.ones(len(entries), np.bool_)
        stable[entries.entry[entries.order >= step.old]] = False
        ahead = row_places(np.where(stable, np.maximum(entries.before, 0), 0), entries.group)
        return entries.kept(~stable | (ahead < self._op.offset + self._op.limit))

    def _changes(self, step: Step, entries: Entries, places: Ints) -> Batch:
        """Output changes.  `places`: the first that each entry takes after the step."""
        if not len(entries):
            return self._nothing.oks
        if step.segments.single:
            return self._changes_at_once(step, entries, places)
        segments = step.segments
        entries = self._pruned(step, entries)
        arrived = np.flatnonzero(entries.order >= step.old)
        entry, updates = entries.entry[arrived], entries.order[arrived]
        segment = step.place[updates]
        points = segments.sizes() + 1  # before the step, then after each segment of the group
        width = points[entries.group]
        ends = np.cumsum(width)
        begins = ends - width
        counts = np.zeros(int(ends[-1]), np.int64)
        counts[begins] = entries.before
        point = segment - segments.first[segments.group[segment]] + 1
        np.add.at(counts, begins[entry] + point, step.rows.diffs[updates])
        cell_entry = np.repeat(np.arange(len(entries)), width)
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
        columns = buffers.take(step.rows.columns, entries.rows[cell_entry[changed]])
        return Batch(columns, segments.times[at], change[changed])

    def _changes_at_once(self, step: Step, entries: Entries, places: Ints) -> Batch:
        """As `_changes`, where every group has one segment: two lines of places, and no grid."""
        was = np.maximum(entries.before, 0)
        old_places = row_places(was, entries.group)
        rows, group, now = entries.rows, entries.group, np.maximum(entries.after, 0)
        if self._op.limit is not None:
            near = np.flatnonzero(np.minimum(places, old_places) < self._needed)
            rows, group, was, now = rows[near], group[near], was[near], now[near]
            places, old_places = places[near], old_places[near]
        shown = self._shown(places, now)
        shown -= self._shown(old_places, was)
        changed = np.flatnonzero(shown)
        columns = buffers.take(step.rows.columns, rows[changed])
        return Batch(columns, step.segments.times[group[changed]], shown[changed])

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
