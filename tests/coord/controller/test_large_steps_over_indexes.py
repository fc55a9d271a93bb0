"""Large steps as jobs, of indexes that views share and of views that share indexes: who waits for whom, what an index
keeps for a step that is under way, and what becomes of the step when the index goes.

The tasks run in this process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from inprocess import FAST, InProcess, eventually, running
from ptvc.replica.protocol import RunJob

SETTINGS = replace(FAST, step_job_min_rows=20, job_partitions=2)
SETUP = """
CREATE TABLE t (k int, v int);
CREATE TABLE u (k int, name text);
INSERT INTO t SELECT i % 5, i FROM generate_series(1, 10) AS i;
INSERT INTO u SELECT i, 'n' || i FROM generate_series(0, 4) AS i;
CREATE INDEX t_k ON t (k);
CREATE MATERIALIZED VIEW joined AS SELECT t.k, t.v, u.name FROM t JOIN u ON t.k = u.k;
CREATE TABLE w (a int);
CREATE MATERIALIZED VIEW other AS SELECT sum(a) AS s FROM w
"""
LARGE_T = "INSERT INTO t SELECT i % 5, i FROM generate_series(11, 100) AS i"
LARGE_U = "INSERT INTO u SELECT i % 7, 'm' || i FROM generate_series(1, 60) AS i"


@pytest.fixture
def runtime() -> Iterator[InProcess]:
    with running(SETTINGS, jobs=True) as runtime:
        with runtime.connect() as connection:
            for statement in SETUP.split(";"):
                connection.execute(statement)  # type: ignore[arg-type]
        check(runtime)
        yield runtime


def check(runtime: InProcess) -> None:
    """The view is what its query says; a cast of the keys keeps that off the index."""
    query = "SELECT t.k, t.v, u.name FROM t JOIN u ON t.k + 0 = u.k + 0"
    with runtime.connect() as connection, connection.transaction():
        found = connection.execute("SELECT k, v, name FROM joined").fetchall()
        expected = connection.execute(query).fetchall()  # type: ignore[arg-type]
        indexed = connection.execute("SELECT v FROM t WHERE k = 1").fetchall()
        plain = connection.execute("SELECT v FROM t WHERE k + 0 = 1").fetchall()
    assert sorted(found) == sorted(expected)
    assert sorted(indexed) == sorted(plain)


def steps(runtime: InProcess) -> list[tuple[str, str]]:
    return runtime.query(  # type: ignore[return-value]
        "SELECT o.name, j.status FROM mz_internal.mz_spark_jobs j JOIN mz_objects o ON o.id = j.object_id "
        "WHERE j.kind = 'step' ORDER BY j.id"
    )


def step_jobs(runtime: InProcess) -> list[RunJob]:
    return [job for job in runtime.driver.jobs if job.step is not None]


def hold(runtime: InProcess, statement: str, jobs: int) -> None:
    """Makes a large change, the jobs of which wait."""
    runtime.driver.jobs_may_run.clear()
    runtime.query(statement)
    eventually(lambda: len(step_jobs(runtime)) == jobs)


def test_an_index_and_its_reader_step_one_after_the_other(runtime: InProcess) -> None:
    hold(runtime, LARGE_T, 1)
    assert steps(runtime) == [
        ("t_k", "running")
    ]  # the view has the same rows waiting, and waits for the index
    runtime.query("INSERT INTO w VALUES (7)")
    assert runtime.query("SELECT s FROM other") == [(7,)]
    runtime.query("INSERT INTO u VALUES (1, 'late')")
    runtime.driver.jobs_may_run.set()
    check(runtime)
    assert steps(runtime) == [("t_k", "finished"), ("joined", "finished")]
    index, reader = step_jobs(runtime)
    assert index.step is not None
    assert reader.step is not None
    assert not index.step.shared
    assert len(reader.step.shared) == 1
    runtime.query("DELETE FROM t WHERE v % 2 = 0")
    check(runtime)
    runtime.query("INSERT INTO t VALUES (3, 1000)")
    check(runtime)


def test_the_index_goes_on_while_its_reader_waits_for_a_job(runtime: InProcess) -> None:
    hold(runtime, LARGE_U, 1)
    for i in range(15):
        runtime.query(f"UPDATE t SET v = v + 1 WHERE k = {i % 5}")
    found = runtime.query("SELECT sum(v) FROM t WHERE k = 1")
    assert found == [(1 + 6 + 2 * 3,)]
    assert steps(runtime) == [("joined", "running")]
    runtime.driver.jobs_may_run.set()
    check(runtime)
    runtime.query("DELETE FROM u WHERE k < 3")
    check(runtime)


@pytest.mark.parametrize("failing", [False, True])
def test_an_index_that_goes_leaves_its_rows_to_the_step(runtime: InProcess, failing: bool) -> None:
    runtime.driver.job_failure = "a task was killed" if failing else None
    hold(runtime, LARGE_U, 1)
    runtime.query("INSERT INTO t VALUES (1, 500), (2, 501), (NULL, 502)")
    runtime.query("DELETE FROM t WHERE v = 3")
    runtime.query("DROP INDEX t_k")
    runtime.driver.jobs_may_run.set()
    check(runtime)
    runtime.driver.job_failure = None
    runtime.query(
        LARGE_T
    )  # the view holds the arrangement itself: its rows come with the job's, by the replica
    check(runtime)
    eventually(lambda: [name for name, _ in steps(runtime)].count("joined") == 2)
    last = step_jobs(runtime)[-1].step
    assert last is not None
    assert not last.shared
    runtime.query("DELETE FROM t WHERE v > 50")
    check(runtime)
    runtime.query("INSERT INTO u VALUES (1, 'x')")
    check(runtime)


def test_an_index_that_is_dropped_in_the_middle_of_its_own_step(runtime: InProcess) -> None:
    hold(runtime, LARGE_T, 1)
    runtime.query("DROP INDEX t_k")
    runtime.driver.jobs_may_run.set()
    check(runtime)
    runtime.query("DELETE FROM t WHERE v = 50")
    check(runtime)


def test_steps_whose_jobs_fail_are_made_by_the_replica(runtime: InProcess) -> None:
    runtime.driver.job_failure = "a task was killed"
    runtime.query(LARGE_T)
    runtime.query(LARGE_U)
    check(runtime)
    assert {status for _, status in steps(runtime)} == {"failed"}
    runtime.driver.job_failure = None
    runtime.query("DELETE FROM t WHERE v % 2 = 0")
    check(runtime)


@pytest.mark.parametrize("statement", [LARGE_T, LARGE_U])
def test_a_replica_that_dies_in_the_middle_finds_the_index_where_its_reader_goes_on(
    runtime: InProcess, statement: str
) -> None:
    hold(runtime, statement, 1)
    for i in range(6):
        runtime.query(f"INSERT INTO t VALUES ({i % 5}, {200 + i})")
    runtime.kill_replica()
    runtime.driver.jobs_may_run.set()
    check(runtime)
    runtime.query("DELETE FROM t WHERE k = 2")
    check(runtime)


def test_a_restart_after_jobs_goes_on_from_their_checkpoints(runtime: InProcess) -> None:
    runtime.query(LARGE_T)
    runtime.query(LARGE_U)
    check(runtime)
    runtime.stop()
    runtime.start()
    check(runtime)
    runtime.query("INSERT INTO t SELECT i % 5, i FROM generate_series(200, 300) AS i")
    check(runtime)
    runtime.kill_replica()
    runtime.query("DELETE FROM u WHERE name LIKE 'm%'")
    check(runtime)
