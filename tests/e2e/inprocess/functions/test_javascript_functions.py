"""Functions in JavaScript from CREATE to views: maintained through every change, across a restart, and whatever the code does."""

from __future__ import annotations

import importlib.metadata
from time import monotonic
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors, sql
from ptvc.expr.external import javascript_code

Db = psycopg.Connection[tuple[Any, ...]]

DOUBLED = "if (x === 13) {\n  throw new Error('unlucky');\n}\nreturn x * 2;"

JOINED = """
export function initialState() { return []; }
export function aggregate(state, key, value) { state.push(`${key}=${value}`); }
export function finalize(state) { return state.sort().join(" "); }
"""


def create(db: Db, signature: str, source: str, kind: str = "FUNCTION") -> None:
    db.execute(sql.SQL(f"CREATE {kind} {signature} LANGUAGE javascript AS {{}}").format(source))  # type: ignore[arg-type]


def define(db: Db) -> None:
    db.execute("CREATE TABLE t (k int, v int)")
    create(db, "doubled(x int) RETURNS bigint IMMUTABLE STRICT", DOUBLED)
    create(db, "joined(k int, v text) RETURNS text IMMUTABLE", JOINED, "AGGREGATE FUNCTION")


VIEW = "SELECT k, doubled(v) AS d FROM t WHERE doubled(k) > 0"
GROUPED = "SELECT k, joined(k, v::text) AS j, sum(doubled(v)) AS s FROM t GROUP BY k"


def changed(db: Db) -> None:
    """Whatever becomes of the table, the views are what their queries give."""
    for statement in (
        "INSERT INTO t VALUES (1, 1), (1, 2), (2, NULL), (3, 3), (0, 9)",
        "UPDATE t SET v = v + 10 WHERE k = 1",
        "INSERT INTO t VALUES (1, 12), (4, 5)",
        "DELETE FROM t WHERE v = 12 OR k = 3",
    ):
        db.execute(statement)  # type: ignore[call-overload]
        for view, query in (("m", VIEW), ("w", VIEW), ("g", GROUPED)):
            expected = rows(db, f"{query} ORDER BY 1, 2")
            assert rows(db, f"SELECT * FROM {view} ORDER BY 1, 2") == expected


def test_views_are_maintained_and_survive_a_restart(fresh: InProcess) -> None:
    with fresh.connect() as db:
        define(db)
        db.execute(f"CREATE MATERIALIZED VIEW m AS {VIEW}")
        db.execute(f"CREATE VIEW w AS {VIEW}")
        db.execute("CREATE INDEX ON w (k)")
        db.execute(f"CREATE MATERIALIZED VIEW g AS {GROUPED}")
        changed(db)
        before = rows(db, "SELECT * FROM g ORDER BY k")
        assert before == [(0, "0=9", 18), (1, "1=11", 22), (2, "2=null", None), (4, "4=5", 10)]
        texts = rows(db, "SELECT pg_get_functiondef(oid) FROM pg_proc ORDER BY oid")
    fresh.stop()
    fresh.start()
    with fresh.connect() as db:
        assert rows(db, "SELECT pg_get_functiondef(oid) FROM pg_proc ORDER BY oid") == texts
        eventually(lambda: rows(db, "SELECT * FROM g ORDER BY k") == before)
        changed(db)
        with pytest.raises(errors.DependentObjectsStillExist):
            db.execute("DROP FUNCTION doubled")
        for body, volatility in ((DOUBLED, "STABLE"), ("return x * 3", "IMMUTABLE")):
            with pytest.raises(errors.DependentObjectsStillExist):
                create(db, f"doubled(x int) RETURNS bigint {volatility} STRICT", body, "OR REPLACE FUNCTION")
        create(db, "doubled(x int) RETURNS bigint IMMUTABLE STRICT", DOUBLED, "OR REPLACE FUNCTION")
        with pytest.raises(psycopg.Error, match="cannot change language of existing function"):
            db.execute(
                "CREATE OR REPLACE FUNCTION doubled(x int) RETURNS bigint LANGUAGE sql AS 'SELECT x::bigint'"
            )
        db.execute("DROP FUNCTION doubled CASCADE")
        with pytest.raises(errors.UndefinedTable):
            db.execute("SELECT * FROM m")


def test_errors_of_rows_are_data(db: Db) -> None:
    define(db)
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT k, doubled(v) AS d FROM t")
    db.execute("INSERT INTO t VALUES (1, 13), (2, 4)")
    for query in ("SELECT * FROM m", "SELECT doubled(v) FROM t", "SELECT doubled(13)"):
        with pytest.raises(psycopg.Error, match="function doubled failed at line 2: Error: unlucky") as error:
            db.execute(query)  # type: ignore[call-overload]
        assert error.value.sqlstate == "38000"
    assert rows(db, "SELECT k, CASE WHEN v <> 13 THEN doubled(v) END FROM t ORDER BY k") == [
        (1, None),
        (2, 8),
    ]
    db.execute("DELETE FROM t WHERE v = 13")
    assert rows(db, "SELECT * FROM m") == [(2, 8)]


@pytest.mark.slow
def test_code_that_does_not_end_or_takes_all_memory(db: Db) -> None:
    """The runtime answers meanwhile, and the views are well again when the row is gone."""
    db.execute("CREATE TABLE t (x int)")
    source = "while (x === 1);\nif (x === 2) for (const all = [];;) all.push('x'.repeat(1000) + all.length);\nreturn x"
    create(db, "f(x int) RETURNS int IMMUTABLE TIMEOUT = '3s'", source)
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT f(x) FROM t")
    for value, message in (
        (1, "took longer than its TIMEOUT"),
        (2, "at line 2: InternalError: out of memory"),
    ):
        db.execute("INSERT INTO t VALUES (3), (%s)", (value,))
        with pytest.raises(psycopg.Error, match=message):
            db.execute("SELECT * FROM m")
        db.execute("DELETE FROM t WHERE x = %s", (value,))
        eventually(lambda: all(row == (3,) for row in rows(db, "SELECT * FROM m")))


def test_a_query_is_canceled_while_code_runs(db: Db, other: Db) -> None:
    create(db, "hangs(x int) RETURNS int TIMEOUT = '10min'", "for (;;);")
    db.execute("SET statement_timeout = '300ms'")
    before = monotonic()
    with pytest.raises(errors.QueryCanceled):
        db.execute("SELECT hangs(1)")
    assert monotonic() - before < 8
    assert rows(other, "SELECT 1") == [(1,)]


def test_aggregates(db: Db) -> None:
    define(db)
    assert rows(db, "SELECT joined(k, 'a') FROM t") == [("",)]
    db.execute("INSERT INTO t VALUES (1, 5), (1, 3), (2, NULL), (2, 5)")
    assert rows(db, "SELECT k, joined(k, v::text) FROM t GROUP BY k ORDER BY k") == [
        (1, "1=3 1=5"),
        (2, "2=5 2=null"),
    ]
    unsorted = JOINED.replace(".sort()", "").replace("key, value", "value").replace("${key}=", "")
    create(db, "listed(x int) RETURNS text STRICT", unsorted, "AGGREGATE FUNCTION")
    found = "SELECT listed(v ORDER BY v DESC), listed(DISTINCT v ORDER BY v), listed(v) FILTER (WHERE k = 3) FROM t"
    assert rows(db, found) == [("5 5 3", "3 5", "")]


def test_names_defaults_and_null(db: Db) -> None:
    create(
        db,
        """f("userId" int, rate float8 DEFAULT 0.5, note text = 'a') RETURNS text STABLE""",
        "return [userId, rate, note].map(String).join()",
    )
    assert rows(db, "SELECT f(1), f(2, note => 'b'), f(NULL, NULL)") == [
        ("1,0.5,a", "2,0.5,b", "null,null,a")
    ]
    create(db, "g(float8, float8) RETURNS float8", "return $1 / $2")
    assert rows(db, "SELECT g(1, 4), g(1.5, 0)") == [(0.25, float("inf"))]


def test_where_they_may_be_called(db: Db) -> None:
    define(db)
    create(db, "drawn() RETURNS float8", "return Math.random()")
    create(db, "today(x int) RETURNS int STABLE", "return x")
    for statement in (
        "CREATE VIEW v AS SELECT drawn() AS d",
        "CREATE MATERIALIZED VIEW v AS SELECT today(v) AS d FROM t",
        "CREATE TABLE s (a int DEFAULT doubled(1))",
        "SELECT * FROM t AS OF doubled(1)",
    ):
        with pytest.raises(errors.FeatureNotSupported):
            db.execute(statement)  # type: ignore[call-overload]
    assert 0 <= rows(db, "SELECT drawn()")[0][0] < 1
    create(db, "never() RETURNS float8 IMMUTABLE", "return Math.random()")
    with pytest.raises(psycopg.Error, match=r"Math.random\(\) is not there in an IMMUTABLE function"):
        db.execute("SELECT never()")


def test_only_superusers_create_them(db: Db, schema: str) -> None:
    define(db)
    db.execute("CREATE ROLE scripter")
    try:
        db.execute(f"GRANT ALL ON SCHEMA {schema} TO scripter")  # type: ignore[call-overload]
        db.execute("SET ROLE scripter")
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied for language javascript"):
            create(db, "g(x int) RETURNS int", "return x")
        assert rows(db, "SELECT doubled(1)") == [(2,)]
    finally:
        db.execute("RESET ROLE")
        db.execute("DROP OWNED BY scripter")
        db.execute("DROP ROLE scripter")


def test_what_is_wrong_is_said_at_once(db: Db, monkeypatch: pytest.MonkeyPatch) -> None:
    for signature, source, sqlstate in (
        ("f() RETURNS int", "return (", "42601"),
        ("f(class int) RETURNS int", "return 1", "42601"),
        ("f() RETURNS int HANDLER = 'h'", "return 1", "42P13"),
        ("f() RETURNS numeric", "return 1", "0A000"),
        ("f(x timestamp) RETURNS int", "return 1", "0A000"),
    ):
        with pytest.raises(psycopg.Error) as error:
            create(db, signature, source)
        assert error.value.sqlstate == sqlstate, signature

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(javascript_code, "version", missing)
    with pytest.raises(psycopg.Error) as error:
        create(db, "f() RETURNS int", "return 1")
    assert error.value.sqlstate == "58P01"
    assert "dbt-ptvc[javascript]" in str(error.value.diag.message_hint)
    assert rows(db, "SELECT proname FROM pg_proc WHERE proname = 'f'") == []


def test_catalogs_and_texts(db: Db, schema: str) -> None:
    define(db)
    create(db, "g(x float8 = 100) RETURNS text STABLE TIMEOUT = '2s'", "return `$function$ ${x}`")
    db.execute("CREATE FUNCTION h() RETURNS int LANGUAGE js AS 'return 1'")
    assert rows(db, "SELECT g(), g(1), h()") == [("$function$ 100", "$function$ 1", 1)]
    found = "SELECT proname, lanname, lanispl, lanpltrusted, prokind, provolatile FROM pg_proc p JOIN pg_language l ON l.oid = prolang WHERE pronamespace <> 11"
    assert rows(db, f"{found} ORDER BY 1") == [
        ("doubled", "javascript", True, False, "f", "i"),
        ("g", "javascript", True, False, "f", "s"),
        ("h", "javascript", True, False, "f", "v"),
        ("joined", "javascript", True, False, "a", "i"),
    ]
    routines = f"SELECT external_language FROM information_schema.routines WHERE routine_schema = '{schema}'"
    assert rows(db, routines) == [("JAVASCRIPT",)] * 4
    texts = "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace <> 11 ORDER BY proname"
    before = rows(db, texts)
    for (text,) in before:
        db.execute(text)
    db.execute("DROP FUNCTION doubled, g, h")
    db.execute("DROP AGGREGATE joined")
    for (text,) in before:
        db.execute(text)
    assert rows(db, texts) == before
