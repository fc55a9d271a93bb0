"""JSON lines: one object a line, its fields matched to columns by name; other fields are ignored.

Two paths with one meaning.  The fast one hands all lines to pyarrow's parser at once.  Whatever it refuses, or could
read otherwise than PostgreSQL, goes to the slow one, which is the definition: `json.loads`, numbers kept as their
text, every value through the input function of its type.  Refused lines are isolated by bisection.
"""

from __future__ import annotations

import decimal
import json
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from ..repr.batch import Indices, Mask
from ..repr.schema import Schema
from ..repr.types import UNSIGNED, Kind, ScalarType
from .decode import (
    WHOLE_RECORD,
    Decoded,
    ErrorList,
    all_null,
    check_not_null,
    check_schema,
    empty_columns,
    read_text,
    value_columns,
)
from .lines import Lines, split_lines

_NATIVE = frozenset(
    (Kind.BOOL, Kind.INT2, Kind.INT4, Kind.INT8, *UNSIGNED, Kind.FLOAT4, Kind.FLOAT8, Kind.NUMERIC, Kind.TEXT)
)
_BISECT_UNTIL = 32
_DEPTH_LIMIT = 200
_QUOTED_PREFIX = 80


class JsonDecoder:
    """Decodes JSON lines to `schema`.  `key` are the positions of the key, empty for an append-only source."""

    def __init__(self, schema: Schema, key: Sequence[int] = ()) -> None:
        check_schema(schema, "json")
        self._schema = schema
        self._key = tuple(key)
        self._values = value_columns(schema, key)
        self._documents = any(column.type.kind is Kind.JSONB for column in schema)
        self._options = pyarrow.json.ParseOptions(
            explicit_schema=self._explicit(
                [pa.field(c.name, c.type.arrow if c.type.kind in _NATIVE else pa.string()) for c in schema]
            ),
            newlines_in_values=False,
            unexpected_field_behavior="ignore",
        )

    # What a subclass may know better: where in an object the fields of its record are.

    def _explicit(self, fields: list[pa.Field]) -> pa.Schema:
        """What the parser is to look for, given the fields of a record."""
        return pa.schema(fields)

    def _fields(self, table: pa.Table) -> list[pa.Array]:
        """The fields of records, of what the parser has found."""
        return [table.column(column.name).combine_chunks() for column in self._schema]

    def _record(self, found: dict[str, Any]) -> dict[str, Any] | tuple[str, str]:
        """The record of an object, or the SQLSTATE and the reason why there is none."""
        return found

    def decode(self, data: bytes, file: str, first_line: int) -> Decoded:
        lines = split_lines(data, first_line)
        return self.read(lines, ErrorList(self._schema, file, lines.numbers))

    def read(self, lines: Lines, errors: ErrorList) -> Decoded:
        """A line is a record, which may hold line ends itself."""
        plain = ~self._needs_care(lines)
        pieces: list[tuple[Indices, list[pa.Array]]] = []
        slow = [np.flatnonzero(~plain)]
        pending = [np.flatnonzero(plain)] if plain.any() else []
        while pending:
            part = pending.pop()
            columns = self._parse(lines.take(part))
            if columns is not None:
                careful = self._inexact(columns, lines.take(part))
                slow.append(part[careful])
                if careful.any():
                    kept = np.flatnonzero(~careful)
                    part, columns = part[kept], [column.take(pa.array(kept)) for column in columns]
                pieces.append((part, columns))
            elif len(part) <= _BISECT_UNTIL:
                slow.append(part)
            else:
                middle = len(part) // 2
                pending += [part[:middle], part[middle:]]
        return self._finish(lines, errors, pieces, np.sort(np.concatenate(slow)))

    def _needs_care(self, lines: Lines) -> Mask:
        """Lines that the fast parser must not see: it would accept or cut them otherwise than the slow path."""
        array = lines.array()
        if not len(lines):
            return np.zeros(0, np.bool_)
        # Several objects on a line, or one over several lines, cannot pass when each line is {...}: there would be fewer or more
        # objects than lines, as none ends before a `{`.
        odd: Mask = (array[lines.starts] != ord("{")) | (array[lines.ends - 1] != ord("}"))
        if self._documents:  # whose text pyarrow does not hand out
            odd[:] = True
        odd |= lines.containing(b"NaN", b"Inf", b"\\u0000", b"\0")
        odd |= lines.invalid_utf8()
        if lines.data.count(b"{") + lines.data.count(b"[") > len(lines) + _DEPTH_LIMIT:
            odd |= lines.counts((array == ord("{")) | (array == ord("["))) > _DEPTH_LIMIT
        return odd

    def _parse(self, lines: Lines) -> list[pa.Array] | None:
        """One array per column, or None when some line is not as the schema says."""
        data = lines.joined()
        try:
            table = pyarrow.json.read_json(
                pa.BufferReader(data),
                read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=len(data) + 1),
                parse_options=self._options,
            )
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
        if table.num_rows != len(lines):
            return None
        return self._fields(table)

    def _inexact(self, columns: list[pa.Array], lines: Lines) -> Mask:
        """Rows of which a value is not what PostgreSQL reads: out of range, or underflown to zero."""
        doubtful = np.zeros(len(lines), np.bool_)
        tiny = b"e-" in lines.data or b"E-" in lines.data
        for column, values in zip(self._schema, columns, strict=True):
            if column.type.is_float:
                numbers = values.fill_null(1.0).to_numpy(zero_copy_only=False)
                doubtful |= ~np.isfinite(numbers)
                if tiny:
                    doubtful |= numbers == 0
            elif column.type.kind is Kind.NUMERIC:
                doubtful |= _beyond_precision(column.type, values)
        return doubtful

    def _finish(
        self,
        lines: Lines,
        errors: ErrorList,
        pieces: list[tuple[Indices, list[pa.Array]]],
        slow: Indices,
    ) -> Decoded:
        rows = [part for part, _ in pieces]
        parts: list[list[pa.Array]] = []
        for part, columns in pieces:
            parts.append(self._convert(columns, part, errors))
        absent = np.zeros(len(lines), np.bool_)
        for part, columns in zip(rows, parts, strict=True):
            self._mark_absent(lines, part, columns, absent)
        if len(slow):
            texts, broken = self._read_slowly(lines, slow, errors, absent)
            rows.append(slow)
            parts.append(self._convert(texts, slow, errors, text=True))
            absent[broken] = False
        merged = self._merge(rows, parts, len(lines))
        present = ~absent
        check_not_null(self._schema, merged, present, self._key, errors)
        return Decoded(tuple(merged), lines.numbers, present, errors.finish())

    def _convert(
        self, columns: list[pa.Array], rows: Indices, errors: ErrorList, *, text: bool = False
    ) -> list[pa.Array]:
        """Columns that are still text (all of them when `text`) as values of their types."""
        out: list[pa.Array] = []
        for index, (column, values) in enumerate(zip(self._schema, columns, strict=True)):
            if text or column.type.kind not in _NATIVE:
                read = read_text(values, column.type)
                values = read.values
                if read.errors is not None:
                    failed = read.errors
                    errors.add_text_errors(index, rows[failed.indices], failed.sqlstates, failed.messages)
            out.append(values)
        return out

    def _mark_absent(self, lines: Lines, rows: Indices, columns: list[pa.Array], absent: Mask) -> None:
        """Marks delete markers.  A NULL looks like a missing field, so the few lines in doubt are read again."""
        if not self._key or not self._values:
            return
        names = [self._schema[index].name for index in self._values]
        for row in rows[np.flatnonzero(all_null(columns, self._values, len(rows)))].tolist():
            record = json.loads(lines.bytes_of(row))
            absent[row] = not any(name in record for name in names)

    def _read_slowly(
        self, lines: Lines, rows: Indices, errors: ErrorList, absent: Mask
    ) -> tuple[list[pa.Array], Indices]:
        """The text of every field of the lines `rows`, one string array per column, and which are no records."""
        texts: list[list[str | None]] = [[] for _ in self._schema]
        broken: list[int] = []
        for row in rows.tolist():
            record = _read_object(lines.bytes_of(row))
            if isinstance(record, dict):
                record = self._record(record)
            if isinstance(record, tuple):
                errors.add(row, WHOLE_RECORD, *record)
                broken.append(row)
                record = {}
            elif self._key and self._values:
                absent[row] = not any(self._schema[index].name in record for index in self._values)
            for index, column in enumerate(self._schema):
                read = _document_text if column.type.kind is Kind.JSONB else _text_of
                text, reason = read(record.get(column.name))
                if reason is not None:
                    errors.add(row, index, *reason)
                texts[index].append(text)
        return [pa.array(column, pa.string()) for column in texts], np.array(broken, np.int64)

    def _merge(self, rows: list[Indices], parts: list[list[pa.Array]], length: int) -> list[pa.Array]:
        if not parts:
            return empty_columns(self._schema.columns, length)
        if len(parts) == 1:
            return parts[0]
        order = np.concatenate(rows)
        back = np.empty(length, np.int64)
        back[order] = np.arange(length)
        index = pa.array(back)
        return [pa.concat_arrays(list(column)).take(index) for column in zip(*parts, strict=True)]


def _beyond_precision(type_: ScalarType, values: pa.Array) -> Mask:
    if type_.precision is None or type_.scale is None or values.null_count == len(values):
        return np.zeros(len(values), np.bool_)
    with decimal.localcontext(prec=80):
        bound = decimal.Decimal(10) ** (type_.precision - type_.scale)
        extremes = pc.min_max(values)
        if -bound < extremes["min"].as_py() and extremes["max"].as_py() < bound:
            return np.zeros(len(values), np.bool_)
        outside = [v is not None and abs(v) >= bound for v in values.to_pylist()]
    return np.array(outside, np.bool_)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _read_object(line: bytes) -> dict[str, Any] | tuple[str, str]:
    """The object on a line, numbers as text; or the SQLSTATE and the reason why it is none."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        byte = f"0x{line[error.start]:02x}"
        return "22021", f'invalid byte sequence for encoding "UTF8": {byte}'
    shown = text[:_QUOTED_PREFIX] + ("..." if len(text) > _QUOTED_PREFIX else "")
    try:
        record = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=_no_constant,
        )
    except ValueError:
        return "22P02", f"invalid input syntax for type json: {shown}"
    except RecursionError:
        return "54001", "JSON is nested too deeply"
    if not isinstance(record, dict):
        return "22P02", f"a record must be a JSON object, not: {shown}"
    return record


class _Number(str):
    """The text of a number, as distinct from a text that looks like one."""

    __slots__ = ()


class _Repeating(dict[str, Any]):
    """An object that has a key more than once; its members as they were written, all of which are to be valid."""

    __slots__ = ("members",)

    def __init__(self, members: list[tuple[str, Any]]) -> None:
        super().__init__(members)
        self.members = members


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    return found if len(found) == len(members) else _Repeating(members)


def _document_text(value: Any) -> tuple[str | None, tuple[str, str] | None]:
    """A field's value as JSON text; null is NULL, as for every other type."""
    if value is None:
        return None, None
    try:
        return _json_text(value), None
    except RecursionError:
        return None, ("54001", "JSON is nested too deeply")


def _json_text(value: Any) -> str:
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, list):
        return "[" + ",".join(map(_json_text, value)) + "]"
    if isinstance(value, dict):
        members = value.members if isinstance(value, _Repeating) else value.items()
        return "{" + ",".join(f"{json.dumps(key)}:{_json_text(item)}" for key, item in members) + "}"
    return json.dumps(value)


def _text_of(value: Any) -> tuple[str | None, tuple[str, str] | None]:
    """A field's value as PostgreSQL's input functions take it, or NULL and why it has none."""
    if value is None:
        return None, None
    if isinstance(value, bool):
        return ("true" if value else "false"), None
    if not isinstance(value, str):
        return None, ("22P02", "a nested JSON value is not supported: give a text, a number or a boolean")
    if "\0" in value or not _encodable(value):
        return None, ("22P05", "unsupported Unicode escape sequence")
    return value, None


def _encodable(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True
