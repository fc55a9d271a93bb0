"""Change records as a parquet file: the same shape as the JSON lines, with typed columns.

NONE: the row's columns, `mz_timestamp`, `mz_diff`.  UPSERT: the key's columns, `after`, `ts`.  DEBEZIUM: `before`,
`after`, `ts`.  `before` and `after` are structs of the row, NULL where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from ...repr.batch import Batch, Indices
from ...repr.schema import Schema
from .change_records import ChangeRecords, SinkEnvelope, chosen


def encode_parquet(
    schema: Schema, batch: Batch, records: ChangeRecords, envelope: SinkEnvelope, key: Sequence[int]
) -> list[bytes]:
    """The bytes of one file with all records."""
    times = pa.array(records.times)
    if envelope is SinkEnvelope.NONE:
        index = pa.array(records.after)
        columns = {c.name: batch.columns[i].take(index) for i, c in enumerate(schema)}
        columns |= {"mz_timestamp": times, "mz_diff": pa.array(records.diffs)}
    elif envelope is SinkEnvelope.UPSERT:
        index = pa.array(records.keys)
        columns = {schema[i].name: batch.columns[i].take(index) for i in key}
        columns |= {"after": _rows(schema, batch, records.after), "ts": times}
    else:
        columns = {
            "before": _rows(schema, batch, records.before),
            "after": _rows(schema, batch, records.after),
            "ts": times,
        }
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return [sink.getvalue().to_pybytes()]


def _rows(schema: Schema, batch: Batch, rows: Indices) -> pa.Array:
    absent = ~chosen(rows)
    index = pa.array(rows, mask=absent)
    return pa.StructArray.from_arrays(
        [column.take(index) for column in batch.columns],
        fields=[pa.field(c.name, c.type.arrow) for c in schema],
        mask=pa.array(absent),
    )
