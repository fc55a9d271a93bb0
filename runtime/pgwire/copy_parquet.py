"""COPY TO in parquet: rows as a file that is sent while it is written, and the types that files have for SQL's.

```
chunks ──> row group of some 16 MB ──> its bytes ──> CopyData ... the footer
```

| SQL | parquet |
|---|---|
| boolean, integers signed and unsigned, real, double precision, date, bytea | the same |
| numeric(p, s); numeric of which the scale is known | DECIMAL(p, s); DECIMAL(38, s) |
| time, timestamp, timestamptz | TIME, TIMESTAMP, TIMESTAMP in UTC, of microseconds |
| oid; mz_timestamp | INT64; UINT_64 |
| json, jsonb | JSON |
| arrays and lists; maps; rows | LIST; MAP; groups |
| numeric, text, char(n) and other strings, uuid, interval, ranges | STRING, as PostgreSQL prints it |

Unconstrained numeric is text because no reader but Arrow's has decimals of 76 digits, and uuid because Spark refuses
files with UUIDs.  `copy_parquet_read.py` reads both from either form.
"""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..coord.results.results import Columns
from ..errors import DataError, Unsupported
from ..expr.columns.arrays import numpy_values
from ..expr.columns.infinities import infinite
from ..expr.columns.lists import counts_of
from ..expr.columns.row_errors import Mask
from ..expr.datetimes.datetime_input import MICROS_PER_DAY
from ..expr.datetimes.zones import Zone
from ..expr.text.text_format import to_text
from ..repr import buffers
from ..repr.buffers import present, validity
from ..repr.schema import Schema
from ..repr.types import NUMERIC_MAX_PRECISION, PAIR, Kind, ScalarType

GROUP_ROWS = 1 << 17
GROUP_BYTES = 16 << 20
"""A row group is written when so many rows, or so many bytes of Arrow, are there."""

_JSON = pa.json_(pa.string()) if hasattr(pa, "json_") else pa.string()
_ENDLESS = frozenset((Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ))
_SAME = _ENDLESS | {
    Kind.BOOL,
    Kind.INT2,
    Kind.INT4,
    Kind.INT8,
    Kind.UINT2,
    Kind.UINT4,
    Kind.UINT8,
    Kind.FLOAT4,
    Kind.FLOAT8,
    Kind.BYTEA,
    Kind.OID,
    Kind.MZ_TIMESTAMP,
}


def parquet_type(type_: ScalarType) -> pa.DataType | None:
    """The Arrow type that a file has for values of the SQL type; None if there is no honest one."""
    kind = type_.kind
    if kind in _SAME:
        return type_.arrow
    if kind is Kind.NUMERIC:
        if type_.scale is None:
            return pa.string()
        return pa.decimal128(type_.precision or NUMERIC_MAX_PRECISION, type_.scale)
    if kind is Kind.TIME:
        return pa.time64("us")
    if kind in (Kind.JSON, Kind.JSONB):
        return _JSON
    if type_.element is not None:
        element = None if type_ == PAIR else parquet_type(type_.element)
        if element is None:
            return None
        return pa.map_(pa.string(), element) if kind is Kind.MAP else pa.list_(element)
    if kind is Kind.RECORD:
        names = [name for name, _ in type_.fields]
        held = [parquet_type(field) for _, field in type_.fields]
        if not names or len(set(names)) < len(names) or None in held:
            return None
        return pa.struct(list(zip(names, held, strict=True)))
    return pa.string()


class RowGroups:
    """The bytes of a file: `add` rows, `take` a row group when it is `full`, and at last `finish`."""

    def __init__(self, schema: Schema, zone: Zone | None) -> None:
        """Raises Unsupported for a column that parquet cannot hold."""
        self._columns = schema
        self._zone = zone
        fields = []
        for column in schema:
            type_ = parquet_type(column.type)
            if type_ is None:
                raise Unsupported(
                    f'column "{column.name}" is of type {column.type}, which COPY in parquet does not support',
                    hint="Cast it to text.",
                )
            fields.append(pa.field(column.name, type_))
        self._schema = pa.schema(fields)
        self._sink = _Sink()
        self._writer = pq.ParquetWriter(self._sink, self._schema, compression="zstd")
        self._pending: list[pa.RecordBatch] = []
        self._rows = 0
        self._bytes = 0

    @property
    def full(self) -> bool:
        return self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES

    def add(self, columns: Columns) -> None:
        """Raises DataError for a value that parquet does not have."""
        arrays = [
            _written(values, column.type, field.type, column.name, self._zone)
            for values, column, field in zip(columns, self._columns, self._schema, strict=True)
        ]
        self._pending.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._rows += len(columns[0])
        self._bytes += sum(array.nbytes for array in arrays)

    def take(self) -> bytes:
        """What was added, as the file's next bytes."""
        if self._pending:
            self._writer.write_table(pa.Table.from_batches(self._pending), row_group_size=max(self._rows, 1))
            self._pending, self._rows, self._bytes = [], 0, 0
        return self._sink.drain()

    def finish(self) -> bytes:
        """The rest of the file."""
        rest = self.take()
        self._writer.close()
        return rest + self._sink.drain()


class _Sink(io.RawIOBase):
    """What Arrow writes, until somebody takes it; it asks for the position in the whole file."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def write(self, data: bytes | memoryview) -> int:  # type: ignore[override]
        part = bytes(data)
        self._parts.append(part)
        self._position += len(part)
        return len(part)

    def tell(self) -> int:
        return self._position

    def drain(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _written(
    values: pa.Array, type_: ScalarType, target: pa.DataType, column: str, zone: Zone | None
) -> pa.Array:
    if type_.element is not None:
        counts, valid = counts_of(values), present(values)
        mask = None if valid.all() else pa.array(~valid)
        offsets = pa.array(np.concatenate(([0], np.cumsum(counts))).astype(np.int32))
        held = values.flatten()
        if type_.kind is Kind.MAP:
            keys, items = buffers.fields(held)
            items = _written(items, type_.element, target.item_type, column, zone)
            return pa.MapArray.from_arrays(offsets, keys, items, type=target, mask=mask)
        held = _written(held, type_.element, target.value_type, column, zone)
        return pa.ListArray.from_arrays(offsets, held, type=target, mask=mask)
    if type_.kind is Kind.RECORD:
        parts = [
            _written(part, field, target.field(i).type, column, zone)
            for i, (part, (_, field)) in enumerate(zip(values.flatten(), type_.fields, strict=True))
        ]
        mask = values.is_null() if values.null_count else None
        return pa.StructArray.from_arrays(parts, fields=list(target), mask=mask)
    if type_.kind in _ENDLESS and infinite(values) is not None:
        raise _no_value(column, f"infinite {type_}")
    if type_.kind is Kind.TIME:
        if first_failed(numpy_values(values) >= MICROS_PER_DAY, values) is not None:
            raise _no_value(column, "time 24:00:00")
        return values.view(target)
    if type_.kind in (Kind.JSON, Kind.JSONB):
        return values if target == pa.string() else pa.ExtensionArray.from_storage(target, values)
    if target == pa.string():
        return to_text(values, type_, zone)
    return values if values.type == target else values.cast(target)


def _no_value(column: str, what: str) -> DataError:
    return DataError(
        f'column "{column}": parquet has no {what}',
        sqlstate="22008",
        hint="Cast the column to text, or leave such rows out.",
    )


def first_failed(wrong: Mask, values: pa.Array) -> int | None:
    """The first row of the mask that is not NULL."""
    valid = validity(values)
    rows = np.flatnonzero(wrong if valid is None else wrong & valid)
    return int(rows[0]) if len(rows) else None
