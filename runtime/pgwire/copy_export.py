"""COPY ... TO a directory or a prefix of S3: rows as files of about a size, of which no more is in memory than a row group.

```
chunks ──> file of the place, as it is written ──> MAX FILE SIZE: it is whole, the next one ... ──> manifest
```
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeVar

from ..coord.results.results import Columns, CopyOut, Export
from ..errors import DiskFull, PtvcError
from ..sql.syntax.vocabulary import CopyFormat
from .copy_parquet import RowGroups
from .copy_write import RowWriter
from .pieces import joined_bytes
from .rows import slices

logger = logging.getLogger(__name__)
T = TypeVar("T")


async def export(copy: CopyOut, to: Export, check_cancel: Callable[[], None]) -> int:
    """Writes all rows; how many they were.  Whatever ends it before, what it has written goes."""
    files = _Files(copy, to)
    await _in_thread(to.place.begin)
    try:
        async for chunk in copy.chunks:
            for piece in slices(chunk):
                check_cancel()
                await _in_thread(lambda piece=piece: files.add(piece))  # type: ignore[misc]
        check_cancel()
        await _in_thread(files.finish)
    except BaseException:
        try:
            await _in_thread(to.place.undo)
        except PtvcError as error:  # the statement's own error is what is told
            logger.warning("what an export has written is left behind: %s", error.message)
        raise
    return files.rows


async def _in_thread(work: Callable[[], T]) -> T:
    """A statement that is cancelled waits for it: what comes next must not run beside it."""
    future = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        await asyncio.wait([future])
        raise


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"cannot write a file that is exported: {error.strerror}"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(message, hint="Make room on the server's disk.") from error
        raise PtvcError(message, sqlstate="58030") from error


class _Files:
    def __init__(self, copy: CopyOut, to: Export) -> None:
        """Raises Unsupported for a column that the format cannot hold."""
        self._copy = copy
        self._to = to
        self._stream: BinaryIO | None = None
        self._encoder = self._new_encoder()
        self._rows = 0
        self._manifest: list[dict[str, Any]] = []

    @property
    def rows(self) -> int:
        return sum(file["rows"] for file in self._manifest)

    def add(self, columns: Columns) -> None:
        if self._stream is None:
            self._begin()
        assert self._stream is not None
        with _writing():
            self._stream.write(self._encoder.add(columns))
        self._rows += len(columns[0])
        if self._stream.tell() >= self._to.max_file_bytes:
            self._end()

    def finish(self) -> None:
        """There is one file at least, which says what the columns are."""
        if self._stream is None and not self._manifest:
            self._begin()
        if self._stream is not None:
            self._end()
        manifest = {"rows": self.rows, "files": self._manifest}
        self._to.place.finish(json.dumps(manifest, indent=1).encode() + b"\n")

    def _begin(self) -> None:
        self._stream = self._to.place.open()
        self._encoder = self._new_encoder()
        with _writing():
            self._stream.write(self._encoder.begin())

    def _end(self) -> None:
        stream, self._stream = self._stream, None
        assert stream is not None
        with _writing():
            stream.write(self._encoder.finish())
        name = f"part-{len(self._manifest):05}.{self._copy.options.format.value}"
        nbytes = stream.tell()
        self._to.place.publish(name, stream)
        self._manifest.append({"name": name, "rows": self._rows, "bytes": nbytes})
        self._rows = 0

    def _new_encoder(self) -> _Csv | _Parquet:
        return _Parquet(self._copy) if self._copy.options.format is CopyFormat.PARQUET else _Csv(self._copy)


class _Csv:
    def __init__(self, copy: CopyOut) -> None:
        self._writer = RowWriter(copy.schema, copy.options, copy.zone)

    def begin(self) -> bytes:
        header = self._writer.header_line()
        return b"" if header is None else bytes(joined_bytes(header))

    def add(self, columns: Columns) -> bytes | memoryview:
        return joined_bytes(self._writer.lines(columns))

    def finish(self) -> bytes:
        return b""


class _Parquet:
    def __init__(self, copy: CopyOut) -> None:
        self._groups = RowGroups(copy.schema, copy.zone)

    def begin(self) -> bytes:
        return b""

    def add(self, columns: Columns) -> bytes:
        self._groups.add(columns)
        return self._groups.take() if self._groups.full else b""

    def finish(self) -> bytes:
        return self._groups.finish()
