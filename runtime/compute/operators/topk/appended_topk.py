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

from ....repr.batch import Batch
from ....repr.schema import Schema
from ...plan import TopKOp
from ...spine import Spine
from ..insertions import insertions
from ..segments import Segments
from .entries import entries_of, row_places
from .topk import Columns, Step, TopK


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
        old = self._held_rows.probe(heads, segments.hashes, columns=range(len(self.schema)))
        step = Step.of(self.schema, old, batch, np.arange(len(batch)), segments.of_rows, segments)
        entries = entries_of(step.rows, step.group, step.old, self._op.order)
        places = row_places(entries.after, entries.group)
        held = np.where(places < self._needed, entries.after, 0) - entries.before
        changed = np.flatnonzero(held)
        state = step.updates(entries.rows[changed], held[changed])
        self._held_rows.insert(state, segments.hashes[entries.group[changed]])
        # What has enough rows before it already is not shown at any time of the step.
        near = row_places(entries.before, entries.group) < self._needed
        return self._changes(step, entries.kept(near), places[near])
