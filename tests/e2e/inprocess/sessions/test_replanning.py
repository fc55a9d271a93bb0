"""Statements whose relations are dropped, or swapped, between planning and reading: planned again, whatever they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from inprocess import eventually, rows
from psycopg import errors
from ptvc.coord.session.execution import Execution

Db = psycopg.Connection[tuple[Any, ...]]
SWAP = "BEGIN; DROP TABLE a; ALTER TABLE b RENAME TO a; COMMIT"


@pytest.fixture
def tables(db: Db) -> None:
    """`a` is going to be replaced by `b`."""
    db.execute("CREATE TABLE a (n int); INSERT INTO a VALUES (1)")
    db.execute("CREATE TABLE b (n int); INSERT INTO b VALUES (2), (3)")
    db.execute("CREATE TABLE t (n int); INSERT INTO t VALUES (2)")


@pytest.fixture
def between(other: Db, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Has another session execute something when a statement that begins so was planned, and not before."""

    def arrange(beginning: str, then: str) -> None:
        run, done = Execution._run, []

        async def patched(self: Execution, statement: Any, *rest: Any) -> Any:
            if statement.sql.startswith(beginning) and not done:
                done.append(True)
                await asyncio.to_thread(other.execute, then)  # type: ignore[arg-type]
            return await run(self, statement, *rest)

        monkeypatch.setattr(Execution, "_run", patched)

    return arrange


def copied(db: Db, statement: str) -> list[str]:
    with db.cursor().copy(statement) as copy:  # type: ignore[arg-type]
        return sorted(bytes(piece).decode().strip() for piece in copy)


def test_a_query(db: Db, tables: None, between: Callable[[str, str], None]) -> None:
    between("SELECT", SWAP)
    assert rows(db, "SELECT n FROM a ORDER BY n") == [(2,), (3,)]


@pytest.mark.parametrize("statement", ["COPY a TO STDOUT", "COPY (SELECT n FROM a) TO STDOUT"])
def test_copy_to(db: Db, tables: None, between: Callable[[str, str], None], statement: str) -> None:
    between("COPY", SWAP)
    assert copied(db, statement) == ["2", "3"]


CHANGES = {
    "INSERT INTO t SELECT n + 10 FROM a": [2, 12, 13],
    "UPDATE t SET n = 20 FROM a WHERE a.n = t.n": [20],
    "DELETE FROM t USING a WHERE a.n = t.n": [],
    "MERGE INTO t USING a ON a.n = t.n WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (a.n)": [
        3
    ],
}


@pytest.mark.parametrize("statement", CHANGES)
@pytest.mark.parametrize("block", [False, True])
def test_a_change(
    db: Db, tables: None, between: Callable[[str, str], None], statement: str, block: bool
) -> None:
    between(statement[:6], SWAP)
    if block:
        db.execute("BEGIN")
    db.execute(statement)  # type: ignore[call-overload]
    if block:
        db.execute("COMMIT")
    assert [n for (n,) in rows(db, "SELECT n FROM t ORDER BY n")] == CHANGES[statement]


@pytest.mark.parametrize(
    "statement", ["INSERT INTO a VALUES (7)", "UPDATE a SET n = 7 WHERE n = 2", "TRUNCATE a"]
)
def test_a_table_that_is_written_to(
    db: Db, tables: None, between: Callable[[str, str], None], statement: str
) -> None:
    between(statement.split()[0], SWAP)
    db.execute(statement)  # type: ignore[call-overload]
    expected = {"INSERT": [2, 3, 7], "UPDATE": [3, 7], "TRUNCATE": []}[statement.split()[0]]
    assert [n for (n,) in rows(db, "SELECT n FROM a ORDER BY n")] == expected


def test_rows_that_a_client_has_sent_are_not_asked_for_again(db: Db, other: Db, tables: None) -> None:
    def copy() -> None:
        with db.cursor().copy("COPY a FROM STDIN") as stream:
            other.execute(SWAP)
            stream.write("7\n")

    with pytest.raises(errors.UndefinedTable):
        copy()
    assert rows(db, "SELECT n FROM a ORDER BY n") == [(2,), (3,)]


def test_a_query_that_is_analyzed(db: Db, tables: None, between: Callable[[str, str], None]) -> None:
    between("EXPLAIN", SWAP)
    assert "Rows: 2" in "\n".join(line for (line,) in rows(db, "EXPLAIN ANALYZE SELECT n FROM a"))


@pytest.mark.parametrize("hold", [False, True])
def test_a_cursor_has_the_rows_of_its_declaration(db: Db, other: Db, tables: None, hold: bool) -> None:
    db.execute("BEGIN")
    db.execute(f"DECLARE c CURSOR {'WITH HOLD' if hold else ''} FOR SELECT n FROM a ORDER BY n")
    other.execute("INSERT INTO b VALUES (4)")
    other.execute(SWAP)
    if hold:
        db.execute("COMMIT")
    assert rows(db, "FETCH ALL FROM c") == [(2,), (3,)], "of the table that has the name now, as of then"


def test_a_cursor_does_not_take_a_younger_table_for_an_empty_one(db: Db, other: Db, tables: None) -> None:
    db.execute("BEGIN; DECLARE c CURSOR FOR SELECT n FROM a")
    eventually(lambda: rows(other, "SELECT mz_now()") != rows(db, "SELECT mz_now()"))
    other.execute("DROP TABLE b; CREATE TABLE b AS SELECT 9 AS n")
    other.execute(SWAP)
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match="is younger"):
        db.execute("FETCH ALL FROM c")


def test_a_cursor_s_names_mean_what_they_meant(db: Db, other: Db, tables: None, schema: str) -> None:
    other.execute(f"CREATE SCHEMA {schema}_2; CREATE TABLE {schema}_2.a (n int)")
    db.execute("BEGIN; DECLARE c CURSOR FOR SELECT n FROM a")
    other.execute("DROP TABLE a")
    db.execute(f"SET LOCAL search_path = {schema}_2")
    with pytest.raises(errors.UndefinedTable):
        db.execute("FETCH ALL FROM c")
    other.execute(f"DROP SCHEMA {schema}_2 CASCADE")


def test_what_is_gone_is_said(db: Db, tables: None, between: Callable[[str, str], None]) -> None:
    between("INSERT", "DROP TABLE a")
    with pytest.raises(errors.UndefinedTable, match='relation "a" does not exist'):
        db.execute("INSERT INTO t SELECT n FROM a")
    assert rows(db, "SELECT n FROM t") == [(2,)]
