"""KAFKA sources of a cluster with WORKERS: a backlog is read by all of them, and the leader goes on behind it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from inprocess import InProcess, eventually, rows
from ptvc.replica import ingest
from ptvc.replica.workers.source_shares import SharesAmongWorkers
from ptvc.storage.shares import OF_WORKERS
from ptvc.storage.source.kafka import connector
from servers.kafka.broker import KafkaBroker

from .sources import connect, objects, shows, statistics


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many shares each reading had."""
    monkeypatch.setattr(ingest, "WORKERS_MIN_BYTES", 10_000)
    monkeypatch.setattr(ingest, "OF_WORKERS", replace(OF_WORKERS, messages=1_000))
    # What is read first, to know how large messages are, is not all there is, however soon it comes.
    monkeypatch.setattr(connector, "_MOST", 1_000)
    found: list[int] = []
    read: Callable[..., Any] = SharesAmongWorkers.read

    def counting(self: SharesAmongWorkers, reader: Any, shares: Any, *rest: Any) -> Any:
        written = read(self, reader, shares, *rest)
        found.append(len(shares))
        return written

    monkeypatch.setattr(SharesAmongWorkers, "read", counting)
    return found


def test_a_backlog_is_read_by_all_workers(fresh: InProcess, kafka: KafkaBroker, counted: list[int]) -> None:
    topic = kafka.topic(partitions=3)
    values = [{"id": i, "name": f"n{i}"} for i in range(20_000)]
    kafka.produce(topic, [(None, b"bad"), *objects(values)], (0, 1, 1, 2))
    with fresh.connect() as db:
        connect(db, kafka)
        db.execute("CREATE CLUSTER divided (WORKERS 2)")
        db.execute("SET cluster = divided")
        clauses = f"FROM KAFKA CONNECTION k (TOPIC '{topic}') FORMAT JSON"
        db.execute(
            f"CREATE SOURCE s (id int, name text) {clauses} INCLUDE PARTITION, OFFSET EXPOSE PROGRESS AS p "
            "WHERE (id % 4 > 0) WITH (ON ERROR = DEAD LETTER)".encode()
        )
        db.execute(
            "CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n, count(DISTINCT id) AS ids, sum(id) AS total FROM s"
        )
        total = sum(i for i in range(20_000) if i % 4)
        shows(db, "SELECT * FROM v", [(15_000, 15_000, total)], 120)
        assert max(counted) > 4
        assert rows(
            db, "SELECT partition, \"offset\"::int, convert_from(payload, 'UTF8') FROM s_dead_letters"
        ) == [(0, 0, "bad")]
        ends = [(partition, kafka.end(topic, partition)) for partition in range(3)]
        shows(db, 'SELECT partition, "offset"::int FROM p', ends)
        wanted = "records, messages_received, updates_filtered, dead_letters, offset_known, offset_committed"
        eventually(lambda: statistics(db, wanted) == (20_001, 20_001, 5_000, 1, 20_001, 20_001))
        committed = "updates_staged = updates_committed, snapshot_records_known, snapshot_records_staged, snapshot_committed"
        assert statistics(db, committed) == (True, 20_001, 20_001, True)
        readings = len(counted)
        kafka.produce(topic, objects([{"id": 7, "name": "more"}]))
        shows(db, "SELECT * FROM v", [(15_001, 15_000, total + 7)])
        assert len(counted) == readings, "a few are the leader's"


def test_a_source_that_is_dropped_while_workers_read_ends(
    fresh: InProcess, kafka: KafkaBroker, counted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, objects({"id": i} for i in range(20_000)), (0, 1))
    reading, read = threading.Event(), SharesAmongWorkers.read

    def told(self: SharesAmongWorkers, *args: Any) -> Any:
        reading.set()
        return read(self, *args)

    monkeypatch.setattr(SharesAmongWorkers, "read", told)
    with fresh.connect() as db:
        connect(db, kafka)
        db.execute("CREATE CLUSTER divided (WORKERS 3)")
        for _ in range(3):
            reading.clear()
            db.execute(
                f"CREATE SOURCE s (id int) IN CLUSTER divided FROM KAFKA CONNECTION k (TOPIC '{topic}') FORMAT JSON".encode()
            )
            assert reading.wait(60)
            db.execute("DROP SOURCE s")
        db.execute(
            f"CREATE SOURCE s (id int) IN CLUSTER divided FROM KAFKA CONNECTION k (TOPIC '{topic}') FORMAT JSON".encode()
        )
        shows(db, "SELECT count(*), count(DISTINCT id) FROM s", [(20_000, 20_000)], 120)
