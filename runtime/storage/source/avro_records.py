"""Records of Avro in files, and in objects: columns by name, as `formats/avro/declared.py` has them of what each file was written with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...errors import PtvcError
from ...repr.batch import Indices
from ...repr.schema import Schema
from ..decode import Decoded, ErrorList, all_null, check_not_null, check_schema, value_columns
from ..formats.avro.codecs import BrokenBlock
from ..formats.avro.container import Blocks
from ..formats.avro.cursor import Payloads
from ..formats.avro.declared import DeclaredColumns
from ..formats.avro.records import RecordBounds
from ..formats.packages import missing_package
from ..formats.payloads import ErrorParts
from .directory import SourceStalled


@dataclass(frozen=True, slots=True)
class AvroPiece:
    """Blocks of one file that was written with `schema`, the first of their records number `first_row` (1-based)."""

    file: str
    schema: str
    first_row: int
    blocks: Blocks


class AvroRecords:
    """Decodes pieces to `schema`.  With a key, a record whose other columns are all NULL is a delete marker."""

    def __init__(self, schema: Schema, key: Sequence[int] = ()) -> None:
        check_schema(schema, "avro")
        try:
            import fastavro  # noqa: F401  what parses schemas is of an extra
        except ImportError:
            raise missing_package("FORMAT AVRO", "fastavro") from None
        self._schema = schema
        self._key = tuple(key)
        self._values = value_columns(schema, key)
        self._readers: dict[str, tuple[DeclaredColumns, RecordBounds]] = {}

    def decode(self, piece: AvroPiece) -> Decoded:
        """Raises SourceStalled for a file that has not the columns of the source, or a block that has not the records that it should."""
        declared, bounds = self._reader(piece)
        payloads = Payloads(piece.blocks.data)
        try:
            starts, ends = bounds.find(piece.blocks, payloads)
        except BrokenBlock as error:
            block, reason = error.args
            raise broken(piece.file, int(piece.blocks.places[block]), f"the block there {reason}") from None
        lines = np.arange(piece.first_row, piece.first_row + len(starts))
        found = ErrorParts()
        columns = declared.columns(payloads, starts, ends, found)
        errors = ErrorList(self._schema, piece.file, lines)
        wrong = found.finish()
        for row, column, sqlstate, reason in zip(
            wrong.rows.tolist(), wrong.columns.tolist(), wrong.sqlstates.to_pylist(), wrong.reasons.to_pylist(), strict=True
        ):  # fmt: skip
            errors.add(row, column, sqlstate, reason)
        present = np.ones(len(starts), np.bool_)
        if self._key and self._values:
            present = ~all_null(columns, self._values, len(starts)) | errors.mask()
        check_not_null(self._schema, columns, present, self._key, errors)

        def letters_of(rows: Indices) -> tuple[pa.Array, ...]:
            """The columns of dead letters, but for the reason."""
            data = piece.blocks.data
            records = [data[starts[row] : ends[row]].tobytes() for row in rows.tolist()]
            return (
                pa.array(np.full(len(rows), piece.file, object), pa.string()),
                pa.array(lines[rows]),
                pa.array(records, pa.binary()),
            )

        return Decoded(columns, lines, present, errors.finish(), letters_of)

    def _reader(self, piece: AvroPiece) -> tuple[DeclaredColumns, RecordBounds]:
        found = self._readers.get(piece.schema)
        if found is None:
            declared = declared_columns(piece.file, piece.schema, self._schema, self._key)
            found = (declared, RecordBounds(declared.writer, piece.schema))
            self._readers[piece.schema] = found
        return found


def declared_columns(file: str, text: str, schema: Schema, key: Sequence[int] = ()) -> DeclaredColumns:
    """Of a file that was written with the schema `text`.  Raises SourceStalled where it has not the columns of the source."""
    try:
        return DeclaredColumns(text, schema, key)
    except PtvcError as error:
        raise SourceStalled(
            f'file "{file}": {error.message}',
            sqlstate=error.sqlstate,
            detail=error.detail,
            hint="Take the file away, write it otherwise, or drop the source and create it again with columns that all files have.",
        ) from error


def broken(file: str, byte: int, reason: str) -> SourceStalled:
    return SourceStalled(
        f'file "{file}" cannot be read as Avro at byte {byte}: {reason}',
        hint="Put it back under its name, right from there on and as it was before that: what lies before has been read. "
        "Otherwise drop the source, and create it anew.",
    )
