"""How long tests take, and the order that follows: longest first.

`tests/durations.json` holds the mean seconds of a case of each kind (see `rotation`), where it is worth a line; `--write-durations`
renews what a run has measured.  With several processes, tests go to them by units, whose tests share fixtures; the longest
units go first, so that the run does not end with one process at work.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from .rotation import kind_of

FILE = Path(__file__).parent.parent / "durations.json"
LEAST_S = 0.1
"""A kind whose case takes less is not in the file."""
OTHERWISE_S = 0.02
"""What a case of such a kind takes."""

TOGETHER = ("tests/compute/spark/",)
"""Folders whose files share a fixture that costs seconds (a JVM): each is one unit."""
APART = (
    "tests/workloads/",
    "tests/e2e/test_random_views_by_job.py",
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
    return folder or nodeid.partition("::")[0]


def in_order(nodeids: Sequence[str], durations: Mapping[str, float]) -> list[str]:
    """The tests by unit, the longest unit first; within a unit, and of `LAST`, as they are given."""
    seconds: dict[str, float] = defaultdict(float)
    first: dict[str, int] = {}
    for place, nodeid in enumerate(nodeids):
        unit = unit_of(nodeid)
        seconds[unit] += durations.get(kind_of(nodeid), OTHERWISE_S)
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
    if hasattr(config, "workerinput") and config.option.shuffle is None and FILE.exists():
        by_id = {item.nodeid: item for item in items}
        items[:] = [by_id[nodeid] for nodeid in in_order(list(by_id), json.loads(FILE.read_text()))]


class Measured:
    """Means of what a run has taken, by kind."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        cases: dict[str, list[float]] = defaultdict(list)
        for nodeid, seconds in self.seconds.items():
            cases[kind_of(nodeid)].append(seconds)
        known = json.loads(FILE.read_text()) if FILE.exists() else {}
        found = {kind: round(sum(of) / len(of), 2) for kind, of in cases.items()}
        root = FILE.parent.parent
        kept = {
            kind: mean
            for kind, mean in {**known, **found}.items()
            if mean >= LEAST_S and (root / kind.partition("::")[0]).exists()
        }
        FILE.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--write-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Measured())
