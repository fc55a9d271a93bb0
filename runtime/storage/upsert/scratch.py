"""Scratch: where runs are written that are too large for memory.

A file has no name: it goes with its last mapping, whatever ends the process, and nobody finds half of one.  It is an
Arrow IPC file, a record batch per block: the columns, then `hash`.
"""

from __future__ import annotations

import errno
import mmap
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa

from ...errors import DiskFull, PtvcError, StorageError
from .block import Block
from .run import Mapping, Run

SPILL_ROWS = 65_536
SPILL_BYTES = 4 << 20
BLOCK_ROWS = 32_768
BLOCK_BYTES = 4 << 20
"""What a merge takes in at a time, and a search touches at a time, at most about."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """Runs of `spill_rows` rows or `spill_bytes` are written to the directory, which is made; without one they stay in
    memory."""

    directory: Path | None = None
    spill_rows: int = SPILL_ROWS
    spill_bytes: int = SPILL_BYTES

    def is_large(self, rows: int, nbytes: int) -> bool:
        return self.directory is not None and (rows >= self.spill_rows or nbytes >= self.spill_bytes)

    def writer(self, types: Sequence[pa.DataType]) -> RunWriter:
        """Raises DiskFull, StorageError."""
        assert self.directory is not None, "without a directory nothing is large"
        return RunWriter(self.directory, types)


class RunWriter:
    """Writes one run, block by block.  Every method raises DiskFull or StorageError; then it is to be abandoned."""

    def __init__(self, directory: Path, types: Sequence[pa.DataType]) -> None:
        self._directory = directory
        self._firsts: list[np.uint64] = []
        fields = [pa.field(f"c{i}", type_) for i, type_ in enumerate(types)]
        self._schema = pa.schema([*fields, pa.field("hash", pa.uint64())])
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=directory)  # noqa: SIM115 - open until `finish`
            weakref.finalize(self, _close, self._file)
            self._writer = pa.ipc.new_file(pa.PythonFile(self._file, "w"), self._schema)
        except OSError as error:
            raise self._failure(error) from error

    def append(self, block: Block) -> None:
        """A block with greater hashes than those before."""
        if not len(block):
            return
        record = pa.RecordBatch.from_arrays([*block.columns, pa.array(block.hashes)], schema=self._schema)
        try:
            self._writer.write_batch(record)
        except OSError as error:
            raise self._failure(error) from error
        self._firsts.append(block.hashes[0])

    def finish(self) -> Run | None:
        """The run, mapped; None if there were no rows."""
        if not self._firsts:
            self.abandon()
            return None
        try:
            self._writer.close()
            self._file.flush()
            memory = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
            self._file.close()
        except OSError as error:
            raise self._failure(error) from error
        buffer = pa.py_buffer(memory)
        reader = pa.ipc.open_file(buffer)
        blocks, bounds = [], [0]
        for number in range(reader.num_record_batches):
            *columns, hashes = reader.get_batch(number).columns
            values = np.asarray(hashes)
            bounds.append(values.ctypes.data + values.nbytes - buffer.address)
            blocks.append(Block(values, tuple(columns)))
        bounds[-1] = len(memory)
        run = Run(blocks, Mapping(memory, tuple(bounds)), np.array(self._firsts, np.uint64))
        run.forget()
        return run

    def abandon(self) -> None:
        """The file goes."""
        _close(self._file)

    def _failure(self, error: OSError) -> PtvcError:
        reason = f'cannot write upsert state to "{self._directory}": {error.strerror or error}'
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return DiskFull(
                reason, hint="Free some space: the source then goes on by itself; nothing is lost."
            )
        return StorageError(reason)


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # where the disk is full, what is buffered cannot be written either
        file.close()
