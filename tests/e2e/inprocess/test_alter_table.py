"""ALTER TABLE under views that go on, beside writers, and after a restart."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows, running
from psycopg import errors


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


@pytest.fixture
def db(runtime: InProcess) -> Iterator[psycopg.Connection[Any]]:
    with runtime.connect() as connection:
        connection.execute("CREATE SCHEMA a")
        connection.execute("SET search_path = a")
        yield connection
        connection.execute("DROP SCHEMA a CASCADE")


def test_views_go_on_over_renamed_columns(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE t (a int, b text, CHECK (length(b) < 10 AND b::text <> 'b'))")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT b, count(*) FROM t GROUP BY b")
    db.execute("CREATE VIEW v AS SELECT * FROM t")
    db.execute("CREATE INDEX i ON t (a)")
    db.execute("INSERT INTO t VALUES (1, 'x')")
    db.execute("ALTER TABLE t RENAME COLUMN b TO length")
    db.execute("ALTER TABLE t RENAME TO s")
    db.execute("INSERT INTO s (length, a) VALUES ('x', 2)")
    assert rows(db, "SELECT * FROM m") == [("x", 2)]
    assert rows(db, "SELECT b FROM v WHERE a = 2") == [("x",)]
    assert rows(db, "SELECT length FROM s WHERE a = 1") == [("x",)]
    ((_, sql),) = rows(db, "SHOW CREATE TABLE s")
    assert sql == (
        "CREATE TABLE a.s (a integer, length text, CONSTRAINT t_check CHECK"
        " ((length(length) < 10 AND length::text <> 'b')))"
    ).replace("t_check", "t_b_check")
    db.execute("ALTER VIEW v RENAME COLUMN b TO bb")
    assert rows(db, "SELECT bb FROM v WHERE a = 2") == [("x",)]


def test_not_null_stays_where_views_rely_on_it(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE t (a int NOT NULL)")
    db.execute("CREATE VIEW v AS SELECT a FROM t")
    with pytest.raises(errors.FeatureNotSupported, match=r'"a\.v" rely on it'):
        db.execute("ALTER TABLE t ALTER a DROP NOT NULL")
    db.execute("DROP VIEW v")
    db.execute("ALTER TABLE t ALTER a DROP NOT NULL")
    db.execute("INSERT INTO t VALUES (NULL)")


def test_a_block_that_began_before_fails(runtime: InProcess, db: psycopg.Connection[Any]) -> None:
    """Its rows were checked against other constraints."""
    db.execute("CREATE TABLE t (a int)")
    with runtime.connect() as other:
        other.execute("BEGIN")
        other.execute("INSERT INTO a.t VALUES (-1)")
        db.execute("ALTER TABLE t ADD CHECK (a > 0)")
        with pytest.raises(errors.SerializationFailure):
            other.execute("COMMIT")
    assert rows(db, "SELECT * FROM t") == []


def test_constraints_added_beside_writers_hold(runtime: InProcess, db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE t (a int, b int)")
    stop = threading.Event()
    unexpected: list[Exception] = []

    def write(number: int) -> None:
        with runtime.connect() as connection:
            for i in range(10_000):
                if stop.is_set():
                    return
                try:
                    connection.execute("INSERT INTO a.t VALUES (%s, %s)", (i % 50, number))
                except (errors.UniqueViolation, errors.SerializationFailure):
                    pass
                except psycopg.Error as error:
                    unexpected.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            try:
                db.execute("DELETE FROM t")
                db.execute("ALTER TABLE t ADD CONSTRAINT u UNIQUE (a)")
            except (errors.UniqueViolation, errors.SerializationFailure):
                continue
            assert rows(db, "SELECT count(*) = count(DISTINCT a) FROM t") == [(True,)]
            db.execute("ALTER TABLE t DROP CONSTRAINT u")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert unexpected == []


def test_definitions_are_durable() -> None:
    with running() as runtime:
        runtime.query("CREATE TABLE t (a int DEFAULT 1, b text)")
        runtime.query("INSERT INTO t VALUES (1, 'x')")
        runtime.query(
            "ALTER TABLE t ADD CONSTRAINT k UNIQUE (b), ALTER b SET NOT NULL, ALTER a SET DEFAULT 2"
        )
        runtime.query("ALTER TABLE t RENAME b TO c")
        runtime.stop()
        runtime.start()
        with pytest.raises(errors.UniqueViolation):
            runtime.query("INSERT INTO t (c) VALUES ('x')")
        with pytest.raises(errors.NotNullViolation):
            runtime.query("INSERT INTO t (c) VALUES (NULL)")
        runtime.query("INSERT INTO t (c) VALUES ('y')")
        assert runtime.query("SELECT a, c FROM t ORDER BY a") == [(1, "x"), (2, "y")]
