"""The benchmark of one-off queries runs, over small data, against a runtime in this process."""

from __future__ import annotations

import time

import psycopg
import pytest
from inprocess import running

from benchmarks.reads import QUERIES, measure_reads
from benchmarks.report import show


def test_reads(empty_database: str, capsys: pytest.CaptureFixture[str]) -> None:
    with (
        running() as runtime,
        runtime.connect() as first,
        runtime.connect() as second,
        psycopg.connect(empty_database, autocommit=True) as server,
    ):
        results = measure_reads((first, second), time.process_time, server, rows=2_000, repeats=3)
    assert [result.query for result in results] == list(QUERIES)
    for result in results:
        assert result.two_at_once.count == 6
        assert result.duckdb is not None
        for latencies in (result.ptvc, result.postgres, result.duckdb):
            assert latencies.count == 3
            assert 0 < latencies.median_ms <= latencies.max_ms
    show(list(results))
    assert "relationships test" in capsys.readouterr().out
