"""Partial sums: what some rows add to the state of a reduction, per group and time, away from that state.

```
rows   (k, 10) (k, 20) @3  (k, 5) @4       sums     k, sum 30, twice @3    k, sum 5, once @4
                                           floats   k, limb, sum of the limb: one row for each that is not zero
```

The state of counts and sums adds up, whoever adds: so `Reduce.with_sums` gives the same as the rows themselves would.  That holds for
floats, too, whose sums are exact, and for updates of any sign.  So it does for aggregates over DISTINCT where all rows of a group that have
the same value are in one place, which counts them: what a value adds when it appears is a sum like any other.  What min and max look at is
not added up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ....repr.batch import Batch, Indices, concat_batches
from ....repr.buffers import fixed
from ....repr.consolidate import canonical
from ....repr.schema import Column, Schema
from ....repr.types import INT8
from ...plan import ReduceOp
from ..segments import Ints, segments_of
from .accumulators import Accumulators
from .distinct_values import DistinctValues
from .float_state import FloatSums, Gained

SUMS, FLOATS = "sums", "floats"

Sums = Mapping[str, Batch]
"""SUMS: keys and accumulators, the multiplicity is the number of rows; FLOATS: keys, codes and sums (see `float_state`)."""


def sum_schemas(op: ReduceOp, schema: Schema) -> dict[str, Schema]:
    """The columns of `Sums` for a reduction of rows of `schema`."""
    accumulators = Accumulators(op, schema)
    keys = schema.columns[: op.keys]
    sums = tuple(Column(f"sum_{i}", INT8, False) for i in range(accumulators.width))
    found = {SUMS: Schema((*keys, *sums))}
    if accumulators.floats:
        found[FLOATS] = FloatSums(tuple(accumulators.floats)).schema(keys)
    return found


def sums_of(
    op: ReduceOp, schema: Schema, rows: Batch, distinct: Mapping[int, DistinctValues] | None = None
) -> dict[str, Batch]:
    """What the rows, of which there is one at least, add to the sums; what is nothing is left out.  `distinct` takes in the rows' values of
    each DISTINCT argument; without it these add nothing."""
    accumulators = Accumulators(op, schema)
    keys = tuple(canonical(column) for column in rows.columns[: op.keys])
    segments = segments_of(rows, keys)
    of_rows = segments.of_rows
    counts = segments.sums(rows.diffs)
    sums = np.zeros((accumulators.width, len(counts)), np.int64)
    columns = dict(enumerate(rows.columns))
    for at, values in accumulators.feed(None, columns, rows.diffs):
        sums[at] = counts if values is rows.diffs else segments.sums(values)
    feeds = accumulators.float_feeds(None, columns, of_rows, rows.diffs)
    for argument, state in (distinct or {}).items():
        crossings = state.step(rows, keys, of_rows)
        crossed = {argument: crossings.values}
        for at, values in accumulators.feed(argument, crossed, crossings.diffs):
            np.add.at(sums[at], crossings.segments, values)
        feeds += accumulators.float_feeds(argument, crossed, crossings.segments, crossings.diffs)
    heads = segments.heads[segments.group]

    def batch(which: Indices, values: tuple[Ints, ...], diffs: Ints) -> Batch:
        found = buffers.take(keys, heads[which])
        return Batch((*found, *(pa.array(some) for some in values)), segments.times[which], diffs)

    there = np.flatnonzero((counts != 0) | sums.any(axis=0))
    found = {SUMS: batch(there, tuple(sums[:, there]), counts[there])}
    if accumulators.floats:
        floats = FloatSums(tuple(accumulators.floats))
        which, codes, values = floats.summed(floats.fed(feeds))
        found[FLOATS] = batch(which, (codes, values), np.zeros(len(which), np.int64))
    return {name: some for name, some in found.items() if len(some)}


def noted(schema: Schema, keys: int, rows: Batch, sums: Sums) -> Batch:
    """The rows, and behind them one of multiplicity zero for each of the sums, in order: the news that this group is there at this time."""
    nulls = schema.columns[keys:]
    notes = [
        Batch(
            (*some.columns[:keys], *(pa.nulls(len(some), column.type.arrow) for column in nulls)),
            some.times,
            np.zeros(len(some), np.int64),
        )
        for some in _in_order(sums)
    ]
    return concat_batches(schema, [rows, *notes])


@dataclass(frozen=True, slots=True)
class Placed:
    """Sums in the segments of a step: `places` are those of SUMS, `float_places` those of FLOATS."""

    sums: Sums
    places: Indices
    float_places: Indices
    keys: int

    @classmethod
    def of(cls, sums: Sums, of_rows: Indices, keys: int) -> Placed:
        """`of_rows` are the segments of `noted` rows."""
        lengths = [len(sums[name]) if name in sums else 0 for name in (SUMS, FLOATS)]
        end = len(of_rows)
        at = end - lengths[1]
        return cls(sums, of_rows[at - lengths[0] : at], of_rows[at:end], keys)

    def add(self, counts: Ints, deltas: Ints) -> float:
        """Adds to the multiplicities int64[s] and the accumulators int64[width, s]; returns the most rows that one segment gains."""
        if SUMS not in self.sums:
            return 0.0
        sums = self.sums[SUMS]
        np.add.at(counts, self.places, sums.diffs)
        for row, column in zip(deltas, sums.columns[self.keys :], strict=True):
            np.add.at(row, self.places, fixed(column))
        return float(np.bincount(self.places, np.abs(sums.diffs)).max())

    def join(self, floats: FloatSums, gained: dict[int, Gained]) -> dict[int, Gained]:
        """With what the float sums gain."""
        if FLOATS not in self.sums:
            return gained
        codes, values = map(fixed, self.sums[FLOATS].columns[self.keys :])
        return floats.joined(gained, self.float_places, codes, values)


def _in_order(sums: Sums) -> list[Batch]:
    return [sums[name] for name in (SUMS, FLOATS) if name in sums]
