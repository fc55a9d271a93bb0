"""KAFKA sinks of whole runtimes whose replicas, coordinators and brokers are killed over random workloads; copies of runtimes."""

from __future__ import annotations

import json
import shutil
import uuid
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, rows
from servers.kafka.broker import KafkaBroker

Db = psycopg.Connection[tuple[Any, ...]]
STEPS = 12


def define(db: Db, kafka: KafkaBroker, topic: str, envelope: str) -> None:
    db.execute("CREATE TABLE t (k int, v int)")
    db.execute("INSERT INTO t SELECT i % 40, i FROM generate_series(1, 400) g (i)")
    db.execute(
        "CREATE MATERIALIZED VIEW sums AS SELECT k, sum(v)::bigint AS v, count(*) AS n FROM t GROUP BY k"
    )
    db.execute(
        f"CREATE CONNECTION k TO KAFKA (BROKER '{kafka.bootstrap}', SECURITY PROTOCOL PLAINTEXT, "
        f"PROGRESS TOPIC 'progress-{topic}')".encode()
    )
    db.execute(
        f"CREATE SINK s FROM sums INTO KAFKA CONNECTION k (TOPIC '{topic}', TOPIC PARTITION COUNT 2) "
        f"KEY (k) FORMAT JSON ENVELOPE {envelope}".encode()
    )


def folded(kafka: KafkaBroker, topic: str, envelope: str) -> Counter[str]:
    """What a reader of committed messages holds; nothing comes twice, and nothing goes that is not there."""
    if topic not in kafka.admin.list_topics(timeout=30).topics:
        return Counter()
    held: dict[bytes, Any] = {}
    for message in kafka.messages(topic):
        key, value = message.key(), json.loads(message.value() or "null")
        if envelope == "DEBEZIUM":
            assert held.get(key) == value["before"]
            value = value["after"]
        assert held.get(key) != value
        held[key] = value
        if value is None:
            del held[key]
    return Counter(json.dumps(value) for value in held.values())


def wanted(db: Db) -> Counter[str]:
    return Counter(json.dumps({"k": k, "v": v, "n": n}) for k, v, n in rows(db, "SELECT k, v, n FROM sums"))


def work(db: Db, random: Random) -> None:
    match random.randrange(3):
        case 0:
            db.execute("INSERT INTO t VALUES (%s, %s)", (random.randrange(50), random.randrange(100)))
        case 1:
            db.execute("DELETE FROM t WHERE k = %s", (random.randrange(50),))
        case _:
            db.execute("UPDATE t SET v = v + 1 WHERE k %% 7 = %s", (random.randrange(7),))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_reader_has_the_view_whatever_is_killed(fresh: InProcess, kafka: KafkaBroker, seed: int) -> None:
    random, topic = Random(seed), f"out-{uuid.uuid4().hex[:12]}"
    envelope = random.choice(("UPSERT", "DEBEZIUM"))
    with fresh.connect() as db:
        define(db, kafka, topic, envelope)
    for _ in range(STEPS):
        with fresh.connect() as db:
            for _ in range(random.randrange(1, 6)):
                work(db, random)
            if random.random() < 0.3:
                eventually(lambda: folded(kafka, topic, envelope) == wanted(db))
        match random.randrange(5):
            case 0:
                fresh.kill_replica()
            case 1:
                fresh.abandon()
                fresh.start()
            case 2:
                kafka.restart()
            case _:
                pass
    with fresh.connect() as db:
        eventually(lambda: folded(kafka, topic, envelope) == wanted(db))


def status(db: Db) -> tuple[Any, ...]:
    return rows(db, "SELECT status, error FROM mz_internal.mz_sink_statuses WHERE name = 's'")[0]


def now(db: Db) -> int:
    return int(rows(db, "SELECT mz_now()")[0][0])


@pytest.mark.slow
def test_a_copy_of_a_runtime_and_the_runtime(fresh: InProcess, kafka: KafkaBroker, tmp_path: Path) -> None:
    """Both write as one sink: one of them does, and the other one says so."""
    topic = f"out-{uuid.uuid4().hex[:12]}"
    with fresh.connect() as db:
        define(db, kafka, topic, "UPSERT")
        eventually(lambda: folded(kafka, topic, "UPSERT") == wanted(db))
    fresh.stop()
    shutil.copytree(fresh.directory, tmp_path / "copy", ignore=shutil.ignore_patterns("*.sock"))
    copy = InProcess(tmp_path / "copy", FAST, None, False, False, None, None)
    fresh.start()
    with fresh.connect() as db:
        db.execute("INSERT INTO t VALUES (100, 1)")
        eventually(lambda: folded(kafka, topic, "UPSERT") == wanted(db))
        copy.start()
        try:
            with copy.connect() as other:
                eventually(lambda: status(other)[0] == "running")  # from then on it is the one
                written = now(db)  # whatever comes before that is taken to be there
                eventually(lambda: now(other) > written + 1)
                other.execute("INSERT INTO t VALUES (200, 2)")
                eventually(lambda: '{"k": 200, "v": 2, "n": 1}' in folded(kafka, topic, "UPSERT"))
                db.execute("INSERT INTO t VALUES (300, 3)")
                eventually(lambda: status(db)[0] == "failed")
                assert "another process writes to topic" in status(db)[1]
                other.execute("INSERT INTO t VALUES (201, 2)")
                eventually(lambda: '{"k": 201, "v": 2, "n": 1}' in folded(kafka, topic, "UPSERT"))
                assert '{"k": 300, "v": 3, "n": 1}' not in folded(kafka, topic, "UPSERT")
        finally:
            copy.stop()
