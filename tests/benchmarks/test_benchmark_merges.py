"""Merges are measured on runs that are merged right."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from benchmarks import merges
from benchmarks.__main__ import app


@pytest.mark.parametrize("text", [False, True])
def test_a_merge(text: bool) -> None:
    result = merges.run_merge(40_000, 20_000, text, repeats=2)
    assert result.merge.count == 2
    assert result.ns_per_row == pytest.approx(result.merge.median_ms * 1e6 / 60_000)


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merges, "SIZES", ((2_000, 1_000),))
    result = CliRunner().invoke(app, ["merges"])
    assert result.exit_code == 0, result.output
    assert "ns per row" in result.output
