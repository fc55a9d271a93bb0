"""min and max under retractions: the values that are there, per group.

The state of one argument is a spine of (group, value) with multiplicities, indexed by group.  A step looks at all
values of the groups that it touches, ranks them, and finds the lowest and the highest rank that is present at the
end of each segment.  A value is present over intervals of segments; painting all intervals on a line of segments and
keeping the lowest rank costs O(n log n) whatever their lengths, since an interval is covered by two overlapping
blocks of a power of two, which are then halved level by level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...repr.batch import Batch, Indices, Mask
from ...repr.consolidate import canonical
from ...repr.order import order_keys
from ...repr.schema import Schema
from ..spine import Spine
from .segments import Ints, Segments

NONE = np.int64(np.iinfo(np.int64).max)
"""No value is present."""


class Extremes:
    """The values of the input's column `argument`, by group; answers min and max at once."""

    def __init__(self, schema: Schema, keys: int, argument: int) -> None:
        self.argument = argument
        columns = (*schema.columns[:keys], schema[argument])
        self.spine = Spine(Schema(columns), tuple(range(keys)))

    def step(
        self,
        batch: Batch,
        keys: tuple[pa.Array, ...],
        heads: tuple[pa.Array, ...],
        segments: Segments,
        of_rows: Indices,
    ) -> dict[str, pa.Array]:
        """min and max before and after each of s segments (array of 2 s values, NULL where there are none).

        `of_rows` is the segment of each row of `batch`, `keys` its key columns, `heads` the key of each group.
        """
        column = canonical(batch.columns[self.argument])
        rows = of_rows
        diffs = batch.diffs
        if column.null_count:
            valid = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
            index = pa.array(valid)
            column, rows, diffs = column.take(index), rows[valid], diffs[valid]
            keys = tuple(key.take(index) for key in keys)
        old = self.spine.probe(heads, segments.hashes)
        values = column
        if len(old):
            values = pa.concat_arrays([old.rows.columns[-1], column])
        if len(column):
            self.spine.insert(
                Batch((*keys, column), np.zeros(len(column), np.uint64), diffs),
                segments.hashes[segments.group[rows]],
            )
        return self._ranked(values, old.probe, old.rows.diffs, rows, diffs, segments)

    def _ranked(
        self,
        values: pa.Array,
        old_groups: Indices,
        old_diffs: Ints,
        rows: Indices,
        diffs: Ints,
        segments: Segments,
    ) -> dict[str, pa.Array]:
        """`values` are the old ones (of `old_groups`), then the new ones (in the segments `rows`)."""
        if not len(values):
            empty = pa.nulls(2 * len(segments.starts), values.type)
            return {"min": empty, "max": empty}
        place = np.concatenate((segments.first[old_groups], rows))
        group = np.concatenate((old_groups, segments.group[rows]))
        order, new = _sorted(values, group, None if segments.single else place)
        added = np.concatenate((old_diffs, diffs))[order]
        was = np.where(order < len(old_groups), added, 0)
        entries = _Entries(group[order], np.cumsum(new) - 1, place[order], added, np.flatnonzero(new))
        low_before, high_before = entries.before(was, segments.groups)
        low, high = entries.after(segments)
        out = {}
        for name, before, after in (("min", low_before, low), ("max", high_before, high)):
            stacked = np.concatenate((segments.previous(before, after), after))
            missing = stacked == NONE
            stacked[missing] = 0
            index = order[entries.starts[stacked]]
            out[name] = values.take(pa.array(index, mask=missing) if missing.any() else pa.array(index))
        return out


def _sorted(values: pa.Array, group: Indices, place: Indices | None) -> tuple[Indices, Mask]:
    """The permutation by group, value and place; and where, in that order, a new (group, value) begins."""
    keys = order_keys(values)
    packed = _packed(keys, group) if place is None else None
    if packed is not None:
        order = np.argsort(packed)
        ordered = packed[order]
        return order, np.concatenate(([True], ordered[1:] != ordered[:-1]))
    last = () if place is None else (place,)
    order = np.lexsort((*last, *reversed(keys), group))
    new: Mask = np.zeros(len(order), np.bool_)
    new[0] = True
    for key in (group, *keys):
        new[1:] |= key[order[1:]] != key[order[:-1]]
    return order, new


def _packed(keys: tuple[npt.NDArray[Any], ...], group: Indices) -> Ints | None:
    """Group and value in one int64, where they fit: sorting that is several times faster."""
    if len(keys) != 1 or keys[0].dtype.kind not in "iu":
        return None
    low, high = int(keys[0].min()), int(keys[0].max())
    width = high - low + 1
    if width * (int(group.max()) + 1) >= 1 << 62:
        return None
    offset: Ints = (keys[0] - keys[0].dtype.type(low)).astype(np.int64)
    return group * np.int64(width) + offset


@dataclass(frozen=True, slots=True)
class _Entries:
    """Updates by group, rank and place; a rank is a (group, value), numbered in that order.

    Entry i adds `diffs[i]` to the count of `ranks[i]` from segment `place[i]` on.  `starts`: the first of each rank.
    """

    group: Indices
    ranks: Ints
    place: Indices
    diffs: Ints
    starts: Indices

    def before(self, was: Ints, groups: int) -> tuple[Ints, Ints]:
        """Lowest and highest rank present per group, by the diffs `was` alone."""
        low = np.full(groups, NONE)
        high = np.full(groups, NONE)
        present = np.flatnonzero(np.add.reduceat(was, self.starts) > 0)
        group = self.group[self.starts[present]]
        low[group[::-1]] = present[::-1]  # the last assignment wins
        high[group] = present
        return low, high

    def after(self, segments: Segments) -> tuple[Ints, Ints]:
        """Lowest and highest rank present at the end of each segment."""
        if segments.single:
            return self.before(self.diffs, segments.groups)
        ranks, place = self.ranks, self.place
        opens = np.concatenate(([True], ranks[1:] != ranks[:-1]))
        starts = np.flatnonzero(opens | np.concatenate(([True], place[1:] != place[:-1])))
        opens = opens[starts]
        total = np.cumsum(np.add.reduceat(self.diffs, starts))
        opening = np.flatnonzero(opens)
        base = np.zeros(len(opening), np.int64)
        base[1:] = total[opening[1:] - 1]
        count = total - base[np.cumsum(opens) - 1]
        begin = place[starts]
        # A count holds until the rank's next entry, or to the end of its group.
        end = np.append(segments.first, len(segments.starts))[self.group[starts] + 1]
        end[:-1] = np.where(opens[1:], end[:-1], begin[1:])
        present = np.flatnonzero(count > 0)
        begin, end, ranks = begin[present], end[present], ranks[starts][present]
        levels = int(segments.sizes().max()).bit_length()
        low = _paint(begin, end, ranks, len(segments.starts), levels)
        high = _paint(begin, end, -1 - ranks, len(segments.starts), levels)
        return low, np.where(high == NONE, NONE, -1 - high)


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
