"""array_agg and string_agg over frames: every row's frame written out, O(sum of the frames' lengths).

The results are that long too.  Frames are written out for so many rows at a time that some millions of cells exist at
once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ....repr.batch import Mask
from ...plan import AggregateOp, WindowCallOp
from ..reductions.group_contents import MAX_CELLS, Contents
from ..reductions.whole_group import joined
from .frames import Frames, Interval
from .layout import Ints
from .numbered import Numbered


def collected(call: WindowCallOp, columns: Sequence[pa.Array], found: Frames) -> pa.Array:
    """The aggregate over the frame of every position; `columns` are its arguments at every position."""
    columns, condition = (columns[:-1], columns[-1]) if call.filtered else (columns, None)
    n = len(columns[0])
    counted: Mask = np.ones(n, np.bool_)
    if condition is not None:
        counted &= _true(condition)
    if call.function != "array_agg":
        counted &= buffers.present(columns[0])
    numbered = Numbered.of(counted)
    op = AggregateOp(call.function, 0, call.type, rest=tuple(range(1, len(columns))))
    values = {i: column.take(pa.array(numbered.places)) for i, column in enumerate(columns)}
    return joined(op, values, _written_out(numbered.intervals(found), n))


def _true(condition: pa.Array) -> Mask:
    valid = buffers.validity(condition)
    values: Mask = buffers.fixed(condition)
    return values if valid is None else values & valid


def _written_out(intervals: Sequence[Interval], n: int) -> Iterator[Contents]:
    """What every position's intervals hold, one after the other."""
    starts = np.stack([start for start, _ in intervals], axis=1)
    lengths = np.stack([np.maximum(stop - start, 0) for start, stop in intervals], axis=1)
    ends = np.cumsum(lengths.sum(axis=1))
    begin = 0
    while True:
        already = ends[begin - 1] if begin else 0
        end = max(int(np.searchsorted(ends, already + MAX_CELLS, side="right")), begin + 1)
        yield _piece(starts[begin:end], lengths[begin:end], begin)
        if end >= n:
            return
        begin = end


def _piece(starts: Ints, lengths: Ints, begin: int) -> Contents:
    """Of k positions from `begin` on; `starts` and `lengths` int64[k, intervals]."""
    flat = lengths.ravel()
    before = np.cumsum(flat) - flat
    rows = np.repeat(starts.ravel() - before, flat) + np.arange(int(flat.sum()))
    offsets = np.concatenate(([0], np.cumsum(lengths.sum(axis=1))))
    lines = np.arange(begin, begin + len(starts))
    return Contents(lines, offsets, rows, np.ones(len(rows), np.int64))
