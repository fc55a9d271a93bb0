"""What clients ask of the catalogs, and catalogs in any query: PostgreSQL's rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows, running
from oracle import running_postgres

QUERIES = [
    "\n".join(line for line in text.splitlines() if not line.startswith("--")).strip()
    for text in (Path(__file__).parent.parent / "testdata" / "reflection.sql").read_text().split(";\n")
    if text.strip()
]

SETUP = """
CREATE TABLE customers (id bigint PRIMARY KEY, name text NOT NULL UNIQUE, "Mixed" varchar(20) DEFAULT 'x''y',
  balance numeric(12,2) NOT NULL DEFAULT 0, at timestamptz, tags text[], j jsonb, iv interval, b bytea, u uuid,
  d double precision DEFAULT 1.5, flag boolean DEFAULT true, n int DEFAULT -3, s date DEFAULT '2024-02-29');
CREATE TABLE orders (customer bigint, line int, qty int NOT NULL DEFAULT 1, PRIMARY KEY (customer, line),
  CONSTRAINT pos CHECK (qty > 0));
CREATE TABLE "Mixed" ("a b" int, "select" text);
COMMENT ON COLUMN customers.id IS 'whose';
COMMENT ON TABLE orders IS 'what they want';
CREATE SCHEMA mine;
COMMENT ON SCHEMA mine IS 'not yours';
CREATE VIEW vw AS SELECT customer, count(*) AS lines FROM orders GROUP BY customer;
INSERT INTO orders VALUES (1, 1, 5), (1, 2, 5), (2, 1, 1)
"""


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[InProcess, psycopg.Connection[Any]]]:
    with running() as runtime, running_postgres() as uri, psycopg.connect(uri, autocommit=True) as oracle:
        for statement in SETUP.split(";\n"):
            runtime.query(statement)
            oracle.execute(statement)  # type: ignore[arg-type]
        yield runtime, oracle


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_the_same_rows(both: tuple[InProcess, psycopg.Connection[Any]], number: int) -> None:
    runtime, oracle = both
    expected = oracle.execute(QUERIES[number]).fetchall()  # type: ignore[arg-type]
    assert runtime.query(QUERIES[number]) == expected


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("SELECT name::regclass FROM (VALUES ('nobody')) AS v (name)", "42P01"),
        ("SELECT name::regclass FROM (VALUES ('a b c')) AS v (name)", "42602"),
        ("SELECT 'a b c'::regclass", "42602"),
        ("SELECT pg_get_viewdef('nobody')", "42P01"),
        ("SELECT (k).y FROM (SELECT information_schema._pg_expandarray(ARRAY[1]) AS k) AS q", "42703"),
        ("SELECT (indkey).x FROM pg_index", "42809"),
    ],
)
def test_the_same_errors(both: tuple[InProcess, psycopg.Connection[Any]], sql: str, sqlstate: str) -> None:
    runtime, oracle = both
    for ask in (runtime.query, oracle.execute):
        with pytest.raises(psycopg.Error) as error:
            ask(sql)  # type: ignore[arg-type]
        assert error.value.sqlstate == sqlstate


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT information_schema._pg_expandarray(ARRAY[1])",
        "SELECT array_position(indkey, 1::int2) FROM pg_index",
        "SELECT indkey[0:1] FROM pg_index",
        "CREATE TABLE kept AS SELECT indkey FROM pg_index",
    ],
)
def test_refused(both: tuple[InProcess, psycopg.Connection[Any]], sql: str) -> None:
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        both[0].query(sql)


def test_a_parameter_names_a_relation(both: tuple[InProcess, psycopg.Connection[Any]]) -> None:
    sql = "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum = %s"
    with both[0].connect() as db:
        for name in ("orders", "public.orders", '"orders"'):
            assert db.execute(sql, (name, 2)).fetchall() == [("line",)]


def test_catalogs_are_of_their_time(both: tuple[InProcess, psycopg.Connection[Any]]) -> None:
    """What is kept of the catalogs goes with the first definition."""
    runtime, _ = both
    asked = "SELECT count(*) FROM pg_class c JOIN orders o ON o.customer = 2 WHERE c.relname = 'late'"
    assert runtime.query(asked) == [(0,)]
    runtime.query("CREATE TABLE late (a int)")
    assert runtime.query(asked) == [(1,)]
    runtime.query("DROP TABLE late")
    assert runtime.query(asked) == [(0,)]


def test_errors_of_catalog_queries_are_raised(both: tuple[InProcess, psycopg.Connection[Any]]) -> None:
    sql = "SELECT o.line FROM orders o JOIN pg_class c ON 1 / (c.relnatts - c.relnatts) = o.line"
    with pytest.raises(psycopg.errors.DivisionByZero):
        both[0].query(sql)


def test_names_of_relations_and_types(db: psycopg.Connection[Any], schema: str) -> None:
    """As their types show them, with those of the indexes of keys, and quoted where they must be."""
    db.execute('CREATE TABLE t (a int PRIMARY KEY, b int UNIQUE); CREATE VIEW "My View" AS SELECT a FROM t')
    keys = "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = 't'::regclass ORDER BY 1"
    assert rows(db, keys) == [("t_b_key",), ("t_pkey",)]
    shown = "SELECT oid::regclass::text, to_regclass(oid::regclass::text)::text FROM pg_class WHERE relname = 'My View'"
    assert rows(db, shown) == [('"My View"', '"My View"')]
    db.execute("SET search_path TO nothing")
    assert rows(db, f"SELECT to_regclass('{schema}.t')::text") == [(f"{schema}.t",)]
    types = "SELECT to_regtype('int4')::text, to_regtype('varchar[]')::text, to_regclass('nothing')::text"
    assert rows(db, types) == [("integer", "character varying[]", None)]
