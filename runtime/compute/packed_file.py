"""Runs as they are kept while nobody needs them: Parquet, compressed, a tenth of what the same run takes to be searched.

The columns of a run's file (`run_file`), laid out as those of parts.  Hashes that are those of key columns are left
out: they are computed again.  A packed run cannot be searched: it is `decode`d first, at some 10M values a second.

Whatever does not come back exactly as it was is not packed (`encode` looks), such as floats that are no numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import StorageError
from ..repr.batch import Batch, Diffs, Times
from ..repr.buffers import constant
from ..repr.hash import HASH_VERSION, hash_columns
from ..repr.parquet_layout import layout, narrowed, widened
from .run import Run, RunFile

PACKED_VERSION = 2
_READABLE = ("1", str(PACKED_VERSION))
"""In version 1 all numerics take 16 bytes."""
SUFFIX = ".packed"

_VERSION, _HASH_VERSION, _NBYTES, _KEY = b"ptvc.packed", b"ptvc.hash", b"ptvc.nbytes", b"ptvc.key"
_TIME, _DIFF, _HASH = "__time", "__diff", "__hash"
_HINT = "Remove the file: the state that it holds is computed again."
_LEVEL = 1


def encode(run: Run, key: tuple[int, ...]) -> pa.Buffer | None:
    """The bytes of the packed run, of a spine with this key; None for one that they would not bring back."""
    columns = {f"c{i}": narrowed(column) for i, column in enumerate(run.batch.columns)}
    metadata = {
        _VERSION: str(PACKED_VERSION).encode(),
        _HASH_VERSION: str(HASH_VERSION).encode(),
        _NBYTES: str(run.nbytes).encode(),
    }
    for name, values in ((_TIME, run.batch.times.view(np.int64)), (_DIFF, run.batch.diffs)):
        if len(values) and (not values.strides[0] or (values == values[0]).all()):
            metadata[name.encode()] = str(values[0]).encode()
        else:
            columns[name] = pa.array(values)
    if np.array_equal(run.hashes, hash_columns([run.batch.columns[i] for i in key], len(run))):
        metadata[_KEY] = ",".join(map(str, key)).encode()
    else:
        columns[_HASH] = pa.array(run.hashes.view(np.int64))
    table = pa.table(columns)
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata(metadata),
        sink,
        compression="zstd",
        compression_level=_LEVEL,
        write_statistics=False,
        **layout(table.schema),
    )
    packed = sink.getvalue()
    again = _decoded(packed)
    return packed if again is not None and _same(again, run) else None


def _same(one: Run, other: Run) -> bool:
    return (
        np.array_equal(one.hashes, other.hashes)
        and np.array_equal(one.batch.times, other.batch.times)
        and np.array_equal(one.batch.diffs, other.batch.diffs)
        and all(a.equals(b) for a, b in zip(one.batch.columns, other.batch.columns, strict=True))
    )


def size_of(packed: pa.Buffer, file: RunFile) -> tuple[int, int]:
    """How many rows a packed run has, and how many bytes when it is not packed.  Raises StorageError."""
    try:
        footer = pq.read_metadata(pa.BufferReader(packed))
        return footer.num_rows, int(_checked(footer.metadata, file)[_NBYTES])
    except (OSError, pa.ArrowInvalid, KeyError, ValueError) as error:
        raise _unreadable(file, error) from error


def decode(packed: pa.Buffer, file: RunFile) -> Run:
    """The run, in memory.  Raises StorageError for bytes that are no packed run, or one of another version."""
    try:
        run = _decoded(packed, file)
    except (OSError, pa.ArrowInvalid, ValueError) as error:
        raise _unreadable(file, error) from error
    if run is None:
        raise StorageError(f'run "{file.path}" is not laid out as a packed run', sqlstate="XX001", hint=_HINT)
    return run


def _decoded(packed: pa.Buffer, file: RunFile | None = None) -> Run | None:
    table = pq.read_table(pa.BufferReader(packed), use_threads=False)
    metadata = _checked(table.schema.metadata or {}, file)
    rows = table.num_rows
    columns = {
        name: widened(column.combine_chunks() if column.num_chunks != 1 else column.chunk(0))
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    try:
        times: Times = _values(columns, metadata, _TIME, rows).view(np.uint64)
        diffs: Diffs = _values(columns, metadata, _DIFF, rows)
        hashes = columns.pop(_HASH, None)
        found = tuple(columns.values())
        if hashes is not None:
            words = np.asarray(hashes).view(np.uint64)
        else:
            key = [int(i) for i in metadata[_KEY].decode().split(",") if i]
            words = hash_columns([found[i] for i in key], rows)
    except (KeyError, IndexError):
        return None
    return Run(words, Batch(found, times, diffs), None, file)


def _values(columns: dict[str, pa.Array], metadata: Mapping[bytes, bytes], name: str, rows: int) -> Diffs:
    if name in columns:
        return np.asarray(columns.pop(name))
    return constant(np.int64(int(metadata[name.encode()])), rows)


def _checked(metadata: Mapping[bytes, bytes], file: RunFile | None) -> Mapping[bytes, bytes]:
    versions = tuple(metadata.get(name, b"none").decode() for name in (_VERSION, _HASH_VERSION))
    if versions[0] not in _READABLE or versions[1] != str(HASH_VERSION):
        raise StorageError(
            f'run "{file.path if file is not None else ""}" has packed version {versions[0]} (hash {versions[1]}), '
            f"this program reads up to version {PACKED_VERSION} (hash {HASH_VERSION})",
            hint=_HINT,
        )
    return metadata


def _unreadable(file: RunFile, error: Exception) -> StorageError:
    return StorageError(f'cannot read run "{file.path}": {error}', hint=_HINT)
