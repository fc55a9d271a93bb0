"""What a view leaves behind that is dropped under its hydration: no work, and no file."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from time import monotonic

import pytest

from .conftest import running
from .runtime_process import Runtime, cpu_seconds

PAUSE = Event()
UNENDING = "SELECT count(*) AS n FROM wide a LEFT JOIN wide b ON (a.id * 7 + b.id) % 1000003 = 999999"
"""1.6 billion pairs, all of them looked at."""


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    """A cluster that hydrates by jobs, and one that never does; nothing else in the environment writes files."""
    with running() as runtime:
        runtime.run(
            "CREATE TABLE wide (id int)",
            "INSERT INTO wide SELECT g FROM generate_series(1, 40000) AS g",
            "CREATE CLUSTER jobs (JOB MIN ROWS 0)",
            "CREATE CLUSTER tasks (JOB MIN ROWS 1000000000)",
        )
        for cluster in ("jobs", "tasks"):  # its replica is up
            runtime.run(f"CREATE MATERIALIZED VIEW up IN CLUSTER {cluster} AS SELECT count(*) AS n FROM wide")
            runtime.eventually(lambda: runtime.run("SELECT n FROM up") == [(40_000,)])
            runtime.run("DROP MATERIALIZED VIEW up")
        yield runtime


def files(runtime: Runtime) -> set[str]:
    """Those of state, of blobs and of Spark's exchanges."""
    found = [
        path
        for name in ("state", "blob", "spark/local", "spark/permits")
        for path in (runtime.directory / name).rglob("*")
    ]
    return {str(path) for path in found if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("cluster", ["jobs", "tasks"])
def test_nothing_goes_on_for_a_view_that_is_dropped_under_its_hydration(
    runtime: Runtime, cluster: str
) -> None:
    runtime.eventually(lambda: not busy(runtime))
    before, had = cpu_seconds(runtime.children()["worker"]), files(runtime)
    runtime.run(f"CREATE MATERIALIZED VIEW unending IN CLUSTER {cluster} AS {UNENDING}")
    runtime.eventually(lambda: _computed(runtime, before) > 1)
    runtime.run("DROP MATERIALIZED VIEW unending")
    dropped = monotonic()
    runtime.eventually(lambda: not busy(runtime))
    assert monotonic() - dropped < 2
    runtime.eventually(lambda: not files(runtime) - had, within_s=2)


def _computed(runtime: Runtime, before: dict[int, float]) -> float:
    now = cpu_seconds(runtime.children()["worker"])
    return sum(seconds - before.get(pid, 0.0) for pid, seconds in now.items())


def busy(runtime: Runtime) -> bool:
    """Whether a Python worker of Spark, a resident one included, computes for half a second."""
    before = cpu_seconds(runtime.children()["worker"])
    PAUSE.wait(0.5)
    return _computed(runtime, before) > 0.1
