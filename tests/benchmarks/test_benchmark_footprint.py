"""The benchmark of what a runtime takes runs, over few rows."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from benchmarks.footprint.disk import run_disk, sizes
from benchmarks.footprint.processes import held_by, own_mib, run_processes
from benchmarks.footprint.project import MAINTAINED, STAGING, write_trips_project
from benchmarks.footprint.upserts import run_upserts
from benchmarks.report import show
from benchmarks.workloads import WORKLOADS


def test_models_rest_on_models_before_them(tmp_path: Path) -> None:
    write_trips_project(tmp_path, {"type": "ptvc", "path": "./.ptvc"})
    assert len(STAGING) + len(MAINTAINED) == 23
    known = set(STAGING)
    for name in MAINTAINED:
        refs = re.findall(r"ref\('(\w+)'\)", (tmp_path / "models" / f"{name}.sql").read_text())
        assert refs
        assert set(refs) <= known
        known.add(name)
    tested = json.loads((tmp_path / "models" / "models.yml").read_text())["models"]
    assert {model["name"] for model in tested} <= known


def test_sizes_are_by_folder(tmp_path: Path) -> None:
    (tmp_path / "state" / "a").mkdir(parents=True)
    (tmp_path / "state" / "a" / "x.run").write_bytes(b"x" * (1 << 20))
    (tmp_path / "state" / "y.run").write_bytes(b"x" * (1 << 20))
    (tmp_path / "lock").write_bytes(b"x")
    assert sizes(tmp_path)["state"] == pytest.approx(2, abs=0.1)
    assert 0 < sizes(tmp_path)["lock"] < 0.1


def test_this_process_is_held() -> None:
    (first, *_) = held_by(os.getpid())
    assert first.role == "coordinator"
    assert 1 < first.own_mib <= first.resident_mib
    assert own_mib([first]) == first.own_mib


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_disk(capsys: pytest.CaptureFixture[str]) -> None:
    result = run_disk(2_000, 0.1)
    assert 0 < result.input_mib < result.once_mib
    assert result.built["blobs"] > 0
    show([result])
    assert "consensus.sqlite" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_processes(capsys: pytest.CaptureFixture[str]) -> None:
    results = run_processes(WORKLOADS["W1"], 2_000, 0.1)
    assert {held.role for r in results for held in r.processes} >= {"coordinator", "driver", "JVM"}
    assert all(0 < r.coordinator_mib < r.all_mib for r in results)
    show(results)
    assert "hydration" in capsys.readouterr().out


@pytest.mark.slow
def test_upserts_hold_a_part_of_their_state_in_memory(capsys: pytest.CaptureFixture[str]) -> None:
    results = run_upserts(keys=300_000, changes=100_000)
    assert [(r.phase, r.records) for r in results] == [
        ("every key", 300_000),
        ("changes", 100_000),
        ("restart", 300_000),
        ("changes after it", 100_000),
    ]
    whole = 300_000 * 100 / (1 << 20)
    for result in results:
        assert result.files_mib > whole / 2
        assert result.state_mib <= 32  # whatever the number of keys
        assert result.files_mib <= 3 * whole
        assert result.peak_mib >= result.resident_mib
    show([*results])
    assert "The state of an UPSERT source, 300,000 keys" in capsys.readouterr().out
