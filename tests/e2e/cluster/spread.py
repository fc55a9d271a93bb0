"""A replica whose workers are on two machines, and its views."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from servers.namespaces import Node

from ..runtime_process import Runtime
from .views import await_views

if TYPE_CHECKING:
    from .conftest import Cluster

BACK_WITHIN_S = 240.0
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
_WORKERS = (
    "SELECT w.machine, w.process_id FROM mz_internal.mz_cluster_replica_workers w"
    " JOIN mz_catalog.mz_cluster_replicas r ON r.id = w.replica_id"
    " JOIN mz_catalog.mz_clusters c ON c.id = r.cluster_id WHERE c.name = 'spread' ORDER BY w.worker_id"
)


@dataclass(frozen=True)
class Spread:
    """Cluster `spread` of a runtime, of two workers at first, with a machine for each; VIEWS and `w2` are in it."""

    cluster: Cluster
    """Of Spark."""
    runtime: Runtime

    def check(self) -> None:
        await_views(self.runtime, VIEWS, BACK_WITHIN_S)

    def change(self, random: Random) -> None:
        first = random.randrange(100_000, 1_000_000_000)
        self.runtime.run(
            f"INSERT INTO orders SELECT {first} + i, i, i % 13 FROM generate_series(0, 499) AS i",
        )

    def workers(self) -> list[tuple[str, int]]:
        """The machine of each worker, and its process there, as relations say; none while the replica is away."""
        return [(machine, int(process)) for machine, process in self.runtime.run(_WORKERS)]

    def both(self) -> list[tuple[Node, int]]:
        """The machine of each of the two workers, and its process as it is here, once they are on two machines."""

        def found() -> list[tuple[Node, int]] | None:
            told = self.workers()
            nodes = {node.address: node for node in self.cluster.nodes}
            if len(told) != 2 or {machine for machine, _ in told} != nodes.keys():
                self.change(Random())  # they tell when they have done something
                return None
            pids = [(nodes[machine], _here(nodes[machine], process)) for machine, process in told]
            return [(node, pid) for node, pid in pids if pid is not None] if all(p for _, p in pids) else None

        return self.runtime.eventually(found, BACK_WITHIN_S)  # type: ignore[return-value]


@contextmanager
def running(cluster: Cluster) -> Iterator[Spread]:
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
        yield Spread(cluster, runtime)


def _here(node: Node, process: int) -> int | None:
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
