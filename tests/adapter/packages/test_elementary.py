"""elementary's own tests, here and with dbt-postgres: what passes there passes here.

They are a program, `integration_tests`, which drives dbt from pytest; `copies.py` says where the package is.  Each of its files is a test
here (`-k test_volume`), in an environment with the packages that the program needs.
"""

from __future__ import annotations

import site
import sys
import sysconfig
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, STDOUT, run
from xml.etree import ElementTree

import pytest
import yaml

from benchmarks.dbt.adapters import DbtAdapter, checked

from .copies import copied, folder_of_copies, skip_without

REQUIREMENTS = ("elementary-data", "pytest", "pytest-parametrization", "pytest-html", "filelock", "tenacity")

DIFFERENCES: Mapping[str, str] = {}
"""Tests, by a part of their name, that cannot be here as they are with dbt-postgres, with the reason."""


@dataclass(frozen=True, slots=True)
class Side:
    """The program in `folder`, to be run by the interpreter `python`."""

    adapter: DbtAdapter
    python: Path
    folder: Path

    def results(self, file: str) -> dict[str, tuple[str, str]]:
        """Of each test of that file: passed, failed or skipped, and what was said.  The program makes its schemas anew before."""
        report = self.folder / "report.xml"
        report.unlink(missing_ok=True)
        command = [str(self.python), "-m", "pytest", "-p", "quick_dbt", "-p", "no:cacheprovider", "-q"]
        command += ["--tb=short", "--runner-method", "api", "--target", "postgres", f"--junit-xml={report}"]
        environment = {**self.adapter.environment, "DBT_PROFILES_DIR": str(self.folder)}
        environment["PYTHONPATH"] = ":".join(
            filter(None, (str(Path(__file__).parent), environment.get("PYTHONPATH")))
        )
        environment |= {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DBT_LOG_PATH": str(self.folder / "logs")}
        done = run(
            [*command, file],
            cwd=self.folder,
            env=environment,
            stdout=PIPE,
            stderr=STDOUT,
            text=True,
            check=False,
        )
        assert report.exists(), done.stdout[-2000:]
        cases = ElementTree.parse(report).iter("testcase")
        return {f"{case.get('classname')}::{case.get('name')}": _outcome(case) for case in cases}


def _outcome(case: ElementTree.Element) -> tuple[str, str]:
    for child in case:
        if child.tag in ("failure", "error", "skipped"):
            outcome = "skipped" if child.tag == "skipped" else "failed"
            return outcome, (child.text or child.get("message") or "")[-2000:]
    return "passed", ""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "file" in metafunc.fixturenames:
        program = (folder_of_copies() or Path()) / "elementary" / "integration_tests"
        files = [str(path.relative_to(program)) for path in sorted(program.rglob("test_*.py"))]
        metafunc.parametrize("file", files or ["none"])


@pytest.fixture(scope="module")
def sides(
    copies: Path, adapters: tuple[DbtAdapter, DbtAdapter], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Side, Side]:
    skip_without(copies, "elementary")
    here, there = adapters
    layered = tmp_path_factory.mktemp("layered")
    checked([sys.executable, "-m", "venv", str(layered)], layered, here.environment)
    interpreter = layered / "bin" / "python"
    beneath = sysconfig.get_path("purelib")  # what is installed here, but for what the program needs besides
    folder = site.getsitepackages([str(layered)])[0]
    Path(folder, "beneath.pth").write_text(f"import site; site.addsitedir({beneath!r})\n")
    return tuple(  # type: ignore[return-value]
        _side(adapter, python, copies, tmp_path_factory.mktemp(adapter.name))
        for adapter, python in ((here, interpreter), (there, there.program.parent / "python"))
    )


def _side(adapter: DbtAdapter, python: Path, packages: Path, place: Path) -> Side:
    checked([str(python), "-m", "pip", "install", "-q", *REQUIREMENTS], place, adapter.environment)
    copied(packages, place)
    folder = place / "elementary" / "integration_tests"
    output = {**adapter.output, "schema": "of_elementary", "threads": 4}
    profile = {"elementary_tests": {"target": "postgres", "outputs": {"postgres": output}}}
    (folder / "profiles.yml").write_text(yaml.safe_dump(profile))
    return Side(adapter, python, folder)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_what_passes_with_postgres_passes_here(
    file: str, sides: tuple[Side, Side], capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = (side.results(file) for side in sides)
    with capsys.disabled():
        print(f"\n{file}: {_counts(here)}; with dbt-postgres: {_counts(there)}")
    fails = {
        name: here.get(name, ("missing", ""))
        for name, (outcome, _) in there.items()
        if outcome == "passed" and here.get(name, ("missing", ""))[0] != "passed"
    }
    assert {name: said for name, said in fails.items() if not any(part in name for part in DIFFERENCES)} == {}


def _counts(results: Mapping[str, tuple[str, str]]) -> str:
    counted = Counter(outcome for outcome, _ in results.values()).most_common()
    return ", ".join(f"{number} {outcome}" for outcome, number in counted)
