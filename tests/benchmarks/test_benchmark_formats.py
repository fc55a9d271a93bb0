"""Formats are measured on payloads that are read right."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.formats import payloads


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payloads.run_formats, "__defaults__", (300, 2))
    result = CliRunner().invoke(app, ["formats"])
    assert result.exit_code == 0, result.output
    assert "payloads/s" in result.output
    assert "debezium, json" in result.output


def test_what_is_measured() -> None:
    results = payloads.run_formats(200, repeats=2)
    assert [(r.payloads, r.batch.count) for r in results] == [(600, 2)] * 2 + [(200, 2)] * 5
    assert results[0].per_second == pytest.approx(600 / results[0].batch.median_ms * 1e3)
