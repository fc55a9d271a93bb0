"""Runs as files: Arrow IPC, mapped into memory when read.

One record batch: the row's columns (`c0`, `c1`, ...), `__time` (uint64), `__diff` (int64), `__hash` (uint64),
ascending by hash.  Where all times are the same, or all diffs, as in most runs, the column is left out, and the schema's metadata
has the one value.  The metadata says the version of this layout and that of the hash, too; a file of another version is refused, as
its rows would be searched in the wrong places.

A large run has a file of its own; small ones lie one after another in one file (`RunFile` says where).
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..errors import StorageError
from ..repr.batch import Batch
from ..repr.buffers import constant
from ..repr.hash import HASH_VERSION
from .packed_file import SUFFIX, decode
from .run import SAMPLE_ROWS, Run, RunFile, StoredRun
from .shared_files import SharedFiles

RUN_VERSION = 2

_METADATA = {b"ptvc.run": str(RUN_VERSION).encode(), b"ptvc.hash": str(HASH_VERSION).encode()}
_TIME, _DIFF, _HASH = "__time", "__diff", "__hash"
_HINT = "Remove the file: the state that it holds is computed again."
_READ_BYTES = 1 << 22

_W = TypeVar("_W", np.uint64, np.int64)


def write_run(path: Path, run: Run) -> None:
    """Writes `run` to `path`, which either has all of it afterwards or is as it was; durable on return."""
    partial = path.with_name(f"{path.name}.partial")
    write_unsynced(partial, run)
    sync_file(partial)
    partial.replace(path)
    sync_directory(path.parent)


def write_unsynced(path: Path, run: Run) -> int:
    """Writes `run` to a new file, which a crash may leave in pieces; returns its length."""
    with pa.OSFile(str(path), "wb") as file:
        _write(file, run)
    return path.stat().st_size


def encode_run(run: Run) -> pa.Buffer:
    """The bytes of a run's file."""
    sink = pa.BufferOutputStream()
    _write(sink, run)
    return sink.getvalue()


def sync_file(path: Path) -> None:
    """What was written to the file survives a loss of power."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_directory(path: Path) -> None:
    """The names in the directory survive a loss of power."""
    sync_file(path)


def _write(sink: pa.NativeFile, run: Run) -> None:
    columns = {f"c{i}": column for i, column in enumerate(run.batch.columns)}
    metadata = dict(_METADATA)
    for name, values in ((_TIME, run.batch.times), (_DIFF, run.batch.diffs)):
        if len(values) and (not values.strides[0] or (values == values[0]).all()):
            metadata[name.encode()] = str(values[0]).encode()
        else:
            columns[name] = pa.array(values)
    columns[_HASH] = pa.array(run.hashes)
    fields = [pa.field(name, column.type) for name, column in columns.items()]
    schema = pa.schema(fields, metadata=metadata)
    with pa.ipc.new_file(sink, schema) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(list(columns.values()), schema=schema))


def checksum(file: RunFile) -> int:
    """CRC-32 of the run's bytes.  They are read, not mapped: pages that are only checked are not kept."""
    found, left = 0, file.length
    try:
        with file.path.open("rb") as reader:
            reader.seek(file.offset)
            while left:
                piece = reader.read(min(left, _READ_BYTES))
                if not piece:
                    raise StorageError(f'run "{file.path}" is cut off', sqlstate="XX001", hint=_HINT)
                found = zlib.crc32(piece, found)
                left -= len(piece)
    except OSError as error:
        raise StorageError(f'cannot read run "{file.path}": {error}', hint=_HINT) from error
    return found


def map_run(path: Path) -> Run:
    """The run in the file at `path`, mapped: its pages are read when they are needed.

    Raises StorageError when the file is no run, or one of another version.
    """
    try:
        memory = pa.memory_map(str(path), "r")
        return _run(memory.read_buffer(), RunFile(path, 0, memory.size()))
    except (OSError, pa.ArrowInvalid) as error:
        raise StorageError(f'cannot read run "{path}": {error}', hint=_HINT) from error


def verify(file: RunFile) -> None:
    """Raises StorageError when the bytes there are not those that were written."""
    if file.checksum is not None and checksum(file) != file.checksum:
        raise StorageError(
            f'run "{file.path}" is damaged: its checksum is not that of what was written',
            sqlstate="XX001",
            hint=_HINT,
        )


def read_run(file: RunFile, *, mapped: bool) -> Run:
    """The run at `file`, mapped or in memory; one that is packed is in memory always.

    Raises StorageError for a file that is missing, of another version, or no run.
    """
    if is_packed(file):
        return decode(packed_bytes(file), file)
    try:
        with pa.memory_map(str(file.path), "r") if mapped else pa.OSFile(str(file.path), "rb") as source:
            source.seek(file.offset)
            run = _run(source.read_buffer(file.length), file)
    except (OSError, pa.ArrowInvalid) as error:
        raise StorageError(f'cannot read run "{file.path}": {error}', hint=_HINT) from error
    return run if mapped else Run(run.hashes, run.batch, None, file)


def read_stored(files: SharedFiles, stored: Sequence[StoredRun]) -> list[Run]:
    """The runs that another process has published, mapped.  Raises StorageError."""
    files.fetch(run.name for run in stored)
    return [read_run(run_file(files, run), mapped=True) for run in stored]


def run_file(files: SharedFiles, stored: StoredRun) -> RunFile:
    """Where a run that was fetched is here."""
    return RunFile(files.path(stored.name), stored.offset, stored.length, stored.checksum)


def is_packed(file: RunFile) -> bool:
    return file.path.suffix == SUFFIX


def packed_bytes(file: RunFile) -> pa.Buffer:
    """The bytes of a packed run.  Raises StorageError."""
    try:
        with pa.memory_map(str(file.path), "r") as source:
            source.seek(file.offset)
            return source.read_buffer(file.length)
    except (OSError, pa.ArrowInvalid) as error:
        raise StorageError(f'cannot read run "{file.path}": {error}', hint=_HINT) from error


def _run(buffer: pa.Buffer, file: RunFile) -> Run:
    """The run whose bytes `buffer` holds.  Raises StorageError, and ArrowInvalid for what is not Arrow."""
    reader = pa.ipc.open_file(pa.BufferReader(buffer))
    metadata = reader.schema.metadata or {}
    record = reader.get_batch(0) if reader.num_record_batches == 1 else None
    found = {key: metadata.get(key, b"none").decode() for key in _METADATA}
    if any(found[key] != value.decode() for key, value in _METADATA.items()):
        raise StorageError(
            f'run "{file.path}" has version {found[b"ptvc.run"]} (hash {found[b"ptvc.hash"]}), '
            f"this program reads version {RUN_VERSION} (hash {HASH_VERSION})",
            hint=_HINT,
        )
    columns = {} if record is None else dict(zip(record.schema.names, record.columns, strict=True))
    rows = 0 if record is None else record.num_rows
    try:
        words = np.asarray(columns.pop(_HASH))
        times = _values(columns, metadata, _TIME, np.uint64, rows)
        diffs = _values(columns, metadata, _DIFF, np.int64, rows)
    except (KeyError, ValueError) as error:
        raise StorageError(
            f'run "{file.path}" is not laid out as a run', sqlstate="XX001", hint=_HINT
        ) from error
    return Run(words, Batch(tuple(columns.values()), times, diffs), words[::SAMPLE_ROWS].copy(), file)


def _values(
    columns: dict[str, pa.Array], metadata: Mapping[bytes, bytes], name: str, dtype: type[_W], rows: int
) -> npt.NDArray[_W]:
    """The times or the diffs, which are no longer among the columns then."""
    if name in columns:
        return np.asarray(columns.pop(name))
    return constant(dtype(int(metadata[name.encode()])), rows)
