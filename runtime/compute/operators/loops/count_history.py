"""CountHistory: f(count of a row) inside a loop, where a count has a value for every iteration.

```
iteration                       0    1    2    3    4    5
count of a row, old             0    0    1    1    1    2
change at 1                          +1
count, new                      0    1    2    2    2    3
change of min(count, 1)         .   +1   -1    .    .    .      as updates: +1 at 1, -1 at 2
```

`Counts` knows one count per row: what it is now.  Here the counts at all iterations stay open to change, since a later
epoch may change any of them.  So a change at one iteration is answered with all updates that it causes, at that
iteration and at later ones; only where the row has history do later ones come.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....repr.batch import Batch, Indices, Times, concat_batches
from ....repr.consolidate import canonical, group_rows
from ....repr.hash import hash_columns
from ....repr.schema import Schema
from ...spine import Spine
from ..segments import Ints

Function = Callable[[Ints], Ints]


class CountHistory:
    """The multiplicity of every row of a collection of `schema` at every iteration; rows are equal as in SQL."""

    def __init__(self, schema: Schema, function: Function) -> None:
        self.spine = Spine(schema, tuple(range(len(schema))))
        self._schema = schema
        self._function = function

    def update(self, batch: Batch, iteration: int) -> Batch:
        """Takes in updates at `iteration`; returns those of `function(count)`, consolidated, at `iteration` or later."""
        if not len(batch):
            return batch
        columns = tuple(canonical(column) for column in batch.columns)
        hashes = hash_columns(columns, len(batch))
        diffs = batch.diffs
        if len(batch) > 1:
            groups = group_rows(columns, hashes)
            heads = groups.order[groups.starts]
            diffs = diffs[groups.order]
            if len(heads) < len(batch):
                diffs = np.add.reduceat(diffs, groups.starts)
            kept = diffs != 0
            if not kept.all():
                heads, diffs = heads[kept], diffs[kept]
                if not len(heads):
                    return batch.slice(0, 0)
            hashes = hashes[heads]
            index = pa.array(heads)
            columns = tuple(column.take(index) for column in columns)
        times = np.full(len(diffs), iteration, np.uint64)
        rows = Batch(columns, times, diffs)
        changes = self._changes(rows, hashes, iteration)
        self.spine.insert(rows, hashes)
        return changes

    def _changes(self, rows: Batch, hashes: npt.NDArray[np.uint64], iteration: int) -> Batch:
        """What `rows`, each there once, changes."""
        function = self._function
        before = np.zeros(len(rows), np.int64)
        found = self.spine.probe(rows.columns, hashes, columns=())
        probe, times, diffs = found.probe, found.rows.times, found.rows.diffs
        past = times <= iteration
        if past.all():
            np.add.at(before, probe, diffs)
            return _kept(Batch(rows.columns, rows.times, function(before + rows.diffs) - function(before)))
        np.add.at(before, probe[past], diffs[past])
        now = function(before + rows.diffs) - function(before)
        future = ~past
        later = self._later(rows, before, now, probe[future], times[future], diffs[future])
        here = _kept(Batch(rows.columns, rows.times, now))
        return concat_batches(self._schema, [here, later])

    def _later(
        self, rows: Batch, before: Ints, now: Ints, probe: Indices, times: Times, diffs: Ints
    ) -> Batch:
        """The changes after the iteration: `probe`, `times`, `diffs` are the old updates there, by row of `rows`;
        `before` the count and `now` the function's change at the iteration itself."""
        order = np.lexsort((times, probe))
        probe, times, diffs = probe[order], times[order], diffs[order]
        new_row = np.ones(len(probe), np.bool_)
        new_row[1:] = probe[1:] != probe[:-1]
        total = np.cumsum(diffs)
        start = np.maximum.accumulate(np.where(new_row, np.arange(len(probe)), 0))
        counts = before[probe] + total - (total[start] - diffs[start])
        last = np.ones(len(probe), np.bool_)  # of several updates at one time, the last has the count
        last[:-1] = (probe[1:] != probe[:-1]) | (times[1:] != times[:-1])
        probe, times, counts = probe[last], times[last], counts[last]
        change = self._function(counts + rows.diffs[probe]) - self._function(counts)
        previous = np.empty_like(change)
        previous[1:] = change[:-1]
        first = np.ones(len(probe), np.bool_)
        first[1:] = probe[1:] != probe[:-1]
        previous[first] = now[probe[first]]
        change = change - previous
        kept = np.flatnonzero(change)
        index = pa.array(probe[kept])
        return Batch(tuple(column.take(index) for column in rows.columns), times[kept], change[kept])


def _kept(batch: Batch) -> Batch:
    """Without updates that change nothing."""
    return batch.filter(batch.diffs != 0)
