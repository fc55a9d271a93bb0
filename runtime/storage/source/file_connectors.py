"""FILE sources as connectors: what a reader finds, decoded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...repr.schema import Schema
from ..changes import Changes
from ..decode import Decoded
from ..decode_parquet import ParquetDecoder
from ..ingestion import Connector, Outputs, Polled, Waiting
from .file import FileReader
from .file_options import FileOptions
from .line_records import LineRecords
from .parquet_file import ParquetReader


class LineFiles:
    """Text files, of which a line is a record."""

    def __init__(self, options: FileOptions, schema: Schema, key: tuple[int, ...]) -> None:
        self._reader = FileReader(
            options.path,
            pattern=options.pattern,
            header=options.format == "csv" and options.header,
            delimiter=options.delimiter,
        )
        self._records = LineRecords(options.format, schema, key, options.delimiter)

    def poll(
        self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Waiting | None:
        chunk = self._reader.poll(position, max_bytes)
        if chunk is None:
            name = self._reader.cut
            return None if name is None else Waiting(f'file "{name}" is compressed, and waits for its end')
        records = tuple(self._records.decode(piece) for piece in chunk.records)
        return Polled(
            sole(outputs, records), chunk.next_position, chunk.at_end, chunk.lag_bytes, chunk.nbytes
        )


class ParquetFiles:
    def __init__(self, options: FileOptions, schema: Schema, key: tuple[int, ...]) -> None:
        self._decoder = ParquetDecoder(schema, key)
        self._reader = ParquetReader(
            options.path, schema.names, self._decoder.check_file, pattern=options.pattern
        )

    def poll(self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int) -> Polled | None:
        chunk = self._reader.poll(position, max_bytes)
        if chunk is None:
            return None
        records = tuple(self._decoder.decode(p.rows, p.file, p.first_row) for p in chunk.records)
        return Polled(
            sole(outputs, records), chunk.next_position, chunk.at_end, chunk.lag_bytes, chunk.nbytes
        )


FILE_CONNECTORS: dict[str, Callable[[FileOptions, Schema, tuple[int, ...]], Connector]] = {
    "json": LineFiles,
    "csv": LineFiles,
    "parquet": ParquetFiles,
}


def sole(outputs: Outputs, content: tuple[Decoded, ...] | Changes) -> dict[str, Any]:
    """The contents of the one output that is the source itself."""
    (id_,) = (id_ for id_, output in outputs.items() if not output.reference)
    return {id_: content}
