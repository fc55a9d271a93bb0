"""pyproject.toml names every package of the runtime: what it does not name is missing from the wheel."""

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
