"""Collections of one integer column, and the messages that a replica is told about them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from ptvc.compute.lower import lower
from ptvc.compute.plan import DataflowPlan
from ptvc.expr.tree.relation import Filter, Get, Relation
from ptvc.expr.tree.scalar import Call, ColumnRef, Literal
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PartRef
from ptvc.persist.read import read_updates
from ptvc.persist.write import write_parts
from ptvc.replica.protocol import Append, Import, InstallDataflow, ViewOutput
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, concat_batches
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, INT8

SCHEMA = Schema((Column("a", INT8),))
Update = tuple[int, int, int]
"""(value, time, diff)"""


def delta(*updates: Update) -> Delta:
    values, times, diffs = ([u[i] for u in updates] for i in range(3))
    columns = (pa.array(values, pa.int64()),)
    return Delta(Batch(columns, np.array(times, np.uint64), np.array(diffs, np.int64)), NO_ERRORS)


def updates_of(batch: Batch) -> list[Update]:
    return sorted(zip(batch.columns[0].to_pylist(), batch.times.tolist(), batch.diffs.tolist(), strict=True))


def parts(blob: MemoryBlob, *updates: Update) -> tuple[PartRef, ...]:
    return write_parts(blob, "shard", SCHEMA, delta(*updates), writer="test")


def imported(
    blob: MemoryBlob,
    id: str,
    *,
    as_of: int,
    upper: int,
    snapshot: Sequence[Update] = (),
    updates: Sequence[Update] = (),
    timestamped: bool = True,
) -> Import:
    return Import(
        id,
        id,
        SCHEMA,
        timestamped,
        as_of,
        parts(blob, *snapshot) if snapshot else (),
        parts(blob, *updates) if updates else (),
        upper,
    )


def identity(id: str) -> DataflowPlan:
    """A view with the rows of `id` that are not negative."""
    relation: Relation = Get(id, SCHEMA)
    zero = Literal(0, INT8)
    return lower(Filter(relation, (Call("ge", (ColumnRef(0, INT8), zero), BOOL),)))


def install(id: str, source: Import, upper: int) -> InstallDataflow:
    return InstallDataflow(id, identity(source.id), source.as_of, (source,), ViewOutput(id, upper))


def written(blob: MemoryBlob, appends: Sequence[Append], id: str) -> list[Update]:
    """Everything that the appends write to the view; they must fit together."""
    batches = []
    last = None
    for append in appends:
        for write in append.writes:
            if write.id == id:
                assert last is None or write.lower >= last
                last = write.upper
                batches.append(read_updates(blob, write.parts, SCHEMA, write.lower, write.upper).oks)
    return updates_of(concat_batches(SCHEMA, batches))
