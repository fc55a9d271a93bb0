"""TopK over an append-only input: the first rows of each group, and no others.

A row that has `offset + limit` rows before it when it arrives has them for good, and will never be shown.  So the state
of a group is its front without a reserve and without anything behind it:

```
all rows so far, in order   [ before the offset . | window ........ ] forgotten
                             `----------- held -------------------'
```

A row whose multiplicity reaches over the end is held with all of it.
"""

from __future__ import annotations

import numpy as np

from ....repr import buffers
from ....repr.batch import Batch, concat_batches
from ....repr.schema import Schema
from ...plan import TopKOp
from ...spine import Spine
from ..insertions import insertions
from ..segments import Segments
from .topk import Columns, Entries, TopK, row_places


class AppendedTopK(TopK):
    """The operator needs a limit."""

    def __init__(self, op: TopKOp, schema: Schema) -> None:
        super().__init__(op, schema)
        self._held_rows = Spine(schema, op.group)
        self._spines = {"first": self._held_rows}

    def _top(self, batch: Batch) -> Batch:
        batch = insertions(self.schema, batch, self._op.monotonic)
        return super()._top(batch) if len(batch) else batch

    def _from_state(self, batch: Batch, segments: Segments, heads: Columns) -> Batch:
        of_rows = segments.of_rows()
        old = self._held_rows.probe(heads, segments.hashes, columns=range(len(self.schema)))
        combined = concat_batches(self.schema, [old.rows, batch])
        entries = self._entries(combined, np.concatenate((old.probe, segments.group[of_rows])))
        k = len(old)
        before = np.zeros(len(entries.rows), np.int64)
        np.add.at(before, entries.of[:k], old.rows.diffs)
        after = before.copy()
        np.add.at(after, entries.of[k:], batch.diffs)
        held = np.where(row_places(after, entries.group) < self._needed, after, 0) - before
        changed = np.flatnonzero(held)
        rows = buffers.take(combined.columns, entries.rows[changed])
        state = Batch(rows, np.zeros(len(changed), np.uint64), held[changed])
        self._held_rows.insert(state, segments.hashes[entries.group[changed]])
        # What has enough rows before it already is not shown at any time of the step.
        near = row_places(before, entries.group) < self._needed
        entry, position = entries.of[k:], np.cumsum(near) - 1
        new = np.flatnonzero(near[entry])
        if not len(new):
            return self._nothing.oks
        return self._changes(
            combined,
            Entries(entries.rows[near], entries.group[near], position[entries.of]),
            before[near],
            position[entry[new]],
            of_rows[new],
            batch.diffs[new],
            segments,
        )
