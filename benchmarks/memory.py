"""Resident memory of a resident task while steps follow each other without a pause, as a multiple of its input.

base ── hydrate ──> task ── steps of one size ──> samples of its resident memory ──> median, most, at rest afterwards
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from ptvc.compute.spark.application import Application
from rich.table import Table

from .engine import repeats
from .measure import load, resident_mib
from .report import new_table, shows
from .subjects import HYDRATION_TIME, Resident
from .workloads import Data, Workload

SAMPLE_S = 0.005
REST_S = 3.0
"""Longer than merges take to come to rest, after which allocators hand back what they keep."""


@dataclass(frozen=True, slots=True)
class MemoryResult:
    """MiB that the process has beyond what it had before hydration; the input is that of the base, in Arrow.

    `change_rows` 0 is hydration, of which only the rest is known: the input itself is there meanwhile.
    """

    workload: str
    base_rows: int
    change_rows: int
    input_mib: float
    median_mib: float | None
    peak_mib: float | None
    rest_mib: float
    load_1min: float


def run_memory(
    app: Application, workload: Workload, base_rows: int, sizes: Sequence[int], scale: float
) -> list[MemoryResult]:
    """Hydration, and then steps of each size, in one task."""
    task = Resident(app, "engine", workload, base_rows)
    try:
        usage = task.usage()
        before = usage.resident_mib - task.hydration.memory_mib
        input_mib = task.hydration.base_mib
        rest = task.hydration.memory_mib
        results = [MemoryResult(workload.name, base_rows, 0, input_mib, None, None, rest, load())]
        data, step = Data(workload, base_rows), HYDRATION_TIME
        for rows in sizes:
            changes = []
            for _ in range(repeats(rows, scale)):
                step += 1
                changes.append(data.change(rows, step))
            with _Samples(usage.pid) as samples:
                for change in changes:
                    task.step(change)
            time.sleep(REST_S)
            taken = np.asarray(samples.mib) - before
            figures = (float(np.median(taken)), float(taken.max()), task.usage().resident_mib - before)
            results.append(MemoryResult(workload.name, base_rows, rows, input_mib, *figures, load()))
        return results
    finally:
        task.close()


class _Samples:
    """Resident memory of a process, every few milliseconds, by a thread of this one."""

    def __init__(self, pid: int) -> None:
        self.mib: list[float] = []
        self._pid = pid
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._take, name="memory samples", daemon=True)

    def __enter__(self) -> _Samples:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _take(self) -> None:
        while True:
            self.mib.append(resident_mib(self._pid))
            if self._ended.wait(SAMPLE_S):
                return


@shows(MemoryResult)
def _memory_table(results: list[MemoryResult]) -> Table:
    table = new_table(
        "Resident memory, as a multiple of the input in Arrow",
        *("workload", "base", "input MiB", "change", "median", "most", "at rest", "load"),
    )
    for r in results:
        while_stepping = (_times(mib, r.input_mib) for mib in (r.median_mib, r.peak_mib))
        table.add_row(
            *(r.workload, f"{r.base_rows:,}", f"{r.input_mib:,.0f}"),
            f"{r.change_rows:,}" if r.change_rows else "hydration",
            *(*while_stepping, _times(r.rest_mib, r.input_mib), f"{r.load_1min:.1f}"),
        )
    return table


def _times(mib: float | None, input_mib: float) -> str:
    return "-" if mib is None else f"{mib / input_mib:.2f}x"
