"""What it costs to keep views that nothing happens to.

Views over one table are created, hydrated and left alone; then the CPU time of the coordinator, the driver and the
replica together is taken over some seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.table import Table

from .hydration import await_hydrated
from .measure import load
from .report import new_table, shows
from .runtime import served

BASE_ROWS = 1_000
SETTLE_S = 20.0
"""Upkeep after the last statement is not idleness."""


@dataclass(frozen=True, slots=True)
class IdleResult:
    """`core_percent`: of one core, by all processes of the runtime; `with_none`: the same before there was a view."""

    views: int
    create_seconds: float
    core_percent: float
    with_none: float
    load_1min: float


def run_idle(views: int, seconds: float) -> IdleResult:
    with served() as runtime, runtime.connect() as connection:
        connection.execute("CREATE TABLE t (k bigint NOT NULL, v bigint NOT NULL)")
        with connection.cursor().copy("COPY t FROM STDIN") as copy:
            copy.write("".join(f"{i}\t{i}\n" for i in range(BASE_ROWS)))
        time.sleep(SETTLE_S)
        with_none = _percent(runtime.cpu_seconds, seconds)
        started = time.perf_counter()
        for i in range(views):
            connection.execute(
                f"CREATE MATERIALIZED VIEW v{i} AS SELECT k % {i + 2} AS g, sum(v) AS s FROM t GROUP BY 1"
            )
        await_hydrated(connection, f"v{views - 1}")
        created = time.perf_counter() - started
        time.sleep(SETTLE_S)
        return IdleResult(views, created, _percent(runtime.cpu_seconds, seconds), with_none, load())


def _percent(cpu_seconds: Callable[[], float], seconds: float) -> float:
    cpu, started = cpu_seconds(), time.perf_counter()
    time.sleep(seconds)
    return 100 * (cpu_seconds() - cpu) / (time.perf_counter() - started)


@shows(IdleResult)
def _idle_table(results: list[IdleResult]) -> Table:
    table = new_table("Idle views", "views", "created in s", "% of a core", "without views", "load")
    for r in results:
        table.add_row(
            f"{r.views:,}",
            f"{r.create_seconds:.1f}",
            f"{r.core_percent:.1f}",
            f"{r.with_none:.1f}",
            f"{r.load_1min:.1f}",
        )
    return table
