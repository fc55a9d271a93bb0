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

from ....repr.batch import NO_ERRORS, Batch, Delta, concat_deltas
from ....repr.consolidate import canonical
from ....repr.schema import Schema
from ...plan import WindowOp
from ...spine import Spine
from ..base import Operator
from ..segments import segments_of
from .calls import evaluate
from .grid import GRID_CELLS, Grid, Lines, cells_of, grid_of
from .reach import reach_of
from .state import Blocks, Partitions, WindowState


class Window(Operator):
    """State: the rows, in blocks where a change need not concern the whole partition."""

    def __init__(self, op: WindowOp, input_schema: Schema, schema: Schema) -> None:
        super().__init__(schema)
        self._op = op
        self._input = input_schema
        reach = reach_of(op, input_schema.types)
        self._state: WindowState
        self._carried: dict[int, slice] = {}
        if reach is None:
            self._state = Partitions(op, input_schema)
        else:
            self._state = Blocks(op, input_schema, reach)
            at = 0
            for call, sums in reach.sums:
                self._carried[call] = slice(at, at + sums.width)
                at += sums.width
        self._spines = self._state.spines()

    def spines(self) -> dict[str, Spine]:
        return self._spines

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        deltas: list[Delta] = []
        pending = [oks[0]]
        while pending:
            batch = pending.pop()
            keys = tuple(canonical(batch.columns[i]) for i in self._op.partition)
            segments = segments_of(batch, keys)
            head_index = pa.array(segments.heads)
            heads = tuple(key.take(head_index) for key in keys)
            loaded = self._state.load(batch, heads, segments)
            if (cut := _cut(loaded.lines)) is not None:
                early = batch.times < cut
                pending += [batch.filter(~early), batch.filter(early)]
                continue
            entries, cells = cells_of(self._op, loaded.lines)
            self._state.commit(loaded, heads, entries)
            deltas.append(self._output(grid_of(entries, cells, loaded.lines, loaded.carried)))
        return deltas[0] if len(deltas) == 1 else concat_deltas(self.schema, deltas)

    def _output(self, grid: Grid) -> Delta:
        lay = grid.layout
        if not len(lay):
            return self._nothing
        values = evaluate(self._op, lay, self._input, self._carried)
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


def _cut(lines: Lines) -> np.uint64 | None:
    """The time to cut a step at whose grid would be too large, or None."""
    segments = lines.segments
    if segments.single:
        return None
    if lines.cells <= GRID_CELLS:
        return None
    times = np.unique(segments.times)
    return np.uint64(times[len(times) // 2]) if len(times) > 1 else None
