"""The answer of a query that ran as a job: files of rows, which the replica reads piece by piece and removes.

One file is an Arrow IPC stream of record batches: the columns, `__time` (uint64), `__diff` (int64).  It holds part of the
answer; the parts of all tasks together are the rows, in no order, of which equal ones may be in several parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...repr.batch import Batch
from ...repr.schema import Schema

CHUNK_ROWS = 65_536


def write_answer(path: Path, schema: Schema, rows: Batch) -> None:
    """Writes the rows; the file is not read after a crash, so it is not made durable."""
    fields = [pa.field(f"c{i}", column.type.arrow) for i, column in enumerate(schema)]
    shape = pa.schema([*fields, pa.field("__time", pa.uint64()), pa.field("__diff", pa.int64())])
    with path.open("wb") as file, pa.ipc.new_stream(file, shape) as writer:
        for start in range(0, len(rows), CHUNK_ROWS):
            piece = rows.slice(start, min(start + CHUNK_ROWS, len(rows)))
            arrays = [*piece.columns, pa.array(piece.times), pa.array(piece.diffs)]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=shape))


def read_answer(path: Path) -> Iterator[Batch]:
    """The rows of one file, some at a time."""
    with pa.memory_map(str(path), "r") as file:
        for record in pa.ipc.open_stream(file):
            *columns, times, diffs = record.columns
            yield Batch(tuple(columns), np.asarray(times), np.asarray(diffs))
