"""The benchmarks of a whole runtime run, over small data; their answers are checked where they are taken."""

from __future__ import annotations

import pytest

from benchmarks.end_to_end import run_end_to_end
from benchmarks.hydration import VIEWS, run_hydration
from benchmarks.recovery import run_recovery
from benchmarks.report import show


@pytest.mark.slow
def test_end_to_end() -> None:
    results = run_end_to_end(base_rows=500, count=5)
    assert [result.read for result in results] == ["view", "index"]
    for result in results:
        assert result.whole.count == 5
        assert result.visible.median_ms <= result.whole.max_ms
        assert result.cpu_ms_each > 0


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_hydration_as_a_job(view: str, capsys: pytest.CaptureFixture[str]) -> None:
    jobs, recomputations = run_hydration(VIEWS[view](5_000), 2)
    assert [job.spark_job_id is not None for job in jobs] == [True, True]
    assert all(job.wall_seconds > 0 for job in jobs)
    assert [r.program for r in recomputations] == ["Spark SQL", "DuckDB"]
    show([*jobs, *recomputations])
    assert "Spark SQL" in capsys.readouterr().out


@pytest.mark.slow
def test_recovery(capsys: pytest.CaptureFixture[str]) -> None:
    result = run_recovery(5_000, 2)
    assert len(result.seconds) == 2
    show([result])
    assert "5,000" in capsys.readouterr().out
