"""Clusters of several replicas: all run everything, whoever is first writes, and any that is up answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, rows, running
from ptvc.config import BYTES_PER_CORE, Settings
from ptvc.coord.catalog.items import Item
from ptvc.coord.controller import control_listener
from ptvc.coord.controller.installation import Installation
from ptvc.coord.controller.replicas import ReplicaClient
from ptvc.errors import DiskFull
from ptvc.replica.protocol import LimitMemory, Message, ReplicaWaits

ELSEWHERE = replace(
    FAST, spark_master="spark://nowhere:7077", control_listen="127.0.0.1:0", state_files="directory"
)
"""As if replicas were on other machines."""


@pytest.fixture
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        runtime.query("CREATE CLUSTER twice (REPLICATION FACTOR 2)")
        eventually(lambda: online(runtime) == {"r1", "r2"})
        yield runtime


def online(runtime: InProcess) -> set[str]:
    found = runtime.query(
        "SELECT r.name FROM mz_catalog.mz_cluster_replicas r"
        " JOIN mz_internal.mz_cluster_replica_statuses s ON s.replica_id = r.id"
        " JOIN mz_catalog.mz_clusters c ON c.id = r.cluster_id"
        " WHERE c.name = 'twice' AND s.status = 'online'"
    )
    return {name for (name,) in found}


def hydrated(runtime: InProcess, name: str) -> int:
    return runtime.query(
        "SELECT count(*) FROM mz_internal.mz_hydration_statuses h"
        " JOIN mz_catalog.mz_objects o ON o.id = h.object_id WHERE o.name = %s AND h.hydrated",
        (name,),
    )[0][0]


def state(runtime: InProcess, name: str) -> str | None:
    status = runtime.coordinator.controller.statuses.get(runtime.coordinator.catalog.find("public", name).id)
    return status.state if status is not None else None


def test_every_replica_runs_the_views_and_one_history_is_written(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE t (k int, v int)")
        connection.execute(
            "CREATE MATERIALIZED VIEW m IN CLUSTER twice AS SELECT k, sum(v) AS s, count(*) AS n FROM t GROUP BY k"
        )
        eventually(lambda: hydrated(runtime, "m") == 2)
        for i in range(60):
            connection.execute("INSERT INTO t VALUES (%s, %s)", (i % 3, i))
        expected = rows(connection, "SELECT k, sum(v), count(*) FROM t GROUP BY k ORDER BY k")
        assert rows(connection, "SELECT * FROM m ORDER BY k") == expected
        assert [n for _, _, n in expected] == [20, 20, 20]


def test_one_on_which_nothing_can_be_installed_harms_no_reader(
    runtime: InProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install = Installation._install_dataflow

    async def refused(self: Installation, replica: ReplicaClient, item: Item) -> None:
        if replica.name == "r2":
            raise DiskFull("there is no room")
        await install(self, replica, item)

    monkeypatch.setattr(Installation, "_install_dataflow", refused)
    with runtime.connect() as connection:
        connection.execute("SET cluster = twice")
        connection.execute("CREATE TABLE t (k int, v int)")
        connection.execute("CREATE MATERIALIZED VIEW m AS SELECT k, max(v) AS v FROM t GROUP BY k")
        connection.execute("CREATE INDEX by_k ON m (k)")
        eventually(lambda: hydrated(runtime, "m") == 1 and hydrated(runtime, "by_k") == 1)
        for name in ("m", "by_k"):
            eventually(lambda name=name: f"cannot install public.{name}" in caplog.text)  # type: ignore[misc]
        connection.execute("INSERT INTO t VALUES (1, 2)")
        assert rows(connection, "SELECT v FROM m WHERE k = 1") == [(2,)]
        assert rows(connection, "SELECT k, v FROM m") == [(1, 2)]
        caplog.clear()  # on a slow machine several attempts have failed by now
        runtime.driver.pause(f"{cluster_id(runtime)}-r2")  # it is installed anew, and refused again
        runtime.driver.resume(f"{cluster_id(runtime)}-r2")
        eventually(lambda: "cannot install public.by_k" in caplog.text)
        connection.execute("INSERT INTO t VALUES (1, 3)")
        assert rows(connection, "SELECT v FROM m WHERE k = 1") == [(3,)]
        # A reader would only hear of a failure if it had to wait for the other replica.
        assert [state(runtime, name) for name in ("m", "by_k")] == ["running", "running"]


def test_one_dies_and_answers_go_on(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        connection.execute("SET cluster = twice")
        connection.execute("CREATE TABLE t (k int, v int)")
        connection.execute("CREATE MATERIALIZED VIEW m AS SELECT k, max(v) AS v FROM t GROUP BY k")
        connection.execute("CREATE INDEX by_k ON m (k)")
        eventually(lambda: hydrated(runtime, "m") == 2 and hydrated(runtime, "by_k") == 2)
        for victim in ("r1", "r2", "r1"):
            # It stays away: whoever waited for it would never be done.
            runtime.driver.pause(f"{cluster_id(runtime)}-{victim}")
            for value in range(10):
                connection.execute("INSERT INTO t VALUES (1, %s)", (value,))
                assert rows(connection, "SELECT v FROM m WHERE k = 1") == [(value,)]
                assert rows(connection, "SELECT k + 1, v FROM m") == [(2, value)]
                connection.execute("DELETE FROM t WHERE v < %s", (value,))
            runtime.driver.resume(f"{cluster_id(runtime)}-{victim}")
            eventually(lambda: online(runtime) == {"r1", "r2"} and hydrated(runtime, "by_k") == 2)
            connection.execute("DELETE FROM t")


@pytest.mark.parametrize("seed", range(3))
def test_replicas_that_come_and_go_write_one_history(runtime: InProcess, seed: int) -> None:
    rng = Random(seed)
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE t (k int, v int)")
        connection.execute(
            "CREATE MATERIALIZED VIEW m IN CLUSTER twice AS SELECT k, sum(v) AS s, max(v) AS m FROM t GROUP BY k"
        )
        connection.execute(
            "CREATE MATERIALIZED VIEW mm IN CLUSTER twice AS SELECT m, count(*) AS n FROM m GROUP BY m"
        )
        stop, finished = threading.Event(), threading.Event()
        killer = threading.Thread(target=_kill_at_random, args=(runtime, Random(seed + 100), finished, stop))
        killer.start()
        try:
            for _ in range(60):
                if rng.random() < 0.7:
                    connection.execute(
                        "INSERT INTO t VALUES (%s, %s)", (rng.randrange(4), rng.randrange(100))
                    )
                else:
                    connection.execute("DELETE FROM t WHERE v %% 5 = %s", (rng.randrange(5),))
                finished.set()
        finally:
            stop.set()
            finished.set()
            killer.join()
        m = "SELECT k, sum(v) AS s, max(v) AS m FROM t GROUP BY k"
        assert sorted(rows(connection, "SELECT * FROM m")) == sorted(rows(connection, m))
        mm = f"SELECT m, count(*) AS n FROM ({m}) x GROUP BY m"
        assert sorted(rows(connection, "SELECT * FROM mm")) == sorted(rows(connection, mm))


def _kill_at_random(
    runtime: InProcess, rng: Random, finished: threading.Event, stop: threading.Event
) -> None:
    """Between two kills a statement finishes: on a slow machine one would otherwise lose its replica more often than
    it is tried again."""
    while not stop.wait(rng.uniform(0.02, 0.2)):
        finished.wait()
        finished.clear()
        runtime.kill_replica("twice", rng.choice(("r1", "r2")))


def test_sources_and_sinks_run_once_and_move_to_the_other_replica(runtime: InProcess, tmp_path: Path) -> None:
    lines, out = tmp_path / "in.jsonl", tmp_path / "out"
    lines.write_text('{"a": 1}\n')
    with runtime.connect() as connection:
        connection.execute(
            f"CREATE SOURCE s (a int) IN CLUSTER twice FROM FILE '{lines}' FORMAT JSON"  # type: ignore[arg-type]
        )
        connection.execute(
            f"CREATE SINK k IN CLUSTER twice FROM s INTO FILE '{out}' FORMAT JSON ENVELOPE DEBEZIUM"  # type: ignore[arg-type]
        )
        for n in range(2, 8):
            runtime.kill_replica("twice", "r1" if n % 2 else "r2")
            with lines.open("a") as file:
                file.write(f'{{"a": {n}}}\n')
            eventually(
                lambda n=n: rows(connection, "SELECT a FROM s ORDER BY a") == [(i,) for i in range(1, n + 1)]  # type: ignore[misc]
            )

        def written() -> list[str]:
            return [line for file in sorted(out.glob("*.jsonl")) for line in file.read_text().splitlines()]

        eventually(lambda: len(written()) >= 7)
        assert sorted(json.loads(line)["after"]["a"] for line in written()) == list(range(1, 8))


def test_the_number_of_replicas_can_be_changed(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        connection.execute("CREATE MATERIALIZED VIEW m IN CLUSTER twice AS SELECT count(*) AS n FROM t")
        connection.execute("ALTER CLUSTER twice SET (REPLICATION FACTOR 3)")
        eventually(lambda: online(runtime) == {"r1", "r2", "r3"} and hydrated(runtime, "m") == 3)
        connection.execute("ALTER CLUSTER twice SET (REPLICATION FACTOR 1)")
        eventually(lambda: online(runtime) == {"r1"})
        connection.execute("INSERT INTO t VALUES (1)")
        assert rows(connection, "SELECT n FROM m") == [(1,)]
        with pytest.raises(psycopg.Error, match="there is room for 32") as error:
            connection.execute("ALTER CLUSTER twice SET (REPLICATION FACTOR 100)")
        assert error.value.sqlstate == "53000"
        with pytest.raises(psycopg.Error, match="REPLICATION FACTOR must be an integer of at least 1"):
            connection.execute("ALTER CLUSTER twice SET (REPLICATION FACTOR 0)")


def test_a_local_cluster_has_room_for_as_many_as_it_has_cores_but_one() -> None:
    with running(replace(FAST, spark_master="local-cluster[2, 2,1024]")) as runtime:
        with pytest.raises(psycopg.Error, match="that would be 4 replicas, and there is room for 3"):
            runtime.query("CREATE CLUSTER many (REPLICATION FACTOR 3)")
        runtime.query("CREATE CLUSTER few (REPLICATION FACTOR 2)")


def test_a_restart_brings_all_replicas_back() -> None:
    with running(FAST) as runtime:
        runtime.query("CREATE CLUSTER twice (REPLICATION FACTOR 2)")
        runtime.query("CREATE TABLE t (a int)")
        runtime.query("CREATE MATERIALIZED VIEW m IN CLUSTER twice AS SELECT count(*) AS n FROM t")
        runtime.query("INSERT INTO t VALUES (1), (2)")
        runtime.stop()
        runtime.start()
        eventually(lambda: online(runtime) == {"r1", "r2"} and hydrated(runtime, "m") == 2)
        assert runtime.query("SELECT n FROM m") == [(2,)]


def cluster_id(runtime: InProcess) -> str:
    return runtime.query("SELECT id FROM mz_catalog.mz_clusters WHERE name = 'twice'")[0][0]


def test_queries_hear_of_a_replica_that_cannot_be_started() -> None:
    """When Spark has given it up three times in a row, or has no room for it; an older epoch's troubles are not its own."""
    replica = ReplicaClient("c1", "quickstart", "r1")
    replica.expect(7, b"secret")
    failed = ReplicaWaits("c1-r1", 7, True, "another version")
    for message in (failed, failed, ReplicaWaits("c1-r1", 6, False, "no room")):
        replica.waits(message)
        assert replica.failure is None
    replica.waits(failed)
    assert replica.failure is not None
    assert replica.failure.message == 'replica r1 of cluster "quickstart" cannot be started: another version'
    assert replica.failure.sqlstate == "57P03"
    replica.ready()
    assert replica.failure is None
    replica.waits(ReplicaWaits("c1-r1", 7, False, "no room"))
    assert replica.failure is None, "it runs"
    replica.connected.clear()
    replica.waits(failed)
    assert replica.failure is None, "they are counted anew"
    replica.waits(ReplicaWaits("c1-r1", 7, False, "no room"))
    assert replica.failure is not None


def test_a_size_is_so_many_cores_of_an_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    """And so much memory; another one starts the replica anew.  On this machine it means nothing."""
    limits: list[LimitMemory] = []
    send = ReplicaClient.send

    def sent(self: ReplicaClient, message: Message) -> None:
        if isinstance(message, LimitMemory) and self.cluster == "sized":
            limits.append(message)
        send(self, message)

    monkeypatch.setattr(ReplicaClient, "send", sent)
    with running(replace(ELSEWHERE, replica_cores=2)) as runtime:
        started = runtime.driver.started
        eventually(lambda: [start.cores for start in started] == [2])
        runtime.query("CREATE CLUSTER sized (SIZE 3)")
        eventually(lambda: [start.cores for start in started] == [2, 3] and limits)
        assert limits[-1] == LimitMemory(3 * BYTES_PER_CORE, 3 * BYTES_PER_CORE // 4)
        runtime.query("ALTER CLUSTER sized SET (JOB MIN ROWS 7)")
        with runtime.connect() as db:
            said: list[str | None] = []
            db.add_notice_handler(lambda notice: said.append(notice.message_primary))
            db.execute("ALTER CLUSTER sized SET (SIZE 4)")
            assert not said
        eventually(lambda: [start.cores for start in started] == [2, 3, 4])
        assert started[2].epoch > started[1].epoch
        eventually(lambda: limits[-1].dataflows == 4 * BYTES_PER_CORE)
        runtime.query("SET cluster = sized")
        runtime.query("ALTER CLUSTER sized SET (MEMORY LIMIT '1GB')")
        eventually(lambda: limits[-1] == LimitMemory(1 << 30, None))
        assert len(started) == 3
        runtime.query("CREATE CLUSTER divided (WORKERS 5)")
        eventually(lambda: [start.cores for start in started] == [2, 3, 4, 5])
    with running() as runtime:
        runtime.query("CREATE CLUSTER sized (SIZE 3)")
        eventually(lambda: [start.cores for start in runtime.driver.started] == [1, 1])
        eventually(lambda: limits[-1] == LimitMemory(None, None))


@pytest.mark.parametrize("settings", [ELSEWHERE, replace(FAST, control_listen="127.0.0.1:0")])
def test_one_that_falls_silent_is_started_elsewhere(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a cluster, as a new epoch; on this machine it comes back by itself."""
    with running(settings) as runtime:
        runtime.query("CREATE TABLE t (a int)")
        runtime.query("INSERT INTO t VALUES (1)")
        (replica,) = runtime.coordinator.controller.clusters
        eventually(replica.connected.is_set)
        epoch, attempt = replica.attempt
        with monkeypatch.context() as patched:
            patched.setattr(control_listener, "SILENCE_S", 0.05)
            patched.setattr(control_listener, "KEEPALIVE_S", 0.02)
            eventually(lambda: replica.attempt != (epoch, attempt))
        eventually(lambda: runtime.query("SELECT sum(a) FROM t") == [(1,)])
        assert (replica.attempt[0] > epoch) == settings.on_cluster
