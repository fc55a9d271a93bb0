"""Maintenance: history is compacted, but nothing that a reader still needs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from inprocess import InProcess, eventually, rows, running
from ptvc.coord.catalog.entries import Change
from ptvc.coord.catalog.items import MaterializedView, Sink, Stored
from ptvc.coord.storage.storage import Storage
from ptvc.persist.client import ShardState
from ptvc.replica.protocol import SinkProgress


@pytest.fixture
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


def state(runtime: InProcess, name: str) -> ShardState:
    item = runtime.coordinator.catalog.find("public", name)
    assert isinstance(item, Stored)
    return runtime.persist.state(item.shard)


def test_history_goes(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (a int)")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT sum(a) AS s FROM t")
        for i in range(30):
            db.execute("INSERT INTO t VALUES (%s)", (i,))
        written = state(runtime, "t").upper - 1
        eventually(lambda: min(state(runtime, "t").since, state(runtime, "m").since) >= written)

        def merged() -> bool:
            t = state(runtime, "t")
            return len(runtime.persist.snapshot(t.id, t.upper - 1).parts) < 10

        eventually(merged)
        assert rows(db, "SELECT s FROM m") == [(435,)]
        assert rows(db, "SELECT count(*), sum(a) FROM t") == [(30, 435)]


def test_what_is_idle_is_not_written(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (a int)")
        for i in range(5):
            db.execute(
                f"CREATE MATERIALIZED VIEW m{i} AS SELECT a % {i + 1} AS g, count(*) FROM t GROUP BY 1"
            )
        db.execute("INSERT INTO t VALUES (1)")
        db.execute("SELECT * FROM m4")
    written = state(runtime, "t").upper - 1
    names = ["t", *(f"m{i}" for i in range(5))]
    eventually(lambda: state(runtime, "t").since >= written)

    def shards() -> list[ShardState]:
        return [state(runtime, name) for name in names]

    def quiet_for_a_second() -> bool:
        """What the inserts left to be done may still be under way the first few times."""
        before, begun = shards(), runtime.coordinator.storage.oracle.read_time
        eventually(lambda: runtime.coordinator.storage.oracle.read_time > begun + 1_000)
        return shards() == before

    eventually(quiet_for_a_second)


def test_what_a_view_needs_after_a_restart_stays(runtime: InProcess) -> None:
    """While nothing maintains the view, its inputs wait for it, however long that takes."""
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (a int)")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM t")
        db.execute("INSERT INTO t VALUES (1)")
        assert rows(db, "SELECT n FROM m") == [(1,)]
        runtime.driver.die()
        stuck = runtime.coordinator.storage.oracle.closed  # nobody has told the replica of a later time
        for _ in range(4):
            db.execute("INSERT INTO t VALUES (2)")
            time = runtime.coordinator.storage.oracle.read_time
            eventually(lambda t=time: runtime.coordinator.storage.oracle.read_time > t + 250)
            assert state(runtime, "m").upper <= stuck
            assert state(runtime, "t").since < state(runtime, "m").upper
    runtime.stop()
    runtime.start()
    assert runtime.query("SELECT n FROM m") == [(5,)]
    eventually(lambda: state(runtime, "t").since > stuck)


def test_a_view_that_takes_long_to_define_finds_its_inputs(
    runtime: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Maintenance between the time at which a view begins and its entry in the catalog leaves that time readable."""
    transact = Storage.transact_catalog

    async def slow(self: Storage, changes: list[Change], *more: Any, **named: Any) -> None:
        if any(isinstance(c.after, MaterializedView) for c in changes):
            await asyncio.sleep(1.0)  # several rounds of maintenance, and ten times the history that is kept
        await transact(self, changes, *more, **named)

    monkeypatch.setattr(Storage, "transact_catalog", slow)
    with runtime.connect() as db, runtime.connect() as other:
        db.execute("CREATE TABLE t (a int)")
        db.execute("INSERT INTO t VALUES (1)")
        writer = Thread(target=other.execute, args=("INSERT INTO t VALUES (2)",))
        creator = Thread(target=db.execute, args=("CREATE MATERIALIZED VIEW m AS SELECT sum(a) AS s FROM t",))
        creator.start()
        eventually(lambda: any(shard.id == "u2" for shard in runtime.persist.shards()))
        writer.start()
        for thread in (creator, writer):
            thread.join()
        assert rows(db, "SELECT s FROM m") == [(3,)]
        reasons = rows(other, "SELECT count(*) FROM mz_internal.mz_hydration_statuses WHERE hydrated")
        assert reasons == [(1,)]
    status = runtime.coordinator.controller.statuses.get(_id(runtime, "m"))
    assert status is not None
    assert not status.reason


def _id(runtime: InProcess, name: str) -> str:
    item = runtime.coordinator.catalog.find("public", name)
    assert item is not None
    return item.id


def test_a_reader_keeps_what_it_reads(runtime: InProcess) -> None:
    with runtime.connect() as db, runtime.connect() as writer:
        db.execute("CREATE TABLE t (a int)")
        db.execute("INSERT INTO t VALUES (1)")
        db.execute("BEGIN")
        assert rows(db, "SELECT a FROM t") == [(1,)]
        at = runtime.coordinator.storage.oracle.read_time
        writer.execute("UPDATE t SET a = 2")
        eventually(lambda: runtime.coordinator.storage.oracle.read_time > at + 600)
        assert state(runtime, "t").since <= at
        assert rows(db, "SELECT a FROM t") == [(1,)]
        db.execute("COMMIT")
        eventually(lambda: state(runtime, "t").since > at)
        assert rows(db, "SELECT a FROM t") == [(2,)]


def test_a_dropped_table_does_not_disturb_upkeep(
    runtime: InProcess, caplog: pytest.LogCaptureFixture
) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE kept (a int)")
        for i in range(15):
            db.execute(f"CREATE TABLE t{i} (a int)")
            db.execute(f"INSERT INTO t{i} VALUES (1)")
            db.execute(f"DROP TABLE t{i}")
        time = runtime.coordinator.storage.oracle.read_time
        db.execute("INSERT INTO kept VALUES (1)")
        eventually(lambda: state(runtime, "kept").since > time)
    assert "maintenance failed" not in caplog.text


def test_the_input_of_a_sink_is_held_where_a_restart_begins(runtime: InProcess, tmp_path: Path) -> None:
    """What a sink has said is noted now and then: until then a restart does not know."""
    runtime.query("CREATE TABLE t (a int)")
    out = tmp_path / "out"
    runtime.query(f"CREATE SINK k FROM t INTO FILE '{out}' FORMAT JSON ENVELOPE NONE")
    item = runtime.coordinator.catalog.find("public", "k")
    assert isinstance(item, Sink)
    sinks = runtime.coordinator.controller.sinks

    def said() -> tuple[int, int]:
        before = sinks.durable_upper(item)
        ahead = sinks.upper(item) + 1_000_000
        sinks.moved(SinkProgress(item.id, ahead))
        assert sinks.upper(item) == ahead
        return before, sinks.durable_upper(item)

    before, after = runtime.call(said)
    assert before == after


def test_sinks_write_what_is_durable_and_go_on_after_restarts(runtime: InProcess, tmp_path: Path) -> None:
    import json

    out = tmp_path / "out"

    def records() -> list[int]:
        files = sorted(out.glob("*.jsonl"))
        lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        return sorted(line["a"] for line in lines)

    runtime.query("CREATE TABLE t (a int)")
    runtime.query(f"CREATE SINK k FROM t INTO FILE '{out}' FORMAT JSON ENVELOPE NONE")
    for i in range(6):
        runtime.query(f"INSERT INTO t VALUES ({i})")
        eventually(lambda n=i: records() == list(range(n + 1)))
        match i % 3:
            case 0:
                runtime.kill_replica()
            case 1:
                runtime.stop()
                runtime.start()
            case 2:
                runtime.abandon()
                runtime.start()
