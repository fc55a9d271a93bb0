"""`ptvc port` from outside: what it prints and writes, and what it exits with."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from ptvc.cli import app
from typer.testing import CliRunner

from .test_projects import PROJECTS


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["port", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PROJECTS / "fleet", tmp_path / "fleet"))


def of(root: Path) -> tuple[str | Path, ...]:
    return "--from", "databricks", "--project-dir", root


def files(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def test_without_a_target_it_only_reports(root: Path) -> None:
    before = files(root)
    code, output, _ = run(*of(root))
    assert code == 1
    assert files(root) == before
    assert "nothing is written" in output
    assert "--> models/exploded.sql:1:12" in output
    assert "2 ported, 0 kept, 2 doubtful, 0 untouched" in output


def test_a_copy(root: Path, tmp_path: Path) -> None:
    (root / "models/logs").mkdir()
    (root / "models/logs/lines.sql").write_text("select 1 as id")
    before = files(root)
    for name in ("logs", "target"):
        (root / name).mkdir()
        (root / name / "of_dbt").write_text("")
    code, output, _ = run(*of(root), "--out", tmp_path / "out")
    assert code == 1
    after = files(tmp_path / "out")
    assert set(after) == set(before)
    assert {name: text for name, text in files(root).items() if name in before} == before
    assert "date_trunc('month'" in after["models/trucks.sql"]
    assert f"ptvc check --project-dir {tmp_path / 'out'}" in output.replace("\n", "")


def test_a_copy_is_not_made_over_anything(root: Path, tmp_path: Path) -> None:
    code, _, said = run(*of(root), "--out", root)
    assert (code, "is not empty" in said) == (2, True)
    code, _, said = run(*of(root), "--out", root / "inside")
    assert (code, "in the project itself" in said) == (2, True)
    assert not (root / "inside").exists()


def test_in_place(root: Path) -> None:
    code, _, said = run(*of(root), "--write")
    assert code == 1
    assert "not in Git" in said
    text = (root / "models/trucks.sql").read_text()
    assert "materialized_view" in text
    assert text.startswith("-- ptvc port: materialized: streaming_table is materialized_view here")


def test_in_place_with_changes_that_are_not_committed(root: Path) -> None:
    git = ["git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@y"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "all"], check=True)
    assert "warning" not in run(*of(root), "--write")[2]
    assert "not committed" in run(*of(root), "--write")[2]


def test_some_models(root: Path) -> None:
    code, output, _ = run(*of(root), "--models", "base_trips", "--json")
    document = json.loads(output)
    assert code == 0
    outcomes = {one["file"]: one["outcome"] for one in document["files"]}
    assert outcomes["models/base_trips.sql"] == "ported"
    assert outcomes["models/exploded.sql"] == "untouched"
    assert "dbt_project.yml" not in outcomes
    assert run(*of(root), "--models", "no_such")[0] == 2


def test_json_with_a_check(root: Path) -> None:
    code, output, _ = run(*of(root), "--json", "--check")
    document = json.loads(output)
    assert code == 1
    assert set(document) == {
        "version",
        "ptvc",
        "project",
        "from",
        "written_to",
        "summary",
        "files",
        "profiles",
        "check",
    }
    assert document["summary"] | {"seconds": 0} == {
        "ported": 2,
        "kept": 0,
        "doubtful": 2,
        "untouched": 0,
        "seconds": 0,
    }
    (doubtful,) = [one for one in document["files"] if one["file"] == "models/exploded.sql"]
    assert [(note["kind"], note["line"], note["column"]) for note in doubtful["notes"]] == [("doubt", 1, 12)]
    assert [one["file"] for one in document["check"]["findings"]] == ["models/exploded.sql"]


def test_nothing_doubtful(root: Path) -> None:
    (root / "models/exploded.sql").unlink()
    (root / "models/trucks.sql").unlink()
    code, output, _ = run(*of(root), "--check")
    assert code == 0
    assert "check: 0 errors" in output


def test_what_is_no_project(tmp_path: Path) -> None:
    code, _, said = run(*of(tmp_path))
    assert (code, "there is no dbt_project.yml" in said) == (2, True)
    assert run("--from", "oracle", "--project-dir", tmp_path)[0] == 2
