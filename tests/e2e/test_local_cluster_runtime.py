"""A whole runtime on executors that are processes of their own: `local-cluster[2,2,1024]`, two of two cores and 1 GiB each.

Replicas come in over TCP, as they would from other machines.  One core is the replica's for good.  Where it runs, and where the tasks of
jobs run, may be killed: nothing is lost, nothing is there twice.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from .conftest import running
from .runtime_process import Runtime, alive

pytestmark = pytest.mark.slow

ROWS = 60_000
SETTINGS = (
    "spark_master=local-cluster[2,2,1024]",
    "control_listen=127.0.0.1:0",
    "job_min_rows=50000",
    "step_job_min_rows=20000",
    "query_job_min_rows=50000",
    "duckdb_min_rows=1000000000",
    "compaction_job_min_bytes=1000000",
)
VIEW = (
    "SELECT c.name, count(*) AS orders, sum(o.amount) AS amount, max(o.id) AS latest "
    "FROM orders o JOIN customers c ON c.id = o.customer GROUP BY c.name"
)


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with running(*SETTINGS) as runtime:
        runtime.run(
            "CREATE TABLE orders (id int NOT NULL, customer int NOT NULL, amount int NOT NULL)",
            "CREATE TABLE customers (id int NOT NULL, name text NOT NULL)",
            "INSERT INTO customers SELECT i, 'customer ' || i FROM generate_series(0, 999) AS i",
            f"INSERT INTO orders SELECT i, i * 7 % 1000, i % 100 FROM generate_series(1, {ROWS}) AS i",
        )
        yield runtime


def jobs(runtime: Runtime, kind: str, status: str = "finished") -> int:
    query = f"SELECT count(*) FROM mz_internal.mz_spark_jobs WHERE kind = '{kind}' AND status = '{status}'"
    return int(runtime.run(query)[0][0])


def check(runtime: Runtime) -> None:
    """The view is what its query says."""
    with runtime.connect() as connection:
        connection.execute("BEGIN")  # one time for both
        found, expected = (
            sorted(connection.execute(query.encode()).fetchall()) for query in ("SELECT * FROM v", VIEW)
        )
    assert found == expected
    assert found


def parents() -> dict[int, int]:
    found = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                found[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it has ended meanwhile
    return found


def executors(runtime: Runtime) -> set[int]:
    """Process ids of the JVMs that the runtime's Spark has started."""
    above = parents()
    found = set()
    for pid in above:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command and runtime.process.pid in ancestors(pid, above):
            found.add(pid)
    return found


def ancestors(pid: int, above: dict[int, int]) -> list[int]:
    line = []
    while (pid := above.get(pid, 0)) > 1:
        line.append(pid)
    return line


def executor_of_replica(runtime: Runtime) -> int:
    query = "SELECT process_id FROM mz_internal.mz_cluster_replica_statuses WHERE status = 'online'"
    ((replica,),) = runtime.eventually(lambda: runtime.run(query))
    (executor,) = set(ancestors(int(replica), parents())) & executors(runtime)
    return executor


def test_hydration_steps_and_queries_are_jobs(runtime: Runtime) -> None:
    runtime.run(f"CREATE MATERIALIZED VIEW v AS {VIEW}")
    check(runtime)
    assert jobs(runtime, "hydration") == 1
    assert jobs(runtime, "query") == 1
    assert len(executors(runtime)) == 2
    runtime.run(
        f"INSERT INTO orders SELECT i, i * 3 % 1000, i % 50 FROM generate_series({ROWS + 1}, {ROWS + 30000}) AS i"
    )
    check(runtime)
    assert jobs(runtime, "step") == 1
    runtime.run("DELETE FROM orders WHERE id % 3 = 0", "INSERT INTO customers VALUES (7, 'another')")
    check(runtime)
    assert jobs(runtime, "step") == 2


def test_the_replica_s_executor_is_killed(runtime: Runtime) -> None:
    before = executor_of_replica(runtime)
    os.kill(before, signal.SIGKILL)
    runtime.run("INSERT INTO orders VALUES (-1, 5, 1000)", "DELETE FROM orders WHERE id BETWEEN 1 AND 9")
    check(runtime)
    assert executor_of_replica(runtime) != before
    assert not alive({before})
    runtime.eventually(lambda: len(executors(runtime)) == 2)


def test_an_executor_is_killed_under_a_job(runtime: Runtime) -> None:
    """A hydration's tasks are gone: they run again."""
    (other,) = executors(runtime) - {executor_of_replica(runtime)}
    runtime.run(
        "CREATE MATERIALIZED VIEW w AS SELECT a.customer, count(*) AS n FROM orders a "
        "JOIN orders b ON a.customer = b.customer GROUP BY a.customer"
    )
    runtime.eventually(lambda: jobs(runtime, "hydration", "running"))
    os.kill(other, signal.SIGKILL)
    counts = runtime.run("SELECT customer, count(*) FROM orders GROUP BY customer")
    assert sorted(runtime.run("SELECT * FROM w")) == sorted((customer, n * n) for customer, n in counts)
    assert jobs(runtime, "hydration") == 2
    assert jobs(runtime, "hydration", "failed") == 0
    check(runtime)


def test_compactions_are_jobs_too(runtime: Runtime) -> None:
    runtime.run("CREATE TABLE notes (id int, note text)")
    for n in range(8):
        first = n * 20_000
        runtime.run(
            f"INSERT INTO notes SELECT i, md5(i::text) FROM generate_series({first}, {first + 19_999}) AS i"
        )
    runtime.eventually(lambda: jobs(runtime, "compaction"))
    assert runtime.run("SELECT count(*), sum(id), count(DISTINCT note) FROM notes") == [
        (160_000, 159_999 * 80_000, 160_000)
    ]


def test_an_executor_is_killed_under_an_export(runtime: Runtime, tmp_path: Path) -> None:
    """Tasks that had written some files write them once more, under the same names."""
    (other,) = executors(runtime) - {executor_of_replica(runtime)}
    place = tmp_path / "out"
    query = (
        "SELECT DISTINCT o.id, g, md5(o.id::text) FROM orders o, generate_series(1, 20) AS g WHERE o.id > 0"
    )
    failed: list[psycopg.Error] = []

    def copy() -> None:
        try:
            runtime.run(f"COPY ({query}) TO '{place}' WITH (FORMAT CSV, MAX FILE SIZE = '1MB')")
        except psycopg.Error as error:
            failed.append(error)

    thread = threading.Thread(target=copy)
    thread.start()
    runtime.eventually(lambda: any(place.glob("part-*")))
    os.kill(other, signal.SIGKILL)
    thread.join(120)
    assert failed == []
    names = [file["name"] for file in json.loads((place / "_SUCCESS").read_text())["files"]]
    assert sorted([*names, "_SUCCESS"]) == sorted(os.listdir(place))
    written = sorted(line for name in names for line in (place / name).read_text().splitlines())
    ids = [int(id_) for (id_,) in runtime.run("SELECT id FROM orders WHERE id > 0")]
    assert len(written) == len(set(written)) == 20 * len(set(ids))
    assert {int(line.partition(",")[0]) for line in written} == set(ids)
    assert jobs(runtime, "export") == 1


def test_everything_ends_with_the_runtime(runtime: Runtime) -> None:
    everything = runtime.everything() | executors(runtime)
    runtime.stop()
    assert not alive(everything)
