"""dbt beside dbt-postgres: the same projects, in turns, each adapter in an environment of its own."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from ..measure import load
from .adapters import DbtAdapter, DbtResult, DbtRun, checked, served_postgres, served_ptvc
from .project import write_models, write_profile, write_project

UNCHANGED_MODELS = 100
DAG_MODELS = 30


def run_dbt(repeats: int) -> list[DbtResult]:
    """Unchanged models, a DAG and a small project with both adapters, and the start of an embedded runtime."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ptvc-bench-dbt-")))
        adapters = [stack.enter_context(served_ptvc()), stack.enter_context(served_postgres(folder / "venv"))]
        results = _unchanged(adapters, folder, repeats) + _dag(adapters, folder, repeats)
        results += _small(adapters, folder, repeats)
        results.append(_python_model(adapters[0], folder, repeats))
        return [*results, *_cold_starts(folder, repeats)]


def _unchanged(adapters: list[DbtAdapter], folder: Path, repeats: int) -> list[DbtResult]:
    for adapter in adapters:
        place = folder / f"unchanged-{adapter.name}"
        write_project(place, UNCHANGED_MODELS, with_tests=False)
        write_profile(place, adapter.output)
        adapter.run(place, "build")
        adapter.run(place, "run")  # the first run after a build parses anew
    runs: dict[str, list[DbtRun]] = {adapter.name: [] for adapter in adapters}
    for _ in range(repeats):
        for adapter in adapters:
            runs[adapter.name].append(adapter.run(folder / f"unchanged-{adapter.name}", "run"))
    what = f"dbt run, {UNCHANGED_MODELS} unchanged models"
    return [DbtResult.of(what, name, taken) for name, taken in runs.items()]


def _dag(adapters: list[DbtAdapter], folder: Path, repeats: int) -> list[DbtResult]:
    """Each build is in a schema of its own, so all of it is made."""
    runs: dict[str, list[DbtRun]] = {adapter.name: [] for adapter in adapters}
    for turn in range(repeats):
        for adapter in adapters:
            place = folder / f"dag-{turn}-{adapter.name}"
            write_project(place, DAG_MODELS, with_tests=True)
            write_profile(place, {**adapter.output, "schema": f"bench{turn}"})
            runs[adapter.name].append(adapter.run(place, "build"))
    what = f"dbt build, seed, {DAG_MODELS} new models, {DAG_MODELS} tests"
    return [DbtResult.of(what, name, taken) for name, taken in runs.items()]


def _small(adapters: list[DbtAdapter], folder: Path, repeats: int) -> list[DbtResult]:
    """Again and again, with the parse of the first build kept: what dbt itself takes, mostly."""
    runs: dict[str, list[DbtRun]] = {adapter.name: [] for adapter in adapters}
    for adapter in adapters:
        _write_small(folder / f"small-{adapter.name}", {**adapter.output, "schema": "small"})
        adapter.run(folder / f"small-{adapter.name}", "build")
    for _ in range(repeats):
        for adapter in adapters:
            runs[adapter.name].append(adapter.run(folder / f"small-{adapter.name}", "build"))
    what = "dbt build once more, a seed and a materialized view"
    return [DbtResult.of(what, name, taken) for name, taken in runs.items()]


def _python_model(ptvc: DbtAdapter, folder: Path, repeats: int) -> DbtResult:
    """As `_small`; dbt-postgres has no Python models."""
    place = folder / "python"
    write_models(place, {"three": "select i from generate_series(1, 3) as i"})
    (place / "models" / "doubled.py").write_text(
        "def model(dbt, session):\n    return dbt.ref('three').selectExpr('i', '2 * i as twice')\n"
    )
    write_profile(place, {**ptvc.output, "schema": "python"})
    ptvc.run(place, "build")
    runs = [ptvc.run(place, "build") for _ in range(repeats)]
    return DbtResult.of("dbt build once more, a view and a Python model of 3 rows", ptvc.name, runs)


def _write_small(folder: Path, output: Mapping[str, object]) -> None:
    """A seed, and one materialized view over it."""
    write_project(folder, 1, with_tests=False)
    (folder / "models" / "m000.sql").write_text(
        "{{ config(materialized='materialized_view') }} select kind, count(*) as n from {{ ref('events') }} group by kind"
    )
    write_profile(folder, output)


def _cold_starts(folder: Path, repeats: int) -> list[DbtResult]:
    """`ptvc up` in an empty directory; and `dbt build` of one model there with nothing running before."""
    ups: list[float] = []
    builds: list[float] = []
    program = Path(sys.executable).parent / "dbt"
    for turn in range(repeats):
        for taken, command in ((ups, None), (builds, [str(program), "build", "--profiles-dir", "."])):
            place = folder / f"cold-{turn}-{'up' if command is None else 'build'}"
            _write_small(place, {"type": "ptvc", "path": "./.ptvc"})
            ptvc = [sys.executable, "-m", "ptvc"]
            started = time.perf_counter()
            try:
                checked(command or [*ptvc, "up"], place, os.environ)
                taken.append(time.perf_counter() - started)
            finally:
                checked([*ptvc, "down"], place, os.environ)
    named = {"ptvc up": ups, "dbt build, a seed and a materialized view": builds}
    return [
        DbtResult(f"cold start, {what}", "ptvc", repeats, median(taken), None, None, load())
        for what, taken in named.items()
    ]
