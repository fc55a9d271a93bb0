"""A batch: updates `(row, time, diff)` of one collection, as columns.

Rows are a tuple of Arrow arrays (never chunked), in the order of the collection's `Schema`; times are `uint64`
milliseconds, diffs `int64`.  Times and diffs are numpy arrays because every operator computes with them; row
columns are Arrow arrays because kernels and nulls live there.  A batch is immutable: nothing writes into one.

A `Delta` is what travels along an edge of a dataflow: the updates of the rows (`oks`) and of the errors
(`errs`, of `ERROR_SCHEMA`).  See docs/architecture/errors.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from . import buffers
from .schema import ERROR_SCHEMA, Schema

Times = npt.NDArray[np.uint64]
Diffs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]

_W = TypeVar("_W", bound=np.generic)


REPEATED_ROWS = 1_024
"""Of fewer values it is not worth the time to look whether they are equal."""


def repeated(values: npt.NDArray[_W]) -> npt.NDArray[_W]:
    """The same values; many that are all equal as a view of one of them, which takes no memory and is quicker to
    gather from.  For what is kept: most rows of a state have one time and one diff, 16 of the 36 bytes of a row of
    numbers.
    """
    if len(values) < REPEATED_ROWS or not values.strides[0] or (values != values[0]).any():
        return values
    return np.broadcast_to(values[:1].copy(), values.shape)


def picked(values: npt.NDArray[_W], indices: Indices) -> npt.NDArray[_W]:
    """`values[indices]`, repeated when `values` are; indices are no more than values."""
    return values[indices] if not len(values) or values.strides[0] else values[: len(indices)]


def _taken(values: npt.NDArray[_W], indices: Indices, count: int) -> npt.NDArray[_W]:
    """`values[indices]`; many of them are repeated when `values` are."""
    if count < REPEATED_ROWS or values.strides[0]:
        return values[indices]
    return buffers.constant(values[0], count)


def _end_to_end(arrays: Sequence[npt.NDArray[_W]]) -> npt.NDArray[_W]:
    """The values of arrays, none of which is empty; many of them are repeated when all arrays have the same."""
    if not any(values.strides[0] or len(values) < REPEATED_ROWS for values in arrays):
        first = arrays[0][0]
        if all(values[0] == first for values in arrays):
            return buffers.constant(first, sum(map(len, arrays)))
    return np.concatenate(arrays)


def one_of_each(values: npt.NDArray[_W]) -> npt.NDArray[_W]:
    """Values of which each of `values` equals one: a single one when they are `repeated`, else all."""
    return values if values.strides[0] else values[:1]


def held_nbytes(values: npt.NDArray[Any]) -> int:
    """The bytes that an array of one dimension has in memory: a value that is `repeated` counts once."""
    return values.nbytes if not len(values) or values.strides[0] else values.itemsize


@dataclass(frozen=True, slots=True)
class Batch:
    """`n` updates: `columns` of length n each, `times` uint64[n], `diffs` int64[n]."""

    columns: tuple[pa.Array, ...]
    times: Times
    diffs: Diffs

    def __len__(self) -> int:
        return len(self.times)

    def take(self, indices: Indices) -> Batch:
        count = len(indices)
        return Batch(
            buffers.take(self.columns, indices),
            _taken(self.times, indices, count),
            _taken(self.diffs, indices, count),
        )

    def filter(self, mask: Mask) -> Batch:
        if mask.all():
            return self
        return self.take(np.flatnonzero(mask))

    def slice(self, start: int, stop: int) -> Batch:
        """Rows `[start, stop)`, without a copy."""
        return Batch(
            tuple(column.slice(start, stop - start) for column in self.columns),
            self.times[start:stop],
            self.diffs[start:stop],
        )

    def select(self, indices: Sequence[int]) -> Batch:
        """The columns at `indices`, in that order."""
        return Batch(tuple(self.columns[i] for i in indices), self.times, self.diffs)

    def with_columns(self, columns: Sequence[pa.Array]) -> Batch:
        """The same updates with other columns in place of these."""
        return Batch(tuple(columns), self.times, self.diffs)

    def negate(self) -> Batch:
        return Batch(self.columns, self.times, -self.diffs)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return int(sum(c.nbytes for c in self.columns)) + held_nbytes(self.times) + held_nbytes(self.diffs)


@dataclass(frozen=True, slots=True)
class Delta:
    """The two halves of a collection's updates: rows and errors."""

    oks: Batch
    errs: Batch

    def __bool__(self) -> bool:
        return len(self.oks) > 0 or len(self.errs) > 0


def empty_batch(schema: Schema) -> Batch:
    return Batch(tuple(_no_values(column.type.arrow) for column in schema), _NO_TIMES, _NO_DIFFS)


@cache
def _no_values(type_: pa.DataType) -> pa.Array:
    return pa.array([], type_)


_NO_TIMES = np.empty(0, np.uint64)
_NO_DIFFS = np.empty(0, np.int64)


NO_ERRORS = empty_batch(ERROR_SCHEMA)


def empty_delta(schema: Schema) -> Delta:
    return Delta(empty_batch(schema), NO_ERRORS)


def concat_batches(schema: Schema, batches: Sequence[Batch]) -> Batch:
    """All updates of `batches`, in order.  `schema` shapes the result when there are none."""
    batches = [batch for batch in batches if len(batch)]
    if not batches:
        return empty_batch(schema)
    if len(batches) == 1:
        return batches[0]
    columns = tuple(
        pa.concat_arrays([batch.columns[i] for batch in batches]) for i in range(len(batches[0].columns))
    )
    return Batch(
        columns,
        _end_to_end([batch.times for batch in batches]),
        _end_to_end([batch.diffs for batch in batches]),
    )


def concat_deltas(schema: Schema, deltas: Sequence[Delta]) -> Delta:
    return Delta(
        concat_batches(schema, [delta.oks for delta in deltas]),
        concat_batches(ERROR_SCHEMA, [delta.errs for delta in deltas]),
    )


def batch_from_rows(schema: Schema, rows: Sequence[Sequence[object]], time: int, diff: int = 1) -> Batch:
    """A batch of Python rows at one time; for constants and tests, not for a data path."""
    columns = tuple(pa.array([row[i] for row in rows], column.type.arrow) for i, column in enumerate(schema))
    return Batch(columns, np.full(len(rows), time, np.uint64), np.full(len(rows), diff, np.int64))


def to_ipc(schema: Schema, batch: Batch) -> bytes:
    """One Arrow IPC stream: the row's columns (`c0`...), then `__time` (uint64) and `__diff` (int64)."""
    arrow, head = _stream_head(schema)
    record = pa.RecordBatch.from_arrays(
        [*batch.columns, pa.array(batch.times), pa.array(batch.diffs)], schema=arrow
    )
    return b"".join((head, record.serialize(), _END_OF_STREAM))


@lru_cache(1_000)
def _stream_head(schema: Schema) -> tuple[pa.Schema, bytes]:
    """The stream's schema, and its first message, which says it: half of the work for a batch of a few rows."""
    fields = [*schema.arrow(), pa.field("__time", pa.uint64()), pa.field("__diff", pa.int64())]
    arrow = pa.schema(fields)
    return arrow, arrow.serialize().to_pybytes()


_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


def from_ipc(payload: bytes | memoryview | pa.Buffer) -> Batch:
    """The inverse of `to_ipc`, without copying the columns."""
    reader = pa.ipc.open_stream(payload)
    records = list(reader)
    if len(records) == 1:
        arrays = records[0].columns
    else:
        table = pa.Table.from_batches(records, reader.schema).combine_chunks()
        arrays = [c.chunk(0) if c.num_chunks else pa.array([], c.type) for c in table.columns]
    return Batch(
        tuple(arrays[:-2]),
        arrays[-2].to_numpy(zero_copy_only=False),
        arrays[-1].to_numpy(zero_copy_only=False),
    )


def to_record(schema: Schema, columns: Sequence[pa.Array]) -> bytes:
    """Columns of a few rows, without the schema, for who knows it: a quarter of the time of a stream, here and there."""
    record = pa.RecordBatch.from_arrays(list(columns), schema=_record_schema(schema))
    serialized: bytes = record.serialize().to_pybytes()
    return serialized


def from_record(schema: Schema, payload: bytes) -> tuple[pa.Array, ...]:
    """The inverse of `to_record`, without copying."""
    return tuple(pa.ipc.read_record_batch(payload, _record_schema(schema)).columns)


@lru_cache(1_000)
def _record_schema(schema: Schema) -> pa.Schema:
    return pa.schema(schema.arrow())
