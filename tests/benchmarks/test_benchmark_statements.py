"""The benchmark of small statements runs, over small data, against a runtime in this process."""

from __future__ import annotations

import json
import time
from pathlib import Path

import psycopg
import pytest
from inprocess import running
from psycopg.conninfo import conninfo_to_dict
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.postgres import postgres
from benchmarks.report import show
from benchmarks.statements import measure_statements
from benchmarks.statements.pgbench import measure_pgbench


def test_statements(capsys: pytest.CaptureFixture[str]) -> None:
    with running() as runtime:
        results = measure_statements(runtime.connect, time.process_time, rows=200, count=5)
    assert len({result.statement for result in results}) == len(results)
    for result in results:
        assert result.latencies.count == 5
        assert 0 < result.latencies.median_ms <= result.latencies.p99_ms
        assert result.cpu_ms_each > 0
    show(list(results))
    shown = capsys.readouterr().out
    assert all(f"look-up{by}, prepared" in shown for by in ("", " by primary key"))
    assert all(f"{change} by primary key" in shown for change in ("UPDATE", "DELETE"))


def test_planning(tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    result = CliRunner().invoke(app, ["statements", "--planning", "--count", "5", "--output", str(output)])
    assert result.exit_code == 0, result.output
    assert "TPC-H Q5" in result.output
    cold, cached = json.loads(output.read_text())["PlanningResult"][2:]
    assert cached["latencies"]["least_ms"] < cold["latencies"]["least_ms"]


@pytest.mark.slow
def test_pgbench() -> None:
    with running() as runtime, postgres() as server, runtime.connect() as connection:
        databases = {
            "ptvc": {
                "host": "127.0.0.1",
                "port": str(connection.info.port),
                "user": "ptvc",
                "dbname": "ptvc",
            },
            "PostgreSQL": {name: str(value) for name, value in conninfo_to_dict(server.uri).items()},
        }
        results = list(
            measure_pgbench(server.program("pgbench"), databases, 1, ("--transactions", "5"), (1, 2))
        )
        assert len(results) == 2 * 2 * 2 * 3
        assert all(result.tps > 0 for result in results)
        # With both protocols, and one and two clients, the two scripts that write: five transactions of each client.
        counts = [connection.execute("SELECT count(*) FROM pgbench_history").fetchone()]
        with psycopg.connect(server.uri) as other:
            counts.append(other.execute("SELECT count(*) FROM pgbench_history").fetchone())
        assert counts == [(2 * 2 * (5 + 10),)] * 2
