"""Lines of one text file, compressed or not, from where it stands, a piece at a time.  The file is whole: its last line needs no line end.

A place in it is two numbers: bytes, after decompression, and lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

import pyarrow as pa

from ...errors import InvalidParameter
from ..decode_csv import header_fields
from ..lines import BOM, NEWLINE
from .directory import SourceStalled, compressed_by

Place = tuple[int, int]
BEGIN: Place = (0, 0)

MAX_LINE_BYTES = 64 << 20
BLOCK = 1 << 20
CODECS = {"gzip": "gzip", "bzip2": "bz2", "zstd": "zstd"}
"""By what the first bytes of a file say, those of Arrow."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of one file, the first of them number `first_line`; `fields` is the file's header, if it has one."""

    file: str
    first_line: int
    data: bytes
    fields: tuple[str, ...] | None = None


class LineStream:
    """`raw` is the file, which can be sought and is read from its beginning; `what` is what messages call it.  With `header`, its first line
    names its fields."""

    def __init__(
        self,
        name: str,
        raw: BinaryIO,
        place: Place,
        *,
        header: bool,
        delimiter: str,
        what: str = "file",
    ) -> None:
        self._name = name
        self._what = what
        self._fields: tuple[str, ...] | None = None
        self._data = b""
        self._ended = False
        codec = self._codec(raw)
        native = raw if isinstance(raw, pa.NativeFile) else pa.PythonFile(raw, "r")
        self._stream = raw if codec is None else pa.CompressedInputStream(native, codec)
        self._offset, self._lines = BEGIN
        self._begin(header, delimiter)
        self._go_to(place, seek=codec is None)

    def read(self, limit: int) -> tuple[Piece, Place | None]:
        """What comes next, whole lines of about `limit` bytes, and where the file stands then, None at its end.  Raises SourceStalled."""
        while len(self._data) < limit and not self._ended:
            self._fill(limit - len(self._data))
        while (end := self._whole_lines(limit)) == 0 and not self._ended:
            self._fill_line()
        data, self._data = self._data[:end], self._data[end:]
        first = self._lines + 1
        self._offset += len(data)
        self._lines += data.count(b"\n")
        done = self._ended and not self._data
        piece = Piece(self._name, first, data, self._fields)
        return piece, None if done else (self._offset, self._lines)

    def _whole_lines(self, limit: int) -> int:
        """Where the last line ends that fits into the limit, or else the first one; 0 if that is not known yet."""
        data = self._data
        if self._ended and len(data) <= limit:
            return len(data)
        end = (data.rfind(b"\n", 0, limit) + 1) or (data.find(b"\n") + 1)
        return end or (len(data) if self._ended else 0)

    def _codec(self, raw: BinaryIO) -> str | None:
        kind = compressed_by(raw.read(8))
        raw.seek(0)
        if kind is not None and kind not in CODECS:
            raise SourceStalled(
                f'{self._what} "{self._name}" is compressed by {kind}, which is not supported',
                sqlstate="0A000",
                hint="gzip, bzip2 and zstd are.",
            )
        return None if kind is None else CODECS[kind]

    def _begin(self, header: bool, delimiter: str) -> None:
        self._fill(BLOCK)
        if self._data.startswith(BOM):
            self._data = self._data[len(BOM) :]
            self._offset = len(BOM)
        if not header:
            return
        while NEWLINE not in self._data and not self._ended:
            self._fill_line()
        line, _, rest = self._data.partition(b"\n")
        self._fields = fields_of(line, delimiter, f'{self._what} "{self._name}"')
        self._offset += len(self._data) - len(rest)
        self._data, self._lines = rest, 1

    def _go_to(self, place: Place, *, seek: bool) -> None:
        offset, lines = place
        if offset <= self._offset:
            return  # its header is all that was passed
        ahead = offset - self._offset
        if seek:
            self._data = b""
            self._stream.seek(offset)
            self._ended = False
        while not seek and len(self._data) < ahead and not self._ended:
            ahead -= len(self._data)
            self._data = b""
            self._fill(BLOCK)
        if not seek:
            self._data = self._data[ahead:]
        self._offset, self._lines = offset, lines

    def _fill_line(self) -> None:
        """More of a line whose end has not come yet."""
        if len(self._data) > MAX_LINE_BYTES:
            raise SourceStalled(
                f'{self._what} "{self._name}" has a line of more than {MAX_LINE_BYTES >> 20} MiB at byte {self._offset}',
                sqlstate="54000",
                hint="Is it text, with one record a line?",
            )
        self._fill(max(len(self._data), BLOCK))

    def _fill(self, count: int) -> None:
        try:
            more = self._stream.read(count)
        except OSError as error:
            raise SourceStalled(
                f'{self._what} "{self._name}" cannot be decompressed: {error}', hint="Write it again, whole."
            ) from error
        self._ended = not more
        self._data += more

    def fields(self) -> tuple[str, ...]:
        return self._fields or ()


def fields_of(line: bytes, delimiter: str, file: str) -> tuple[str, ...]:
    """The names in the header of `file`, as messages call it.  Raises SourceStalled."""
    try:
        return header_fields(line, delimiter)
    except InvalidParameter as error:
        raise SourceStalled(
            f"{file}, line 1: the header cannot be read: {error.message}",
            sqlstate=error.sqlstate,
            hint="Is it CSV, in UTF-8, with line ends of LF or CRLF, and with a header?",
        ) from error
