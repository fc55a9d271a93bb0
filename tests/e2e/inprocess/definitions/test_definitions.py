"""Definitions: what they make, what they refuse, and in which words."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def notices(db: Db) -> list[str | None]:
    heard: list[str | None] = []
    db.add_notice_handler(lambda notice: heard.append(notice.message_primary))
    return heard


@pytest.fixture
def chain(db: Db) -> None:
    """t <- v (view) <- m (materialized) <- w (view), and an index on m."""
    db.execute("CREATE TABLE t (a int NOT NULL, b text)")
    db.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    db.execute("CREATE VIEW v AS SELECT a, b FROM t WHERE a > 0")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT b, sum(a) AS s FROM v GROUP BY b")
    db.execute("CREATE INDEX i ON m (b)")
    db.execute("CREATE VIEW w AS SELECT count(*) AS n FROM m")


def names(db: Db, schema: str) -> list[str]:
    return [
        name
        for (name,) in rows(
            db,
            "SELECT o.name FROM mz_catalog.mz_objects o JOIN mz_catalog.mz_schemas s ON s.id = o.schema_id"
            " WHERE s.name = %s ORDER BY 1",
            (schema,),
        )
    ]


def test_drop_names_what_depends(db: Db, chain: None, schema: str) -> None:
    with pytest.raises(errors.DependentObjectsStillExist) as caught:
        db.execute("DROP TABLE t")
    diagnostics = caught.value.diag
    assert diagnostics.message_primary == "cannot drop table t because other objects depend on it"
    assert diagnostics.message_hint == "Use DROP ... CASCADE to drop the dependent objects too."
    assert f"view {schema}.v depends on table {schema}.t" in str(diagnostics.message_detail)
    with pytest.raises(errors.DependentObjectsStillExist):
        db.execute("DROP TABLE t RESTRICT")
    assert rows(db, "SELECT * FROM w") == [(2,)]


def test_cascade(db: Db, chain: None, schema: str) -> None:
    db.execute("DROP VIEW v CASCADE")
    assert names(db, schema) == ["t"]
    db.execute("CREATE VIEW v AS SELECT 1 AS a")  # the name is free again
    assert rows(db, "SELECT * FROM v") == [(1,)]


def test_an_index_goes_with_what_it_is_on(db: Db, chain: None, schema: str) -> None:
    db.execute("DROP VIEW w")
    db.execute("DROP MATERIALIZED VIEW m")
    assert names(db, schema) == ["t", "v"]


def test_if_exists_and_if_not_exists(db: Db, notices: list[str | None]) -> None:
    db.execute("DROP TABLE IF EXISTS t")
    db.execute("DROP SCHEMA IF EXISTS nowhere")
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE TABLE IF NOT EXISTS t (b text)")
    assert notices == [
        'table "t" does not exist, skipping',
        'schema "nowhere" does not exist, skipping',
        'relation "t" already exists, skipping',
    ]
    with pytest.raises(errors.DuplicateTable, match='relation "t" already exists'):
        db.execute("CREATE TABLE t (b text)")
    with pytest.raises(errors.UndefinedTable):
        db.execute("DROP TABLE missing")


def test_drop_of_another_kind_is_refused(db: Db, chain: None) -> None:
    with pytest.raises(errors.WrongObjectType):
        db.execute("DROP VIEW t")
    with pytest.raises(errors.WrongObjectType):
        db.execute("DROP TABLE m")


def test_rename(db: Db, chain: None) -> None:
    db.execute("ALTER TABLE t RENAME TO renamed")
    db.execute("ALTER MATERIALIZED VIEW m RENAME TO m2")
    assert rows(db, "SELECT * FROM m2 ORDER BY b") == [("x", 1), ("y", 2)]
    db.execute("INSERT INTO renamed VALUES (5, 'x')")
    assert rows(db, "SELECT * FROM m2 ORDER BY b") == [("x", 6), ("y", 2)]
    with pytest.raises(errors.UndefinedTable):
        db.execute("SELECT * FROM t")
    with pytest.raises(errors.DuplicateTable):
        db.execute("ALTER TABLE renamed RENAME TO v")


def test_schemas(db: Db, chain: None, schema: str) -> None:
    with pytest.raises(errors.DuplicateSchema):
        db.execute(f"CREATE SCHEMA {schema}")
    with pytest.raises(errors.DependentObjectsStillExist):
        db.execute(f"DROP SCHEMA {schema}")
    db.execute(f"ALTER SCHEMA {schema} RENAME TO {schema}_new")
    assert rows(db, f"SELECT * FROM {schema}_new.w") == [(2,)]
    db.execute(f"DROP SCHEMA {schema}_new CASCADE")
    with pytest.raises((errors.UndefinedTable, errors.InvalidSchemaName)):
        db.execute(f"SELECT * FROM {schema}_new.w")
    with pytest.raises(errors.InvalidSchemaName):
        db.execute("CREATE TABLE nowhere.t (a int)")


def test_swap_schemas(db: Db, schema: str) -> None:
    for name, value in ((f"{schema}_a", 1), (f"{schema}_b", 2)):
        db.execute(f"CREATE SCHEMA {name}")
        db.execute(f"CREATE TABLE {name}.t (a int)")
        db.execute(f"INSERT INTO {name}.t VALUES ({value})")
        db.execute(f"CREATE MATERIALIZED VIEW {name}.m AS SELECT a FROM {name}.t")
    db.execute(f"ALTER SCHEMA {schema}_a SWAP WITH {schema}_b")
    assert rows(db, f"SELECT * FROM {schema}_a.m") == [(2,)]
    db.execute(f"INSERT INTO {schema}_a.t VALUES (3)")
    assert rows(db, f"SELECT * FROM {schema}_a.m ORDER BY 1") == [(2,), (3,)]
    assert rows(db, f"SELECT * FROM {schema}_b.m") == [(1,)]
    db.execute(f"DROP SCHEMA {schema}_a CASCADE")
    db.execute(f"DROP SCHEMA {schema}_b CASCADE")


def test_comments(db: Db, chain: None, schema: str) -> None:
    db.execute("COMMENT ON TABLE t IS 'a table'")
    db.execute("COMMENT ON COLUMN t.b IS 'a column'")
    query = (
        "SELECT d.objsubid, d.description FROM pg_catalog.pg_description d JOIN pg_catalog.pg_class c"
        " ON c.oid = d.objoid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = %s ORDER BY 1"
    )
    assert rows(db, query, (schema,)) == [(0, "a table"), (2, "a column")]
    db.execute("COMMENT ON TABLE t IS NULL")
    assert rows(db, query, (schema,)) == [(2, "a column")]


def test_temporary_tables_vanish_with_their_session(runtime: InProcess, db: Db) -> None:
    with runtime.connect() as session:
        session.execute("CREATE TEMP TABLE only_here (a int)")
        session.execute("INSERT INTO only_here VALUES (1)")
        assert rows(session, "SELECT * FROM only_here") == [(1,)]
        with pytest.raises(errors.UndefinedTable):
            db.execute("SELECT * FROM only_here")
    with pytest.raises(errors.UndefinedTable):
        runtime.query("SELECT * FROM only_here")
    left = "SELECT count(*) FROM mz_catalog.mz_objects WHERE name = 'only_here'"
    eventually(lambda: rows(db, left) == [(0,)])  # the server hears of the end a moment later


def test_a_temporary_table_hides_a_table(runtime: InProcess, db: Db) -> None:
    db.execute("CREATE TABLE same (a int)")
    db.execute("CREATE TEMP TABLE same (b text)")
    assert [c.name for c in db.execute("SELECT * FROM same").description or ()] == ["b"]
    db.execute("DROP TABLE same")
    assert [c.name for c in db.execute("SELECT * FROM same").description or ()] == ["a"]


def test_or_replace_view(db: Db) -> None:
    db.execute("CREATE VIEW v AS SELECT 1 AS a")
    db.execute("CREATE OR REPLACE VIEW v AS SELECT 2 AS a")
    assert rows(db, "SELECT * FROM v") == [(2,)]
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT a FROM v")
    with pytest.raises(errors.DependentObjectsStillExist):
        db.execute("CREATE OR REPLACE VIEW v AS SELECT 3 AS a")


def test_or_replace_materialized_view(db: Db, chain: None) -> None:
    with pytest.raises(errors.DependentObjectsStillExist):
        db.execute("CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT b, max(a) AS s FROM v GROUP BY b")
    db.execute("DROP VIEW w")
    db.execute("CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM v")
    assert rows(db, "SELECT * FROM m") == [(2,)]
    db.execute("INSERT INTO t VALUES (7, 'z')")
    assert rows(db, "SELECT * FROM m") == [(3,)]


def test_create_table_as(db: Db, chain: None) -> None:
    assert db.execute("CREATE TABLE c AS SELECT b, a * 2 AS twice FROM v").statusmessage == "SELECT 2"
    assert rows(db, "SELECT * FROM c ORDER BY 1") == [("x", 2), ("y", 4)]
    db.execute("CREATE TABLE IF NOT EXISTS c AS SELECT b, a * 2 AS twice FROM v")
    assert rows(db, "SELECT count(*) FROM c") == [(2,)]
    with pytest.raises(errors.DivisionByZero):
        db.execute("CREATE TABLE bad AS SELECT a / 0 AS x FROM v")
    with pytest.raises(errors.UndefinedTable):
        db.execute("SELECT * FROM bad")


def test_clusters(db: Db, schema: str) -> None:
    cluster = f"{schema}_cluster"
    db.execute(f"CREATE CLUSTER {cluster}")
    with pytest.raises(errors.DuplicateObject):
        db.execute(f"CREATE CLUSTER {cluster}")
    db.execute("CREATE TABLE t (a int)")
    db.execute(f"CREATE MATERIALIZED VIEW m IN CLUSTER {cluster} AS SELECT count(*) AS n FROM t")
    db.execute("INSERT INTO t VALUES (1)")
    assert rows(db, "SELECT * FROM m") == [(1,)]
    with pytest.raises(errors.DependentObjectsStillExist):
        db.execute(f"DROP CLUSTER {cluster}")
    db.execute(f"DROP CLUSTER {cluster} CASCADE")
    with pytest.raises(errors.UndefinedTable):
        db.execute("SELECT * FROM m")
    with pytest.raises(errors.UndefinedObject):
        db.execute(f"CREATE MATERIALIZED VIEW m IN CLUSTER {cluster} AS SELECT 1 AS a")


def test_options_of_clusters_are_reset(db: Db, schema: str) -> None:
    cluster = f"{schema}_cluster"
    replicas = (
        "SELECT count(*) FROM mz_catalog.mz_cluster_replicas AS r JOIN mz_catalog.mz_clusters AS c ON c.id = r.cluster_id "
        f"WHERE c.name = '{cluster}'"
    )
    db.execute(f"CREATE CLUSTER {cluster} (REPLICATION FACTOR 2, MEMORY LIMIT '1GB')")
    assert rows(db, replicas) == [(2,)]
    db.execute(f"ALTER CLUSTER {cluster} RESET (REPLICATION FACTOR, MEMORY LIMIT)")
    assert rows(db, replicas) == [(1,)]
    for wrong in ("RESET (COLOUR)", "RESET (WORKERS = 2)", "RESET (WORKERS, WORKERS)"):
        with pytest.raises((errors.FeatureNotSupported, errors.InvalidParameterValue, errors.SyntaxError)):
            db.execute(f"ALTER CLUSTER {cluster} {wrong}")
    db.execute(f"DROP CLUSTER {cluster}")


def test_a_view_that_is_dropped_while_its_cluster_starts(fresh: InProcess) -> None:
    fresh.query("CREATE TABLE t (a int)")
    for _ in range(5):
        fresh.query("CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM t")
        fresh.query("DROP MATERIALIZED VIEW m")
    fresh.query("CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM t")
    assert fresh.query("SELECT * FROM m") == [(0,)]


def test_definitions_do_not_wait_for_a_quiet_moment(runtime: InProcess, db: Db, other: Db) -> None:
    """Writers that never pause must not hold up a definition."""
    import threading

    db.execute("CREATE TABLE busy (a int)")
    done = threading.Event()

    def write() -> None:
        with runtime.connect(options=other.info.options) as session:
            while not done.is_set():
                session.execute("INSERT INTO busy VALUES (1)")

    writers = [threading.Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    try:
        for i in range(5):
            db.execute(f"CREATE TABLE t{i} (a int)")
            db.execute(f"DROP TABLE t{i}")
    finally:
        done.set()
        for writer in writers:
            writer.join()
    assert rows(db, "SELECT count(*) > 0 FROM busy") == [(True,)]
