"""Known bugs, put into a copy of the code one at a time: does what CI runs find them?

`scripts/mutants` shows for each the test that fails first.  Of the tests that CI takes (the ordinary ones, and the slice
`--rotation`) it runs only those named here, which should find the bug.  It is for changes of what CI selects, and no
part of CI.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
COPIED = ("runtime", "tests", "dbt", "docs", "benchmarks", "pyproject.toml", "README.md")


@dataclass(frozen=True, slots=True)
class Mutant:
    """`old`, which occurs once in the module, becomes `new`; `tests` should find it."""

    name: str
    module: str
    old: str
    new: str
    tests: tuple[str, ...]


MUTANTS = (
    Mutant(
        "a hold ends the holds of others",
        "persist/state.py",
        "holds = (*(h for h in head.holds if h.holder != hold.holder), hold)",
        "holds = (hold,)",
        ("tests/persist/test_holds.py", "tests/persist/test_client.py"),
    ),
    Mutant(
        "a commit of which a reader sees a half is remembered twice",
        "persist/cache.py",
        "        with self._lock:\n            entry = self._entries[shard]\n            head, known = entry.head, None",
        "        head = self._entries[shard].head\n        with self._lock:\n            entry = self._entries[shard]\n            known = None",
        ("tests/persist/test_cache.py",),
    ),
    Mutant(
        "the directory of a new blob is not synced",
        "persist/blob/file.py",
        "                os.unlink(temporary)\n        _sync_directory(path.parent)",
        "                os.unlink(temporary)",
        ("tests/persist/stores/test_blob.py", "tests/persist/test_power_loss.py"),
    ),
    Mutant(
        "updates at the since itself are given out though they may have been advanced to it",
        "persist/state.py",
        "lower <= head.since and head.since > head.start",
        "lower < head.since and head.since > head.start",
        ("tests/persist/test_client.py", "tests/persist/test_state_machine.py"),
    ),
    Mutant(
        "of two replicas' outputs the second loses a time",
        "coord/storage/group_commit.py",
        "parts=trim(update.parts, known))",
        "parts=trim(update.parts, known + 1))",
        ("tests/coord/storage/test_group_commit.py",),
    ),
    Mutant(
        "two transactions of one group that conflict are both committed",
        "coord/storage/group_commit.py",
        "if gone or id_ in written or",
        "if gone or",
        ("tests/coord/storage/test_group_commit.py", "tests/e2e/inprocess/sessions"),
    ),
    Mutant(
        "reads do not wait for writes that are under way",
        "coord/storage/oracle.py",
        "min(self._open, default=self._closed)",
        "self._closed",
        ("tests/coord/storage/test_oracle.py",),
    ),
    Mutant(
        "a row leaves the window of mz_now() one time too early or late",
        "compute/operators/temporal_filter.py",
        "now = events.times < end",
        "now = events.times <= end",
        ("tests/compute/operators/test_temporal_filter.py",),
    ),
    Mutant(
        "retractions do not reach the counts of DISTINCT",
        "compute/operators/counts.py",
        "arrived = np.flatnonzero(sums)",
        "arrived = np.flatnonzero(sums > 0)",
        ("tests/compute/operators/test_distinct.py",),
    ),
    Mutant(
        "a row that appears at two times of a step is there twice",
        "compute/operators/counts.py",
        "come = come[np.flatnonzero(np.diff(group, prepend=-1))]",
        "pass",
        ("tests/compute/operators/test_append_only.py",),
    ),
    Mutant(
        "NULL joins NULL",
        "compute/operators/joins/join.py",
        "self._null_safe = null_safe",
        "self._null_safe = True",
        ("tests/compute/operators/test_join.py",),
    ),
    Mutant(
        "an outer join becomes an inner one by a predicate over the wrong side",
        "transform/outer_to_inner.py",
        "if keeps_left and any(rejects_null(predicate, right)",
        "if keeps_left and any(rejects_null(predicate, left)",
        ("tests/transform",),
    ),
    Mutant(
        "halves are rounded down",
        "expr/columns/decimals.py",
        "* 2 >= bottom)",
        "* 2 > bottom)",
        ("tests/expr",),
    ),
)


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the code and its tests, whose `ptvc` is its own."""
    with tempfile.TemporaryDirectory(prefix="ptvc-mutants-") as folder:
        copy = Path(folder) / "copy"
        copy.mkdir()
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / name)
        (copy / "path").mkdir()
        (copy / "path" / "ptvc").symlink_to(copy / "runtime")
        yield copy


@contextmanager
def applied(mutant: Mutant, copy: Path) -> Iterator[None]:
    path = copy / "runtime" / mutant.module
    text = path.read_text()
    assert text.count(mutant.old) == 1, (
        f"{mutant.module} has changed: give the mutant `{mutant.name}` its line"
    )
    path.write_text(text.replace(mutant.old, mutant.new))
    try:
        yield
    finally:
        path.write_text(text)


def found_by(tests: tuple[str, ...], copy: Path, rotation: int) -> str | None:
    """The first test that fails; None if all pass."""
    selection = ["--part", "ci", "--rotation", str(rotation), "-x", *tests]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *selection],
        cwd=copy,
        # No bytecode: it is told apart by seconds and sizes, and two mutants may agree in both.
        env={**os.environ, "PYTHONPATH": str(copy / "path"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, re.MULTILINE)
    assert failed is not None, done.stdout[-3000:] + done.stderr[-3000:]
    return failed[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rotation", type=int, default=0, help="the slice of the slow tests")
    parser.add_argument("only", nargs="*", help="parts of the names of the mutants; all, unless given")
    arguments = parser.parse_args()
    chosen = [m for m in MUTANTS if not arguments.only or any(part in m.name for part in arguments.only)]
    missed = 0
    with copied() as copy:
        for mutant in chosen:
            with applied(mutant, copy):
                found = found_by(mutant.tests, copy, arguments.rotation)
            if found is None:
                missed += 1
            elif found_by((found,), copy, arguments.rotation) is not None:
                raise AssertionError(f"{found} fails without a mutant, too")
            print(f"{'NOT FOUND' if found is None else 'found':9}  {mutant.name}: {found or '-'}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} found")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
