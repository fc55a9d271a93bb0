"""The control plane under faults: what is accepted completes, what is cancelled has not happened, what fails is seen.

`Held` is a store whose next commit waits until the test lets it go on, so that a cancel can come exactly in between.
"""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import psycopg
import pytest
from inprocess import FAST, WAIT_S, InProcess, eventually, hydrated, rows, running
from psycopg import errors
from ptvc.coord.catalog.items import Stored
from ptvc.coord.session.interruption import _ON_TIMEOUT
from ptvc.coord.storage.catalog_store import CATALOG_SHARD, load_catalog
from ptvc.errors import StoreAway
from ptvc.persist.consensus.base import Outcome, Transaction

pytestmark = pytest.mark.timeout(120)


class Held:
    """Between the first commit that `of` chooses and `release`, the store works on it."""

    def __init__(self, runtime: InProcess, of: Callable[[Transaction], bool]) -> None:
        self._commit = runtime.stores.consensus.commit
        self._of = of
        self.arrived = threading.Event()
        self._released = threading.Event()

    def commit(self, transaction: Transaction) -> Outcome:
        if self._of(transaction) and not self.arrived.is_set():
            self.arrived.set()
            assert self._released.wait(WAIT_S)
        return self._commit(transaction)

    def release(self) -> None:
        self._released.set()


@contextmanager
def held(runtime: InProcess, of: Callable[[Transaction], bool]) -> Iterator[Held]:
    store = Held(runtime, of)
    consensus: Any = runtime.stores.consensus
    consensus.commit = store.commit
    try:
        yield store
    finally:
        store.release()
        del consensus.commit


def writes(shard: str) -> Callable[[Transaction], bool]:
    """Whether a transaction appends to the shard."""
    return lambda transaction: any(c.after.shard == shard and c.inserted for c in transaction.changes)


def shard_of(runtime: InProcess, name: str) -> str:
    item = runtime.coordinator.catalog.find("public", name)
    assert isinstance(item, Stored)
    return item.shard


def in_background(work: Callable[[], None]) -> tuple[threading.Thread, list[BaseException]]:
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, failures


def same_after_restart(runtime: InProcess) -> None:
    """Memory, the durable catalog, and the memory of a process that is started anew are the same."""

    def entries() -> dict[str, object]:
        return dict(runtime.coordinator.catalog.entries())

    before = runtime.call(entries)
    durable, _ = load_catalog(runtime.persist)
    assert durable.entries() == before
    runtime.abandon()
    runtime.start()
    assert runtime.call(entries) == before


# -- 1: nothing ends unseen --


def test_what_needs_a_cluster_that_is_gone_is_refused_and_harms_no_other(fresh: InProcess) -> None:
    with fresh.connect() as db, fresh.connect() as other:
        db.execute("CREATE TABLE t (a int)")
        db.execute("DROP CLUSTER quickstart CASCADE")
        for create in ("MATERIALIZED VIEW m AS SELECT a FROM t", "INDEX i ON t (a)"):
            with pytest.raises(errors.UndefinedObject, match="quickstart"):
                db.execute(f"BEGIN; CREATE {create}; COMMIT")  # type: ignore[call-overload]
            db.execute("ROLLBACK")
            with pytest.raises(errors.UndefinedObject, match="quickstart"):
                db.execute(f"CREATE {create}")  # type: ignore[call-overload]
        other.execute("SET statement_timeout = '20s'")
        other.execute("INSERT INTO t VALUES (1)")
        other.execute("CREATE VIEW v AS SELECT a FROM t")
        other.execute("CREATE CLUSTER quickstart (REPLICATION FACTOR 1)")
        assert rows(other, "SELECT * FROM v") == [(1,)]
    same_after_restart(fresh)


@pytest.mark.parametrize("where", ["Collections.committed", "Collections.wake", "Outputs._append"])
def test_a_part_that_fails_stops_the_process_and_lets_no_writer_wait(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ptvc.coord.controller.output_commits import Outputs
    from ptvc.coord.storage.collections import Collections

    owners = {"Collections": Collections, "Outputs": Outputs}
    owner, _, method = where.partition(".")

    def broken(*_: Any) -> None:
        raise RuntimeError("a defect")

    with running() as runtime:
        with runtime.connect() as db:
            db.execute("CREATE TABLE t (a int)")
            db.execute("CREATE MATERIALIZED VIEW v AS SELECT a FROM t")
            eventually(lambda: hydrated(db, "v"))
            db.execute("SET statement_timeout = '20s'")
            monkeypatch.setattr(owners[owner], method, broken)
            if owner == "Outputs":
                db.execute("INSERT INTO t VALUES (1)")
            else:
                with pytest.raises(psycopg.OperationalError) as caught:
                    db.execute("INSERT INTO t VALUES (1)")
                assert caught.value.sqlstate == "08007"
            eventually(lambda: runtime.failures)
            assert "a defect" in str(runtime.failures[0])
        runtime.failures.clear()
        monkeypatch.undo()
        runtime.abandon()  # as `ptvc serve` does by itself
        runtime.start()
        assert runtime.query("SELECT * FROM v") == [(1,)]


# -- 2 and 3: cancels around a commit --


@pytest.mark.parametrize("how", ["cancel", "timeout", "lost"])
@pytest.mark.parametrize(
    ("statement", "check", "after"),
    [
        ("DROP TABLE t", "SELECT count(*) FROM mz_tables WHERE name = 't'", [(0,)]),
        ("CREATE TABLE u (a int)", "SELECT count(*) FROM mz_tables WHERE name = 'u'", [(1,)]),
        ("CREATE TABLE u AS SELECT a FROM t", "SELECT a FROM u", [(7,)]),
        ("BEGIN; CREATE VIEW w AS SELECT a FROM t; COMMIT", "SELECT a FROM w", [(7,)]),
        ("ALTER TABLE t RENAME TO u", "SELECT a FROM u", [(7,)]),
        (
            "CREATE CLUSTER c2 (REPLICATION FACTOR 1)",
            "SELECT count(*) FROM mz_clusters WHERE name = 'c2'",
            [(1,)],
        ),
    ],
)
def test_a_definition_that_is_cancelled_while_it_becomes_durable_has_happened(
    fresh: InProcess, how: str, statement: str, check: str, after: list[tuple[Any, ...]]
) -> None:
    fresh.query("CREATE TABLE t (a int)")
    fresh.query("INSERT INTO t VALUES (7)")
    db = fresh.connect()
    with held(fresh, writes(CATALOG_SHARD)) as store:
        thread, failures = in_background(lambda: [db.execute(statement), None][1])  # type: ignore[call-overload,func-returns-value]
        assert store.arrived.wait(WAIT_S)
        interrupt(fresh, db, how)
        store.release()
        thread.join(WAIT_S)

    def has_happened() -> bool:
        try:
            return fresh.query(check) == after
        except errors.UndefinedTable:
            return False

    if how == "lost":
        eventually(has_happened)
    else:
        assert failures == []  # the statement has succeeded, so it says so
        assert fresh.query(check) == after
    db.close()
    same_after_restart(fresh)
    assert fresh.query(check) == after
    fresh.query("CREATE TABLE afterwards (a int)")  # and takes back no row twice
    same_after_restart(fresh)


@pytest.mark.parametrize("how", ["cancel", "timeout", "lost"])
def test_a_write_that_is_cancelled_while_it_becomes_durable_is_acknowledged(
    fresh: InProcess, how: str
) -> None:
    fresh.query("CREATE TABLE t (a int)")
    db = fresh.connect()
    with held(fresh, writes(shard_of(fresh, "t"))) as store:
        thread, failures = in_background(lambda: [db.execute("INSERT INTO t VALUES (1)"), None][1])  # type: ignore[func-returns-value]
        assert store.arrived.wait(WAIT_S)
        interrupt(fresh, db, how)
        store.release()
        thread.join(WAIT_S)
    if how != "lost":
        assert failures == []
    eventually(lambda: fresh.query("SELECT * FROM t") == [(1,)])
    db.close()


def test_what_waits_behind_another_commit_is_withdrawn_at_its_timeout(fresh: InProcess) -> None:
    fresh.query("CREATE TABLE t (a int); CREATE TABLE other (a int)")
    with fresh.connect() as db, fresh.connect() as first:
        db.execute("SET statement_timeout = '300ms'")
        with held(fresh, writes(shard_of(fresh, "other"))) as store:
            thread, failures = in_background(
                lambda: [first.execute("INSERT INTO other VALUES (1)"), None][1]  # type: ignore[func-returns-value]
            )
            assert store.arrived.wait(WAIT_S)
            begun = monotonic()
            with pytest.raises(errors.QueryCanceled):
                db.execute("INSERT INTO t VALUES (2)")
            assert monotonic() - begun < 20
            store.release()
            thread.join(WAIT_S)
        assert failures == []
        db.execute("RESET statement_timeout")
        assert rows(db, "SELECT count(*) FROM t") == [(0,)]
    same_after_restart(fresh)


def interrupt(runtime: InProcess, db: psycopg.Connection[Any], how: str) -> None:
    """Sees to it that the interrupt has reached the session, which is running a statement, before it returns.

    A timeout comes as its timer would bring it: a real one may be over before the statement is where it is to be.
    """
    (running,) = (
        session._interruption
        for session in list(runtime.coordinator._sessions.values())
        if session._interruption._running is not None
    )
    if how == "lost":  # another thread waits at it, so it is not freed
        with socket.socket(fileno=os.dup(db.fileno())) as client:
            client.shutdown(socket.SHUT_RDWR)
        return
    if how == "cancel":
        db.cancel_safe()
    else:
        assert runtime._loop is not None
        runtime._loop.call_soon_threadsafe(running._interrupt, _ON_TIMEOUT)
    eventually(lambda: running._reason is not None)


# -- 4 and 7: nothing waits for the store that need not --


def test_reads_go_on_while_the_store_hangs(fresh: InProcess) -> None:
    """And while it fails: time stands still at the mark, which is where everything is known."""
    fresh.query("CREATE TABLE t (a int)")
    with fresh.connect() as db:
        db.execute("CREATE MATERIALIZED VIEW v AS SELECT a FROM t")
        db.execute("INSERT INTO t VALUES (1)")
        assert rows(db, "SELECT a FROM v") == [(1,)]
        with held(fresh, lambda transaction: transaction.mark is not None) as store:
            assert store.arrived.wait(WAIT_S)
            db.execute("SET statement_timeout = '20s'")
            coordinator = fresh.coordinator
            # Until time stands still, so that no read finds a later time any more.
            eventually(
                lambda: fresh.call(
                    lambda: coordinator.storage.oracle.closed > coordinator.storage.oracle.mark
                )
            )
            for sql in (
                "SELECT a FROM t",
                "SELECT a FROM v",
                "SELECT a + 1 FROM t JOIN v USING (a)",
                "SELECT a FROM v AS OF AT LEAST 0",
            ):
                assert len(rows(db, sql)) == 1
            worst = coordinator.watchdog.worst_s
        assert worst < 5


def test_reads_go_on_while_nothing_can_be_written(fresh: InProcess) -> None:
    fresh.query("CREATE TABLE t (a int)")
    consensus: Any = fresh.stores.consensus
    with fresh.connect() as db:
        db.execute("CREATE MATERIALIZED VIEW v AS SELECT a FROM t")
        db.execute("INSERT INTO t VALUES (1)")
        assert rows(db, "SELECT a FROM v") == [(1,)]

        def away(transaction: Transaction) -> Outcome:
            raise StoreAway("the store cannot be reached")

        consensus.commit = away
        try:
            db.execute("SET statement_timeout = '20s'")
            coordinator = fresh.coordinator
            eventually(
                lambda: fresh.call(
                    lambda: coordinator.storage.oracle.closed > coordinator.storage.oracle.mark
                )
            )
            for sql in ("SELECT a FROM t", "SELECT a FROM v", "SELECT a FROM v AS OF AT LEAST 0"):
                assert rows(db, sql) == [(1,)]
            with pytest.raises(psycopg.OperationalError):
                db.execute("INSERT INTO t VALUES (2)")
        finally:
            del consensus.commit
        db.execute("INSERT INTO t VALUES (3)")
        assert rows(db, "SELECT a FROM v ORDER BY a") == [(1,), (3,)]


def test_what_a_session_cannot_drop_as_it_ends_is_dropped_later(
    fresh: InProcess, caplog: pytest.LogCaptureFixture
) -> None:
    def temporary() -> list[str]:
        return [item.name for item in fresh.coordinator.catalog.user_items() if item.temporary]

    def away(transaction: Transaction) -> Outcome:
        raise StoreAway("the store cannot be reached")

    consensus: Any = fresh.stores.consensus
    db = fresh.connect()
    db.execute("CREATE TEMPORARY TABLE own (a int)")
    consensus.commit = away
    try:
        db.close()
        eventually(lambda: "dropped later" in caplog.text)
        assert fresh.call(temporary) == ["own"]
    finally:
        del consensus.commit
    eventually(lambda: fresh.call(temporary) == [])
    same_after_restart(fresh)


def test_the_loop_never_waits_for_a_slow_store() -> None:
    """Each round trip to the store takes 300 ms; definitions, writes and reads go on, and the loop is never held."""
    from time import sleep

    with running(FAST) as runtime:
        consensus: Any = runtime.stores.consensus
        on_loop: list[str] = []
        loop_thread = runtime._thread.ident

        def slow(name: str) -> Callable[..., Any]:
            method = getattr(consensus, name)

            def call(*arguments: Any, **more: Any) -> Any:
                if threading.get_ident() == loop_thread:
                    on_loop.append(name)
                sleep(0.05)
                return method(*arguments, **more)

            return call

        names = (
            "commit",
            "head",
            "version",
            "batches",
            "change_count",
            "writer",
            "known_blobs",
            "leases",
            "beat",
        )
        for name in names:
            setattr(consensus, name, slow(name))
        try:
            with runtime.connect() as db:
                db.execute("CREATE TABLE t (a int PRIMARY KEY, b text)")
                db.execute("INSERT INTO t SELECT i, 'x' FROM generate_series(1, 1000) AS g (i)")
                db.execute("CREATE MATERIALIZED VIEW v AS SELECT b, count(*) AS n FROM t GROUP BY b")
                db.execute("CREATE INDEX v_b ON v (b)")
                eventually(lambda: hydrated(db, "v", "v_b"))
                assert rows(db, "SELECT n FROM v WHERE b = 'x'") == [(1000,)]
                db.execute(
                    "BEGIN; ALTER TABLE t ADD COLUMN c int DEFAULT 5; UPDATE t SET b = 'y' WHERE a = 1; COMMIT"
                )
                assert rows(db, "SELECT count(*) FROM t WHERE c = 5 AS OF AT LEAST 0") == [(1000,)]
                db.execute("CREATE CLUSTER two (REPLICATION FACTOR 1)")
                db.execute("DROP CLUSTER two CASCADE")
                runtime.kill_replica()
                assert rows(db, "SELECT n FROM v WHERE b = 'y'") == [(1,)]
                db.execute("DROP TABLE t CASCADE")
        finally:
            for name in names:
                delattr(consensus, name)
        assert on_loop == []


def test_a_hanging_part_of_the_process_is_named(fresh: InProcess, caplog: pytest.LogCaptureFixture) -> None:
    from time import sleep

    def holds_the_loop() -> None:
        sleep(0.5)

    fresh.call(fresh.coordinator.watchdog.reset)
    eventually(lambda: (fresh.call(holds_the_loop), fresh.coordinator.watchdog.stalls)[1])
    eventually(lambda: "holds_the_loop" in caplog.text)
    assert re.search(r"for \d+ ms, of which it computed \d+ ms, waited \d+ ms for a core", caplog.text)
    assert fresh.coordinator.watchdog.worst_s > 0.05


def test_stop_ends_a_process_whose_group_commit_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptvc.coord.storage.group_commit import GroupCommit

    async def broken(self: Any, requests: Any) -> None:
        raise RuntimeError("a defect")

    with running() as runtime:
        with runtime.connect() as db:
            db.execute("CREATE TABLE t (a int)")
            monkeypatch.setattr(GroupCommit, "_commit", broken)
            with pytest.raises(psycopg.OperationalError):
                db.execute("INSERT INTO t VALUES (1)")
        eventually(lambda: runtime.failures)
        runtime.failures.clear()
        # `running` stops it in order, within its patience
