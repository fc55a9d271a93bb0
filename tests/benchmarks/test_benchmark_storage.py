"""Storage follows what is there, not what has happened; so does the cost of an append."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.storage import run_append_cost, run_storage


def test_storage_is_proportional_to_what_is_there() -> None:
    result = run_storage(keys=1_000, updates=21_000, per_append=200)
    assert result.ratio <= 2
    assert result.batches <= 20


def test_an_append_reads_no_history() -> None:
    few, many = run_append_cost((10, 500), repeats=15)
    assert (few.history, many.history) == (10, 500)
    assert many.median_ms < 5 * few.median_ms


def test_the_command() -> None:
    arguments = ["storage", "--keys", "200", "--updates", "1200", "--per-append", "50", "--histories", "5,20"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_million_updates_of_ten_thousand_rows() -> None:
    assert run_storage(keys=10_000, updates=1_000_000, per_append=1_000).ratio <= 2


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_an_append_after_a_hundred_thousand_batches() -> None:
    few, many = run_append_cost((100, 100_000))
    assert many.median_ms < 1.5 * few.median_ms
