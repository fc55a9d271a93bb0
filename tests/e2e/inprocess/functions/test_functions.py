"""Functions in SQL: the same statements here and in PostgreSQL, and what only this runtime has: views that are maintained."""

from __future__ import annotations

from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors
from ptvc.sql.calls.function_calls import MAX_NESTING

from ..side_by_side import compare, script

Db = psycopg.Connection[tuple[Any, ...]]


def test_as_in_postgres(runtime: InProcess, empty_database: str) -> None:
    with runtime.connect() as ours, psycopg.connect(empty_database, autocommit=True) as theirs:
        compare(ours, theirs, script("functions"))


def define(db: Db) -> None:
    db.execute("CREATE TABLE t (k int, v int)")
    db.execute("CREATE FUNCTION twice(x int) RETURNS bigint LANGUAGE sql STRICT AS 'SELECT x * 2'")
    db.execute(
        "CREATE FUNCTION total(n int) RETURNS bigint LANGUAGE sql AS 'SELECT sum(v) FROM t WHERE k = n'"
    )
    db.execute(
        "CREATE FUNCTION best(n int) RETURNS text LANGUAGE sql AS "
        "$$ SELECT v || ' of ' || total(k) FROM t WHERE k >= n ORDER BY v DESC, k $$"
    )


@pytest.mark.parametrize("seed", range(2))
def test_a_view_over_functions_is_maintained(db: Db, seed: int) -> None:
    """However the tables change, it is what the query gives."""
    define(db)
    query = (
        "SELECT k, twice(v) AS t, total(k) AS s, total(k + 1) AS n, best(k) AS b, "
        "CASE WHEN twice(k) > 4 THEN best(k + 1) END AS c FROM t"
    )
    db.execute(f"CREATE MATERIALIZED VIEW m AS {query}")
    db.execute(f"CREATE VIEW w AS {query}")
    db.execute("CREATE INDEX ON w (k)")
    random = Random(seed)
    for _ in range(6):
        match random.randrange(3):
            case 0:
                values = [f"({random.randrange(5)}, {random.choice(['NULL', '1', '30'])})" for _ in range(4)]
                db.execute(f"INSERT INTO t VALUES {', '.join(values)}")  # type: ignore[call-overload]
            case 1:
                db.execute(f"DELETE FROM t WHERE k = {random.randrange(5)}")
            case _:
                db.execute(f"UPDATE t SET v = total(k)::int % 7 WHERE k = {random.randrange(5)}")
        expected = rows(db, f"{query} ORDER BY 1, 2, 5")
        assert rows(db, "SELECT * FROM m ORDER BY 1, 2, 5") == expected
        assert rows(db, "SELECT * FROM w ORDER BY 1, 2, 5") == expected


def test_errors_in_a_body_are_data(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE FUNCTION inverse(x int) RETURNS int LANGUAGE sql AS 'SELECT 10 / x'")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT a, inverse(a) AS i FROM t")
    db.execute("INSERT INTO t VALUES (0), (5)")
    with pytest.raises(errors.DivisionByZero):
        db.execute("SELECT * FROM m")
    db.execute("DELETE FROM t WHERE a = 0")
    assert rows(db, "SELECT * FROM m") == [(5, 2)]


def test_what_is_over_a_function_keeps_it(db: Db, schema: str) -> None:
    define(db)
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT k, twice(v) AS d FROM t")
    db.execute("CREATE INDEX i ON t (twice(k))")
    with pytest.raises(errors.DependentObjectsStillExist) as error:
        db.execute("DROP FUNCTION twice")
    assert error.value.diag.message_detail == (
        f"materialized view {schema}.m depends on function {schema}.twice(integer)\n"
        f"index {schema}.i depends on function {schema}.twice(integer)"
    )
    with pytest.raises(errors.DependentObjectsStillExist, match="cannot replace function twice"):
        db.execute(
            "CREATE OR REPLACE FUNCTION twice(x int) RETURNS bigint LANGUAGE sql STRICT AS 'SELECT x * 3'"
        )
    # The same again, or what nothing depends on, is no other definition.
    for volatility in ("", "IMMUTABLE", "STABLE PARALLEL SAFE"):
        db.execute(
            f"CREATE OR REPLACE FUNCTION twice(x int) RETURNS bigint LANGUAGE sql STRICT {volatility} AS 'SELECT x * 2'"
        )
    assert rows(db, "SELECT provolatile, proparallel FROM pg_proc WHERE proname = 'twice'") == [("s", "s")]
    db.execute("ALTER FUNCTION twice RENAME TO doubled")
    db.execute("INSERT INTO t VALUES (1, 4)")
    assert rows(db, "SELECT * FROM m") == [(1, 8)]
    db.execute("DROP FUNCTION doubled CASCADE")
    assert rows(db, "SELECT name FROM mz_catalog.mz_objects WHERE name IN ('m', 'i', 'doubled')") == []


def test_functions_are_found_after_a_restart(fresh: InProcess) -> None:
    with fresh.connect() as db:
        define(db)
        db.execute("CREATE FUNCTION def(a int, b text DEFAULT 'z') RETURNS text RETURN a || b")
        db.execute("COMMENT ON FUNCTION twice IS 'kept'")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT k, best(k) AS b FROM t")
        before = rows(db, "SELECT oid, pg_get_functiondef(oid) FROM pg_proc ORDER BY oid")
    fresh.stop()
    fresh.start()
    with fresh.connect() as db:
        assert rows(db, "SELECT oid, pg_get_functiondef(oid) FROM pg_proc ORDER BY oid") == before
        assert rows(db, "SELECT def(1), twice(4), obj_description('twice'::regproc, 'pg_proc')") == [
            ("1z", 8, "kept")
        ]
        db.execute("INSERT INTO t VALUES (1, 4), (1, 5)")
        eventually(lambda: rows(db, "SELECT DISTINCT b FROM m") == [("5 of 9",)])
        with pytest.raises(errors.DependentObjectsStillExist):
            db.execute("DROP FUNCTION best")


def test_the_text_of_a_function_makes_it_again(db: Db) -> None:
    define(db)
    db.execute("""CREATE FUNCTION "Odd $function$"("a b" text DEFAULT 'x') RETURNS text LANGUAGE sql
        AS $$ SELECT '$function$' || $1 $$""")
    texts = "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace <> 11 ORDER BY proname"
    before = rows(db, texts)
    for (text,) in before:
        db.execute(text)
    db.execute('DROP FUNCTION twice, total, best, "Odd $function$"')
    for (text,) in sorted(before, key=lambda row: "best" in row[0]):
        db.execute(text)
    assert rows(db, texts) == before


def test_a_function_is_called_by_whoever_reads_the_view(runtime: InProcess, db: Db, schema: str) -> None:
    """As in PostgreSQL; relations below the view are read by its owner."""
    define(db)
    db.execute("INSERT INTO t VALUES (1, 2)")
    db.execute("CREATE VIEW v AS SELECT twice(v) AS d, total(k) AS s FROM t")
    db.execute("CREATE ROLE caller")
    try:
        db.execute(f"GRANT USAGE ON SCHEMA {schema} TO caller")
        db.execute("GRANT SELECT ON v TO caller")
        db.execute("SET ROLE caller")
        assert rows(db, "SELECT * FROM v") == [(4, 2)]
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied for table t"):
            db.execute("SELECT total(1)")
        db.execute("RESET ROLE")
        db.execute("REVOKE EXECUTE ON FUNCTION twice FROM PUBLIC")
        db.execute("SET ROLE caller")
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied for function twice"):
            db.execute("SELECT * FROM v")
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied for function twice"):
            db.execute("CREATE TEMP TABLE x AS SELECT twice(1)")
    finally:
        db.execute("RESET ROLE")
        db.execute("DROP OWNED BY caller")
        db.execute("DROP ROLE caller")


def test_cached_plans_follow_the_function(db: Db, other: Db) -> None:
    db.execute("CREATE FUNCTION f(x int) RETURNS int LANGUAGE sql AS 'SELECT x + 1'")
    for _ in range(3):
        assert rows(other, "SELECT f(%s)", (1,)) == [(2,)]
    db.execute("CREATE OR REPLACE FUNCTION f(x int) RETURNS int LANGUAGE sql AS 'SELECT x + 2'")
    assert rows(other, "SELECT f(%s)", (1,)) == [(3,)]
    db.execute("DROP FUNCTION f")
    with pytest.raises(errors.UndefinedFunction):
        other.execute("SELECT f(%s)", (1,))


def test_what_a_body_reads_may_go(db: Db) -> None:
    """A body that is a string depends on nothing, as in PostgreSQL."""
    define(db)
    db.execute("DROP TABLE t")
    with pytest.raises(errors.UndefinedTable):
        db.execute("SELECT total(1)")
    db.execute("CREATE TABLE t (k int, v int)")
    assert rows(db, "SELECT total(1)") == [(None,)]


REFUSED = {
    "CREATE FUNCTION f(x int) RETURNS int LANGUAGE sql AS 'SELECT f(x)'": "42883",
    "CREATE FUNCTION lower(x int) RETURNS int LANGUAGE sql AS 'SELECT x'": "0A000",
    "CREATE FUNCTION count(x int) RETURNS int LANGUAGE sql AS 'SELECT x'": "0A000",
    "CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql AS 'SELECT 1'": "0A000",
    "CREATE FUNCTION f() RETURNS TABLE (a int) LANGUAGE sql AS 'SELECT 1'": "0A000",
    "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'SELECT 1'": "0A000",
    "CREATE FUNCTION f(anyelement) RETURNS int LANGUAGE sql AS 'SELECT 1'": "0A000",
    "CREATE FUNCTION f(VARIADIC a int[]) RETURNS int LANGUAGE sql AS 'SELECT 1'": "0A000",
    "CREATE FUNCTION f(OUT a int) RETURNS int LANGUAGE sql AS 'SELECT 1'": "0A000",
    "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'": "0A000",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'": "0A000",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql SET search_path = x AS 'SELECT 1'": "0A000",
    "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END": "0A000",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1; SELECT 2'": "0A000",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SHOW search_path'": "0A000",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'INSERT INTO t VALUES (1) RETURNING 1'": "0A000",
    "CREATE FUNCTION f() RETURNS float LANGUAGE sql AS 'SELECT random() FROM t'": "0A000",
    "CREATE FUNCTION f() RETURNS int RETURN (SELECT 1)": "0A000",
    "CREATE FUNCTION f() RETURNS int RETURN 1 IMMUTABLE": "42601",
    "CREATE FUNCTION f( RETURNS int LANGUAGE sql AS 'SELECT 1'": "42601",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT ((((1'": "42601",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1' COST x": "42601",
    "CREATE FUNCTION pg_catalog.f() RETURNS int LANGUAGE sql AS 'SELECT 1'": "42501",
    "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'": "0A000",
    "CREATE TABLE u (a int DEFAULT g(1))": "0A000",
    "CREATE TABLE u (a int CHECK (g(a) > 1))": "0A000",
    "CREATE OR REPLACE FUNCTION g(x int) RETURNS int LANGUAGE sql AS 'SELECT g(x)'": "0A000",
    "CREATE OR REPLACE FUNCTION g(x int) RETURNS int LANGUAGE sql AS 'SELECT h(x)'": "0A000",
    "CREATE MATERIALIZED VIEW m AS SELECT who()": "0A000",
    "SELECT g(mz_now())": "42883",
    "SELECT g(1) OVER ()": "42809",
    "SELECT upper(a => 'x')": "0A000",
    "SELECT * FROM generate_series(start => 1, stop => 2)": "0A000",
    "SELECT * FROM t JOIN t AS s ON r(t.k) = s.k": "0A000",
    "ALTER FUNCTION g STRICT": "0A000",
    "ALTER FUNCTION g RENAME TO lower": "0A000",
    "ALTER FUNCTION g SET SCHEMA pg_catalog": "0A000",
    "DROP FUNCTION g(nonsense)": "42704",
    "DROP FUNCTION g(": "42601",
}


@pytest.mark.parametrize("sql", REFUSED)
def test_refused(db: Db, sql: str) -> None:
    db.execute("CREATE TABLE t (k int, v int)")
    db.execute("CREATE FUNCTION g(x int) RETURNS int LANGUAGE sql AS 'SELECT x'")
    db.execute("CREATE FUNCTION h(x int) RETURNS int LANGUAGE sql AS 'SELECT g(x)'")
    db.execute("CREATE FUNCTION who() RETURNS name LANGUAGE sql AS 'SELECT current_user'")
    db.execute("CREATE FUNCTION r(x int) RETURNS int LANGUAGE sql AS 'SELECT v FROM t WHERE k = x'")
    with pytest.raises(psycopg.Error) as error:
        db.execute(sql)  # type: ignore[call-overload]
    assert error.value.sqlstate == REFUSED[sql]
    assert rows(db, "SELECT g(1), h(2)") == [(1, 2)]


def test_calls_do_not_grow_without_bounds(db: Db) -> None:
    """Each call doubles its argument: refused where it is too much, in no time."""
    db.execute("CREATE FUNCTION d0(x int) RETURNS int LANGUAGE sql AS 'SELECT x + x'")
    for n in range(1, 6):
        db.execute(
            f"CREATE FUNCTION d{n}(x int) RETURNS int LANGUAGE sql AS 'SELECT d{n - 1}(x) + d{n - 1}(x)'"
        )
    assert rows(db, "SELECT d5(1)") == [(64,)]
    with pytest.raises(psycopg.errors.StatementTooComplex):
        db.execute("SELECT d5(d5(d5(k))) FROM (VALUES (1)) AS t(k)")
    nested = "k"
    for _ in range(30):
        nested = f"d0({nested})"
    with pytest.raises(psycopg.errors.StatementTooComplex):
        db.execute(f"SELECT {nested} FROM (VALUES (1)) AS t(k)")  # type: ignore[call-overload]


def test_chains_of_functions_end(db: Db) -> None:
    db.execute("CREATE FUNCTION c0(x int) RETURNS int LANGUAGE sql AS 'SELECT x + 1'")
    for n in range(1, MAX_NESTING):
        db.execute(f"CREATE FUNCTION c{n}(x int) RETURNS int LANGUAGE sql AS 'SELECT c{n - 1}(x) + 1'")
    with pytest.raises(psycopg.errors.StatementTooComplex):
        db.execute(f"CREATE FUNCTION one_more(x int) RETURNS int LANGUAGE sql AS 'SELECT c{n}(x)'")
    assert rows(db, f"SELECT c{n}(1)") == [(1 + MAX_NESTING,)]


def test_a_function_and_a_relation_of_one_name(db: Db) -> None:
    db.execute("CREATE FUNCTION g(x int) RETURNS int LANGUAGE sql AS 'SELECT x'")
    db.execute("CREATE TABLE g (a int)")
    db.execute("INSERT INTO g SELECT g(4)")
    assert rows(db, "SELECT g(a) FROM g") == [(4,)]
    db.execute("DROP TABLE g")
    assert rows(db, "SELECT g(1)") == [(1,)]


def test_show_and_psql_list_functions(db: Db, schema: str) -> None:
    define(db)
    assert rows(db, "SHOW FUNCTIONS") == [
        ("best", "n integer", "text"),
        ("total", "n integer", "bigint"),
        ("twice", "x integer", "bigint"),
    ]
    assert rows(db, f"SHOW FUNCTIONS FROM {schema} LIKE 't%'") == [
        ("total", "n integer", "bigint"),
        ("twice", "x integer", "bigint"),
    ]
    listed = rows(
        db,
        """SELECT n.nspname AS "Schema", p.proname AS "Name",
          pg_catalog.pg_get_function_result(p.oid) AS "Result data type",
          pg_catalog.pg_get_function_arguments(p.oid) AS "Argument data types",
          CASE p.prokind WHEN 'a' THEN 'agg' WHEN 'w' THEN 'window' WHEN 'p' THEN 'proc' ELSE 'func' END AS "Type"
        FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE pg_catalog.pg_function_is_visible(p.oid) AND n.nspname <> 'pg_catalog'
          AND n.nspname <> 'information_schema'
        ORDER BY 1, 2, 4""",
    )
    assert listed == [
        (schema, "best", "text", "n integer", "func"),
        (schema, "total", "bigint", "n integer", "func"),
        (schema, "twice", "bigint", "x integer", "func"),
    ]


def test_aggregates(db: Db) -> None:
    """They mean what is written out."""
    db.execute("CREATE TABLE t (k int, v int)")
    db.execute("INSERT INTO t VALUES (1, 5), (1, 9), (2, 3), (2, NULL), (3, 7)")
    db.execute("CREATE AGGREGATE FUNCTION spread(x int) RETURNS int LANGUAGE sql AS 'max(x) - min($1)'")
    db.execute(
        "CREATE AGGREGATE FUNCTION weighed(x numeric, y float DEFAULT 2) RETURNS float AS 'sum(x * y)' LANGUAGE sql"
    )
    pairs = {
        "SELECT spread(v), weighed(v), weighed(v, k) FROM t": "SELECT max(v) - min(v), sum(v * 2.0::float), sum(v * k::float) FROM t",
        "SELECT k, spread(v + 1) + 1 AS s FROM t GROUP BY k HAVING spread(v) >= 0 ORDER BY spread(v) DESC, k": "SELECT k, max(v + 1) - min(v + 1) + 1 FROM t GROUP BY k HAVING max(v) - min(v) >= 0 ORDER BY max(v) - min(v) DESC, k",
        "SELECT spread(v) FILTER (WHERE k = 1) FROM t": "SELECT max(v) FILTER (WHERE k = 1) - min(v) FILTER (WHERE k = 1) FROM t",
        "SELECT k, v, spread(v) OVER (PARTITION BY k) FROM t ORDER BY 1, 2": "SELECT k, v, max(v) OVER (PARTITION BY k) - min(v) OVER (PARTITION BY k) FROM t ORDER BY 1, 2",
        "SELECT t.k, (SELECT spread(u.v) FROM t AS u WHERE u.k = t.k) FROM t ORDER BY 1": "SELECT t.k, (SELECT max(u.v) - min(u.v) FROM t AS u WHERE u.k = t.k) FROM t ORDER BY 1",
    }
    for ours, written in pairs.items():
        assert rows(db, ours) == rows(db, written)
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT k, spread(v), weighed(v) AS w FROM t GROUP BY k")
    db.execute("INSERT INTO t VALUES (3, 10), (2, 4)")
    db.execute("DELETE FROM t WHERE v = 9")
    assert rows(db, "SELECT k, spread, w FROM m ORDER BY 1") == [(1, 0, 10.0), (2, 1, 14.0), (3, 3, 34.0)]
    assert rows(db, "SELECT proname, prokind FROM pg_proc WHERE pronamespace <> 11 ORDER BY 1") == [
        ("spread", "a"),
        ("weighed", "a"),
    ]
    with pytest.raises(errors.DependentObjectsStillExist):
        db.execute("DROP AGGREGATE spread(int)")
    db.execute("DROP AGGREGATE spread(int), weighed CASCADE")


BAD_AGGREGATES = {
    "CREATE AGGREGATE FUNCTION bad(x int) RETURNS int LANGUAGE sql AS 'x + 1'": "42P13",
    "CREATE AGGREGATE FUNCTION bad(x int) RETURNS int LANGUAGE sql AS 'sum(x) + x'": "42803",
    "CREATE AGGREGATE FUNCTION bad(x int) RETURNS int LANGUAGE sql AS 'sum(y)'": "42703",
    "CREATE AGGREGATE FUNCTION bad(x int) RETURNS date LANGUAGE sql AS 'sum(x)'": "42P13",
    "CREATE AGGREGATE FUNCTION bad(x int) RETURNS int LANGUAGE sql AS 'sum($2)'": "42P02",
    "CREATE AGGREGATE FUNCTION bad(x int) RETURNS int LANGUAGE sql AS 'sum(x) sum'": "42601",
    "CREATE AGGREGATE FUNCTION bad(x int) RETURNS int LANGUAGE sql AS 'sum((SELECT 1))'": "0A000",
    "CREATE AGGREGATE FUNCTION bad(x int) RETURNS int LANGUAGE sql STRICT AS 'sum(x)'": "0A000",
    "CREATE AGGREGATE bad(int) (SFUNC = f, STYPE = int)": "42P13",
    "SELECT spread(DISTINCT k) FROM t": "0A000",
    "SELECT spread(k) FROM t WHERE spread(k) > 1": "42803",
    "SELECT spread(k, 1) FROM t": "42883",
    "SELECT spread(spread(k)) FROM t": "42803",
    "DROP FUNCTION spread": "42809",
}


@pytest.mark.parametrize("sql", BAD_AGGREGATES)
def test_refused_aggregates(db: Db, sql: str) -> None:
    db.execute("CREATE TABLE t (k int)")
    db.execute("CREATE AGGREGATE FUNCTION spread(x int) RETURNS int LANGUAGE sql AS 'max(x) - min(x)'")
    with pytest.raises(psycopg.Error) as error:
        db.execute(sql)  # type: ignore[call-overload]
    assert error.value.sqlstate == BAD_AGGREGATES[sql]
