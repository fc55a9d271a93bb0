"""Counts of whole collections, which nobody reads for that, are those of their rows: at each time, in a transaction that has
written, and of what is in error."""

from __future__ import annotations

from random import Random

import psycopg
import pytest
from inprocess import eventually, hydrated, rows, running
from kept_history import Db, Moment, define, seen, write
from psycopg import errors

COUNTS = (
    "SELECT count(*) FROM t",
    "SELECT count(*) FROM m",
    "SELECT count(*) AS a, count(*) + 1 FROM t WHERE true",
)
LISTS = ("SELECT k FROM t", "SELECT k FROM m")


def agree(contents: list[list[tuple[object, ...]]]) -> None:
    [(t,)], [(m,)], [pair], *lists = contents
    assert [t, m] == [len(found) for found in lists]
    assert pair == (t, int(str(t)) + 1)


def test_at_each_time() -> None:
    """While maintenance compacts, after a restart when all batches are merged, and in a transaction."""
    random = Random(3)
    history: list[Moment] = []

    def check(db: Db) -> None:
        for time, contents in history:
            assert [rows(db, f"{query} AS OF {time}") for query in COUNTS] == contents[:3]

    with running() as runtime:
        with runtime.connect() as db:
            define(db)
            eventually(lambda: hydrated(db, "m", "v_k"))
            for _ in range(10):
                write(db, random)
                history.append(seen(db, (*COUNTS, *LISTS)))
                agree(history[-1][1])
            check(db)
            db.execute("INSERT INTO t SELECT i % 6, i FROM generate_series(1, 30000) AS i")
            history.append(seen(db, (*COUNTS, *LISTS)))
            agree(history[-1][1])
        runtime.stop()
        runtime.start()
        runtime.merge()
        with runtime.connect() as db:
            check(db)
            with db.transaction(force_rollback=True):
                [(before,)] = rows(db, COUNTS[0])
                [(deleted,)] = rows(db, "SELECT count(*) FROM t WHERE k = 1")
                db.execute("DELETE FROM t WHERE k = 1")
                db.execute("INSERT INTO t (k, a) VALUES (1, 1), (1, 2)")
                assert rows(db, COUNTS[0]) == [(before - deleted + 2,)]
            assert rows(db, COUNTS[0]) == [(before,)]


def test_a_count_beside_other_reads(db: psycopg.Connection[tuple[object, ...]]) -> None:
    db.execute("CREATE TABLE counted (a int)")
    db.execute("CREATE VIEW shown AS SELECT a FROM counted")
    for count in range(4):
        assert rows(db, "SELECT count(*) FROM shown") == [(count,)]
        assert rows(db, "SELECT (SELECT count(*) FROM counted), (SELECT count(*) FROM shown)") == [
            (count, count)
        ]
        above = rows(db, "SELECT a FROM counted WHERE a + 2 > (SELECT count(*) FROM shown) ORDER BY a")
        assert above == [(a,) for a in range(count) if a + 2 > count]
        db.execute("INSERT INTO counted VALUES (%s)", (count,))


def test_a_row_in_error(db: psycopg.Connection[tuple[object, ...]]) -> None:
    db.execute("CREATE TABLE divisors (a int)")
    db.execute("CREATE MATERIALIZED VIEW quotients AS SELECT 1 / a AS q FROM divisors")
    db.execute("INSERT INTO divisors VALUES (1), (0)")
    with pytest.raises(errors.DivisionByZero):
        rows(db, "SELECT count(*) FROM quotients")
    db.execute("DELETE FROM divisors WHERE a = 0")
    assert rows(db, "SELECT count(*) FROM quotients") == [(1,)]
