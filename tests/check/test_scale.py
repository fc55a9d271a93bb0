"""Projects of the size that teams have: all of it is checked, in seconds."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest
from ptvc.check.lineage import graph
from ptvc.check.run import of_manifest, of_project

from .generated_project import write_compiled, write_project

CPU_S_A_MODEL = 0.02
"""Four times what it takes: what this looks for is growth with the square."""


@pytest.mark.parametrize("models", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_a_project_is_checked_in_time(tmp_path: Path, models: int) -> None:
    names = write_project(tmp_path, models)
    with of_project(tmp_path, ["--profiles-dir", str(tmp_path)]) as subject:
        began = process_time()
        version = subject.check()
        taken = process_time() - began
    assert version.result.findings == []
    assert version.result.not_checked == []
    assert sum(1 for id_ in version.result.checked if id_.startswith("model.")) == len(names)
    assert taken < 2 + models * CPU_S_A_MODEL


@pytest.mark.parametrize("models", [60, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_compiled_manifest_says_the_same(tmp_path: Path, models: int) -> None:
    write_project(tmp_path, models)
    compiled = write_compiled(tmp_path)
    began = process_time()
    with of_manifest(compiled, tmp_path) as subject:
        version = subject.check()
        found = graph(subject.project, version.result, subject.environment)
    assert process_time() - began < 2 + models * CPU_S_A_MODEL
    assert version.result.findings == []
    assert len(found.relations) == models
