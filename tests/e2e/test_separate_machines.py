"""Executors that find nothing of the coordinator's directory: all that is left for each other goes through the store.

`local-cluster[2,2,1024]`, each executor with local directories of its own.  What tells it from machines of their own is that the processes could see
each other's files: where they are looked for is seen here, too.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import errors
from servers.s3_server import S3Server

from .conftest import running
from .runtime_process import Runtime
from .test_local_cluster_runtime import ROWS, VIEW, check, executor_of_replica, jobs

pytestmark = pytest.mark.slow

SETTINGS = (
    "spark_master=local-cluster[2,2,1024]",
    "state_files=blobs",
    "control_listen=127.0.0.1:0",
    "job_min_rows=50000",
    "step_job_min_rows=20000",
    "query_job_min_rows=50000",
    "duckdb_min_rows=1000000000",
    "compaction_job_min_bytes=1000000000",
    "checkpoint_rows=1000",
    "checkpoint_interval_ms=2000",
)


@pytest.fixture(scope="module")
def bucket(s3: S3Server) -> str:
    return s3.bucket()


@pytest.fixture(scope="module")
def runtime(s3: S3Server, bucket: str) -> Iterator[Runtime]:
    with running(*SETTINGS, options=("--blob", s3.url(bucket, "environment"))) as runtime:
        runtime.run(
            "CREATE TABLE orders (id int NOT NULL, customer int NOT NULL, amount int NOT NULL)",
            "CREATE TABLE customers (id int NOT NULL, name text NOT NULL)",
            "INSERT INTO customers SELECT i, 'customer ' || i FROM generate_series(0, 999) AS i",
            f"INSERT INTO orders SELECT i, i * 7 % 1000, i % 100 FROM generate_series(1, {ROWS}) AS i",
        )
        yield runtime


def stored(s3: S3Server, bucket: str) -> set[str]:
    """The names of what processes have left for each other."""
    prefix = "environment/.state/"
    return {name.removeprefix(prefix) for name in s3.names(bucket) if name.startswith(prefix)}


def here(runtime: Runtime) -> set[str]:
    """What kinds of files are in the coordinator's root."""
    return {path.suffix for path in (runtime.directory / "state").glob("[!.]*/**/*") if path.is_file()}


def hydrated_by_job(runtime: Runtime) -> int:
    return jobs(runtime, "hydration")


def checkpoint(runtime: Runtime, name: str) -> int | None:
    query = (
        "SELECT s.checkpoint_frontier FROM mz_internal.mz_dataflow_state s "
        f"JOIN mz_catalog.mz_objects o ON o.id = s.object_id WHERE o.name = '{name}'"
    )
    found = runtime.run(query)
    return int(found[0][0]) if found and found[0][0] is not None else None


def test_hydration_steps_and_queries_are_jobs(runtime: Runtime, s3: S3Server, bucket: str) -> None:
    runtime.run(f"CREATE MATERIALIZED VIEW v AS {VIEW}", "CREATE INDEX i ON orders (customer)")
    check(runtime)
    assert jobs(runtime, "hydration") == 2
    assert jobs(runtime, "query") >= 1
    runtime.run(
        f"INSERT INTO orders SELECT i, i * 3 % 1000, i % 50 FROM generate_series({ROWS + 1}, {ROWS + 30000}) AS i"
    )
    check(runtime)
    runtime.eventually(lambda: jobs(runtime, "step") >= 1)
    runtime.run("DELETE FROM orders WHERE id % 3 = 0", "INSERT INTO customers VALUES (7, 'another')")
    check(runtime)
    by_key = "SELECT count(*), sum(amount) FROM orders WHERE customer"
    assert runtime.run(f"{by_key} = 7") == runtime.run(f"{by_key} + 0 = 7")
    runtime.eventually(lambda: checkpoint(runtime, "v") and checkpoint(runtime, "i"))
    assert here(runtime) == {".json"}
    assert stored(s3, bucket)


def test_the_replica_goes_on_elsewhere_from_its_checkpoint(runtime: Runtime) -> None:
    before, hydrations = executor_of_replica(runtime), jobs(runtime, "hydration")
    os.kill(before, signal.SIGKILL)
    runtime.run("INSERT INTO orders VALUES (-1, 5, 1000)", "DELETE FROM orders WHERE id BETWEEN 1 AND 9")
    check(runtime)
    assert executor_of_replica(runtime) != before
    assert jobs(runtime, "hydration") == hydrations
    query = "SELECT h.rows FROM mz_internal.mz_hydration_statuses h JOIN mz_catalog.mz_objects o ON o.id = h.object_id WHERE o.name = 'v'"
    ((rows,),) = runtime.run(query)
    assert rows < ROWS, "what came after the checkpoint, and no more"


def test_an_export_s_rows_come_from_tasks(runtime: Runtime, tmp_path: Path) -> None:
    """The coordinator writes the files: no fence reaches tasks on other machines."""
    place = tmp_path / "out"
    runtime.run(
        "COPY (SELECT DISTINCT o.id, g, md5(o.id::text) FROM orders o, generate_series(1, 5) AS g) "
        f"TO '{place}' WITH (FORMAT CSV, MAX FILE SIZE = '1MB')"
    )
    written = sorted(line for path in place.glob("part-*") for line in path.read_text().splitlines())
    ids = {int(id_) for (id_,) in runtime.run("SELECT id FROM orders")}
    assert len(written) == len(set(written)) == 5 * len(ids)
    assert jobs(runtime, "export") == 0
    runtime.eventually(lambda: here(runtime) == {".json"})


def test_a_query_that_is_canceled_ends_and_leaves_nothing(
    runtime: Runtime, s3: S3Server, bucket: str
) -> None:
    failed: list[psycopg.Error] = []
    with runtime.connect() as connection:

        def run() -> None:
            try:
                connection.execute(
                    "SELECT count(*) AS n FROM orders a LEFT JOIN orders b ON (a.id * 7 + b.id) % 1000003 = 999999"
                )
            except psycopg.Error as error:
                failed.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        runtime.eventually(lambda: jobs(runtime, "query", "running"))
        runtime.run(f"SELECT pg_cancel_backend({connection.info.backend_pid})")
        thread.join(60)
        assert not thread.is_alive()
    assert isinstance(failed[0], errors.QueryCanceled)
    check(runtime)  # another job finds its place
    jobs_of = ("answers/", "payloads/")
    runtime.eventually(lambda: not [name for name in stored(s3, bucket) if name.startswith(jobs_of)])


def test_what_is_dropped_goes_from_the_store(runtime: Runtime, s3: S3Server, bucket: str) -> None:
    runtime.run("DROP MATERIALIZED VIEW v", "DROP INDEX i")
    runtime.eventually(lambda: not stored(s3, bucket), 200)
