"""Constructs of other warehouses against DuckDB: queries, and materialized views over random changes.

What DuckDB has not is written in its terms.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from random import Random
from typing import Any

import duckdb
import psycopg
import pytest
from inprocess import rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]

TABLE = "CREATE TABLE t (k int, a int, b text, c float8, d date, e timestamp)"
OTHER = "CREATE TABLE u (k int, a int, f text)"

QUERIES = [
    "SELECT * EXCLUDE (b, e) FROM t",
    "SELECT * EXCLUDE b FROM t",
    "SELECT t.* EXCLUDE (a) FROM t JOIN u ON t.k = u.k",
    "SELECT * EXCLUDE (k, e) FROM t JOIN u USING (k)",
    "SELECT t.* EXCLUDE (k), u.* FROM t LEFT JOIN u ON t.k = u.k AND t.a = u.a",
    "SELECT * REPLACE (a + 1 AS a, upper(b) AS b) FROM t",
    "SELECT * EXCLUDE (e) REPLACE (b || '!' AS b) FROM t",
    "SELECT * RENAME (a AS x) FROM t",
    "SELECT k, a, sum(c), count(*) FROM t GROUP BY ALL",
    "SELECT k % 2, count(b) FROM t GROUP BY ALL HAVING count(*) > 1",
    "SELECT sum(a) FROM t GROUP BY ALL",
    "SELECT k, b FROM t GROUP BY ALL",
    "SELECT 1 FROM t GROUP BY ALL",
    "SELECT 1, sum(a) FROM t WHERE k > 100 GROUP BY ALL",
    "SELECT upper('x'), k, count(a) FROM t WHERE k > 100 GROUP BY ALL",
    "SELECT k, a FROM t ORDER BY ALL NULLS LAST",
    "SELECT k, a FROM t UNION SELECT k, a FROM u ORDER BY ALL DESC NULLS LAST",
    "FROM t",
    "FROM t WHERE a > 1",
    "FROM t SELECT k, a WHERE b IS NOT NULL",
    "FROM t JOIN u USING (k) SELECT k, count(*) AS n GROUP BY ALL",
    "SELECT x.n FROM (FROM t SELECT k, count(*) AS n GROUP BY k) AS x",
    "WITH x AS (FROM u) SELECT count(*) FROM x",
    "SELECT k, TRY_CAST(b AS int), TRY_CAST(a AS text) FROM t",
    "SELECT TRY_CAST(b AS date) FROM t WHERE b IN ('x', '', '2024-02-29')",
    "SELECT TRY_CAST(a * 20000 AS smallint), TRY_CAST(c * 1e300 AS real) FROM t",
    "SELECT sum(TRY_CAST(b AS bigint)) FROM t",
    "SELECT k, count_if(a > 1) AS n FROM t GROUP BY k",
    "SELECT k, count_if(a > 1) FILTER (WHERE b IS NOT NULL) FROM t GROUP BY k",
    "SELECT k, max_by(b, c), min_by(b, c), arg_max(a, c), arg_min(a, c) FROM t GROUP BY k",
    "SELECT max_by(b, c), arg_min(a, c) FROM t",
    "SELECT max_by(b, c) FROM t WHERE k > 100",
    "SELECT k, max_by(a, c) FILTER (WHERE a > 0) FROM t GROUP BY ALL",
    "SELECT datediff('year', d, e), datediff('quarter', d, e), datediff('month', d, e) FROM t",
    "SELECT datediff('day', d, e), date_diff('day', e, d) FROM t",
    "SELECT datediff('hour', d, e), datediff('minute', e, d), datediff('second', d, e) FROM t",
    "SELECT datediff('millisecond', d, e), datediff('microsecond', e, d), datediff('second', e, e) FROM t",
]
"""In the syntax that both have."""

WRITTEN_OUT = [
    ("SELECT iff(a > 1, b, 'no') FROM t", "SELECT CASE WHEN a > 1 THEN b ELSE 'no' END FROM t"),
    ("SELECT count_if(a > 1), count_if(b IS NULL) FROM t", "SELECT count(*) FILTER (a > 1), count(*) FILTER (b IS NULL) FROM t"),
    ("SELECT count_if(a > 1) FROM t WHERE k > 100", "SELECT 0"),
    ("SELECT nvl(a, 0), nvl(b, 'x') FROM t", "SELECT coalesce(a, 0), coalesce(b, 'x') FROM t"),
    ("SELECT nvl2(a, b, 'none') FROM t", "SELECT CASE WHEN a IS NOT NULL THEN b ELSE 'none' END FROM t"),
    ("SELECT zeroifnull(a), nullifzero(a) FROM t", "SELECT coalesce(a, 0), nullif(a, 0) FROM t"),
    ("SELECT datediff(day, d, e), datediff(YEAR, d, e) FROM t", "SELECT datediff('day', d, e), datediff('year', d, e) FROM t"),
    ("SELECT datediff('week', d, e) FROM t", "SELECT (date_trunc('week', e)::date - date_trunc('week', d)::date) / 7 FROM t"),
    ("SELECT dateadd(day, a, d), dateadd(week, -1, d) FROM t", "SELECT d + a, d - 7 FROM t"),
    ("SELECT dateadd(month, a, d), dateadd(year, 1, d) FROM t", "SELECT (d + to_months(a))::date, (d + to_years(1))::date FROM t"),
    ("SELECT dateadd(quarter, 1, e), dateadd(hour, a, e) FROM t", "SELECT e + to_months(3), e + to_hours(a) FROM t"),
    ("SELECT dateadd(minute, a, d), dateadd('second', 1, e) FROM t", "SELECT d + to_minutes(a), e + to_seconds(1) FROM t"),
    ("SELECT dateadd(millisecond, a, e) FROM t", "SELECT e + to_milliseconds(a) FROM t"),
    ("SELECT k, sum(iff(a > 1, 1, 0)), iff(sum(a) > 3, 'much', 'little') FROM t GROUP BY ALL", "SELECT k, sum(CASE WHEN a > 1 THEN 1 ELSE 0 END), CASE WHEN sum(a) > 3 THEN 'much' ELSE 'little' END FROM t GROUP BY k"),
    ("SELECT * EXCEPT (a, c) FROM t", "SELECT k, b, d, e FROM t"),
    ("SELECT t.* EXCEPT (a), f FROM t JOIN u USING (k)", "SELECT k, b, c, d, e, f FROM t JOIN u USING (k)"),
]  # fmt: skip
"""Each with what it is in DuckDB's syntax."""

PAIRS = [*((query, query) for query in QUERIES), *WRITTEN_OUT]


def _value(random: Random, kind: str) -> str:
    """A literal; the values of `c` differ within a table, so that no greatest one is a tie."""
    if random.random() < 0.15:
        return "NULL"
    match kind:
        case "int":
            return str(random.randint(-3, 4))
        case "text":
            return random.choice(
                ("'1'", "'-7'", "'x'", "''", "' 12 '", "'2024-02-29'", "'99999999999'", "'y'")
            )
        case "float":
            return str(random.randint(-(10**9), 10**9) / 8)
        case "date":
            return f"'20{random.randint(19, 25)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}'"
        case _:
            return f"{_value(random, 'date').rstrip(chr(39))} {random.randint(0, 23):02}:{random.randint(0, 59):02}:{random.randint(0, 59):02}.{random.randint(0, 999):03}'".replace("NULL ", "'2024-01-31 ")  # fmt: skip


def _changes(random: Random) -> list[str]:
    kinds = ("int", "text", "float", "date", "timestamp")
    of_t = ", ".join(
        f"({random.randint(1, 4)}, {', '.join(_value(random, kind) for kind in kinds)})" for _ in range(8)
    )
    of_u = ", ".join(
        f"({random.randint(1, 5)}, {_value(random, 'int')}, {_value(random, 'text')})" for _ in range(3)
    )
    return [
        f"INSERT INTO t VALUES {of_t}",
        f"INSERT INTO u VALUES {of_u}",
        f"UPDATE t SET a = {_value(random, 'int')}, b = {_value(random, 'text')} WHERE k = {random.randint(1, 4)}",
        f"DELETE FROM t WHERE a = {random.randint(-3, 4)}",
        f"DELETE FROM u WHERE k = {random.randint(1, 5)}",
    ]


def _same(ours: list[tuple[Any, ...]], theirs: list[tuple[Any, ...]]) -> bool:
    return _counted(ours) == _counted(theirs)


def _counted(found: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """With numbers by value: sums are of other types there, and so are whole floats."""
    return Counter(
        tuple(
            float(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else value
            for value in row
        )
        for row in found
    )


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(2))
def test_queries_and_views_equal_duckdb(db: Db, seed: int) -> None:
    random = Random(seed)
    duck = duckdb.connect()
    for statement in (TABLE, OTHER):
        db.execute(statement)  # type: ignore[call-overload]
        duck.execute(statement)
    views = list(enumerate(PAIRS))
    for number, (query, _) in views:
        width = len(db.execute(query).description or ())  # type: ignore[call-overload]
        names = ", ".join(f"c{place}" for place in range(width))
        db.execute(f"CREATE MATERIALIZED VIEW m{number} ({names}) AS {query}")  # type: ignore[arg-type]
    for statements in (
        [],
        _changes(random),
        _changes(random),
        ["DELETE FROM t WHERE k = 2"],
        ["DELETE FROM t"],
    ):
        for statement in statements:
            db.execute(statement)  # type: ignore[call-overload]
            duck.execute(statement)
        for number, (query, theirs) in views:
            expected = duck.execute(theirs).fetchall()
            assert _same(rows(db, query), expected), query
            assert _same(rows(db, f"SELECT * FROM m{number}"), expected), f"as a view: {query}"


def test_names_of_columns(db: Db) -> None:
    db.execute(TABLE)  # type: ignore[call-overload]

    def names(query: str) -> list[str]:
        return [column.name for column in db.execute(query).description or ()]  # type: ignore[call-overload]

    assert names("SELECT * EXCLUDE (a, b) REPLACE (1 AS c) RENAME (d AS day) FROM t") == [
        "k",
        "c",
        "day",
        "e",
    ]
    assert names("SELECT TRY_CAST(a AS text), TRY_CAST('1' AS int), iff(true, 1, 2), count_if(true) OVER () FROM t") == [
        "a", "int4", "iff", "count_if",
    ]  # fmt: skip
    assert names("FROM t") == ["k", "a", "b", "c", "d", "e"]


def test_ties_and_nulls(db: Db) -> None:
    db.execute("CREATE TABLE t (a text, k int)")
    db.execute("INSERT INTO t VALUES ('z', 2), ('b', 2), ('c', 1), ('a', 1), (NULL, 3), ('q', NULL)")
    assert rows(db, "SELECT max_by(a, k), min_by(a, k) FROM t") == [("b", "a")]


def test_a_users_own_goes_first(db: Db) -> None:
    db.execute("CREATE FUNCTION iff(a bool, b int, c int) RETURNS int LANGUAGE sql AS $$ SELECT 42 $$")
    db.execute("CREATE FUNCTION try_cast(a text) RETURNS int LANGUAGE sql AS $$ SELECT 7 $$")
    db.execute(
        "CREATE AGGREGATE FUNCTION count_if(a bool) RETURNS bigint LANGUAGE sql AS $$ count(*) * 100 $$"
    )
    db.execute("CREATE TABLE t (exclude int, replace int, nvl int, count_if int)")
    db.execute("INSERT INTO t VALUES (1, 2, 3, 4)")
    assert rows(db, "SELECT iff(true, 1, 2), try_cast('x'), count_if(false) FROM t") == [(42, 7, 100)]
    assert rows(db, "SELECT exclude, replace, nvl, count_if FROM t") == [(1, 2, 3, 4)]
    assert rows(db, "SELECT exclude AS rename FROM t GROUP BY ALL exclude") == [(1,)]
    assert rows(db, "SELECT 1 EXCEPT (SELECT 2)") == [(1,)]
    assert rows(db, "SELECT * FROM t EXCEPT (SELECT 1, 2, 3, 5)") == [(1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("query", "sqlstate"),
    [
        ("SELECT * EXCLUDE (zz) FROM t", "42703"),
        ("SELECT * EXCLUDE (a, a) FROM t", "42601"),
        ("SELECT * EXCLUDE (a) REPLACE (1 AS a) FROM t", "42703"),
        ("SELECT * REPLACE (1) FROM t", "42601"),
        ("SELECT a, b, sum(c) + a FROM t GROUP BY a", "42803"),
        ("SELECT a + sum(c) FROM t GROUP BY ALL", "42803"),
        ("SELECT array_agg(a ORDER BY ALL) FROM t", "42601"),
        ("SELECT TRY_CAST(a AS nothing) FROM t", "42704"),
        ("SELECT TRY_CAST(true AS date)", "42846"),
        ("SELECT TRY_CAST(1 / 0 AS text)", "22012"),
        ("SELECT TRY_CAST('Jan 5 2024' AS date)", "0A000"),
        ("SELECT datediff('fortnight', d, d) FROM t", "22023"),
        ("SELECT datediff(d, d) FROM t", "42883"),
        ("SELECT dateadd(day, 'x', d) FROM t", "22P02"),
        ("SELECT iff(a, 1, 2) FROM t", "42804"),
        ("INSERT INTO t (a) VALUES (1) RETURNING * EXCLUDE (a)", "0A000"),
        ("SELECT max_by(a, c) OVER () FROM t", "0A000"),
    ],
)
def test_errors(db: Db, query: str, sqlstate: str) -> None:
    db.execute(TABLE)  # type: ignore[call-overload]
    with pytest.raises(errors.Error) as raised:
        db.execute(query)  # type: ignore[call-overload]
    assert raised.value.sqlstate == sqlstate
