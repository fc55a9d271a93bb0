"""Storage follows what is there, not what has happened; so does the cost of an append."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.appends import DATABASES, run_append_cost, run_append_rate
from benchmarks.storage import run_storage


def test_storage_is_proportional_to_what_is_there() -> None:
    result = run_storage(keys=1_000, updates=21_000, per_append=200)
    assert result.ratio <= 2
    assert result.batches <= 20


@pytest.mark.parametrize("database", DATABASES)
def test_an_append_reads_no_history(database: str) -> None:
    few, many = run_append_cost((10, 500), database, repeats=15)
    assert (few.history, many.history) == (10, 500)
    assert many.median_ms < 5 * few.median_ms


@pytest.mark.parametrize("database", DATABASES)
def test_a_race(database: str) -> None:
    rate = run_append_rate(database, writers=2, appends=20)
    assert rate.per_second > 0


def test_the_command() -> None:
    arguments = ["storage", "--keys", "200", "--updates", "1200", "--per-append", "50", "--histories", "5,20"]
    arguments += ["--appends", "10", "--writers", "1", "--databases", "SQLite"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_million_updates_of_ten_thousand_rows() -> None:
    assert run_storage(keys=10_000, updates=1_000_000, per_append=1_000).ratio <= 2


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("database", DATABASES)
def test_an_append_after_ten_thousand_batches(database: str) -> None:
    few, many = run_append_cost((100, 10_000), database)
    assert many.median_ms < 1.5 * few.median_ms
