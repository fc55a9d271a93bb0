"""Constant queries that take long: they run in a process that can be killed, and the coordinator stays free for others."""

from __future__ import annotations

import threading
from time import monotonic
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually
from ptvc.coord.thread_pool import EVALUATION, PLANNING

Session = psycopg.Connection[tuple[Any, ...]]

ENDLESS = [
    "SELECT repeat('a',10000000) LIKE '%'||repeat('_a',1000)||'b%'",
    "SELECT length(to_char(timestamp '2020-01-01', repeat('YYYY',8000000)))",
    "SELECT length(format(repeat('%s',10000000),'a'))",
    "SELECT count(*) FROM regexp_matches(repeat('ab',20000000),'a','g')",
    "SELECT relname LIKE '%'||repeat('_a',1000)||'b%' FROM pg_class, generate_series(1,1000000)",
]


@pytest.mark.parametrize("sql", ENDLESS)
def test_what_was_cancelled_holds_no_thread(runtime: InProcess, db: Session, sql: str) -> None:
    states: list[str | None] = []

    def bomb() -> None:
        with runtime.connect() as session:
            session.execute("SET statement_timeout = '1s'")
            try:
                session.execute(sql)  # type: ignore[arg-type]
                states.append("00000")
            except psycopg.Error as error:
                states.append(error.sqlstate)

    threads = [threading.Thread(target=bomb) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(states) <= {"57014", "53200", "53400"}, states
    began = monotonic()
    db.execute("CREATE TABLE after (a int)")
    assert db.execute("SELECT md5('x')").fetchone() == ("9dd4e461268c8034f5c8564e155c67a6",)
    assert monotonic() - began < 2
    eventually(lambda: PLANNING.busy == 0 and EVALUATION.busy == 0, 2)


COSTLY = [
    ("SELECT length(repeat('ab', 5000000))", 10_000_000),
    ("SELECT count(*) FROM generate_series(1, 1000000)", 1_000_000),
    ("SELECT jsonb_array_length(('['||repeat('1,',500000)||'1]')::jsonb)", 500_001),
    (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 50) SELECT count(*) FROM r",
        50,
    ),
    ("SELECT length(max(repeat(relname, 100000))) > 0 FROM pg_class", True),
]


@pytest.mark.parametrize(("sql", "answer"), COSTLY)
def test_answers_are_the_same(db: Session, sql: str, answer: object) -> None:
    assert db.execute(sql).fetchone() == (answer,)  # type: ignore[arg-type]


def test_errors_are_the_same(db: Session) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero) as failed:
        db.execute("SELECT length(repeat('a', 9000000)) / 0")
    assert failed.value.diag.message_hint is None
    assert failed.value.diag.message_detail is None
    with pytest.raises(psycopg.errors.OutOfMemory):
        db.execute("SELECT length(repeat('a', 100000000))")


def test_rows_of_costly_values_are_written(db: Session) -> None:
    db.execute("CREATE TABLE t (k int, a text DEFAULT repeat('d', 9000000))")
    db.execute("INSERT INTO t VALUES (1, repeat('a', 9000000))")
    db.execute("INSERT INTO t (k) VALUES (2)")
    db.execute("INSERT INTO t VALUES (3, %s)", ("x" * 9_000_000,))
    db.execute("UPDATE t SET a = a || repeat('b', 1000000) WHERE k = 1")
    assert db.execute("SELECT k, length(a) FROM t ORDER BY k").fetchall() == [
        (1, 10_000_000),
        (2, 9_000_000),
        (3, 9_000_000),
    ]
