"""A delta as bytes, and back.

Inline (`ipc1`): a header, then the row updates and the error updates as one Arrow IPC record batch message each,
without the schema, which the shard's registry has; the header counts the columns and carries a checksum of
their types.  A one-row append costs tens of microseconds and a few hundred bytes.

Blob (`parquet1`): a Parquet file (zstd) for any tool: the rows' columns under their names (made unique), then
`__time`, `__diff` (bigint) and `__err` (a struct of `sqlstate` and `message`, NULL for a row).  Updates of
errors come last, with NULL in every row column.

The times in the bytes are those that were known when they were written.  The reference has the last word: a part that
was timestamped later (`part.stamp`) is all at its reference's time.

Columns beyond those that were written read as NULL: a shard's schema only ever grows at the end.
"""

from __future__ import annotations

import functools
import struct
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import StorageError
from ..expr.text.text_format import from_text
from ..repr.batch import NO_ERRORS, Batch, Delta, empty_batch
from ..repr.schema import ERROR_SCHEMA, Column, Schema
from .part import PartRef

_HEADER = struct.Struct("<4sHHIIQQ")
"""Magic, version, columns, CRC-32 of the columns' types, zero, bytes of the rows' message and of the errors'.
32 bytes, so that the messages keep the alignment that Arrow wants."""
_MAGIC = b"PTVC"
_VERSION = 1
_FILE_VERSION_KEY = b"ptvc.part"
_TIME, _DIFF, _ERR = "__time", "__diff", "__err"
_ERROR_TYPE = pa.struct([pa.field("sqlstate", pa.string()), pa.field("message", pa.string())])


def checksum(data: bytes) -> int:
    """CRC-32 of encoded bytes."""
    return zlib.crc32(data)


# Inline


def encode_inline(schema: Schema, delta: Delta) -> bytes:
    """`delta`, whose rows have exactly the columns of `schema`, in the inline encoding."""
    oks = _message(_wire_schema(schema, len(schema)), delta.oks)
    errs = _message(_wire_schema(ERROR_SCHEMA, len(ERROR_SCHEMA)), delta.errs)
    header = _HEADER.pack(
        _MAGIC, _VERSION, len(schema), _types_checksum(schema, len(schema)), 0, len(oks), len(errs)
    )
    return b"".join((header, oks, errs))


def decode_inline(schema: Schema, data: bytes) -> Delta:
    """The inverse of `encode_inline`.  Raises ValueError if `data` is not such bytes."""
    if len(data) < _HEADER.size:
        raise ValueError("it is cut off")
    magic, version, columns, types, _, ok_bytes, err_bytes = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise ValueError("it is not an inline part")
    if version > _VERSION:
        raise ValueError(f"it has format version {version}, and this release knows up to {_VERSION}")
    if len(data) != _HEADER.size + ok_bytes + err_bytes:
        raise ValueError("it is cut off")
    if columns > len(schema) or types != _types_checksum(schema, columns):
        raise ValueError("it was written with columns of other types")
    buffer = pa.py_buffer(data)
    errs = NO_ERRORS
    if ok_bytes:
        message = buffer.slice(_HEADER.size, ok_bytes)
        record = pa.ipc.read_record_batch(message, _wire_schema(schema, columns))
        oks = _extend(schema, _from_record(record))
    else:
        oks = empty_batch(schema)
    if err_bytes:
        message = buffer.slice(_HEADER.size + ok_bytes, err_bytes)
        record = pa.ipc.read_record_batch(message, _wire_schema(ERROR_SCHEMA, len(ERROR_SCHEMA)))
        errs = _from_record(record)
    return Delta(oks, errs)


def _message(wire: pa.Schema, batch: Batch) -> bytes:
    if not len(batch):
        return b""
    arrays = [*batch.columns, pa.array(batch.times), pa.array(batch.diffs)]
    return pa.RecordBatch.from_arrays(arrays, schema=wire).serialize().to_pybytes()  # type: ignore[no-any-return]


def _from_record(record: pa.RecordBatch) -> Batch:
    *columns, times, diffs = record.columns
    return Batch(tuple(columns), times.to_numpy(), diffs.to_numpy())


@functools.lru_cache(maxsize=1024)
def _wire_schema(schema: Schema, columns: int) -> pa.Schema:
    fields = [pa.field(f"c{i}", schema[i].type.arrow) for i in range(columns)]
    return pa.schema([*fields, pa.field(_TIME, pa.uint64()), pa.field(_DIFF, pa.int64())])


@functools.lru_cache(maxsize=1024)
def _types_checksum(schema: Schema, columns: int) -> int:
    return zlib.crc32(";".join(str(schema[i].type.arrow) for i in range(columns)).encode())


def _extend(schema: Schema, batch: Batch) -> Batch:
    """The batch with the columns that `schema` has gained since it was written: NULL, or what they say of old rows."""
    written = len(batch.columns)
    dropped = any(column.dropped for column in schema)
    if written == len(schema) and not dropped:
        return batch
    columns = [*batch.columns, *(_absent(column, len(batch)) for column in schema.columns[written:])]
    if dropped:
        columns = [
            pa.nulls(len(batch), column.type.arrow) if column.dropped else values
            for column, values in zip(schema, columns, strict=True)
        ]
    return batch.with_columns(columns)


def _absent(column: Column, count: int) -> pa.Array:
    if column.missing is None:
        return pa.nulls(count, column.type.arrow)
    value = from_text(pa.array([column.missing], pa.string()), column.type).values
    return value.take(pa.array(np.zeros(count, np.int64)))


# Parquet


def parquet_names(schema: Schema) -> tuple[str, ...]:
    """The names of a part's row columns: the schema's, with a number added to one that is taken.

    `a, a, __time` become `a, a_2, __time_2`.  Columns added later never change the names of earlier ones.
    """
    taken = {_TIME, _DIFF, _ERR}
    names = []
    for name in schema.names:
        unique, count = name, 1
        while unique in taken:
            count += 1
            unique = f"{name}_{count}"
        taken.add(unique)
        names.append(unique)
    return tuple(names)


def encode_parquet(schema: Schema, delta: Delta) -> bytes:
    """`delta`, whose rows have exactly the columns of `schema`, as a Parquet file."""
    oks, errs = delta.oks, delta.errs
    columns = list(oks.columns)
    error = pa.nulls(len(oks), _ERROR_TYPE)
    if len(errs):
        columns = [pa.concat_arrays([column, pa.nulls(len(errs), column.type)]) for column in columns]
        found = pa.StructArray.from_arrays(list(errs.columns), fields=list(_ERROR_TYPE))
        error = pa.concat_arrays([error, found])
    # Other tools read unsigned 64-bit integers as decimals; times fit a signed one.
    columns.append(pa.array(np.concatenate([oks.times, errs.times]).astype(np.int64)))
    columns.append(pa.array(np.concatenate([oks.diffs, errs.diffs])))
    fields = [
        pa.field(name, type_.arrow) for name, type_ in zip(parquet_names(schema), schema.types, strict=True)
    ]
    fields += [
        pa.field(_TIME, pa.int64(), False),
        pa.field(_DIFF, pa.int64(), False),
        pa.field(_ERR, _ERROR_TYPE),
    ]
    table = pa.Table.from_arrays(
        [*columns, error], schema=pa.schema(fields, {_FILE_VERSION_KEY: str(_VERSION).encode()})
    )
    # Integers as differences: half the size of a dictionary of them, and written and read twice as fast.  A name with a
    # dot could be that of a field inside another column.
    packed = [field.name for field in table.schema if _is_integral(field.type) and "." not in field.name]
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression="zstd",
        use_dictionary=[field.name for field in table.schema if field.name not in packed],
        column_encoding=dict.fromkeys(packed, "DELTA_BINARY_PACKED"),
    )
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _is_integral(type_: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_integer(type_) or types.is_date32(type_) or types.is_timestamp(type_))


def decode_parquet(schema: Schema, data: bytes) -> Delta:
    """The inverse of `encode_parquet`.  Raises ValueError if `data` is not such a file."""
    table = pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False).combine_chunks()
    version = int((table.schema.metadata or {}).get(_FILE_VERSION_KEY, b"0"))
    if not 1 <= version <= _VERSION:
        raise ValueError(f"it has format version {version}, and this release knows up to {_VERSION}")
    *columns, times, diffs, error = [_one_chunk(column) for column in table.columns]
    expected = [type_.arrow for type_ in schema.types[: len(columns)]]
    if [column.type for column in columns] != expected:
        raise ValueError("it was written with columns of other types")
    rows = error.null_count
    updates = Batch((*columns, error), times.to_numpy().astype(np.uint64), diffs.to_numpy())
    oks = updates.slice(0, rows)
    errs = updates.slice(rows, len(updates))
    if errs.columns[-1].null_count:
        raise ValueError("its errors do not come last")
    return Delta(
        _extend(schema, oks.with_columns(oks.columns[:-1])), errs.with_columns(errs.columns[-1].flatten())
    )


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    chunks = column.chunks
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks or [pa.array([], column.type)])


# Either


def decode(ref: PartRef, data: bytes, schema: Schema) -> Delta:
    """The updates of a part.  Raises StorageError, naming shard and part, if `data` is not what was written."""
    if checksum(data) != ref.checksum:
        raise _corrupt(ref, "its checksum does not match")
    match ref.encoding:
        case "ipc1":
            decoder = decode_inline
        case "parquet1":
            decoder = decode_parquet
        case other:
            raise StorageError(
                f'could not read part {ref.name} of shard "{ref.shard}": its encoding "{other}" is unknown',
                hint="It was written by a newer release; start that one.",
            )
    try:
        delta = decoder(schema, data)
    except (ValueError, pa.ArrowException) as error:
        raise _corrupt(ref, str(error)) from error
    if len(delta.oks) != ref.rows or len(delta.errs) != ref.errors:
        raise _corrupt(ref, "it has another number of updates")
    return delta


def _corrupt(ref: PartRef, reason: str) -> StorageError:
    return StorageError(
        f'could not read part {ref.name} of shard "{ref.shard}": {reason}',
        sqlstate="XX001",
        hint="Restore it from a backup, or drop the collection and let it be built again.",
    )
