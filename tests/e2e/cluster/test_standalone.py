"""A whole runtime on a standalone cluster of Spark: its replicas and jobs are on machines that share nothing with it but the network.

Executors, and what they have started, are killed; links are cut, and are slow; machines go, and others come.  Views are what their queries say, all
the time.  `PTVC_KILLS` is how many executors and workers are killed (4).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Event

import pytest
from servers.namespaces import Node, NotPermitted
from servers.standalone_spark import executors, has_replica, python_workers

from ..runtime_process import Runtime
from .conftest import CORES, Cluster
from .views import await_views

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

KILLS = int(os.environ.get("PTVC_KILLS", "4"))
CUT_S = 20.0
BACK_WITHIN_S = 240.0
VIEWS = {
    "v": "SELECT c.name, count(*) AS orders, sum(o.amount) AS amount, max(o.id) AS latest "
    "FROM orders o JOIN customers c ON c.id = o.customer GROUP BY c.name",
    "w": "SELECT o.customer, o.id, o.amount FROM orders o WHERE o.amount > 90",
}
OF_V = "JOIN mz_catalog.mz_materialized_views v ON v.id = object_id WHERE v.name = 'v'"
CHECKPOINTED = f"SELECT min(checkpoint_frontier) FROM mz_internal.mz_dataflow_state {OF_V}"
READ = f"SELECT rows FROM mz_internal.mz_hydration_statuses {OF_V}"
"""What the view has read when it began."""
FEW = 2000


@pytest.fixture(scope="module")
def runtime(cluster: Cluster) -> Iterator[Runtime]:
    with cluster.runtime(
        "checkpoint_rows=500", "checkpoint_interval_ms=2000", "query_job_min_rows=5000000"
    ) as runtime:
        runtime.run(
            "CREATE TABLE orders (id int NOT NULL, customer int NOT NULL, amount int NOT NULL)",
            "CREATE TABLE customers (id int NOT NULL, name text NOT NULL)",
            "INSERT INTO customers SELECT i, 'customer ' || i FROM generate_series(0, 99) AS i",
            "INSERT INTO orders SELECT i, i * 7 % 100, i % 100 FROM generate_series(1, 5000) AS i",
        )
        for name, query in VIEWS.items():
            runtime.run(f"CREATE MATERIALIZED VIEW {name} AS {query}")
        runtime.run("CREATE INDEX by_customer ON orders (customer)")
        yield runtime


def check(runtime: Runtime) -> None:
    await_views(runtime, VIEWS, BACK_WITHIN_S)
    runtime.eventually(lambda: online(runtime), BACK_WITHIN_S)


def insert(runtime: Runtime, random: Random) -> None:
    """It needs no replica."""
    first = random.randrange(10_000, 1_000_000_000)
    runtime.run(f"INSERT INTO orders VALUES ({first}, {first % 100}, {first % 97})")


def change(runtime: Runtime, random: Random) -> None:
    """A query whose process was killed fails: it is asked again."""
    first = random.randrange(10_000, 1_000_000_000)
    delete = f"DELETE FROM orders WHERE id % 61 = {random.randrange(61)}"
    runtime.run(
        f"INSERT INTO orders SELECT i, i % 100, i % 97 FROM generate_series({first}, {first + 49}) AS i"
    )
    runtime.eventually(lambda: [runtime.run(delete)], BACK_WITHIN_S)


def online(runtime: Runtime) -> bool:
    return runtime.run("SELECT status FROM mz_internal.mz_cluster_replica_statuses") == [("online",)]


def await_checkpoint(runtime: Runtime, random: Random) -> None:
    """Of all that the view has taken in until now."""
    ((now,),) = runtime.run("SELECT mz_now()::text")
    insert(runtime, random)

    def made() -> bool:
        ((frontier,),) = runtime.run(CHECKPOINTED)
        return frontier is not None and frontier > int(now)

    assert runtime.eventually(made, BACK_WITHIN_S)


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def test_the_replica_is_on_another_machine(cluster: Cluster, runtime: Runtime) -> None:
    check(runtime)
    assert cluster.node_of_replica() in cluster.nodes
    runtime.eventually(lambda: len(cluster.executors()) == 2)
    here = runtime.children()
    assert here["jvm"]
    assert not here["daemon"] | here["worker"]
    assert not list((runtime.directory / "spark").rglob("*.sock"))


def test_secrets_are_seen_by_nobody(cluster: Cluster, runtime: Runtime) -> None:
    secret = cluster.spark.secret
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            assert secret.encode() not in path.read_bytes(), path
    assert not any(secret in str(row) for row in runtime.run("SHOW ALL"))
    for log in (runtime.directory / "log").rglob("*"):
        assert secret not in log.read_text(errors="replace"), log
    for log in (runtime.directory / "spark").glob("*.log"):
        assert secret not in log.read_text(errors="replace"), log
    assert (runtime.directory / "spark" / "spark.properties").stat().st_mode & 0o777 == 0o600


def test_what_is_killed_comes_back(cluster: Cluster, runtime: Runtime) -> None:
    random = Random(1)
    for number in range(KILLS):
        change(runtime, random)
        node = cluster.node_of_replica() if number % 2 else random.choice(cluster.nodes)
        candidates = sorted(executors(node) if number % 3 else python_workers(node) or executors(node))
        if candidates:
            kill(random.choice(candidates))
        change(runtime, random)
        check(runtime)


def test_a_link_is_cut(cluster: Cluster, runtime: Runtime) -> None:
    """The replica falls silent, is away, and comes back, or another one does: there is one of it."""
    random = Random(2)
    node = cluster.node_of_replica()
    node.cut()
    try:
        change(runtime, random)
        Event().wait(CUT_S)
    finally:
        node.mend()
    change(runtime, random)
    check(runtime)
    runtime.eventually(lambda: sum(has_replica(node) for node in cluster.nodes) == 1, BACK_WITHIN_S)


def test_links_are_slow(cluster: Cluster, runtime: Runtime) -> None:
    random = Random(3)
    nodes = list(cluster.nodes)
    slow: list[Node] = []
    try:
        for node in nodes:
            try:
                node.delay(50)
            except NotPermitted as reason:
                pytest.skip(f"no network namespaces can be made here: {reason}")
            slow.append(node)
        for _ in range(3):
            change(runtime, random)
            check(runtime)
        kill(random.choice(sorted(executors(cluster.node_of_replica()))))
        change(runtime, random)
        check(runtime)
    finally:
        for node in slow:
            node.undelay()
    check(runtime)


def test_a_machine_is_replaced(cluster: Cluster, runtime: Runtime) -> None:
    """By one with empty folders, at another address."""
    random = Random(4)
    cluster.network.lose(cluster.node_of_replica())
    change(runtime, random)
    cluster.complete()
    check(runtime)
    cluster.network.lose(cluster.node_of_replica())
    cluster.complete()
    change(runtime, random)
    check(runtime)


def test_there_is_no_machine_for_a_while(cluster: Cluster, runtime: Runtime) -> None:
    random = Random(5)
    for node in list(cluster.nodes):
        cluster.network.lose(node)
    runtime.eventually(lambda: not online(runtime), BACK_WITHIN_S)
    insert(runtime, random)
    cluster.complete()
    check(runtime)


def test_a_replica_goes_on_elsewhere_from_its_checkpoint(cluster: Cluster, runtime: Runtime) -> None:
    """Which another machine has written: the new one reads what has come since, and not all of it."""
    random = Random(8)
    change(runtime, random)
    runtime.run("INSERT INTO orders SELECT i, i % 100, i % 97 FROM generate_series(2000000, 2004999) AS i")
    check(runtime)
    await_checkpoint(runtime, random)
    cluster.network.lose(cluster.node_of_replica())
    cluster.complete()
    insert(runtime, random)
    check(runtime)
    runtime.eventually(lambda: all(rows < FEW for (rows,) in runtime.run(READ)), BACK_WITHIN_S)


def test_jobs(cluster: Cluster, runtime: Runtime) -> None:
    """Hydrations, steps and queries by tasks on all machines, one of which is killed."""
    runtime.run("CREATE CLUSTER jobs (JOB MIN ROWS 0)")
    random = Random(9)
    query = "SELECT a.customer, count(*) AS n, sum(b.amount) AS s FROM orders a JOIN orders b ON a.customer = b.customer GROUP BY 1"
    try:
        runtime.run(f"CREATE MATERIALIZED VIEW j IN CLUSTER jobs AS {query}")
        hydrations = "SELECT count(*) FROM mz_internal.mz_spark_jobs WHERE kind = 'hydration'"
        runtime.eventually(lambda: runtime.run(hydrations)[0][0], BACK_WITHIN_S)
        kill(random.choice(sorted(cluster.executors())))

        def same() -> bool:
            return runtime.rows("SELECT * FROM j") == sorted(
                runtime.run("SET cluster = jobs", query), key=repr
            )

        assert runtime.eventually(same, BACK_WITHIN_S)
        change(runtime, random)
        assert runtime.eventually(same, BACK_WITHIN_S)
        kinds = "SELECT DISTINCT kind FROM mz_internal.mz_spark_jobs WHERE status = 'finished'"
        runtime.eventually(
            lambda: {kind for (kind,) in runtime.run(kinds)} >= {"hydration", "step", "query"}, BACK_WITHIN_S
        )
    finally:
        runtime.run("DROP MATERIALIZED VIEW IF EXISTS j", "DROP CLUSTER jobs")


def test_replicas_of_a_cluster_are_on_different_machines(cluster: Cluster, runtime: Runtime) -> None:
    """When a machine has gone they are together, until there is another one."""
    runtime.eventually(lambda: online(runtime), BACK_WITHIN_S)
    runtime.run("ALTER CLUSTER quickstart SET (REPLICATION FACTOR 2)")
    query = "SELECT count(*) FROM mz_internal.mz_cluster_replica_statuses WHERE status = 'online'"

    def both() -> bool:
        return runtime.run(query) == [(2,)]

    def spread() -> bool:
        return both() and all(has_replica(node) for node in cluster.nodes)

    try:
        runtime.eventually(spread, BACK_WITHIN_S)
        cluster.network.lose(cluster.nodes[0])
        runtime.eventually(both, BACK_WITHIN_S)
        cluster.complete()
        runtime.eventually(spread, BACK_WITHIN_S)
    finally:
        cluster.complete()
        runtime.run("ALTER CLUSTER quickstart SET (REPLICATION FACTOR 1)")
        runtime.eventually(lambda: sum(map(has_replica, cluster.nodes)) == 1, BACK_WITHIN_S)


def test_a_size_is_so_many_cores(cluster: Cluster, runtime: Runtime) -> None:
    """Of one executor: none has four."""
    statuses = (
        "SELECT s.status, s.reason FROM mz_internal.mz_cluster_replica_statuses s "
        "JOIN mz_catalog.mz_cluster_replicas r ON r.id = s.replica_id JOIN mz_catalog.mz_clusters c ON c.id = r.cluster_id "
        "WHERE c.name = 'sized'"
    )
    runtime.run(f"CREATE CLUSTER sized (SIZE {CORES + 1})")
    try:
        runtime.eventually(lambda: f"has {CORES + 1} cores free" in str(runtime.run(statuses)), BACK_WITHIN_S)
        runtime.run("ALTER CLUSTER sized SET (SIZE 2)")
        runtime.eventually(lambda: runtime.run(statuses) == [("online", None)], BACK_WITHIN_S)
        runtime.run("SET cluster = sized", "SELECT count(*) FROM v")
    finally:
        runtime.run("DROP CLUSTER sized")


def test_the_application_is_ended(cluster: Cluster, runtime: Runtime) -> None:
    """By who looks after the cluster: the driver ends, and is a new application."""
    random = Random(7)
    (driver,) = runtime.children()["driver"]
    cluster.spark.end_applications()
    change(runtime, random)
    runtime.eventually(lambda: driver not in runtime.children()["driver"], BACK_WITHIN_S)
    check(runtime)


def test_the_coordinator_is_killed(cluster: Cluster, runtime: Runtime) -> None:
    random = Random(6)
    change(runtime, random)
    runtime.kill()
    runtime.start()
    change(runtime, random)
    check(runtime)


def test_another_coordinator_takes_over(cluster: Cluster, runtime: Runtime) -> None:
    """With the same stores, and a directory in which there is nothing: state goes on from its checkpoints."""
    random = Random(10)
    runtime.run("INSERT INTO orders SELECT i, i % 100, i % 97 FROM generate_series(3000000, 3004999) AS i")
    check(runtime)
    await_checkpoint(runtime, random)
    runtime.kill()
    runtime.directory = runtime.directory.with_name("elsewhere")
    runtime.start()
    insert(runtime, random)
    check(runtime)
    runtime.eventually(lambda: all(rows < FEW for (rows,) in runtime.run(READ)), BACK_WITHIN_S)


def test_nothing_stays_when_it_stops(cluster: Cluster, runtime: Runtime) -> None:
    runtime.stop()
    runtime.eventually(lambda: not cluster.executors())
    assert not any(python_workers(node) for node in cluster.nodes)
