"""Temporal filter: rows that are there between two times, which they themselves name.

```
row (x, from 5, to 9), inserted at 2     -> (x, 5, +1)  (x, 9, -1)
the same row, deleted at 7               -> (x, 7, -1)  (x, 9, +1): the second cancels what was waiting
```

`mz_now() >= a AND mz_now() < b` holds in the interval [a, b).  An update (row, t, d) therefore is (row, max(t, a), d)
and (row, b, -d), or nothing if b is not after both.  What lies in the future waits in a queue by time, a spine, until a
step reaches it: the output's updates have their own times, however time is cut into steps.  The cost of a step is that
of its input and of what falls due in it; `next_due` says when a step is needed although no input has anything new.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...expr.columns.arrays import numpy_values
from ...repr.batch import Batch, Delta, Mask, Times, concat_batches
from ...repr.buffers import truth, validity
from ...repr.consolidate import consolidate
from ...repr.hash import hash_columns
from ...repr.schema import Column, Schema
from ...repr.types import INT8, Kind, ScalarType
from ..plan import TemporalFilterOp
from ..spine import Spine
from .base import Operator
from .due_times import DueTimes

FOREVER = np.uint64(2**63 - 1)
"""No step ever gets there: a row whose end is this has none."""


class TemporalFilter(Operator):
    """out(t) = {row : every bound of the row holds at t}; state is what will come and go after the last step."""

    def __init__(self, op: TemporalFilterOp, schema: Schema) -> None:
        super().__init__(schema)
        self._op = op
        self._width = len(schema)
        # Waiting updates are found by their time, which is a column, since times of a spine's updates may be advanced.
        self._spine = Spine(Schema((*schema.columns, Column("due", INT8, False))), (self._width,))
        self._due: DueTimes | None = None

    def spines(self) -> dict[str, Spine]:
        return {"waiting": self._spine}

    def next_due(self) -> int:
        return self._times().first()

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        end = np.uint64(upper)
        due = self._take_due(upper)
        batch = oks[0]
        if not len(batch):
            return self.delta(due)
        events = self._events(batch)
        now = events.times < end
        later = events.filter(~now) if not now.all() else None
        if later is not None and len(later):
            self._times().add(later.times)
            self._insert(later, 1)
        return self.delta(concat_batches(self.schema, [due, events.filter(now)]))

    def _times(self) -> DueTimes:
        """When updates fall due; read from the state at first, which may have been loaded."""
        if self._due is None:
            self._due = DueTimes()
            for run in self._spine.runs:
                self._due.add(numpy_values(run.batch.columns[self._width]).astype(np.uint64))
        return self._due

    def _events(self, batch: Batch) -> Batch:
        """What the updates do to the output, now or later."""
        begin = np.zeros(len(batch), np.uint64)
        end = np.full(len(batch), FOREVER)
        there: Mask = np.ones(len(batch), np.bool_)
        for bound in self._op.bounds:
            column = batch.columns[bound.column]
            if (valid := validity(column)) is not None:
                there &= valid
            at, after = _times(column, self.schema[bound.column].type)
            if bound.operator in ("ge", "eq"):
                begin = np.maximum(begin, at)
            elif bound.operator == "gt":
                begin = np.maximum(begin, after)
            if bound.operator == "lt":
                end = np.minimum(end, at)
            elif bound.operator in ("le", "eq"):
                end = np.minimum(end, after)
        begin = np.maximum(begin, batch.times)
        there &= begin < end
        rows = batch.filter(there)
        starts = Batch(rows.columns, begin[there], rows.diffs)
        ends = Batch(rows.columns, end[there], -rows.diffs)
        return concat_batches(self.schema, [starts, ends.filter(ends.times != FOREVER)])

    def _take_due(self, upper: int) -> Batch:
        """The waiting updates of times before `upper`, which wait no longer."""
        times = self._times().take(upper)
        if not len(times):
            return self._nothing.oks
        keys = (pa.array(times.astype(np.int64)),)
        found = self._spine.probe(keys, hash_columns(keys, len(times)))
        # What has been taken before may still lie here beside what takes it back.
        due = consolidate(Batch(found.rows.columns[: self._width], times[found.probe], found.rows.diffs))
        self._insert(due, -1)
        return due

    def _insert(self, batch: Batch, sign: int) -> None:
        column = pa.array(batch.times.astype(np.int64))
        self._spine.insert(
            Batch((*batch.columns, column), np.zeros(len(batch), np.uint64), sign * batch.diffs)
        )


def _times(column: pa.Array, type_: ScalarType) -> tuple[Times, Times]:
    """For each value, the first time that is not before it, and the first that is after it; up to FOREVER."""
    if type_.kind is Kind.NUMERIC:
        return _whole(pc.ceil(column)), _next(
            _whole(pc.floor(column)), pc.less(column, pa.scalar(0, column.type))
        )
    values = numpy_values(column).astype(np.int64)
    if type_.kind is not Kind.INT8:
        values = values // 1000  # microseconds
    negative = values < 0
    times = np.minimum(np.maximum(values, 0).astype(np.uint64), FOREVER)
    return times, np.where(negative, np.uint64(0), np.minimum(times + np.uint64(1), FOREVER))


def _whole(column: pa.Array) -> Times:
    """Whole decimals as times, cut to what times can be."""
    zero = pa.scalar(0, column.type)
    inside = pc.max_element_wise(column, zero)
    if column.type.precision - column.type.scale >= len(str(FOREVER)):
        inside = pc.min_element_wise(inside, pa.scalar(int(FOREVER), column.type))
    inside = inside.fill_null(zero)
    return numpy_values(inside.cast(pa.int64())).astype(np.uint64)


def _next(times: Times, negative: pa.BooleanArray) -> Times:
    before = truth(negative)
    return np.where(before, np.uint64(0), np.minimum(times + np.uint64(1), FOREVER))
