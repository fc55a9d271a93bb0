"""Types by name: what they stand for, where they are listed, and that they last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows, running

Db = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


@pytest.fixture
def db(runtime: InProcess) -> Iterator[Db]:
    with runtime.connect() as db:
        db.execute("DROP SCHEMA IF EXISTS s CASCADE")
        db.execute("CREATE SCHEMA s")
        db.execute("SET search_path = s, public")
        yield db


def refused(db: Db, statement: str) -> tuple[str | None, str | None]:
    with pytest.raises(psycopg.Error) as raised:
        db.execute(statement)  # type: ignore[arg-type]
    return raised.value.sqlstate, raised.value.diag.message_primary


def test_types_last(fresh: InProcess) -> None:
    with fresh.connect() as db:
        db.execute("CREATE SCHEMA s")
        db.execute("CREATE TYPE s.ints AS LIST (ELEMENT TYPE = int4)")
        db.execute("CREATE TYPE tags AS MAP (KEY TYPE = text, VALUE TYPE = s.ints)")
        db.execute("COMMENT ON TYPE tags IS 'kept'")
        db.execute("CREATE TABLE t (a s.ints DEFAULT '{1}'::s.ints, b tags)")
        db.execute("INSERT INTO t (b) VALUES ('{x=>{1,2}}')")
        db.execute("CREATE VIEW v AS SELECT '{3}'::s.ints || a AS a, b -> 'x' AS x FROM t")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT '{3}'::s.ints || a AS a FROM t")
    for _ in range(2):
        with fresh.connect() as db:
            assert rows(db, "SELECT a::text, b::text FROM t") == [("{1}", "{x=>{1,2}}")]
            assert rows(db, "SELECT a::text, x::text FROM v") == [("{3,1}", "{1,2}")]
            assert rows(db, "SELECT a::text FROM m") == [("{3,1}",)]
            assert rows(db, "SELECT '{a=>{7}}'::tags::text") == [("{a=>{7}}",)]
            assert rows(db, "SELECT obj_description('tags'::regtype, 'pg_type')") == [("kept",)]
            assert rows(db, "SHOW CREATE TYPE tags") == [
                (
                    "public.tags",
                    "CREATE TYPE public.tags AS MAP (KEY TYPE = text, VALUE TYPE = integer list)",
                )
            ]
            assert refused(db, "DROP TYPE s.ints")[0] == "2BP01"
        fresh.stop()
        fresh.start()


def test_listed(db: Db) -> None:
    db.execute("CREATE TYPE ints AS LIST (ELEMENT TYPE = int4)")
    db.execute("CREATE TYPE tags AS MAP (VALUE TYPE = numeric(10, 2), KEY TYPE = text)")
    shown = rows(db, "SELECT name, type FROM mz_catalog.mz_objects WHERE schema_name = 's' ORDER BY 1")
    assert shown == [("ints", "type"), ("tags", "type")]
    assert rows(
        db,
        "SELECT name, category, create_sql FROM mz_catalog.mz_types t"
        " WHERE schema_id = (SELECT id FROM mz_catalog.mz_schemas WHERE name = 's') ORDER BY 1",
    ) == [
        ("ints", "list", "CREATE TYPE s.ints AS LIST (ELEMENT TYPE = integer)"),
        ("tags", "map", "CREATE TYPE s.tags AS MAP (KEY TYPE = text, VALUE TYPE = numeric(10,2))"),
    ]
    assert ("ints",) in rows(db, "SHOW TYPES")
    assert rows(db, "SELECT oid FROM pg_type GROUP BY oid HAVING count(*) > 1") == []
    assert rows(
        db,
        "SELECT typname, oid::regtype, format_type(oid, NULL) FROM pg_type"
        " WHERE typnamespace = 's'::regnamespace ORDER BY 1",
    ) == [("ints", "ints", "ints"), ("tags", "tags", "tags")]
    assert rows(db, "SELECT relname FROM pg_class WHERE relnamespace = 's'::regnamespace") == []
    assert rows(db, "SELECT format_type(23, NULL)") == [("integer",)]


def test_a_view_depends_and_a_table_does_not(db: Db) -> None:
    db.execute("CREATE TYPE ints AS LIST (ELEMENT TYPE = int4)")
    db.execute("CREATE TABLE t (a ints)")
    db.execute("CREATE VIEW v AS SELECT a::ints AS a FROM t")
    db.execute("CREATE INDEX i ON t ((a || '{1}'::ints))")
    with pytest.raises(psycopg.errors.DependentObjectsStillExist) as raised:
        db.execute("DROP TYPE ints RESTRICT")
    assert raised.value.diag.message_primary == "cannot drop type ints because other objects depend on it"
    assert raised.value.diag.message_detail == (
        "view s.v depends on type s.ints\nindex s.i depends on type s.ints"
    )
    db.execute("DROP TYPE ints CASCADE")
    assert rows(db, "SHOW OBJECTS") == [("t", "table")]
    assert rows(db, "SHOW CREATE TABLE t")[0][1] == "CREATE TABLE s.t (a integer list)"
    assert refused(db, "SELECT '{1}'::ints") == ("42704", 'type "ints" does not exist')
    db.execute("DROP TYPE IF EXISTS ints")


def test_renamed_and_moved(db: Db) -> None:
    db.execute("CREATE TYPE ints AS LIST (ELEMENT TYPE = int4)")
    db.execute("CREATE TABLE t (a int)")
    taken = ("42710", 'type "ints" already exists')
    assert refused(db, "CREATE TYPE ints AS LIST (ELEMENT TYPE = int4)") == taken
    assert refused(db, "CREATE TABLE ints (a int)") == taken
    assert refused(db, "ALTER TABLE t RENAME TO ints") == taken
    assert refused(db, "CREATE TYPE t AS LIST (ELEMENT TYPE = int4)") == ("42710", 'type "t" already exists')
    assert refused(db, "ALTER TYPE ints RENAME TO t") == ("42710", 'type "t" already exists')
    assert refused(db, "ALTER TYPE ints RENAME TO int4")[0] == "0A000"
    db.execute("ALTER TYPE ints RENAME TO numbers")
    assert rows(db, "SELECT '{1}'::numbers::text") == [("{1}",)]
    db.execute("ALTER TYPE numbers SET SCHEMA public")
    assert rows(db, "SELECT '{1}'::public.numbers::text") == [("{1}",)]
    assert refused(db, "SELECT '{1}'::s.numbers") == ("42704", 'type "s.numbers" does not exist')
    db.execute("DROP TYPE public.numbers")


def test_parameters_functions_and_blocks(db: Db) -> None:
    with db.transaction():
        db.execute("CREATE TYPE ints AS LIST (ELEMENT TYPE = int4)")
        db.execute("CREATE TABLE t (a ints)")
        db.execute("INSERT INTO t VALUES ('{4}')")
    db.execute("PREPARE p (ints) AS SELECT ($1 || a)::text FROM t")
    assert rows(db, "EXECUTE p ('{1}')") == [("{1,4}",)]
    assert db.execute("SELECT (%s::ints || a)::text FROM t", ("{2}",)).fetchall() == [("{2,4}",)]
    db.execute("CREATE FUNCTION f(a ints) RETURNS ints LANGUAGE sql AS $$ SELECT a || '{9}'::ints $$")
    assert rows(db, "SELECT f(a)::text FROM t") == [("{4,9}",)]
    db.execute("DROP FUNCTION f(ints)")
    assert refused(db, "ALTER TABLE t ADD CHECK (a = '{1}'::ints)")[0] == "0A000"
    db.execute("ALTER TABLE t ADD COLUMN b ints DEFAULT '{5}'")
    db.execute("DROP TYPE ints")
    assert rows(db, "SELECT a::text, b::text FROM t") == [("{4}", "{5}")]


def test_owners(db: Db) -> None:
    for role in ("typist", "heir"):
        db.execute(f"CREATE ROLE {role}")  # type: ignore[arg-type]
    db.execute("GRANT USAGE, CREATE ON SCHEMA s TO typist")
    db.execute("GRANT USAGE ON SCHEMA s TO heir")
    db.execute("SET ROLE typist")
    db.execute("CREATE TYPE ints AS LIST (ELEMENT TYPE = int4)")
    db.execute("CREATE TYPE more AS LIST (ELEMENT TYPE = ints)")
    db.execute("CREATE VIEW v AS SELECT '{2}'::ints AS a")
    db.execute("GRANT SELECT ON v TO heir")
    db.execute("SET ROLE heir")
    assert rows(db, "SELECT a::text, ('{3}'::ints || a)::text FROM v") == [("{2}", "{3,2}")]
    assert rows(db, "SELECT '{1}'::ints::text") == [("{1}",)]
    assert refused(db, "DROP TYPE ints") == ("42501", "must be owner of type ints")
    assert refused(db, "CREATE TYPE mine AS LIST (ELEMENT TYPE = int4)")[0] == "42501"
    db.execute("RESET ROLE")
    db.execute("ALTER TYPE more OWNER TO heir")
    db.execute("REASSIGN OWNED BY heir TO typist")
    assert rows(
        db, "SELECT DISTINCT pg_get_userbyid(typowner) FROM pg_type WHERE typname IN ('ints', 'more')"
    ) == [("typist",)]
    with pytest.raises(psycopg.Error, match=r"owner of type s\.ints"):
        db.execute("DROP ROLE typist")
    db.execute("DROP OWNED BY typist, heir")
    assert rows(db, "SELECT typname FROM pg_type WHERE typname IN ('ints', 'more')") == []
    db.execute("DROP ROLE typist, heir")
