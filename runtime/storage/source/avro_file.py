"""Reading files of Avro, which may grow by whole blocks: those behind where the last read ended.

The position is JSON: `{"files": {name: {"offset": bytes, "rows": rows, "check": crc of the header, "tail": crc}}}`.  Each file has a marker of
its own in the header, so that another one has another `check`; `tail` covers the bytes before the offset.  What follows the last whole
block waits for its rest.  A file that shrinks, changes or vanishes stalls the source.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..formats.avro.container import Broken, Container, Torn
from ..shares import WHOLE, Piece, Sizes
from .avro_records import AvroPiece, broken
from .directory import FileSet, FoundFile, changed, vanished
from .file import Position, unreadable
from .file_shares import ALL, Extent, FilePart, in_pieces

_TAIL_BYTES = 256
Mark = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AvroChunk:
    """What one poll read.  `at_end`: nothing more was there; `lag_bytes`: what was there and is not read yet."""

    records: tuple[AvroPiece, ...]
    next_position: dict[str, Any]
    at_end: bool
    lag_bytes: int

    @property
    def nbytes(self) -> int:
        return sum(len(piece.blocks.data) for piece in self.records)


@dataclass(frozen=True, slots=True)
class _Read:
    piece: AvroPiece | None
    mark: Mark
    nbytes: int
    complete: bool


class AvroReader:
    """Polls one file of Avro, or those of a directory.  Of a file that was not begun yet, the `piece` alone is read."""

    def __init__(
        self,
        path: str | Path,
        *,
        pattern: str | None = None,
        piece: Piece = WHOLE,
        extent: Extent = ALL,
    ) -> None:
        self.files = FileSet(Path(path), pattern, extent.names)
        self._piece = piece
        self._ended: dict[str, tuple[tuple[int, int, int], int, bool]] = {}
        self.torn: str | None = None
        """A file of which the last poll has found that it ends within a block."""

    def poll(self, position: Position | None, max_bytes: int) -> AvroChunk | None:
        """The blocks after `position`, until there are `max_bytes`; None when there are none.

        Raises SourceStalled, after which the same call may be repeated.
        """
        known: dict[str, Any] = dict((position or {}).get("files", {}))
        found = self.files.list()
        gone = known.keys() - {file.name for file in found}
        if gone:
            raise vanished(min(gone), self.files.path)
        self.torn = None
        pieces: list[AvroPiece] = []
        left, lag, at_end, progressed = max_bytes, 0, True, False
        for file in found:
            mark = known.get(file.name)
            offset = 0 if mark is None else mark["offset"]
            if file.size < offset:
                raise changed(file, f"was truncated: {offset} bytes were read, {file.size} are there")
            if left <= 0:
                at_end, lag = at_end and file.size == offset, lag + file.size - offset
                continue
            ended = self._ended.get(file.name)
            if ended is not None and ended[:2] == (file.identity, offset):
                self.torn = file.name if ended[2] else self.torn
            else:
                read = self._read(file, mark, left)
                if read is not None:
                    if mark is None or read.mark["offset"] > offset:
                        known[file.name] = mark = read.mark
                        progressed = True
                    left -= read.nbytes
                    if read.piece is not None:
                        pieces.append(read.piece)
                    if not read.complete:  # files that come later must wait for the rest of this one
                        left, at_end = 0, False
            lag += file.size - (0 if mark is None else mark["offset"])
        return AvroChunk(tuple(pieces), {"files": known}, at_end, lag) if progressed else None

    def unread(self, file: FoundFile, mark: Position | None) -> int | None:
        """How many bytes of it come after the mark; None of one that `poll` is to judge."""
        offset = 0 if mark is None else mark["offset"]
        return None if file.size < offset else file.size - offset

    def divide(
        self, file: FoundFile, mark: Position | None, unread: int, sizes: Sizes
    ) -> tuple[FilePart, ...]:
        """Parts that others may read."""
        return in_pieces(file, mark, unread, sizes)

    def schema(self, name: str) -> str:
        """What the file was written with, which was read before.  Raises SourceStalled where it cannot be read any more."""
        file = next((file for file in self.files.list() if file.name == name), None)
        if file is None:
            raise vanished(name, self.files.path)
        try:
            with file.path.open("rb") as stream:
                return Container(stream, file.size).schema
        except (Torn, Broken) as error:
            raise changed(file, "was replaced or edited after it was read") from error
        except OSError as error:
            raise unreadable(name, error) from error

    def _read(self, file: FoundFile, mark: Mark | None, limit: int) -> _Read | None:
        """What comes next of the file; None: not even its header is whole."""
        try:
            with file.path.open("rb") as stream:
                try:
                    return self._blocks(stream, file, mark, limit)
                except Torn:
                    if mark is not None:
                        raise changed(file, "was replaced or edited after it was read") from None
                    self._end(file, 0, torn=True)
                    return None
                except Broken as error:
                    raise broken(file.name, error.at, error.reason) from None
        except FileNotFoundError as error:
            raise vanished(file.name, self.files.path) from error
        except OSError as error:
            raise unreadable(file.name, error) from error

    def _blocks(self, stream: BinaryIO, file: FoundFile, mark: Mark | None, limit: int) -> _Read:
        container = Container(stream, file.size)
        check = _checksum(stream, 0, container.begin)
        stop = file.size
        if mark is not None:
            place, rows, stop = mark["offset"], mark["rows"], self._stop(file, mark)
            tail = _checksum(stream, place - _TAIL_BYTES, place)
            if (check, tail) != (mark["check"], mark["tail"]):
                raise changed(file, "was replaced or edited after it was read")
        else:
            first, stop = self._piece.units(file.size)
            place, rows = container.first_from(first)
        run = container.read(place, limit, stop)
        piece, nbytes = None, 0
        after = {
            "offset": run.end,
            "rows": rows,
            "check": check,
            "tail": _checksum(stream, run.end - _TAIL_BYTES, run.end),
        }
        if run.blocks is not None:
            piece = AvroPiece(file.name, container.schema, rows + 1, run.blocks)
            after["rows"] = rows + run.blocks.rows
            nbytes = len(run.blocks.data)
        if self._piece != WHOLE:
            after |= {"size": file.size, "stop": stop}
        if complete := run.torn or run.end >= stop:
            self._end(file, run.end, torn=run.torn)
        return _Read(piece, after, nbytes, complete)

    def _stop(self, file: FoundFile, mark: Mark) -> int:
        return file.size if self._piece == WHOLE else int(mark["stop"])

    def _end(self, file: FoundFile, offset: int, *, torn: bool) -> None:
        """Behind the offset nothing can be had of the file, as long as it is not written to."""
        self._ended[file.name] = (file.identity, offset, torn)
        if torn:
            self.torn = file.name


def _checksum(stream: BinaryIO, start: int, end: int) -> int:
    start = max(start, 0)
    return zlib.crc32(os.pread(stream.fileno(), end - start, start))
