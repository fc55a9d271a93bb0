"""Rows of COPY TO, one CopyData message each, for a chunk of rows at once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..coord.results.results import Columns
from ..expr.datetimes.zones import Zone
from ..expr.text.copy_text import contains_any, escaped
from ..expr.text.text_format import to_text
from ..repr.schema import Schema
from ..repr.types import ScalarType
from ..sql.syntax.vocabulary import CopyFormat, CopyOptions
from . import codec
from .copy_binary import SIGNATURE, TRAILER
from .fields import encode
from .pieces import Lengths, join, joined_bytes, offsets_of, strided


class RowWriter:
    def __init__(self, schema: Schema, options: CopyOptions, zone: Zone | None = None) -> None:
        self._zone = zone
        self._schema = schema
        self._options = options
        self._head = b""

    def header(self) -> bytes:
        """What comes before the rows: the signature of binary, the names of the columns if asked for."""
        if self._options.format is CopyFormat.BINARY:
            self._head = SIGNATURE + bytes(8)  # in one message with what follows, as clients expect
            return b""
        line = self.header_line()
        return b"" if line is None else bytes(joined_bytes(_framed(line)))

    def header_line(self) -> pa.Array | None:
        """string[1]: the names of the columns, if text or csv is to have them."""
        if not self._options.header:
            return None
        names = [self._escape(pa.array([name], pa.string()), False) for name in self._schema.names]
        return self._line(names)

    def trailer(self) -> bytes:
        return codec.message(b"d", self._head + TRAILER) if self._options.format is CopyFormat.BINARY else b""

    def rows(self, columns: Columns) -> memoryview:
        if self._options.format is CopyFormat.BINARY:
            return self._binary(columns)
        return joined_bytes(_framed(self.lines(columns)))

    def lines(self, columns: Columns) -> pa.Array:
        """string[n]: the rows in text or csv, each with its newline."""
        texts = [self._text(array, type_) for array, type_ in zip(columns, self._schema.types, strict=True)]
        return self._line(texts)

    def _line(self, texts: list[pa.Array]) -> pa.Array:
        delimiter = pa.scalar(self._options.delimiter)
        parts = [part for text in texts for part in (text, delimiter)][:-1]
        return pc.binary_join_element_wise(*parts, pa.scalar("\n"), "")

    def _text(self, array: pa.Array, type_: ScalarType) -> pa.Array:
        text = self._escape(to_text(array, type_, self._zone), self._options.force_quote)
        return text.fill_null(self._options.null) if text.null_count else text

    def _escape(self, text: pa.Array, forced: bool) -> pa.Array:
        """Values as the format writes them; NULL stays NULL.  `forced` quotes all others."""
        options = self._options
        if options.format is CopyFormat.CSV:
            return self._quote(text, forced)
        return escaped(text, options.delimiter)

    def _quote(self, text: pa.Array, forced: bool) -> pa.Array:
        """Quotes where a reader would otherwise see something else: a separator, a quote, NULL, the end mark."""
        options = self._options
        special = pc.or_(pc.equal(text, options.null), forced)
        for mark in (options.delimiter, options.quote, "\n", "\r"):
            if contains_any(text, mark):
                special = pc.or_(special, pc.match_substring(text, mark))
        if len(self._schema) == 1:
            special = pc.or_(special, pc.equal(text, "\\."))
        if not pc.any(special).as_py():
            return text
        inner = text
        if options.escape != options.quote:
            inner = pc.replace_substring(inner, options.escape, options.escape * 2)
        inner = pc.replace_substring(inner, options.quote, options.escape + options.quote)
        quote = pa.scalar(options.quote)
        return pc.if_else(special, pc.binary_join_element_wise(quote, inner, quote, ""), text)

    def _binary(self, columns: Columns) -> memoryview:
        count = len(columns[0])
        pieces = []
        for array, type_ in zip(columns, self._schema.types, strict=True):
            encoded, _ = encode(array, type_, 1)
            pieces += encoded
        fields = strided(np.full(count, len(columns), ">i2"))
        rows = joined_bytes(_framed(join([fields, *pieces])))
        if not self._head:
            return rows
        head, self._head = self._head, b""
        size = int.from_bytes(rows[1:5], "big") + len(head)
        return memoryview(b"".join((b"d", size.to_bytes(4, "big"), head, rows[5:])))


_FRAME = np.dtype([("kind", "S1"), ("size", ">i4")])


def _framed(lines: pa.Array) -> pa.Array:
    """Each line as a CopyData message."""
    sizes: Lengths = np.diff(offsets_of(lines)).astype(np.int64)
    frame = np.empty(len(lines), _FRAME)
    frame["kind"] = b"d"
    frame["size"] = sizes + 4
    return join([strided(frame), lines.cast(pa.binary())])
