"""The wheel: holds every package of the checkout, nothing else, and works where only it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LEAST_SETUPTOOLS = 77
"""From pyproject.toml: older ones do not know a licence by its SPDX name."""

pytestmark = pytest.mark.slow


def _without_network() -> list[str]:
    try:
        major = int(version("setuptools").partition(".")[0])
    except PackageNotFoundError:
        major = 0
    return ["--no-isolation"] if major >= LEAST_SETUPTOOLS else []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what is in the checkout, so that neither build/ nor *.egg-info appears there."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE", "runtime", "dbt", "scripts", "tests"):
        _copy(ROOT / name, source / name)
    target = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        *_without_network(),
        "--outdir",
        str(target),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (built,) = target.glob("*.whl")
    return built


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        target.mkdir()
        for entry in source.iterdir():
            if entry.name != "__pycache__":
                _copy(entry, target / entry.name)
    else:
        target.write_bytes(source.read_bytes())


def _files(folder: str, installed_as: str) -> Iterator[str]:
    for path in (ROOT / folder).rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"{installed_as}/{path.relative_to(ROOT / folder).as_posix()}"


def test_every_file_of_the_packages_is_there(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    expected = {*_files("runtime", "ptvc"), *_files("dbt", "dbt")}
    assert {"ptvc/py.typed", "ptvc/coord/storage/oracle.py", "dbt/include/ptvc/dbt_project.yml"} <= expected
    assert sorted(expected - names) == []
    assert sorted(names - expected) == []


def test_it_says_what_it_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (folder,) = {n.partition("/")[0] for n in archive.namelist() if ".dist-info/" in n}
        metadata = archive.read(f"{folder}/METADATA").decode()
        entry_points = archive.read(f"{folder}/entry_points.txt").decode()
        assert f"{folder}/licenses/LICENSE" in archive.namelist()
    assert "Name: dbt-ptvc\n" in metadata
    assert "License-Expression: Apache-2.0\n" in metadata
    assert "ptvc = ptvc.cli:main" in entry_points
    assert "[sqlglot.dialects]\nptvc = ptvc.dialects.plugin:Ptvc" in entry_points


CHECK = """
import sys
from pathlib import Path

import dbt.adapters  # dbt's own folder comes first: ours must join it
target = Path(sys.argv[1])
dbt.adapters.__path__.insert(0, str(target / "dbt" / "adapters"))
import dbt.include
dbt.include.__path__.insert(0, str(target / "dbt" / "include"))

import ptvc.cli, ptvc.server, ptvc.compute.spark.application
import dbt.adapters.ptvc
for module in (ptvc.server, ptvc.compute.spark.application, dbt.adapters.ptvc):
    assert Path(module.__file__).is_relative_to(target), module.__file__
macros = Path(dbt.adapters.ptvc.Plugin.include_path) / "macros"
assert macros.is_relative_to(target) and list(macros.rglob("*.sql")), macros
ptvc.cli.app(["--help"], standalone_mode=False)
"""


def test_it_works_where_it_is_installed(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*pip, "--target", str(target), str(wheel)], check=True, timeout=120, capture_output=True)
    done = subprocess.run(
        [sys.executable, "-c", CHECK, str(target)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Incrementally maintained SQL views" in done.stdout
