"""A transaction, and a read of the view after it, with a view of one process and one of several: two runtimes, which take equal changes in turns."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from rich.table import Table

from ..hydration import await_hydrated
from ..measure import Latencies, load
from ..report import new_table, shows
from ..runtime import RuntimeFailed, served
from ..transactions import REPEATS, fill, int_or_same, transaction
from ..workloads import WORKLOADS, Data, Workload, answer

WARM_UP = 3


@dataclass(frozen=True, slots=True)
class ServedStep:
    """From BEGIN to the view's row in the client's hands.  `ratio`: the median with several workers, as a multiple of that with one."""

    workload: str
    workers: int
    base_rows: int
    rows: int
    one: Latencies
    several: Latencies
    ratio: float
    load_1min: float


def run_through_runtime(
    names: Sequence[str], base_rows: int, sizes: Sequence[int], workers: int, scale: float
) -> list[ServedStep]:
    """Raises RuntimeFailed unless both views are what recomputation says."""
    return [step for name in names for step in _run(WORKLOADS[name], base_rows, sizes, workers, scale)]


def _run(
    workload: Workload, base_rows: int, sizes: Sequence[int], workers: int, scale: float
) -> list[ServedStep]:
    data, results = Data(workload, base_rows), []
    with served() as one, served() as several, one.connect() as first, several.connect() as second:
        second.execute(f"CREATE CLUSTER several (WORKERS = {workers})")
        second.execute("SET cluster = several")
        for connection in (first, second):
            fill(connection, data)
            connection.execute(f"CREATE MATERIALIZED VIEW totals AS {workload.query}")  # type: ignore[arg-type]
            await_hydrated(connection, "totals")
        cursor = first.execute("SELECT * FROM totals LIMIT 0")
        key = cursor.description[0].name  # type: ignore[index]
        keys = [found for (found,) in first.execute(f"SELECT {key} FROM totals").fetchall()]  # type: ignore[arg-type]
        for rows in (size for size in sizes if size <= base_rows):
            taken: tuple[list[float], list[float]] = ([], [])
            for i in range(WARM_UP + max(int(REPEATS.get(rows, 12) * scale), 4)):
                commit = transaction(workload, data.change(rows, 0))
                for connection, seconds in zip((first, second), taken, strict=True):
                    started = time.perf_counter()
                    commit(connection)
                    connection.execute(
                        f"SELECT * FROM totals WHERE {key} = %s", (keys[i % len(keys)],)
                    ).fetchall()  # type: ignore[arg-type]
                    seconds.append(time.perf_counter() - started)
            ours, theirs = (Latencies.of(seconds[WARM_UP:]) for seconds in taken)
            ratio = theirs.median_ms / ours.median_ms
            results.append(ServedStep(workload.name, workers, base_rows, rows, ours, theirs, ratio, load()))
        for connection in (first, second):
            _check(connection, workload, data)
    return results


def _check(connection: psycopg.Connection[tuple[Any, ...]], workload: Workload, data: Data) -> None:
    found = connection.execute("SELECT * FROM totals").fetchall()
    if {tuple(map(int_or_same, row)) for row in found} != answer(workload, data.tables()):
        raise RuntimeFailed(f"{workload.name}: the view is not what recomputation says")


@shows(ServedStep)
def _served_table(results: list[ServedStep]) -> Table:
    table = new_table(
        "A transaction and a read of the view, through pgwire, with one worker and with several (milliseconds; medians, taken in turns)",
        *("workload", "workers", "base", "change", "one", "p99", "several", "p99", "ratio", "load"),
    )
    for r in results:
        table.add_row(
            r.workload,
            str(r.workers),
            f"{r.base_rows:,}",
            f"{r.rows:,}",
            f"{r.one.median_ms:.2f}",
            f"{r.one.p99_ms:.2f}",
            f"{r.several.median_ms:.2f}",
            f"{r.several.p99_ms:.2f}",
            f"{r.ratio:.2f}",
            f"{r.load_1min:.1f}",
        )
    return table
