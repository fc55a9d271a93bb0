"""Records on the wire, in views that are maintained, and what of them is refused; tests/slt/types/records.slt has the answers."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from inprocess import InProcess, running


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        with runtime.connect() as connection:
            connection.execute("CREATE TABLE pairs (a int, b text)")
            connection.execute("INSERT INTO pairs VALUES (1, 'x'), (2, NULL), (NULL, 'y z')")
        yield runtime


@pytest.mark.parametrize(
    ("query", "sqlstate"),
    [
        ("SELECT ROW(pairs.*) IN (SELECT a, b FROM pairs) FROM pairs", "0A000"),
        ("SELECT count(*) FROM pairs GROUP BY ROW(pairs.*)", "0A000"),
        ("SELECT (SELECT ROW(pairs.*)) FROM pairs", "0A000"),
        ("SELECT ROW(p.*) FROM (SELECT a, a FROM pairs) AS p", "0A000"),
        ("SELECT q FROM pairs AS p LEFT JOIN pairs AS q ON p.a = q.a", "0A000"),
        ("SELECT (SELECT p) FROM pairs AS p", "0A000"),
        ("SELECT ROW(1, 2) UNION SELECT ROW(1, 'a')", "0A000"),
        ("SELECT unnest(ARRAY[ROW(1, 2)])", "0A000"),
        ("SELECT DISTINCT ROW('{}'::jsonb)", "0A000"),
        ("SELECT p.r = p.r FROM (SELECT ROW('a'::bpchar) AS r) AS p", "0A000"),
        ("SELECT p.r = p.r FROM (SELECT ROW('{}'::json) AS r) AS p", "42883"),
        ("SELECT to_jsonb(ROW('{}'::json))", "0A000"),
        ("SELECT row_to_json(ROW(1), true)", "0A000"),
        ("SELECT row_to_json(1)", "42883"),
        ("SELECT p.r = '(1,2)' FROM (SELECT ROW(1, 2) AS r) AS p", "0A000"),
        ("SELECT (ROW(1, 2)).f3", "42703"),
        ("SELECT (a).f1 FROM pairs", "42809"),
        ("SELECT (1, 2) = (SELECT 1, 2)", "0A000"),
        ("CREATE VIEW v AS SELECT pairs FROM pairs", "42P16"),
        ("CREATE MATERIALIZED VIEW v AS SELECT ARRAY[ROW(a)] AS r FROM pairs", "42P16"),
        ("CREATE TABLE t AS SELECT LIST[ROW(1)] AS r", "42P16"),
        ("CREATE INDEX ON pairs (ROW(a, b))", "42P16"),
        ("SELECT map_build(LIST[ROW(1, 2)])", "42883"),
        ("SELECT map_build(LIST[ROW('a')])", "42883"),
        ("SELECT map_build(1)", "42883"),
    ],
)
def test_refusals(runtime: InProcess, query: str, sqlstate: str) -> None:
    with runtime.connect() as connection, pytest.raises(psycopg.Error) as caught:
        connection.execute(query)  # type: ignore[arg-type]
    assert caught.value.sqlstate == sqlstate


def test_text_and_binary(runtime: InProcess) -> None:
    query = "SELECT ROW(1, 'a b', NULL, ROW(2.5, true), ARRAY[3]), ARRAY[ROW(1, 'x')]"
    with runtime.connect() as connection:
        cursor = connection.execute(query)
        assert [column.type_code for column in cursor.description or ()] == [2249, 2287]
        assert [column.name for column in cursor.description or ()] == ["row", "array"]
        assert cursor.fetchall() == [(("1", "a b", None, "(2.5,t)", "{3}"), [("1", "x")])]
        with connection.cursor(binary=True) as binary:
            ((first, second),) = binary.execute(query).fetchall()
        assert (first[0], first[1], first[2], first[4]) == (1, "a b", None, [3])
        assert [float(first[3][0]), first[3][1]] == [2.5, True]
        assert second == [(1, "x")]


def test_names(runtime: InProcess) -> None:
    """A column goes before the row of a table of its name."""
    assert runtime.query("SELECT a FROM pairs AS a ORDER BY a.a LIMIT 1") == [(1,)]
    assert runtime.query("SELECT (s).b FROM (SELECT a, b FROM pairs) AS s ORDER BY s LIMIT 1") == [("x",)]
    assert runtime.query("SELECT g FROM generate_series(1, 1) AS g") == [(1,)]
    assert runtime.query("SELECT map_build(LIST[('b', 1), ('a', 2), ('b', 3)])") == [("{a=>2,b=>3}",)]


def test_maintained(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE kept (id int, a int, b text)")
        query = (
            "SELECT (r).f1 AS a, r::text AS r, count(*) AS n, count(DISTINCT (a, b)) AS d, array_agg(row(id, b))::text AS ids"
            " FROM (SELECT *, ROW(a, b) AS r FROM kept) AS s GROUP BY r"
        )
        connection.execute(f"CREATE MATERIALIZED VIEW grouped AS {query}")  # type: ignore[arg-type]
        for statement in (
            "INSERT INTO kept VALUES (1, 1, 'x'), (2, 1, 'x'), (3, NULL, 'x'), (4, NULL, NULL)",
            "UPDATE kept SET b = 'y' WHERE id IN (1, 3)",
            "INSERT INTO kept VALUES (5, NULL, NULL), (6, 1, 'y')",
            "DELETE FROM kept WHERE (a, b) = (1, 'x')",
            "DELETE FROM kept WHERE ROW(a, b) IS NULL",
        ):
            connection.execute(statement)  # type: ignore[arg-type]
            shown = connection.execute("SELECT * FROM grouped").fetchall()
            assert sorted(map(repr, shown)) == sorted(map(repr, connection.execute(query).fetchall()))  # type: ignore[arg-type]
        assert connection.execute("SELECT r, n, ids FROM grouped ORDER BY r").fetchall() == [
            ("(,y)", 1, '{"(3,y)"}'),
            ("(1,y)", 2, '{"(1,y)","(6,y)"}'),
        ]
        connection.execute("DROP TABLE kept CASCADE")
