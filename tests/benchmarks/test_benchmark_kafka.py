"""The benchmarks of KAFKA sources and sinks run, and every message comes."""

from __future__ import annotations

from servers.kafka_broker import KafkaBroker
from servers.schema_registry import schema_registry
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.kafka import run_backlogs, run_sinks


def test_a_backlog(kafka: KafkaBroker) -> None:
    results = list(run_backlogs(kafka.bootstrap, 2_000))
    assert [(r.source, r.messages, r.rows) for r in results] == [
        ("append", 2_000, 2_000),
        ("upsert", 2_000, 2_000),
        ("jsonb", 2_000, 2_000),
    ]
    assert all(result.per_second > 0 for result in results)


def test_the_command(kafka: KafkaBroker) -> None:
    arguments = [
        "kafka",
        "--broker",
        kafka.bootstrap,
        "--messages",
        "0",
        "--rate",
        "50",
        "--seconds",
        "2",
        "--sink-rows",
        "0",
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output


def test_sinks(kafka: KafkaBroker) -> None:
    with schema_registry() as registry:
        results = list(run_sinks(kafka.bootstrap, 2_000, registry.url))
    assert [(r.sink, r.what, r.messages) for r in results] == [
        (sink, what, 2_000)
        for sink in ("json upsert", "json debezium", "avro upsert")
        for what in ("contents", "updates")
    ]
    assert all(result.per_second > 0 and result.nbytes > 0 for result in results)
