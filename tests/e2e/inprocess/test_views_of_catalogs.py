"""Plain views over the system relations: each read sees them as they are then."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]

COLUMNS = (
    "CREATE VIEW shape AS SELECT ordinal_position, column_name FROM information_schema.columns "
    "WHERE table_schema = '{}' AND table_name = 't'"
)


def test_a_view_follows_the_catalog(db: Db, schema: str) -> None:
    db.execute(COLUMNS.format(schema))  # type: ignore[arg-type]
    db.execute("CREATE VIEW named AS SELECT column_name FROM shape WHERE ordinal_position > 1")
    assert rows(db, "SELECT * FROM shape") == []
    db.execute("CREATE TABLE t (a int, b text)")
    assert rows(db, "SELECT * FROM shape ORDER BY 1") == [(1, "a"), (2, "b")]
    assert rows(db, "SELECT * FROM named") == [("b",)]
    with db.transaction():
        db.execute("ALTER TABLE t ADD COLUMN c int")
        assert rows(db, "SELECT * FROM named ORDER BY 1") == [("b",), ("c",)]
    db.execute("DROP TABLE t")
    assert rows(db, "SELECT * FROM shape") == []


def test_beside_rows_of_a_table(db: Db, schema: str) -> None:
    db.execute(COLUMNS.format(schema))  # type: ignore[arg-type]
    db.execute("CREATE TABLE t (a int, b text)")
    db.execute("INSERT INTO t VALUES (2, 'x')")
    assert rows(db, "SELECT column_name, b FROM shape JOIN t ON a = ordinal_position") == [("b", "x")]


def test_functions_that_look_into_catalogs(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE VIEW v AS SELECT obj_description('t'::regclass) AS said")
    db.execute("COMMENT ON TABLE t IS 'one column'")
    assert rows(db, "SELECT said FROM v") == [("one column",)]


def test_relations_that_are_empty_here_are_read(db: Db) -> None:
    db.execute("CREATE VIEW v AS SELECT count(*) AS n, count(reloptions) AS o FROM pg_trigger, pg_class")
    assert rows(db, "SELECT n, o FROM v") == [(0, 0)]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE MATERIALIZED VIEW m AS SELECT * FROM {}",
        "CREATE INDEX ON {} (n)",
        "SUBSCRIBE {}",
    ],
)
def test_what_is_maintained_over_such_a_view_is_refused(db: Db, statement: str) -> None:
    db.execute("CREATE VIEW v AS SELECT nspname::text AS n FROM pg_namespace")
    db.execute("CREATE VIEW over_v AS SELECT n FROM v")
    for view in ("v", "over_v"):
        with pytest.raises(
            errors.FeatureNotSupported, match=f'"{view}" is over system relation .*pg_namespace'
        ):
            db.execute(statement.format(view))  # type: ignore[arg-type]


def test_dependencies_are_recorded_but_for_pg_catalog(db: Db, schema: str) -> None:
    db.execute(COLUMNS.format(schema))  # type: ignore[arg-type]
    db.execute("CREATE VIEW v AS SELECT relname FROM pg_class")
    depends = "SELECT refobjid::regclass::text FROM pg_depend WHERE objid = '{}'::regclass"
    assert rows(db, depends.format("shape")) == [("information_schema.columns",)]
    assert rows(db, depends.format("v")) == []
    usage = f"SELECT view_name, table_name FROM information_schema.view_table_usage WHERE view_schema = '{schema}'"
    assert rows(db, usage) == [("shape", "columns")]


def test_such_a_view_outlives_a_restart(fresh: InProcess) -> None:
    with fresh.connect() as db:
        db.execute("CREATE TABLE t (a int)")
        db.execute(COLUMNS.format("public"))  # type: ignore[arg-type]
    fresh.stop()
    fresh.start()
    with fresh.connect() as db:
        assert rows(db, "SELECT column_name FROM shape") == [("a",)]
