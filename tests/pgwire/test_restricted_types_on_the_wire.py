"""Types with a declared length or precision through psycopg: parameters, results and COPY, in text and in binary."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time

import psycopg
import pytest
from inprocess import InProcess, running


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


AT = datetime(2024, 2, 29, 12, 34, 56, 789_500)


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_precision_of_clocks(runtime: InProcess, oracle: psycopg.Connection, binary: bool) -> None:
    """What comes in is rounded, however it comes; what goes out says how."""
    given = (AT, AT.replace(tzinfo=UTC), time(23, 59, 59, 950_000), [AT, None])
    form = "(FORMAT binary)" if binary else ""
    answers = []
    with runtime.connect() as ours:
        for connection in (ours, oracle):
            connection.execute("DROP TABLE IF EXISTS clocks")
            connection.execute("DROP TABLE IF EXISTS plain")
            connection.execute(
                "CREATE TABLE clocks (a timestamp(3), b timestamptz(0), c time(1), d timestamp(2)[])"
            )
            connection.execute("CREATE TABLE plain (a timestamp, b timestamptz, c time, d timestamp[])")
            signs = ", ".join(["%b" if binary else "%t"] * 4)
            cursor = connection.cursor(binary=binary)
            for table in ("clocks", "plain"):
                cursor.execute(f"INSERT INTO {table} VALUES ({signs})", given)  # type: ignore[arg-type]
            with cursor.copy(f"COPY plain (a, b) TO STDOUT {form}") as copy:  # type: ignore[arg-type]
                data = b"".join(copy)
            with cursor.copy(f"COPY clocks (a, b) FROM STDIN {form}") as copy:  # type: ignore[arg-type]
                copy.write(data)
            cursor.execute("SELECT a::text, b::text, c::text, d::text FROM clocks ORDER BY c NULLS LAST")
            rows = cursor.fetchall()
            result = cursor.execute("SELECT a, b, c, d FROM clocks").pgresult
            assert result is not None
            answers.append((rows, [(result.ftype(i), result.fmod(i)) for i in range(4)]))
            connection.execute("DROP TABLE clocks")
            connection.execute("DROP TABLE plain")
    assert answers[0] == answers[1]
