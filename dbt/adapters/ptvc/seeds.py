"""A seed's rows: into a table through COPY, and compared with what a table holds.

A comparison is by value, as multisets of rows: order does not count.  Numbers, booleans and texts are compared here; of
any other type (documents, arrays, instants, intervals) it is the server that says how a value is written, of what the
table holds and of what the seed says alike.  A value that the server refuses counts as different: COPY will say why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import psycopg
from psycopg.sql import Literal

Rows = Sequence[tuple[Any, ...]]

_BOOLEANS = {"t": True, "true": True, "f": False, "false": False}
_NUMERIC = 1700
_COMPARED_HERE = {16, 20, 21, 23, 25, 700, 701, 1043}
"""boolean, bigint, smallint, integer, text, real, double precision, varchar."""
_BPCHAR = 1042


def copy_value(value: Any) -> Any:
    """A value as COPY's text takes it for any type of column: no exponents, and instants in UTC."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    return value


def difference(
    cursor: psycopg.Cursor[Any],
    commented: Callable[[str], str],
    table: str,
    types: Mapping[str, str],
    columns: Sequence[Sequence[Any]],
) -> str:
    """`columns`, `rows` or `none`: where `table` differs from a seed of these `columns`, whose `types` are by quoted name.
    `commented` is a query as dbt sends it."""
    wanted = ", ".join(f"cast(null as {type_}) as {name}" for name, type_ in types.items())
    # Types are compared as the server describes them, since each has several names.
    cursor.execute(commented(f"select {wanted}"))
    described = _description(cursor)
    cursor.execute(commented(f"select * from {table} where false"))
    if _description(cursor) != described:
        return "columns"
    shown, values = [], []
    for (name, type_), (_, oid, modifier), column in zip(types.items(), described, columns, strict=True):
        here = oid in _COMPARED_HERE or (oid == _NUMERIC and modifier == -1)
        shown.append(name if here else f"cast({name} as text)")
        if oid == _BPCHAR:  # blanks at the end do not count, and a cast would cut a text that COPY refuses
            values.append(
                [value if value is None else str(copy_value(value)).rstrip(" ") for value in column]
            )
        elif here:
            values.append(list(column))
        else:
            written = _as_written(cursor, commented, type_, column)
            if written is None:
                return "rows"
            values.append(written)
    count = len(columns[0]) if columns else 0
    cursor.execute(commented(f"select {', '.join(shown)} from {table} limit {count + 1}"))
    return "none" if same_rows(cursor.fetchall(), values) else "rows"


def _as_written(
    cursor: psycopg.Cursor[Any], commented: Callable[[str], str], type_: str, column: Iterable[Any]
) -> list[str | None] | None:
    """The values as the server writes those of that type; None when one of them is none of it."""
    texts = [None if value is None else str(copy_value(value)) for value in column]
    distinct = sorted({text for text in texts if text is not None})
    # A literal, since the comment that dbt adds may have the sign of a parameter in it.
    listed = Literal(distinct).as_string(cursor)
    query = (
        f"select cast(cast(seed.value as {type_}) as text) "
        f"from unnest(cast({listed} as text[])) with ordinality as seed(value, position) order by seed.position"
    )
    try:
        cursor.execute(commented(query))
    except (psycopg.DataError, psycopg.NotSupportedError, psycopg.errors.CannotCoerce):
        return None
    written = dict(zip(distinct, (row[0] for row in cursor.fetchall()), strict=True))
    return [None if text is None else written[text] for text in texts]


def _description(cursor: psycopg.Cursor[Any]) -> list[tuple[bytes | None, int, int]]:
    """Names, types and type modifiers of a result's columns."""
    result = cursor.pgresult
    assert result is not None
    return [(result.fname(i), result.ftype(i), result.fmod(i)) for i in range(result.nfields)]


def same_rows(stored: Rows, columns: Sequence[Iterable[Any]]) -> bool:
    """Whether a table's rows are those of the seed, whose `columns` hold values or their texts."""
    wanted = []
    for index, values in enumerate(columns):
        example = next((row[index] for row in stored if row[index] is not None), None)
        convert = _converter(example)
        try:
            wanted.append([None if value is None else convert(value) for value in values])
        except (ValueError, KeyError, InvalidOperation):
            return False  # not a value of the column's type: COPY will say so
    return Counter(stored) == Counter(zip(*wanted, strict=True))


def _converter(example: Any) -> Callable[[Any], Any]:
    """How a seed's value becomes one like `example`, which the server returned for the column."""
    kind = type(example)
    if kind is bool:
        return lambda value: value if isinstance(value, bool) else _BOOLEANS[str(value).lower()]
    if kind in (int, float, Decimal, str):
        return lambda value: kind(copy_value(value))
    return lambda value: value
