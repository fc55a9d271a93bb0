"""What scripts run against: a connection whose rows come as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from .script import Row


@dataclass(frozen=True, slots=True)
class Failure:
    """A statement's error."""

    sqlstate: str
    message: str

    def __str__(self) -> str:
        return f"{self.sqlstate} {self.message}"


def run(connection: psycopg.Connection[Any], sql: str) -> list[Row] | Failure:
    """The statement's rows, each value as the text that the server sent; none for a statement without rows."""
    try:
        cursor = connection.execute(sql)  # type: ignore[arg-type]
    except psycopg.Error as error:
        return Failure(error.sqlstate or "", error.diag.message_primary or str(error))
    result = cursor.pgresult
    assert result is not None
    return [
        tuple(_text(result.get_value(row, column)) for column in range(result.nfields))
        for row in range(result.ntuples)
    ]


def rows(connection: psycopg.Connection[Any], sql: str) -> list[Row]:
    found = run(connection, sql)
    assert not isinstance(found, Failure), f"{found}\n{sql}"
    return found


def _text(value: bytes | None) -> str | None:
    return None if value is None else bytes(value).decode()
