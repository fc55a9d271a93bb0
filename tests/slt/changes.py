"""A seeded series of changes to the tables of a script, which every SQL database understands alike.

Rows are drawn from what the tables hold: new ones take each column from any row, NULL here and there; some are changed in one
column, some deleted, some doubled.  A statement that breaks a constraint fails on every subject, and changes nothing.
`restored` leads back to the contents that there were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import psycopg

from .script import Row
from .subjects import rows

_TABLES = (
    "SELECT table_name FROM information_schema.tables"
    " WHERE table_schema = 'slt' AND table_type = 'BASE TABLE' ORDER BY table_name"
)


@dataclass(frozen=True, slots=True)
class Contents:
    """The rows of a table, as text; `columns` are quoted names."""

    table: str
    columns: tuple[str, ...]
    rows: Counter[Row]


def contents(connection: psycopg.Connection[Any]) -> list[Contents]:
    """What the tables of schema slt hold, by name."""
    return [_contents(connection, str(name)) for (name,) in rows(connection, _TABLES)]


def _contents(connection: psycopg.Connection[Any], name: str) -> Contents:
    table = _quoted(name)
    cursor = connection.execute(f"SELECT * FROM slt.{table}")  # type: ignore[arg-type]
    assert cursor.description is not None
    columns = tuple(_quoted(column.name) for column in cursor.description)
    return Contents(table, columns, Counter(rows(connection, f"SELECT * FROM slt.{table}")))


def series(before: list[Contents], random: Random) -> Iterator[list[str]]:
    """Two rounds of statements: what is inserted; what is updated and deleted."""
    changing = [table for table in before if table.rows and table.columns]
    yield [_insert(table.table, _drawn(table, random)) for table in changing]
    yield [sql for table in changing for sql in _updates_and_deletes(table, random)]


def restored(before: list[Contents], now: list[Contents]) -> Iterator[str]:
    """Statements that lead from `now` to `before`: deletes first, so that no key is there twice on the way."""
    again = []
    for old, new in zip(before, now, strict=True):
        wrong = sorted((row for row in new.rows | old.rows if new.rows[row] != old.rows[row]), key=_order)
        if gone := [row for row in wrong if new.rows[row]]:
            yield f"DELETE FROM {old.table} WHERE {_any_of(old, gone)}"
        again += [(old.table, [row for row in wrong for _ in range(old.rows[row])])]
    yield from (_insert(table, missing) for table, missing in again if missing)


def _drawn(table: Contents, random: Random) -> list[Row]:
    """Three new rows, and one that there is already."""
    there = sorted(table.rows, key=_order)
    made: list[Row] = [random.choice(there)]
    for _ in range(3):
        picked = (random.choice(there)[i] for i in range(len(table.columns)))
        made.append(tuple(None if random.random() < 0.08 else _near(value, random) for value in picked))
    return made


def _near(value: str | None, random: Random) -> str | None:
    """The value, or for an integer one beside it: so keys are new ones now and then."""
    if value is None or not value.lstrip("-").isdigit() or random.random() < 0.4:
        return value
    return str(int(value) + random.randint(-1, 12))


def _updates_and_deletes(table: Contents, random: Random) -> Iterator[str]:
    there = sorted(table.rows, key=_order)
    for row in random.sample(there, min(2, len(there))):
        column = random.randrange(len(table.columns))
        value = _near(random.choice(there)[column], random)
        yield f"UPDATE {table.table} SET {table.columns[column]} = {_literal(value)} WHERE {_any_of(table, [row])}"
    gone = random.sample(there, max(1, len(there) // 4))
    yield f"DELETE FROM {table.table} WHERE {_any_of(table, gone)}"


def _insert(table: str, made: list[Row]) -> str:
    values = ", ".join(f"({', '.join(map(_literal, row))})" for row in made)
    return f"INSERT INTO {table} VALUES {values}"


def _any_of(table: Contents, some: list[Row]) -> str:
    return " OR ".join(f"({_match(table, row)})" for row in some)


def _match(table: Contents, row: Row) -> str:
    return " AND ".join(
        f"{column} IS NULL" if value is None else f"{column} = {_literal(value)}"
        for column, value in zip(table.columns, row, strict=True)
    )


def _order(row: Row) -> list[tuple[bool, str]]:
    return [(value is None, value or "") for value in row]


def _literal(value: str | None) -> str:
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
