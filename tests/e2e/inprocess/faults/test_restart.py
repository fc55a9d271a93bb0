"""What is left after a stop, a crash, and the death of a replica: everything that was acknowledged."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import OperationalError
from ptvc.coord.query.peeks import Peeks
from ptvc.errors import ReplicaLost
from ptvc.repr.batch import Batch


def fill(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("CREATE SCHEMA s")
        db.execute("CREATE TABLE t (a int NOT NULL, b text DEFAULT 'x')")
        db.execute("INSERT INTO t VALUES (1), (2), (3)")
        db.execute("CREATE VIEW s.v AS SELECT a, b FROM t WHERE a > 1")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT b, count(*) AS n, sum(a) AS s FROM s.v GROUP BY b")
        db.execute("CREATE MATERIALIZED VIEW mm AS SELECT sum(n) AS n FROM m")
        db.execute("CREATE INDEX i ON m (b)")
        db.execute("COMMENT ON TABLE t IS 'kept'")
        db.execute("CREATE TEMP TABLE lost (a int)")


def check(runtime: InProcess, count: int) -> None:
    with runtime.connect() as db:
        recomputed = rows(db, "SELECT b, count(*), sum(a) FROM t WHERE a > 1 GROUP BY b ORDER BY b")
        assert rows(db, "SELECT * FROM m ORDER BY b") == recomputed
        assert rows(db, "SELECT * FROM mm") == [(count,)]
        assert rows(db, "SELECT n FROM m WHERE b = 'x'") == [(count,)]
        assert rows(db, "SELECT count(*) FROM mz_catalog.mz_objects WHERE name = 'lost'") == [(0,)]
        assert rows(db, "SELECT description FROM pg_catalog.pg_description WHERE objsubid = 0") == [("kept",)]


def test_stop_and_start(fresh: InProcess) -> None:
    fill(fresh)
    check(fresh, 2)
    fresh.query("ALTER SYSTEM SET lock_timeout = '7s'")
    for i in range(3):
        last = fresh.coordinator.storage.oracle.read_time
        fresh.stop()
        fresh.start()
        assert fresh.coordinator.storage.oracle.read_time >= last
        check(fresh, 2 + i)
        assert fresh.query("SHOW lock_timeout") == [("7s",)]
        fresh.query("INSERT INTO t VALUES (9)")
        check(fresh, 3 + i)
    fresh.query("DROP TABLE t CASCADE")
    fresh.query("CREATE TABLE t (c text)")
    assert fresh.query("SELECT * FROM t") == []


def test_ids_are_never_used_again(fresh: InProcess) -> None:
    seen = set()
    for _ in range(4):
        fresh.query("CREATE TABLE gone (a int)")
        [(id_, oid)] = fresh.query("SELECT id, oid FROM mz_catalog.mz_objects WHERE name = 'gone'")
        assert (id_, oid) not in seen
        seen.add((id_, oid))
        with fresh.connect() as db:
            db.execute("CREATE TEMP TABLE temporary (a int)")
        fresh.query("DROP TABLE gone")
        fresh.stop()
        fresh.start()
    assert len({oid for _, oid in seen}) == len({id_ for id_, _ in seen}) == 4


def test_a_crash_of_the_coordinator(fresh: InProcess) -> None:
    fill(fresh)
    check(fresh, 2)
    for i in range(3):
        fresh.query("INSERT INTO t VALUES (9)")
        last = fresh.coordinator.storage.oracle.read_time
        fresh.abandon()
        fresh.start()
        assert fresh.coordinator.storage.oracle.read_time >= last
        check(fresh, 3 + i)


def test_a_crash_under_load_loses_nothing_acknowledged(fresh: InProcess) -> None:
    fill(fresh)
    acknowledged: list[int] = []
    attempted: list[int] = []

    def write(start: int) -> None:
        try:
            with fresh.connect(autocommit=True) as db:
                for i in range(start, start + 10_000):
                    attempted.append(i)
                    db.execute("INSERT INTO t VALUES (%s, 'load')", (i,))
                    acknowledged.append(i)
        except OperationalError:
            pass

    writers = [threading.Thread(target=write, args=(n * 100_000,), daemon=True) for n in (1, 2, 3)]
    for writer in writers:
        writer.start()
    eventually(lambda: len(acknowledged) > 60)
    fresh.abandon()
    for writer in writers:
        writer.join(60)
        assert not writer.is_alive()
    fresh.start()
    found = [a for (a,) in fresh.query("SELECT a FROM t WHERE b = 'load'")]
    assert len(found) == len(set(found))
    assert set(acknowledged) <= set(found) <= set(attempted)
    assert fresh.query("SELECT n FROM m WHERE b = 'load'") == [(len(found),)]
    assert fresh.query("SELECT n FROM mm") == [(len(found) + 2,)]


def test_a_second_coordinator_fences_the_first(fresh: InProcess) -> None:
    fresh.query("CREATE TABLE t (a int)")
    second = InProcess(fresh.directory)
    second.start()
    try:
        assert second.query("SELECT * FROM t") == []
        with pytest.raises(OperationalError, match="taken over"):
            fresh.query("INSERT INTO t VALUES (1)")
        assert fresh.fenced.is_set()
        second.query("INSERT INTO t VALUES (2)")
        assert second.query("SELECT * FROM t") == [(2,)]
    finally:
        second.stop()
        fresh.unhandled.clear()


def test_an_idle_coordinator_finds_out_that_it_is_fenced(fresh: InProcess) -> None:
    second = InProcess(fresh.directory)
    second.start()
    try:
        assert fresh.fenced.wait(60)
    finally:
        second.stop()


def test_a_dead_replica_comes_back(fresh: InProcess) -> None:
    fill(fresh)
    for i in range(8):
        fresh.query("INSERT INTO t VALUES (9)")
        fresh.kill_replica()
        if i % 2:
            fresh.query("INSERT INTO t VALUES (1)")
        check(fresh, 3 + i)


def test_replicas_that_die_under_load(fresh: InProcess) -> None:
    fill(fresh)
    stop = threading.Event()
    failures: list[BaseException] = []

    def write() -> None:
        try:
            with fresh.connect() as db:
                while not stop.is_set():
                    db.execute("INSERT INTO t VALUES (9, 'load')")
        except BaseException as error:
            failures.append(error)

    def read() -> None:
        last = 0
        try:
            with fresh.connect() as db:
                while not stop.is_set():
                    [(n, raw)] = rows(db, "SELECT n, (SELECT count(*) FROM t WHERE a > 1) FROM mm")
                    assert n == raw
                    assert n >= last
                    last = n
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for work in (write, write, read)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(6):
            attempt = fresh.coordinator.controller.clusters.of("quickstart")[0].attempt
            fresh.kill_replica()
            eventually(
                lambda a=attempt: fresh.coordinator.controller.clusters.of("quickstart")[0].attempt > a
            )
            [(before,)] = fresh.query("SELECT n FROM mm")
            eventually(lambda n=before: fresh.query("SELECT n FROM mm")[0][0] > n)
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)
    assert failures == []
    [(count,)] = fresh.query("SELECT count(*) FROM t WHERE a > 1")
    check(fresh, 2) if count == 2 else None
    assert fresh.query("SELECT n FROM mm") == [(count,)]


def test_sources_go_on_where_they_were(fresh: InProcess, tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("a,b\n1,x\n2,y\n")
    fresh.query(f"CREATE SOURCE src (a int, b text) FROM FILE '{file}' FORMAT CSV")
    fresh.query("CREATE MATERIALIZED VIEW n AS SELECT count(*) AS n, sum(a) AS s FROM src")
    expected = [1, 2]

    def agrees() -> bool:
        return fresh.query("SELECT n, s FROM n") == [(len(expected), sum(expected))]

    for i in range(3, 15):
        eventually(agrees)
        with file.open("a") as out:
            out.write(f"{i},z\n")
        expected.append(i)
        match i % 3:
            case 0:
                fresh.kill_replica()
            case 1:
                fresh.stop()
                fresh.start()
            case 2:
                fresh.abandon()
                fresh.start()
    eventually(agrees)
    assert sorted(a for (a,) in fresh.query("SELECT a FROM src")) == expected


def test_a_driver_that_cannot_start_is_an_error_that_names_its_log(tmp_path: Path) -> None:
    import asyncio

    from ptvc.clock import SystemClock
    from ptvc.config import Settings
    from ptvc.coord.controller.driver_process import launching
    from ptvc.coord.coordinator import Coordinator
    from ptvc.coord.storage.storage import Storage
    from ptvc.errors import ReplicaUnavailable
    from ptvc.persist.location import Location
    from ptvc.persist.stores import open_stores
    from ptvc.supervision import Supervisor

    supervisor = Supervisor(lambda name, error: None)

    settings = Settings(spark_driver_memory="9000000g")

    async def main() -> ReplicaUnavailable:
        clock = SystemClock()
        storage = Storage(open_stores(tmp_path, Location()), clock)
        launch = launching(settings, storage.blobs, supervisor)
        coordinator = Coordinator(storage, tmp_path, settings, clock, supervisor, lambda: None, launch)
        await coordinator.start()
        try:
            with pytest.raises(ReplicaUnavailable) as caught:
                await coordinator.controller.clusters.serving("quickstart")
            return caught.value
        finally:
            await coordinator.stop()

    error = asyncio.run(main())
    assert "Spark cannot be started" in error.message
    assert str(tmp_path / "log" / "driver.log") in str(error.hint)


@pytest.mark.parametrize("ordered", ["", "ORDER BY a"])
def test_a_read_waits_while_spark_comes_back(
    fresh: InProcess, monkeypatch: pytest.MonkeyPatch, ordered: str
) -> None:
    """Whatever is between the read and the driver is gone for a while, and says so at once."""
    fresh.query("CREATE TABLE t (a int)")
    fresh.query("INSERT INTO t VALUES (1), (2)")
    asked: list[float] = []
    peek = Peeks._peek

    async def gone(self: Peeks, *arguments: Any) -> AsyncIterator[Batch]:
        asked.append(monotonic())
        if asked[-1] - asked[0] < 0.5:
            raise ReplicaLost("Spark is not running")
        async for batch in peek(self, *arguments):
            yield batch

    monkeypatch.setattr(Peeks, "_peek", gone)
    for _ in range(4):
        asked.clear()
        assert sorted(fresh.query(f"SELECT a FROM t {ordered}")) == [(1,), (2,)]
        assert 2 < len(asked) < 8, "in growing intervals"


def test_a_read_that_waits_ends_with_its_timeout(fresh: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh.query("CREATE TABLE t (a int)")
    for replica in fresh.coordinator.controller.clusters:
        fresh.driver.pause(replica.id)
    with fresh.connect() as db:
        db.execute("SET statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            db.execute("SELECT a FROM t WHERE a > 1")


def test_of_an_answer_that_has_begun_nothing_comes_twice(
    fresh: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ordered one is asked again, as its client has seen nothing; another ends with an error."""
    fresh.query("CREATE TABLE t (a int)")
    fresh.query("INSERT INTO t VALUES (1), (2)")
    left = [1]
    peek = Peeks._peek

    async def dies_after_rows(self: Peeks, *arguments: Any) -> AsyncIterator[Batch]:
        async for batch in peek(self, *arguments):
            yield batch
        if left:
            left.pop()
            raise ReplicaLost("it died")

    monkeypatch.setattr(Peeks, "_peek", dies_after_rows)
    assert fresh.query("SELECT a FROM t ORDER BY a") == [(1,), (2,)]
    left.append(1)
    with pytest.raises(psycopg.OperationalError) as caught:
        fresh.query("SELECT a FROM t")
    assert caught.value.sqlstate == "57P03"
