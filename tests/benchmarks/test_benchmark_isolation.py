"""The benchmark of isolation runs, over small data, against a runtime in this process."""

from __future__ import annotations

import os

import pytest
from inprocess import running

from benchmarks import isolation
from benchmarks.isolation import ReadResult, RunawayResult, measure_isolation
from benchmarks.report import show


def test_isolation(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(isolation, "SETTLE_S", 0.0)
    monkeypatch.setattr(isolation, "AFTER_S", 0.1)
    with running() as runtime:
        *reads, runaway = measure_isolation(runtime.connect, os.getpid(), rows=2_000, count=2)
    assert len(reads) == 4
    for read in reads:
        assert isinstance(read, ReadResult)
        assert read.idle.count == 2
        assert read.beside is not None
    assert isinstance(runaway, RunawayResult)
    assert 0 < runaway.cancel_ms < 60_000
    show([*reads, runaway])
    assert "The query that runs away" in capsys.readouterr().out
