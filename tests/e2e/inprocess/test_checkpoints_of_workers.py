"""Checkpoints of clusters with WORKERS: a restart costs what came after the last one, with as many workers or with others."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from inprocess import FAST, InProcess, eventually, running
from ptvc.compute import checkpoint as checkpoint_module
from ptvc.compute.checkpoint import SPLIT_KEYS, Checkpoint
from ptvc.replica import checkpoint as replica_checkpoint
from ptvc.replica import installed as installed_module
from ptvc.replica.checkpoint import DurableState
from ptvc.replica.installed import Installed
from ptvc.replica.workers import team as team_module
from ptvc.replica.workers.team import Stepped

from .test_checkpoints import SELDOM, change_at_random, crash, cut, hydration_rows, id_of, restart, series

OBJECTS = ("counted", "newest", "joined", "reached", "i")
OFTEN = replace(FAST, checkpoint_rows=1, checkpoint_interval_ms=1)


def fill(runtime: InProcess, workers: int, history: int = 3_000) -> None:
    runtime.query(f"CREATE CLUSTER divided (WORKERS {workers})")
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (k int, v int)")
        db.execute("CREATE TABLE names (k int, name text)")
        db.execute("INSERT INTO names SELECT k, 'name ' || k % 7 FROM generate_series(0, 40) AS k")
        db.execute(f"INSERT INTO t SELECT k % 50, k FROM ({series(history)}) AS s".encode())
        db.execute("SET cluster = divided")
        for name, query in VIEWS.items():
            db.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
        db.execute("CREATE VIEW largest AS SELECT k, max(v) AS v FROM t GROUP BY k")
        db.execute("CREATE INDEX i ON largest (v)")
    for name in OBJECTS:
        eventually(lambda n=name: cut(runtime, n) is not None)


VIEWS = {
    "counted": "SELECT k, count(*) AS n, max(v) AS v, count(DISTINCT v % 5) AS d FROM t GROUP BY k",
    "newest": "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY v DESC) AS place FROM t) AS s WHERE place <= 3",
    "joined": "SELECT n.name, count(*) AS n, sum(t.v) AS v FROM t LEFT JOIN names n ON n.k = t.k AND t.v % 2 = 0 GROUP BY n.name",
    "reached": "WITH RECURSIVE r (k) AS (VALUES (0) UNION SELECT t.v * 7 % 61 FROM r JOIN t ON t.k = r.k) SELECT k FROM r",
}


def check(runtime: InProcess) -> None:
    with runtime.connect() as db:
        for name, query in VIEWS.items():
            found, expected = (
                Counter(db.execute(text.encode()).fetchall()) for text in (f"SELECT * FROM {name}", query)
            )
            assert found == expected, name
        expected = Counter(db.execute("SELECT k, max(v) FROM t GROUP BY k").fetchall())
        db.execute("SET cluster = divided")
        assert Counter(db.execute("SELECT k, v FROM largest").fetchall()) == expected
        for v in {v for _, v in expected}:
            found = db.execute("SELECT k, v FROM largest WHERE v = %s", (v,)).fetchall()
            assert Counter(found) == Counter({row: 1 for row in expected if row[1] == v})


def attempt(runtime: InProcess) -> tuple[int, int]:
    (replica,) = runtime.coordinator.controller.clusters.of("divided")
    return replica.attempt


def members(runtime: InProcess) -> list[int]:
    (replica,) = runtime.coordinator.controller.clusters.of("divided")
    return list(runtime.driver.members.get(replica.id, ()))


def kill_a_member(runtime: InProcess) -> None:
    before = attempt(runtime)
    os.kill(members(runtime)[-1], signal.SIGKILL)
    eventually(lambda: attempt(runtime) != before)


def kill_the_leader(runtime: InProcess) -> None:
    (replica,) = runtime.coordinator.controller.clusters.of("divided")
    before = replica.attempt
    runtime.kill_replica("divided")
    eventually(lambda: replica.attempt != before)


def rescale(runtime: InProcess, workers: int) -> None:
    runtime.query(
        f"ALTER CLUSTER divided SET (WORKERS {workers}) WITH (WAIT UNTIL READY (TIMEOUT '60s', ON TIMEOUT ROLLBACK))"
    )
    clusters = runtime.coordinator.controller.clusters
    eventually(lambda: not runtime.call(lambda: clusters.ending))
    assert len(members(runtime)) == workers - 1


def folder(runtime: InProcess, name: str) -> Path:
    """Where the state of an object is."""
    (replica,) = runtime.coordinator.controller.clusters.of("divided")
    return runtime.directory / "state" / id_of(runtime, name) / replica.name


def manifest(runtime: InProcess, name: str) -> Checkpoint:
    found = checkpoint_module.read(folder(runtime, name))
    assert found is not None
    return found


@pytest.mark.parametrize("end", [kill_a_member, kill_the_leader, restart, crash])
def test_a_restart_costs_the_tail(end: Callable[[InProcess], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica_checkpoint, "PACKED_AFTER_HYDRATION_S", 1_000.0)  # that would be a checkpoint
    with running(SELDOM) as runtime:
        fill(runtime, 3)
        cuts = [cut(runtime, name) for name in OBJECTS]
        assert [len(manifest(runtime, name).parts) for name in OBJECTS] == [3] * len(OBJECTS)
        tail = 0
        for i in range(2):
            runtime.query("INSERT INTO t VALUES (7, 10000), (77, 1)")
            runtime.query(f"DELETE FROM t WHERE v = {2_999 - i}")
            tail += 3
            check(runtime)
            end(runtime)
            assert [hydration_rows(runtime, name) for name in OBJECTS] == [tail] * len(OBJECTS)
            check(runtime)
        assert [cut(runtime, name) for name in OBJECTS] == cuts


def test_other_workers_go_on_without_reading_the_inputs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica_checkpoint, "PACKED_AFTER_HYDRATION_S", 1_000.0)
    with running(SELDOM) as runtime:
        fill(runtime, 1)
        for workers in (3, 2, 1, 7):
            runtime.query("INSERT INTO t VALUES (7, 10000), (77, 1)")
            with ThreadPoolExecutor(1) as reader:
                read = reader.submit(lambda: [len(runtime.query("SELECT * FROM counted")) for _ in range(50)])
                rescale(runtime, workers)
                assert set(read.result()) == {51}
            assert [hydration_rows(runtime, name) for name in OBJECTS] == [2] * len(OBJECTS)
            check(runtime)


def test_what_others_have_saved_is_collected_once_it_is_saved_again() -> None:
    with running(replace(SELDOM, checkpoint_rows=1_000)) as runtime:
        fill(runtime, 2)
        named = {name: _named(runtime, name) for name in OBJECTS}
        assert any(named.values())
        rescale(runtime, 3)
        for _ in range(3):
            cuts = {name: manifest(runtime, name).cut for name in OBJECTS}
            runtime.query(f"INSERT INTO t SELECT k % 50, -k FROM ({series(1_500)}) AS s")
            eventually(lambda: all(manifest(runtime, name).cut > cut for name, cut in cuts.items()))  # noqa: B023
            assert all(len(manifest(runtime, name).parts) == 3 for name in OBJECTS)
            for name, files in named.items():
                files |= _named(runtime, name)

        def collected() -> bool:
            """Of the files that a checkpoint has named there are those that the last one names."""
            return all(
                files & _files(runtime, name) <= _named(runtime, name) for name, files in named.items()
            )

        eventually(collected)
        check(runtime)
        crash(runtime)
        check(runtime)


def _named(runtime: InProcess, name: str) -> set[Path]:
    """By the last checkpoint."""
    return {Path("/", file.name) for file in manifest(runtime, name).files()}


def _files(runtime: InProcess, name: str) -> set[Path]:
    found = folder(runtime, name).resolve().rglob("*")
    return {path for path in found if path.suffix in (".run", ".pack", ".packed")}


def test_a_worker_that_dies_while_it_saves_leaves_the_checkpoint_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica_checkpoint, "PACKED_AFTER_HYDRATION_S", 1_000.0)
    with running(replace(SELDOM, checkpoint_rows=500)) as runtime:
        fill(runtime, 3)
        cuts = {name: cut(runtime, name) for name in OBJECTS}
        write = DurableState.write
        died: list[str] = []

        def dying(state: DurableState, *rest: object) -> object:
            if not died and state._id == id_of(runtime, "counted"):
                died.append(state._id)
                os.kill(members(runtime)[0], signal.SIGKILL)
            return write(state, *rest)  # type: ignore[arg-type]

        monkeypatch.setattr(DurableState, "write", dying)
        before = attempt(runtime)
        runtime.query(f"INSERT INTO t SELECT k % 50, -k FROM ({series(600)}) AS s")
        eventually(lambda: bool(died) and attempt(runtime) != before)
        assert hydration_rows(runtime, "counted") == 600
        check(runtime)
        eventually(lambda: (cut(runtime, "counted") or 0) > (cuts["counted"] or 0))
        check(runtime)


def test_a_part_that_cannot_be_read_has_the_state_computed_again() -> None:
    with running(SELDOM) as runtime:
        fill(runtime, 3)
        runtime.stop()
        for name in OBJECTS:
            found = manifest(runtime, name)
            files = [run for runs in found.others[-1].values() for run in runs]
            Path("/", max(files, key=lambda file: file.length).name).unlink()
        runtime.start()
        assert all(hydration_rows(runtime, name) >= 3_000 for name in OBJECTS)
        check(runtime)


LARGE = {
    "everything": "SELECT DISTINCT k, v FROM t",
    "named": "SELECT n.name, t.v FROM t JOIN names n ON n.k = t.k",
}


def test_split_keys_stay_split_over_restarts_and_other_workers_begin_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica_checkpoint, "PACKED_AFTER_HYDRATION_S", 1_000.0)
    rows, query = 40_000, LARGE["named"]
    with running(SELDOM) as runtime:
        runtime.query("CREATE CLUSTER divided (WORKERS 3)")
        runtime.query("CREATE TABLE t (k int, v int)")
        runtime.query("CREATE TABLE names (k int, name text)")
        runtime.query("INSERT INTO names SELECT k, 'name ' || k FROM generate_series(0, 40) AS k")
        runtime.query(
            "INSERT INTO t SELECT CASE WHEN k % 4 > 0 THEN 5 ELSE k % 41 END, k"
            f" FROM generate_series(0, {rows - 1}) AS k"
        )
        runtime.query(f"CREATE MATERIALIZED VIEW named IN CLUSTER divided AS {query}")

        def agrees() -> None:
            found, expected = (Counter(runtime.query(text)) for text in ("SELECT * FROM named", query))
            assert found == expected

        def split() -> list[bool]:
            eventually(lambda: cut(runtime, "named") is not None)
            return [
                any(name == SPLIT_KEYS for _, name in state) for state in manifest(runtime, "named").parts
            ]

        agrees()
        assert split() == [True] * 3
        tail = 0
        for end in (kill_a_member, restart):
            runtime.query(f"DELETE FROM t WHERE k = 5 AND v = {4 * tail + 1}")
            runtime.query("INSERT INTO names VALUES (5, 'another')")
            tail += 2
            end(runtime)
            assert hydration_rows(runtime, "named") == tail
            agrees()
        rescale(runtime, 2)
        assert hydration_rows(runtime, "named") > rows - tail
        agrees()
        eventually(lambda: len(manifest(runtime, "named").parts) == 2)
        assert split() == [True] * 2
        rescale(runtime, 1)
        agrees()


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_large_steps_while_members_write_and_end_and_the_cluster_is_rescaled(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What all workers have read counts for checkpoints as well."""
    monkeypatch.setattr(installed_module, "READ_APART_ROWS", 1_500)
    monkeypatch.setattr(installed_module, "FEW_WRITTEN_ROWS", 100)
    monkeypatch.setattr(team_module, "GATHER_ROWS", 1_500)
    monkeypatch.setattr(replica_checkpoint, "PACKED_AFTER_HYDRATION_S", 1_000.0)
    random, stepping, parts = Random(seed), Installed.step, Counter[int]()

    def stepped(installed: Installed, *args: object, **options: bool) -> Stepped:
        made = stepping(installed, *args, **options)  # type: ignore[arg-type]
        parts[len(made.parts)] += 1
        return made

    monkeypatch.setattr(Installed, "step", stepped)
    with running(replace(SELDOM, checkpoint_rows=1_500)) as runtime, ThreadPoolExecutor(1) as beside:
        fill(runtime, 3)
        for name, query in LARGE.items():
            runtime.query(f"CREATE MATERIALIZED VIEW {name} IN CLUSTER divided AS {query}")
            eventually(lambda n=name: cut(runtime, n) is not None)

        def write(at: int) -> None:
            for i in range(3):
                first = 10_000 * (3 * at + i + 1)
                runtime.query(f"INSERT INTO t SELECT k % 41, {first} + k FROM ({series(8_000)}) AS s")
            runtime.query(f"DELETE FROM t WHERE v % 3 = {at % 3}")

        for at in range(4):
            cuts = {name: cut(runtime, name) or 0 for name in (*OBJECTS, *LARGE)}
            writing = beside.submit(write, at)
            if at % 2:
                kill_a_member(runtime)
            else:
                rescale(runtime, random.choice([n for n in (2, 3, 4) if n != len(members(runtime)) + 1]))
            writing.result()
            check(runtime)
            for name, query in LARGE.items():
                found, expected = (Counter(runtime.query(text)) for text in (f"SELECT * FROM {name}", query))
                assert found == expected, name
            for name, before in cuts.items():
                eventually(lambda n=name, b=before: (cut(runtime, n) or 0) > b)
        assert sum(count for n, count in parts.items() if n >= 2) >= 4, parts


@pytest.mark.parametrize(
    "seed", [1, 2, pytest.param(3, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.slow)]
)
def test_random_ends_and_rescaling_while_checkpoints_are_made_all_the_time(seed: int) -> None:
    random = Random(seed)
    with running(OFTEN) as runtime:
        fill(runtime, random.choice((2, 3)), 300)
        for _ in range(10):
            for _ in range(random.randrange(5)):
                change_at_random(runtime, random)
            ends = [kill_the_leader, restart, crash, *([kill_a_member] if members(runtime) else [])]
            if random.random() < 0.4:
                others = [n for n in (1, 2, 3, 7) if n != len(members(runtime)) + 1]
                rescale(runtime, random.choice(others))
            else:
                random.choice(ends)(runtime)
            check(runtime)
