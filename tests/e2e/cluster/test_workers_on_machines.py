"""A replica whose workers are on two machines, by a cluster of Spark: its views are what their queries say, whatever of it goes.

The step's bar: 100 rows within 15 ms, over a link of 1 ms each way.
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
from servers.namespaces import REASON, Node, NotPermitted
from servers.standalone_spark import executors

from ..runtime_process import Runtime
from .conftest import Cluster
from .views import await_views

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

CUT_S = 15.0
BACK_WITHIN_S = 240.0
STEPS = 20
ROUNDS = 5
"""Of so many the quickest counts, as others use this machine."""
DELAY_MS = 1
MOST_ROUND_TRIPS = 5
"""Of a step."""
VIEWS = {
    "by_segment": "SELECT c.segment, count(*) AS n, sum(o.amount) AS total FROM orders o"
    " JOIN customers c ON o.customer = c.customer GROUP BY c.segment",
    "frequent": "SELECT n, count(*) AS customers FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer)"
    " AS counted GROUP BY n",
}
W2 = (
    "SELECT o.customer, c.segment, count(*) AS n, sum(o.amount) AS total FROM orders o"
    " JOIN customers c ON o.customer = c.customer GROUP BY o.customer, c.segment"
)
OF_SPREAD = (
    "JOIN mz_catalog.mz_cluster_replicas r ON r.id = w.replica_id"
    " JOIN mz_catalog.mz_clusters c ON c.id = r.cluster_id WHERE c.name = 'spread'"
)


@pytest.fixture(scope="module")
def runtime(cluster: Cluster) -> Iterator[Runtime]:
    cluster.complete()
    with cluster.runtime(
        "checkpoint_rows=500", "checkpoint_interval_ms=2000", "query_job_min_rows=5000000"
    ) as runtime:
        runtime.run(
            "CREATE CLUSTER spread (WORKERS 2, WORKERS PER MACHINE 1)",
            "CREATE TABLE orders (id int NOT NULL, customer int NOT NULL, amount int NOT NULL)",
            "CREATE TABLE customers (customer int NOT NULL, segment text NOT NULL)",
            "INSERT INTO customers SELECT i, 'segment ' || i % 7 FROM generate_series(0, 999) AS i",
            "INSERT INTO orders SELECT i, i * 7919 % 1000, i % 100 FROM generate_series(0, 49999) AS i",
            *(
                f"CREATE MATERIALIZED VIEW {name} IN CLUSTER spread AS {query}"
                for name, query in (VIEWS | {"w2": W2}).items()
            ),
        )
        yield runtime


def check(runtime: Runtime) -> None:
    await_views(runtime, VIEWS, BACK_WITHIN_S)


def change(runtime: Runtime, random: Random) -> None:
    first = random.randrange(100_000, 1_000_000_000)
    runtime.run(
        f"INSERT INTO orders SELECT {first} + i, i, i % 13 FROM generate_series(0, 499) AS i",
    )


def workers(runtime: Runtime) -> list[tuple[str, int]]:
    """The machine of each worker, and its process there, as relations say; none while the replica is away."""
    query = f"SELECT w.machine, w.process_id FROM mz_internal.mz_cluster_replica_workers w {OF_SPREAD} ORDER BY w.worker_id"
    return [(machine, int(process)) for machine, process in runtime.run(query)]


def both(cluster: Cluster, runtime: Runtime) -> list[tuple[Node, int]]:
    """The machine of each of the two workers, and its process as it is here, once they are on two machines."""

    def found() -> list[tuple[Node, int]] | None:
        told = workers(runtime)
        nodes = {node.address: node for node in cluster.nodes}
        if len(told) != 2 or {machine for machine, _ in told} != nodes.keys():
            change(runtime, Random())  # they tell when they have done something
            return None
        pids = [(nodes[machine], here(nodes[machine], process)) for machine, process in told]
        return [(node, pid) for node, pid in pids if pid is not None] if all(p for _, p in pids) else None

    return runtime.eventually(found, BACK_WITHIN_S)  # type: ignore[return-value]


def here(node: Node, process: int) -> int | None:
    """The number that a process of the machine has on this one."""
    for pid in node.processes():
        with suppress(OSError):
            (line,) = (
                line
                for line in Path(f"/proc/{pid}/status").read_text().splitlines()
                if line.startswith("NSpid:")
            )
            if int(line.split()[-1]) == process:
                return pid
    return None


def test_there_is_a_worker_on_each_machine(cluster: Cluster, runtime: Runtime) -> None:
    check(runtime)
    (one, _), (other, _) = both(cluster, runtime)
    assert one is not other


def test_a_member_on_the_other_machine_is_killed(cluster: Cluster, runtime: Runtime) -> None:
    random = Random(1)
    _, (_, member) = both(cluster, runtime)
    os.kill(member, signal.SIGKILL)
    change(runtime, random)
    check(runtime)
    assert both(cluster, runtime)[1][1] != member


def test_executors_are_killed(cluster: Cluster, runtime: Runtime) -> None:
    """That of the leader, and that of the other."""
    random = Random(2)
    for number in (0, 1):
        node, _ = both(cluster, runtime)[number]
        for pid in executors(node):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        change(runtime, random)
        check(runtime)


def test_a_link_between_them_is_cut(cluster: Cluster, runtime: Runtime) -> None:
    """Nobody is told: the workers fall silent for each other."""
    random = Random(3)
    _, (node, member) = both(cluster, runtime)
    node.cut()
    try:
        change(runtime, random)
        Event().wait(CUT_S)
    finally:
        node.mend()
    change(runtime, random)
    check(runtime)
    assert both(cluster, runtime)[1][1] != member


def test_a_machine_is_replaced(cluster: Cluster, runtime: Runtime) -> None:
    """The other one, and then the leader's: by one with empty folders."""
    random = Random(4)
    for number in (1, 0):
        node, _ = both(cluster, runtime)[number]
        cluster.network.lose(node)
        change(runtime, random)
        cluster.complete()
        check(runtime)
        both(cluster, runtime)


def test_a_step_over_a_slow_link(cluster: Cluster, runtime: Runtime) -> None:
    """Of the leader, as it says, between two workers with 1 ms each way: what that adds is some round trips, however slow the machine is."""
    _, (node, _) = both(cluster, runtime)
    at_once = min(step_ms(runtime, number) for number in range(ROUNDS))
    try:
        node.delay(DELAY_MS)
    except NotPermitted as reason:
        pytest.skip(f"{REASON}: {reason}")
    try:
        delayed = min(step_ms(runtime, ROUNDS + number) for number in range(ROUNDS))
        assert delayed - at_once < MOST_ROUND_TRIPS * 2 * DELAY_MS, (at_once, delayed)
    finally:
        node.undelay()
    check(runtime)


def step_ms(runtime: Runtime, number: int) -> float:
    """The mean of STEPS steps of 100 rows; each `number` has rows of its own."""
    query = (
        "SELECT w.steps, w.busy_seconds + w.waiting_seconds FROM mz_internal.mz_dataflow_workers w"
        " JOIN mz_catalog.mz_objects o ON o.id = w.object_id WHERE o.name = 'w2' AND w.worker_id = 0"
    )
    ((steps, seconds),) = runtime.eventually(lambda: runtime.run(query), BACK_WITHIN_S)
    for at in range(STEPS):
        first = 2_000_000_000 - (number * STEPS + at) * 100
        runtime.run(
            f"INSERT INTO orders SELECT {first} - i, i * 10, i FROM generate_series(0, 99) AS i",
            "SELECT count(*) FROM w2",  # which waits for the step
        )

    def later(before: int = steps) -> tuple[int, float] | None:
        told = runtime.run(query)
        return (int(told[0][0]), float(told[0][1])) if told and told[0][0] >= before + STEPS else None

    now, took = runtime.eventually(later, BACK_WITHIN_S)  # type: ignore[misc]
    return (took - seconds) / (now - steps) * 1e3


def test_one_machine_for_all_and_back(cluster: Cluster, runtime: Runtime) -> None:
    """From the checkpoint, each time."""
    random = Random(6)
    runtime.run("ALTER CLUSTER spread RESET (WORKERS PER MACHINE)")
    change(runtime, random)
    check(runtime)

    def together() -> bool:
        change(runtime, random)
        told = workers(runtime)
        return len(told) == 2 and len({machine for machine, _ in told}) == 1

    runtime.eventually(together, BACK_WITHIN_S)
    runtime.run("ALTER CLUSTER spread SET (WORKERS 3, WORKERS PER MACHINE 2)")
    change(runtime, random)
    check(runtime)

    def apart() -> bool:
        change(runtime, random)
        machines = [machine for machine, _ in workers(runtime)]
        return len(machines) == 3 and machines[0] == machines[1] != machines[2]

    runtime.eventually(apart, BACK_WITHIN_S)
    check(runtime)
