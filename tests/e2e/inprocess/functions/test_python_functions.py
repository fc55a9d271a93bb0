"""Functions in Python from CREATE to views: maintained through every change, across a restart, and whatever the code does."""

from __future__ import annotations

from time import monotonic
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors, sql

Db = psycopg.Connection[tuple[Any, ...]]

DOUBLED = "def doubled(x):\n    if x == 13:\n        raise ValueError('unlucky')\n    return x * 2"

CLASS = """
class Joined:
    def __init__(self):
        self.parts = []
    def accumulate(self, key, value):
        self.parts.append(f"{key}={value}")
    def finish(self):
        return " ".join(sorted(self.parts))
"""


def create(db: Db, signature: str, source: str, kind: str = "FUNCTION") -> None:
    db.execute(sql.SQL(f"CREATE {kind} {signature} LANGUAGE python AS {{}}").format(source))  # type: ignore[arg-type]


def define(db: Db) -> None:
    db.execute("CREATE TABLE t (k int, v int)")
    create(db, "doubled(x int) RETURNS bigint IMMUTABLE STRICT", DOUBLED)
    create(db, "joined(k int, v text) RETURNS text IMMUTABLE HANDLER = 'Joined'", CLASS, "AGGREGATE FUNCTION")


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
        assert before == [(0, "0=9", 18), (1, "1=11", 22), (2, "2=None", None), (4, "4=5", 10)]
        texts = rows(db, "SELECT pg_get_functiondef(oid) FROM pg_proc ORDER BY oid")
    fresh.stop()
    fresh.start()
    with fresh.connect() as db:
        assert rows(db, "SELECT pg_get_functiondef(oid) FROM pg_proc ORDER BY oid") == texts
        eventually(lambda: rows(db, "SELECT * FROM g ORDER BY k") == before)
        changed(db)
        with pytest.raises(errors.DependentObjectsStillExist):
            db.execute("DROP FUNCTION doubled")
        for volatility in ("VOLATILE", "STABLE"):
            with pytest.raises(errors.DependentObjectsStillExist):
                create(
                    db, f"doubled(x int) RETURNS bigint {volatility} STRICT", DOUBLED, "OR REPLACE FUNCTION"
                )
        create(
            db,
            "doubled(x int) RETURNS bigint IMMUTABLE STRICT PACKAGES = ('numpy')",
            DOUBLED,
            "OR REPLACE FUNCTION",
        )
        db.execute("DROP FUNCTION doubled CASCADE")
        with pytest.raises(errors.UndefinedTable):
            db.execute("SELECT * FROM m")


def test_errors_of_rows_are_data(db: Db) -> None:
    define(db)
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT k, doubled(v) AS d FROM t")
    db.execute("INSERT INTO t VALUES (1, 13), (2, 4)")
    for query in ("SELECT * FROM m", "SELECT doubled(v) FROM t", "SELECT doubled(13)"):
        with pytest.raises(
            psycopg.Error, match="function doubled failed at line 3: ValueError: unlucky"
        ) as error:
            db.execute(query)  # type: ignore[call-overload]
        assert error.value.sqlstate == "38000"
    assert rows(db, "SELECT k, CASE WHEN v <> 13 THEN doubled(v) END FROM t ORDER BY k") == [
        (1, None),
        (2, 8),
    ]
    db.execute("DELETE FROM t WHERE v = 13")
    assert rows(db, "SELECT * FROM m") == [(2, 8)]


@pytest.mark.slow
def test_code_that_ends_its_process_or_does_not_end(db: Db) -> None:
    """The runtime answers meanwhile, and the views are well again when the row is gone."""
    db.execute("CREATE TABLE t (x int)")
    source = "import os\ndef f(x):\n    if x == 1: os._exit(1)\n    while x == 2: pass\n    return x"
    create(db, "f(x int) RETURNS int IMMUTABLE TIMEOUT = '500ms'", source)
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT f(x) FROM t")
    for value, message in ((1, "ended the process"), (2, "took longer than its TIMEOUT")):
        db.execute("INSERT INTO t VALUES (3), (%s)", (value,))
        with pytest.raises(psycopg.Error, match=message):
            db.execute("SELECT * FROM m")
        db.execute("DELETE FROM t WHERE x = %s", (value,))
        eventually(lambda: all(row == (3,) for row in rows(db, "SELECT * FROM m")))


def test_a_query_is_canceled_while_code_runs(db: Db, other: Db) -> None:
    create(db, "hangs(x int) RETURNS int TIMEOUT = '10min'", "def hangs(x):\n    while True: pass")
    db.execute("CREATE TABLE t (x int)")
    db.execute("INSERT INTO t VALUES (1)")
    db.execute("SET statement_timeout = '300ms'")
    for query in ("SELECT hangs(1)", "SELECT hangs(x) FROM t"):
        before = monotonic()
        with pytest.raises(errors.QueryCanceled):
            db.execute(query)  # type: ignore[call-overload]
        assert monotonic() - before < 8
        assert rows(other, "SELECT 1") == [(1,)]


def test_aggregates(db: Db) -> None:
    define(db)
    source = (
        CLASS.replace("key, value", "value")
        .replace('f"{key}={value}"', "str(value)")
        .replace("Joined", "listed")
    )
    create(
        db,
        "listed(x int) RETURNS text STRICT",
        source.replace("sorted(self.parts)", "self.parts"),
        "AGGREGATE FUNCTION",
    )
    assert rows(db, "SELECT listed(v), joined(k, 'a') FROM t") == [("", "")]
    db.execute("INSERT INTO t VALUES (1, 5), (1, 3), (2, NULL), (2, 5)")
    assert rows(db, "SELECT listed(v ORDER BY v DESC), listed(DISTINCT v ORDER BY v) FROM t") == [
        ("5 5 3", "3 5")
    ]
    assert rows(db, "SELECT listed(v ORDER BY v) FILTER (WHERE k = 1) || '!' FROM t") == [("3 5!",)]
    assert rows(
        db, "SELECT k, listed(v ORDER BY v) FROM t GROUP BY k HAVING listed(v) <> '5' ORDER BY k"
    ) == [(1, "3 5")]
    summed = "class summed:\n    total = 0\n    def accumulate(self, x): self.total += x\n    def finish(self): return self.total"
    create(db, "summed(x numeric(10, 2)) RETURNS numeric", summed, "AGGREGATE FUNCTION")
    assert rows(db, "SELECT summed(v) FROM t WHERE v IS NOT NULL") == [(13,)]
    over = "SELECT k, summed(v) OVER (PARTITION BY k) FROM t WHERE v IS NOT NULL ORDER BY k, v"
    assert rows(db, over) == [(1, 8), (1, 8), (2, 5)]
    assert rows(db, "SELECT joined(k => k, v => v::text) FROM t WHERE k = 1") == [("1=3 1=5",)]


def test_where_they_may_be_called(db: Db, schema: str) -> None:
    define(db)
    create(db, "drawn() RETURNS float8", "import random\ndrawn = random.random")
    create(db, "today(x int) RETURNS int STABLE", "def today(x): return x")
    db.execute("CREATE FUNCTION more(x int) RETURNS float8 LANGUAGE sql AS 'SELECT x + drawn()'")
    for statement in (
        "CREATE VIEW v AS SELECT drawn() AS d",
        "CREATE MATERIALIZED VIEW v AS SELECT today(v) AS d FROM t",
        "CREATE MATERIALIZED VIEW v AS SELECT more(v) AS d FROM t",
        "CREATE INDEX ON t (today(v))",
        "CREATE TABLE s (a int DEFAULT doubled(1))",
        "CREATE TABLE s (a int CHECK (doubled(a) > 1))",
        "INSERT INTO t VALUES (1, 2) RETURNING doubled(v)",
    ):
        with pytest.raises(errors.FeatureNotSupported):
            db.execute(statement)  # type: ignore[call-overload]
    assert rows(db, "SELECT * FROM t") == []
    db.execute("INSERT INTO t VALUES (1, doubled(2)), (2, doubled(3))")
    db.execute("INSERT INTO t SELECT k + 2, doubled(v::int) FROM t")
    db.execute("UPDATE t SET v = doubled(v) WHERE doubled(k) = 2")
    db.execute("CREATE TABLE made AS SELECT k, today(v) AS v FROM t")
    assert rows(db, "SELECT * FROM made ORDER BY k") == [(1, 8), (2, 6), (3, 8), (4, 12)]
    assert 1 <= rows(db, "SELECT more(1)")[0][0] < 2
    name = rows(db, f"SELECT doubled(length(relname)) FROM pg_class WHERE oid = '{schema}.made'::regclass")
    assert name == [(8,)]
    with db.cursor() as cursor:
        assert cursor.execute("SELECT doubled(%s)", (4,), prepare=True).fetchall() == [(8,)]
    db.execute("PREPARE p AS SELECT doubled($1::int)")
    assert rows(db, "EXECUTE p(21)") == [(42,)]
    for statement in ("EXECUTE p(doubled(1))", "SELECT * FROM t AS OF doubled(1)"):
        with pytest.raises(
            errors.FeatureNotSupported, match="functions in Python and JavaScript are not supported in"
        ):
            db.execute(statement)  # type: ignore[call-overload]


def test_only_superusers_create_them(runtime: InProcess, db: Db, schema: str) -> None:
    define(db)
    db.execute("CREATE ROLE writer")
    try:
        db.execute(f"GRANT ALL ON SCHEMA {schema} TO writer")  # type: ignore[call-overload]
        db.execute("SET ROLE writer")
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied for language python"):
            create(db, "g(x int) RETURNS int", "def g(x): return x")
        assert rows(db, "SELECT doubled(1)") == [(2,)]
        db.execute("RESET ROLE")
        db.execute("REVOKE EXECUTE ON FUNCTION doubled FROM PUBLIC")
        db.execute("SET ROLE writer")
        with pytest.raises(errors.InsufficientPrivilege):
            db.execute("SELECT doubled(1)")
        db.execute("RESET ROLE")
    finally:
        db.execute("RESET ROLE")
        db.execute("DROP OWNED BY writer")
        db.execute("DROP ROLE writer")


def test_what_is_wrong_is_said_at_once(db: Db) -> None:
    for signature, source, sqlstate in (
        ("f() RETURNS int", "def f(:", "42601"),
        ("f() RETURNS int", "def g(): pass", "42883"),
        ("f() RETURNS int HANDLER = 'h'", "def f(): pass", "42883"),
        ("f() RETURNS int RUNTIME_VERSION = '3.99'", "def f(): pass", "22023"),
        ("f() RETURNS int PACKAGES = ('no-such-package')", "def f(): pass", "58P01"),
        ("f() RETURNS interval", "def f(): pass", "0A000"),
        ("f(x json) RETURNS int", "def f(x): pass", "0A000"),
    ):
        with pytest.raises(psycopg.Error) as error:
            create(db, signature, source)
        assert error.value.sqlstate == sqlstate, signature
    assert rows(db, "SELECT proname FROM pg_proc WHERE proname = 'f'") == []


def test_catalogs_and_texts(db: Db) -> None:
    define(db)
    create(
        db,
        "g(x float8 = 100, VARIABLE text = 'a') RETURNS text STABLE HANDLER = 'h' TIMEOUT = '2s' "
        "PACKAGES = ('numpy', 'json') RUNTIME_VERSION = '3.11'",
        "def h(x, y):\n    return f'$function$ {x:.1f}{y}'",
    )
    assert rows(db, "SELECT g(), g(1), g(variable => 'b')") == [
        ("$function$ 100.0a", "$function$ 1.0a", "$function$ 100.0b")
    ]
    found = "SELECT proname, lanname, lanpltrusted, prokind, provolatile, proisstrict FROM pg_proc p JOIN pg_language l ON l.oid = prolang WHERE pronamespace <> 11"
    assert rows(db, f"{found} ORDER BY 1") == [
        ("doubled", "python", False, "f", "i", True),
        ("g", "python", False, "f", "s", False),
        ("joined", "python", False, "a", "i", False),
    ]
    texts = "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace <> 11 ORDER BY proname"
    before = rows(db, texts)
    for (text,) in before:
        db.execute(text)
    db.execute("DROP FUNCTION doubled, g")
    db.execute("DROP AGGREGATE joined")
    for (text,) in before:
        db.execute(text)
    assert rows(db, texts) == before
