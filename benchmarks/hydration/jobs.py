"""Hydrations as Spark jobs, through the running system, beside recomputations by others.

Spark is up.  The first hydration is the first large job of its session, whose JVM has yet to load and compile most of what it runs; the
ones after it are what a session in use takes.  The figure contains what a recomputation does not do: state is arranged and
written for the steps that follow, and the view is committed durably.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from ptvc.config import Settings
from rich.table import Table

from ..measure import load
from ..report import new_table, shows
from ..runtime import RuntimeFailed, ServedRuntime, await_true, served
from ..workloads import Rows, comparable
from .recomputations import WARM_UP_ROWS, Recomputation, by_duckdb, by_spark, duckdb_answer
from .views import Base

SQL_TYPES = {
    "int64": "bigint",
    "int32": "integer",
    "string": "text",
    "decimal128(15, 2)": "numeric(15, 2)",
    "date32[day]": "date",
    "timestamp[us]": "timestamp",
}


@dataclass(frozen=True, slots=True)
class JobHydration:
    """`wall_seconds` from CREATE MATERIALIZED VIEW to hydrated, as a client sees it; `reported_seconds` as
    mz_hydration_statuses has it (None: by an older runtime); `copy_seconds` to load the tables through COPY."""

    view: str
    base_rows: int
    wall_seconds: float
    reported_seconds: float | None
    spark_job_id: int | None
    cpu_seconds: float
    copy_seconds: float
    load_1min: float


def run_hydration(base: Base, repeats: int) -> tuple[list[JobHydration], list[Recomputation]]:
    """`repeats` hydrations of each view (each of a new view in the same runtime), then the recomputations."""
    answers = {v.name: duckdb_answer(v, base) if v.expected is None else v.expected for v in base.views}
    # The largest view is hydrated by a job, however few rows a trial has.
    with served([f"job_min_rows={min(base.rows, Settings().job_min_rows)}"]) as runtime:
        hydrations = _hydrations(runtime, base, repeats, answers)
    with tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder:
        files = {name: Path(folder) / f"{name}.parquet" for name in base.tables}
        for name, table in base.tables.items():
            pq.write_table(table, files[name])
        return hydrations, [*by_spark(base, files, answers), *by_duckdb(base, files, answers)]


def _hydrations(
    runtime: ServedRuntime, base: Base, repeats: int, answers: Mapping[str, Rows]
) -> list[JobHydration]:
    results = []
    with runtime.connect() as connection:
        _warm_up(connection)
        started = time.perf_counter()
        copy_in(connection, base.tables)
        copy_seconds = time.perf_counter() - started
        for view in base.views:
            for i in range(repeats):
                name = f"{view.name}_{i}"
                cpu, started = runtime.cpu_seconds(), time.perf_counter()
                connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {view.query}")
                reported, job = await_hydrated(connection, name.lower())
                wall = time.perf_counter() - started
                cpu = runtime.cpu_seconds() - cpu
                results.append(
                    JobHydration(view.name, base.rows, wall, reported, job, cpu, copy_seconds, load())
                )
                rows = connection.execute(f"SELECT * FROM {name}").fetchall()
                expected = answers[view.name]
                if comparable(rows) != expected or len(rows) != len(expected):
                    raise RuntimeFailed(f"{name} is not what recomputation says")
                connection.execute(f"DROP MATERIALIZED VIEW {name}")
    return results


def _warm_up(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    """One small hydration in the resident task: the runtime itself has done everything once."""
    connection.execute("CREATE TABLE warm_up (a bigint NOT NULL)")
    with connection.cursor().copy("COPY warm_up FROM STDIN") as copy:
        copy.write("".join(f"{i}\n" for i in range(WARM_UP_ROWS)))
    connection.execute("CREATE MATERIALIZED VIEW warm AS SELECT a, count(*) AS n FROM warm_up GROUP BY a")
    await_hydrated(connection, "warm")


def copy_in(connection: psycopg.Connection[tuple[Any, ...]], tables: Mapping[str, pa.Table]) -> None:
    """Creates the tables and loads them through COPY."""
    for name, table in tables.items():
        columns = ", ".join(f"{f.name} {SQL_TYPES[str(f.type)]} NOT NULL" for f in table.schema)
        connection.execute(f"CREATE TABLE {name} ({columns})")
        sink = pa.BufferOutputStream()
        options = pyarrow.csv.WriteOptions(include_header=False)
        pyarrow.csv.write_csv(table, sink, options)
        with connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv)") as copy:
            copy.write(sink.getvalue().to_pybytes())


def await_hydrated(
    connection: psycopg.Connection[tuple[Any, ...]], name: str
) -> tuple[float | None, int | None]:
    """Waits until the object is hydrated; returns its reported seconds and the Spark job that did it, if any."""
    query = (
        "SELECT s.hydrated, s.hydration_seconds, s.spark_job_id FROM mz_internal.mz_hydration_statuses s"
        f" JOIN mz_catalog.mz_objects o ON o.id = s.object_id WHERE o.name = '{name}'"
    )
    found: list[tuple[Any, ...]] = []

    def hydrated() -> bool:
        found[:] = connection.execute(query).fetchall()
        return bool(found) and bool(found[0][0])

    await_true(hydrated, f"{name} is hydrated")
    _, seconds, job = found[0]
    return None if seconds is None else float(seconds), None if job is None else int(job)


@shows(JobHydration)
def _jobs_table(results: list[JobHydration]) -> Table:
    table = new_table(
        "Hydration as a Spark job, through the running system (seconds)",
        *("view", "base", "CREATE to hydrated", "reported", "job", "CPU", "COPY in", "load"),
    )
    for r in results:
        table.add_row(
            r.view,
            f"{r.base_rows:,}",
            f"{r.wall_seconds:.2f}",
            "-" if r.reported_seconds is None else f"{r.reported_seconds:.2f}",
            "none" if r.spark_job_id is None else str(r.spark_job_id),
            f"{r.cpu_seconds:.2f}",
            f"{r.copy_seconds:.2f}",
            f"{r.load_1min:.1f}",
        )
    return table
