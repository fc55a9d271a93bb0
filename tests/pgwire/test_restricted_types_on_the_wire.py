"""Types with a declared length or precision through psycopg: parameters, results and COPY, in text and in binary."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time

import psycopg
import pytest
from inprocess import InProcess, eventually, running
from psycopg.types.json import Json


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


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_blanks_of_characters(runtime: InProcess, oracle: psycopg.Connection, binary: bool) -> None:
    """A char has its blanks on the wire, and what comes in needs none."""
    form = "(FORMAT binary)" if binary else ""
    sign = "%b" if binary else "%t"
    answers = []
    with runtime.connect() as ours:
        for connection in (ours, oracle):
            connection.execute("DROP TABLE IF EXISTS padded")
            connection.execute("CREATE TABLE padded (c char(4), b bpchar, v varchar(3), l char(2)[])")
            cursor = connection.cursor(binary=binary)
            cursor.execute(
                f"INSERT INTO padded VALUES ({sign}, {sign}, {sign}, {sign})",  # type: ignore[arg-type]
                ("äb", "x  ", "y ", ["z", None]),
            )
            with cursor.copy(f"COPY padded TO STDOUT {form}") as copy:  # type: ignore[arg-type]
                data = b"".join(copy)
            with cursor.copy(f"COPY padded FROM STDIN {form}") as copy:  # type: ignore[arg-type]
                copy.write(data)
            result = cursor.execute("SELECT * FROM padded").pgresult
            assert result is not None
            found = [[result.get_value(row, i) for i in range(4)] for row in range(2)]
            types = [(result.ftype(i), result.fmod(i)) for i in range(4)]
            cursor.execute(f"SELECT count(*) FROM padded WHERE c = {sign} AND b = {sign}", ("äb  ", "x"))  # type: ignore[arg-type]
            count = cursor.fetchone()
            states = []
            for values in (("abcde", None, None), (None, None, "wxyz")):
                with pytest.raises(psycopg.Error) as caught:
                    cursor.execute(f"INSERT INTO padded VALUES ({sign}, {sign}, {sign})", values)  # type: ignore[arg-type]
                states.append(caught.value.sqlstate)
            answers.append((data, found, types, count, states))
            connection.execute("DROP TABLE padded")
    assert answers[0] == answers[1]


def test_an_index_answers_for_a_character_column(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE keyed (c char(4), n int)")
        connection.execute("INSERT INTO keyed VALUES ('ab', 1), ('cd', 2)")
        connection.execute("CREATE INDEX ON keyed (c)")
        query = "SELECT n FROM keyed WHERE c = 'ab '"
        explain = f"EXPLAIN PHYSICAL PLAN FOR {query}"
        eventually(lambda: "keyed_c_idx" in str(connection.execute(explain).fetchone()))  # type: ignore[arg-type]
        assert connection.execute(query).fetchall() == [(1,)]
        assert connection.execute("SELECT n FROM keyed WHERE c = %s", ("ab",)).fetchall() == [(1,)]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_json_stays_as_it_was_written(runtime: InProcess, oracle: psycopg.Connection, binary: bool) -> None:
    form = "(FORMAT binary)" if binary else ""
    sign = "%b" if binary else "%t"
    answers = []
    with runtime.connect() as ours:
        for connection in (ours, oracle):
            connection.execute("DROP TABLE IF EXISTS written")
            connection.execute("CREATE TABLE written (j json, l json[])")
            cursor = connection.cursor(binary=binary)
            given = (Json({"b": [1, 2.50], "a": "ä"}), [Json([1]), None])
            cursor.execute(f"INSERT INTO written VALUES ({sign}, {sign}::json[])", given)  # type: ignore[arg-type]
            cursor.execute("INSERT INTO written VALUES (' { \"a\" :  1 }', '{}')")
            with cursor.copy(f"COPY written TO STDOUT {form}") as copy:  # type: ignore[arg-type]
                data = b"".join(copy)
            with cursor.copy(f"COPY written FROM STDIN {form}") as copy:  # type: ignore[arg-type]
                copy.write(data)
            result = cursor.execute("SELECT j, l FROM written ORDER BY j::text").pgresult
            assert result is not None
            found = [[result.get_value(row, i) for i in range(2)] for row in range(4)]
            with pytest.raises(psycopg.Error) as caught:
                cursor.execute(f"INSERT INTO written VALUES ({sign}::text::json)", ("{",))  # type: ignore[arg-type]
            answers.append(
                (sorted(data.splitlines()), found, [result.ftype(0), result.ftype(1)], caught.value.sqlstate)
            )
            connection.execute("DROP TABLE written")
    assert answers[0] == answers[1]
