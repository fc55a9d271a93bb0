"""Full recomputations of a view by Spark SQL and DuckDB.

Spark is up.  Its first is the first large query of its session, whose JVM has yet to load and compile most of what it runs; the best
of the others is what a session in use takes.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
from ptvc.compute.spark.application import Application
from ptvc.compute.spark.session import application_context, local_master
from ptvc.config import Settings
from rich.table import Table

from ..measure import load, tree_cpu_seconds
from ..report import new_table, shows
from ..runtime import RuntimeFailed
from ..workloads import Rows, comparable, rows_of
from .views import Base, HydratedView

WARM_UP_ROWS = 2_000
REPEATS = 4
SPARK_DECIMALS = 4
"""Spark has six decimals of an average or a quotient of its decimals, the last ones rounded."""


@dataclass(frozen=True, slots=True)
class Recomputation:
    """A full recomputation by another program: the first, and the best of those that followed."""

    view: str
    program: str
    base_rows: int
    first_seconds: float
    best_seconds: float
    cpu_seconds: float
    load_1min: float


def duckdb_answer(view: HydratedView, base: Base) -> Rows:
    """The view over the rows in memory."""
    connection = duckdb.connect(":memory:")
    for name, table in base.tables.items():
        connection.register(name, table)
    return rows_of(connection.sql(view.query).to_arrow_table().columns)


def by_spark(base: Base, files: Mapping[str, Path], answers: Mapping[str, Rows]) -> list[Recomputation]:
    """Spark SQL, in a session as the runtime's driver starts it."""
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder:
        context = application_context(local_master(1), Settings().spark_driver_memory, Path(folder))
        app = Application(context, Path(folder))
        try:
            spark: SparkSession = app.spark
            spark.conf.set("spark.sql.shuffle.partitions", "2")
            for name, path in files.items():
                spark.read.parquet(str(path)).createOrReplaceTempView(name)
            spark.range(WARM_UP_ROWS).groupBy("id").count().toArrow()

            def compute(view: HydratedView) -> pa.Table:
                return spark.sql(view.spark_query).toArrow()

            return [
                _recomputed(view, base, "Spark SQL", compute, answers, app.jvm_pid) for view in base.views
            ]
        finally:
            app.stop()


def by_duckdb(base: Base, files: Mapping[str, Path], answers: Mapping[str, Rows]) -> list[Recomputation]:
    connection = duckdb.connect(":memory:")
    for name, path in files.items():
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{path}')")

    def compute(view: HydratedView) -> pa.Table:
        return connection.sql(view.query).to_arrow_table()

    return [_recomputed(view, base, "DuckDB", compute, answers, None) for view in base.views]


def _recomputed(
    view: HydratedView,
    base: Base,
    program: str,
    compute: Callable[[HydratedView], pa.Table],
    answers: Mapping[str, Rows],
    pid: int | None,
) -> Recomputation:
    """`pid`: the process that computes, if it is not this one; `cpu_seconds` is the mean of the repeats."""
    seconds = []
    cpu = _cpu(pid)
    for _ in range(REPEATS):
        started = time.perf_counter()
        table = compute(view)
        seconds.append(time.perf_counter() - started)
    cpu = (_cpu(pid) - cpu) / REPEATS
    found, expected = rows_of(table.columns), answers[view.name]
    if found != expected and comparable(found, SPARK_DECIMALS) != comparable(expected, SPARK_DECIMALS):
        raise RuntimeFailed(f"{program}'s answer to {view.name} is not what recomputation says")
    return Recomputation(view.name, program, base.rows, seconds[0], min(seconds[1:]), cpu, load())


def _cpu(pid: int | None) -> float:
    return time.process_time() if pid is None else tree_cpu_seconds(pid)


@shows(Recomputation)
def _recomputations_table(results: list[Recomputation]) -> Table:
    table = new_table(
        "Views recomputed by others (seconds)",
        *("view", "program", "base", "first", "best after", "CPU each", "load"),
    )
    for r in results:
        table.add_row(
            *(r.view, r.program, f"{r.base_rows:,}", f"{r.first_seconds:.2f}", f"{r.best_seconds:.2f}"),
            *(f"{r.cpu_seconds:.2f}", f"{r.load_1min:.1f}"),
        )
    return table
