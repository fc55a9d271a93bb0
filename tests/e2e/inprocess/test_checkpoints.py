"""A restart costs what came after the last checkpoint; without a usable one it costs the whole history, never an answer."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from inprocess import FAST, InProcess, eventually, rows, running
from ptvc.compute import checkpoint as checkpoint_module
from ptvc.coord.catalog.items import Table
from ptvc.replica import checkpoint as replica_checkpoint

HISTORY = 3_000
SELDOM = replace(FAST, checkpoint_rows=HISTORY, checkpoint_interval_ms=3_600_000)
"""One checkpoint, after the whole history was taken in."""


def id_of(runtime: InProcess, name: str) -> str:
    item = runtime.coordinator.catalog.find("public", name)
    assert item is not None
    return item.id


def cut(runtime: InProcess, name: str) -> int | None:
    id_ = id_of(runtime, name)
    return runtime.call(lambda: runtime.coordinator.controller.checkpoints.cut(id_))


def state(runtime: InProcess, name: str) -> Path:
    return runtime.directory / "state" / id_of(runtime, name) / "r1"


def hydration_rows(runtime: InProcess, name: str) -> int:
    """Rows that were read when the object began; waits until it has."""
    found: list[int] = []

    def hydrated() -> bool:
        answer = runtime.query(
            "SELECT h.rows FROM mz_internal.mz_hydration_statuses h JOIN mz_catalog.mz_objects o"
            f" ON o.id = h.object_id WHERE h.hydrated AND o.name = '{name}'"
        )
        found[:] = [row[0] for row in answer]
        return bool(found)

    eventually(hydrated)
    return found[0]


OBJECTS = ("m", "i", "mm")


def fill(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (k int, v int)")
        db.execute(f"INSERT INTO t SELECT k % 50, k FROM ({series(HISTORY)}) AS s")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT k, count(*) AS n, max(v) AS v FROM t GROUP BY k")
        db.execute("CREATE INDEX i ON t (k)")
        db.execute("CREATE MATERIALIZED VIEW mm AS SELECT t.k, t.v FROM t JOIN m ON t.k = m.k AND t.v = m.v")
    for name in OBJECTS:
        eventually(lambda n=name: cut(runtime, n) is not None)


def series(count: int) -> str:
    digits = "(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))"
    joined = " CROSS JOIN ".join(f"{digits} AS d{i} (d{i})" for i in range(4))
    return f"SELECT d0 + 10 * d1 + 100 * d2 + 1000 * d3 AS k FROM {joined} WHERE d0 + 10*d1 + 100*d2 + 1000*d3 < {count}"


def change_at_random(runtime: InProcess, random: Random) -> None:
    k = random.randrange(60)
    if random.random() < 0.4:
        runtime.query(f"DELETE FROM t WHERE k = {k} AND v % 7 = {random.randrange(7)}")
    else:
        runtime.query(f"INSERT INTO t SELECT k % {k + 1}, k FROM ({series(random.randrange(1, 80))}) AS s")


def check(runtime: InProcess) -> None:
    with runtime.connect() as db:
        groups = rows(
            db, "SELECT k, count(*), max(v) FROM (SELECT * FROM t OFFSET 0) AS t GROUP BY k ORDER BY k"
        )
        assert rows(db, "SELECT k, n, v FROM m ORDER BY k") == groups
        assert rows(db, "SELECT DISTINCT k, v FROM mm ORDER BY k") == [(k, v) for k, _, v in groups]
        everything = rows(db, "SELECT v FROM (SELECT * FROM t OFFSET 0) AS t WHERE k + 0 = 7 ORDER BY v")
        assert rows(db, "SELECT v FROM t WHERE k = 7 ORDER BY v") == everything


def kill_replica(runtime: InProcess) -> None:
    entry = runtime.coordinator.catalog.cluster("quickstart")
    assert entry is not None
    [replica] = runtime.coordinator.controller.clusters.of("quickstart")
    before = replica.attempt
    runtime.kill_replica()
    eventually(lambda: replica.attempt != before)


def restart(runtime: InProcess) -> None:
    runtime.stop()
    runtime.start()


def crash(runtime: InProcess) -> None:
    runtime.abandon()
    runtime.start()


@pytest.mark.parametrize("end", [kill_replica, restart, crash])
def test_a_restart_costs_the_tail(end: Callable[[InProcess], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica_checkpoint, "PACKED_AFTER_HYDRATION_S", 1_000.0)  # that would be a checkpoint
    with running(SELDOM) as runtime:
        fill(runtime)
        cuts = [cut(runtime, name) for name in OBJECTS]
        tail = 0
        for i in range(3):
            runtime.query("INSERT INTO t VALUES (7, 10000), (77, 1)")
            runtime.query(f"DELETE FROM t WHERE v = {HISTORY - 1 - i}")
            tail += 3
            check(runtime)
            end(runtime)
            assert [hydration_rows(runtime, name) for name in ("m", "i")] == [tail, tail]
            assert hydration_rows(runtime, "mm") < 10 * tail
            check(runtime)
        assert [cut(runtime, name) for name in OBJECTS] == cuts


def test_inputs_stay_readable_at_the_cut_and_go_on_with_it() -> None:
    with running(replace(SELDOM, checkpoint_rows=100)) as runtime:
        fill(runtime)
        item = runtime.coordinator.catalog.find("public", "t")
        assert isinstance(item, Table)
        shard = item.shard
        first = cut(runtime, "i")
        assert first is not None
        for i in range(5):
            runtime.query(f"INSERT INTO t VALUES (7, {i})")
        time = runtime.coordinator.storage.oracle.read_time
        eventually(lambda: runtime.coordinator.storage.oracle.read_time > time + 500)
        assert runtime.persist.state(shard).since < first
        runtime.query(f"INSERT INTO t SELECT k, k FROM ({series(200)}) AS s")
        eventually(lambda: all((cut(runtime, name) or 0) > time for name in OBJECTS))
        eventually(lambda: runtime.persist.state(shard).since > time)
        kill_replica(runtime)
        assert hydration_rows(runtime, "i") < 200
        check(runtime)


def damage(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"\xff\xff" + data[len(data) // 2 + 2 :])


@pytest.mark.parametrize("what", ["missing run", "damaged run", "damaged manifest"])
def test_state_that_cannot_be_read_is_computed_again(what: str, caplog: pytest.LogCaptureFixture) -> None:
    with running(SELDOM) as runtime:
        fill(runtime)
        runtime.stop()
        for name in OBJECTS:
            checkpoint = checkpoint_module.read(state(runtime, name))
            assert checkpoint is not None
            path = Path("/", max(checkpoint.files(), key=lambda file: file.length).name)
            match what:
                case "missing run":
                    path.unlink()
                case "damaged run":
                    damage(path)
                case _:
                    damage(state(runtime, name) / checkpoint_module.MANIFEST)
        with caplog.at_level(logging.WARNING):
            runtime.start()
            assert hydration_rows(runtime, "m") >= HISTORY
            assert hydration_rows(runtime, "i") >= HISTORY
        hydration_rows(runtime, "mm")
        assert sum("is computed again" in record.message for record in caplog.records) >= 3
        check(runtime)
        for name in OBJECTS:  # and it is saved again
            eventually(lambda n=name: cut(runtime, n) is not None)
        kill_replica(runtime)
        assert hydration_rows(runtime, "i") == 0
        check(runtime)


def test_state_of_another_layout_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when an operator keeps something else than it did, and nobody has said so."""
    with running(SELDOM) as runtime:
        fill(runtime)
        runtime.stop()
        monkeypatch.setattr(replica_checkpoint, "layout", lambda spines: "another")
        runtime.start()
        assert hydration_rows(runtime, "m") >= HISTORY
        check(runtime)


def test_every_replica_goes_on_from_its_own_checkpoint() -> None:
    with running(SELDOM) as runtime:
        runtime.query("ALTER CLUSTER quickstart SET (REPLICATION FACTOR 2)")
        eventually(
            lambda: (
                len(
                    runtime.query(
                        "SELECT 1 FROM mz_internal.mz_cluster_replica_statuses WHERE status = 'online'"
                    )
                )
                == 2
            )
        )
        fill(runtime)
        directories = [state(runtime, name).parent for name in OBJECTS]
        eventually(
            lambda: all(
                (path / r / checkpoint_module.MANIFEST).exists() for path in directories for r in ("r1", "r2")
            )
        )
        runtime.query("INSERT INTO t VALUES (7, 10000), (77, 1)")
        check(runtime)
        crash(runtime)

        def tails() -> list[tuple[int, ...]]:
            return runtime.query(
                "SELECT h.rows FROM mz_internal.mz_hydration_statuses h JOIN mz_catalog.mz_objects o"
                " ON o.id = h.object_id WHERE h.hydrated AND o.name IN ('m', 'i')"
            )

        eventually(lambda: len(tails()) == 4)
        assert tails() == [(2,)] * 4
        check(runtime)
        runtime.query("ALTER CLUSTER quickstart SET (REPLICATION FACTOR 1)")
        eventually(lambda: not any((path / "r2").exists() for path in directories))
        check(runtime)


def test_state_of_another_version_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(SELDOM) as runtime:
        fill(runtime)
        runtime.stop()
        monkeypatch.setattr(checkpoint_module, "STATE_VERSION", 1_000)
        runtime.start()
        assert hydration_rows(runtime, "i") >= HISTORY
        check(runtime)


def test_what_is_dropped_takes_its_state_along_and_leaks_are_found_at_the_start() -> None:
    with running(SELDOM) as runtime:
        fill(runtime)
        directories = [state(runtime, name) for name in OBJECTS]
        assert all(path.is_dir() for path in directories)
        keeps = state(runtime, "m")
        runtime.query("DROP INDEX i")
        runtime.query("DROP MATERIALIZED VIEW mm")
        eventually(lambda: [path for path in directories if path.is_dir()] == [keeps])
        runtime.stop()
        leaked = runtime.directory / "state" / "u999"
        leaked.mkdir()
        (leaked / "a.run").write_bytes(b"left behind")
        (keeps / "b.pack").write_bytes(b"left behind")
        runtime.start()
        assert hydration_rows(runtime, "m") == 0
        assert not leaked.exists()
        eventually(lambda: not (keeps / "b.pack").exists())


@pytest.mark.parametrize(
    "seed", [1, 2, pytest.param(3, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow)]
)
def test_random_ends_while_checkpoints_are_made_all_the_time(seed: int) -> None:
    random = Random(seed)
    with running(replace(FAST, checkpoint_rows=1, checkpoint_interval_ms=1, spill_rows=10)) as runtime:
        fill(runtime)
        for _ in range(12):
            for _ in range(random.randrange(6)):
                change_at_random(runtime, random)
            random.choice((kill_replica, restart, crash))(runtime)
            check(runtime)
