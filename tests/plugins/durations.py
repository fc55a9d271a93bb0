"""How long tests take, and the order that follows: longest first.

`--write-durations` renews what is known of the kinds that a run has measured (see `kinds`).  With several processes, tests go to
them by units, whose tests share fixtures; the longest units go first, so that the run does not end with one process at work.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from .kinds import FILE, Duration, file_of, kind_of, known_durations, write_durations

LEAST_S = 0.1
"""A kind whose case takes less is not in the file."""
OTHERWISE = Duration(0.02, 0.02)
"""What a case of such a kind takes."""

TOGETHER = ("tests/compute/spark/",)
"""Folders whose files share a fixture that costs seconds (a JVM): each is one unit."""
APART = (
    "tests/workloads/",
    "tests/e2e/jobs/test_random_views_by_job.py",
    "tests/persist/test_state_machine.py",
)
"""Where tests take long and share nothing that costs: each is a unit of its own."""
LAST = ("tests/slt/test_slt.py",)
"""Files of many short tests: each is a unit of its own, and they come last, one after the other as they share fixtures."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("durations").addoption(
        "--write-durations", action="store_true", help=f"renew {FILE.name} from this run"
    )


def unit_of(nodeid: str) -> str:
    """What goes to one process: the test, its file, or its folder."""
    if nodeid.startswith((*APART, *LAST)):
        return nodeid
    folder = next((folder for folder in TOGETHER if nodeid.startswith(folder)), None)
    return folder or file_of(nodeid)


def in_order(nodeids: Sequence[str], durations: Mapping[str, Duration]) -> list[str]:
    """The tests by unit, the longest unit first; within a unit, and of `LAST`, as they are given."""
    seconds: dict[str, float] = defaultdict(float)
    first: dict[str, int] = {}
    for place, nodeid in enumerate(nodeids):
        unit = unit_of(nodeid)
        seconds[unit] += durations.get(kind_of(nodeid), OTHERWISE).whole
        first.setdefault(unit, place)

    def place_of(nodeid: str) -> tuple[bool, float, int]:
        unit = unit_of(nodeid)
        last = unit.startswith(LAST)
        return last, 0.0 if last else -seconds[unit], first[unit]

    return sorted(nodeids, key=place_of)


class ByUnit(LoadScopeScheduling):
    """Deals units to processes in the order of the collection."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByUnit:
    config.option.loadscopereorder = False  # else the units with the most tests go first
    return ByUnit(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput") and config.option.shuffle is None:
        by_id = {item.nodeid: item for item in items}
        items[:] = [by_id[nodeid] for nodeid in in_order(list(by_id), known_durations())]


class Measured:
    """Means of what a run has taken, by kind."""

    def __init__(self) -> None:
        self.whole: dict[str, float] = defaultdict(float)
        self.call: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.whole[report.nodeid] += report.duration
        if report.when == "call":
            self.call[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        cases: dict[str, list[str]] = defaultdict(list)
        for nodeid in self.whole:
            cases[kind_of(nodeid)].append(nodeid)
        found = {kind: Duration(_mean(self.whole, of), _mean(self.call, of)) for kind, of in cases.items()}
        root = FILE.parent.parent
        kept = {
            kind: duration
            for kind, duration in {**known_durations(), **found}.items()
            if duration.whole >= LEAST_S and (root / file_of(kind)).exists()
        }
        write_durations(kept)


def _mean(seconds: Mapping[str, float], nodeids: Sequence[str]) -> float:
    return round(sum(seconds.get(nodeid, 0.0) for nodeid in nodeids) / len(nodeids), 2)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--write-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Measured())
