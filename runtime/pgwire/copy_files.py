"""Files of COPY ... TO a place: rows become files of about a size, of which no more is in memory than a row group.

```
columns ──> file of the place, as it is written ──> MAX FILE SIZE: it is whole, the next one ...
```

One process writes all files of an export, or each task of a Spark job (`TaskWriter`) those of its share of the rows.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..compute.spark.answer import read_answer
from ..coord.query.result_rows import repeat
from ..coord.results.results import Columns
from ..errors import DiskFull, PtvcError
from ..expr.datetimes.zones import Zone
from ..interrupt import check_interrupt
from ..repr.schema import Schema
from ..sql.syntax.vocabulary import CopyFormat, CopyOptions
from ..storage.export.fence import within
from ..storage.export.place import PART, Place
from ..storage.export.tasks import WrittenFile
from .copy_parquet import RowGroups
from .copy_write import RowWriter
from .pieces import joined_bytes
from .rows import slices


@dataclass(frozen=True, slots=True)
class Layout:
    """What all files of an export have in common; they end when they have `max_file_bytes`."""

    schema: Schema
    options: CopyOptions
    zone: Zone | None
    max_file_bytes: int


class Files:
    """The files that one process writes, the names of which begin with `prefix`."""

    def __init__(self, layout: Layout, place: Place, prefix: str = PART) -> None:
        """Raises Unsupported for a column that the format cannot hold."""
        self._layout = layout
        self._place = place
        self._prefix = prefix
        self._stream: BinaryIO | None = None
        self._encoder = self._new_encoder()
        self._rows = 0
        self._written: list[WrittenFile] = []

    def add(self, columns: Columns) -> None:
        if self._stream is None:
            self._begin()
        assert self._stream is not None
        with _writing():
            self._stream.write(self._encoder.add(columns))
        self._rows += len(columns[0])
        if self._stream.tell() >= self._layout.max_file_bytes:
            self._end()

    def finish(self) -> tuple[WrittenFile, ...]:
        """There is one file at least, which says what the columns are."""
        if self._stream is None and not self._written:
            self._begin()
        if self._stream is not None:
            self._end()
        return tuple(self._written)

    def _begin(self) -> None:
        self._stream = self._place.open()
        self._encoder = self._new_encoder()
        with _writing():
            self._stream.write(self._encoder.begin())

    def _end(self) -> None:
        stream, self._stream = self._stream, None
        assert stream is not None
        with _writing():
            stream.write(self._encoder.finish())
        name = f"{self._prefix}{len(self._written):05}.{self._layout.options.format.value}"
        nbytes = stream.tell()
        self._place.publish(name, stream)
        self._written.append(WrittenFile(name, self._rows, nbytes))
        self._rows = 0

    def _new_encoder(self) -> _Csv | _Parquet:
        parquet = self._layout.options.format is CopyFormat.PARQUET
        return _Parquet(self._layout) if parquet else _Csv(self._layout)


@dataclass(frozen=True, slots=True)
class TaskWriter:
    """Writes the rows of one file of an answer, that of this number, in a task of a job, as long as the `fence` of the export is open.  It
    is pickled."""

    layout: Layout
    place: Place
    fence: str

    def __call__(self, number: int, answer: Path, columns: tuple[int, ...]) -> tuple[WrittenFile, ...]:
        with within(self.fence) as check_fence:
            files = Files(self.layout, self.place, f"{PART}{number:05}-")
            for batch in read_answer(answer):
                held = repeat(batch)
                for piece in slices(tuple(held[i] for i in columns)):
                    check_interrupt()
                    check_fence()
                    files.add(piece)
            return files.finish()


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"cannot write a file that is exported: {error.strerror}"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(message, hint="Make room on the server's disk.") from error
        raise PtvcError(message, sqlstate="58030") from error


class _Csv:
    def __init__(self, layout: Layout) -> None:
        self._writer = RowWriter(layout.schema, layout.options, layout.zone)

    def begin(self) -> bytes:
        header = self._writer.header_line()
        return b"" if header is None else bytes(joined_bytes(header))

    def add(self, columns: Columns) -> bytes | memoryview:
        return joined_bytes(self._writer.lines(columns))

    def finish(self) -> bytes:
        return b""


class _Parquet:
    def __init__(self, layout: Layout) -> None:
        self._groups = RowGroups(layout.schema, layout.zone)

    def begin(self) -> bytes:
        return b""

    def add(self, columns: Columns) -> bytes:
        self._groups.add(columns)
        return self._groups.take() if self._groups.full else b""

    def finish(self) -> bytes:
        return self._groups.finish()
