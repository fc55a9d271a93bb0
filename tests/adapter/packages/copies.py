"""Copies of dbt's packages, which a developer has and this repository has not.

`PTVC_DBT_PACKAGES` names a folder with a copy of each, under the name that it has as a package (`dbt_utils`, `codegen`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

VARIABLE = "PTVC_DBT_PACKAGES"


def folder_of_copies() -> Path | None:
    folder = os.environ.get(VARIABLE)
    return None if folder is None else Path(folder)


def skip_without(packages: Path, package: str) -> None:
    if not (packages / package).is_dir():
        pytest.skip(f"no copies of dbt packages: {VARIABLE} has no folder {package}")


def copied(packages: Path, place: Path) -> None:
    """All packages, each of whose `packages.yml` names folders beside it only."""
    for package in filter(Path.is_dir, packages.iterdir()):
        shutil.copytree(package, place / package.name, symlinks=True)
    for lock in place.rglob("package-lock.yml"):
        lock.unlink()
    for listed in place.rglob("packages.yml"):
        entries = (yaml.safe_load(listed.read_text()) or {}).get("packages") or []
        local = [{"local": str(_folder(entry, listed.parent, place))} for entry in entries]
        listed.write_text(yaml.safe_dump({"packages": local}))


def _folder(entry: Mapping[str, str], project: Path, place: Path) -> Path:
    if "local" in entry:
        return (project / entry["local"]).resolve()
    return place / entry["package"].rpartition("/")[2]
