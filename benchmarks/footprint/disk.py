"""What a directory takes after a dbt build over trips, by folder, beside the same contents written once.

```
COPY of four tables ── dbt build of 23 models ──> sizes ── a while later ──> sizes     against the tables and the contents of
                                                                                       materialized views as Parquet (zstd)
```

Sizes are of blocks on disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
from rich.table import Table

from ..hydration import await_hydrated, copy_in, five
from ..measure import load
from ..report import new_table, shows
from ..runtime import RuntimeFailed, ServedRuntime, served
from .project import MAINTAINED, write_trips_project

_MIB = 1 << 20
_BLOCK = 512
SCHEMA = "trips"


@dataclass(frozen=True, slots=True)
class DiskResult:
    """MiB of each folder of the directory, of files beside them ("consensus.sqlite"), after the build and later; `once_mib` is the
    input and the contents of all materialized views, each written once, and `input_mib` the part of the input."""

    trips: int
    built: dict[str, float]
    rested: dict[str, float]
    rest_s: float
    input_mib: float
    once_mib: float
    build_s: float
    load_1min: float


def run_disk(trips: int, rest_s: float) -> DiskResult:
    """One dbt build of everything."""
    with served() as runtime:
        return measure_disk(runtime, trips, rest_s)


def measure_disk(runtime: ServedRuntime, trips: int, rest_s: float) -> DiskResult:
    tables = five(trips * 10 // 3).tables
    with runtime.connect() as connection:
        copy_in(connection, tables)
        started = time.perf_counter()
        _build(runtime.port)
        build_s = time.perf_counter() - started
        for name in MAINTAINED:
            await_hydrated(connection, name)
        built = sizes(runtime.directory)
        time.sleep(rest_s)
        rested = sizes(runtime.directory)
        input_mib = sum(map(_parquet_mib, tables.values()))
        views = sum(_parquet_mib(_contents(connection, f"{SCHEMA}.{name}")) for name in MAINTAINED)
    return DiskResult(
        len(tables["trips"]), built, rested, rest_s, input_mib, input_mib + views, build_s, load()
    )


def _build(port: int) -> None:
    with tempfile.TemporaryDirectory(prefix="ptvc-bench-trips-") as folder:
        output = {"type": "ptvc", "host": "127.0.0.1", "port": port, "schema": SCHEMA}
        write_trips_project(Path(folder), output)
        command = [str(Path(sys.executable).parent / "dbt"), "build", "--profiles-dir", "."]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeFailed(f"dbt build: {(done.stdout + done.stderr)[-4000:]}")


def _contents(connection: psycopg.Connection[tuple[object, ...]], name: str) -> pa.Table:
    cursor = connection.execute(f"SELECT * FROM {name}")  # type: ignore[arg-type]
    assert cursor.description is not None
    names = [column.name for column in cursor.description]
    columns = zip(*cursor.fetchall(), strict=True)
    return pa.table([pa.array(column) for column in columns], names=names)


def _parquet_mib(table: pa.Table) -> float:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return float(sink.getvalue().size / _MIB)


def sizes(directory: Path) -> dict[str, float]:
    """MiB by what is at the top of the directory."""
    found: dict[str, float] = {}
    for path in _files(directory):
        with suppress(FileNotFoundError):  # it went meanwhile
            top = path.relative_to(directory).parts[0]
            found[top] = found.get(top, 0.0) + path.lstat().st_blocks * _BLOCK / _MIB
    return found


def _files(directory: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(directory):
        yield from (Path(folder) / name for name in names)


@shows(DiskResult)
def _disk_tables(results: list[DiskResult]) -> Iterable[Table]:
    for r in results:
        table = new_table(
            f"The directory after a dbt build over {r.trips:,} trips, MiB; once: {r.once_mib:.1f}, of which the input {r.input_mib:.1f}",
            *("folder", "built", "of once", f"{r.rest_s:.0f} s later", "of once"),
        )
        whole = {"all": (sum(r.built.values()), sum(r.rested.values()))}
        folders = {top: (r.built.get(top, 0.0), r.rested.get(top, 0.0)) for top in {**r.built, **r.rested}}
        for name, (built, rested) in {
            **dict(sorted(folders.items(), key=lambda f: -max(f[1]))),
            **whole,
        }.items():
            times = (f"{mib / r.once_mib:.2f}x" for mib in (built, rested))
            table.add_row(name, f"{built:.1f}", next(times), f"{rested:.1f}", next(times))
        yield table
