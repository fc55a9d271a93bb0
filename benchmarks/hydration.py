"""Hydration of W2 as a Spark job through the running system, beside full recomputations of the same view.

```
ptvc serve        COPY in ── CREATE MATERIALIZED VIEW ── hydrated (a Spark job; its id is checked) ── answer checked
Spark SQL         the same rows from Parquet, the same query, in a session with the same settings, to Arrow
DuckDB            the same rows from Parquet, the same query, to Arrow
```

Spark is up in both.  The first hydration is the first large job of its session, whose JVM has yet to load and compile
most of what it runs; the ones after it are what a session in use takes.  The same holds for Spark SQL's first and its
best afterwards.  The runtime's figure contains what a recomputation does not do: state is arranged and written for the
steps that follow, and the view is committed durably.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from ptvc.compute.spark.application import Application
from ptvc.compute.spark.session import local_master
from ptvc.config import Settings

from .measure import load, tree_cpu_seconds
from .runtime import RuntimeFailed, ServedRuntime, await_true, served
from .workloads import WORKLOADS, Data, Rows, Workload, answer, rows_of

WARM_UP_ROWS = 2_000
SQL_TYPES = {"int64": "bigint", "int32": "integer", "string": "text"}


@dataclass(frozen=True, slots=True)
class JobHydration:
    """`wall_seconds` from CREATE MATERIALIZED VIEW to hydrated, as a client sees it; `reported_seconds` as
    mz_hydration_statuses has it (None: by an older runtime); `copy_seconds` to load the tables through COPY."""

    base_rows: int
    wall_seconds: float
    reported_seconds: float | None
    spark_job_id: int | None
    cpu_seconds: float
    copy_seconds: float
    load_1min: float


@dataclass(frozen=True, slots=True)
class Recomputation:
    """A full recomputation by another program: the first, and the best of those that followed."""

    program: str
    base_rows: int
    first_seconds: float
    best_seconds: float
    cpu_seconds: float
    load_1min: float


def run_hydration(base_rows: int, repeats: int) -> tuple[list[JobHydration], list[Recomputation]]:
    """`repeats` hydrations (each of a new view in the same runtime), then the recomputations."""
    workload = WORKLOADS["W2"]
    tables = Data(workload, base_rows).tables()
    expected = answer(workload, tables)
    # The whole view is hydrated by a job, however few rows a trial has.
    with served([f"job_min_rows={min(base_rows, Settings().job_min_rows)}"]) as runtime:
        hydrations = _hydrations(runtime, workload, tables, base_rows, repeats, expected)
    with tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder:
        files = {name: Path(folder) / f"{name}.parquet" for name in tables}
        for name, table in tables.items():
            pq.write_table(table, files[name])
        recomputations = [by_spark(workload, files, base_rows, expected)]
        if find_spec("duckdb") is not None:
            recomputations.append(by_duckdb(workload, files, base_rows, expected))
    return hydrations, recomputations


def _hydrations(
    runtime: ServedRuntime,
    workload: Workload,
    tables: Mapping[str, pa.Table],
    base_rows: int,
    repeats: int,
    expected: Rows,
) -> list[JobHydration]:
    results = []
    with runtime.connect() as connection:
        _warm_up(connection)
        started = time.perf_counter()
        copy_in(connection, workload, tables)
        copy_seconds = time.perf_counter() - started
        for i in range(repeats):
            cpu, started = runtime.cpu_seconds(), time.perf_counter()
            connection.execute(f"CREATE MATERIALIZED VIEW view_{i} AS {workload.query}")
            reported, job = await_hydrated(connection, f"view_{i}")
            wall = time.perf_counter() - started
            cpu = runtime.cpu_seconds() - cpu
            results.append(JobHydration(base_rows, wall, reported, job, cpu, copy_seconds, load()))
            rows = connection.execute(f"SELECT * FROM view_{i}").fetchall()
            if set(rows) != expected or len(rows) != len(expected):
                raise RuntimeFailed(f"view_{i} is not what recomputation says")
            connection.execute(f"DROP MATERIALIZED VIEW view_{i}")
    return results


def _warm_up(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    """One small hydration in the resident task: the runtime itself has done everything once."""
    connection.execute("CREATE TABLE warm_up (a bigint NOT NULL)")
    with connection.cursor().copy("COPY warm_up FROM STDIN") as copy:
        copy.write("".join(f"{i}\n" for i in range(WARM_UP_ROWS)))
    connection.execute("CREATE MATERIALIZED VIEW warm AS SELECT a, count(*) AS n FROM warm_up GROUP BY a")
    await_hydrated(connection, "warm")


def copy_in(
    connection: psycopg.Connection[tuple[Any, ...]], workload: Workload, tables: Mapping[str, pa.Table]
) -> None:
    """Creates the tables and loads them through COPY."""
    for name, table in tables.items():
        columns = ", ".join(f"{f.name} {SQL_TYPES[str(f.type)]} NOT NULL" for f in table.schema)
        connection.execute(f"CREATE TABLE {name} ({columns})")
        sink = pa.BufferOutputStream()
        options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
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


# --- recomputations -----------------------------------------------------------------------------------------------


def by_spark(
    workload: Workload, files: Mapping[str, Path], base_rows: int, expected: Rows, repeats: int = 4
) -> Recomputation:
    """Spark SQL, in a session as the runtime's driver starts it."""
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder:
        app = Application(local_master(1), Settings().spark_driver_memory, Path(folder))
        try:
            spark: SparkSession = app.spark
            spark.conf.set("spark.sql.shuffle.partitions", "2")
            for name, path in files.items():
                spark.read.parquet(str(path)).createOrReplaceTempView(name)
            spark.range(WARM_UP_ROWS).groupBy("id").count().toArrow()
            return _recomputed(
                "Spark SQL",
                lambda: spark.sql(workload.query).toArrow(),
                base_rows,
                expected,
                repeats,
                app.jvm_pid,
            )
        finally:
            app.stop()


def by_duckdb(
    workload: Workload, files: Mapping[str, Path], base_rows: int, expected: Rows, repeats: int = 4
) -> Recomputation:
    import duckdb

    connection = duckdb.connect(":memory:")
    for name, path in files.items():
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{path}')")
    return _recomputed(
        "DuckDB", lambda: connection.sql(workload.query).to_arrow_table(), base_rows, expected, repeats, None
    )


def _recomputed(
    program: str,
    compute: Callable[[], pa.Table],
    base_rows: int,
    expected: Rows,
    repeats: int,
    pid: int | None,
) -> Recomputation:
    """`pid`: the process that computes, if it is not this one; `cpu_seconds` is the mean of the repeats."""
    seconds = []
    cpu = _cpu(pid)
    for _ in range(repeats):
        started = time.perf_counter()
        table = compute()
        seconds.append(time.perf_counter() - started)
    cpu = (_cpu(pid) - cpu) / repeats
    if rows_of(table.columns) != expected:
        raise RuntimeFailed(f"{program}'s answer is not what recomputation says")
    return Recomputation(program, base_rows, seconds[0], min(seconds[1:], default=seconds[0]), cpu, load())


def _cpu(pid: int | None) -> float:
    return time.process_time() if pid is None else tree_cpu_seconds(pid)
