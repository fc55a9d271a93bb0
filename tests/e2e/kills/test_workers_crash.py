"""A cluster of several workers as its user has it: a resident Spark task and its children, any of which may be killed."""

from __future__ import annotations

import os
import signal
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from ..conftest import running
from ..runtime_process import Runtime, alive

pytestmark = pytest.mark.slow

VIEWS = {
    "by_segment": "SELECT c.segment, count(*) AS n, sum(o.amount) AS total FROM orders o"
    " JOIN customers c ON o.customer = c.customer GROUP BY c.segment",
    "largest": "SELECT customer, max(amount) AS most FROM orders GROUP BY customer",
    "frequent": "SELECT n, count(*) AS customers FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer)"
    " AS counted GROUP BY n",
}


def resident(runtime: Runtime) -> int:
    """The process of the cluster's replica, once it is there."""
    query = (
        "SELECT s.process_id FROM mz_internal.mz_cluster_replica_statuses s"
        " JOIN mz_catalog.mz_cluster_replicas r ON r.id = s.replica_id"
        " JOIN mz_catalog.mz_clusters c ON c.id = r.cluster_id WHERE c.name = 'divided' AND s.status = 'online'"
    )
    return int(runtime.eventually(lambda: runtime.run(query))[0][0])


def members(leader: int) -> set[int]:
    """The processes that it leads: those forked from its fork server, but for query workers, which are the first to go where memory
    is short."""
    parents = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                stat = (path / "stat").read_text().rpartition(")")[2].split()
                first_to_go = (path / "oom_score_adj").read_text().strip() == "1000"
            except OSError:
                continue
            if not first_to_go and stat[0] not in "ZX":
                parents[int(path.name)] = int(stat[1])
    servers = {pid for pid, parent in parents.items() if parent == leader}
    return {pid for pid, parent in parents.items() if parent in servers}


def told(runtime: Runtime) -> set[int]:
    """The workers that have done anything for a view or the index, as relations say; each has a part of every one."""
    query = (
        "SELECT p.process_id, count(*) FROM mz_internal.mz_cluster_replica_workers p"
        " JOIN mz_internal.mz_dataflow_workers w ON w.replica_id = p.replica_id AND w.worker_id = p.worker_id"
        " WHERE p.process_id = w.process_id AND p.cpu_seconds > 0 AND p.memory_bytes > 0 AND p.bytes_sent > 0"
        " AND w.busy_seconds > 0 AND w.state_rows > 0 GROUP BY p.process_id"
    )
    return {int(process) for process, views in runtime.run(query) if int(views) == len(VIEWS) + 1}


def check(runtime: Runtime) -> bool:
    """Compares once all views are as far as the tables."""
    for name, query in VIEWS.items():
        found, expected = (Counter(runtime.run(text)) for text in (f"SELECT * FROM {name}", query))
        assert found == expected, name
    for customer in range(0, 1_000, 97):
        query = "SELECT id, amount FROM orders WHERE customer"
        looked_up = Counter(runtime.run("SET cluster = divided", f"{query} = {customer}"))
        assert looked_up == Counter(runtime.run(f"{query} + 0 = {customer}")), customer
    return True


def test_views_go_on_when_workers_and_their_leader_are_killed() -> None:
    random = Random(1)
    with running() as runtime:
        runtime.run(
            "CREATE CLUSTER divided (WORKERS 3)",
            "CREATE TABLE orders (id int, customer int, amount int)",
            "CREATE TABLE customers (customer int, segment text)",
            "INSERT INTO customers SELECT i, 'segment ' || i % 7 FROM generate_series(0, 999) AS i",
            "INSERT INTO orders SELECT i, i * 7919 % 1000, i % 100 FROM generate_series(0, 99999) AS i",
            *(
                f"CREATE MATERIALIZED VIEW {name} IN CLUSTER divided AS {query}"
                for name, query in VIEWS.items()
            ),
            "CREATE INDEX by_customer IN CLUSTER divided ON orders (customer)",
        )
        runtime.eventually(lambda: check(runtime))
        for kill in ("member", "leader", "member", None):
            leader = resident(runtime)
            led = runtime.eventually(lambda leader=leader: members(leader))  # type: ignore[misc]
            assert len(led) == 2
            runtime.eventually(lambda all_=led | {leader}: told(runtime) == all_)  # type: ignore[misc]
            if kill is not None:
                os.kill(random.choice(sorted(led)) if kill == "member" else leader, signal.SIGKILL)
            first = random.randrange(1_000_000)
            runtime.run(
                f"INSERT INTO orders SELECT {first} + i, i, i % 13 FROM generate_series(0, 499) AS i",
                f"DELETE FROM orders WHERE id % 17 = {first % 17}",
            )
            runtime.eventually(lambda: check(runtime))
            if kill is not None:
                runtime.eventually(lambda led=led: not alive(led))  # type: ignore[misc]
