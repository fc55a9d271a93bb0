"""Sinks into lakes are measured on what they have committed."""

from __future__ import annotations

from typer.testing import CliRunner

from benchmarks.__main__ import app


def test_the_command() -> None:
    result = CliRunner().invoke(app, ["lakes", "--rows", "200", "--repeats", "1"])
    assert result.exit_code == 0, result.output
    assert "Iceberg, UPSERT" in result.output
    assert "a second of CPU" in result.output
