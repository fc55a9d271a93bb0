"""Hostile SQL against a whole runtime: each statement ends in bounded time, in an answer or an error with a meaning, while
other sessions are answered, and both the session and the server live on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually
from pgwire.raw import SYNC, Raw, bind, execute, message, parse
from ptvc.coord.thread_pool import PLANNING

Session = psycopg.Connection[tuple[Any, ...]]
DEEP = 20_000


@pytest.fixture
def tables(db: Session) -> Session:
    db.execute("CREATE TABLE t (a int, b int, s text)")
    db.execute("INSERT INTO t VALUES (1, 2, 'x'), (2, 4, 'y')")
    return db


def outcome(db: Session, sql: str | bytes) -> str:
    """00000, or the SQLSTATE; the session is alive afterwards."""
    try:
        db.execute(sql)  # type: ignore[arg-type]
        state = "00000"
    except psycopg.Error as error:
        state = error.sqlstate or "no state"
    assert db.execute("SELECT 1").fetchone() == (1,)
    return state


def nested(before: str, after: str, middle: str = "1", count: int = DEEP) -> str:
    return before * count + middle + after * count


@pytest.mark.parametrize(
    ("sql", "state"),
    [
        ("SELECT " + nested("(", ")"), "54001"),
        ("SELECT " + nested("CASE WHEN true THEN ", " END"), "54001"),
        ("SELECT " + nested("(SELECT ", ")"), "54001"),
        ("SELECT * FROM " + nested("(SELECT * FROM ", ") x", "t"), "54001"),
        ("SELECT " + nested("ARRAY[", "]"), "54001"),
        ("SELECT '" + nested("[", "]") + "'::jsonb", "54001"),
        ("SELECT '" + '{"a":' * DEEP + "'::jsonb", "54001"),
        ("SELECT " + nested("jsonb_build_array(", ")"), "54001"),
        ("SELECT 1" + "::int" * DEEP, "54001"),
        ("SELECT 1" + " UNION ALL SELECT 1" * 2_000, "54001"),
        ("SELECT " + "NOT " * DEEP + "true", "54001"),
        ("SELECT a" + " + a" * 5_000 + " FROM t", "54001"),
        ("SELECT " + "a[" * DEEP, "54001"),
        (
            "SELECT count(*) FROM t AS t0 "
            + " ".join(f"JOIN t AS t{i} ON t{i}.a = t{i - 1}.a" for i in range(1, 1_000)),
            "54001",
        ),
        ("SELECT " + ", ".join(f"{i} AS c{i}" for i in range(10_000)), "54011"),
        ("CREATE TABLE w (" + ", ".join(f"c{i} int" for i in range(10_000)) + ")", "54011"),
        ("INSERT INTO t VALUES (" + ", ".join(["1"] * 10_000) + ")", "42601"),
        ("INSERT INTO t (" + ", ".join(f"c{i}" for i in range(10_000)) + ") VALUES (1)", "42703"),
        ("SELECT " + "9" * 10_000, "22003"),
        ("SELECT 1e999999999", "22003"),
        ("SELECT power(10::numeric, 1000000000)", "22003"),
        ("SELECT factorial(1000000000)", "22003"),
        ("SELECT 'x' ~ '" + "(" * 5_000 + ")" * 5_000 + "'", "0A000"),
        ("SELECT repeat('x', 1073741824)", "54000"),
        ("SELECT lpad('x', 2000000000)", "54000"),
        ("SELECT chr(0)", "54000"),
        ("SELECT count(*) FROM generate_series(1, 100000) AS a, generate_series(1, 100000) AS b", "53200"),
        (
            "SELECT count(*) FROM t AS a, generate_series(1, 100000) AS b, generate_series(1, 100000) AS c",
            "53200",
        ),
        ("SELECT count(*) FROM generate_series(1, 10000000000)", "54000"),
        ("SELECT e'\\000'", "22021"),
        ("SELECT '\"\\u0000\"'::jsonb", "22P05"),
        pytest.param(
            "WITH RECURSIVE r (a) AS (SELECT 1 UNION ALL SELECT a FROM r) SELECT count(*) FROM r",
            "54000",
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda value: value[:50],
)
def test_refused(tables: Session, sql: str, state: str) -> None:
    tables.execute("SET statement_timeout = '60s'")
    assert outcome(tables, sql) == state


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT repeat('a', 3000) ~ '(a*)*b'",
        "SELECT repeat('x', 3000) ~ '(x+x+)+y'",
        "SELECT repeat('a', 20000) LIKE '" + "%a" * 200 + "b'",
        "SELECT length('" + "x" * 1_000_000 + "')",
        "SELECT count(*) FROM t WHERE a IN (" + ", ".join(map(str, range(5_000))) + ")",
        "SELECT count(*) FROM (VALUES " + ", ".join(f"({i})" for i in range(50_000)) + ") AS v",
        "SELECT /* " + "x" * 1_000_000 + " */ 1",
        "SELECT 1" + " " * 1_000_000,
        ";" * 10_000,
    ],
    ids=lambda value: value[:50],
)
def test_answered(tables: Session, sql: str) -> None:
    tables.execute("SET statement_timeout = '30s'")
    assert outcome(tables, sql) == "00000"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT " + nested("upper(", ")", "s", 190) + " FROM t",
        "SELECT a" + " + a" * 790 + " FROM t",
        "SELECT s" + " || s" * 790 + " FROM t",
        pytest.param(
            " UNION ALL ".join(f"SELECT a + {i} FROM t" for i in range(700)), marks=pytest.mark.slow
        ),
        pytest.param(
            "SELECT t0.a, "
            + ", ".join(f"t{i}.b AS b{i}" for i in range(1, 250))
            + " FROM t AS t0 "
            + " ".join(f"LEFT JOIN t AS t{i} ON t{i}.a = t0.b" for i in range(1, 250)),
            marks=pytest.mark.slow,
        ),
        "WITH c0 AS (SELECT a FROM t)"
        + "".join(f", c{i} AS (SELECT a + 1 AS a FROM c{i - 1} GROUP BY a)" for i in range(1, 180))
        + " SELECT a FROM c179",
    ],
    ids=lambda query: query[:40],
)
def test_deep_plans_hold_wherever_they_go(tables: Session, query: str) -> None:
    """A plan that a statement may have is one that messages, the catalog, replicas and query processes can take, too."""
    rows = sorted(tables.execute(query).fetchall())  # type: ignore[arg-type]
    assert len(rows) in (2, 1_400)
    tables.execute(f"CREATE MATERIALIZED VIEW v AS {query}")  # type: ignore[arg-type]
    assert sorted(tables.execute("SELECT * FROM v").fetchall()) == rows
    tables.execute("DELETE FROM t WHERE a = 1")
    assert sorted(tables.execute("SELECT * FROM v").fetchall()) == sorted(tables.execute(query).fetchall())  # type: ignore[arg-type]


@contextmanager
def others(runtime: InProcess) -> Iterator[list[float]]:
    """Another session that asks all the while; how long its answers took, in seconds."""
    waits: list[float] = []
    stop = threading.Event()

    def ask() -> None:
        with runtime.connect() as other:
            while not stop.is_set():
                begun = monotonic()
                other.execute("SELECT 1")
                waits.append(monotonic() - begun)
                sleep(0.01)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield waits
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM t WHERE a = 1" + "".join(f" AND b <> {i}" for i in range(10_000)),
        "WITH c0 AS (SELECT a FROM t), "
        + ", ".join(f"c{i} AS (SELECT x.a FROM c{i - 1} AS x, c{i - 1} AS y)" for i in range(1, 30))
        + " SELECT count(*) FROM c29",
    ],
    ids=["conditions", "bomb"],
)
def test_planning_without_end_is_canceled_and_holds_nobody_up(
    runtime: InProcess, tables: Session, sql: str
) -> None:
    tables.execute("SET statement_timeout = '700ms'")
    with others(runtime) as waits:
        assert outcome(tables, sql) == "57014"
    assert waits
    assert max(waits) < 5
    eventually(lambda: not PLANNING.busy)


def test_what_is_planned_is_canceled_by_the_client(runtime: InProcess, tables: Session) -> None:
    sql = "SELECT count(*) FROM t WHERE a = 1" + "".join(f" AND b <> {i}" for i in range(10_000))
    tables.execute("SET statement_timeout = '60s'")
    timer = threading.Timer(0.5, tables.cancel_safe)
    begun = monotonic()
    timer.start()
    assert outcome(tables, sql) == "57014"
    timer.join()
    assert monotonic() - begun < 30


def test_bytes_that_are_no_text(runtime: InProcess, tables: Session) -> None:
    with Raw(runtime.port).hello() as raw:
        for query in (b"SELECT '\xff'\0", b"SELECT '\xc3\x28'\0", b"\xed\xa0\x80\0", b"SELECT 'a\0b'\0"):
            raw.send(message(b"Q", query))
            answers = raw.until(b"Z")
            (error,) = [body for kind, body in answers if kind == b"E"]
            assert b"C22021\0" in error or b"C08P01\0" in error
    for data in (b"1\t2\t\xff\n", b"1\t2\t\xc3\n", b"1\t2\t\\000\n", b"1\t2\ta\0b\n"):
        with (
            pytest.raises(psycopg.Error) as caught,
            tables.cursor() as cursor,
            cursor.copy("COPY t FROM STDIN") as copy,
        ):
            copy.write(data)
        assert caught.value.sqlstate == "22021"
    with Raw(runtime.port).hello() as raw:
        raw.send(parse("SELECT $1", oids=(25,)) + bind(values=(b"\xff",)) + execute() + SYNC)
        (error,) = [body for kind, body in raw.until(b"Z") if kind == b"E"]
        assert b"C22021\0" in error
    assert tables.execute("SELECT count(*) FROM t").fetchone() == (2,)


@pytest.mark.slow
def test_as_many_parameters_as_there_can_be(tables: Session) -> None:
    many = list(range(65_535))
    marks = ", ".join(["%s"] * len(many))
    assert outcome(tables, "SELECT $65536") in ("42P02", "54023", "08P01")
    tables.execute("SET statement_timeout = '60s'")
    found = tables.execute(f"SELECT count(*) FROM t WHERE a = ANY(ARRAY[{marks}])", many).fetchone()  # type: ignore[arg-type]
    assert found == (2,)
