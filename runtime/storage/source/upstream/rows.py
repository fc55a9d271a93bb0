"""Rows of a table upstream, which come as texts or as values: rows of ours, and errors of those that cannot be read.

A row that cannot be read is an error with the row's diff.  Its message depends on the row's values, where it lies, the names of columns and
the table alone, so that when the row is deleted, however much later, exactly its error goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....errors import UndefinedColumn
from ....expr.columns.arrays import with_nulls
from ....expr.columns.row_errors import Indices, RowErrors, error_mask, merge_errors, same_error
from ....expr.text.text_output import to_text
from ....repr import buffers
from ....repr.batch import Diffs
from ....repr.buffers import present
from ....repr.schema import Column, Schema
from ...changes import NO_ERROR_CHANGES, Changes
from ...decode import read_text
from .tables import TableThere


@dataclass(frozen=True, slots=True)
class Ready:
    """Values that are of their column's type already."""

    values: pa.Array


@dataclass(frozen=True, slots=True)
class FileRows:
    """Where rows lie: in that file, with these numbers, from 1 on."""

    file: str
    numbers: Indices


def rows_of(
    columns: Sequence[pa.Array | Ready],
    names: Sequence[str],
    schema: Schema,
    diffs: Diffs,
    table: TableThere[Any] | None = None,
    lie: FileRows | None = None,
) -> tuple[Changes, Changes]:
    """Changes of rows and of errors: n rows came, whose `columns` (texts, as binaries or strings) have those `names`.

    The schema's columns are found by name, others are left out; those that the `table` excludes, which it did not at first, are NULL.  Texts are as a server in UTC writes them, in UTF-8.  Messages name the `table` and the row,
    if that says so, or where the rows `lie`.  Raises UndefinedColumn when a column did not come.
    """
    came = dict(zip(names, columns, strict=True))
    values: list[pa.Array] = []
    failures: list[RowErrors | None] = []
    unread = frozenset[str]() if table is None else frozenset(table.excluded)
    for column in schema:
        if column.name in unread:
            values.append(pa.nulls(len(diffs), column.type.arrow))
            failures.append(None)
            continue
        if column.name not in came:
            raise UndefinedColumn(f'the table upstream has no column "{column.name}" any more')
        value, errors = _read(came[column.name], column)
        values.append(value)
        failures.append(errors)
    failed = merge_errors(failures)
    if failed is None:
        return Changes(tuple(values), diffs), NO_ERROR_CHANGES
    good = np.flatnonzero(~error_mask(failed, len(diffs)))
    messages = failed.messages
    if table is not None and table.names_rows:
        messages = _of_rows(table, values, schema, failed.indices, messages)
    if lie is not None:
        numbers = pa.array(lie.numbers[failed.indices]).cast(pa.string())
        messages = pc.binary_join_element_wise(f'file "{lie.file}", row ', numbers, ": ", messages, "")
    errs = Changes((failed.sqlstates, messages), diffs[failed.indices])
    return Changes(buffers.take(values, good), diffs[good]), errs


def _of_rows(
    table: TableThere[Any], values: Sequence[pa.Array], schema: Schema, failed: Indices, messages: pa.Array
) -> pa.Array:
    """The messages with the table's name in front, and with the primary key of each row where all of it is read."""
    prefix: list[pa.Array | str] = [f"table {table.reference}"]
    if table.key and set(table.key) <= set(schema.names) - set(table.excluded):
        for place, name in enumerate(table.key):
            index = schema.names.index(name)
            shown = to_text(buffers.take([values[index]], failed)[0], schema[index].type)
            prefix += [f"{', ' if place else ', row with '}{name} = ", pc.fill_null(shown, "?")]
    return pc.binary_join_element_wise(*prefix, ": ", messages, "")


def _read(came: pa.Array | Ready, column: Column) -> tuple[pa.Array, RowErrors | None]:
    """The values of one column, and what keeps those of some rows from being read: the first reason of each."""
    found: list[RowErrors | None]
    if isinstance(came, Ready):
        raw = values = came.values
        found = []
    else:
        raw, bad = came, _not_utf8(came)
        read = read_text(with_nulls(raw, bad).cast(pa.string()), column.type)
        values = read.values
        found = [same_error(bad, "22021", 'invalid byte sequence for encoding "UTF8"'), read.errors]
    if raw.null_count and not column.nullable:
        # Nobody says that a constraint was dropped upstream.
        null = np.flatnonzero(~present(raw))
        found.append(
            same_error(null, "23502", f'null value in column "{column.name}" violates not-null constraint')
        )
    errors = merge_errors(found)
    if errors is None:
        return values, None
    messages = pc.binary_join_element_wise(f'column "{column.name}": ', errors.messages, "")
    return values, RowErrors(errors.indices, errors.sqlstates, messages)


def _not_utf8(raw: pa.Array) -> Indices:
    """Which values are not UTF-8; hardly ever any."""
    found: list[int] = []
    pending = [(0, len(raw))]
    while pending:
        low, high = pending.pop()
        if low >= high or _is_utf8(raw.slice(low, high - low)):
            continue
        if high - low == 1:
            found.append(low)
        else:
            middle = (low + high) // 2
            pending += [(low, middle), (middle, high)]
    return np.array(sorted(found), np.int64)


def _is_utf8(raw: pa.Array) -> bool:
    if raw.type == pa.string():
        return True
    try:
        raw.cast(pa.string())
    except pa.ArrowInvalid:
        return False
    return True
