"""Steps of a view in one process and in several, which take equal changes in turns, from the parts in which these are committed to the
parts of the output; and what one level more costs.

Of two cores two workers can use both; more than two show what waiting costs, not what they gain.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.merge import merge_worker
from ptvc.compute.plan import DataflowPlan
from ptvc.compute.shared_files import MACHINE
from ptvc.persist.blob.file import FileBlob
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
WAYS = ("whole", "divided")


@dataclass(frozen=True, slots=True)
class DividedStep:
    """`rows` None: the hydration.  `gain`: the median in one process, as a multiple of that in several."""

    workload: str
    workers: int
    base_rows: int
    rows: int | None
    whole: Latencies
    divided: Latencies
    gain: float
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
    with _team(workers) as (team, blob):
        for name in names:
            results += _run(team, blob, name, base_rows, sizes, scale)
    return results


@contextmanager
def _team(workers: int) -> Iterator[tuple[Team, FileBlob]]:
    with tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder:
        blob = FileBlob(folder)
        with closing(Team(workers, Start(blob, MACHINE, WRITER, {}))) as team:
            yield team, blob


class _Both:
    """A view in one process and in several."""

    def __init__(self, plan: DataflowPlan, team: Team, blob: FileBlob) -> None:
        self.steps = StoredSteps(plan, blob)
        self._whole = Dataflow(plan, 0)
        self._divided = DividedDataflow(team, plan, 0)
        self.outputs: dict[str, list[Batch]] = {"whole": [], "divided": []}

    def step(self, way: str, inputs: Committed, time_: int) -> float:
        started = time.perf_counter()
        if way == "whole":
            parts = self.steps.in_one(self._whole, inputs, time_)
        else:
            parts = self.steps.in_several(self._divided, inputs, time_)
        seconds = time.perf_counter() - started
        self.outputs[way].append(self.steps.output(parts, time_))
        return seconds

    def check(self, what: str) -> None:
        for whole, divided in zip(*self.outputs.values(), strict=True):
            if _updates(whole) != _updates(divided):
                raise WrongAnswer(what)
        for outputs in self.outputs.values():
            outputs.clear()

    def close(self) -> None:
        self._divided.close()


def _updates(batch: Batch) -> set[tuple[object, ...]]:
    return rows_of([*batch.columns, pa.array(batch.times), pa.array(batch.diffs)])


def _run(
    team: Team, blob: FileBlob, name: str, base_rows: int, sizes: Sequence[int], scale: float
) -> list[DividedStep]:
    workload = WORKLOADS[name]
    data = Data(workload, base_rows)
    results = []
    with closing(_Both(workload.plan(), team, blob)) as both:
        base = both.steps.committed(data.base(0), passing=False)
        took = {way: Latencies.of([both.step(way, base, 0)]) for way in WAYS}
        both.check(f"{name}, hydrated")
        results.append(_result(name, team, base_rows, None, took))
        merge_worker().drain()
        at = 0
        for rows in (size for size in sizes if size <= base_rows):
            taken: dict[str, list[float]] = {way: [] for way in WAYS}
            count = repeats(rows, scale) + WARM_UP
            while len(taken["whole"]) < count:
                changes = [
                    both.steps.committed({ORDERS: data.change(rows, at + i + 1)})
                    for i in range(min(IN_TURN, count - len(taken["whole"])))
                ]
                for way, seconds in taken.items():
                    seconds += [both.step(way, c, at + i + 1) for i, c in enumerate(changes)]
                at += len(changes)
                both.check(f"{name}, {rows} rows")
            of_size = {way: Latencies.of(seconds[WARM_UP:]) for way, seconds in taken.items()}
            results.append(_result(name, team, base_rows, rows, of_size))
    return results


def _result(
    name: str, team: Team, base_rows: int, rows: int | None, took: Mapping[str, Latencies]
) -> DividedStep:
    whole, divided = took["whole"], took["divided"]
    gain = whole.median_ms / divided.median_ms
    return DividedStep(name, team.workers, base_rows, rows, whole, divided, gain, load())


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
        "Steps in one process, and divided (milliseconds: least, median; gain is the ratio of medians, taken in turns)",
        *("workload", "workers", "base", "change", "one process", "", "divided", "", "p99", "gain", "load"),
    )
    for r in results:
        table.add_row(
            r.workload,
            str(r.workers),
            f"{r.base_rows:,}",
            "hydration" if r.rows is None else f"{r.rows:,}",
            f"{r.whole.least_ms:.2f}",
            f"{r.whole.median_ms:.2f}",
            f"{r.divided.least_ms:.2f}",
            f"{r.divided.median_ms:.2f}",
            f"{r.divided.p99_ms:.2f}",
            f"{r.gain:.2f}",
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
