"""Large steps as jobs, in a whole runtime: what waits, what goes on, and what becomes of a job that fails or is not wanted.

The tasks of the jobs run in this process.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from inprocess import FAST, InProcess, eventually, running

SETTINGS = replace(FAST, step_job_min_rows=20, job_partitions=2)
VIEWS = """
CREATE TABLE t (k int, v int);
CREATE TABLE u (k int, name text);
INSERT INTO t SELECT i % 5, i FROM generate_series(1, 10) AS i;
INSERT INTO u SELECT i, 'n' || i FROM generate_series(0, 4) AS i;
CREATE MATERIALIZED VIEW joined AS SELECT t.k, t.v, u.name FROM t JOIN u ON t.k = u.k;
CREATE MATERIALIZED VIEW sums AS SELECT name, sum(v) AS total, max(v) AS most FROM joined GROUP BY name;
CREATE VIEW counted AS SELECT name, count(*) AS n FROM joined GROUP BY name;
CREATE INDEX counts ON counted (name);
"""
LARGE = "INSERT INTO t SELECT i % 5, i FROM generate_series(11, 100) AS i"
TOTALS = "SELECT sum(total), max(most) FROM sums"
COUNTS = "SELECT sum(n) FROM counted"


@pytest.fixture
def runtime() -> Iterator[InProcess]:
    with running(SETTINGS, jobs=True) as runtime:
        yield runtime


def create(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        for statement in filter(str.strip, VIEWS.split(";")):
            connection.execute(statement)  # type: ignore[arg-type]
    assert runtime.query(TOTALS) == [(55, 10)]
    assert runtime.query(COUNTS) == [(10,)]


def steps(runtime: InProcess) -> list[tuple[str, str]]:
    return runtime.query(  # type: ignore[return-value]
        "SELECT o.name, j.status FROM mz_internal.mz_spark_jobs j JOIN mz_objects o ON o.id = j.object_id "
        "WHERE j.kind = 'step' ORDER BY j.id"
    )


def check(runtime: InProcess) -> None:
    """Everything is as it should be after LARGE, and after a small change."""
    assert runtime.query(TOTALS) == [(5050, 100)]
    assert runtime.query(COUNTS) == [(100,)]
    runtime.query("DELETE FROM t WHERE v = 100")
    assert runtime.query(TOTALS) == [(4950, 99)]
    assert runtime.query(COUNTS) == [(99,)]


def test_a_large_change_goes_through_views_and_an_index_by_jobs(runtime: InProcess) -> None:
    create(runtime)
    runtime.query(LARGE)
    check(runtime)
    assert sorted(steps(runtime)) == [("counts", "finished"), ("joined", "finished"), ("sums", "finished")]
    assert {(job.step.lower < job.step.upper, job.rows) for job in runtime.driver.jobs if job.step} == {
        (True, 90)
    }
    runtime.query("DELETE FROM t WHERE v > 10")
    assert runtime.query(TOTALS) == [(55, 10)]
    assert runtime.query(COUNTS) == [(10,)]
    assert len(steps(runtime)) == 6


def test_others_go_on_while_a_job_runs(runtime: InProcess) -> None:
    create(runtime)
    runtime.query("CREATE TABLE w (a int)")
    runtime.query("CREATE MATERIALIZED VIEW other AS SELECT sum(a) AS s FROM w")
    runtime.driver.jobs_may_run.clear()
    runtime.query(LARGE)
    eventually(lambda: runtime.driver.jobs)
    runtime.query("INSERT INTO w VALUES (7)")
    assert runtime.query("SELECT s FROM other") == [(7,)]
    assert steps(runtime) == [("joined", "running")]
    runtime.query("INSERT INTO t VALUES (1, 1000)")
    runtime.driver.jobs_may_run.set()
    assert runtime.query(TOTALS) == [(6050, 1000)]
    runtime.query("DELETE FROM t WHERE v = 1000")
    check(runtime)


def test_a_step_whose_job_fails_is_made_by_the_replica(
    runtime: InProcess, caplog: pytest.LogCaptureFixture
) -> None:
    create(runtime)
    runtime.driver.job_failure = "a task was killed"
    runtime.query(LARGE)
    check(runtime)
    assert set(steps(runtime)) == {("counts", "failed"), ("joined", "failed"), ("sums", "failed")}
    assert "is made by the replica: Spark job" in caplog.text


def test_a_view_that_is_dropped_cancels_its_job(runtime: InProcess) -> None:
    create(runtime)
    runtime.driver.jobs_may_run.clear()
    runtime.query(LARGE)
    eventually(lambda: runtime.driver.jobs)
    runtime.query("DROP MATERIALIZED VIEW joined CASCADE")
    jobs = "SELECT status FROM mz_internal.mz_spark_jobs WHERE kind = 'step'"
    eventually(lambda: runtime.query(jobs) == [("canceled",)])
    runtime.driver.jobs_may_run.set()
    runtime.query("CREATE MATERIALIZED VIEW again AS SELECT count(*) AS n FROM t")
    assert runtime.query("SELECT n FROM again") == [(100,)]


def test_a_replica_that_dies_in_the_middle_goes_on_from_before(runtime: InProcess) -> None:
    create(runtime)
    runtime.driver.jobs_may_run.clear()
    runtime.query(LARGE)
    eventually(lambda: runtime.driver.jobs)
    runtime.kill_replica()
    runtime.driver.jobs_may_run.set()
    check(runtime)


def test_several_replicas_make_their_steps_by_jobs_of_their_own(runtime: InProcess) -> None:
    runtime.query("ALTER CLUSTER quickstart SET (REPLICATION FACTOR 2)")
    create(runtime)
    runtime.query(LARGE)
    check(runtime)
    eventually(lambda: len([s for s in steps(runtime) if s[1] == "finished"]) >= 4)
    runtime.kill_replica(name="r1")
    runtime.query("INSERT INTO t SELECT 1, 0 FROM generate_series(1, 50)")
    assert runtime.query(TOTALS) == [(4950, 99)]
    assert runtime.query(COUNTS) == [(149,)]


def test_the_limit_follows_the_options_of_the_cluster(runtime: InProcess) -> None:
    create(runtime)
    runtime.query("ALTER CLUSTER quickstart SET (JOB MIN ROWS 1000)")
    runtime.query(LARGE)
    check(runtime)
    assert steps(runtime) == []


def test_a_view_that_fails_while_its_job_runs_is_installed_once_more(runtime: InProcess) -> None:
    create(runtime)
    runtime.driver.jobs_may_run.clear()
    runtime.query(LARGE)
    eventually(lambda: runtime.driver.jobs)
    runtime.query("ALTER CLUSTER quickstart SET (MEMORY LIMIT '1 B')")
    jobs = "SELECT status FROM mz_internal.mz_spark_jobs WHERE kind = 'step'"
    eventually(lambda: ("canceled",) in runtime.query(jobs))
    runtime.driver.jobs_may_run.set()
    runtime.query("ALTER CLUSTER quickstart SET (MEMORY LIMIT '1 GB')")
    check(runtime)
