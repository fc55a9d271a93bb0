"""Reading text files that grow: whole lines from where the last read ended; compressed ones once, when they are whole (`packed_file.py`).

The position is JSON: `{"files": {name: {"offset": bytes, "lines": lines, "check": crc}}}`, which says what has been
read, and how to notice that it is no longer there: the checksum covers the file's first bytes and those before the
offset.  A file may grow and new ones may appear; one that shrinks, changes or vanishes stalls the source, since what
was read from it can neither be taken back nor confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from ..lines import BOM, NEWLINE
from ..shares import Sizes
from .directory import FileSet, FoundFile, SourceStalled, changed, checksum, vanished
from .file_shares import ALL, Extent, FilePart
from .line_stream import BEGIN, MAX_LINE_BYTES, Piece, fields_of
from .packed_file import PackedFiles

Position = Mapping[str, Any]
_COUNTED_BYTES = 1 << 20
"""At once, of lines that are counted."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one poll read.  `at_end`: nothing more was there; `lag_bytes`: what was there and is not read yet."""

    records: tuple[Piece, ...]
    next_position: dict[str, Any]
    at_end: bool
    lag_bytes: int

    @property
    def nbytes(self) -> int:
        return sum(len(piece.data) for piece in self.records)


class FileReader:
    """Polls one file, or the files of a directory, for new lines.  With `header`, a file's first line names fields.

    It keeps no position of its own: the same position reads the same lines again, whatever was read in between.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        pattern: str | None = None,
        header: bool = False,
        delimiter: str = ",",
        extent: Extent = ALL,
    ) -> None:
        self.files = FileSet(Path(path), pattern, extent.names)
        self._until = extent.until
        self._header = header
        self._delimiter = delimiter
        self._packed = PackedFiles(header=header, delimiter=delimiter)
        self._verified: dict[str, tuple[tuple[int, int, int], int]] = {}
        self.cut: str | None = None
        """A compressed file of which the last poll has found that its end is missing."""

    def poll(self, position: Position | None, max_bytes: int) -> Chunk | None:
        """The lines after `position` (None: from the start), about `max_bytes` of them; None when there are none.

        A last line without its newline waits.  Raises SourceStalled, after which the same call may be repeated.
        """
        known: dict[str, Any] = dict((position or {}).get("files", {}))
        found = self.files.list()
        gone = known.keys() - {file.name for file in found}
        if gone:
            raise vanished(min(gone), self.files.path)
        if self._until is not None:
            found = [replace(file, size=min(file.size, self._until)) for file in found]
        self.cut = None
        pieces: list[Piece] = []
        left, lag, at_end = max_bytes, 0, True
        for file in found:
            if self._is_packed(file, known):
                packed = self._read_packed(file, known, left) if left > 0 else None
                if packed is not None:
                    pieces.append(packed)
                    left -= len(packed.data)
                if not self._packed.done(file, known.get(file.name)):
                    left, at_end, lag = 0, False, lag + file.size
                elif file.name not in known:
                    self.cut = file.name
                continue
            mark = known.get(file.name, {"offset": 0, "lines": 0, "check": 0})
            offset = mark["offset"]
            if file.size < offset:
                raise changed(file, f"was truncated: {offset} bytes were read, {file.size} are there")
            if self._verified.get(file.name) != (file.identity, offset) or file.size > offset:
                if left > 0:
                    piece, mark, complete = self._read(file, mark, left)
                    if mark["offset"] > offset:
                        known[file.name] = mark
                        left -= mark["offset"] - offset
                        pieces.append(piece)
                    if not complete:  # files that come later must wait for the rest of this one
                        left, at_end = 0, False
                elif file.size > offset:
                    at_end = False
            lag += max(0, file.size - mark["offset"])
        if not pieces:
            return None
        return Chunk(tuple(piece for piece in pieces if piece.data), {"files": known}, at_end, lag)

    def unread(self, file: FoundFile, mark: Position | None) -> int | None:
        """How many bytes of it come after the mark, before they are decompressed; None of one that `poll` is to judge."""
        try:
            if self._packed.has(file, None if mark is None else dict(mark)):
                if mark is None:
                    return file.size
                return None if mark["size"] != file.size else 0 if mark["done"] else file.size
        except OSError:
            return None
        offset = 0 if mark is None else mark["offset"]
        return None if file.size < offset else file.size - offset

    def divide(
        self, file: FoundFile, mark: Position | None, unread: int, sizes: Sizes
    ) -> tuple[FilePart, ...]:
        """Parts that others may read: lines are counted for it, so that each knows the number of its first one.  Of a file that is read by
        its end, or cannot be read, the one that `poll` judges."""
        try:
            if unread <= sizes.piece or self._packed.has(file, None if mark is None else dict(mark)):
                return (FilePart(mark, unread),)
            with file.path.open("rb") as stream:
                return _parts(stream, file.size, mark, sizes)
        except OSError:
            return (FilePart(mark, unread),)

    def _is_packed(self, file: FoundFile, known: dict[str, Any]) -> bool:
        try:
            return self._packed.has(file, known.get(file.name))
        except FileNotFoundError as error:
            raise vanished(file.name, self.files.path) from error
        except OSError as error:
            raise unreadable(file.name, error) from error

    def _read_packed(self, file: FoundFile, known: dict[str, Any], limit: int) -> Piece | None:
        try:
            return self._packed.read(file, known, limit)
        except FileNotFoundError as error:
            raise vanished(file.name, self.files.path) from error
        except OSError as error:
            raise unreadable(file.name, error) from error

    def _read(
        self, file: FoundFile, mark: Mapping[str, int], limit: int
    ) -> tuple[Piece, Mapping[str, int], bool]:
        """New whole lines, where the file stands then, and whether it was read as far as it goes."""
        offset, lines = mark["offset"], mark["lines"]
        try:
            with file.path.open("rb") as stream:
                if offset and checksum(stream, offset) != mark["check"]:
                    raise changed(file, "was replaced or edited after it was read")
                if self._until is not None:
                    limit = min(limit, self._until - offset)
                data, complete = _whole_lines(stream, file, offset, limit)
                after = offset + len(data)
                new_mark = dict(mark)
                if data:
                    count = data.count(b"\n")
                    new_mark = {
                        "offset": after,
                        "lines": lines + count,
                        "check": checksum(stream, after),
                    }
                self._verified[file.name] = (file.identity, after)
                fields = self._fields(stream, file.name) if self._header and data else None
        except FileNotFoundError as error:
            raise vanished(file.name, self.files.path) from error
        except OSError as error:
            raise unreadable(file.name, error) from error
        if offset == 0:
            data = data.removeprefix(BOM)
            if self._header:
                data = data[data.find(b"\n") + 1 :]
                lines += 1
        return Piece(file.name, lines + 1, data, fields), new_mark, complete

    def fields(self, name: str) -> tuple[str, ...]:
        """The header of the file, which was read before.  Raises SourceStalled where it cannot be read any more."""
        for file in self.files.list():
            if file.name == name:
                try:
                    if self._packed.has(file, None):
                        return self._packed.stream(file, BEGIN).fields()
                    with file.path.open("rb") as stream:
                        return self._fields(stream, name)
                except OSError as error:
                    raise unreadable(name, error) from error
        raise vanished(name, self.files.path)

    def _fields(self, stream: BinaryIO, name: str) -> tuple[str, ...]:
        """The header, which is one whole line since something was read already."""
        stream.seek(0)
        return fields_of(stream.readline().removeprefix(BOM), self._delimiter, f'file "{name}"')


def _parts(stream: BinaryIO, size: int, mark: Position | None, sizes: Sizes) -> tuple[FilePart, ...]:
    """Each but the last ends with the first line that ends `sizes.piece` bytes behind its beginning, or later."""
    first = at = 0 if mark is None else int(mark["offset"])
    lines = 0 if mark is None else int(mark["lines"])
    parts: list[FilePart] = []
    stream.seek(at)
    while at < size and at - first < sizes.most_bytes:
        nbytes, count = _counted(stream, sizes.piece)
        if not nbytes:
            break  # it was cut meanwhile
        parts.append(FilePart(mark, nbytes, until=at + nbytes))
        at, lines = at + nbytes, lines + count
        mark = {"offset": at, "lines": lines, "check": checksum(stream, at)}
    return tuple(parts)


def _counted(stream: BinaryIO, least: int) -> tuple[int, int]:
    """Of whole lines that come next, of so many bytes together: their bytes, and how many they are."""
    nbytes = lines = 0
    while nbytes < least and (block := stream.read(min(_COUNTED_BYTES, least - nbytes))):
        nbytes += len(block)
        lines += block.count(b"\n")
    rest = stream.readline(MAX_LINE_BYTES)
    return nbytes + len(rest), lines + rest.count(b"\n")


def unreadable(name: str, error: OSError) -> SourceStalled:
    return SourceStalled(
        f'cannot read file "{name}": {error.strerror}', hint="Make it readable for the server's user."
    )


def _whole_lines(stream: BinaryIO, file: FoundFile, offset: int, limit: int) -> tuple[bytes, bool]:
    """Bytes from `offset` to the last newline within about `limit`, and whether that is all that can be had."""
    stream.seek(offset)
    data = stream.read(limit)
    while (end := data.rfind(b"\n") + 1) == 0:
        more = stream.read(max(limit, len(data)))
        if not more:
            return b"", True
        data += more
        if len(data) > MAX_LINE_BYTES and NEWLINE not in data:
            raise SourceStalled(
                f'file "{file.name}" has a line of more than {MAX_LINE_BYTES >> 20} MiB at byte {offset}',
                sqlstate="54000",
                hint="Is it a text file, with one record a line?",
            )
    complete = len(data) < limit or not stream.read(1)
    return data[:end], complete
