"""The benchmark of responsiveness runs, over small data, against a runtime in this process."""

from __future__ import annotations

from pathlib import Path

import pytest
from inprocess import running

from benchmarks import responsiveness
from benchmarks.report import show
from benchmarks.responsiveness import measure_responsiveness


def test_responsiveness(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(responsiveness, "LITERAL_BYTES", 1 << 20)
    log = tmp_path / "log"
    log.write_text("the event loop stood still for 77 ms in:\n")  # before anything is measured
    with running() as runtime:
        results = measure_responsiveness(runtime.connect, runtime.port, log, rows=2_000, seconds=0.1)
    assert (results[0].load, results[-1].load) == ("nothing", "all of it")
    assert all(r.probe.count > 0 and r.stalls == 0 for r in results)
    show(list(results))
    assert "SELECT 1 while others work" in capsys.readouterr().out
