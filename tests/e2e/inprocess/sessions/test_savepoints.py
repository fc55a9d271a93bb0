"""Savepoints: what a block wrote since is gone, what it wrote before is kept."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows
from psycopg import errors

from ..side_by_side import compare, script

Db = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def t(db: Db) -> str:
    db.execute("CREATE TABLE t (a int, b text)")
    return "t"


def all_of(db: Db) -> list[tuple[Any, ...]]:
    return rows(db, "SELECT a, b FROM t ORDER BY a, b")


def test_as_in_postgres(db: Db, oracle: Db) -> None:
    compare(db, oracle, script("savepoints"))


@pytest.fixture
def theirs(oracle: Db, schema: str) -> Iterator[Db]:
    oracle.execute(f"CREATE SCHEMA {schema}")
    oracle.execute(f"SET search_path TO {schema}")
    yield oracle
    oracle.execute(f"DROP SCHEMA {schema} CASCADE")


@pytest.mark.parametrize("seed", range(6))
def test_random_blocks(db: Db, theirs: Db, seed: int) -> None:
    """Any order of writes, errors, savepoints of few names, ways back and releases, in two tables with keys."""
    random = Random(seed)
    script = ["CREATE TABLE x (id int PRIMARY KEY, n int)", "CREATE TABLE y (id int UNIQUE, n int)"]
    for _ in range(12):
        script.append("BEGIN")
        for _ in range(random.randint(4, 14)):
            table, name, key = random.choice("xy"), random.choice("pqr"), random.randint(0, 9)
            script.append(
                random.choice(
                    (
                        f"SAVEPOINT {name}",
                        f"SAVEPOINT {name}",
                        f"ROLLBACK TO {name}",
                        f"ROLLBACK TO {name}",
                        f"RELEASE {name}",
                        f"INSERT INTO {table} VALUES ({key}, {key})",
                        f"INSERT INTO {table} SELECT id + 3, n FROM {table} WHERE id < {key}",
                        f"INSERT INTO {table} VALUES ({key}, 1) ON CONFLICT (id) DO UPDATE SET n = {table}.n + 1",
                        f"UPDATE {table} SET n = n + 1 WHERE id > {key}",
                        f"UPDATE {table} SET id = id + 20 WHERE id = {key}",
                        f"DELETE FROM {table} WHERE id = {key}",
                        "SELECT id, n FROM x UNION ALL SELECT id + 100, n FROM y ORDER BY 1",
                    )
                )
            )
        script.append(random.choice(("COMMIT", "COMMIT", "COMMIT", "ROLLBACK")))
        script.append("SELECT id, n FROM x UNION ALL SELECT id + 100, n FROM y ORDER BY 1")
    compare(db, theirs, script)


def test_nested_transactions_of_psycopg(db: Db, other: Db, t: str) -> None:
    with db.transaction():
        db.execute("INSERT INTO t VALUES (1, 'outer')")
        with pytest.raises(errors.DivisionByZero), db.transaction():  # noqa: PT012
            db.execute("INSERT INTO t VALUES (2, 'inner')")
            db.execute("SELECT 1 / 0")
        with db.transaction():
            db.execute("INSERT INTO t VALUES (3, 'inner')")
            with db.transaction(force_rollback=True):
                db.execute("UPDATE t SET b = 'innermost'")
                assert len(rows(db, "SELECT * FROM t WHERE b = 'innermost'")) == 2
        with db.transaction("named") as inner:
            db.execute("DELETE FROM t")
            raise psycopg.Rollback(inner)
        assert all_of(other) == []
    assert all_of(other) == [(1, "outer"), (3, "inner")]


def test_nested_transactions_in_a_pipeline(db: Db, t: str) -> None:
    with db.pipeline(), db.transaction():
        db.execute("INSERT INTO t VALUES (1, 'x')")
        with db.transaction(force_rollback=True):
            db.execute("INSERT INTO t VALUES (2, 'y')")
        with db.transaction():
            db.execute("INSERT INTO t VALUES (3, 'z')")
    assert all_of(db) == [(1, "x"), (3, "z")]


def test_copy(db: Db, t: str) -> None:
    db.execute("BEGIN")
    with db.cursor().copy("COPY t FROM STDIN") as copy:
        copy.write_row((1, "kept"))
    db.execute("SAVEPOINT s")
    with db.cursor().copy("COPY t FROM STDIN") as copy:
        copy.write_row((2, "gone"))
    assert len(all_of(db)) == 2
    db.execute("ROLLBACK TO s")
    with pytest.raises(errors.InvalidTextRepresentation), db.cursor().copy("COPY t FROM STDIN") as copy:
        copy.write("3\tgone\nnonsense\tgone\n")
    with pytest.raises(errors.InFailedSqlTransaction):
        db.execute("SELECT 1")
    db.execute("ROLLBACK TO s")
    with db.cursor().copy("COPY t FROM STDIN") as copy:
        copy.write_row((4, "kept"))
    with db.cursor().copy("COPY (SELECT a FROM t ORDER BY a) TO STDOUT") as copy:
        assert list(copy.rows()) == [("1",), ("4",)]
    db.execute("COMMIT")
    assert all_of(db) == [(1, "kept"), (4, "kept")]


def test_keys_that_others_take_meanwhile(db: Db, other: Db) -> None:
    db.execute("CREATE TABLE k (id int PRIMARY KEY)")
    db.execute("BEGIN")
    db.execute("INSERT INTO k VALUES (1)")
    db.execute("SAVEPOINT s")
    db.execute("INSERT INTO k VALUES (2)")
    other.execute("INSERT INTO k VALUES (2)")
    db.execute("ROLLBACK TO s")
    db.execute("COMMIT")  # 2 is not written any more
    db.execute("BEGIN")
    db.execute("SAVEPOINT s")
    db.execute("INSERT INTO k VALUES (3)")
    other.execute("INSERT INTO k VALUES (3)")
    db.execute("RELEASE s")
    with pytest.raises(errors.UniqueViolation):
        db.execute("COMMIT")
    assert rows(db, "SELECT id FROM k ORDER BY id") == [(1,), (2,), (3,)]


def test_what_was_rolled_back_is_not_checked_for_conflicts(db: Db, other: Db, t: str) -> None:
    db.execute("CREATE TABLE u (a int)")
    db.execute("INSERT INTO t VALUES (1, 'x')")
    db.execute("BEGIN")
    db.execute("INSERT INTO u VALUES (1)")
    db.execute("SAVEPOINT s")
    db.execute("UPDATE t SET a = a + 1")
    other.execute("UPDATE t SET a = a + 10")
    db.execute("ROLLBACK TO s")
    db.execute("COMMIT")
    assert rows(db, "SELECT a FROM u") == [(1,)]
    db.execute("BEGIN")
    db.execute("UPDATE t SET a = a + 1")
    db.execute("SAVEPOINT s")
    other.execute("UPDATE t SET a = a + 10")
    db.execute("ROLLBACK TO s")
    with pytest.raises(errors.SerializationFailure):
        db.execute("COMMIT")
    assert rows(db, "SELECT a FROM t") == [(21,)]


def test_reads_stay_at_the_block_s_time(db: Db, other: Db, t: str) -> None:
    db.execute("BEGIN")
    db.execute("SAVEPOINT s")
    assert all_of(db) == []
    other.execute("INSERT INTO t VALUES (1, 'x')")
    db.execute("ROLLBACK TO s")
    assert all_of(db) == []
    db.execute("COMMIT")
    assert all_of(db) == [(1, "x")]


def test_own_writes_through_views(db: Db, t: str) -> None:
    db.execute("CREATE VIEW n AS SELECT count(*) FROM t")
    with db.transaction():
        db.execute("INSERT INTO t VALUES (1, 'x')")
        db.execute("SAVEPOINT s")
        db.execute("INSERT INTO t VALUES (2, 'y')")
        assert rows(db, "SELECT * FROM n") == [(2,)]
        db.execute("ROLLBACK TO s")
        assert rows(db, "SELECT * FROM n") == [(1,)]


def test_a_changed_table(db: Db, other: Db, t: str) -> None:
    """What was written under the old definition is refused, unless it was rolled back."""
    db.execute("BEGIN")
    db.execute("SAVEPOINT s")
    db.execute("INSERT INTO t VALUES (1, 'x')")
    other.execute("ALTER TABLE t ADD COLUMN c int DEFAULT 7")
    db.execute("ROLLBACK TO s")
    db.execute("INSERT INTO t (a) VALUES (2)")
    db.execute("COMMIT")
    assert rows(db, "SELECT a, c FROM t") == [(2, 7)]


def test_a_canceled_statement(db: Db, t: str) -> None:
    db.execute("BEGIN")
    db.execute("INSERT INTO t SELECT g, 'x' FROM generate_series(1, 150) AS g")
    db.execute("SET LOCAL statement_timeout = '30ms'")
    db.execute("SAVEPOINT s")
    with pytest.raises(errors.QueryCanceled):
        db.execute("SELECT count(*) FROM t a, t b, t c WHERE a.a + b.a + c.a = 7")
    db.execute("ROLLBACK TO s")
    db.execute("SET LOCAL statement_timeout = 0")
    assert rows(db, "SELECT count(*) FROM t") == [(150,)]
    db.execute("COMMIT")


def test_many_savepoints(runtime: InProcess, db: Db, t: str) -> None:
    """Savepoint by savepoint, as loops over `with connection.transaction()` make them."""
    with db.transaction():
        for i in range(100):
            with db.transaction(force_rollback=i % 2 == 1):
                db.execute("INSERT INTO t VALUES (%s, 'x')", (i,))
    assert [a for a, _ in all_of(db)] == list(range(0, 100, 2))
