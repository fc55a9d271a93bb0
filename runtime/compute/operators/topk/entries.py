"""Entries: the distinct rows of groups, by group and then in order, each with how often it occurs.

```
updates      a -1   c +1   a +1   b +2      (the first `old` of them are of before the step)
entries      a   b   c
before       1   2   0
after        0   2   1
```

Rows at the same place of the order are ordered by the total order of rows, so the entries are a function of the
multiset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....expr.tree.relation import OrderBy
from ....repr.batch import Batch, Indices, Mask
from ....repr.equality import rows_equal
from ....repr.order import dense_ranks, order_keys, sort_keys
from ..segments import Ints


@dataclass(frozen=True, slots=True)
class Entries:
    """e entries of n updates.

    `rows` int64[e]: the position of each among the updates; `group` int64[e]: ascending; `before` and `after` int64[e]: how
    often it occurs before and after the step.  `order` int64[n]: the updates by entry; `entry` int64[n]: the entry there.
    """

    rows: Indices
    group: Indices
    before: Ints
    after: Ints
    order: Indices
    entry: Indices

    def __len__(self) -> int:
        return len(self.rows)

    def of(self) -> Indices:
        """The entry of every update, as they came: int64[n]."""
        out = np.empty(len(self.order), np.int64)
        out[self.order] = self.entry
        return out

    def kept(self, mask: Mask) -> Entries:
        """The entries that `mask` says; of the updates, those that have one."""
        if mask.all():
            return self
        those = mask[self.entry]
        entry = (np.cumsum(mask) - 1)[self.entry[those]]
        return Entries(
            self.rows[mask],
            self.group[mask],
            self.before[mask],
            self.after[mask],
            self.order[those],
            entry,
        )


def entries_of(batch: Batch, group: Indices, old: int, by: Sequence[OrderBy]) -> Entries:
    """The entries of updates of `group` (int64[n]), of which the first `old` are of before the step, in the order `by`."""
    n = len(batch)
    if not n:
        return Entries(group, group, group, group, group, group)
    columns = batch.columns
    keys = [group]
    for one in by:
        keys += order_keys(columns[one.index], one.descending, one.nulls_first)
    order, new = sort_keys(keys)
    more = np.flatnonzero(~new)
    if len(more) and not rows_equal(columns, order[more - 1], columns, order[more], exact=True).all():
        # Different rows at the same place of the order: the total order of rows decides.
        order, new = sort_keys((*keys, dense_ranks(columns, n)))
        more = np.flatnonzero(~new)
    entry = np.cumsum(new) - 1
    rows = order[new]
    # Most entries are one update.  Adding the few others to them is faster than sums over all.
    diffs = batch.diffs[order]
    after = diffs[new]
    np.add.at(after, entry[more], diffs[more])
    before = after.copy()
    arrived = np.flatnonzero(order >= old)
    np.subtract.at(before, entry[arrived], diffs[arrived])
    return Entries(rows, group[rows], before, after, order, entry)


def row_places(counts: Ints, line: Indices) -> Ints:
    """The sum of `counts` before each one on its line; lines are contiguous and ascending."""
    if not len(line):
        return counts
    total: Ints = np.cumsum(counts)
    total -= counts
    opens = np.flatnonzero(np.concatenate(([True], line[1:] != line[:-1])))
    total -= np.repeat(total[opens], np.diff(opens, append=len(line)))
    return total
