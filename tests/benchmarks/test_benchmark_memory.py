"""State stays within the size of its input, after any number of changes: by the bytes that are held, as what
allocators keep beside them depends on the machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from ptvc.compute import merge, spine
from ptvc.compute.run import Run
from ptvc.repr.batch import NO_ERRORS, Batch, Delta

from benchmarks.subjects import HYDRATION_TIME, Engine
from benchmarks.workloads import ORDERS, WORKLOADS, Data

BASE = 50_000
ROWS = 1_000
STEPS = 150


@pytest.fixture(autouse=True)
def _merges_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "_shared", (os.getpid(), merge.MergeWorker(inline=True)))


def held(engine: Engine) -> int:
    return sum(spine.nbytes for spine in engine.dataflow.spines().values())


@pytest.mark.parametrize(
    ("name", "hydrated", "changed"),
    [("W1", 0.12, 0.17), ("W2", 0.75, 2.2), ("W3", 0.72, 1.5), ("W4", 1.6, 2.85), ("W5", 0.65, 0.85)],
)
def test_state_is_bounded_by_its_input(
    monkeypatch: pytest.MonkeyPatch, name: str, hydrated: float, changed: float
) -> None:
    """`hydrated` and `changed`: the most bytes per byte of the input, at first and after changes to three times its
    rows; the result of a merge, which is there beside what it replaces, included."""
    data = Data(WORKLOADS[name], BASE)
    engine = Engine(WORKLOADS[name])
    base = data.base(HYDRATION_TIME)
    size = sum(batch.nbytes for batch in base.values())
    engine.hydrate(base)
    first = held(engine) / size
    most = 0.0
    merge_runs = merge.merge_runs

    def watched(runs: Sequence[Run], *args: Any) -> Run:
        nonlocal most
        merged = merge_runs(runs, *args)
        most = max(most, (held(engine) + merged.nbytes) / size)
        return merged

    monkeypatch.setattr(spine, "merge_runs", watched)
    for step in range(STEPS):
        engine.step(data.change(ROWS, HYDRATION_TIME + 1 + step))
        most = max(most, held(engine) / size)
    assert first <= hydrated
    assert most <= changed


def test_a_step_of_many_times_costs_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers still tell the times of the newest step apart: they are left out of large merges."""
    data = Data(WORKLOADS["W2"], BASE)
    engine = Engine(WORKLOADS["W2"])
    base = data.base(HYDRATION_TIME)
    size = sum(batch.nbytes for batch in base.values())
    engine.hydrate(base)
    most = 0.0
    for _ in range(STEPS):
        lower = engine.dataflow.upper
        change = data.change(ROWS, lower)
        times = change.times + (np.arange(ROWS) % 2).astype(np.uint64)
        change = Batch(change.columns, times, change.diffs)
        engine.dataflow.step({ORDERS: Delta(change, NO_ERRORS)}, lower, lower + 2)
        most = max(most, held(engine) / size)
    assert most <= 1.5
