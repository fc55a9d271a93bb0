"""IF EXISTS: nothing is done to what is not there, and a notice says so, in PostgreSQL's words where that has the statement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from inprocess import rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]

OF_POSTGRES = (
    "DROP TABLE IF EXISTS x",
    "DROP TABLE IF EXISTS x, t2, public.x, nowhere.x",
    "DROP VIEW IF EXISTS x",
    "DROP MATERIALIZED VIEW IF EXISTS x CASCADE",
    "DROP INDEX IF EXISTS x",
    "DROP SCHEMA IF EXISTS nowhere, nowhere2",
    "DROP TYPE IF EXISTS x",
    "DROP TYPE IF EXISTS nowhere.x",
    "DROP ROLE IF EXISTS x",
    "DROP FUNCTION IF EXISTS x",
    "DROP FUNCTION IF EXISTS x(text)",
    "DROP FUNCTION IF EXISTS nowhere.x()",
    "DROP FUNCTION IF EXISTS x(nothing)",
    "ALTER TABLE IF EXISTS x RENAME TO y",
    "ALTER TABLE IF EXISTS nowhere.x RENAME TO y",
    "ALTER TABLE IF EXISTS x RENAME COLUMN a TO b",
    "ALTER TABLE IF EXISTS x RENAME CONSTRAINT a TO b",
    "ALTER TABLE IF EXISTS x ADD COLUMN a int",
    "ALTER TABLE IF EXISTS x DROP COLUMN a",
    "ALTER TABLE IF EXISTS x DROP CONSTRAINT IF EXISTS a",
    "ALTER TABLE IF EXISTS x ALTER COLUMN a SET NOT NULL",
    "ALTER TABLE IF EXISTS x SET SCHEMA public",
    "ALTER TABLE IF EXISTS x OWNER TO CURRENT_USER",
    "ALTER VIEW IF EXISTS x RENAME TO y",
    "ALTER VIEW IF EXISTS x RENAME COLUMN a TO b",
    "ALTER VIEW IF EXISTS x SET SCHEMA public",
    "ALTER VIEW IF EXISTS x OWNER TO CURRENT_USER",
    "ALTER MATERIALIZED VIEW IF EXISTS x RENAME TO y",
    "ALTER MATERIALIZED VIEW IF EXISTS x SET SCHEMA public",
    "ALTER INDEX IF EXISTS x RENAME TO y",
    "ALTER TABLE t DROP COLUMN IF EXISTS x",
    "ALTER TABLE t DROP CONSTRAINT IF EXISTS x",
)
OF_OURS = {
    "DROP AGGREGATE IF EXISTS x(text)": "aggregate x(text)",
    "DROP SOURCE IF EXISTS x": 'source "x"',
    "DROP SINK IF EXISTS nowhere.x": 'schema "nowhere"',
    "DROP CLUSTER IF EXISTS x": 'cluster "x"',
    "DROP SECRET IF EXISTS x": 'secret "x"',
    "DROP CONNECTION IF EXISTS x": 'connection "x"',
    "ALTER SCHEMA IF EXISTS x RENAME TO y": 'schema "x"',
    "ALTER SCHEMA IF EXISTS x OWNER TO CURRENT_USER": 'schema "x"',
    "ALTER SCHEMA IF EXISTS x SWAP WITH y": 'schema "x"',
    "ALTER CLUSTER IF EXISTS x RENAME TO y": 'cluster "x"',
    "ALTER CLUSTER IF EXISTS x SET (JOB MIN ROWS = 5)": 'cluster "x"',
    "ALTER CLUSTER IF EXISTS x OWNER TO CURRENT_USER": 'cluster "x"',
    "ALTER TYPE IF EXISTS x RENAME TO y": 'type "x"',
    "ALTER TABLE IF EXISTS x SWAP WITH t": 'relation "x"',
    "ALTER TABLE IF EXISTS x SET (RETAIN HISTORY FOR '1 day')": 'relation "x"',
    "ALTER TABLE IF EXISTS x ADD WHERE (a > 1)": 'relation "x"',
    "ALTER SOURCE IF EXISTS x APPLY": 'relation "x"',
    "ALTER SOURCE IF EXISTS x REPLAY DEAD LETTERS": 'relation "x"',
    "ALTER SINK IF EXISTS x SET FROM t": 'relation "x"',
    "ALTER SINK IF EXISTS x SET CLUSTER quickstart": 'relation "x"',
    "ALTER MATERIALIZED VIEW IF EXISTS x APPLY REPLACEMENT y": 'relation "x"',
    "ALTER SECRET IF EXISTS x AS 'a'": 'secret "x"',
    "ALTER CONNECTION IF EXISTS x SET (HOST = 'a')": 'connection "x"',
}


@pytest.fixture(scope="module")
def postgres(oracle_uri: str) -> Iterator[Db]:
    with psycopg.connect(oracle_uri, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA of_if_exists")
        connection.execute("SET search_path = of_if_exists")
        connection.execute("CREATE TABLE t (a int)")
        yield connection
        connection.execute("DROP SCHEMA of_if_exists CASCADE")


def told(db: Db, sql: str) -> tuple[str | None, list[tuple[str | None, ...]]]:
    """What the statement is answered with, and the notices."""
    heard: list[tuple[str | None, ...]] = []

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        heard.append((notice.severity, notice.sqlstate, notice.message_primary))

    db.add_notice_handler(hear)
    try:
        return db.execute(sql).statusmessage, heard
    finally:
        db.remove_notice_handler(hear)


@pytest.fixture
def table(db: Db) -> Db:
    db.execute("CREATE TABLE t (a int)")
    return db


@pytest.mark.parametrize("sql", OF_POSTGRES)
def test_as_postgresql_says_it(table: Db, postgres: Db, sql: str) -> None:
    found = told(table, sql)
    assert found == told(postgres, sql)
    assert found[1]


@pytest.mark.parametrize(("sql", "what"), OF_OURS.items())
def test_statements_that_postgresql_has_not(table: Db, sql: str, what: str) -> None:
    _, heard = told(table, sql)
    assert heard == [("NOTICE", "00000", f"{what} does not exist, skipping")]
    with pytest.raises(psycopg.Error, match="does not exist"):
        table.execute(sql.replace("IF EXISTS ", "", 1))


def test_in_a_block_too(table: Db) -> None:
    with table.transaction():
        assert told(table, "ALTER TABLE IF EXISTS x RENAME TO y")[1]
        table.execute("CREATE TABLE x (a int)")
        assert not told(table, "ALTER TABLE IF EXISTS x RENAME TO y")[1]
    assert rows(table, "SELECT * FROM y") == []


def test_the_same_statement_finds_what_is_there_later(table: Db) -> None:
    table.prepare_threshold = 0
    sql = "ALTER TABLE IF EXISTS x RENAME TO y"
    assert told(table, sql)[1]
    table.execute("CREATE TABLE x (a int)")
    assert not told(table, sql)[1]
    assert told(table, sql)[1]
    with pytest.raises(errors.UndefinedTable):
        table.execute("SELECT * FROM x")
