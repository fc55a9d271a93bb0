"""What waits for a client that takes its time: first in, first out, little of it in memory and the rest in a file.

```
push ──> | in memory, up to a limit | ──> pop
         | a nameless file          |
```

Order is kept whichever way a piece goes.  The file has no name, so nothing is left of it after a crash, and it begins anew
when all of it was read.
"""

from __future__ import annotations

import asyncio
import errno
import os
import tempfile
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from ...errors import DiskFull, StorageError
from .results import Columns

MOST_BYTES = 32 << 20
PIECE_ROWS = 65_536
PIECE_BYTES = 4 << 20


class Spool:
    """Pieces of bytes.  `directory` receives the file (None: the system's temporary directory)."""

    def __init__(self, directory: Path | None, most: int = MOST_BYTES) -> None:
        self._directory = directory
        self._most = most
        self._pieces: deque[bytes | int] = deque()  # itself, or so many bytes of the file
        self._held = 0
        self._file: BinaryIO | None = None
        self._start = 0
        self._end = 0

    @property
    def in_memory(self) -> int:
        return self._held

    def push(self, piece: bytes) -> None:
        """Raises DiskFull or StorageError when it can be kept nowhere."""
        if self._held + len(piece) <= self._most:
            self._held += len(piece)
            self._pieces.append(piece)
            return
        try:
            if self._file is None:
                self._file = self._open()
            self._write(self._file, piece)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull("a result that waits for its client does not fit on the disk") from error
            raise StorageError(f"a result that waits for its client cannot be kept: {error}") from error
        self._pieces.append(len(piece))

    def _write(self, file: BinaryIO, piece: bytes) -> None:
        """All of it: where little room is left, the system writes a part, and says how much."""
        view, end = memoryview(piece), self._end
        while view:
            written = os.pwrite(file.fileno(), view, end)
            view, end = view[written:], end + written
        self._end = end

    def pop(self) -> bytes | None:
        """The oldest piece; None if there is none."""
        if not self._pieces:
            return None
        piece = self._pieces.popleft()
        if isinstance(piece, bytes):
            self._held -= len(piece)
            return piece
        assert self._file is not None
        found = os.pread(self._file.fileno(), piece, self._start)
        self._start += piece
        if self._start == self._end:
            self._file.truncate(0)
            self._start = self._end = 0
        return found

    def close(self) -> None:
        self._pieces.clear()
        self._held = 0
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:  # rows of a result that was abandoned are closed by nothing else
        if self._file is not None:
            self._file.close()

    def _open(self) -> BinaryIO:
        if self._directory is not None:
            self._directory.mkdir(parents=True, exist_ok=True)
        return cast(BinaryIO, tempfile.TemporaryFile(dir=self._directory, buffering=0))


class KeptRows:
    """Chunks of rows of one shape."""

    def __init__(self, directory: Path | None, most: int = MOST_BYTES) -> None:
        self._most = most
        self._chunks: deque[Columns | None] = deque()  # None: the next one of the file
        self._held = 0
        self._spool = Spool(directory, 0)

    @property
    def in_memory(self) -> int:
        return self._held

    async def push(self, chunk: Columns) -> bool:
        """Whether it stays in memory.  What does not is written beside the loop."""
        size = _size(chunk)
        if self._held + size <= self._most:
            self._held += size
            self._chunks.append(chunk)
            return True
        for piece in _pieces(chunk, size):
            await asyncio.to_thread(self._write, piece)
            self._chunks.append(None)
        return False

    def put_back(self, chunk: Columns) -> None:
        """The rest of what was popped last."""
        self._held += _size(chunk)
        self._chunks.appendleft(chunk)

    def pop(self) -> Columns | None:
        if not self._chunks:
            return None
        chunk = self._chunks.popleft()
        if chunk is not None:
            self._held -= _size(chunk)
            return chunk
        payload = self._spool.pop()
        assert payload is not None
        return tuple(pa.ipc.open_stream(payload).read_next_batch().columns)

    def close(self) -> None:
        self._chunks.clear()
        self._held = 0
        self._spool.close()

    def _write(self, piece: Columns) -> None:
        record = pa.RecordBatch.from_arrays(list(piece), [f"c{i}" for i in range(len(piece))])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, record.schema) as writer:
            writer.write_batch(record)
        self._spool.push(sink.getvalue().to_pybytes())


def _size(chunk: Columns) -> int:
    return sum(column.nbytes for column in chunk)


def _pieces(chunk: Columns, size: int) -> Iterator[Columns]:
    count = len(chunk[0])
    step = max(min(PIECE_ROWS, count * PIECE_BYTES // max(size, 1)), 1)
    for start in range(0, count, step):
        yield tuple(column.slice(start, step) for column in chunk)
