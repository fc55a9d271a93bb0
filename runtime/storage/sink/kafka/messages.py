"""Messages of change records: keys and values made by kernels over whole columns, and the partition of each.

| envelope | key | value |
|---|---|---|
| UPSERT | the key's columns | the row that now is; none: the key's row has gone |
| DEBEZIUM | the key's columns, or none without KEY | the row before and the row after |

A message goes to the partition of its key, of its row where it has no key, or to that of PARTITION BY.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ....expr.evaluate import evaluate
from ....expr.text.text_format import to_text
from ....expr.tree.codec import scalar_from_json
from ....repr.batch import Batch, Indices
from ....repr.schema import Schema
from ....repr.types import Kind
from ..avro.payloads import AvroPayloads
from ..change_json import before_and_after, row_objects
from ..change_records import ABSENT, ChangeRecords, SinkEnvelope, chosen
from ..contract import Unwritable
from .options import KafkaSinkOptions, key_row, value_columns, value_row
from .partitions import partitions_of_keys
from .subjects import SchemaIds

Header = tuple[str, str | bytes | None]
Digest = tuple[int, int]
"""Of the same messages it is the same, however they are cut into batches."""
EMPTY_DIGEST: Digest = (0, 0)


@dataclass(frozen=True, slots=True)
class Messages:
    """Of m records.  `keys` is None where messages have none; a value of NULL is a tombstone."""

    keys: pa.Array | None
    values: pa.Array
    partitions: npt.NDArray[np.int64]
    headers: list[list[Header] | None] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def nbytes(self) -> int:
        """Of keys and values."""
        return sum(_nbytes(array) for array in (self.keys, self.values) if array is not None)

    def digest(self, before: Digest) -> Digest:
        """Of all keys that were sent, and of all values: what `before` is the digest of, and these."""
        keys, values = before
        if self.keys is not None:
            keys = zlib.crc32(_content(self.keys), keys)
        return keys, zlib.crc32(_content(self.values), values)


class Encoder:
    """Of one sink; `partition_count` is that of its topic."""

    def __init__(
        self,
        options: KafkaSinkOptions,
        schema: Schema,
        envelope: SinkEnvelope,
        key: Sequence[int],
        partition_count: int,
        ids: SchemaIds,
    ) -> None:
        self._options = options
        self._schema = schema
        self._envelope = envelope
        self._key = tuple(key)
        self._columns = value_columns(options, schema)
        self._partition_count = partition_count
        self._key_avro = self._value_avro = None
        if options.key_avro is not None and ids.key is not None:
            self._key_avro = AvroPayloads(key_row(options.key_avro, schema, key), ids.key)
        if options.value_avro is not None and ids.value is not None:
            self._value_avro = AvroPayloads(value_row(options.value_avro, options, schema), ids.value)
        by = options.partition_by
        self._partition_by = scalar_from_json(json.loads(by)) if by is not None else None

    def encode(self, batch: Batch, records: ChangeRecords) -> Messages:
        """`records` are of the batch.  Raises Unwritable."""
        keys = self._keys(batch, records.keys) if self._key else None
        if self._envelope is SinkEnvelope.UPSERT:
            values = self._rows(batch, records.after)
        elif self._value_avro is not None:
            values = self._value_avro.changes(batch, records)
        else:
            values = before_and_after(self._schema, batch, records, self._columns)
        return Messages(
            keys,
            values.cast(pa.binary()),
            self._partitions(batch, records, keys),
            self._headers(batch, records.after),
        )

    def _keys(self, batch: Batch, rows: Indices) -> pa.Array:
        if self._key_avro is not None:
            return self._key_avro.rows(batch, rows)
        return self._encode(batch, rows, self._key, self._options.key_format)

    def _rows(self, batch: Batch, rows: Indices) -> pa.Array:
        """NULL where there is no row."""
        if self._value_avro is not None:
            return self._value_avro.rows(batch, rows)
        return self._encode(batch, rows, self._columns, self._options.format)

    def _encode(self, batch: Batch, rows: Indices, columns: Sequence[int], format: str) -> pa.Array:
        """NULL where there is no row."""
        if format == "json":
            return row_objects(self._schema, batch, rows, columns).cast(pa.binary())
        (position,) = columns
        column = self._schema[position]
        there = chosen(rows)
        values = batch.columns[position].take(pa.array(rows, mask=~there))
        if values.null_count > len(rows) - np.count_nonzero(there):
            raise Unwritable(
                f'column "{column.name}" is NULL, which FORMAT {format.upper()} has no message for',
                hint="Leave such rows out in a view, or create the sink with FORMAT JSON.",
            )
        return (values if column.type.kind is Kind.BYTEA else to_text(values, column.type)).cast(pa.binary())

    def _partitions(
        self, batch: Batch, records: ChangeRecords, keys: pa.Array | None
    ) -> npt.NDArray[np.int64]:
        if self._partition_by is not None:
            return self._partitions_by(batch, records.keys)
        if self._partition_count == 1:
            return np.zeros(len(records), np.int64)
        if keys is None:
            rows = np.where(records.after == ABSENT, records.before, records.after)
            keys = self._rows(batch, rows)
        return partitions_of_keys(keys, self._partition_count)

    def _partitions_by(self, batch: Batch, rows: Indices) -> npt.NDArray[np.int64]:
        assert self._partition_by is not None
        index = pa.array(rows)
        found = evaluate(self._partition_by, tuple(column.take(index) for column in batch.columns), len(rows))
        if found.errors is not None and len(found.errors):
            raise Unwritable(
                f"PARTITION BY cannot be computed: {found.errors.messages[0].as_py()}",
                sqlstate=found.errors.sqlstates[0].as_py(),
                hint="Drop the sink, and create it with an expression that has a value for each row.",
            )
        numbers = pc.fill_null(found.values, 0).to_numpy(zero_copy_only=False)
        partitions: npt.NDArray[np.int64] = np.mod(numbers, self._partition_count).astype(np.int64)
        return partitions

    def _headers(self, batch: Batch, rows: Indices) -> list[list[Header] | None] | None:
        """Those of each row; a tombstone has none."""
        if self._options.headers is None:
            return None
        column = batch.columns[self._options.headers].take(pa.array(rows, mask=~chosen(rows)))
        return [_headers_of(entries) for entries in column.to_pylist()]


def _headers_of(entries: list[dict[str, Any]] | None) -> list[Header] | None:
    if entries is None:
        return None
    return [tuple(entry.values()) for entry in entries]


def _content(array: pa.Array) -> memoryview:
    """All values one behind the other; there may be something behind a NULL."""
    array = array.drop_null() if array.null_count else array
    offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]
    data = array.buffers()[2]
    return memoryview(b"") if data is None else memoryview(data)[int(offsets[0]) : int(offsets[-1])]


def _nbytes(array: pa.Array) -> int:
    return len(_content(array))
