"""Rows that occur absurdly often are refused, never counted wrong."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import errors

Db = psycopg.Connection[Any]


def count(db: Db, sql: str) -> int:
    row = db.execute(sql).fetchone()  # type: ignore[arg-type]
    assert row is not None
    return int(row[0])


def cross(factors: int) -> str:
    return "SELECT count(*) FROM " + ", ".join(f"ten v{i}" for i in range(factors))


def test_a_cross_join_of_equal_rows(db: Db) -> None:
    db.execute("CREATE TABLE ten (a int)")
    db.execute("INSERT INTO ten SELECT 1 FROM generate_series(1, 10)")
    assert count(db, cross(12)) == 10**12
    with pytest.raises(errors.ProgramLimitExceeded):
        db.execute(cross(19))
    with pytest.raises(errors.ProgramLimitExceeded):
        db.execute(cross(20))


def test_a_recursion_that_only_multiplies(db: Db) -> None:
    with pytest.raises(errors.ProgramLimitExceeded):
        db.execute(
            "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT r.n FROM r, generate_series(1, 10)) SELECT count(*) FROM r"
        )


@pytest.mark.parametrize("index", ["", "CREATE INDEX doubled_a ON doubled (a)"])
def test_a_table_that_is_doubled(db: Db, index: str) -> None:
    """It is refused in time: what is there can be counted and deleted."""
    db.execute("DROP TABLE IF EXISTS doubled")
    db.execute("CREATE TABLE doubled (a int)")
    db.execute(index.encode())
    db.execute("INSERT INTO doubled VALUES (1)")
    for _ in range(40):
        db.execute("INSERT INTO doubled SELECT * FROM doubled")
    db.execute("INSERT INTO doubled SELECT * FROM doubled")  # 2^40 at once is the most
    with pytest.raises(errors.ProgramLimitExceeded):
        db.execute("INSERT INTO doubled SELECT * FROM doubled")
    assert count(db, "SELECT count(*) FROM doubled") == 2**41
    db.execute("DELETE FROM doubled")
    assert count(db, "SELECT count(*) FROM doubled") == 0
