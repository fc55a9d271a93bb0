"""AssertSingle: the guard of a scalar subquery.  Rows pass; a group of more than one row is an error while it lasts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...repr.batch import NO_ERRORS, Batch, Delta
from ...repr.consolidate import canonical
from ...repr.schema import Schema
from ..plan import AssertSingleOp
from ..spine import Spine
from .base import Operator
from .segments import segments_of

SQLSTATE = "21000"
MESSAGE = "more than one row returned by a subquery used as an expression"


class AssertSingle(Operator):
    """State: the number of rows of each group, as the multiplicity of its key."""

    def __init__(self, op: AssertSingleOp, schema: Schema) -> None:
        super().__init__(schema)
        self._op = op
        key = tuple(range(len(op.group)))
        self._counts = Spine(schema.project(op.group), key)
        self._spines = {"counts": self._counts}

    def spines(self) -> dict[str, Spine]:
        return self._spines

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        (batch,) = oks
        keys = tuple(canonical(batch.columns[i]) for i in self._op.group)
        segments = segments_of(batch, keys)
        head_index = pa.array(segments.heads)
        heads = tuple(key.take(head_index) for key in keys)
        counts = segments.sums(batch.diffs)
        before = np.zeros(segments.groups, np.int64)
        matches = self._counts.probe(heads, segments.hashes)
        np.add.at(before, matches.probe, matches.rows.diffs)
        totals = counts if segments.single else np.add.reduceat(counts, segments.first)
        self._counts.insert(Batch(heads, np.zeros(segments.groups, np.uint64), totals), segments.hashes)
        after = segments.running(before, counts)
        change = (after > 1).astype(np.int64) - (segments.previous(before, after) > 1)
        changed = np.flatnonzero(change)
        if not len(changed):
            return self.delta(batch, NO_ERRORS)
        errors = (
            pa.repeat(pa.scalar(SQLSTATE), len(changed)),
            pa.repeat(pa.scalar(MESSAGE), len(changed)),
        )
        return self.delta(batch, Batch(errors, segments.times[changed], change[changed]))
