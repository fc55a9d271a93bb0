"""Decoding: bytes of a file become records, as columns of the source's schema, and errors.

A record whose bytes make no sense, or one of whose values does not fit its column, is an error of that record; it
never hides its neighbours.  Text becomes values by PostgreSQL's input rules (`expr.text.text_format`), however the
format spells it.  Decoding is a function of the record alone: how a file was cut into chunks does not show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import Unsupported
from ..expr.columns.row_errors import Evaluated
from ..expr.datetimes.clock_precision import rounded
from ..expr.text.text_format import from_text
from ..repr.batch import Indices, Mask
from ..repr.schema import Column, Schema
from ..repr.types import NESTED, TIMESTAMP, Kind, ScalarType
from .dead_letters import Raw

WHOLE_RECORD = -1
PREDICATE = -2
"""In place of a column: the values are sound, and what fails is the WHERE of the source."""

_UTC_TIMESTAMP = r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|\+00)$"


@dataclass(frozen=True, slots=True)
class RecordErrors:
    """k errors: of record `rows[i]`, in its column `columns[i]` (WHOLE_RECORD when no column could be read).

    A record may have several.  Messages name file, line and column.
    """

    rows: Indices
    columns: Indices
    sqlstates: pa.Array
    messages: pa.Array

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Decoded:
    """n records in the order of the file.

    `columns` have the schema's types and length n; a value that is in error is NULL.  `lines` are line numbers
    (row numbers for parquet), 1-based.  `present` is false for a record that carries none of its value columns: a
    delete marker, where records have keys.  `raw` shows what records were before they were decoded; None where it is not known.
    """

    columns: tuple[pa.Array, ...]
    lines: Indices
    present: Mask
    errors: RecordErrors
    raw: Raw | None = None

    def __len__(self) -> int:
        return len(self.lines)


class Decoder(Protocol):
    def decode(self, data: bytes, file: str, first_line: int) -> Decoded:
        """`data` is whole lines of `file`, of which the first one has number `first_line`."""


class Errors(Protocol):
    """Errors as they are found."""

    def add(self, row: int, column: int, sqlstate: str, reason: str) -> None: ...


class ErrorList:
    """Errors of one batch of records as they are found; at most a few, so plain lists."""

    def __init__(self, schema: Schema, file: str, lines: Indices) -> None:
        self._schema = schema
        self._file = file
        self._lines = lines
        self._entries: list[tuple[int, int, str, str]] = []

    def add(self, row: int, column: int, sqlstate: str, reason: str) -> None:
        self._entries.append((row, column, sqlstate, self._message(row, column, reason)))

    def _message(self, row: int, column: int, reason: str) -> str:
        where = f'file "{self._file}", line {self._lines[row]}: '
        if column != WHOLE_RECORD:
            where += f'column "{self._schema[column].name}": '
        return where + reason

    def add_text_errors(self, column: int, rows: Indices, sqlstates: pa.Array, reasons: pa.Array) -> None:
        for row, sqlstate, reason in zip(
            rows.tolist(), sqlstates.to_pylist(), reasons.to_pylist(), strict=True
        ):
            self.add(row, column, sqlstate, reason)

    def mask(self) -> Mask:
        """Which records have an error so far."""
        mask = np.zeros(len(self._lines), np.bool_)
        mask[[entry[0] for entry in self._entries]] = True
        return mask

    def finish(self) -> RecordErrors:
        self._entries.sort(key=lambda entry: entry[:2])
        rows, columns, sqlstates, messages = zip(*self._entries, strict=True) if self._entries else ((),) * 4
        return RecordErrors(
            np.array(rows, np.int64),
            np.array(columns, np.int64),
            pa.array(sqlstates, pa.string()),
            pa.array(messages, pa.string()),
        )


def check_not_null(
    schema: Schema, columns: Sequence[pa.Array], present: Mask, key: Sequence[int], errors: ErrorList
) -> None:
    """Adds an error for each NULL in a key or NOT NULL column, except those that a delete marker leaves out.

    Records that are in error already are left alone: their NULLs stand for what could not be read.
    """
    sound: Mask | None = None
    for index, column in enumerate(schema):
        if (column.nullable and index not in key) or not columns[index].null_count:
            continue
        null = columns[index].is_null().to_numpy(zero_copy_only=False)
        if sound is None:
            sound = ~errors.mask()
        null = null & sound if index in key else null & sound & present
        for row in np.flatnonzero(null).tolist():
            errors.add(
                row, index, "23502", f'null value in column "{column.name}" violates not-null constraint'
            )


def _remedy(column: Column, format: str) -> str:
    """What a source can be given instead of a column that it cannot be read to."""
    type_ = column.type
    if type_.kind not in NESTED or format == "csv":
        return "Declare the column as text and cast it in a view."
    if format == "avro":
        return "Of a list Avro makes T list, of a map map[text => T], and of a record jsonb."
    if format == "parquet":
        return "Leave the column out; COPY ... FORMAT PARQUET reads it to a table."
    if type_.element is None:
        return "Declare the column as jsonb, and take what is in it by -> and ->> in a view."
    rows = f'jsonb_array_elements_text("{column.name}") WITH ORDINALITY AS x (e, n)'
    elements = f"SELECT e::{type_.element} FROM {rows} ORDER BY n"
    made = f"ARRAY({elements})" if type_.kind is Kind.ARRAY else f"LIST({elements})"
    return f'Declare the column as jsonb, and write CASE WHEN "{column.name}" IS NOT NULL THEN {made} END in a view.'


def check_schema(schema: Schema, format: str) -> None:
    """Refuses columns that no record of the format can be decoded to."""
    seen: set[str] = set()
    refused = NESTED | {Kind.OID, Kind.CHAR}
    if format == "json":
        refused |= {Kind.JSON}
    if format == "avro":
        refused -= {Kind.LIST, Kind.MAP}
    for column in schema:
        if column.type.kind in refused:
            raise Unsupported(
                f'column "{column.name}" of type {column.type} cannot be read from format {format}',
                hint=_remedy(column, format),
            )
        if column.name in seen:
            raise Unsupported(f'column "{column.name}" specified more than once')
        seen.add(column.name)


def all_null(columns: Sequence[pa.Array], indices: Sequence[int], length: int) -> Mask:
    """Rows whose columns at `indices` are all NULL; all of them when `indices` is empty."""
    null = np.ones(length, np.bool_)
    for index in indices:
        if not columns[index].null_count:
            return np.zeros(length, np.bool_)
        null &= columns[index].is_null().to_numpy(zero_copy_only=False)
    return null


def read_text(texts: pa.Array, type_: ScalarType) -> Evaluated:
    """The values that `texts` denote as input of `type_`, as an assignment takes them."""
    if type_.kind is Kind.TIMESTAMPTZ and len(texts):
        # Nearly every file writes them in UTC; then one cast reads them all, where offsets are read one by one.
        in_utc = pc.match_substring_regex(texts, _UTC_TIMESTAMP)
        if pc.all(in_utc, min_count=0).as_py():
            local = from_text(pc.replace_substring_regex(texts, r"(Z|\+00)$", ""), TIMESTAMP)
            if local.errors is None:
                return rounded(local.values.view(type_.arrow), type_)
    return from_text(texts, type_, explicit=False)


def value_columns(schema: Schema, key: Sequence[int]) -> list[int]:
    return [index for index in range(len(schema)) if index not in key]


def empty_columns(schema: Sequence[Column], length: int) -> list[pa.Array]:
    return [pa.nulls(length, column.type.arrow) for column in schema]


def concat_decoded(parts: Sequence[Decoded]) -> Decoded:
    """The records of all parts, in order, but for what they were before; at least one part."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    errors = [part.errors for part in parts]
    return Decoded(
        tuple(pa.concat_arrays(list(column)) for column in zip(*(p.columns for p in parts), strict=True)),
        np.concatenate([part.lines for part in parts]),
        np.concatenate([part.present for part in parts]),
        RecordErrors(
            np.concatenate([e.rows + start for e, start in zip(errors, starts, strict=True)]),
            np.concatenate([e.columns for e in errors]),
            pa.concat_arrays([e.sqlstates for e in errors]),
            pa.concat_arrays([e.messages for e in errors]),
        ),
    )
