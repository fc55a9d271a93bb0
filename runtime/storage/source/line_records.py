"""Lines of files, and of objects, as records: JSON objects, or CSV by the header that a file begins with."""

from __future__ import annotations

from ...errors import InvalidParameter
from ...repr.schema import Schema
from ..decode import Decoded, Decoder
from ..decode_csv import CsvDecoder
from ..decode_json import JsonDecoder
from .directory import SourceStalled
from .file_letters import with_lines
from .line_stream import Piece


class LineRecords:
    """Decodes pieces of `format` json or csv."""

    def __init__(self, format: str, schema: Schema, key: tuple[int, ...], delimiter: str = ",") -> None:
        self._schema, self._key, self._delimiter = schema, key, delimiter
        plain: Decoder = (
            JsonDecoder(schema, key) if format == "json" else CsvDecoder(schema, key, delimiter=delimiter)
        )
        self._decoders: dict[tuple[str, ...] | None, Decoder] = {None: plain}

    def decode(self, piece: Piece) -> Decoded:
        """Raises SourceStalled where the header has not the columns of the source."""
        decoder = self._decoders.get(piece.fields)
        if decoder is None:
            try:
                decoder = CsvDecoder(self._schema, self._key, delimiter=self._delimiter, fields=piece.fields)
            except InvalidParameter as error:
                raise SourceStalled(
                    f'file "{piece.file}": {error.message}',
                    sqlstate="42703",
                    detail=error.detail,
                    hint="Correct the header, or drop the source and create it again with the file's columns.",
                ) from error
            self._decoders[piece.fields] = decoder
        return with_lines(decoder, piece)
