"""FILE sources as connectors: what a reader finds, decoded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ...repr.schema import Schema
from ..changes import Changes
from ..decode import Decoded
from ..decode_parquet import ParquetDecoder
from ..ingestion import Connector, Outputs, Polled, Waiting
from ..shares import WHOLE, Piece, Share, ShareRead, Sizes
from .avro_file import AvroChunk, AvroReader
from .avro_records import AvroRecords
from .directory import FileSet, FoundFile, SourceStalled
from .file import Chunk, FileReader, Position
from .file_options import FileOptions
from .file_shares import ALL, Extent, FilePart, FileShares
from .line_records import LineRecords
from .parquet_file import ParquetReader, RowsChunk


class _Reader(Protocol):
    @property
    def files(self) -> FileSet: ...

    def unread(self, file: FoundFile, mark: Position | None) -> int | None: ...

    def divide(
        self, file: FoundFile, mark: Position | None, unread: int, sizes: Sizes
    ) -> Sequence[FilePart]: ...

    def poll(
        self, position: Mapping[str, Any] | None, max_bytes: int
    ) -> Chunk | RowsChunk | AvroChunk | None: ...


class _Files(ABC):
    """What the connectors of all formats have in common.  Files are listed for shares when the source begins, and when a poll has
    left much unread: not at every poll, ten times a second."""

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader
        self._shares = FileShares(reader.files, reader.unread, reader.divide)
        self._lag: int | None = None

    def poll(
        self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Waiting | None:
        chunk = self._reader.poll(position, max_bytes)
        self._lag = 0 if chunk is None else chunk.lag_bytes
        if chunk is None:
            return self._nothing()
        return Polled(
            sole(outputs, self._decoded(chunk)),
            chunk.next_position,
            chunk.at_end,
            chunk.lag_bytes,
            chunk.nbytes,
        )

    def shares(self, position: Mapping[str, Any] | None, min_bytes: int, sizes: Sizes) -> Sequence[Share]:
        if self._lag is not None and self._lag < min_bytes:
            return ()
        try:
            shares = self._shares.take(position, min_bytes, sizes)
        except SourceStalled:
            return ()  # as `poll` will say
        if not shares:
            self._lag = 0
        return shares

    def read_by_shares(self, reads: Sequence[ShareRead], outputs: Outputs) -> Polled:
        position, rest = self._shares.together(reads)
        self._lag = rest
        return Polled({}, position, not rest, rest, sum(read.nbytes for read in reads))

    def _nothing(self) -> Waiting | None:
        """Why something that is there is not read."""
        return None

    @abstractmethod
    def _decoded(self, chunk: Any) -> tuple[Decoded, ...]: ...


class LineFiles(_Files):
    """Text files, of which a line is a record."""

    def __init__(
        self,
        options: FileOptions,
        schema: Schema,
        key: tuple[int, ...],
        piece: Piece = WHOLE,
        extent: Extent = ALL,
    ) -> None:
        assert piece == WHOLE, "an extent says which lines are read"
        reader = FileReader(
            options.path,
            pattern=options.pattern,
            header=options.format == "csv" and options.header,
            delimiter=options.delimiter,
            extent=extent,
        )
        super().__init__(reader)
        self._lines = reader
        self._records = LineRecords(options.format, schema, key, options.delimiter)

    def _decoded(self, chunk: Chunk) -> tuple[Decoded, ...]:
        return tuple(self._records.decode(piece) for piece in chunk.records)

    def _nothing(self) -> Waiting | None:
        name = self._lines.cut
        return None if name is None else Waiting(f'file "{name}" is compressed, and waits for its end')


class ParquetFiles(_Files):
    def __init__(
        self,
        options: FileOptions,
        schema: Schema,
        key: tuple[int, ...],
        piece: Piece = WHOLE,
        extent: Extent = ALL,
    ) -> None:
        self._decoder = ParquetDecoder(schema, key)
        reader = ParquetReader(
            options.path,
            schema.names,
            self._decoder.check_file,
            pattern=options.pattern,
            piece=piece,
            extent=extent,
        )
        super().__init__(reader)

    def _decoded(self, chunk: RowsChunk) -> tuple[Decoded, ...]:
        return tuple(self._decoder.decode(p.rows, p.file, p.first_row) for p in chunk.records)


class AvroFiles(_Files):
    def __init__(
        self,
        options: FileOptions,
        schema: Schema,
        key: tuple[int, ...],
        piece: Piece = WHOLE,
        extent: Extent = ALL,
    ) -> None:
        self._records = AvroRecords(schema, key)
        reader = AvroReader(options.path, pattern=options.pattern, piece=piece, extent=extent)
        super().__init__(reader)
        self._avro = reader

    def _decoded(self, chunk: AvroChunk) -> tuple[Decoded, ...]:
        return tuple(map(self._records.decode, chunk.records))

    def _nothing(self) -> Waiting | None:
        name = self._avro.torn
        return None if name is None else Waiting(f'file "{name}" ends within a block, and waits for its rest')


FileConnector = Callable[[FileOptions, Schema, tuple[int, ...], Piece, Extent], Connector]

FILE_CONNECTORS: dict[str, FileConnector] = {
    "json": LineFiles,
    "csv": LineFiles,
    "parquet": ParquetFiles,
    "avro": AvroFiles,
}


def sole(outputs: Outputs, content: tuple[Decoded, ...] | Changes) -> dict[str, Any]:
    """The contents of the one output that is the source itself."""
    (id_,) = (id_ for id_, output in outputs.items() if not output.reference)
    return {id_: content}
