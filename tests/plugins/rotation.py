"""Which of the slow tests a run takes: none, a slice that the commit chooses, or all.

`--part ordinary` leaves out what is slow: what has the mark, and what is known to take `SLOW_S` or more, in its call (a test) or in
all of its calls (a class, which runs as a whole).  `--part ci` adds a slice of it, one of `SLICES`.  `--part all`, the default,
selects everything.  A slow test is a case of a kind: of the function, or of the class, that the cases are the parameters of.  A
slice holds

- a sixtieth of the cases of a kind, and of every kind at least one; a smaller part of a kind whose mark says so:
  `slow(slices=120)`;
- a twentieth of the kinds that have one or two cases, which make half of what the slow tests take: together they are one kind, of which
  a file, whose tests share what takes long to start, is a case;
- a twentieth of the classes that are slow as a whole;
- every case, with the cases of the other slices together.

Of a kind whose mark says `slow(ordinary=2)` the first two cases are not slow.  Where classes are many of a kind, their marks say so: `slow(of="conformance", slices=3)`. Then a class is a case, with all its tests.

The slice follows from a number, and that from the commit's hash, so that a commit's run can be repeated and the next one sees other
cases; `--rotation 3` takes another.  Tests that are named (`tests/a.py::test_b[7]`) are always selected.  What is left out
is counted at the head of the run, with the slice.
"""

from __future__ import annotations

import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from zlib import crc32

import pytest

from .kinds import Duration, file_of, kind_of, known_durations, story_of

SLOW_S = 1.0
SLICES = 60
FEW = 2
"""A kind of so many cases or fewer has no slices of its own."""
SLICES_OF_FEW = 20
NUMBERS = 120
"""Of these one chooses the slice: a multiple of how many slices any kind has."""
PARTS = ("ordinary", "ci", "all")

_SLOW = pytest.mark.slow.mark
_SLOW_STORY = pytest.mark.slow(of="story", slices=SLICES_OF_FEW).mark


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rotation")
    group.addoption(
        "--part", choices=PARTS, default="all", help="which of the slow tests to run: none, a slice, all"
    )
    group.addoption(
        "--rotation",
        type=int,
        choices=range(NUMBERS),
        metavar=f"0..{NUMBERS - 1}",
        help="chooses the slice of the slow tests that `--part ci` runs; the commit's, unless given",
    )


def commit_of(directory: Path) -> str | None:
    """The hash of the commit that is checked out; None where there is no repository."""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=directory, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def slice_of(commit: str | None) -> int:
    """The number that a commit chooses; without one, the first."""
    return 0 if commit is None else int(commit, 16) % NUMBERS


def case_of(nodeid: str, mark: pytest.Mark) -> str:
    """What a slow test belongs to: itself, or, where classes are cases of a kind, its class."""
    kind = mark.kwargs.get("of")
    return nodeid if kind is None else f"{kind}[{nodeid.rpartition('::')[0]}]"


def in_slice(cases: Iterable[str], number: int, slices: Mapping[str, int] | None = None) -> set[str]:
    """The cases, by node id, that the slice holds; `slices` are those of a kind, where they are not SLICES.

    They are dealt in the order of a hash, not of their parameters: a product of seeds and modes must not have a mode
    that falls to few slices only.
    """
    kinds: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        kinds[kind_of(case)].append(case)
    few = [kind for kind, of_kind in kinds.items() if len(of_kind) <= FEW]
    files: dict[str, list[str]] = defaultdict(list)
    for case in [case for kind in few for case in kinds.pop(kind)]:
        files[file_of(case)].append(case)
    kinds[""] = list(files)
    hands = {**dict.fromkeys(kinds, SLICES), **(slices or {}), "": SLICES_OF_FEW}
    found: set[str] = set()
    for kind, of_kind in kinds.items():
        dealt = sorted(of_kind, key=lambda case: (crc32(case.encode()), case))
        of = min(hands[kind], max(1, len(dealt)))
        chosen = dealt[number % of :: of]
        found.update(chain.from_iterable(files[file] for file in chosen) if kind == "" else chosen)
    return found


def slow_marks(
    items: Iterable[pytest.Item], durations: Mapping[str, Duration] | None = None
) -> dict[str, pytest.Mark]:
    """Of the tests that are slow, by node id: not the first ones of a kind that the mark calls ordinary."""
    found: dict[str, pytest.Mark] = {}
    seen: Counter[str] = Counter()
    unmarked: dict[str, list[str]] = defaultdict(list)
    for item in items:
        if (mark := item.get_closest_marker("slow")) is None:
            unmarked[story_of(item.nodeid)].append(item.nodeid)
            continue
        kind = kind_of(item.nodeid)
        seen[kind] += 1
        if seen[kind] > mark.kwargs.get("ordinary", 0):
            found[item.nodeid] = mark
    nothing = Duration(0.0, 0.0)
    for story, nodeids in unmarked.items():
        if sum((durations or {}).get(kind_of(nodeid), nothing).call for nodeid in nodeids) >= SLOW_S:
            found.update(dict.fromkeys(nodeids, _SLOW if [story] == nodeids else _SLOW_STORY))
    return found


class Rotation:
    """The slice of this run, and how much it leaves out."""

    def __init__(self, config: pytest.Config) -> None:
        self.part = config.getoption("--part")
        given = config.getoption("--rotation")
        commit = commit_of(config.rootpath) if given is None and self.part == "ci" else None
        self.number = slice_of(commit) if given is None else given
        if given is not None:
            self.reason = "--rotation"
        else:
            self.reason = "no commit" if commit is None else f"commit {commit[:12]}"
        self.named = [argument for argument in config.args if "::" in argument]

    @property
    def header(self) -> str:
        if self.part != "ci":
            return f"part: {self.part}"
        return (
            f"part: ci; rotation: {self.reason} -> slice {self.number % SLICES} of {SLICES} of the slow tests; "
            f"again with: --part ci --rotation {self.number}"
        )

    def selects(self, items: list[pytest.Item]) -> list[pytest.Item]:
        marks = slow_marks(items, known_durations())
        cases = {nodeid: case_of(nodeid, mark) for nodeid, mark in marks.items()}
        slices = {kind_of(cases[nodeid]): mark.kwargs.get("slices", SLICES) for nodeid, mark in marks.items()}
        match self.part:
            case "ordinary":
                left_out = set(marks)
            case "ci":
                taken = in_slice(set(cases.values()), self.number, slices)
                left_out = {nodeid for nodeid, case in cases.items() if case not in taken}
            case _:
                return items
        return [item for item in items if item.nodeid not in left_out or self._is_named(item.nodeid)]

    def _is_named(self, nodeid: str) -> bool:
        return any(nodeid == name or nodeid.startswith((f"{name}[", f"{name}::")) for name in self.named)


_ROTATION = pytest.StashKey[Rotation]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_ROTATION] = rotation = Rotation(config)
    if rotation.part == "ci":
        config.option.rotation = (
            rotation.number
        )  # worker processes take it from here: a commit may come meanwhile


def pytest_report_header(config: pytest.Config) -> str:
    return config.stash[_ROTATION].header


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    selected = config.stash[_ROTATION].selects(items)
    kept = set(selected)
    left_out = [item for item in items if item not in kept]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = selected
