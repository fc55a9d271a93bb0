"""What a new user types first: dbt finds the adapter, and the README's project does what the README says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

README = Path(__file__).parents[2] / "README.md"
BIN = Path(sys.executable).parent


def run(command: list[str], directory: Path, answers: str = "", timeout: float = 60) -> str:
    """Its output, in a home directory of its own; it must succeed."""
    environment = {**os.environ, "HOME": str(directory), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        input=answers,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_dbt_finds_the_adapter(tmp_path: Path) -> None:
    """In an editable install too, as that of the tests."""
    assert re.search(r"Plugins:\n  - ptvc: \d", run(["dbt", "--version"], tmp_path))


def test_dbt_init_offers_it(tmp_path: Path) -> None:
    asked = run(["dbt", "init", "shop"], tmp_path, answers="1\n")
    assert "] ptvc" in asked
    profiles = yaml.safe_load((tmp_path / ".dbt" / "profiles.yml").read_text())
    assert profiles["shop"]["outputs"][profiles["shop"]["target"]]["type"] == "ptvc"


@pytest.mark.slow
def test_the_project_of_the_readme(tmp_path: Path) -> None:
    text = README.read_text()
    block = re.search(r"```sh\n(.*?)```", text[text.index("**With dbt.**") :], re.DOTALL)
    assert block is not None
    expected = re.search(r"FROM revenue .*# (.*)", block[1])
    assert expected is not None
    try:
        said = run(["bash", "-ec", block[1]], tmp_path, timeout=240)
    finally:
        run(["ptvc", "down", "--path", "shop/.ptvc"], tmp_path)
    shown = said[said.index("customer") :]
    assert re.findall(r"[\w.]+", shown)[3:] == re.findall(r"[\w.]+", expected[1])
