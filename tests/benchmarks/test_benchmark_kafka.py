"""The benchmark of KAFKA sources runs, and every message comes."""

from __future__ import annotations

from servers.kafka_broker import KafkaBroker
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.kafka import run_backlogs


def test_a_backlog(kafka: KafkaBroker) -> None:
    results = list(run_backlogs(kafka.bootstrap, 2_000))
    assert [(r.source, r.messages, r.rows) for r in results] == [
        ("append", 2_000, 2_000),
        ("upsert", 2_000, 2_000),
        ("jsonb", 2_000, 2_000),
    ]
    assert all(result.per_second > 0 for result in results)


def test_the_command(kafka: KafkaBroker) -> None:
    arguments = ["kafka", "--broker", kafka.bootstrap, "--messages", "0", "--rate", "50", "--seconds", "2"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
