"""Back in step: the worker of a replica is killed, and a read waits for what was written after its death.

```
COPY ── view and index hydrated, checkpoints written ── change ── kill -9 ── INSERT ── SELECT of its key from the view
                                                                  └──────────── what is measured ────────────┘
```

Spark stays up; what a new worker has to do is to open the state of the last checkpoint and to read what its inputs were
told since.  The view is W2's and the orders have an index: over a base of n rows both arrange about n.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from statistics import median
from typing import Any

import psycopg
from ptvc.config import Settings
from rich.table import Table

from .hydration import await_hydrated, copy_in
from .measure import load
from .report import new_table, shows
from .runtime import RuntimeFailed, await_true, served
from .workloads import WORKLOADS, Data

TAIL_ROWS = 1_000
"""Changed between the last checkpoint and the death."""

NEW_CUSTOMER = -1


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """`seconds`, one of each death: killed to the row in the client's hands."""

    base_rows: int
    seconds: tuple[float, ...]
    load_1min: float


def run_recovery(base_rows: int, deaths: int) -> RecoveryResult:
    workload = WORKLOADS["W2"]
    # However few rows a trial has, there are checkpoints.
    settings = [f"checkpoint_rows={min(base_rows, Settings().checkpoint_rows)}"]
    with served(settings) as runtime, runtime.connect() as connection:
        copy_in(connection, Data(workload, base_rows).tables())
        connection.execute(f"INSERT INTO customers VALUES ({NEW_CUSTOMER}, 'new')")
        connection.execute("CREATE INDEX orders_by_id ON orders (order_id)")
        connection.execute(f"CREATE MATERIALIZED VIEW totals AS {workload.query}")
        for name in ("orders_by_id", "totals"):
            await_hydrated(connection, name)
        await_true(lambda: _saved(connection), "there are checkpoints")
        seconds = tuple(_death(connection, base_rows, number) for number in range(1, deaths + 1))
        return RecoveryResult(base_rows, seconds, load())


def _saved(connection: psycopg.Connection[tuple[Any, ...]]) -> bool:
    rows = connection.execute("SELECT checkpoint_frontier FROM mz_internal.mz_dataflow_state").fetchall()
    return len(rows) >= 2 and all(frontier is not None for (frontier,) in rows)


def _death(connection: psycopg.Connection[tuple[Any, ...]], base_rows: int, number: int) -> float:
    connection.execute(f"UPDATE orders SET amount = amount + 1 WHERE order_id % {base_rows // TAIL_ROWS} = 0")
    started = time.perf_counter()
    os.kill(_worker(connection), signal.SIGKILL)
    connection.execute(f"INSERT INTO orders VALUES ({-number}, {NEW_CUSTOMER}, 5)")
    query = f"SELECT orders, total FROM totals WHERE customer = {NEW_CUSTOMER}"
    [(orders, total)] = connection.execute(query).fetchall()
    seconds = time.perf_counter() - started
    if (orders, total) != (number, 5 * number):
        raise RuntimeFailed(f"the view says {orders} orders of {total}, not {number} of {5 * number}")
    return seconds


def _worker(connection: psycopg.Connection[tuple[Any, ...]]) -> int:
    found: list[tuple[Any, ...]] = []

    def online() -> bool:
        found[:] = connection.execute(
            "SELECT process_id FROM mz_internal.mz_cluster_replica_statuses WHERE status = 'online'"
        ).fetchall()
        return bool(found)

    await_true(online, "the worker is online")
    return int(found[0][0])


@shows(RecoveryResult)
def _recoveries_table(results: list[RecoveryResult]) -> Table:
    table = new_table(
        "A worker's death to the next row in the view (seconds)", "base", "deaths", "median", "most", "load"
    )
    for r in results:
        table.add_row(
            f"{r.base_rows:,}",
            str(len(r.seconds)),
            f"{median(r.seconds):.2f}",
            f"{max(r.seconds):.2f}",
            f"{r.load_1min:.1f}",
        )
    return table
