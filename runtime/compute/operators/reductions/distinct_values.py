"""DISTINCT arguments of aggregates: how often each value occurs in its group, and when that crosses zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ....repr.batch import Batch, Indices
from ....repr.consolidate import canonical
from ....repr.schema import Schema
from ...spine import Spine
from ..segments import Ints, segments_of


@dataclass(frozen=True, slots=True)
class Crossings:
    """Value `values[i]` appears (`diffs` 1) or disappears (-1) in the outer segment `segments[i]`."""

    segments: Indices
    values: pa.Array
    diffs: Ints


class DistinctValues:
    """Counts per (group, value) of the input's column `argument`; NULLs do not count."""

    def __init__(self, schema: Schema, keys: int, argument: int) -> None:
        self.argument = argument
        columns = (*schema.columns[:keys], schema[argument])
        self.spine = Spine(Schema(columns), tuple(range(keys + 1)))

    def step(self, batch: Batch, keys: tuple[pa.Array, ...], of_rows: Indices) -> Crossings:
        """`keys` are the key columns of `batch`, `of_rows` the outer segment of each of its rows."""
        column = canonical(batch.columns[self.argument])
        rows = Batch((*keys, column), batch.times, batch.diffs)
        if column.null_count:
            valid = buffers.present(column)
            rows, of_rows = rows.filter(valid), of_rows[valid]
        if not len(rows):
            return Crossings(np.empty(0, np.int64), rows.columns[-1], np.empty(0, np.int64))
        inner = segments_of(rows, rows.columns)
        counts = inner.sums(rows.diffs)
        heads = rows.take(inner.heads).columns
        before = np.zeros(inner.groups, np.int64)
        matches = self.spine.probe(heads, inner.hashes, columns=())
        np.add.at(before, matches.probe, matches.rows.diffs)
        totals = counts if inner.single else np.add.reduceat(counts, inner.first)
        self.spine.insert(Batch(heads, np.zeros(inner.groups, np.uint64), totals), inner.hashes)
        after = inner.running(before, counts)
        change = (after > 0).astype(np.int64) - (inner.previous(before, after) > 0)
        crossed = np.flatnonzero(change)
        at = inner.order[inner.starts[crossed]]
        return Crossings(of_rows[at], rows.columns[-1].take(pa.array(at)), change[crossed])
