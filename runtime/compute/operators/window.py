"""Window: every row of a partition with the values of window functions.

A step works on the partitions that it touches.  Per partition the distinct rows in order, by points in time (before
the step, then after each of its segments), are a grid of counts, as in TopK; each column of the grid is one *line* of a
layout (`window_layout`), over which all functions are computed at once.  From one point to the next the rows whose
values changed are retracted and inserted.

A value that does not exist (a sum that overflows, ntile(0)) is an error in place of its row.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...repr.batch import NO_ERRORS, Batch, Delta, concat_batches
from ...repr.consolidate import canonical
from ...repr.schema import ERROR_SCHEMA, Schema
from ..plan import WindowOp
from ..spine import Spine
from .base import Operator
from .segments import Ints, Segments, segments_of
from .window_calls import evaluate
from .window_grid import Grid, grid_of

GRID_CELLS = 1 << 22
"""A step that would need a larger grid because of its many times is cut in two by time."""


class Window(Operator):
    """State: the rows, by partition."""

    def __init__(self, op: WindowOp, input_schema: Schema, schema: Schema) -> None:
        super().__init__(schema)
        self._op = op
        self._input = input_schema
        self._rows = Spine(input_schema, op.partition)
        self._spines = {"rows": self._rows}

    def spines(self) -> dict[str, Spine]:
        return self._spines

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        oks_out: list[Batch] = []
        errs_out: list[Batch] = []
        pending = [oks[0]]
        while pending:
            batch = pending.pop()
            keys = tuple(canonical(batch.columns[i]) for i in self._op.partition)
            segments = segments_of(batch, keys)
            head_index = pa.array(segments.heads)
            old = self._rows.probe(tuple(key.take(head_index) for key in keys), segments.hashes)
            if (cut := _cut(batch, segments, old.probe)) is not None:
                early = batch.times < cut
                pending += [batch.filter(~early), batch.filter(early)]
                continue
            of_rows = segments.of_rows()
            group = segments.group[of_rows]
            self._rows.insert(_untimed(batch), segments.hashes[group])
            combined = concat_batches(self._input, [old.rows, batch])
            grid = grid_of(self._op, combined, old.probe, of_rows, segments)
            delta = self._output(grid)
            oks_out.append(delta.oks)
            errs_out.append(delta.errs)
        return self.delta(concat_batches(self.schema, oks_out), concat_batches(ERROR_SCHEMA, errs_out))

    def _output(self, grid: Grid) -> Delta:
        lay = grid.layout
        if not len(lay):
            return self._nothing
        values = evaluate(self._op, lay, self._input)
        minus, plus = grid.changed(values)
        chosen = np.concatenate((minus, plus))
        times = np.concatenate((grid.times[grid.point[minus] + 1], grid.times[grid.point[plus]]))
        diffs = np.concatenate((np.full(len(minus), -1, np.int64), np.ones(len(plus), np.int64)))
        errs = NO_ERRORS
        if values.errors is not None:
            code = np.full(len(lay), -1, np.int64)
            code[values.errors.indices] = np.arange(len(values.errors))
            failed = code[chosen] >= 0
            index = pa.array(code[chosen[failed]])
            columns = (values.errors.sqlstates.take(index), values.errors.messages.take(index))
            errs = Batch(columns, times[failed], diffs[failed])
            chosen, times, diffs = chosen[~failed], times[~failed], diffs[~failed]
        rows = pa.array(lay.rows[chosen])
        index = pa.array(chosen)
        columns = (
            *(column.take(rows) for column in lay.batch.columns[: self._op.width]),
            *(column.take(index) for column in values.columns),
        )
        return self.delta(Batch(columns, times, diffs), errs)


def _cut(batch: Batch, segments: Segments, old: Ints) -> np.uint64 | None:
    """The time to cut a step at whose grid would be too large, or None."""
    if segments.single:
        return None
    rows = np.bincount(old, minlength=segments.groups)
    edges = np.append(segments.starts, len(batch))[np.append(segments.first, len(segments.starts))]
    if int(((np.diff(edges) + rows) * (segments.sizes() + 1)).sum()) <= GRID_CELLS:
        return None
    times = np.unique(batch.times)
    return np.uint64(times[len(times) // 2]) if len(times) > 1 else None


def _untimed(batch: Batch) -> Batch:
    """State is as of the last step: its rows need no times."""
    return Batch(batch.columns, np.zeros(len(batch), np.uint64), batch.diffs)
