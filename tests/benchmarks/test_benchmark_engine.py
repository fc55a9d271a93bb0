"""Every workload runs, over small data, and its answers are checked; a wrong answer does not pass."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from ptvc.repr.batch import Batch
from typer.testing import CliRunner

from benchmarks import memory
from benchmarks.__main__ import app
from benchmarks.engine import Run, WrongAnswer, application, run_in_process, run_resident
from benchmarks.memory import run_memory
from benchmarks.subjects import InProcess
from benchmarks.workloads import CUSTOMERS, ORDERS, WORKLOADS, Data, answer, rows_of

BASE = 2_000
SIZES = [1, 10, 400]
FEW = 0.02


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_workload_runs_in_this_process(name: str) -> None:
    run = run_in_process(WORKLOADS[name], BASE, SIZES, FEW)
    assert [step.change_rows for step in run.steps] == SIZES
    for step in run.steps:
        assert step.engine.count >= 4
        assert 0 < step.engine.least_ms <= step.engine.median_ms <= step.engine.p99_ms <= step.engine.max_ms
        assert (step.against_reference is None) == (WORKLOADS[name].reference == "")
    assert run.hydration.seconds > 0
    assert run.hydration.input_mib > 0


def test_a_wrong_answer_is_found() -> None:
    workload = WORKLOADS["W1"]

    class Forgetful(InProcess):
        def step(self, change: Batch) -> Batch:
            return super().step(change).slice(0, 0)

    run = Run("process", workload, BASE, lambda kind: Forgetful(kind, workload, BASE))
    with pytest.raises(WrongAnswer, match=r"W1 by the engine \(process, base 2,000\)"):
        run.measure([100], FEW)


@pytest.mark.parametrize("name", WORKLOADS)
def test_changes_keep_the_base_consistent(name: str) -> None:
    workload = WORKLOADS[name]
    data, twin = Data(workload, 500, seed=7), Data(workload, 500, seed=7)
    held = {row[0]: row for row in rows_of(list(data.base(1)[ORDERS].columns))}
    for time, size in enumerate([1, 100, 1, 1, 37, 250, 1, 400], start=2):
        change = data.change(size, time)
        again = twin.change(size, time)
        assert len(change) == size
        assert change.columns == again.columns
        assert (change.diffs == again.diffs).all()
        rows = list(zip(*(column.to_pylist() for column in change.columns), strict=True))
        for row, diff in zip(rows, change.diffs.tolist(), strict=True):
            if diff < 0:
                assert held.pop(row[0]) == row
            else:
                assert row[0] not in held
                held[row[0]] = row
    orders = data.tables()[workload.changing]
    assert rows_of(orders.columns) == set(held.values())
    assert 490 <= len(orders) <= 500


def test_the_answer_of_a_join_is_right() -> None:
    workload = WORKLOADS["W2"]
    data = Data(workload, 50, seed=3)
    base = data.base(1)
    segments = dict(zip(*(column.to_pylist() for column in base[CUSTOMERS].columns), strict=True))
    totals: dict[tuple[object, ...], list[int]] = {}
    for _, customer, amount in zip(*(c.to_pylist() for c in base[ORDERS].columns), strict=True):
        totals.setdefault((customer, segments[customer]), []).append(amount)
    assert answer(workload, data.tables()) == {(*k, len(v), sum(v)) for k, v in totals.items()}


def test_a_change_larger_than_the_base_is_refused() -> None:
    with pytest.raises(ValueError, match="Cannot take a larger sample"):
        Data(WORKLOADS["W1"], 10).change(100, 2)
    assert np.array_equal(Data(WORKLOADS["W1"], 10).change(10, 2).diffs, [-1] * 5 + [1] * 5)


def test_the_command_writes_json(tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    options = ["--bases", "500,1000", "--changes", "1,10", "--workloads", "W1", "--places", "process"]
    result = CliRunner().invoke(app, ["engine", *options, "--scale", "0.01", "--output", str(output)])
    assert result.exit_code == 0, result.output
    assert "Growth with the base" in result.output
    results = json.loads(output.read_text())
    assert results["machine"]["cpus"] >= 1
    assert [(s["base_rows"], s["change_rows"]) for s in results["StepResult"]] == [
        (500, 1),
        (500, 10),
        (1000, 1),
        (1000, 10),
    ]
    assert all(s["engine"]["cpu_ms"] >= 0 and s["load_1min"] >= 0 for s in results["StepResult"])
    assert len(results["HydrationResult"]) == 2


@pytest.mark.parametrize("options", [["--workloads", "W9"], ["--places", "moon"], ["--bases", "many"]])
def test_a_bad_option_is_named(options: list[str]) -> None:
    result = CliRunner().invoke(app, ["engine", *options])
    assert result.exit_code == 2
    assert options[1] in result.output


@pytest.mark.slow
def test_resident_tasks_give_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    with application() as spark:
        for workload in WORKLOADS.values():
            run = run_resident(spark, workload, BASE, SIZES, FEW)
            assert [step.place for step in run.steps] == ["resident"] * len(SIZES)
            assert run.hydration.peak_mib > 0
        monkeypatch.setattr(memory, "REST_S", 0.0)
        hydrated, *stepped = run_memory(spark, WORKLOADS["W2"], BASE, SIZES, FEW)
        assert (hydrated.change_rows, hydrated.peak_mib) == (0, None)
        assert [result.change_rows for result in stepped] == SIZES
        for result in stepped:
            assert result.median_mib is not None
            assert result.peak_mib is not None
            assert result.median_mib <= result.peak_mib
