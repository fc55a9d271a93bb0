"""Steps at the engine: latency of changes of 1 to 100,000 rows, in this process and in a resident task.

The runtime's dataflow and the bare reference take their steps in turns, some of one and then some of the other, on
equal changes, so the ratio of their medians is not that of two moments of the machine.  Every answer is checked
against a recomputation.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ptvc.compute.spark.application import Application
from ptvc.compute.spark.session import application_context, local_master
from ptvc.repr.batch import Batch, concat_batches, from_ipc
from ptvc.repr.consolidate import consolidate
from rich.table import Table

from .duck import DuckView
from .measure import Latencies, load
from .report import ms, new_table, shows, three
from .subjects import HYDRATION_TIME, InProcess, Resident, Subject, output_schema
from .workloads import WORKLOADS, Data, Rows, Workload, answer, rows_of

IN_TURN = 10
"""Steps of one subject before the other has its turn."""

WARM_UP = 3
"""Steps of every size that are not measured."""

REPEATS = {1: 200, 100: 200, 10_000: 40, 100_000: 10}
"""Steps by size of the change; a size in between takes the next larger one's."""

RESIDENTS = 2


@dataclass(frozen=True, slots=True)
class StepResult:
    """One size of change.  `against_reference`: ratio of medians; None where there is no reference."""

    workload: str
    place: str
    base_rows: int
    change_rows: int
    engine: Latencies
    reference: Latencies | None
    against_reference: float | None
    duckdb: Latencies | None
    load_1min: float


@dataclass(frozen=True, slots=True)
class HydrationResult:
    """Seconds and MiB of resident memory that the view took, beside the size of its input in Arrow."""

    workload: str
    place: str
    base_rows: int
    seconds: float
    reference_seconds: float | None
    input_mib: float
    memory_mib: float
    peak_mib: float


class WrongAnswer(Exception):
    """A maintained view is not what a recomputation says."""


@contextmanager
def application() -> Iterator[Application]:
    """Spark as the runtime's driver starts it, with slots for two resident tasks."""
    root = str(Path(__file__).parents[1])
    old = os.environ.get("PYTHONPATH")
    # Workers import this package as well as the runtime.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (root, old)))
    try:
        with tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder:
            app = Application(application_context(local_master(RESIDENTS), "1g", Path(folder)), Path(folder))
            try:
                yield app
            finally:
                app.stop()
    finally:
        if old is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = old


def repeats(rows: int, scale: float) -> int:
    """How many steps of this size are measured."""
    count = next((REPEATS[size] for size in sorted(REPEATS) if rows <= size), 10)
    return max(int(count * scale), 4)


def run_in_process(workload: Workload, base_rows: int, sizes: Sequence[int], scale: float) -> Run:
    """Both subjects in this process."""
    run = Run("process", workload, base_rows, lambda kind: InProcess(kind, workload, base_rows))
    run.measure(sizes, scale)
    return run


def run_resident(
    app: Application, workload: Workload, base_rows: int, sizes: Sequence[int], scale: float
) -> Run:
    """Both subjects in resident tasks of their own."""
    tasks: list[Resident] = []

    def start(kind: str) -> Subject:
        tasks.append(Resident(app, kind, workload, base_rows))
        return tasks[-1]

    try:
        run = Run("resident", workload, base_rows, start)
        run.measure(sizes, scale)
    finally:
        for task in tasks:
            task.close()
    return run


class Run:
    """One workload over one base: subjects that take equal changes in turns, and what came out."""

    def __init__(
        self, place: str, workload: Workload, base_rows: int, start: Callable[[str], Subject]
    ) -> None:
        self.place = place
        self.workload = workload
        self.base_rows = base_rows
        self._runs = {"engine": workload}
        if workload.reference:
            self._runs["reference"] = WORKLOADS[workload.reference]
        self._subjects = {kind: start(kind) for kind in self._runs}
        self._data = Data(workload, base_rows)
        self._outputs = {kind: [from_ipc(s.hydration.output)] for kind, s in self._subjects.items()}
        self._duck = DuckView.if_installed(workload, self._data.tables())
        self._time = HYDRATION_TIME
        self.steps: list[StepResult] = []
        engine = self._subjects["engine"]
        reference = self._subjects.get("reference")
        self.hydration = HydrationResult(
            workload.name,
            place,
            base_rows,
            engine.hydration.seconds,
            reference.hydration.seconds if reference is not None else None,
            engine.hydration.base_mib,
            engine.hydration.memory_mib,
            engine.usage().peak_mib,
        )

    def measure(self, sizes: Sequence[int], scale: float) -> None:
        """Every size of change that the base allows; then the check of the answers."""
        for rows in sizes:
            if rows <= self.base_rows:
                self.steps.append(self._measure(rows, repeats(rows, scale)))
        self.check()

    def _measure(self, rows: int, count: int) -> StepResult:
        taken: dict[str, list[float]] = {kind: [] for kind in self._subjects}
        cpu = dict.fromkeys(self._subjects, 0.0)
        recomputed: list[float] = []
        self._turn(self._changes(rows, WARM_UP), {kind: [] for kind in self._subjects})
        while (left := count - len(taken["engine"])) > 0:
            changes = self._changes(rows, min(left, IN_TURN))
            for kind, seconds in self._turn(changes, taken).items():
                cpu[kind] += seconds
            if self._duck is not None and len(recomputed) < 5:
                recomputed.append(self._duck.recompute())
        latencies = {kind: Latencies.of(taken[kind], cpu[kind]) for kind in self._subjects}
        engine, reference = latencies["engine"], latencies.get("reference")
        ratio = None if reference is None else engine.median_ms / reference.median_ms
        duck = Latencies.of(recomputed) if recomputed else None
        return StepResult(
            self.workload.name, self.place, self.base_rows, rows, engine, reference, ratio, duck, load()
        )

    def _changes(self, rows: int, count: int) -> list[Batch]:
        changes = []
        for _ in range(count):
            self._time += 1
            changes.append(self._data.change(rows, self._time))
        if self._duck is not None:
            self._duck.apply(changes)
        return changes

    def _turn(self, changes: list[Batch], taken: dict[str, list[float]]) -> dict[str, float]:
        """Each subject takes all of `changes`; returns CPU seconds of each."""
        cpu = {}
        for kind, subject in self._subjects.items():
            before = subject.usage().cpu_seconds
            for change in changes:
                started = time.perf_counter()
                output = subject.step(change)
                taken[kind].append(time.perf_counter() - started)
                self._outputs[kind].append(output)
            cpu[kind] = subject.usage().cpu_seconds - before
        return cpu

    def _expected(self, workload: Workload) -> Rows:
        """The answer of a workload over the same orders as this run's."""
        tables = self._data.tables()
        if workload is not self.workload:
            tables = Data(workload, self.base_rows).tables() | {"orders": tables["orders"]}
        return answer(workload, tables)

    def check(self) -> None:
        """Raises WrongAnswer unless every subject's view (and DuckDB's) is what recomputation says."""
        expected = {kind: self._expected(workload) for kind, workload in self._runs.items()}
        for kind, outputs in self._outputs.items():
            whole = concat_batches(output_schema(outputs[0]), outputs)
            view = consolidate(Batch(whole.columns, np.zeros(len(whole), np.uint64), whole.diffs))
            if (view.diffs != 1).any() or rows_of(list(view.columns)) != expected[kind]:
                raise WrongAnswer(
                    f"{self.workload.name} by the {kind} ({self.place}, base {self.base_rows:,})"
                )
        if self._duck is not None and self._duck.rows() != expected["engine"]:
            raise WrongAnswer(f"{self.workload.name} by DuckDB (base {self.base_rows:,})")


@shows(StepResult)
def _steps_table(results: list[StepResult]) -> Table:
    table = new_table(
        "Steps (milliseconds; ratio of medians, taken in turns)",
        *("workload", "where", "base", "change", "median", "p99", "max", "CPU"),
        *("reference", "ratio", "DuckDB anew", "load"),
    )
    for r in results:
        table.add_row(
            r.workload,
            r.place,
            f"{r.base_rows:,}",
            f"{r.change_rows:,}",
            *three(r.engine),
            ms(r.engine.cpu_ms),
            ms(r.reference.median_ms if r.reference else None),
            f"{r.against_reference:.2f}" if r.against_reference is not None else "-",
            ms(r.duckdb.median_ms if r.duckdb else None),
            f"{r.load_1min:.1f}",
        )
    return table


@shows(StepResult)
def _growth_table(results: list[StepResult]) -> Table:
    """How a step of one size grows from the smallest base to the largest one."""
    by_size: dict[tuple[str, str, int], list[StepResult]] = {}
    for r in results:
        by_size.setdefault((r.workload, r.place, r.change_rows), []).append(r)
    table = new_table(
        "Growth with the base (ratio of medians; the reference's own growth beside it)",
        *("workload", "where", "change", "bases", "growth", "reference"),
    )
    for (workload, place, rows), entries in by_size.items():
        low, high = (f(entries, key=lambda r: r.base_rows) for f in (min, max))
        if low.base_rows == high.base_rows:
            continue
        reference = "-"
        if low.reference is not None and high.reference is not None:
            reference = f"{high.reference.median_ms / low.reference.median_ms:.2f}"
        growth = f"{high.engine.median_ms / low.engine.median_ms:.2f}"
        bases = f"{low.base_rows:,} to {high.base_rows:,}"
        table.add_row(workload, place, f"{rows:,}", bases, growth, reference)
    return table


@shows(HydrationResult)
def _hydrations_table(results: list[HydrationResult]) -> Table:
    table = new_table(
        "Hydration at the engine",
        *("workload", "where", "base", "seconds", "reference s", "input MiB", "memory MiB", "peak MiB"),
    )
    for r in results:
        reference = "-" if r.reference_seconds is None else f"{r.reference_seconds:.2f}"
        table.add_row(
            *(r.workload, r.place, f"{r.base_rows:,}", f"{r.seconds:.2f}", reference),
            *(f"{r.input_mib:,.0f}", f"{r.memory_mib:,.0f}", f"{r.peak_mib:,.0f}"),
        )
    return table
