"""CSV: one record a line, fields by position or by the file's header; quoting as in COPY ... WITH (FORMAT csv).

An empty field is NULL, `""` the empty text.  A line is a record, so that a stray quote spoils one record and not the
rest of the file: a value with a line break in it is an error of its lines.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.csv

from ..errors import InvalidParameter
from ..repr.batch import Indices, Mask
from ..repr.schema import Schema
from .decode import (
    WHOLE_RECORD,
    Decoded,
    ErrorList,
    all_null,
    check_not_null,
    check_schema,
    read_text,
    value_columns,
)
from .lines import NEWLINE, RETURN, Lines, split_lines

_QUOTE = ord('"')


class CsvDecoder:
    """Decodes CSV lines to `schema`.

    `fields` names the fields in the order of the file (from its header); without it they are the schema's columns.
    A key's record whose value fields are all empty is a delete marker.  Raises InvalidParameter when a column of
    the schema is not among `fields`.
    """

    def __init__(
        self,
        schema: Schema,
        key: Sequence[int] = (),
        *,
        delimiter: str = ",",
        fields: Sequence[str] | None = None,
    ) -> None:
        check_schema(schema, "csv")
        if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
            raise InvalidParameter(
                f"CSV delimiter must be a single one-byte character, not {delimiter!r}",
                hint="A quote or a line end cannot be the delimiter.",
            )
        self._schema = schema
        self._key = tuple(key)
        self._values = value_columns(schema, key)
        self._delimiter = delimiter
        names = list(schema.names if fields is None else fields)
        missing = [name for name in schema.names if name not in names]
        if missing:
            raise InvalidParameter(
                f'the CSV header has no column "{missing[0]}"', detail=f"It has: {', '.join(names)}."
            )
        self._positions = [names.index(name) for name in schema.names]
        self._width = len(names)

    def decode(self, data: bytes, file: str, first_line: int) -> Decoded:
        lines = split_lines(data, first_line)
        return self.read(lines, ErrorList(self._schema, file, lines.numbers))

    def read(self, lines: Lines, errors: ErrorList) -> Decoded:
        """A line is a record: none holds a line end."""
        good = self._check_lines(lines, errors)
        rows = np.flatnonzero(good)
        texts, rows = self._parse(lines, rows, errors)
        columns: list[pa.Array] = []
        back = np.full(len(lines), -1, np.int64)
        back[rows] = np.arange(len(rows))
        index = None if len(rows) == len(lines) else pa.array(back, mask=back < 0)
        for position, (column, text) in enumerate(zip(self._schema, texts, strict=True)):
            read = read_text(text, column.type)
            if read.errors is not None:
                failed = read.errors
                errors.add_text_errors(position, rows[failed.indices], failed.sqlstates, failed.messages)
            columns.append(read.values if index is None else read.values.take(index))
        present = np.ones(len(lines), np.bool_)
        if self._key and self._values:
            present = ~all_null(columns, self._values, len(lines)) | errors.mask()
        check_not_null(self._schema, columns, present, self._key, errors)
        return Decoded(tuple(columns), lines.numbers, present, errors.finish())

    def _check_lines(self, lines: Lines, errors: ErrorList) -> Mask:
        """Lines that the parser reads as COPY does; the others are errors."""
        array = lines.array()
        bad = lines.invalid_utf8() | lines.containing(b"\0")
        for row in np.flatnonzero(bad).tolist():
            errors.add(row, WHOLE_RECORD, "22021", 'invalid byte sequence for encoding "UTF8"')
        quotes = np.flatnonzero(array == _QUOTE)
        if len(quotes) and len(lines):
            line_of = np.searchsorted(lines.starts, quotes, "right") - 1
            odd = np.bincount(line_of, minlength=len(lines)) % 2 == 1
            # A quote is at an end of a field, or beside another quote; pyarrow takes others for plain characters.
            edges = np.zeros(256, np.bool_)
            edges[[_QUOTE, ord(self._delimiter), NEWLINE, RETURN]] = True
            padded = np.concatenate([[NEWLINE], array, [NEWLINE]])
            stray = np.zeros(len(lines), np.bool_)
            stray[line_of[~(edges[padded[quotes]] | edges[padded[quotes + 2]])]] = True
            for row in np.flatnonzero(odd & ~bad).tolist():
                errors.add(row, WHOLE_RECORD, "22P04", "unterminated CSV quoted field")
            for row in np.flatnonzero(stray & ~odd & ~bad).tolist():
                errors.add(row, WHOLE_RECORD, "22P04", "quote within an unquoted CSV field")
            bad |= odd | stray
        return ~bad

    def _parse(self, lines: Lines, rows: Indices, errors: ErrorList) -> tuple[list[pa.Array], Indices]:
        """The schema's columns as text, and the lines that they come from; a wrong number of fields is an error."""
        if not len(rows):
            return [pa.array([], pa.string()) for _ in self._schema], rows
        data = lines.take(rows).joined()
        refused: list[int] = []

        def refuse(row: pyarrow.csv.InvalidRow) -> str:
            refused.append(row.number - 1)
            line = int(rows[row.number - 1])
            counts = f"{self._width} fields expected, {row.actual_columns} found"
            what = "missing data" if row.actual_columns < self._width else "extra data"
            errors.add(line, WHOLE_RECORD, "22P04", f"{what}: {counts}")
            return "skip"

        names = [f"c{index}" for index in range(self._width)]
        table = pyarrow.csv.read_csv(
            io.BytesIO(data),
            read_options=pyarrow.csv.ReadOptions(
                use_threads=False, block_size=len(data) + 1, column_names=names
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=self._delimiter,
                newlines_in_values=False,
                ignore_empty_lines=False,
                invalid_row_handler=refuse,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types={name: pa.string() for name in names},
                include_columns=[names[position] for position in self._positions],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                null_values=[""],
            ),
        )
        kept = np.ones(len(rows), np.bool_)
        kept[refused] = False
        return [column.combine_chunks() for column in table.columns], rows[kept]
