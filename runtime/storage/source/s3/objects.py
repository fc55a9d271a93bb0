"""One object as records, from where it stands, a piece at a time.

A place in an object is two numbers: bytes (after decompression) and lines of one of lines, row groups and rows of one in Parquet.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from ...decode import Decoded
from ...decode_parquet import ParquetDecoder
from ...shares import WHOLE
from ...shares import Piece as FilePiece
from ..directory import SourceStalled
from ..line_stream import BEGIN, BLOCK, LineStream, Piece, Place
from ..parquet_file import piece_groups, read_groups


@dataclass(frozen=True, slots=True)
class Part:
    """`end` is where the object stands then, None at its end."""

    records: tuple[Decoded, ...]
    nbytes: int
    end: Place | None


class ObjectReader(Protocol):
    def read(self, limit: int) -> Part:
        """What comes next, about `limit` bytes.  Raises PtvcError."""


class LineObject:
    def __init__(self, lines: LineStream, decode: Callable[[Piece], Decoded]) -> None:
        self._lines = lines
        self._decode = decode

    def read(self, limit: int) -> Part:
        piece, end = self._lines.read(limit)
        records = (self._decode(piece),) if piece.data else ()
        return Part(records, len(piece.data), end)


class ParquetObject:
    """The object, or the `piece` of it, if it was not begun yet."""

    def __init__(
        self,
        name: str,
        raw: BinaryIO,
        place: Place,
        decoder: ParquetDecoder,
        piece: FilePiece = WHOLE,
    ) -> None:
        self._name = name
        self._decoder = decoder
        self._columns = list(decoder.columns)
        try:
            self._file = pq.ParquetFile(raw, pre_buffer=True)
        except (pa.ArrowInvalid, OSError) as error:
            raise SourceStalled(
                f'object "{name}" is not a parquet file: {error}', hint="Remove it, or give a pattern."
            ) from error
        decoder.check_file(self._file.schema_arrow, name)
        first, self._stop = piece_groups(self._file, piece)
        self._group, self._row = first if place == BEGIN else place

    def read(self, limit: int) -> Part:
        try:
            pieces, group, row, nbytes = read_groups(
                self._file, self._columns, self._name, (self._group, self._row), limit, self._stop
            )
        except (pa.ArrowInvalid, OSError) as error:
            raise SourceStalled(
                f'cannot read object "{self._name}": {error}', hint="Write it again under another key."
            ) from error
        self._group, self._row = group, row
        records = tuple(self._decoder.decode(p.rows, p.file, p.first_row) for p in pieces)
        return Part(records, nbytes, None if group >= self._stop else (group, row))


def buffered(raw: io.RawIOBase) -> BinaryIO:
    """With reads of a size that is worth a request."""
    return io.BufferedReader(raw, 8 * BLOCK)
