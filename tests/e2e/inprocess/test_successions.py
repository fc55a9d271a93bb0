"""DROP and RENAME in one transaction: a relation takes another's place, and readers find the one or the other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows

Db = psycopg.Connection[tuple[Any, ...]]

KINDS = ("TABLE", "VIEW", "MATERIALIZED VIEW")
SUCCESSIONS = 12


def succeed(db: Db, old: str, new: str) -> None:
    """As dbt's macros do it."""
    db.execute(f"CREATE {new} x__new AS SELECT 1 AS a")  # type: ignore[arg-type]
    db.execute(f"DROP {old} IF EXISTS x CASCADE; ALTER {new} x__new RENAME TO x")  # type: ignore[arg-type]


def read(connection: Db) -> None:
    assert rows(connection, "SELECT a FROM x") == [(1,)]


def read_prepared(connection: Db) -> None:
    assert connection.execute("SELECT a FROM x WHERE a = %s", (1,), prepare=True).fetchall() == [(1,)]


def read_computed(connection: Db) -> None:
    """Behind the lookup of the name a replica is asked."""
    assert rows(connection, "SELECT count(*) FROM x AS one JOIN x AS two ON one.a = two.a") == [(1,)]


@pytest.mark.parametrize("reads", [read, read_prepared, read_computed])
def test_readers_never_find_none(
    runtime: InProcess, schema: str, db: Db, reads: Callable[[Db], None]
) -> None:
    db.execute("CREATE TABLE x AS SELECT 1 AS a")
    failures: list[BaseException] = []
    stop = threading.Event()
    counts = [0, 0]

    def work(number: int) -> None:
        try:
            with runtime.connect(options=f"-c search_path={schema}") as connection:
                while not stop.is_set():
                    reads(connection)
                    counts[number] += 1
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    kinds = [KINDS[number % 3] for number in range(SUCCESSIONS + 1)]
    for old, new in pairwise(kinds):
        if failures:
            break
        succeed(db, old, new)
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(counts)


def test_a_succession_is_taken_back_as_a_whole(db: Db, other: Db) -> None:
    db.execute("CREATE TABLE x AS SELECT 1 AS a")
    db.execute("CREATE TABLE taken (a int)")
    db.execute("CREATE TABLE x__new AS SELECT 2 AS a")
    with pytest.raises(psycopg.errors.DuplicateTable):
        db.execute("DROP TABLE x CASCADE; ALTER TABLE x__new RENAME TO taken")
    assert rows(other, "SELECT a FROM x") == [(1,)]


def test_after_a_crash_it_is_all_or_nothing(fresh: InProcess) -> None:
    """Each of several states of the environment is one of before or after."""
    db = fresh.connect()
    db.execute("CREATE TABLE x AS SELECT 1 AS a")
    for number in range(2, 5):
        db.execute(f"CREATE TABLE x__new AS SELECT {number} AS a")  # type: ignore[arg-type]
        db.pgconn.send_query(b"DROP TABLE IF EXISTS x CASCADE; ALTER TABLE x__new RENAME TO x")
        fresh.abandon()
        db.close()
        fresh.start()
        db = fresh.connect()
        names = {name for (name,) in rows(db, "SELECT relname FROM pg_class WHERE relname LIKE 'x%'")}
        value = rows(db, "SELECT a FROM x")
        assert (names, value) in (({"x", "x__new"}, [(number - 1,)]), ({"x"}, [(number,)]))
        if "x__new" in names:
            db.execute("DROP TABLE x; ALTER TABLE x__new RENAME TO x")
    db.close()
