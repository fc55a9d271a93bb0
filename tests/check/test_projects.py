"""Whole projects, those that are run against a runtime elsewhere: they are right, and what is said of their lineage is complete."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from dbt.adapters.factory import FACTORY
from ptvc.check.lineage import graph
from ptvc.check.run import of_project

ROOT = Path(__file__).parents[2]
PROJECTS = {
    "bakery": ROOT / "tests" / "adapter" / "projects" / "bakery",
    "harbour": ROOT / "tests" / "adapter" / "projects" / "harbour",
}


@pytest.mark.parametrize("name", PROJECTS)
def test_a_project_that_runs_is_right(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARBOUR_DATA", str(tmp_path))
    root = tmp_path / name
    shutil.copytree(PROJECTS[name], root)
    profile = yaml.safe_load((root / "dbt_project.yml").read_text())["profile"]
    output = {"type": "ptvc", "host": "127.0.0.1", "port": 1, "schema": name}
    (root / "profiles.yml").write_text(
        yaml.safe_dump({profile: {"target": "dev", "outputs": {"dev": output}}})
    )
    with of_project(root, ["--profiles-dir", str(root)]) as subject:
        version = subject.check()
        found = graph(subject.project, version.result, subject.environment)
        assert "ptvc" in FACTORY.adapters
    assert not FACTORY.adapters  # whoever runs dbt in this process next connects to a runtime
    assert version.result.findings == []
    assert version.result.not_checked == []
    computed = [c for c in version.result.checked.values() if c.node.type in ("model", "snapshot") and c.sql]
    for checked in computed:
        if checked.node.kind == "source":
            continue
        lineage = found.relations[checked.node.id]
        if checked.node.kind not in ("index", "sink"):
            assert tuple(lineage.columns) == checked.schema.names
        # What it reads, by its lineage, is among what dbt knows that it reads, but for ephemeral models in between.
        direct = {id_ for id_ in checked.node.depends_on if subject.project.nodes[id_].kind != "ephemeral"}
        assert set(lineage.inputs) <= direct or direct != set(checked.node.depends_on)
