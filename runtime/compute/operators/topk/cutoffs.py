"""Cutoffs: what a row must not stand behind, to concern the window of its group.

```
rows of a group, in order   [ window ........ ]| behind ...........................
                                               cutoff: the word of the row that takes the last place that the window needs
```

A word (`place_words`) is a row's place as far as an integer tells: of two rows, the one with the lesser word stands ahead.
Invariant: rows with words of no more than the cutoff take all the places that the window needs.  So as long as a step changes
rows with greater words only, the window stays as it is, at all times of the step, and no row of the group is read: of ten
rows of which three are shown, that is so for most changes.

A cutoff is kept as a sum, like an accumulator: an update is the difference to the cutoff before, modulo 2^64.  Zero stands for
the greatest of all words, which is the cutoff of a group of which nothing is known, and of one with too few rows.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ....expr.tree.relation import OrderBy
from ....repr import buffers
from ....repr.batch import Batch, Indices
from ....repr.order import place_words
from ....repr.schema import Column, Schema
from ....repr.types import INT8
from ...spine import Spine
from ..segments import Ints, Segments

ANYTHING = np.iinfo(np.int64).max
"""The cutoff of a group that any change concerns."""


class Cutoffs:
    """The cutoffs of groups by the columns `group` of rows of `schema`, which are in the order `order`."""

    def __init__(self, schema: Schema, group: tuple[int, ...], order: tuple[OrderBy, ...]) -> None:
        keys = tuple(schema[i] for i in group)
        width = len(keys)
        self.spine = Spine(Schema((*keys, Column("bar", INT8, False))), tuple(range(width)), (width,))
        self._order = order[0] if order else None

    def words(self, columns: tuple[pa.Array, ...], rows: Indices | None = None) -> Ints:
        """The words of rows that have these columns, or of those at the positions `rows`: int64[n]."""
        if self._order is None:
            return np.zeros(len(columns[0]) if rows is None else len(rows), np.int64)
        column = columns[self._order.index]
        if rows is not None:
            (column,) = buffers.take((column,), rows)
        return place_words(column, self._order.descending, self._order.nulls_first)

    def read(self, heads: tuple[pa.Array, ...], segments: Segments) -> Ints:
        """The cutoff of each group as of now: int64[g].  `heads` are the groups' keys."""
        cutoffs = np.full(segments.groups, ANYTHING)
        for matches in self.spine.probe_chunks(heads, segments.hashes, columns=self.spine.sums):
            np.add.at(cutoffs, matches.probe, buffers.fixed(matches.rows.columns[0]))
        return cutoffs

    def write(
        self, heads: tuple[pa.Array, ...], segments: Segments, groups: Indices, before: Ints, after: Ints
    ) -> None:
        """Makes `after` the cutoffs of `groups` (int64[k] each), which were `before`."""
        moved = after - before  # may wrap, and wraps back in the sum
        changed = np.flatnonzero(moved)
        groups = groups[changed]
        nothing = np.zeros(len(changed), np.int64)
        columns = (*buffers.take(heads, groups), pa.array(moved[changed]))
        self.spine.insert(Batch(columns, nothing.view(np.uint64), nothing), segments.hashes[groups])
