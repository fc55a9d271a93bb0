"""Functions that Materialize has beside PostgreSQL's, as clients call them, and in views."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from inprocess import InProcess, running
from ptvc.directory import installed_version


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


@pytest.fixture(scope="module")
def connection(runtime: InProcess) -> Iterator[psycopg.Connection]:
    with runtime.connect() as connection:
        yield connection


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT * FROM csv_extract(2, E'a,b\\nc\\n\"d,\",e') ORDER BY 1", [("a", "b"), ("d,", "e")]),
        ("SELECT c.column2, n FROM csv_extract(2, 'a,b') WITH ORDINALITY AS c (x, column2, n)", [("b", 1)]),
        ("SELECT c.column1 FROM csv_extract(1, E'a\\nb') AS c ORDER BY 1", [("a",), ("b",)]),
        ("SELECT * FROM csv_extract(2, NULL)", []),
        ("SELECT * FROM regexp_extract('(?P<k>\\w+)=(\\d)?', 'a b=') AS r", [("b", None)]),
        (
            "SELECT r.column1, n FROM regexp_extract('(b)', 'abb') WITH ORDINALITY AS r (column1, n)",
            [("b", 1)],
        ),
        ("SELECT * FROM regexp_extract('(b)', NULL)", []),
        ("SELECT encode(digest('abc', 'SHA1'), 'hex')", [("a9993e364706816aba3e25717850c26c9cd0d89d",)]),
        (
            "SELECT encode(hmac('d', 'k', 'md5'), 'hex') = encode(hmac('d'::bytea, 'k', 'md5'), 'hex')",
            [(True,)],
        ),
        ("SELECT pg_typeof(digest('a', 'md5')), pg_typeof(seahash('a'))", [("bytea", "uint8")]),
        ("SELECT constant_time_eq('a', 'a'), constant_time_eq('\\x61', 'a'::bytea)", [(True, True)]),
        ("SELECT try_parse_monotonic_iso8601_timestamp('2024-01-01')", [(None,)]),
        ("SELECT mz_version()", [(f"v{installed_version()} (ptvc)",)]),
        ("SELECT pg_typeof(mz_uptime()), mz_uptime() > '0'", [("interval", True)]),
    ],
)
def test_queries(connection: psycopg.Connection, query: str, rows: list[tuple[object, ...]]) -> None:
    assert connection.execute(query.encode()).fetchall() == rows


@pytest.mark.parametrize(
    ("query", "sqlstate", "message"),
    [
        ("SELECT digest('a', 'sha9')", "22023", 'Cannot use "sha9": No such hash algorithm'),
        ("SELECT hmac('a'::text, 'b'::bytea, 'md5')", "42883", "hmac"),
        ("SELECT * FROM csv_extract(0, 'a')", "22023", "from 1 to 1600"),
        ("SELECT * FROM csv_extract(1 + 1, 'a')", "22023", "literal"),
        ("SELECT * FROM csv_extract()", "42883", "csv_extract"),
        ("SELECT csv_extract(2, 'a')", "0A000", "select list"),
        ("SELECT * FROM regexp_extract('b', 'a')", "22023", "group in parentheses"),
        ("SELECT * FROM regexp_extract('(b)')", "42883", "regexp_extract"),
        ("SELECT * FROM regexp_extract('(b', 'a')", "2201B", "unclosed group"),
        ("SELECT regexp_extract('(b)', 'a')", "0A000", "select list"),
        ("CREATE MATERIALIZED VIEW v AS SELECT mz_version()", "0A000", "depends on the session"),
        ("SELECT mz_environment_id()", "0A000", "mz_environment_id"),
    ],
)
def test_refusals(connection: psycopg.Connection, query: str, sqlstate: str, message: str) -> None:
    with pytest.raises(psycopg.Error, match=message) as raised:
        connection.execute(query.encode())
    assert raised.value.sqlstate == sqlstate


def test_the_uptime_grows(connection: psycopg.Connection) -> None:
    first, second = (connection.execute("SELECT mz_uptime()").fetchall()[0][0] for _ in range(2))
    assert first < second


def test_views_follow_their_inputs(connection: psycopg.Connection) -> None:
    for statement in (
        "CREATE TABLE files (id int, body text)",
        "INSERT INTO files VALUES (1, E'a,1\\nb,2\\nno record'), (2, NULL), (3, 'a,5')",
        """CREATE MATERIALIZED VIEW parts AS
           SELECT id, column1 AS name, column2::int AS n, digest(column1, 'sha1') AS hash
           FROM files, LATERAL csv_extract(2, body)""",
        """CREATE MATERIALIZED VIEW numbers AS
           SELECT id, n FROM files, LATERAL regexp_extract('^(?P<key>a)?.*?,(?P<n>[0-9])', body)""",
    ):
        connection.execute(statement.encode())
    query = "SELECT name, sum(n), count(DISTINCT hash) FROM parts GROUP BY 1 ORDER BY 1"
    assert connection.execute(query.encode()).fetchall() == [("a", 6, 1), ("b", 2, 1)]
    connection.execute("UPDATE files SET body = 'c,7' WHERE id = 1")
    connection.execute("INSERT INTO files VALUES (4, E'c,8\\r\\na,1\\r\\n')")
    assert connection.execute(query.encode()).fetchall() == [("a", 6, 1), ("c", 15, 1)]
    numbers = connection.execute("SELECT id, n FROM numbers ORDER BY id").fetchall()
    assert numbers == [(1, "7"), (3, "5"), (4, "8")]
    connection.execute("DELETE FROM files")
    assert connection.execute(query.encode()).fetchall() == []
