"""What a run of the tests selects, in which order it takes them, and what it does of a skip."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from plugins.durations import LAST, OTHERWISE, in_order, unit_of
from plugins.kinds import Duration, file_of, kind_of, known_durations, write_durations
from plugins.missing_parts import ALLOWED, VARIABLE
from plugins.rotation import (
    NUMBERS,
    SLICES,
    SLICES_OF_FEW,
    SLOW_S,
    case_of,
    commit_of,
    in_slice,
    slice_of,
    slow_marks,
)
from plugins.shuffle import shuffled

ROOT = Path(__file__).parents[2]
CASES = [
    *(f"tests/a.py::test_many[{mode}-{seed}]" for seed in range(300) for mode in ("left", "right")),
    *(f"tests/a.py::test_some[{n}]" for n in range(3)),
    *(f"tests/story{n}.py::test_{part}" for n in range(SLICES_OF_FEW) for part in "ab"),
]


def test_the_slices_hold_every_case_and_each_a_part_of_the_same_size() -> None:
    slices = [in_slice(CASES, number) for number in range(SLICES)]
    assert set().union(*slices) == set(CASES)
    assert {len([case for case in found if "many" in case]) for found in slices} == {10}


def test_a_kind_may_have_slices_of_another_size() -> None:
    many = {"tests/a.py::test_many": 20}
    slices = [in_slice(CASES, number, many) for number in range(SLICES)]
    assert set().union(*slices) == set(CASES)
    assert {len([case for case in found if "many" in case]) for found in slices} == {30}
    assert NUMBERS % SLICES == NUMBERS % 20 == 0


def test_a_part_of_the_kinds_of_few_cases_is_taken() -> None:
    slices = [
        [case for case in in_slice(CASES, number) if "story" in case] for number in range(SLICES_OF_FEW)
    ]
    assert [len({file_of(case) for case in found}) for found in slices] == [1] * SLICES_OF_FEW
    assert sum(map(len, slices)) == len(set().union(*slices)) == 2 * SLICES_OF_FEW


def test_a_story_is_told_whole() -> None:
    for number in range(SLICES):
        told = Counter(file_of(case) for case in in_slice(CASES, number) if "story" in case)
        assert set(told.values()) == {2}


def test_classes_may_be_the_cases_of_a_kind() -> None:
    mark = pytest.mark.slow(of="dbt", slices=3).mark
    nodes = {f"tests/c.py::Test{n}::test_{name}": n for n in range(9) for name in "ab"}
    cases = {node: case_of(node, mark) for node in nodes}
    assert len(set(cases.values())) == 9
    assert set(map(kind_of, cases.values())) == {"dbt"}
    slices = [in_slice(set(cases.values()), number, {"dbt": 3}) for number in range(3)]
    assert [len(found) for found in slices] == [3, 3, 3]
    assert set().union(*slices) == set(cases.values())
    assert case_of("tests/a.py::test_few[1]", pytest.mark.slow.mark) == "tests/a.py::test_few[1]"


def test_a_slice_holds_some_of_every_kind_and_of_every_mode() -> None:
    for number in range(SLICES):
        found = Counter(map(kind_of, in_slice(CASES, number)))
        assert found["tests/a.py::test_some"] == 1
        modes = Counter("left" in case for case in in_slice(CASES, number) if "many" in case)
        assert len(modes) == 2, modes


@dataclass
class Item:
    """What `slow_marks` asks of a test."""

    nodeid: str
    mark: pytest.Mark | None

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.mark


def test_of_a_slow_kind_the_first_cases_may_be_ordinary() -> None:
    marks = {"test_a": pytest.mark.slow(ordinary=2).mark, "test_b": pytest.mark.slow.mark, "test_c": None}
    items: list[Any] = [
        Item(f"tests/a.py::{name}[{n}]", mark) for n in range(4) for name, mark in marks.items()
    ]
    found = [nodeid.rpartition("::")[2] for nodeid in slow_marks(items)]
    assert sorted(found) == ["test_a[2]", "test_a[3]", *(f"test_b[{n}]" for n in range(4))]


def test_what_is_known_to_take_long_is_slow() -> None:
    """A test by its call, as what it sets up serves others too; a class by all of its calls, as it is run whole."""
    half = SLOW_S / 2
    durations = {
        "tests/a.py::test_long": Duration(SLOW_S, SLOW_S),
        "tests/a.py::test_first": Duration(10.0, 0.1),
        "tests/a.py::TestStory::test_a": Duration(half, half),
        "tests/a.py::TestStory::test_b": Duration(half, half),
        "tests/a.py::TestShort::test_a": Duration(half, half),
    }
    ids = ["tests/a.py::test_long[1]", *list(durations)[1:], "tests/a.py::test_new"]
    found = slow_marks([Item(nodeid, None) for nodeid in ids], durations)  # type: ignore[misc]
    assert list(found) == [ids[0], ids[2], ids[3]]
    assert len({case_of(nodeid, mark) for nodeid, mark in found.items()}) == 2


def test_durations_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "durations.json"
    assert known_durations(file) == {}
    known = {"tests/a.py::test_b": Duration(2.5, 0.25), "tests/a.py::test_a": Duration(1.0, 1.0)}
    write_durations(known, file)
    assert known_durations(file) == known
    assert len(file.read_text().splitlines()) == 4


def test_the_commit_chooses_the_slice() -> None:
    assert slice_of("00000000000000000000000000000000000000ff") == 255 % NUMBERS
    assert slice_of(None) == 0
    assert commit_of(Path("/")) is None
    drawn = Counter(slice_of(f"{Random(n).getrandbits(160):040x}") for n in range(1_000))
    assert len({number % SLICES for number in drawn}) == SLICES
    assert len(drawn) == NUMBERS


def test_the_longest_unit_goes_first() -> None:
    short = [f"tests/a.py::test_short[{n}]" for n in range(5)]
    long = ["tests/b.py::test_long", "tests/b.py::test_another"]
    last = [f"{LAST[0]}::test_script[{n}]" for n in range(100)]
    durations = {
        "tests/b.py::test_long": Duration(6 * OTHERWISE.whole, 0.0),
        f"{LAST[0]}::test_script": Duration(10.0, 10.0),
    }
    assert in_order([*last, *short, *long], durations) == [*long, *short, *last]


def test_units_stay_together() -> None:
    nodeids = [f"tests/{file}.py::test[{n}]" for n in range(3) for file in ("a", "b")]
    units = [unit_of(nodeid) for nodeid in in_order(nodeids, {})]
    assert units == ["tests/a.py"] * 3 + ["tests/b.py"] * 3
    assert unit_of("tests/compute/spark/test_a.py::test") == unit_of("tests/compute/spark/test_b.py::test")
    assert unit_of("tests/workloads/test_a.py::test[1]") != unit_of("tests/workloads/test_a.py::test[2]")


def test_a_random_order_keeps_files_and_classes_together() -> None:
    files = [[f"tests/{n}.py::test[{case}]" for case in range(5)] for n in range(5)]
    story = [f"tests/1.py::TestStory::test_{n}" for n in range(5)]
    files[1] += story
    nodeids = [nodeid for file in files for nodeid in file]
    orders = [shuffled(nodeids, Random(seed)) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    for order in orders:
        assert sorted(order) == sorted(nodeids)
        at = order.index(story[0])
        assert order[at : at + len(story)] == story
        names = [nodeid.partition("::")[0] for nodeid in order]
        assert sum(one != other for one, other in pairwise(names)) == len(files) - 1


SUITE = f"""
import pytest

@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_slow(seed): ...

def test_quick(): ...

def test_of_a_part():
    pytest.skip("the part is not installed")

@pytest.mark.skipif(True, reason={ALLOWED[0]!r})
def test_of_a_platform(): ...
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A project without a repository, with the plug-ins and a file of tests."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow: takes long\n")
    (tmp_path / "conftest.py").write_text(
        'pytest_plugins = ("plugins.rotation", "plugins.missing_parts", "plugins.shuffle")\n'
    )
    (tmp_path / "test_it.py").write_text(SUITE)
    return tmp_path


WITHOUT_OTHERS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def outcome(suite: Path, *arguments: str, **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != VARIABLE}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=suite,
        env={**inherited, **WITHOUT_OTHERS, "PYTHONPATH": str(ROOT / "tests"), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("--part", "ordinary"), "1 passed, 2 skipped, 40 deselected"),
        (("--part", "ci"), "2 passed, 2 skipped, 39 deselected"),
        (("--part", "all"), "41 passed, 2 skipped"),
        (("--part", "ordinary", "test_it.py::test_slow[7]"), "1 passed"),
    ],
)
def test_parts(suite: Path, arguments: tuple[str, ...], found: str) -> None:
    assert f"{found} in " in outcome(suite, *arguments)


def test_the_slice_is_shown_and_can_be_repeated(suite: Path) -> None:
    shown = outcome(suite, "--part", "ci")
    assert (
        f"rotation: no commit -> slice 0 of {SLICES} of the slow tests; again with: --part ci --rotation 0"
        in shown
    )

    def selected(number: int) -> set[str]:
        lines = outcome(suite, "--part", "ci", "--rotation", str(number), "--collect-only", "-q").splitlines()
        return {line for line in lines if "test_slow" in line}

    assert len(selected(3)) == 1
    assert selected(3) == selected(3)
    assert not selected(3) & selected(4)


def test_a_part_that_is_missing_fails_in_ci_only(suite: Path) -> None:
    assert "1 passed, 2 skipped, 40 deselected" in outcome(suite, "--part", "ordinary")
    shown = outcome(suite, "--part", "ordinary", **{VARIABLE: "1"})
    assert "1 failed, 1 passed, 1 skipped, 40 deselected" in shown
    assert f"skipped, and {VARIABLE} is set: the part is not installed" in shown


def test_a_module_that_is_missing_fails_in_ci_only(suite: Path) -> None:
    (suite / "test_other.py").write_text("import pytest\npytest.importorskip('no_such_module')\n")
    assert "1 skipped" in outcome(suite, "test_other.py")
    assert "1 error" in outcome(suite, "test_other.py", **{VARIABLE: "1"})


def test_a_random_order_is_shown_and_can_be_repeated(suite: Path) -> None:
    def order(seed: str) -> list[str]:
        return [
            line
            for line in outcome(suite, "--shuffle", seed, "--collect-only", "-q").splitlines()
            if "::" in line
        ]

    assert order("1") == order("1") != order("2")
    assert "random order: again with --shuffle " in outcome(suite, "--shuffle", "new", "--part", "ordinary")


def test_the_processes_of_a_run_take_one_random_order(suite: Path) -> None:
    shown = outcome(suite, "-p", "xdist", "-n", "2", "--shuffle", "new", "--part", "all")
    assert "41 passed, 2 skipped" in shown, shown


def test_a_failure_is_shown_when_it_happens(suite: Path) -> None:
    conftest = suite / "conftest.py"
    conftest.write_text(
        conftest.read_text().replace('"plugins.shuffle"', '"plugins.shuffle", "plugins.failures"')
    )
    (suite / "test_failing.py").write_text("def test_it():\n    assert 0\n\ndef test_next(): ...\n")
    for several in ((), ("-p", "xdist", "-n", "2")):
        shown = outcome(suite, "--part", "all", "test_failing.py", *several)
        early = shown.partition("= FAILURES =")[0]
        assert "call failed: test_failing.py::test_it" in early, shown
        assert "E       assert 0" in early, shown
