"""Steps of a view in one process and in several, which take equal changes in turns, from the parts in which these are committed to the
parts of the output; and what one level more costs.

Of two cores two workers can use both; more than two show what waiting costs, not what they gain.  One process has a thread for its
steps, and one that merges beside them: with two cores it uses more than one.  So all is measured twice: on all cores, and with a core
for each process, its merges included, which is what a worker more brings on a machine that has a core for it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.merge import merge_worker
from ptvc.compute.partitioned.broadcast import few_of
from ptvc.compute.plan import DataflowPlan
from ptvc.compute.shared_files import MACHINE
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.part import PartRef
from ptvc.replica.workers.member import Start
from ptvc.replica.workers.team import DividedDataflow, Team
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8
from ptvc.sql.catalog.catalog_view import PlanContext
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import plan
from ptvc.sql.plans.definition_plans import CreateMaterializedView
from ptvc.transform.pipeline import optimize
from rich.table import Table

from ..engine import WrongAnswer, repeats
from ..measure import Latencies, load
from ..report import new_table, shows
from ..workloads import ORDERS, WORKLOADS, Data, Tables, rows_of
from .stored_steps import WRITER, Committed, StoredSteps

DIVIDED = ("W1", "W2", "W2-text", "W3", "W4", "W5", "W6")
IN_TURN = 10
WARM_UP = 3
LEVELS = (1, 2, 3, 4, 5)
LEVEL_ROWS = 1_000
LEVEL_STEPS = 300
REST_LOOK_S = 0.002
WAYS = ("whole", "divided")


@dataclass(frozen=True, slots=True)
class DividedStep:
    """`rows` None: the hydration.  `gain`: the median in one process, as a multiple of that in several.  `core_each`: the threads of a process
    share a core.  `sustained_ms`, in one process and in several: what a step takes when many follow each other, until all their merges are
    done, too; `sustained_gain` is the ratio of these."""

    workload: str
    core_each: bool
    workers: int
    base_rows: int
    rows: int | None
    whole: Latencies
    divided: Latencies
    gain: float
    sustained_ms: tuple[float, float]
    sustained_gain: float
    load_1min: float


@dataclass(frozen=True, slots=True)
class LevelCost:
    """A step of one row through `levels` reductions, each by another key."""

    workers: int
    levels: int
    whole: Latencies
    divided: Latencies
    load_1min: float


def run_divided(
    names: Sequence[str], base_rows: int, sizes: Sequence[int], workers: int, scale: float
) -> list[DividedStep]:
    """Raises WrongAnswer unless both put out the same."""
    results = []
    for core_each in (False, True) if len(os.sched_getaffinity(0)) >= workers else (False,):
        with _team(workers) as (team, blob), _cores([os.getpid(), *team.pids], each=core_each):
            for name in names:
                results += _run(team, blob, name, base_rows, sizes, scale, core_each)
    return results


@contextmanager
def _cores(pids: Sequence[int], *, each: bool) -> Iterator[None]:
    """With a core for each of the processes, or as they are."""
    all_cores = os.sched_getaffinity(0)
    if each:
        for pid, core in zip(pids, sorted(all_cores), strict=False):
            _keep_on(pid, {core})
    try:
        yield
    finally:
        _keep_on(os.getpid(), all_cores)


def _keep_on(pid: int, cores: set[int]) -> None:
    """All threads that the process has; those that these start stay there, too."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), cores)


@contextmanager
def _team(workers: int) -> Iterator[tuple[Team, FileBlob]]:
    with tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder:
        blob = FileBlob(folder)
        with closing(Team(workers, Start(blob, MACHINE, WRITER, {}))) as team:
            yield team, blob


class _Both:
    """A view in one process and in several."""

    def __init__(self, plan: DataflowPlan, team: Team, blob: FileBlob, few: tuple[int, ...] = ()) -> None:
        self.steps = StoredSteps(plan, blob)
        self._whole = Dataflow(plan, 0)
        self._divided = DividedDataflow(team, plan, 0, few=few)
        self.written: dict[str, list[tuple[tuple[PartRef, ...], int]]] = {way: [] for way in WAYS}

    def step(self, way: str, inputs: Committed, time_: int) -> float:
        started = time.perf_counter()
        if way == "whole":
            parts = self.steps.in_one(self._whole, inputs, time_)
        else:
            parts = self.steps.in_several(self._divided, inputs, time_)
        seconds = time.perf_counter() - started
        self.written[way].append((parts, time_))
        return seconds

    def turn(self, way: str, changes: Sequence[Committed], first: int) -> tuple[list[float], float]:
        """Seconds of each step, and of all until what they have left to merge is merged: the other way does not pay for it."""
        started = time.perf_counter()
        taken = [self.step(way, change, first + i) for i, change in enumerate(changes)]
        self.settle(way)
        return taken, time.perf_counter() - started

    def settle(self, way: str) -> None:
        merge_worker().drain()
        while way == "divided" and not self._at_rest():
            time.sleep(REST_LOOK_S)

    def _at_rest(self) -> bool:
        self._divided.statistics_of_all()
        return self._divided.at_rest

    def check(self, what: str) -> None:
        for whole, divided in zip(*self.written.values(), strict=True):
            if updates_of_batch(self.steps.output(*whole)) != updates_of_batch(self.steps.output(*divided)):
                raise WrongAnswer(what)
        for written in self.written.values():
            written.clear()

    def close(self) -> None:
        self._divided.close()


def updates_of_batch(batch: Batch) -> set[tuple[object, ...]]:
    return rows_of([*batch.columns, pa.array(batch.times), pa.array(batch.diffs)])


def _run(
    team: Team,
    blob: FileBlob,
    name: str,
    base_rows: int,
    sizes: Sequence[int],
    scale: float,
    core_each: bool,
) -> list[DividedStep]:
    workload = WORKLOADS[name]
    data = Data(workload, base_rows)
    results = []
    plan, rows_of_base = workload.plan(), data.base(0)
    few = few_of([len(rows_of_base[id_]) for id_ in plan.imports])
    with closing(_Both(plan, team, blob, few)) as both:
        base = both.steps.committed(rows_of_base, passing=False)
        turns = {way: both.turn(way, [base], 0) for way in WAYS}
        both.check(f"{name}, hydrated")
        took = {way: Latencies.of(seconds) for way, (seconds, _) in turns.items()}
        sustained = {way: whole for way, (_, whole) in turns.items()}
        results.append(_result(name, core_each, team, base_rows, None, took, sustained))
        at = 0
        for rows in (size for size in sizes if size <= base_rows):
            taken: dict[str, list[float]] = {way: [] for way in WAYS}
            spent = dict.fromkeys(WAYS, 0.0)
            count = repeats(rows, scale) + WARM_UP
            while len(taken["whole"]) < count:
                changes = [
                    both.steps.committed({ORDERS: data.change(rows, at + i + 1)})
                    for i in range(min(IN_TURN, count - len(taken["whole"])))
                ]
                for way, seconds in taken.items():
                    of_each, of_all = both.turn(way, changes, at + 1)
                    seconds += of_each
                    spent[way] += of_all
                at += len(changes)
                both.check(f"{name}, {rows} rows")
            of_size = {way: Latencies.of(seconds[WARM_UP:]) for way, seconds in taken.items()}
            sustained = {way: seconds / len(taken[way]) for way, seconds in spent.items()}
            results.append(_result(name, core_each, team, base_rows, rows, of_size, sustained))
    return results


def _result(
    name: str,
    core_each: bool,
    team: Team,
    base_rows: int,
    rows: int | None,
    took: Mapping[str, Latencies],
    sustained: Mapping[str, float],
) -> DividedStep:
    whole, divided = (took[way] for way in WAYS)
    ours, theirs = (round(sustained[way] * 1e3, 3) for way in WAYS)
    return DividedStep(
        name,
        core_each,
        team.workers,
        base_rows,
        rows,
        whole,
        divided,
        whole.median_ms / divided.median_ms,
        (ours, theirs),
        ours / theirs,
        load(),
    )


def run_levels(workers: int, scale: float) -> list[LevelCost]:
    results = []
    with _team(workers) as (team, blob):
        for levels in LEVELS:
            with closing(_Both(_chain(levels), team, blob)) as both:
                results.append(_measured(both, workers, levels, max(int(LEVEL_STEPS * scale), 4)))
    return results


def _measured(both: _Both, workers: int, levels: int, count: int) -> LevelCost:
    def one(value: int, at: int) -> Committed:
        row = Batch((pa.array([value]),), np.full(1, at, np.uint64), np.ones(1, np.int64))
        return both.steps.committed({ORDERS: row})

    values = np.arange(LEVEL_ROWS)
    rows = Batch((pa.array(values),), np.zeros(LEVEL_ROWS, np.uint64), np.ones(LEVEL_ROWS, np.int64))
    base = both.steps.committed({ORDERS: rows})
    steps = [one(LEVEL_ROWS + at, at) for at in range(1, count)]
    taken: dict[str, list[float]] = {}
    for way in WAYS:
        both.step(way, base, 0)
        taken[way] = [both.step(way, given, at) for at, given in enumerate(steps, 1)][WARM_UP:]
    both.check(f"{levels} levels")
    return LevelCost(workers, levels, Latencies.of(taken["whole"]), Latencies.of(taken["divided"]), load())


def _chain(levels: int) -> DataflowPlan:
    """Reductions over each other, each by an expression, so that rows move before each but the first... and before that one, too."""
    query = "SELECT a % 500 AS k, count(*) AS n FROM t GROUP BY 1"
    for level in range(1, levels):
        query = f"SELECT (k + n) % {500 - level} AS k, count(*) AS n FROM ({query}) AS s{level} GROUP BY 1"
    catalog = Tables({"t": (ORDERS, Schema((Column("a", INT8, False),)))})
    context = PlanContext(catalog, ("public",), "ptvc", "ptvc", "quickstart", 0, "pg_temp_1", {})
    (statement,) = parse(f"CREATE MATERIALIZED VIEW v AS {query}")
    planned = plan(statement, context)
    assert isinstance(planned, CreateMaterializedView)
    return lower(optimize(planned.relation))


@shows(DividedStep)
def _divided_table(results: list[DividedStep]) -> Table:
    table = new_table(
        "Steps in one process, and divided (milliseconds: least, median; sustained, merges included; gains are ratios; taken in turns)",
        *(
            "workload",
            "cores",
            "workers",
            "base",
            "change",
            "one process",
            "",
            "divided",
            "",
            "p99",
            "gain",
            "load",
        ),
    )
    for r in results:
        table.add_row(
            r.workload,
            "one each" if r.core_each else "all",
            str(r.workers),
            f"{r.base_rows:,}",
            "hydration" if r.rows is None else f"{r.rows:,}",
            f"{r.whole.least_ms:.2f}",
            f"{r.whole.median_ms:.2f}",
            f"{r.divided.least_ms:.2f}",
            f"{r.divided.median_ms:.2f}",
            f"{r.divided.p99_ms:.2f}",
            f"{r.gain:.2f}",
            *(f"{ms:.2f}" for ms in r.sustained_ms),
            f"{r.sustained_gain:.2f}",
            f"{r.load_1min:.1f}",
        )
    return table


@shows(LevelCost)
def _levels_table(results: list[LevelCost]) -> Table:
    table = new_table(
        "A step of one row through reductions by other keys (microseconds: least, median)",
        *("workers", "levels", "one process", "", "divided", "", "p99", "load"),
    )
    for r in results:
        times = (
            r.whole.least_ms,
            r.whole.median_ms,
            r.divided.least_ms,
            r.divided.median_ms,
            r.divided.p99_ms,
        )
        table.add_row(
            str(r.workers), str(r.levels), *(f"{t * 1e3:,.0f}" for t in times), f"{r.load_1min:.1f}"
        )
    return table
