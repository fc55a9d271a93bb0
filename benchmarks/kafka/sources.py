"""KAFKA sources end to end, over a broker that is there: a backlog until it is durable, and messages until a subscriber of a view has
them, at a steady rate."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from ..measure import FreshnessResult, Latencies, load
from ..runtime import RuntimeFailed, ServedRuntime, await_true, served
from .flink import run_flink
from .results import BacklogResult

PARTITIONS = 4
KEYS = 50_000
WORKERS = 2
_SOURCES = {
    "append": "(id int, name text, price float8) {} FORMAT JSON",
    "upsert": "(id int, name text, price float8, k text, PRIMARY KEY (k)) {} "
    "KEY FORMAT TEXT VALUE FORMAT JSON ENVELOPE UPSERT",
    "jsonb": "{} FORMAT JSON",
}


def run_backlogs(broker: str, messages: int, *, flink: bool = False) -> Iterator[BacklogResult]:
    """With `flink`, what Flink SQL makes of the same topic too, when the runtime has ended."""
    with _topic(broker) as topic:
        producer = Producer({"bootstrap.servers": broker, "linger.ms": 20})
        for number in range(messages):
            value = b'{"id": %d, "name": "n%d", "price": %d.5}' % (number, number, number)
            _produce(producer, topic, value, b"%d" % (number % KEYS), number % PARTITIONS)
        producer.flush()
        with served() as runtime, runtime.connect() as db:
            connect(db, broker)
            for name in _SOURCES:
                yield _backlog(runtime, db, name, topic, messages)
            for count in (1, WORKERS):
                db.execute(f"CREATE CLUSTER of_{count} (WORKERS {count})".encode())
                _backlog(runtime, db, "append", topic, messages, count)  # until its processes are there
            for count in (1, WORKERS):
                yield _backlog(runtime, db, "append", topic, messages, count)
        if flink:
            yield from run_flink(broker, topic, messages, min(messages, KEYS))


def _backlog(
    runtime: ServedRuntime, db: Any, name: str, topic: str, messages: int, workers: int | None = None
) -> BacklogResult:
    """With `workers`, in the cluster that has so many."""
    begin, cpu = time.perf_counter(), runtime.cpu_seconds()
    _create(db, name, _SOURCES[name], topic, workers)
    query = (
        "SELECT snapshot_committed FROM mz_internal.mz_source_statistics s JOIN mz_objects o ON o.id = s.id "
        f"WHERE o.name = '{name}'"
    )
    await_true(lambda: db.execute(query.encode()).fetchall() == [(True,)], f"{name} is durable")
    seconds, cpu = time.perf_counter() - begin, runtime.cpu_seconds() - cpu
    rows = db.execute(f"SELECT count(*) FROM {name}".encode()).fetchone()
    wanted = min(messages, KEYS) if name == "upsert" else messages
    if rows != (wanted,):
        raise RuntimeFailed(f"{name} has {rows} rows, not {wanted}")
    db.execute(f"DROP SOURCE {name}".encode())
    what = name if workers is None else f"{name}, {workers} worker{'s' if workers > 1 else ''}"
    return BacklogResult("ptvc", what, messages, wanted, seconds, cpu, load())


def run_freshness(broker: str, rate: int, seconds: int) -> FreshnessResult:
    with _topic(broker) as topic, served() as runtime, runtime.connect() as db:
        connect(db, broker)
        _create(db, "s", "(n int) {} FORMAT JSON", topic)
        db.execute("CREATE MATERIALIZED VIEW v AS SELECT n FROM s")
        sent = [0.0] * (rate * seconds)
        seen: dict[int, float] = {}
        reader = threading.Thread(target=_read, args=(runtime, len(sent), seen), daemon=True)
        reader.start()
        time.sleep(1)
        producer = Producer({"bootstrap.servers": broker, "linger.ms": 1})
        begin, warm, cpu = time.perf_counter(), range(len(sent) // 5, len(sent)), 0.0
        for number in range(len(sent)):
            if number == warm.start:
                cpu = runtime.cpu_seconds()
            if (wait := begin + number / rate - time.perf_counter()) > 0:
                producer.poll(0)
                time.sleep(wait)
            sent[number] = time.perf_counter()
            _produce(producer, topic, b'{"n": %d}' % number, None, number % PARTITIONS)
        producer.flush()
        reader.join(60)
        if len(seen) != len(sent):
            raise RuntimeFailed(f"{len(seen)} of {len(sent)} messages have come to the view")
        latencies = Latencies.of([seen[n] - sent[n] for n in warm], runtime.cpu_seconds() - cpu)
        return FreshnessResult("kafka", rate, latencies, load())


def _read(runtime: ServedRuntime, count: int, seen: dict[int, float]) -> None:
    with runtime.connect() as db:
        for _, _, number in db.cursor().stream("SUBSCRIBE v"):
            seen[number] = time.perf_counter()
            if len(seen) == count:
                return


@contextmanager
def _topic(broker: str) -> Iterator[str]:
    admin, name = AdminClient({"bootstrap.servers": broker}), f"ptvc-bench-{uuid.uuid4().hex[:8]}"
    admin.create_topics([NewTopic(name, num_partitions=PARTITIONS, replication_factor=1)])[name].result(30)
    try:
        yield name
    finally:
        admin.delete_topics([name])[name].result(30)


def _produce(producer: Producer, topic: str, value: bytes, key: bytes | None, partition: int) -> None:
    while True:
        try:
            producer.produce(topic, value, key, partition)
        except BufferError:
            producer.poll(0.1)
        else:
            return


def connect(db: Any, broker: str) -> None:
    db.execute(f"CREATE CONNECTION k TO KAFKA (BROKER '{broker}', SECURITY PROTOCOL PLAINTEXT)".encode())


def _create(db: Any, name: str, clauses: str, topic: str, workers: int | None = None) -> None:
    place = "" if workers is None else f"IN CLUSTER of_{workers} "
    source = clauses.format(f"{place}FROM KAFKA CONNECTION k (TOPIC '{topic}')")
    db.execute(f"CREATE SOURCE {name} {source}".encode())
