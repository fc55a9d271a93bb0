"""ALTER TABLE under views that go on, beside writers, and after a restart."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, rows, running
from psycopg import errors
from ptvc.config import Settings
from ptvc.coord.catalog.items import Index, Table
from ptvc.expr.tree.scalar import ColumnRef


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
        " (length(length) < 10 AND length::text <> 'b'))"
    ).replace("t_check", "t_b_check")
    db.execute("ALTER VIEW v RENAME COLUMN b TO bb")
    assert rows(db, "SELECT bb FROM v WHERE a = 2") == [("x",)]


def test_columns_are_added_under_running_views(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE t (a int PRIMARY KEY, b text)")
    db.execute("CREATE INDEX i ON t (a)")
    db.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
    db.execute("CREATE VIEW v AS SELECT b, count(*) AS n FROM t GROUP BY b")
    db.execute("CREATE INDEX vi ON v (b)")
    assert rows(db, "SELECT * FROM v ORDER BY b") == [("x", 1), ("y", 1)]
    db.execute("ALTER TABLE t ADD COLUMN c int NOT NULL DEFAULT 7, ADD d text")
    db.execute("INSERT INTO t VALUES (3, 'y', 8, 'd')")
    db.execute("INSERT INTO t (a) VALUES (4)")
    assert rows(db, "SELECT * FROM t ORDER BY a") == [
        (1, "x", 7, None), (2, "y", 7, None), (3, "y", 8, "d"), (4, None, 7, None),
    ]  # fmt: skip
    assert rows(db, "SELECT * FROM m ORDER BY a") == [(1, "x"), (2, "y"), (3, "y"), (4, None)]
    assert rows(db, "SELECT * FROM v ORDER BY b") == [("x", 1), ("y", 2), (None, 1)]
    assert rows(db, "SELECT c FROM t WHERE a = 2") == [(7,)]
    db.execute("CREATE MATERIALIZED VIEW together AS SELECT t.a, c, n FROM t LEFT JOIN v ON v.b = t.b")
    db.execute("UPDATE t SET c = c + 1 WHERE b = 'y'")
    db.execute("DELETE FROM t WHERE a = 1")
    assert rows(db, "SELECT * FROM together ORDER BY a") == [(2, 8, 2), (3, 9, 2), (4, 7, None)]
    assert rows(db, "SELECT * FROM m ORDER BY a") == [(2, "y"), (3, "y"), (4, None)]


def test_added_columns_after_a_restart() -> None:
    with running() as runtime:
        runtime.query("CREATE TABLE t (a int, b text)")
        runtime.query("CREATE MATERIALIZED VIEW m AS SELECT b, count(*) AS n FROM t GROUP BY b")
        runtime.query("INSERT INTO t SELECT i, 'x' FROM generate_series(1, 3000) i")
        runtime.query("ALTER TABLE t ADD c numeric(6, 2) DEFAULT 1.25")
        runtime.query("INSERT INTO t VALUES (0, 'y', NULL)")
        runtime.query("ALTER TABLE t RENAME c TO cc")
        runtime.query("ALTER TABLE t RENAME b TO bb")
        for _ in range(2):
            runtime.stop()
            runtime.start()
            assert runtime.query("SELECT sum(cc), count(cc), count(*) FROM t") == [(3750, 3000, 3001)]
            assert runtime.query("SELECT * FROM m ORDER BY b") == [("x", 3000), ("y", 1)]
        runtime.query("ALTER TABLE t ADD d date DEFAULT '2020-02-02'")
        runtime.query("DELETE FROM t WHERE a > 1")
        assert runtime.query("SELECT a, bb, cc, d::text FROM t ORDER BY a") == [
            (0, "y", None, "2020-02-02"), (1, "x", Decimal("1.25"), "2020-02-02"),
        ]  # fmt: skip
        assert runtime.query("SELECT * FROM m ORDER BY b") == [("x", 1), ("y", 1)]


def test_columns_are_dropped(db: psycopg.Connection[Any]) -> None:
    """Indexes are built again, views that name the column go with CASCADE, what is maintained forbids it."""
    db.execute("CREATE TABLE t (a int PRIMARY KEY, b text, c int, d int)")
    db.execute("CREATE INDEX i ON t (c)")
    db.execute("CREATE INDEX ib ON t (b, c)")
    db.execute("INSERT INTO t SELECT i, i::text, i % 5, i FROM generate_series(1, 100) i")
    db.execute("CREATE VIEW v AS SELECT t.c, u.d FROM t JOIN t AS u USING (a)")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT c FROM t")
    with pytest.raises(errors.FeatureNotSupported) as refused:
        db.execute("ALTER TABLE t DROP COLUMN b")
    assert refused.value.diag.message_detail == "These are a.m."
    db.execute("DROP MATERIALIZED VIEW m")
    with pytest.raises(errors.DependentObjectsStillExist) as needed:
        db.execute("ALTER TABLE t DROP COLUMN d")
    assert needed.value.diag.message_detail == "view a.v depends on column d of table a.t"
    db.execute("ALTER TABLE t DROP COLUMN b")
    assert [
        name for (name,) in rows(db, "SELECT name FROM mz_catalog.mz_indexes WHERE name IN ('i', 'ib')")
    ] == ["i"]
    assert rows(db, "SELECT a FROM t WHERE c = 3 AND a < 10 ORDER BY a") == [(3,), (8,)]
    db.execute("DELETE FROM t WHERE a > 10")
    db.execute("UPDATE t SET d = 0 WHERE c = 3")
    assert rows(db, "SELECT * FROM t WHERE c = 3 ORDER BY a") == [(3, 3, 0), (8, 3, 0)]
    assert rows(db, "SELECT count(*), sum(d) FROM v") == [(10, 44)]
    db.execute("CREATE INDEX j ON t (d)")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT d, count(*) AS n FROM t GROUP BY d")
    db.execute("INSERT INTO t VALUES (11, 3, 0)")
    assert rows(db, "SELECT n FROM m WHERE d = 0") == [(3,)]
    assert rows(db, "SELECT a FROM t WHERE d = 0 ORDER BY a") == [(3,), (8,), (11,)]
    ((_, sql),) = rows(db, "SHOW CREATE INDEX j")
    assert sql == "CREATE INDEX j IN CLUSTER quickstart ON a.t (d)"
    db.execute("TRUNCATE t")
    assert rows(db, "SELECT * FROM m") == []


def test_dropped_columns_after_a_restart() -> None:
    with running() as runtime:
        runtime.query("CREATE TABLE t (a int, b text, c int)")
        runtime.query("INSERT INTO t SELECT i, repeat('x', 50), i FROM generate_series(1, 3000) i")
        runtime.query("ALTER TABLE t ADD d int DEFAULT 5")
        runtime.query("ALTER TABLE t DROP b, DROP c")
        runtime.query("CREATE MATERIALIZED VIEW m AS SELECT a, d FROM t WHERE a > 2990")
        runtime.query("DELETE FROM t WHERE a <= 2995")
        for _ in range(2):
            runtime.stop()
            runtime.start()
            assert runtime.query("SELECT * FROM t ORDER BY a") == [(i, 5) for i in range(2996, 3001)]
            assert runtime.query("SELECT * FROM m ORDER BY a") == [(i, 5) for i in range(2996, 3001)]
        runtime.query("ALTER TABLE t DROP d CASCADE")
        runtime.query("ALTER TABLE t ADD b text DEFAULT 'new'")
        runtime.query("INSERT INTO t VALUES (1)")
        assert runtime.query("SELECT * FROM t ORDER BY a LIMIT 2") == [(1, "new"), (2996, "new")]
        assert runtime.query("SELECT name FROM mz_catalog.mz_materialized_views") == []


def test_not_null_stays_where_views_rely_on_it(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE t (a int NOT NULL)")
    db.execute("CREATE VIEW v AS SELECT a FROM t")
    with pytest.raises(errors.FeatureNotSupported, match=r'"a\.v" rely on it'):
        db.execute("ALTER TABLE t ALTER a DROP NOT NULL")
    db.execute("DROP VIEW v")
    db.execute("ALTER TABLE t ALTER a DROP NOT NULL")
    db.execute("INSERT INTO t VALUES (NULL)")


def test_an_index_is_looked_up_after_its_key_became_primary(
    runtime: InProcess, db: psycopg.Connection[Any]
) -> None:
    db.execute("CREATE TABLE t (a int, b text)")
    db.execute("CREATE INDEX i ON t (a)")
    db.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    db.execute("ALTER TABLE t ADD PRIMARY KEY (a)")
    assert rows(db, "SELECT b FROM t WHERE a = 2") == [("y",)]
    catalog = runtime.coordinator.catalog
    item = catalog.find("a", "t")
    index = catalog.find("a", "i")
    assert isinstance(item, Table)
    assert isinstance(index, Index)
    assert index.keys == (ColumnRef(0, item.schema[0].type, False),)


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


BY_JOBS = replace(FAST, job_min_rows=0, query_job_min_rows=0, step_job_min_rows=0, duckdb_min_rows=10**9)


@pytest.mark.parametrize("settings", [FAST, BY_JOBS], ids=["by replicas", "by jobs"])
def test_old_rows_have_what_a_column_was_added_with(settings: Settings) -> None:
    """In queries, views and indexes, and in what they make of changes, whoever reads what is stored."""
    with running(settings, jobs=True) as runtime, runtime.connect() as db:
        db.execute("CREATE TABLE t (a int, gone int, b text)")
        db.execute("INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y')")
        db.execute("ALTER TABLE t DROP COLUMN gone")
        db.execute("CREATE MATERIALIZED VIEW before AS SELECT a, b FROM t")
        db.execute("ALTER TABLE t ADD COLUMN c int DEFAULT 5")
        db.execute("ALTER TABLE t ADD COLUMN d text[] DEFAULT '{p,q}'")
        db.execute("ALTER TABLE t ADD COLUMN e numeric(5, 2) NOT NULL DEFAULT 1.5")
        db.execute("INSERT INTO t VALUES (3, 'z', 6, NULL, 2)")
        old = (5, ["p", "q"], Decimal("1.50"))
        found = [(1, "x", *old), (2, "y", *old), (3, "z", 6, None, Decimal("2.00"))]
        assert sorted(rows(db, "SELECT * FROM t WHERE a + 0 < 9")) == found
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT *, c + 1 AS more FROM t")
        assert sorted(rows(db, "SELECT a, b, c, d, e FROM m")) == found
        db.execute("CREATE VIEW v AS SELECT c, count(*) AS n FROM t GROUP BY c")
        db.execute("CREATE INDEX i ON v (c)")
        assert sorted(rows(db, "SELECT * FROM v")) == [(5, 2), (6, 1)]
        db.execute("UPDATE t SET b = 'w', c = c + 2 WHERE a + 0 = 1")
        changed = [(1, "w", 7, *old[1:]), *found[1:]]
        assert sorted(rows(db, "SELECT a, b, c, d, e FROM m")) == changed
        assert sorted(rows(db, "SELECT * FROM v")) == [(5, 1), (6, 1), (7, 1)]
        assert sorted(rows(db, "SELECT a, b FROM before")) == [row[:2] for row in changed]
        kinds = {job.output_shard is None for job in runtime.driver.jobs}
        assert kinds == ({True, False} if settings is BY_JOBS else set())
