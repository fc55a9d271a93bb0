"""Large merges as jobs, in a whole runtime: what goes on beside them, and what becomes of those that fail, come too late or
are not wanted any more.

The tasks of the jobs run in this process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha512

import pytest
from inprocess import FAST, InProcess, eventually, running
from ptvc.coord.catalog.items import Stored
from ptvc.coord.controller import compaction_jobs
from ptvc.persist.client import PartRef
from ptvc.retry import Backoff

SETTINGS = replace(FAST, compaction_job_min_bytes=0, job_partitions=2)
SUM = "SELECT count(*), sum(a), count(DISTINCT b), min(b), max(b) FROM t"


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcess]:
    monkeypatch.setattr(compaction_jobs, "BACKOFF", Backoff(0.05, 0.1))
    with running(SETTINGS, jobs=True) as runtime:
        yield runtime


def shard(runtime: InProcess, name: str) -> str:
    item = runtime.coordinator.catalog.find("public", name)
    assert isinstance(item, Stored)
    return item.shard


def parts(runtime: InProcess, name: str) -> tuple[PartRef, ...]:
    persist = runtime.persist
    id_ = shard(runtime, name)
    return persist.snapshot(id_, persist.state(id_).upper - 1).parts


def compactions(runtime: InProcess) -> list[tuple[str, str, str]]:
    """Those of tables that are still there, and those of others by their id."""
    return runtime.query(  # type: ignore[return-value]
        "SELECT coalesce(o.name, j.object_id), j.status, j.cluster FROM mz_internal.mz_spark_jobs j "
        "LEFT JOIN mz_objects o ON o.id = j.object_id WHERE j.kind = 'compaction' ORDER BY j.id"
    )


def blobs(runtime: InProcess) -> set[str]:
    """After a collection of garbage that waits for nobody."""
    writers = runtime.coordinator.controller.writers
    runtime.persist.collect_garbage(grace_ms=0, writer_is_dead=lambda w: w not in writers())
    return set(runtime.persist.blob.keys())


def live_blobs(runtime: InProcess, *names: str) -> set[str]:
    """Those of the collections' parts, which a merge may replace at any time."""
    return {part.blob for name in names for part in parts(runtime, name) if part.blob is not None}


def fill(runtime: InProcess, first: int = 0, batches: int = 8) -> None:
    """Batches of 1000 rows, which are blobs; nothing of it is computed, so no replica is needed."""
    with runtime.connect() as db, db.cursor() as cursor:
        for begin in range(first * 1000, (first + batches) * 1000, 1000):
            with cursor.copy("COPY t FROM STDIN") as copy:
                copy.write(
                    "".join(f"{i}\t{sha512(b'%d' % i).hexdigest()}\n" for i in range(begin, begin + 1000))
                )


def test_batches_are_merged_by_a_job(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE t (a int, b text)")
    runtime.query("CREATE MATERIALIZED VIEW m AS SELECT a % 7 AS k, count(*) AS n FROM t GROUP BY 1")
    fill(runtime, batches=4)
    for i in range(4):
        runtime.query(f"DELETE FROM t WHERE a / 1000 = {i} AND a % 10 <> 3")
    expected = runtime.query(SUM)
    assert expected[0][0] == 400
    views = sorted(runtime.query("SELECT * FROM m"))
    eventually(lambda: len(parts(runtime, "t")) < 8)
    assert ("t", "finished", None) in compactions(runtime)
    assert runtime.query(SUM) == expected
    assert sorted(runtime.query("SELECT * FROM m")) == views
    eventually(lambda: blobs(runtime) == live_blobs(runtime, "t", "m"))
    for job in runtime.driver.jobs:
        assert job.merge_upper is not None
        assert job.pool is None
    runtime.stop()
    runtime.start()
    assert runtime.query(SUM) == expected


def test_a_job_that_fails_is_tried_again_and_leaves_nothing(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE t (a int, b text)")
    runtime.driver.job_failure = "out of luck"
    fill(runtime)
    expected = runtime.query(SUM)
    eventually(lambda: compactions(runtime).count(("t", "failed", None)) >= 2)
    assert len(parts(runtime, "t")) == 8
    assert runtime.query(SUM) == expected
    runtime.driver.job_failure = None
    eventually(lambda: len(parts(runtime, "t")) < 8)
    assert runtime.query(SUM) == expected
    eventually(lambda: blobs(runtime) == {part.blob for part in parts(runtime, "t")})


def test_a_job_that_comes_too_late_changes_nothing(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE t (a int, b text)")
    runtime.driver.jobs_may_run.clear()
    fill(runtime)
    expected = runtime.query(SUM)
    eventually(lambda: runtime.driver.jobs)
    assert runtime.persist.compact(shard(runtime, "t"), force=True)
    merged = parts(runtime, "t")
    runtime.driver.jobs_may_run.set()
    eventually(lambda: ("t", "finished", None) in compactions(runtime))
    assert parts(runtime, "t") == merged
    assert runtime.query(SUM) == expected
    eventually(lambda: blobs(runtime) == {part.blob for part in merged})


def test_a_job_ends_with_its_collection(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE t (a int, b text)")
    runtime.query("CREATE TABLE kept (a int)")
    runtime.driver.jobs_may_run.clear()
    fill(runtime)
    id_ = shard(runtime, "t")
    eventually(lambda: compactions(runtime) == [("t", "running", None)])
    runtime.query("DROP TABLE t")
    assert compactions(runtime) == [(id_, "canceled", None)]
    runtime.driver.jobs_may_run.set()
    for i in range(8):
        runtime.query(f"INSERT INTO kept VALUES ({i})")
    eventually(lambda: len(parts(runtime, "kept")) < 8)
    eventually(lambda: blobs(runtime) == set())
    assert runtime.query("SELECT sum(a) FROM kept") == [(28,)]


def test_others_are_merged_meanwhile() -> None:
    """Small merges do not wait: neither those of others nor those of what came later to the same collection."""
    with running(replace(SETTINGS, compaction_job_min_bytes=100_000), jobs=True) as runtime:
        runtime.query("CREATE TABLE t (a int, b text)")
        runtime.query("CREATE TABLE u (a int)")
        runtime.driver.jobs_may_run.clear()
        fill(runtime)
        eventually(lambda: runtime.driver.jobs)
        for i in range(20):
            runtime.query(f"INSERT INTO u VALUES ({i})")
            runtime.query(f"INSERT INTO t VALUES ({-i}, 'x')")
        expected = runtime.query(SUM)
        eventually(lambda: len(parts(runtime, "u")) < 13)
        eventually(lambda: len(parts(runtime, "t")) < 8 + 13)
        assert compactions(runtime) == [("t", "running", None)]
        runtime.driver.jobs_may_run.set()
        eventually(lambda: ("t", "finished", None) in compactions(runtime))  # the next one may have begun
        eventually(lambda: len(parts(runtime, "t")) < 13)
        assert runtime.query(SUM) == expected


def test_without_spark_large_merges_wait(runtime: InProcess) -> None:
    """Even those of a collection that nobody writes to any more."""
    runtime.query("CREATE TABLE t (a int, b text)")
    runtime.driver.die()
    fill(runtime)
    eventually(lambda: runtime.coordinator.controller.compactions.waiting == {shard(runtime, "t")})
    assert compactions(runtime) == []
    assert len(parts(runtime, "t")) == 8
    runtime.driver.start()
    eventually(lambda: len(parts(runtime, "t")) < 8)
    assert ("t", "finished", None) in compactions(runtime)
    eventually(lambda: blobs(runtime) == {part.blob for part in parts(runtime, "t")})
