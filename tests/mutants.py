"""Does what CI runs find known bugs?

`scripts/mutants` puts the bugs of `known_bugs` into a copy of the code, one at a time, and runs the tests that are to find each: of
those, what CI takes (the ordinary ones, and the slice `--rotation`).  `tests/test_mutants.py` does the same as slow tests, so that
CI takes a twentieth of the bugs, chosen by the commit.
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
from pathlib import Path
from time import monotonic

from known_bugs import MUTANTS, Mutant

ROOT = Path(__file__).parent.parent
COPIED = ("runtime", "tests", "dbt", "docs", "benchmarks", "pyproject.toml", "README.md")
TIMEOUT_S = 900.0


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the code and its tests, whose `ptvc` is its own, and so is the adapter for whoever starts in it."""
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
    before = {copy / edit.file: (copy / edit.file).read_text() for edit in mutant.edits}
    try:
        for edit in mutant.edits:
            path = copy / edit.file
            text = path.read_text()
            assert text.count(edit.old) == 1, (
                f"{edit.file} has changed: give the mutant `{mutant.name}` its line"
            )
            path.write_text(text.replace(edit.old, edit.new))
        yield
    finally:
        for path, text in before.items():
            path.write_text(text)


def failing(tests: tuple[str, ...], copy: Path, rotation: int, *, first: bool = False) -> list[str]:
    """Those of the tests that fail; the first of them only, if that is enough."""
    selection = ["--part", "ci", "--rotation", str(rotation), *(["-x"] if first else []), *tests]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *selection],
        cwd=copy,
        # No bytecode: it is told apart by seconds and sizes, and two mutants may agree in both.
        env={**os.environ, "PYTHONPATH": str(copy / "path"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    if done.returncode == 0:
        return []
    failed = re.findall(r"^(?:FAILED|ERROR) (tests/.+?)(?: - |$)", done.stdout, re.MULTILINE)
    assert failed, done.stdout[-3000:] + done.stderr[-3000:]
    return failed


def missed(mutant: Mutant, copy: Path, rotation: int) -> tuple[list[str], list[str]]:
    """Which tests fail with the mutant, and which do not though they should."""
    with applied(mutant, copy):
        failed = failing(mutant.tests, copy, rotation, first=mutant.finding is None)
    if mutant.finding is None:
        return failed, [] if failed else list(mutant.tests)
    return failed, [test for test in mutant.tests if not any(_is_of(each, test) for each in failed)]


def _is_of(failed: str, test: str) -> bool:
    """Whether it is the test, or a case of it."""
    return failed == test or (failed.startswith(test) and failed[len(test)] in "[:/")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rotation", type=int, default=0, help="the slice of the slow tests")
    parser.add_argument("only", nargs="*", help="parts of the names of the mutants; all, unless given")
    arguments = parser.parse_args()
    chosen = [m for m in MUTANTS if not arguments.only or any(part in m.name for part in arguments.only)]
    alive = 0
    with copied() as copy:
        for mutant in chosen:
            began = monotonic()
            failed, not_found = missed(mutant, copy, arguments.rotation)
            seconds = monotonic() - began
            # What fails without the mutant, too, has found nothing.
            anyway = failing((failed[0],), copy, arguments.rotation) if failed else []
            is_found = not not_found and not anyway
            alive += not is_found
            number = f"{mutant.finding:2}" if mutant.finding is not None else "  "
            shown = ", ".join(not_found or failed[:1]) + (" FAILS ANYWAY" if anyway else "")
            print(
                f"{'found' if is_found else 'NOT FOUND':9} {number} {mutant.name} ({seconds:.0f} s): {shown}",
                flush=True,
            )
    print(f"{len(chosen) - alive} of {len(chosen)} found")
    return int(alive > 0)


if __name__ == "__main__":
    sys.exit(main())
