"""A delta as bytes, and back.

Arrow (`ipc1`): a header, then the row updates and the error updates as one Arrow IPC record batch message each,
without the schema, which the shard's registry has; the header counts the columns, carries a checksum of
their types and says whether the messages are compressed (LZ4).  A one-row append costs tens of microseconds and a few hundred bytes.
For parts that are inline, and for blobs that are soon merged with others.

Parquet (`parquet1`): a Parquet file (zstd) for any tool: the rows' columns under their names (made unique), then
`__time`, `__diff` (bigint) and `__err` (a struct of `sqlstate` and `message`, NULL for a row).  Updates of
errors come last, with NULL in every row column.  Numerics have as many digits as the file's values need, 18 or 38.  What is large has up to 4 row groups of equal size, so that readers who
share it need not decode all of it each.

The times in the bytes are those that were known when they were written.  The reference has the last word: a part that
was timestamped later (`part.stamp`) is all at its reference's time.

Columns beyond those that were written read as NULL: a shard's schema only ever grows at the end.
"""

from __future__ import annotations

import functools
import struct
import zlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import StorageError
from ..expr.text.text_format import from_text
from ..repr.batch import NO_ERRORS, Batch, Delta, Diffs, Times, empty_batch
from ..repr.parquet_layout import layout, narrowed, widened, widened_type
from ..repr.schema import ERROR_SCHEMA, Column, Schema
from .part import PartRef

Columns = Sequence[int]
"""Positions in a schema."""

Stretch = tuple[int, int]
"""Of a part's updates of rows those at `[start, stop)`."""

_HEADER = struct.Struct("<4sHHIIQQ")
"""Magic, version, columns, CRC-32 of the columns' types, `_PLAIN` or `_LZ4`, bytes of the rows' message and of the errors'.
32 bytes, so that the messages keep the alignment that Arrow wants."""
_PLAIN, _LZ4 = 0, 1
_WRITE_LZ4 = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
_READ_ALONE = pa.ipc.IpcReadOptions(use_threads=False)
_MAGIC = b"PTVC"
_VERSION = 1
_FILE_VERSION = 2
"""In files of version 1 all numerics take 16 bytes."""
_FILE_VERSION_KEY = b"ptvc.part"
ROW_GROUPS = 4
LEAST_GROUP_ROWS = 1 << 16
"""Of a file of more rows; each group has a dictionary of its own, so more of them would cost time and bytes."""

_OWN_COLUMNS = _TIME, _DIFF, _ERR = "__time", "__diff", "__err"
_ERROR_TYPE = pa.struct([pa.field("sqlstate", pa.string()), pa.field("message", pa.string())])


def checksum(data: bytes) -> int:
    """CRC-32 of encoded bytes."""
    return zlib.crc32(data)


# Arrow


def encode_ipc(schema: Schema, delta: Delta, *, packed: bool = False) -> bytes:
    """`delta`, whose rows have exactly the columns of `schema`, as Arrow messages; `packed`: compressed."""
    oks = _message(_wire_schema(schema, len(schema)), delta.oks, packed)
    errs = _message(_wire_schema(ERROR_SCHEMA, len(ERROR_SCHEMA)), delta.errs, packed)
    packing = _LZ4 if packed else _PLAIN
    header = _HEADER.pack(
        _MAGIC, _VERSION, len(schema), _types_checksum(schema, len(schema)), packing, len(oks), len(errs)
    )
    return b"".join((header, oks, errs))


def decode_ipc(schema: Schema, data: bytes, columns: Columns | None = None) -> Delta:
    """The inverse of `encode_ipc`, of `columns` only if they are given.  Raises ValueError if `data` is not such bytes."""
    if len(data) < _HEADER.size:
        raise ValueError("it is cut off")
    magic, version, written, types, packing, ok_bytes, err_bytes = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise ValueError("it is not a part of Arrow messages")
    if version > _VERSION:
        raise ValueError(f"it has format version {version}, and this release knows up to {_VERSION}")
    if packing > _LZ4:
        raise ValueError(f"it is packed in the way {packing}, and this release knows up to {_LZ4}")
    if len(data) != _HEADER.size + ok_bytes + err_bytes:
        raise ValueError("it is cut off")
    if written > len(schema) or types != _types_checksum(schema, written):
        raise ValueError("it was written with columns of other types")
    buffer = pa.py_buffer(data)
    errs = NO_ERRORS
    places = range(len(schema)) if columns is None else columns
    if ok_bytes:
        message = buffer.slice(_HEADER.size, ok_bytes)
        rows = _from_message(message, _wire_schema(schema, written), packing)
        kept = _kept(schema, places, written)
        oks = _completed(schema, places, kept, rows.select(kept))
    else:
        oks = empty_batch(schema.project(places))
    if err_bytes:
        message = buffer.slice(_HEADER.size + ok_bytes, err_bytes)
        errs = _from_message(message, _wire_schema(ERROR_SCHEMA, len(ERROR_SCHEMA)), packing)
    return Delta(oks, errs)


def _message(wire: pa.Schema, batch: Batch, packed: bool) -> bytes:
    if not len(batch):
        return b""
    arrays = [*batch.columns, pa.array(batch.times), pa.array(batch.diffs)]
    record = pa.RecordBatch.from_arrays(arrays, schema=wire)
    if not packed:
        return record.serialize().to_pybytes()  # type: ignore[no-any-return]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, wire, options=_WRITE_LZ4) as writer:
        writer.write_batch(record)
    messages = pa.ipc.MessageReader.open_stream(sink.getvalue())
    messages.read_next_message()  # the schema
    return messages.read_next_message().serialize().to_pybytes()  # type: ignore[no-any-return]


def _from_message(message: pa.Buffer, wire: pa.Schema, packing: int) -> Batch:
    if packing == _PLAIN:
        record = pa.ipc.read_record_batch(message, wire)
    else:  # a stream, as only its reader can be kept from waking Arrow's threads
        whole = wire.serialize().to_pybytes() + message.to_pybytes()
        with pa.ipc.open_stream(whole, options=_READ_ALONE) as reader:
            record = reader.read_next_batch()
    *columns, times, diffs = record.columns
    return Batch(tuple(columns), times.to_numpy(), diffs.to_numpy())


@functools.lru_cache(maxsize=1024)
def _wire_schema(schema: Schema, columns: int) -> pa.Schema:
    fields = [pa.field(f"c{i}", schema[i].type.arrow) for i in range(columns)]
    return pa.schema([*fields, pa.field(_TIME, pa.uint64()), pa.field(_DIFF, pa.int64())])


@functools.lru_cache(maxsize=1024)
def _types_checksum(schema: Schema, columns: int) -> int:
    return zlib.crc32(";".join(str(schema[i].type.arrow) for i in range(columns)).encode())


def _kept(schema: Schema, places: Columns, written: int) -> list[int]:
    """Those of the columns at `places` that are among the `written` ones and still there."""
    return [place for place in places if place < written and not schema[place].dropped]


def _completed(schema: Schema, places: Columns, kept: Columns, batch: Batch) -> Batch:
    """The columns at `places`, of which `batch` has the `kept` ones: the others are NULL, or what they say of old rows."""
    if len(kept) == len(places):
        return batch
    there = dict(zip(kept, batch.columns, strict=True))
    return batch.with_columns(
        [there[place] if place in there else _absent(schema[place], len(batch)) for place in places]
    )


def _absent(column: Column, count: int) -> pa.Array:
    if column.missing is None or column.dropped:
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
    columns = [narrowed(column) for column in columns]
    names = (*parquet_names(schema), _TIME, _DIFF)
    fields = [
        pa.field(name, column.type, name not in (_TIME, _DIFF))
        for name, column in zip(names, columns, strict=True)
    ]
    table = pa.Table.from_arrays(
        [*columns, error],
        schema=pa.schema(
            [*fields, pa.field(_ERR, _ERROR_TYPE)], {_FILE_VERSION_KEY: str(_FILE_VERSION).encode()}
        ),
    )
    sink = pa.BufferOutputStream()
    pq.write_table(
        table, sink, compression="zstd", row_group_size=_group_rows(len(table)), **layout(table.schema)
    )
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _group_rows(rows: int) -> int:
    groups = min(ROW_GROUPS, -(-rows // LEAST_GROUP_ROWS))
    return max(-(-rows // max(groups, 1)), 1)


def decode_parquet(
    schema: Schema,
    data: bytes,
    columns: Columns | None = None,
    *,
    with_errors: bool = True,
    stretch: Stretch | None = None,
) -> Delta:
    """The inverse of `encode_parquet`, of `columns` only if they are given; without errors, where it is known that there are
    none, and then of a `stretch` only.  Raises ValueError if `data` is not such a file."""
    file = pq.ParquetFile(pa.BufferReader(data))
    version = int((file.schema_arrow.metadata or {}).get(_FILE_VERSION_KEY, b"0"))
    if not 1 <= version <= _FILE_VERSION:
        raise ValueError(f"it has format version {version}, and this release knows up to {_FILE_VERSION}")
    written = file.schema_arrow.names[: -len(_OWN_COLUMNS)]
    places = range(len(schema)) if columns is None else columns
    kept = _kept(schema, places, len(written))
    expected = [schema[place].type.arrow for place in kept]
    found = [widened_type(file.schema_arrow.field(place).type) for place in kept]
    if len(written) > len(schema) or found != expected:
        raise ValueError("it was written with columns of other types")
    names = [written[place] for place in kept] + [
        name for name in _OWN_COLUMNS if with_errors or name != _ERR
    ]
    # A name with a dot could be that of a field inside another column.
    wanted = None if any("." in name for name in written) else names
    if stretch is None:
        table = file.read(columns=wanted, use_threads=False)
    else:
        assert not with_errors, "errors are behind the rows"
        table = _stretch_of(file, wanted, stretch)
    values = {name: widened(_one_chunk(table.column(name))) for name in names}
    times, diffs = values[_TIME].to_numpy().astype(np.uint64), values[_DIFF].to_numpy()
    rows = values[_ERR].null_count if with_errors else len(times)
    updates = Batch(tuple(values[written[place]] for place in kept), times, diffs).slice(0, rows)
    return Delta(_completed(schema, places, kept, updates), _errors(values.get(_ERR), times, diffs, rows))


def _stretch_of(file: pq.ParquetFile, columns: list[str] | None, stretch: Stretch) -> pa.Table:
    """Decodes those groups only that have rows of it."""
    sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    ends = np.cumsum(sizes)
    start, stop = stretch
    groups = [g for g, end in enumerate(ends.tolist()) if end > start and end - sizes[g] < stop]
    table = file.read_row_groups(groups, columns=columns, use_threads=False)
    before = int(ends[groups[0]]) - sizes[groups[0]] if groups else start
    return table.slice(start - before, stop - start)


def _errors(values: pa.Array | None, times: Times, diffs: Diffs, rows: int) -> Batch:
    if values is None or rows == len(values):
        return NO_ERRORS
    found = values.slice(rows)
    if found.null_count:
        raise ValueError("its errors do not come last")
    return Batch(tuple(found.flatten()), times[rows:], diffs[rows:])


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    chunks = column.chunks
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks or [pa.array([], column.type)])


# Either


def decode(
    ref: PartRef,
    data: bytes,
    schema: Schema,
    columns: Columns | None = None,
    stretch: Stretch | None = None,
) -> Delta:
    """The updates of a part, with all columns of the schema, or with `columns`; of one that has no errors, those of a `stretch`.  Raises
    StorageError, naming shard and part, if `data` is not what was written."""
    check_bytes(ref, data)
    assert stretch is None or not ref.errors, "errors are behind the rows"
    rows = ref.rows if stretch is None else stretch[1] - stretch[0]
    try:
        match ref.encoding:
            case "ipc1":
                delta = decode_ipc(schema, data, columns)
                if stretch is not None:
                    delta = Delta(delta.oks.slice(*stretch), delta.errs)
            case "parquet1":
                errors = ref.errors > 0
                delta = decode_parquet(schema, data, columns, with_errors=errors, stretch=stretch)
            case other:
                raise StorageError(
                    f'could not read part {ref.name} of shard "{ref.shard}": its encoding "{other}" is unknown',
                    hint="It was written by a newer release; start that one.",
                )
    except (ValueError, pa.ArrowException) as error:
        raise _corrupt(ref, str(error)) from error
    if len(delta.oks) != rows or len(delta.errs) != ref.errors:
        raise _corrupt(ref, "it has another number of updates")
    return delta


def check_bytes(ref: PartRef, data: bytes) -> None:
    """StorageError, naming shard and part, if `data` is not what was written as that part."""
    if checksum(data) != ref.checksum:
        raise _corrupt(ref, "its checksum does not match")


def _corrupt(ref: PartRef, reason: str) -> StorageError:
    return StorageError(
        f'could not read part {ref.name} of shard "{ref.shard}": {reason}',
        sqlstate="XX001",
        hint="Restore it from a backup, or drop the collection and let it be built again.",
    )
