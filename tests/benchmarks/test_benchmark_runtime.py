"""The benchmarks of a whole runtime run, over small data; their answers are checked where they are taken."""

from __future__ import annotations

import pytest

from benchmarks.end_to_end import run_end_to_end
from benchmarks.hydration import bases, run_hydration
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
@pytest.mark.parametrize("view", ["W2", "five"])
def test_hydration_as_a_job(view: str, capsys: pytest.CaptureFixture[str]) -> None:
    (base,) = bases([view], 5_000, 1)
    jobs, recomputations = run_hydration(base, 2)
    assert [job.spark_job_id is not None for job in jobs] == [True, True]
    assert all(job.wall_seconds > 0 for job in jobs)
    assert [r.program for r in recomputations] == ["Spark SQL", "DuckDB"]
    show([*jobs, *recomputations])
    assert "Spark SQL" in capsys.readouterr().out


@pytest.mark.slow
def test_hydration_of_tpch() -> None:
    """All over the largest table are jobs, however few rows that has."""
    names = ["q06", "q13", "q18"]
    (base,) = bases(names, 1, 0.002)
    jobs, recomputations = run_hydration(base, 1)
    assert [job.view for job in jobs] == names
    by_job = {job.view for job in jobs if job.spark_job_id is not None}
    assert by_job == {view.name for view in base.views if "lineitem" in view.query} == {"q06", "q18"}
    assert len(recomputations) == 2 * len(names)


def test_tables_and_views_of_tpch() -> None:
    (base,) = bases(["q01", "q18"], 1, 0.001)
    assert [view.name for view in base.views] == ["q01", "q18"]
    assert len(base.tables["orders"]) == 1_500
    assert len(base.tables["partsupp"]) == 4 * len(base.tables["part"]) == 800
    assert base.rows == len(base.tables["lineitem"])
    orders, lines = (
        set(base.tables[t][c].to_pylist()) for t, c in (("orders", "o_orderkey"), ("lineitem", "l_orderkey"))
    )
    assert lines == orders
    pairs = [set(zip(*base.tables[t].select(c).to_pydict().values(), strict=True)) for t, c in (
        ("partsupp", ["ps_partkey", "ps_suppkey"]), ("lineitem", ["l_partkey", "l_suppkey"]))]  # fmt: skip
    assert pairs[1] <= pairs[0]
    (again,) = bases(["q01"], 1, 0.001)
    assert all(again.tables[name].equals(table) for name, table in base.tables.items())


@pytest.mark.slow
def test_recovery(capsys: pytest.CaptureFixture[str]) -> None:
    result = run_recovery(5_000, 2)
    assert len(result.seconds) == 2
    show([result])
    assert "5,000" in capsys.readouterr().out
