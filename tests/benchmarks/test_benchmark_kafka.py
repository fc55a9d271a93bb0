"""The benchmarks of KAFKA sources and sinks run, and every message comes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from servers.kafka.broker import KafkaBroker
from servers.schema_registry import schema_registry
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.kafka import run_backlogs, run_sinks


@pytest.mark.slow
def test_a_backlog(kafka: KafkaBroker) -> None:
    results = list(run_backlogs(kafka.bootstrap, 2_000))
    assert [(r.source, r.messages, r.rows) for r in results] == [
        ("append", 2_000, 2_000),
        ("upsert", 2_000, 2_000),
        ("jsonb", 2_000, 2_000),
        ("append, 1 worker", 2_000, 2_000),
        ("append, 2 workers", 2_000, 2_000),
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


def test_without_the_jars_of_flink_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(app, ["kafka", "--broker", "127.0.0.1:1", "--flink"])
    assert result.exit_code == 1
    assert "there is no program mvn" in " ".join(result.output.split())


@pytest.mark.slow
def test_flink_reads_the_same_topic(kafka: KafkaBroker) -> None:
    if shutil.which("mvn") is None:
        pytest.skip("the jars of Flink come from Maven Central: there is no program mvn")
    results = list(run_backlogs(kafka.bootstrap, 2_000, flink=True))[5:]
    assert [(r.source, r.messages, r.rows) for r in results] == [
        ("append, dropped", 2_000, 2_000),
        ("upsert, dropped", 2_000, 2_000),
        ("upsert, counted", 2_000, 2_000),
    ]
    assert all(result.per_second > 0 and result.start_s for result in results)


@pytest.mark.slow
def test_sinks(kafka: KafkaBroker) -> None:
    with schema_registry() as registry:
        results = list(run_sinks(kafka.bootstrap, 2_000, registry.url))
    assert [(r.sink, r.what, r.messages) for r in results] == [
        (sink, what, 2_000)
        for sink in ("json upsert", "json debezium", "avro upsert")
        for what in ("contents", "updates")
    ]
    assert all(result.per_second > 0 and result.nbytes > 0 for result in results)
