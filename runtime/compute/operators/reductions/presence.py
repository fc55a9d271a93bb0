"""Which values are present when: values of groups in order, each with how often it occurs from which segment on.

A value is present over intervals of segments.  To find the first value that is present at the end of each segment, all
intervals are painted on a line of segments, and the lowest rank is kept: O(n log n) whatever their lengths, since an
interval is covered by two overlapping blocks of a power of two, which are then halved level by level.  Where every
group has one segment only, sums are enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ....repr.batch import Indices, Mask
from ....repr.order import changes, sort_keys, total_keys
from ..segments import Ints, Segments

Extreme = Literal["min", "max"]

Ends = dict[Extreme, Ints]

NONE = np.int64(np.iinfo(np.int64).max)
"""No value is present."""


@dataclass(frozen=True, slots=True)
class Values:
    """n updates of values: `column`, no NULLs; int64[n] the `group`, the segment `place` from which it counts, `diffs`.

    The first `old` of them are of before the step.
    """

    column: pa.Array
    group: Indices
    place: Indices
    diffs: Ints
    old: int

    def __len__(self) -> int:
        return len(self.group)

    def kept(self, mask: Mask) -> Values:
        """Those that `mask` says; none of them are old."""
        assert not self.old
        return self.taken(np.flatnonzero(mask))

    def taken(self, rows: Indices) -> Values:
        """Those at the positions `rows`, ascending."""
        (column,) = buffers.take((self.column,), rows)
        old = int(rows.searchsorted(self.old))
        return Values(column, self.group[rows], self.place[rows], self.diffs[rows], old)

    def at_positions(self, positions: Indices) -> pa.Array:
        """The values at `positions`; NULL where that is NONE."""
        missing = positions == NONE
        if not missing.any():
            return buffers.take((self.column,), positions)[0]
        if missing.all():
            return pa.nulls(len(positions), self.column.type)
        return self.column.take(pa.array(np.where(missing, 0, positions), mask=missing))


@dataclass(frozen=True, slots=True)
class Entries:
    """The distinct values of groups, by group and then in order: e entries.

    `rows` int64[e]: a position of each among the values; `group` int64[e]; `was` and `now` int64[e]: how often it occurs
    before and after the step.  `history`: where groups have several segments, every update.
    """

    rows: Indices
    group: Indices
    was: Ints
    now: Ints
    history: History | None

    def kept(self, mask: Mask) -> Entries:
        """Only the entries that `mask` says."""
        if mask.all():
            return self
        history = self.history
        if history is not None:
            updates = mask[history.entry]
            entry = (np.cumsum(mask) - 1)[history.entry[updates]]
            history = History(entry, history.place[updates], history.diffs[updates])
        return Entries(self.rows[mask], self.group[mask], self.was[mask], self.now[mask], history)

    def before(self, groups: int) -> Ends:
        """The lowest and the highest entry present per group before the step: int64[groups] each."""
        return self._ends(self.was > 0, groups)

    def after(self, segments: Segments) -> Ends:
        """The lowest and the highest entry present at the end of each segment: int64[s] each."""
        if self.history is None:
            return self._ends(self.now > 0, segments.groups)
        begin, end, entry = self.history.intervals(self.group, segments)
        levels = int(segments.sizes().max()).bit_length()
        low = _paint(begin, end, entry, len(segments.starts), levels)
        high = _paint(begin, end, -1 - entry, len(segments.starts), levels)
        return {"min": low, "max": np.where(high == NONE, NONE, -1 - high)}

    def plain(self, names: Iterable[Extreme], groups: int) -> Mask:
        """Of which groups, in all these directions, the first entry that occurs after the step (there is one) is
        present."""
        occur = self._ends(self.now != 0, groups)
        plain: Mask = occur["min"] != NONE
        for name in names:
            plain[plain] = self.now[occur[name][plain]] > 0
        return plain

    def up_to_last(self, name: Extreme, groups: int) -> Mask:
        """Which entries do not stand behind all those of their group that occur before the step."""
        last = self._ends(self.was != 0, groups)["max" if name == "min" else "min"]
        bound = last[self.group]
        entry = np.arange(len(self.rows))
        within: Mask = (entry <= bound if name == "min" else entry >= bound) & (bound != NONE)
        return within

    def first(self, name: Extreme, limits: Ints) -> Indices:
        """Of each group, the first `limits[group]` entries that occur after the step."""
        occur = np.flatnonzero(self.now)
        chosen: Indices = occur[self._ahead(occur, name, len(limits))[0] < limits[self.group[occur]]]
        return chosen

    def behind(self, name: Extreme, limit: int, groups: int) -> Indices:
        """Of groups with more than twice `limit` entries after the step, all but the first `limit`."""
        if len(self.rows) <= 2 * limit:
            return self.rows[:0]
        occur = np.flatnonzero(self.now)
        ahead, sizes = self._ahead(occur, name, groups)
        chosen: Indices = occur[(ahead >= limit) & (sizes[self.group[occur]] > 2 * limit)]
        return chosen

    def _ahead(self, occur: Indices, name: Extreme, groups: int) -> tuple[Ints, Ints]:
        """How many of the entries `occur` stand ahead of each in its group; and how many there are per group."""
        group = self.group[occur]
        sizes = np.bincount(group, minlength=groups)
        place = np.arange(len(occur)) - (np.cumsum(sizes) - sizes)[group]
        return (place if name == "min" else sizes[group] - 1 - place), sizes

    def _ends(self, present: Mask, groups: int) -> Ends:
        """The lowest and the highest of the entries that are `present` per group, NONE without any."""
        low, high = np.full(groups, NONE), np.full(groups, NONE)
        entries = np.flatnonzero(present)
        if len(entries):
            group = self.group[entries]
            edges = np.flatnonzero(group[1:] != group[:-1])
            first = np.concatenate((entries[:1], entries[edges + 1]))
            low[self.group[first]] = first
            last = np.concatenate((entries[edges], entries[-1:]))
            high[self.group[last]] = last
        return {"min": low, "max": high}


@dataclass(frozen=True, slots=True)
class History:
    """n updates by entry and then by segment: `diffs` of `entry` from the segment `place` on; int64[n] each."""

    entry: Indices
    place: Indices
    diffs: Ints

    def intervals(self, group: Indices, segments: Segments) -> tuple[Indices, Indices, Indices]:
        """(begin, end, entry): the entry, of `group[entry]`, is present at the end of the segments [begin, end)."""
        entry, place = self.entry, self.place
        if not len(entry):
            return entry, entry, entry
        opens = np.concatenate(([True], entry[1:] != entry[:-1]))
        starts = np.flatnonzero(opens | np.concatenate(([True], place[1:] != place[:-1])))
        opens = opens[starts]
        total = np.cumsum(np.add.reduceat(self.diffs, starts))
        opening = np.flatnonzero(opens)
        base = np.zeros(len(opening), np.int64)
        base[1:] = total[opening[1:] - 1]
        count = total - base[np.cumsum(opens) - 1]
        begin, entry = place[starts], entry[starts]
        # A count holds until the entry's next update, or to the end of its group.
        end = np.append(segments.first, len(segments.starts))[group[entry] + 1]
        end[:-1] = np.where(opens[1:], end[:-1], begin[1:])
        present = np.flatnonzero(count > 0)
        return begin[present], end[present], entry[present]


@dataclass(frozen=True, slots=True)
class Order:
    """`order` int64[n]: values by group, value and place; `new` bool[n]: where in it an entry begins; `entry`
    int64[n]: the number of the entry there."""

    order: Indices
    new: Mask
    entry: Indices

    def entry_of(self) -> Indices:
        """The entry of every value, as they came: int64[n]."""
        out = np.empty(len(self.order), np.int64)
        out[self.order] = self.entry
        return out


def order_of(values: Values, segments: Segments) -> Order:
    """The order of at least one value."""
    keys = (values.group, *total_keys(values.column))
    if segments.single:
        order, new = sort_keys(keys)
    else:
        order, _ = sort_keys((*keys, values.place))
        new = changes(keys, order)
    return Order(order, new, np.cumsum(new) - 1)


def entries_of(values: Values, order: Order, segments: Segments) -> Entries:
    """The entries of values in that order."""
    rows = order.order[order.new]
    now = values.diffs[rows]
    # Most entries are one update.  Adding the few others to them is faster than sums over all (`reduceat`).
    more = np.flatnonzero(~order.new)
    np.add.at(now, order.entry[more], values.diffs[order.order[more]])
    was = now.copy()
    arrived = np.flatnonzero(order.order >= values.old)
    np.subtract.at(was, order.entry[arrived], values.diffs[order.order[arrived]])
    history = None
    if not segments.single:
        history = History(order.entry, values.place[order.order], values.diffs[order.order])
    return Entries(rows, values.group[rows], was, now, history)


def _paint(begin: Indices, end: Indices, ranks: Ints, width: int, levels: int) -> Ints:
    """For each of `width` places, the lowest of `ranks` whose interval [begin, end) covers it."""
    table = np.full((levels, width), NONE)
    level = np.frexp((end - begin).astype(np.float64))[1].astype(np.int64) - 1
    block = np.int64(1) << level
    np.minimum.at(table, (level, begin), ranks)
    np.minimum.at(table, (level, end - block), ranks)
    for at in range(levels - 1, 0, -1):
        half = 1 << (at - 1)
        np.minimum(table[at - 1], table[at], out=table[at - 1])
        np.minimum(table[at - 1, half:], table[at, :-half], out=table[at - 1, half:])
    lowest: Ints = table[0]
    return lowest
