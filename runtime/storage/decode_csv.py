"""CSV: one record a line, fields by position or by the file's header; quoting as in COPY ... WITH (FORMAT csv).

An empty field is NULL, `""` the empty text.  A line is a record, so that a stray quote spoils one record and not the
rest of the file: a value with a line break in it is an error of its lines.  A line ends in LF or CRLF; another CR is part
of a value in quotes, and outside of them an error of its line, as in COPY.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
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
from .lines import BOM, NEWLINE, RETURN, Lines, split_lines

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
        good = np.ones(len(lines), np.bool_)
        for malformed, sqlstate, reason in _malformed(lines, self._delimiter):
            good &= ~malformed
            for row in np.flatnonzero(malformed).tolist():
                errors.add(row, WHOLE_RECORD, sqlstate, reason)
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

    def _parse(self, lines: Lines, rows: Indices, errors: ErrorList) -> tuple[list[pa.Array], Indices]:
        """The schema's columns as text, and the lines that they come from; a wrong number of fields is an error."""
        if not len(rows):
            return [pa.array([], pa.string()) for _ in self._schema], rows
        data = _parsed(lines.take(rows))
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
        if table.num_rows + len(refused) != len(rows):
            raise RuntimeError(
                f"the CSV parser has found {table.num_rows + len(refused)} records in {len(rows)} lines"
            )
        kept = np.ones(len(rows), np.bool_)
        kept[refused] = False
        return [column.combine_chunks() for column in table.columns], rows[kept]


def header_fields(line: bytes, delimiter: str) -> tuple[str, ...]:
    """The names in a file's header, which is read as its records are.  Raises InvalidParameter with what is wrong with it."""
    lines = split_lines(line, 1)
    if not len(lines):
        return ()
    for malformed, sqlstate, reason in _malformed(lines, delimiter):
        if malformed.any():
            raise InvalidParameter(reason, sqlstate=sqlstate)
    data = _parsed(lines)
    header = pyarrow.csv.read_csv(
        io.BytesIO(data),
        read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=len(data) + 1),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter),
    )
    return tuple(header.column_names)


def _parsed(lines: Lines) -> bytes:
    """What the parser is given.  It drops a byte order mark that this begins with, which here belongs to a value."""
    data = lines.joined()
    return BOM + data if data.startswith(BOM) else data


def _malformed(lines: Lines, delimiter: str) -> list[tuple[Mask, str, str]]:
    """Lines that the parser does not read as COPY does, with the SQLSTATE and reason of their error; each at most once."""
    if not len(lines):
        return []
    bad = lines.invalid_utf8() | lines.containing(b"\0")
    found = [(bad, "22021", 'invalid byte sequence for encoding "UTF8"')]
    array = lines.array()
    quotes = np.flatnonzero(array == _QUOTE)
    if len(quotes):
        firsts = np.searchsorted(quotes, lines.starts)
        counts = np.diff(firsts, append=len(quotes))
        odd = counts % 2 == 1
        opening, closing = quotes[0::2], quotes[1::2]
        if odd.any():  # what is before a line does not say then which of its quotes open
            opens = (np.arange(len(quotes)) - np.repeat(firsts, counts)) % 2 == 0
            opening, closing = quotes[opens], quotes[~opens]
        inner = _within_fields(array, opening, closing, delimiter)
        stray = np.zeros(len(lines), np.bool_)
        stray[np.searchsorted(lines.starts, inner, "right") - 1] = True
        found.append((odd & ~bad, "22P04", "unterminated CSV quoted field"))
        found.append((stray & ~odd & ~bad, "22P04", "quote within an unquoted CSV field"))
        bad = bad | odd | stray
    returned = _with_returns(lines, quotes)
    if returned is not None:
        found.append((returned & ~bad, "22P04", "unquoted carriage return found in data"))
    return found


def _within_fields(
    array: npt.NDArray[np.uint8], opening: Indices, closing: Indices, delimiter: str
) -> Indices:
    """Which quotes are neither where a field begins or ends nor half of a doubled quote: pyarrow takes them for plain characters."""
    edges = np.zeros(256, np.bool_)
    # A CR beside the outer side of a quote is of a line end, or in error itself.
    edges[[_QUOTE, ord(delimiter), NEWLINE, RETURN]] = True
    padded = np.concatenate([[NEWLINE], array, [NEWLINE]])
    return np.concatenate([opening[~edges[padded[opening]]], closing[~edges[padded[closing + 2]]]])


def _with_returns(lines: Lines, quotes: Indices) -> Mask | None:
    """Which lines, of those with sound `quotes`, hold an unquoted CR that is not of their line end; None: no line does."""
    if b"\r" not in lines.data:
        return None
    array = lines.array()
    returns = np.flatnonzero(array[:-1] == RETURN)
    returns = returns[array[returns + 1] != NEWLINE]
    if not len(returns):
        return None
    line_of = np.searchsorted(lines.starts, returns, "right") - 1
    before = np.searchsorted(quotes, returns) - np.searchsorted(quotes, lines.starts[line_of])
    found = np.zeros(len(lines), np.bool_)
    found[line_of[before % 2 == 0]] = True
    return found
