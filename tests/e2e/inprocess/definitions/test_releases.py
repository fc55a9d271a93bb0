"""Several replacements, renames and drops in one transaction: who reads sees all of it at once, or nothing."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows
from ptvc.coord.ddl import replacements
from ptvc.coord.ddl.replacements import Replacements
from ptvc.coord.query.peeks import Peeks

from .crash_points import CRASHES, crash_during
from .released_views import CHAIN, DB, check_chain, fill, names, reading, stage, stage_chain

RELEASE = [
    "ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next",
    "DROP VIEW p",
    "ALTER VIEW p_next RENAME TO p",
    "DROP MATERIALIZED VIEW q",
    "ALTER MATERIALIZED VIEW q_next RENAME TO q",
    "ALTER MATERIALIZED VIEW y APPLY REPLACEMENT y_next",
]
"""In any order."""

VERSIONS = """
    SELECT DISTINCT v FROM (
        SELECT v FROM x UNION ALL SELECT v FROM y UNION ALL SELECT v FROM d UNION ALL SELECT w FROM d
        UNION ALL SELECT v FROM p UNION ALL SELECT v FROM q
    ) AS a"""

COUNTS = """
    SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM x), (SELECT count(*) FROM p), (SELECT count(*) FROM q),
        (SELECT count(*) FROM t WHERE a % 2 = 0), (SELECT count(*) FROM y), (SELECT count(*) FROM d)"""


def check(db: DB, version: int) -> None:
    """All are of one version, and as the table says."""
    assert rows(db, VERSIONS) == [(version,)]
    [(all_, *of_all, even, y, d)] = rows(db, COUNTS)
    assert of_all == [all_] * 3
    assert y == d == even
    assert rows(db, "SELECT v FROM x WHERE a = 8") == [(version,)]


FINAL = ["d", "p", "q", "t", "x", "x_a", "y"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("how", ["message", "block"])
def test_all_of_a_transaction_at_once(db: DB, how: str, seed: int) -> None:
    fill(db)
    check(db, 0)
    for version in (1, 2):
        stage(db, version)
        statements = list(RELEASE)
        random.Random(seed).shuffle(statements)
        # What takes a name comes behind what gives it up.
        statements.sort(key=lambda statement: "RENAME" in statement)
        db.execute("INSERT INTO t VALUES (%s), (%s)", (100 + 2 * version, 101 + 2 * version))
        if how == "message":
            db.execute("; ".join(statements))
        else:
            with db.transaction():
                for statement in statements:
                    db.execute(statement)
        check(db, version)
        assert names(db) == FINAL
        db.execute("INSERT INTO t VALUES (%s), (%s)", (200 + 2 * version, 201 + 2 * version))
        db.execute("DELETE FROM t WHERE a = %s", (version,))
        check(db, version)


def test_all_contents_change_at_one_time(db: DB) -> None:
    fill(db)
    for name in ("x", "y"):
        db.execute(f"ALTER MATERIALIZED VIEW {name} SET (RETAIN HISTORY FOR '1h')")
    stage(db, 1)
    [(before,)] = rows(db, "SELECT mz_now()::text::bigint")
    db.execute("; ".join(RELEASE))
    changed = [
        time
        for name in ("x", "y")
        for (time,) in rows(
            db, f"SELECT DISTINCT mz_timestamp::text::bigint FROM CHANGES({name}) WHERE v = 1"
        )
    ]
    assert len(changed) == 2
    assert changed[0] == changed[1] > before
    for name in ("x", "y"):
        assert rows(db, f"SELECT DISTINCT v FROM {name} AS OF {changed[0] - 1}") == [(0,)]
        assert rows(db, f"SELECT DISTINCT v FROM {name} AS OF {changed[0]}") == [(1,)]


def test_nobody_sees_a_mixture(fresh: InProcess) -> None:
    """Of what is read in one statement, and in one statement after the other, under writes."""
    with fresh.connect() as db:
        fill(db)
        seen: list[int] = []
        lock = threading.Lock()

        def together(mine: DB) -> None:
            [(version,)] = rows(mine, VERSIONS)
            [(all_, *of_all, even, y, d)] = rows(mine, COUNTS)
            assert of_all == [all_] * 3
            assert y == d == even
            with lock:
                seen.append(version)

        def one_by_one(mine: DB) -> None:
            found = [
                rows(mine, f"SELECT DISTINCT v FROM {name}")[0][0]
                for name in ("p", "x", "q", "d", "y", "p", "q")
            ]
            assert found == sorted(found)

        number = iter(range(100, 10**6))

        def write(mine: DB) -> None:
            new = next(number)
            mine.execute("INSERT INTO t VALUES (%s)", (new,))
            mine.execute("DELETE FROM t WHERE a = %s", (new - 20,))

        with (
            reading(fresh, 2, together) as mixed,
            reading(fresh, 1, one_by_one) as back,
            reading(fresh, 1, write) as failed,
        ):
            for version in range(1, 9):
                stage(db, version)
                db.execute("; ".join(RELEASE))
                check_version(db, version)
        assert not mixed
        assert not back
        assert not failed
        assert set(seen) <= set(range(9))
        assert seen
        check(db, 8)


def test_who_reads_while_all_stand_still_reads_the_old(
    fresh: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, and in a transaction that goes on behind the release as well."""
    halted, seen = Replacements._halted, list[Any]()

    async def read(self: Any, *arguments: Any) -> bool:
        done = await halted(self, *arguments)
        seen.append(await asyncio.to_thread(rows, reader, VERSIONS))
        return done

    with fresh.connect() as db, fresh.connect() as reader:
        fill(db)
        stage(db, 1)
        reader.execute("SET statement_timeout = '20s'")
        monkeypatch.setattr(Replacements, "_halted", read)
        reader.execute("BEGIN")
        db.execute("; ".join(RELEASE))
        assert seen == [[(0,)]]
        # What a block has begun to read stays what it was: the view, and what is over it.
        assert rows(reader, "SELECT DISTINCT x.v, d.v FROM x JOIN d ON x.a = d.a") == [(0, 0)]
        reader.execute("COMMIT")
        assert rows(reader, VERSIONS) == [(1,)]


def test_a_plan_of_before_is_not_read_behind(fresh: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = Peeks.batches
    planned, released = threading.Event(), threading.Event()

    async def late(self: Any, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        if not planned.is_set():
            planned.set()
            await asyncio.to_thread(released.wait, 60)
        async for batch in batches(self, *arguments, **options):
            yield batch

    seen: list[Any] = []

    def read() -> None:
        with fresh.connect() as mine:
            # Both that were there before are still, under whatever name.
            seen.append(rows(mine, "SELECT v FROM x UNION SELECT v FROM p"))

    with fresh.connect() as db:
        fill(db)
        stage(db, 1)
        eventually(lambda: hydrated(db, "x", "y", "x_next", "y_next", "d", "x_a", "q_next"))
        monkeypatch.setattr(Peeks, "batches", late)
        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        assert planned.wait(60)
        db.execute("; ".join(RELEASE))
        released.set()
        reader.join(60)
        assert seen == [[(1,)]]


def check_version(db: DB, version: int) -> None:
    assert rows(db, VERSIONS) == [(version,)]


def test_what_a_block_sees(db: DB, other: DB) -> None:
    fill(db)
    stage(db, 1)
    with db.transaction():
        db.execute("ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next")
        assert rows(db, "SELECT DISTINCT v FROM x") == [(1,)]
        assert rows(db, "SELECT DISTINCT v, w FROM d") == [(1, 0)]
        with pytest.raises(psycopg.errors.UndefinedTable), db.transaction():
            db.execute("SELECT * FROM x_next")
        db.execute("CREATE MATERIALIZED VIEW e AS SELECT v, count(*) AS n FROM x GROUP BY v")
        assert rows(db, "SELECT v, n FROM e") == [(1, 50)]
        db.execute("ALTER MATERIALIZED VIEW x RENAME TO z")
        assert rows(other, "SELECT DISTINCT v FROM x") == [(0,)]
        db.execute("SAVEPOINT s")
        db.execute("ALTER MATERIALIZED VIEW y APPLY REPLACEMENT y_next")
        assert rows(db, "SELECT DISTINCT v, w FROM d") == [(1, 1)]
        db.execute("ROLLBACK TO SAVEPOINT s")
        assert rows(db, "SELECT DISTINCT v, w FROM d") == [(1, 0)]
    for session in (db, other):
        assert rows(session, "SELECT DISTINCT v FROM z") == [(1,)]
        assert rows(session, "SELECT DISTINCT v, w FROM d") == [(1, 0)]
        assert rows(session, "SELECT v, n FROM e") == [(1, 50)]
    db.execute("INSERT INTO t VALUES (99)")
    assert rows(db, "SELECT v, n FROM e") == [(1, 51)]
    db.execute("ALTER MATERIALIZED VIEW y APPLY REPLACEMENT y_next")
    assert rows(other, "SELECT DISTINCT v, w FROM d") == [(1, 1)]


def test_rows_of_the_same_transaction(db: DB) -> None:
    fill(db)
    stage(db, 1)
    with db.transaction():
        db.execute("DELETE FROM t WHERE a > 10")
        db.execute("; ".join(RELEASE))
        db.execute("CREATE TABLE u AS SELECT count(*) AS n FROM x")
    check(db, 1)
    assert rows(db, "SELECT n FROM u") == [(10,)]


FAILURES = {
    "a statement fails": ("SELECT 1 / 0", "22012"),
    "there is no such replacement": ("ALTER MATERIALIZED VIEW y APPLY REPLACEMENT q", "42809"),
    "it is replaced twice": ("ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_other", "0A000"),
    "a name is taken": ("ALTER VIEW p RENAME TO q", "42P07"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_leaves_all(db: DB, failure: str) -> None:
    fill(db)
    stage(db, 1)
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW x_other FOR x AS SELECT a, 9 AS v FROM t")
    before = names(db)
    statement, sqlstate = FAILURES[failure]
    with pytest.raises(psycopg.Error) as error:
        db.execute("; ".join([*RELEASE, statement]))
    assert error.value.sqlstate == sqlstate
    check(db, 0)
    assert names(db) == before
    db.execute("DROP MATERIALIZED VIEW x_other")
    db.execute("; ".join(RELEASE))
    check(db, 1)


def test_what_others_have_done_meanwhile(db: DB, other: DB) -> None:
    fill(db)
    stage(db, 1)
    for theirs in (
        "CREATE VIEW over AS SELECT v FROM x",
        "COMMENT ON VIEW p_next IS 'theirs'",
        "ALTER MATERIALIZED VIEW y APPLY REPLACEMENT y_next",
    ):
        db.execute("BEGIN")
        for statement in RELEASE:
            db.execute(statement)
        other.execute(theirs)
        with pytest.raises(psycopg.errors.SerializationFailure):
            db.execute("COMMIT")
    assert rows(db, "SELECT DISTINCT v FROM x") == [(0,)]
    assert rows(db, "SELECT DISTINCT v FROM y") == [(1,)]
    db.execute("BEGIN")
    db.execute("ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next")
    other.execute("CREATE TABLE unrelated (a int)")
    other.execute("INSERT INTO t VALUES (1000)")
    db.execute("COMMIT")
    assert rows(db, "SELECT v, count(*) FROM x GROUP BY v") == [(1, 51)]


def test_rows_that_conflict_leave_all(db: DB, other: DB) -> None:
    fill(db)
    stage_chain(db, 3)
    db.execute("BEGIN")
    db.execute("DELETE FROM t WHERE a = 1")
    db.execute("; ".join(CHAIN))
    other.execute("INSERT INTO t VALUES (70)")
    with pytest.raises(psycopg.errors.SerializationFailure):
        db.execute("COMMIT")
    other.execute("INSERT INTO t VALUES (71)")
    check_chain(db, 3, "x_next", "y_next")
    assert rows(db, "SELECT count(*) FROM x WHERE v = 0") == [(52,)]
    db.execute("; ".join(CHAIN))
    check_chain(db, 3)


@pytest.mark.parametrize("where", CRASHES)
def test_a_crash_leaves_all_or_nothing(fresh: InProcess, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release = "; ".join(RELEASE)
    with fresh.connect() as db:
        fill(db)
        stage(db, 1)
        eventually(lambda: hydrated(db, "x", "y", "x_next", "y_next", "d", "x_a", "q_next"))
    crash_during(fresh, release, where, monkeypatch)
    with fresh.connect() as db:
        db.execute("INSERT INTO t VALUES (98), (99)")
        if where == "halted":
            check(db, 0)
            db.execute(release)
        check(db, 1)
        assert names(db) == FINAL
        db.execute("DELETE FROM t WHERE a < 5")
        check(db, 1)


def test_what_cannot_come_to_one_time_is_tried_again(
    fresh: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who writes waits no longer than the patience, and an attempt that was given up leaves nothing halted."""
    monkeypatch.setattr(replacements, "FIRST_PATIENCE_S", 0.05)
    halted, attempts = Replacements._halted, 0

    async def third(self: Any, *arguments: Any) -> bool:
        nonlocal attempts
        attempts += 1
        return attempts > 2 and await halted(self, *arguments)

    async def never(self: Any, *arguments: Any) -> bool:
        return False

    with fresh.connect() as db:
        fill(db)
        stage(db, 1)
        monkeypatch.setattr(Replacements, "_halted", third)
        db.execute("; ".join(RELEASE))
        assert attempts == 3
        check(db, 1)
        stage(db, 2)
        monkeypatch.setattr(replacements, "HALT_TIMEOUT_S", 0.1)
        monkeypatch.setattr(Replacements, "_halted", never)
        with pytest.raises(psycopg.Error, match='"x", "y" and what replaces them') as error:
            db.execute("; ".join(RELEASE))
        assert error.value.sqlstate == "55000"
        db.execute("INSERT INTO t VALUES (98), (99)")
        check(db, 1)
        monkeypatch.setattr(Replacements, "_halted", halted)
        db.execute("; ".join(RELEASE))
        check(db, 2)


@pytest.mark.parametrize("paused", [False, True])
def test_a_replica_dies_while_all_halt(
    fresh: InProcess, paused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the first attempt; `paused`: it comes back when that has been given up."""
    halted, attempts = Replacements._halted, 0

    async def killed(self: Any, *arguments: Any) -> bool:
        nonlocal attempts
        attempts += 1
        if attempts > 1:
            return await halted(self, *arguments)
        (fresh.driver.pause if paused else fresh.driver.kill)("c1-r1")
        try:
            return await halted(self, *arguments)
        finally:
            fresh.driver.resume("c1-r1")

    with fresh.connect() as db:
        fill(db)
        stage(db, 1)
        eventually(lambda: hydrated(db, "x", "y", "x_next", "y_next", "d", "x_a", "q_next"))
        monkeypatch.setattr(Replacements, "_halted", killed)
        db.execute("; ".join(RELEASE))
        check(db, 1)
        db.execute("INSERT INTO t VALUES (98), (99)")
        check(db, 1)
