"""One object as records, from where it stands, a piece at a time.

A place in an object is two numbers: bytes (after decompression) and lines of one of lines, row groups and rows of one in Parquet, bytes and rows of
one in Avro.
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
from ...formats.avro.container import Blocks, Broken, Container, Torn
from ...shares import WHOLE
from ...shares import Piece as FilePiece
from ..avro_records import AvroPiece, AvroRecords, broken
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


class AvroObject:
    """An object of `size` bytes, or the `piece` of it; it is written once, so that one which ends within a block is broken.

    A piece begins behind the first marker from its first byte on.  Where that is no block after all, no block can be read there, and whoever
    reads the object whole is asked.  How many records lie before a piece takes reading the heads of all blocks there, so that is found out
    only if somebody is to know: before with `numbered`, or when a record is in error.
    """

    def __init__(
        self,
        name: str,
        raw: BinaryIO,
        size: int,
        place: Place,
        records: AvroRecords,
        piece: FilePiece = WHOLE,
        *,
        numbered: bool = False,
    ) -> None:
        self._name = name
        self._records = records
        first, self._stop = piece.units(size)
        try:
            self._container = Container(raw, size)
            self._first = self._container.marked_from(first) if piece.number else self._container.begin
        except Torn:
            raise self._torn(0) from None
        except Broken as error:
            raise broken(name, error.at, error.reason) from None
        self._before = None if piece.number else 0
        self._numbered = numbered
        self._place = (self._first, 0) if place == BEGIN else place

    def read(self, limit: int) -> Part:
        offset, rows = self._place
        try:
            run = self._container.read(offset, limit, self._stop)
        except Broken as error:
            raise broken(self._name, error.at, error.reason) from None
        if run.torn:
            raise self._torn(run.end)
        if run.blocks is None:
            return Part((), 0, None)
        if self._numbered:
            self._count()
        decoded = self._decoded(run.blocks, rows)
        if self._before is None and len(decoded.errors):
            self._count()
            decoded = self._decoded(run.blocks, rows)
        self._place = (run.end, rows + run.blocks.rows)
        return Part((decoded,), len(run.blocks.data), None if run.end >= self._stop else self._place)

    def _decoded(self, blocks: Blocks, rows: int) -> Decoded:
        first = (self._before or 0) + rows + 1
        return self._records.decode(AvroPiece(self._name, self._container.schema, first, blocks))

    def _count(self) -> None:
        if self._before is None:
            place, self._before = self._container.first_from(self._first)
            if place != self._first:
                raise broken(self._name, self._first, "no block begins behind the marker there")

    def _torn(self, byte: int) -> SourceStalled:
        return broken(self._name, byte, "the object ends within what begins there")


def buffered(raw: io.RawIOBase) -> BinaryIO:
    """With reads of a size that is worth a request."""
    return io.BufferedReader(raw, 8 * BLOCK)
