"""The sample project's models over Kafka: left out where no broker is named, and exact over a real one."""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections import Counter
from typing import Any

import pytest
from servers.kafka.broker import KafkaBroker

from .project import Project, connected, listed

KAFKA_MODELS = {"flights_topic", "delay_by_origin", "late_carriers", "delay_by_origin_topic"}
EVENTS = 1500


@pytest.mark.slow
def test_without_a_broker_they_are_left_out_and_it_says_so(project: Project) -> None:
    models = listed(project.dbt("--quiet", "ls", "--resource-type", "model"))
    assert "on_time_by_route" in models
    assert not models & KAFKA_MODELS
    said = project.dbt("run", "--select", "stg_flights", "flights")
    assert "models/kafka is left out" in said
    assert "PTVC_SAMPLE_KAFKA" in said


@pytest.mark.slow
def test_it_is_exact_over_a_broker(project: Project, kafka: KafkaBroker, server: dict[str, Any]) -> None:
    topic, delays = (f"{name}-{uuid.uuid4().hex[:8]}" for name in ("flights", "delays"))
    variables = json.dumps({"kafka_flights": topic, "kafka_delays": delays})
    broker = {"PTVC_SAMPLE_KAFKA": kafka.bootstrap}
    for limit in (EVENTS // 2, EVENTS):  # the second time it goes on
        done = project.run(
            *(sys.executable, "replay.py", "--speed", "0", "--limit", str(limit)),
            *("--kafka", kafka.bootstrap, "--topic", topic),
        )
        assert done.returncode == 0, done.stderr
    project.dbt("run-operation", "make_kafka_connection", **broker)
    said = project.dbt(
        "build",
        "--indirect-selection",
        "cautious",
        "--select",
        "airlines",
        "path:models/kafka",
        "--vars",
        variables,
        **broker,
    )
    assert "models/kafka is left out" not in said
    wanted = delays_by_origin(kafka, topic)
    assert sum(flights for _, flights, _, _ in wanted) > EVENTS // 3
    deadline = time.monotonic() + 60
    with connected(server) as db:
        found: list[Any] = []
        while found != wanted or written(kafka, delays) != wanted:
            assert time.monotonic() < deadline, (found, written(kafka, delays), wanted)
            time.sleep(0.1)
            query = f"SELECT origin, flights, landed, total_delay FROM {project.schema}.delay_by_origin ORDER BY 1"
            found = db.execute(query.encode()).fetchall()
        [(late,)] = db.execute(f"SELECT sum(late_flights) FROM {project.schema}.late_carriers".encode())
        assert late > 0
    count = len(kafka.messages(delays))
    project.dbt("run", "--select", "path:models/kafka", "--vars", variables, **broker)
    assert written(kafka, delays) == wanted
    assert len(kafka.messages(delays)) == count, "what has not changed goes on where it is"


def delays_by_origin(kafka: KafkaBroker, topic: str) -> list[tuple[Any, ...]]:
    """What the view says, of the topic's messages."""
    messages = kafka.messages(topic)
    assert len(messages) == EVENTS
    flights: dict[bytes, dict[str, Any]] = {}
    for message in messages:
        if message.value() is None:
            del flights[message.key()]
        else:
            flights[message.key()] = json.loads(message.value())
    count, landed, total = Counter[str](), Counter[str](), Counter[str]()
    for key, flight in flights.items():
        origin = json.loads(key)["origin"]
        if flight["dep_time"] is not None:
            count[origin] += 1
            landed[origin] += flight["arr_delay"] is not None
            total[origin] += flight["arr_delay"] or 0
    return [(origin, count[origin], landed[origin], total[origin]) for origin in sorted(count)]


def written(kafka: KafkaBroker, topic: str) -> list[tuple[Any, ...]]:
    last = {message.key(): json.loads(message.value()) for message in kafka.messages(topic)}
    return sorted(tuple(row.values()) for row in last.values())
