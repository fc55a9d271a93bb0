"""Settled groups: those whose extremes are found without putting their values in order.

The lowest value of all updates of a group is its minimum when it occurs once or more; only where it does not (it was
retracted, and what took it back is not merged with it yet) do the values behind it matter.  So most groups of a large
step need one pass over their values, and only the rest are sorted.

Invariant: a group is settled only with the positions that the sorted entries would give, before and after the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...repr.batch import Indices, Mask
from ...repr.order import Key, order_keys
from .presence import NONE, Extreme, Values
from .segments import Segments

SETTLED_VALUES = 8_192
"""Fewer values are sorted: that is quicker than the passes."""


@dataclass(frozen=True, slots=True)
class Settled:
    """`groups` bool[g]: which are settled.  `positions`: of each extreme int64[2 g], where it stands among the values
    before and after the step, NONE where there is none; arbitrary for other groups."""

    groups: Mask
    positions: dict[Extreme, Indices]

    def over(self, name: Extreme, found: Indices) -> Indices:
        """`found` int64[2 g], with the positions of settled groups in their places."""
        return np.where(np.concatenate((self.groups, self.groups)), self.positions[name], found)


def settle(values: Values, segments: Segments, wanted: Sequence[Extreme], limit: int) -> Settled | None:
    """The settled groups among those of at most `limit` values; None where it does not pay to look: for few values, of
    several segments in a group, or of types whose order is not that of one integer."""
    type_ = values.column.type
    if len(values) < SETTLED_VALUES or not segments.single:
        return None
    if not (pa.types.is_integer(type_) or pa.types.is_date(type_) or pa.types.is_timestamp(type_)):
        return None
    (key,) = order_keys(values.column)
    groups = np.bincount(values.group, minlength=segments.groups) <= limit
    positions: dict[Extreme, Indices] = {}
    for name in wanted:
        positions[name], found = _lowest(key if name == "min" else ~key, values, segments.groups)
        groups &= found
    return Settled(groups, positions)


def _lowest(key: Key, values: Values, groups: int) -> tuple[Indices, Mask]:
    """(the first position of the lowest key of each group, among the old updates and among all; whether it is present
    at both moments, or nothing was there before)."""
    old, group, diffs = values.old, values.group, values.diffs
    was_end = np.full(groups, np.iinfo(key.dtype).max, key.dtype)
    np.minimum.at(was_end, group[:old], key[:old])
    hits = np.flatnonzero(key[:old] == was_end[group[:old]])
    was = np.zeros(groups, np.int64)
    np.add.at(was, group[hits], diffs[hits])
    before = np.full(groups, NONE)
    before[group[hits[::-1]]] = hits[::-1]  # the last to be written stays: the first of them
    now_end = was_end.copy()
    np.minimum.at(now_end, group[old:], key[old:])
    same = now_end == was_end
    now, after = np.where(same, was, 0), np.where(same, before, NONE)
    arrived = np.flatnonzero(key[old:] == now_end[group[old:]]) + old
    np.add.at(now, group[arrived], diffs[arrived])
    fresh = arrived[after[group[arrived]] == NONE][::-1]
    after[group[fresh]] = fresh
    return np.concatenate((before, after)), ((was > 0) | (before == NONE)) & (now > 0)
