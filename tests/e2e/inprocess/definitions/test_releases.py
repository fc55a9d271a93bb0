"""Several replacements, renames and drops in one transaction: who reads sees all of it at once, or nothing."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, hydrated, rows, running
from ptvc.coord.controller.installation import Installation
from ptvc.coord.ddl import replacements
from ptvc.coord.ddl.replacements import Replacements
from ptvc.coord.query.peeks import Peeks
from ptvc.coord.storage.catalog_transactions import CatalogTransactions
from ptvc.coord.storage.group_commit import GroupCommit

DB = psycopg.Connection[tuple[Any, ...]]


def fill(db: DB) -> None:
    """Version 0 of two views, of what is over them, and of a view and a materialized view that are exchanged by their names."""
    db.execute("CREATE TABLE t (a int NOT NULL)")
    db.execute("INSERT INTO t SELECT i FROM generate_series(1, 50) AS g(i)")
    db.execute("CREATE MATERIALIZED VIEW x AS SELECT a, 0 AS v FROM t")
    db.execute("CREATE MATERIALIZED VIEW y AS SELECT a, 0 AS v FROM t WHERE a % 2 = 0")
    db.execute("CREATE MATERIALIZED VIEW d AS SELECT x.a, x.v, y.v AS w FROM x JOIN y ON x.a = y.a")
    db.execute("CREATE INDEX x_a ON x (a)")
    db.execute("CREATE VIEW p AS SELECT a, 0 AS v FROM t")
    db.execute("CREATE MATERIALIZED VIEW q AS SELECT a, 0 AS v FROM t")


def stage(db: DB, version: int) -> None:
    db.execute(f"CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT a, {version} AS v FROM t")
    db.execute(
        f"CREATE REPLACEMENT MATERIALIZED VIEW y_next FOR y AS SELECT a, {version} AS v FROM t WHERE a % 2 = 0"
    )
    db.execute(f"CREATE VIEW p_next AS SELECT a, {version} AS v FROM t")
    db.execute(f"CREATE MATERIALIZED VIEW q_next AS SELECT a, {version} AS v FROM t")


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


def names(db: DB) -> list[str]:
    found = rows(
        db,
        "SELECT o.name FROM mz_catalog.mz_objects o JOIN mz_catalog.mz_schemas s ON s.id = o.schema_id"
        " WHERE o.id LIKE 'u%' AND s.name = current_schema() ORDER BY o.name",
    )
    return [name for (name,) in found]


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


@contextmanager
def reading(
    runtime: InProcess, readers: int, read: Callable[[DB], None], forgiven: tuple[type[Exception], ...] = ()
) -> Iterator[list[Any]]:
    """`read` again and again meanwhile; gives what it raised, but for what is `forgiven`."""
    stop, failures = threading.Event(), list[Any]()

    def run() -> None:
        with runtime.connect() as mine:
            while not stop.is_set():
                try:
                    read(mine)
                except forgiven:
                    continue
                except Exception as error:
                    failures.append(error)
                    return

    threads = [threading.Thread(target=run, daemon=True) for _ in range(readers)]
    for thread in threads:
        thread.start()
    try:
        yield failures
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()


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


CRASHES = ["halted", "durable", "adopted"]


@pytest.mark.parametrize("where", CRASHES)
def test_a_crash_leaves_all_or_nothing(fresh: InProcess, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    there = threading.Event()
    define, drop_shards = GroupCommit.define, CatalogTransactions._drop

    async def hang() -> None:
        there.set()
        await asyncio.Event().wait()

    async def before(self: Any, *arguments: Any) -> None:
        await hang()

    async def after(self: Any, *arguments: Any) -> None:
        await define(self, *arguments)
        await hang()

    async def last(self: Any, items: Any) -> None:
        there.set()
        raise OSError("the process is killed here")

    release = "; ".join(RELEASE)
    with fresh.connect() as db:
        fill(db)
        stage(db, 1)
        eventually(lambda: hydrated(db, "x", "y", "x_next", "y_next", "d", "x_a", "q_next"))
        # A block without rows is committed as a definition is.
        monkeypatch.setattr(GroupCommit, "write_defined", _defined)
    match where:
        case "halted":
            monkeypatch.setattr(GroupCommit, "define", before)
        case "durable":
            monkeypatch.setattr(GroupCommit, "define", after)
        case "adopted":
            monkeypatch.setattr(CatalogTransactions, "_drop", last)

    def apply() -> None:
        with pytest.raises(psycopg.Error), fresh.connect() as mine:
            mine.execute(release)

    applying = threading.Thread(target=apply, daemon=True)
    applying.start()
    assert there.wait(60)
    fresh.abandon()
    applying.join(60)
    monkeypatch.setattr(GroupCommit, "define", define)
    monkeypatch.setattr(CatalogTransactions, "_drop", drop_shards)
    fresh.start()
    with fresh.connect() as db:
        db.execute("INSERT INTO t VALUES (98), (99)")
        if where == "halted":
            check(db, 0)
            db.execute(release)
        check(db, 1)
        assert names(db) == FINAL
        db.execute("DELETE FROM t WHERE a < 5")
        check(db, 1)


async def _defined(
    self: GroupCommit, parts: Any, expect: Any, keys: Any, unchecked: Any, valid: Any, defined: Any
) -> int:
    assert not parts
    await self.define(defined)
    return 0


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
    halted = Replacements._halted

    async def killed(self: Any, *arguments: Any) -> bool:
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


# -- what rests on replacements --


def stage_chain(db: DB, factor: int) -> None:
    """Two replacements, one over the other, and new objects over both."""
    db.execute(f"CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT a, {factor} * a AS v FROM t")
    db.execute(
        "CREATE REPLACEMENT MATERIALIZED VIEW y_next FOR y AS SELECT a, v + 1 AS v FROM x_next WHERE a % 2 = 0"
    )
    db.execute("CREATE VIEW w AS SELECT a, v FROM x_next WHERE a > 5")
    db.execute("CREATE MATERIALIZED VIEW e AS SELECT count(*) AS n, sum(w.v) AS s, max(w.a) AS m FROM w")
    db.execute(
        "CREATE MATERIALIZED VIEW f AS SELECT x.a, x.v, y.v AS u FROM x_next AS x JOIN y_next AS y ON x.a = y.a"
    )
    db.execute("CREATE INDEX f_a ON f (a)")
    db.execute("CREATE INDEX w_a ON w (a)")
    db.execute("CREATE INDEX x_next_v ON x_next (v)")
    db.execute("CREATE MATERIALIZED VIEW g AS SELECT f.a, x.v FROM f JOIN x_next AS x ON x.v = f.v")


CHAIN = [
    "ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next",
    "ALTER MATERIALIZED VIEW y APPLY REPLACEMENT y_next",
]
STAGED = ["x", "y", "x_next", "y_next", "e", "f", "g", "f_a", "w_a", "x_next_v"]


def check_chain(db: DB, factor: int, x: str = "x", y: str = "y") -> None:
    def same(found: str, wanted: str) -> None:
        assert rows(db, f"{found} ORDER BY 1") == rows(db, f"{wanted} ORDER BY 1")

    same(f"SELECT a, v FROM {x}", f"SELECT a, {factor} * a FROM t")
    same(f"SELECT a, v FROM {y}", f"SELECT a, {factor} * a + 1 FROM t WHERE a % 2 = 0")
    same("SELECT a, v FROM w", f"SELECT a, {factor} * a FROM t WHERE a > 5")
    same("SELECT n, s, m FROM e", f"SELECT count(*), sum({factor} * a), max(a) FROM t WHERE a > 5")
    same("SELECT a, v, u FROM f", f"SELECT a, {factor} * a, {factor} * a + 1 FROM t WHERE a % 2 = 0")
    same("SELECT a, v FROM g", f"SELECT a, {factor} * a FROM t WHERE a % 2 = 0")
    for a in (6, 8):
        same(f"SELECT v FROM w WHERE a = {a}", f"SELECT {factor} * a FROM t WHERE a = {a}")
        same(f"SELECT u FROM f WHERE a = {a}", f"SELECT {factor} * a + 1 FROM t WHERE a = {a}")
        same(f"SELECT a FROM {x} WHERE v = {factor * a}", f"SELECT a FROM t WHERE a = {a}")


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("order", [1, -1])
def test_what_rests_on_replacements_goes_on(
    fresh: InProcess, together: bool, order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over the views, without being hydrated anew, and after a restart."""
    installed: list[str] = []
    install = Installation._install_dataflow

    async def counted(self: Any, replica: Any, item: Any) -> None:
        installed.append(item.name)
        await install(self, replica, item)

    with fresh.connect() as db:
        fill(db)
        stage_chain(db, 3)
        check_chain(db, 3, "x_next", "y_next")
        eventually(lambda: hydrated(db, *STAGED))
        monkeypatch.setattr(Installation, "_install_dataflow", counted)
        if together:
            db.execute("; ".join(CHAIN[::order]))
        else:
            for first, statement in zip((1000, 1010), CHAIN[::order], strict=True):
                db.execute(statement)
                applied = {sql.split()[3] for sql in CHAIN} & {
                    name for name in ("x", "y") if f"{name}_next" not in names(db)
                }
                check_chain(db, 3, *(name if name in applied else f"{name}_next" for name in ("x", "y")))
                db.execute("INSERT INTO t VALUES (%s), (%s)", (first, first + 1))
        check_chain(db, 3)
        db.execute("INSERT INTO t VALUES (600), (601)")
        db.execute("DELETE FROM t WHERE a IN (8, 9)")
        check_chain(db, 3)
        assert installed == []
        assert [name for name in names(db) if "next" in name] == ["x_next_v"]
    fresh.kill_replica()
    with fresh.connect() as db:
        db.execute("INSERT INTO t VALUES (8), (603)")
        check_chain(db, 3)
    for first, crash in ((700, fresh.abandon), (800, fresh.stop)):
        crash()
        fresh.start()
        with fresh.connect() as db:
            check_chain(db, 3)
            db.execute(
                "INSERT INTO t SELECT i FROM generate_series(%s::int, %s::int) AS g(i)", (first, first + 20)
            )
            db.execute("DELETE FROM t WHERE a IN (10, 11)")
            check_chain(db, 3)
            db.execute("INSERT INTO t VALUES (10), (11)")


def test_a_replacement_over_what_rests_on_a_view_that_is_replaced(db: DB) -> None:
    """Views change one behind the other then, what is above first; nobody sees that."""
    fill(db)
    db.execute("CREATE MATERIALIZED VIEW z AS SELECT count(*) AS n, 0 AS v FROM d")
    db.execute("CREATE MATERIALIZED VIEW zz AS SELECT n, v FROM z")
    for name in ("x", "z"):
        db.execute(f"ALTER MATERIALIZED VIEW {name} SET (RETAIN HISTORY FOR '1h')")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT a, 1 AS v FROM t WHERE a > 10")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW z_next FOR z AS SELECT count(*) AS n, 1 AS v FROM d")
    db.execute("CREATE MATERIALIZED VIEW over AS SELECT n + 1 AS n, v FROM z_next")
    statements = [
        "ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next",
        "ALTER MATERIALIZED VIEW z APPLY REPLACEMENT z_next",
    ]
    assert rows(db, "SELECT n, v FROM zz") == [(25, 0)]
    db.execute("; ".join(statements))
    assert rows(db, "SELECT n, v FROM zz") == [(20, 1)]
    assert rows(db, "SELECT n, v FROM over") == [(21, 1)]
    changed = rows(
        db,
        "SELECT 'x', min(mz_timestamp::text::bigint) FROM CHANGES(x) WHERE v = 1"
        " UNION ALL SELECT 'z', min(mz_timestamp::text::bigint) FROM CHANGES(z) WHERE v = 1",
    )
    times = dict(changed)
    assert times["z"] < times["x"]
    db.execute("INSERT INTO t VALUES (200), (201)")
    assert rows(db, "SELECT z.n, z.v, over.n FROM z, over") == [(21, 1, 22)]


def test_what_reads_a_replacement_beside_the_old_is_refused(db: DB) -> None:
    """It would be a mixture: to be right behind the change, it would have to be so before."""
    fill(db)
    stage_chain(db, 3)
    db.execute("CREATE MATERIALIZED VIEW mixed AS SELECT w.v, d.w FROM w JOIN d ON w.a = d.a")
    with pytest.raises(psycopg.errors.FeatureNotSupported, match='"mixed" reads a replacement') as error:
        db.execute("; ".join(CHAIN))
    assert 'computed from "x"' in (error.value.diag.message_primary or "")
    check_chain(db, 3, "x_next", "y_next")
    assert rows(db, "SELECT DISTINCT v FROM x") == [(0,)]
    db.execute("DROP MATERIALIZED VIEW mixed")
    db.execute("; ".join(CHAIN))
    check_chain(db, 3)


def test_a_sink_of_a_replacement_is_given_something_else_first(db: DB, tmp_path: Path) -> None:
    fill(db)
    stage_chain(db, 3)
    db.execute(f"CREATE SINK s FROM x_next INTO FILE '{tmp_path}/s' FORMAT JSON ENVELOPE DEBEZIUM")  # type: ignore[arg-type]
    with pytest.raises(psycopg.errors.DependentObjectsStillExist, match="sinks read it"):
        db.execute("; ".join(CHAIN))
    db.execute("DROP SINK s")
    db.execute("; ".join(CHAIN))
    check_chain(db, 3)


def test_what_a_replacement_promises_of_null_its_readers_keep(db: DB) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t VALUES (1), (NULL)")
    db.execute("CREATE MATERIALIZED VIEW x AS SELECT a AS c FROM t")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT coalesce(a, 0) AS c FROM t")
    db.execute("CREATE MATERIALIZED VIEW e AS SELECT c, c IS NULL AS n FROM x_next")
    db.execute("ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next")
    assert rows(db, "SELECT c, n FROM e ORDER BY c") == [(0, False), (1, False)]
    with pytest.raises(psycopg.Error, match="may be null, and was not"):
        db.execute("CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT a AS c FROM t")


@pytest.mark.parametrize("where", CRASHES)
def test_a_crash_with_what_rests_on_replacements(
    fresh: InProcess, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    define, drop_shards = GroupCommit.define, CatalogTransactions._drop
    there = threading.Event()

    async def before(self: Any, *arguments: Any) -> None:
        there.set()
        await asyncio.Event().wait()

    async def after(self: Any, *arguments: Any) -> None:
        await define(self, *arguments)
        there.set()
        await asyncio.Event().wait()

    async def last(self: Any, items: Any) -> None:
        there.set()
        raise OSError("the process is killed here")

    def apply() -> None:
        with pytest.raises(psycopg.Error), fresh.connect() as mine:
            mine.execute("; ".join(CHAIN))

    with fresh.connect() as db:
        fill(db)
        stage_chain(db, 3)
        db.execute("INSERT INTO t VALUES (60), (61)")
        eventually(lambda: hydrated(db, *STAGED))
    monkeypatch.setattr(GroupCommit, "write_defined", _defined)
    match where:
        case "halted":
            monkeypatch.setattr(GroupCommit, "define", before)
        case "durable":
            monkeypatch.setattr(GroupCommit, "define", after)
        case "adopted":
            monkeypatch.setattr(CatalogTransactions, "_drop", last)
    applying = threading.Thread(target=apply, daemon=True)
    applying.start()
    assert there.wait(60)
    fresh.abandon()
    applying.join(60)
    monkeypatch.setattr(GroupCommit, "define", define)
    monkeypatch.setattr(CatalogTransactions, "_drop", drop_shards)
    fresh.start()
    with fresh.connect() as db:
        if where == "halted":
            check_chain(db, 3, "x_next", "y_next")
            db.execute("; ".join(CHAIN))
        check_chain(db, 3)
        db.execute("INSERT INTO t VALUES (98), (99)")
        db.execute("DELETE FROM t WHERE a < 9")
        check_chain(db, 3)


@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_random_histories(fresh: InProcess, seed: int, replicas: int) -> None:
    """Releases of chains under writes, in two clusters and with replicas that die: what is over the views is recomputed alike."""
    rng = random.Random(seed)
    with fresh.connect() as db:
        db.execute("CREATE CLUSTER c")
        db.execute(f"ALTER CLUSTER quickstart SET (REPLICATION FACTOR {replicas})")
        fill(db)
        numbers = iter(range(2000, 10**6))

        def write(mine: DB) -> None:
            new = next(numbers)
            mine.execute("INSERT INTO t VALUES (%s)", (new,))
            mine.execute("DELETE FROM t WHERE a = %s", (new - 10,))

        def read(mine: DB) -> None:
            [(x, t, *factors)] = rows(
                mine,
                "SELECT (SELECT count(*) FROM x), (SELECT count(*) FROM t), (SELECT min(v / a) FROM x), (SELECT max(v / a) FROM x),"
                " (SELECT min((v - 1) / a) FROM y), (SELECT max((v - 1) / a) FROM y)",
            )
            assert x == t
            assert len(set(factors)) == 1

        kills = random.Random(seed + 100)

        def kill(mine: DB) -> None:
            time.sleep(kills.random())
            fresh.driver.kill(kills.choice(["c1-r1", "c2-r1"]))

        lost = (psycopg.Error,)
        with (
            reading(fresh, 1, write, lost) as failed,
            reading(fresh, 1, read, lost) as mixed,
            reading(fresh, replicas - 1, kill) as dead,
        ):
            for factor in range(2, 6):
                cluster = [rng.choice(["c", "quickstart"]) for _ in range(3)]
                db.execute(
                    f"CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x IN CLUSTER {cluster[0]} AS SELECT a, {factor} * a AS v FROM t"
                )
                db.execute(
                    f"CREATE REPLACEMENT MATERIALIZED VIEW y_next FOR y IN CLUSTER {cluster[1]}"
                    " AS SELECT a, v + 1 AS v FROM x_next WHERE a % 2 = 0"
                )
                db.execute("CREATE VIEW w_next AS SELECT a, v FROM x_next WHERE a > 5")
                db.execute(
                    f"CREATE MATERIALIZED VIEW e_next IN CLUSTER {cluster[2]} AS SELECT count(*) AS n, sum(w.v) AS s, max(w.a) AS m FROM w_next AS w"
                )
                db.execute(
                    f"CREATE MATERIALIZED VIEW f_next IN CLUSTER {cluster[0]} AS SELECT x.a, x.v, y.v AS u FROM x_next AS x JOIN y_next AS y ON x.a = y.a"
                )
                db.execute(f"CREATE INDEX f_a_{factor} IN CLUSTER {cluster[1]} ON f_next (a)")
                db.execute(f"CREATE INDEX x_next_{factor} IN CLUSTER {cluster[2]} ON x_next (v)")
                db.execute(
                    "CREATE MATERIALIZED VIEW g_next AS SELECT f.a, x.v FROM f_next AS f JOIN x_next AS x ON x.v = f.v"
                )
                if rng.random() < 0.5:
                    fresh.driver.kill(rng.choice(["c1-r1", "c2-r1"]))
                names_ = ["g", "f", "e", "w"]
                drops = [f"DROP {'VIEW' if n == 'w' else 'MATERIALIZED VIEW'} IF EXISTS {n}" for n in names_]
                renames = [
                    f"ALTER {'VIEW' if n == 'w' else 'MATERIALIZED VIEW'} {n}_next RENAME TO {n}"
                    for n in names_
                ]
                chain = CHAIN[:: rng.choice([1, -1])]
                release = [*drops, *rng.sample(renames, 2), *chain]
                release += [statement for statement in renames if statement not in release]
                db.execute("; ".join(release))
                if rng.random() < 0.5:
                    fresh.driver.kill(rng.choice(["c1-r1", "c2-r1"]))
        assert not failed
        assert not mixed
        assert not dead
        check_chain(db, 5)
    fresh.abandon()
    fresh.start()
    with fresh.connect() as db:
        check_chain(db, 5)
        db.execute("INSERT INTO t VALUES (1500), (1501)")
        check_chain(db, 5)


def test_a_sink_is_cut_over_with_the_release(db: DB, tmp_path: Path) -> None:
    """It never tells of a version between: not of the contents that the view had before it was replaced."""
    fill(db)
    stage(db, 1)
    target = tmp_path / "s"
    db.execute(f"CREATE SINK s FROM q INTO FILE '{target}' FORMAT JSON ENVELOPE NONE")  # type: ignore[arg-type]
    db.execute("UPDATE t SET a = a + 1000")

    def told() -> dict[int, list[tuple[int, int]]]:
        found: dict[int, list[tuple[int, int]]] = {}
        for file in sorted(target.glob("*.jsonl")):
            for line in map(json.loads, file.read_text().splitlines()):
                found.setdefault(line["mz_timestamp"], []).append((line["v"], line["mz_diff"]))
        return found

    eventually(lambda: bool(told()))
    db.execute(
        "ALTER SINK s SET FROM y; ALTER MATERIALIZED VIEW y APPLY REPLACEMENT y_next;"
        " ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next"
    )
    eventually(lambda: any(v == 1 for changes in told().values() for v, _ in changes))
    for changes in told().values():
        added = {v for v, diff in changes if diff > 0}
        assert len(added) <= 1
    switched = min(time for time, changes in told().items() if any(v == 1 for v, _ in changes))
    assert sum(diff for v, diff in told()[switched] if v == 1) == 25
    assert sum(diff for v, diff in told()[switched] if v == 0) == -50


def test_state_goes_on_with_the_view(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint of a dataflow that reads a replacement is none of one that reads the view; the next one is."""
    with running(replace(FAST, checkpoint_rows=20, checkpoint_interval_ms=3_600_000)) as runtime:
        with runtime.connect() as db:
            fill(db)
            stage_chain(db, 3)

            def cuts() -> list[int | None]:
                catalog, checkpoints = runtime.coordinator.catalog, runtime.coordinator.controller.checkpoints
                items = [catalog.find("public", name) for name in ("e", "f", "g", "f_a")]
                return [checkpoints.cut(item.id) if item is not None else None for item in items]

            eventually(lambda: None not in cuts())
            db.execute("INSERT INTO t VALUES (60), (62)")
            [(before,)] = rows(db, "SELECT mz_now()::text::bigint")
            db.execute("; ".join(CHAIN))
            # The view's history before the release, which is none of theirs, is not held for them.
            assert all(found is None or found > before for found in cuts()[:3])
            db.execute("INSERT INTO t VALUES (64), (66)")
            eventually(lambda: None not in cuts())
            [(then,)] = rows(db, "SELECT mz_now()::text::bigint")
            db.execute("INSERT INTO t SELECT i FROM generate_series(700, 799) AS g(i)")
            eventually(lambda: all((found or 0) > then for found in cuts()))
            check_chain(db, 3)
        taken = []
        go_on = Installation._go_on

        def counted(self: Any, replica: Any, item: Any, *arguments: Any) -> None:
            taken.append(item.name)
            go_on(self, replica, item, *arguments)

        monkeypatch.setattr(Installation, "_go_on", counted)
        runtime.abandon()
        runtime.start()
        with runtime.connect() as db:
            check_chain(db, 3)
            db.execute("INSERT INTO t VALUES (68), (69)")
            db.execute("DELETE FROM t WHERE a = 8")
            check_chain(db, 3)
        assert {"e", "f", "g"} <= set(taken)


def test_what_the_same_transaction_makes_over_a_replacement(db: DB, schema: str) -> None:
    fill(db)
    stage(db, 1)
    db.execute(f"CREATE SCHEMA {schema}_other")
    with db.transaction():
        db.execute("CREATE MATERIALIZED VIEW k AS SELECT count(*) AS n, max(v) AS v FROM x_next")
        db.execute("CREATE VIEW l AS SELECT a FROM x_next WHERE v = 1")
        db.execute("CREATE INDEX l_a ON l (a)")
        db.execute("ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next")
        assert rows(db, "SELECT n, v FROM k") == [(50, 1)]
        db.execute(f"ALTER MATERIALIZED VIEW x SET SCHEMA {schema}_other")
        db.execute("ALTER MATERIALIZED VIEW y APPLY REPLACEMENT y_next")
        db.execute("DROP MATERIALIZED VIEW y CASCADE")
    assert rows(db, "SELECT n, v FROM k") == [(50, 1)]
    assert rows(db, "SELECT a FROM l WHERE a = 8") == [(8,)]
    assert rows(db, f"SELECT DISTINCT v FROM {schema}_other.x") == [(1,)]
    assert [name for name in names(db) if name in ("y", "d", "x_next", "y_next")] == []
    db.execute("INSERT INTO t VALUES (80)")
    assert rows(db, "SELECT n, v FROM k") == [(51, 1)]
    assert rows(db, "SELECT a FROM l WHERE a = 80") == [(80,)]
    db.execute(f"DROP SCHEMA {schema}_other CASCADE")


def test_a_replacement_of_a_replacement_replaces_the_view(db: DB) -> None:
    fill(db)
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW r FOR x AS SELECT a, 1 AS v FROM t")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW rr FOR r AS SELECT a, 2 AS v FROM t")
    db.execute("CREATE MATERIALIZED VIEW k AS SELECT v, count(*) AS n FROM r GROUP BY v")
    db.execute("ALTER MATERIALIZED VIEW x APPLY REPLACEMENT r")
    assert rows(db, "SELECT v, n FROM k") == [(1, 50)]
    db.execute("ALTER MATERIALIZED VIEW x APPLY REPLACEMENT rr")
    assert rows(db, "SELECT v, n FROM k") == [(2, 50)]
    assert rows(db, "SELECT DISTINCT v FROM x") == [(2,)]
