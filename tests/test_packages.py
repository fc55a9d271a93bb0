"""Packages: pyproject.toml names every one (what it does not name is missing from the wheel), and none is crowded."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_package_is_named() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        named = {
            name
            for name in tomllib.load(file)["tool"]["setuptools"]["packages"]
            if name.partition(".")[0] == "ptvc"
        }
    runtime = ROOT / "runtime"
    there = {
        ".".join(("ptvc", *path.parent.relative_to(runtime).parts)) for path in runtime.rglob("__init__.py")
    }
    assert named == there


MOST_MODULES = 25
"""Of a folder, besides `__init__.py`: more are not found by reading names."""


def test_no_folder_is_crowded() -> None:
    folders: dict[str, int] = {}
    for top in ("runtime", "dbt", "tests", "benchmarks"):
        for path in (ROOT / top).rglob("*.py"):
            if path.name != "__init__.py":
                folder = path.parent.relative_to(ROOT).as_posix()
                folders[folder] = folders.get(folder, 0) + 1
    assert {folder: count for folder, count in folders.items() if count > MOST_MODULES} == {}
