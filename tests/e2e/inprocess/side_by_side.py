"""The same script against a runtime and against PostgreSQL: what a client sees of both, statement by statement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg

DATA = Path(__file__).parent / "testdata"


def script(name: str) -> list[str]:
    """The Query messages of a file of testdata, each ended by `;;`; a line that begins with `--` is a remark."""
    lines = (DATA / f"{name}.sql").read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("--"))
    return [message.strip() for message in text.split(";;") if message.strip()]


def outcomes(connection: psycopg.Connection[Any], messages: list[str]) -> list[tuple[Any, ...]]:
    """Of each message, the tags and rows of its statements, or SQLSTATE, text and position of its error, and what
    state the transaction is in afterwards."""
    found: list[tuple[Any, ...]] = []
    for message in messages:
        results: list[Any] = []
        try:
            cursor = connection.execute(message, prepare=False)  # type: ignore[arg-type]
            while True:
                results.append((cursor.statusmessage, cursor.fetchall() if cursor.description else None))
                if not cursor.nextset():
                    break
        except psycopg.Error as error:
            results.append((error.sqlstate, error.diag.message_primary, error.diag.statement_position))
        found.append((message, connection.info.transaction_status.name, *results))
    return found


def compare(ours: psycopg.Connection[Any], theirs: psycopg.Connection[Any], messages: list[str]) -> None:
    """Each is in autocommit, and in a schema of its own; what looks into catalogs, in a database of its own (`empty_database`)."""
    pairs = zip(outcomes(ours, messages), outcomes(theirs, messages), strict=True)
    differences = [f"ours   {found}\ntheirs {expected}" for found, expected in pairs if found != expected]
    assert not differences, "\n".join(differences)
