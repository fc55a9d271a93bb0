"""Replicas and jobs on machines of their own: each attempt, and each job's tasks, begin with an empty root, and find what they need in the store.

What all processes would see in the environment's directory is not there: only manifests are.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from inprocess import FAST, InProcess, eventually
from ptvc.compute.spark import payload_file
from ptvc.coord.controller import maintenance
from ptvc.persist.blob.objects import Objects
from ptvc.persist.location import open_objects
from ptvc.replica import checkpoint as replica_checkpoint
from servers.s3_server import S3Server

from ..test_checkpoints import cut, hydration_rows, id_of

SETTINGS = replace(
    FAST,
    state_files="blobs",
    job_min_rows=200,
    step_job_min_rows=200,
    query_job_min_rows=200,
    duckdb_min_rows=1 << 40,
    job_partitions=2,
    checkpoint_rows=50,
    checkpoint_interval_ms=3_600_000,
    # Of compaction jobs there are tests beside these.
    compaction_job_min_bytes=1 << 40,
)
VIEW = "SELECT k, count(*) AS n, sum(v) AS v, max(v) AS latest FROM t GROUP BY k"
JOIN = "SELECT t.k, t.v, u.name FROM t JOIN u ON t.k = u.k"


@pytest.fixture(params=["file", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return (tmp_path / "blobs").as_uri()
    s3: S3Server = request.getfixturevalue("s3")
    return s3.url(s3.bucket(), "environment")


@pytest.fixture
def runtime(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcess]:
    monkeypatch.setattr(maintenance, "GARBAGE_EVERY", 1)
    monkeypatch.setattr(payload_file, "COPIED_INLINE_BYTES", 0)
    monkeypatch.setattr(replica_checkpoint, "PACKED_AFTER_HYDRATION_S", 1_000.0)
    runtime = InProcess(
        tmp_path / "environment",
        SETTINGS,
        jobs=True,
        blob=url,
        machines=lambda name: tmp_path / "machines" / name,
    )
    runtime.start()
    yield runtime
    runtime.stop()


def objects(runtime: InProcess) -> Objects:
    return open_objects(runtime.stores.location.blob)


def fill(runtime: InProcess, first: int = 0, count: int = 1_000) -> None:
    runtime.query(
        f"INSERT INTO t SELECT i % 37, i FROM generate_series({first}, {first + count - 1}) AS g (i)"
    )


def define(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE t (k int, v int)")
    runtime.query("CREATE TABLE u (k int, name text)")
    runtime.query("INSERT INTO u SELECT i, 'name ' || i FROM generate_series(0, 30) AS g (i)")
    fill(runtime)
    for name, query in (("m", VIEW), ("j", JOIN)):
        runtime.query(f"CREATE MATERIALIZED VIEW {name} AS {query}")
    runtime.query("CREATE INDEX i ON t (k)")


def check(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("BEGIN")
        for name, query in (("m", VIEW), ("j", JOIN)):
            wanted = query.replace("FROM t", "FROM (SELECT * FROM t OFFSET 0) AS t")
            found, expected = (
                sorted(db.execute(text.encode()).fetchall()) for text in (f"SELECT * FROM {name}", wanted)
            )
            assert found == expected
            assert found
        key = Random(len(found)).randrange(30)
        indexed = db.execute(f"SELECT count(*), sum(v) FROM t WHERE k = {key}".encode()).fetchall()
        whole = db.execute(f"SELECT count(*), sum(v) FROM t WHERE k + 0 = {key}".encode()).fetchall()
        assert indexed == whole


def jobs(runtime: InProcess, kind: str) -> int:
    query = f"SELECT count(*) FROM mz_internal.mz_spark_jobs WHERE kind = '{kind}' AND status = 'finished'"
    return int(runtime.query(query)[0][0])


def named(runtime: InProcess) -> set[str]:
    """Files of published checkpoints."""
    published = runtime.coordinator.controller.checkpoints._published
    return {
        file.name
        for checkpoints in runtime.call(lambda: list(published.values()))
        for checkpoint in checkpoints.values()
        for file in checkpoint.files()
    }


def only_what_is_named_is_there(runtime: InProcess) -> bool:
    """Besides one manifest of each dataflow."""
    there = set(objects(runtime).names())
    found = {name.rpartition("/")[0] for name in there if name.endswith(".json")}
    return {name for name in there if not name.endswith(".json")} == named(runtime) and len(found) == len(
        [name for name in there if name.endswith(".json")]
    )


def test_all_of_it_by_jobs(runtime: InProcess) -> None:
    define(runtime)
    check(runtime)
    assert jobs(runtime, "hydration") == 3
    assert jobs(runtime, "query") >= 2
    fill(runtime, first=1_000, count=500)
    check(runtime)
    assert jobs(runtime, "step") >= 2
    runtime.query("DELETE FROM t WHERE v % 3 = 0")
    check(runtime)
    eventually(lambda: all(cut(runtime, name) is not None for name in ("m", "j", "i")))
    state = runtime.directory / "state"
    eventually(lambda: {path.suffix for path in state.glob("[!.]*/**/*") if path.is_file()} == {".json"})


@pytest.mark.parametrize("end", ["kill the replica", "restart", "crash", "move"])
def test_a_successor_on_an_empty_machine_goes_on_from_the_checkpoint(runtime: InProcess, end: str) -> None:
    define(runtime)
    names = ("m", "j", "i")
    before_fill = 0
    for attempt in range(2):
        eventually(lambda least=before_fill: all((cut(runtime, name) or 0) > least for name in names))
        hydrated = jobs(runtime, "hydration")
        runtime.query("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
        check(runtime)
        if end == "kill the replica":
            [replica] = runtime.coordinator.controller.clusters.of("quickstart")
            before = replica.attempt
            runtime.kill_replica()
            eventually(lambda replica=replica, before=before: replica.attempt != before)
        else:
            runtime.abandon() if end == "crash" else runtime.stop()
            if end == "move":  # the coordinator's machine is another one, too
                shutil.rmtree(runtime.directory / "state")
            runtime.start()
            hydrated = 0
        tail = [hydration_rows(runtime, name) for name in names]
        assert max(tail) <= 3 * (attempt + 1), tail
        assert jobs(runtime, "hydration") == hydrated, "nothing was hydrated anew"
        check(runtime)
        before_fill = runtime.coordinator.storage.oracle.read_time
        fill(runtime, first=2_000 + 1_000 * attempt, count=300)
        check(runtime)
    eventually(lambda: only_what_is_named_is_there(runtime))


def test_state_that_is_lost_is_computed_again(runtime: InProcess) -> None:
    define(runtime)
    eventually(lambda: all(cut(runtime, name) is not None for name in ("m", "j", "i")))
    found = list(objects(runtime).names(id_of(runtime, "m")))
    assert found
    objects(runtime).delete(found)
    runtime.kill_replica()
    runtime.query("INSERT INTO t VALUES (1, 1)")
    check(runtime)
    eventually(lambda: hydration_rows(runtime, "m") >= 1_000)
    check(runtime)
    eventually(lambda: cut(runtime, "m") is not None and only_what_is_named_is_there(runtime))


def test_what_is_dropped_leaves_nothing(runtime: InProcess) -> None:
    define(runtime)
    fill(runtime, first=1_000, count=500)
    check(runtime)
    eventually(lambda: all(cut(runtime, name) is not None for name in ("m", "j", "i")))
    runtime.query("DROP MATERIALIZED VIEW m")
    runtime.query("DROP MATERIALIZED VIEW j")
    eventually(lambda: only_what_is_named_is_there(runtime) and len(named(runtime)) > 0)
    runtime.query("DROP TABLE t CASCADE")
    eventually(lambda: not list(objects(runtime).names()))
    machines = runtime.directory.parent / "machines"
    eventually(lambda: not [p for p in machines.glob("replica-*/**/*") if p.suffix in (".run", ".pack")])


def test_workers_on_an_empty_machine_go_on_from_what_others_have_saved(runtime: InProcess) -> None:
    runtime.query("ALTER CLUSTER quickstart SET (WORKERS 2)")
    define(runtime)
    names, since = ("m", "j", "i"), 0
    for workers in (2, 3, 1):
        eventually(lambda least=since: all((cut(runtime, name) or 0) > least for name in names))
        runtime.query("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
        if workers == 2:
            of = runtime.coordinator.controller.clusters.of
            eventually(lambda of=of: len(of("quickstart")) == 1)  # that of one worker is gone
            (replica,) = of("quickstart")
            before = replica.attempt
            runtime.kill_replica()
            eventually(lambda r=replica, before=before: r.attempt != before)
        else:
            waiting = "WAIT UNTIL READY (TIMEOUT '60s', ON TIMEOUT ROLLBACK)"
            runtime.query(f"ALTER CLUSTER quickstart SET (WORKERS {workers}) WITH ({waiting})")
        assert max(hydration_rows(runtime, name) for name in names) <= 9
        check(runtime)
        since = runtime.coordinator.storage.oracle.read_time
        fill(runtime, first=1_000 * (workers + 1), count=300)
        check(runtime)
    eventually(lambda: all((cut(runtime, name) or 0) > since for name in names))
    eventually(lambda: only_what_is_named_is_there(runtime))
