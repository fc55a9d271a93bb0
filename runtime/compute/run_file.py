"""Runs as files: Arrow IPC, mapped into memory when read.

One record batch: the row's columns (`c0`, `c1`, ...), `__time` (uint64), `__diff` (int64), `__hash` (uint64),
ascending by hash.  The schema's metadata says the version of this layout and that of the hash; a file of another
version is refused, as its rows would be searched in the wrong places.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..errors import StorageError
from ..repr.batch import Batch
from ..repr.hash import HASH_VERSION
from .run import SAMPLE_ROWS, Run

RUN_VERSION = 1

_METADATA = {b"ptvc.run": str(RUN_VERSION).encode(), b"ptvc.hash": str(HASH_VERSION).encode()}
_EXTRA = (("__time", pa.uint64()), ("__diff", pa.int64()), ("__hash", pa.uint64()))
_HINT = "Remove the file: the state that it holds is computed again."


def write_run(path: Path, run: Run) -> None:
    """Writes `run` to `path`, which either has all of it afterwards or is as it was; durable on return."""
    fields = [pa.field(f"c{i}", column.type) for i, column in enumerate(run.batch.columns)]
    schema = pa.schema([*fields, *(pa.field(name, type_) for name, type_ in _EXTRA)], metadata=_METADATA)
    arrays = [
        *run.batch.columns,
        pa.array(run.batch.times),
        pa.array(run.batch.diffs),
        pa.array(run.hashes),
    ]
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("wb") as file:
        with pa.ipc.new_file(file, schema) as writer:
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def map_run(path: Path) -> Run:
    """The run in the file at `path`, mapped: its pages are read when they are needed.

    Raises StorageError when the file is no run, or one of another version.
    """
    try:
        reader = pa.ipc.open_file(pa.memory_map(str(path), "r"))
        metadata = reader.schema.metadata or {}
        batches = reader.num_record_batches
        record = reader.get_batch(0) if batches == 1 else None
    except (OSError, pa.ArrowInvalid) as error:
        raise StorageError(f'cannot read run "{path}": {error}', hint=_HINT) from error
    found = {key: metadata.get(key, b"none").decode() for key in _METADATA}
    if any(found[key] != value.decode() for key, value in _METADATA.items()):
        raise StorageError(
            f'run "{path}" has version {found[b"ptvc.run"]} (hash {found[b"ptvc.hash"]}), '
            f"this program reads version {RUN_VERSION} (hash {HASH_VERSION})",
            hint=_HINT,
        )
    if record is None or tuple(record.schema.names[-3:]) != tuple(name for name, _ in _EXTRA):
        raise StorageError(f'run "{path}" is not laid out as a run', sqlstate="XX001", hint=_HINT)
    *columns, times, diffs, hashes = record.columns
    words = np.asarray(hashes)
    batch = Batch(tuple(columns), np.asarray(times), np.asarray(diffs))
    return Run(words, batch, words[::SAMPLE_ROWS].copy())
