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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import pyarrow as pa

from ...errors import DiskFull, StorageError
from .results import Columns

T = TypeVar("T")

MOST_BYTES = 32 << 20
PIECE_ROWS = 65_536
PIECE_BYTES = 4 << 20


class Spool:
    """Pieces of bytes, which one task pushes and one pops.  `directory` receives the file (None: the system's temporary
    directory), which is written and read beside the event loop."""

    def __init__(self, directory: Path | None, most: int = MOST_BYTES) -> None:
        self._directory = directory
        self._most = most
        self._pieces: deque[bytes | int] = deque()  # itself, or so many bytes of the file
        self._held = 0
        self._file: BinaryIO | None = None
        self._start = 0
        self._end = 0
        self._under_way: asyncio.Future[Any] | None = None
        self._closed = False

    @property
    def in_memory(self) -> int:
        return self._held

    async def push(self, piece: bytes) -> None:
        """Raises DiskFull or StorageError when it can be kept nowhere."""
        if self._held + len(piece) <= self._most:
            self._held += len(piece)
            self._pieces.append(piece)
            return
        await self._with_file(lambda: self._write(piece))
        self._pieces.append(len(piece))

    async def pop(self) -> bytes | None:
        """The oldest piece; None if there is none."""
        if not self._pieces:
            return None
        piece = self._pieces.popleft()
        if isinstance(piece, bytes):
            self._held -= len(piece)
            return piece
        return await self._with_file(lambda: self._read(piece))

    def close(self) -> None:
        self._pieces.clear()
        self._held = 0
        self._closed = True
        if self._under_way is None:
            self._close_file()

    async def _with_file(self, work: Callable[[], T]) -> T:
        """What `work` returns, in a thread, one after the other: it goes on when who waits for it is cancelled."""
        while self._under_way is not None:
            await asyncio.wait([self._under_way])
        self._under_way = under_way = asyncio.get_running_loop().run_in_executor(None, work)
        under_way.add_done_callback(self._done)
        result: T = await asyncio.shield(under_way)
        return result

    def _done(self, under_way: asyncio.Future[Any]) -> None:
        self._under_way = None
        if not under_way.cancelled():
            under_way.exception()  # who waits for it, if anyone does, raises it
        if self._closed:
            self._close_file()

    def _write(self, piece: bytes) -> None:
        if self._closed:  # meanwhile: nobody reads it
            return
        try:
            if self._file is None:
                self._file = self._open()
            # Where little room is left, the system writes a part, and says how much.
            view, end = memoryview(piece), self._end
            while view:
                written = os.pwrite(self._file.fileno(), view, end)
                view, end = view[written:], end + written
            self._end = end
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull("a result that waits for its client does not fit on the disk") from error
            raise StorageError(f"a result that waits for its client cannot be kept: {error}") from error

    def _read(self, size: int) -> bytes:
        assert self._file is not None
        found: bytes = os.pread(self._file.fileno(), size, self._start)
        self._start += size
        if self._start == self._end:
            self._file.truncate(0)
            self._start = self._end = 0
        return found

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:  # rows of a result that was abandoned are closed by nothing else
        self._close_file()

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
            await self._spool.push(await asyncio.to_thread(_stream, piece))
            self._chunks.append(None)
        return False

    def put_back(self, chunk: Columns) -> None:
        """The rest of what was popped last."""
        self._held += _size(chunk)
        self._chunks.appendleft(chunk)

    async def pop(self) -> Columns | None:
        if not self._chunks:
            return None
        chunk = self._chunks.popleft()
        if chunk is not None:
            self._held -= _size(chunk)
            return chunk
        payload = await self._spool.pop()
        assert payload is not None
        return tuple(pa.ipc.open_stream(payload).read_next_batch().columns)

    def close(self) -> None:
        self._chunks.clear()
        self._held = 0
        self._spool.close()


def _stream(piece: Columns) -> bytes:
    record = pa.RecordBatch.from_arrays(list(piece), [f"c{i}" for i in range(len(piece))])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, record.schema) as writer:
        writer.write_batch(record)
    payload: bytes = sink.getvalue().to_pybytes()
    return payload


def _size(chunk: Columns) -> int:
    return sum(column.nbytes for column in chunk)


def _pieces(chunk: Columns, size: int) -> Iterator[Columns]:
    count = len(chunk[0])
    step = max(min(PIECE_ROWS, count * PIECE_BYTES // max(size, 1)), 1)
    for start in range(0, count, step):
        yield tuple(column.slice(start, step) for column in chunk)
