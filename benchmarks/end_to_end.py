"""End to end through pgwire: how long after an INSERT is acknowledged a dependent view shows it.

The view is over a table with rows in it, the runtime idle but for this one client.  After each acknowledged INSERT the
client reads the view; under strict serializable isolation (the default) the first read must show the row, which is
checked.  The same is measured for a view that has an index, which answers from the replica's memory.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import psycopg
from rich.table import Table

from .hydration import await_hydrated, copy_in
from .measure import Latencies, load
from .report import ms, new_table, shows, three
from .runtime import ServedRuntime, served
from .workloads import WORKLOADS, Data

WARM_UP = 10
NEW_CUSTOMER = 1_000_000_000


@dataclass(frozen=True, slots=True)
class EndToEndResult:
    """`insert`: sent to acknowledged.  `visible`: acknowledged to the row in the client's hands.  `whole`: both.

    `cpu_ms_each`: CPU time of all processes of the runtime per INSERT and read; `load_1min` the load average.
    """

    read: str
    base_rows: int
    insert: Latencies
    visible: Latencies
    whole: Latencies
    cpu_ms_each: float
    load_1min: float


class NotVisible(Exception):
    """A read after an acknowledged write did not show it."""


def run_end_to_end(base_rows: int, count: int) -> list[EndToEndResult]:
    """W1's view over a base of `base_rows`, `count` inserts for each kind of read."""
    workload = WORKLOADS["W1"]
    with served() as runtime, runtime.connect() as connection:
        copy_in(connection, Data(workload, base_rows).tables())
        connection.execute(f"CREATE MATERIALIZED VIEW totals AS {workload.query}")
        await_hydrated(connection, "totals")
        results = [_measure(runtime, connection, "view", base_rows, count, NEW_CUSTOMER)]
        connection.execute("CREATE INDEX totals_by_customer ON totals (customer)")
        await_hydrated(connection, "totals_by_customer")
        results.append(_measure(runtime, connection, "index", base_rows, count, 2 * NEW_CUSTOMER))
        return results


def _measure(
    runtime: ServedRuntime,
    connection: psycopg.Connection[tuple[Any, ...]],
    read: str,
    base_rows: int,
    count: int,
    first: int,
) -> EndToEndResult:
    inserts, visibles, wholes = [], [], []
    cpu = 0.0
    for i in range(-WARM_UP, count):
        if i == 0:
            cpu = runtime.cpu_seconds()
        key = first + i
        started = time.perf_counter()
        connection.execute(f"INSERT INTO orders VALUES ({key}, {key}, 7)")
        acknowledged = time.perf_counter()
        rows = connection.execute(f"SELECT orders, total FROM totals WHERE customer = {key}").fetchall()
        seen = time.perf_counter()
        if rows != [(1, 7)]:
            raise NotVisible(f"customer {key} is {rows} after its acknowledged INSERT")
        if i >= 0:
            inserts.append(acknowledged - started)
            visibles.append(seen - acknowledged)
            wholes.append(seen - started)
    cpu = runtime.cpu_seconds() - cpu
    return EndToEndResult(
        read,
        base_rows,
        Latencies.of(inserts),
        Latencies.of(visibles),
        Latencies.of(wholes),
        cpu * 1e3 / count,
        load(),
    )


@shows(EndToEndResult)
def _end_to_end_table(results: list[EndToEndResult]) -> Table:
    table = new_table(
        "INSERT to visible in a view, through pgwire (milliseconds)",
        *("read", "base", "", "median", "p99", "max", "CPU each", "load"),
    )
    for r in results:
        for name, latencies in (("insert", r.insert), ("visible", r.visible), ("whole", r.whole)):
            table.add_row(
                *(r.read, f"{r.base_rows:,}", name),
                *three(latencies),
                ms(r.cpu_ms_each),
                f"{r.load_1min:.1f}",
            )
    return table
