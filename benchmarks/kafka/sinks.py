"""KAFKA sinks end to end, over a broker that is there: the contents of a view until they are durable in a topic, and updates of all of
its rows.  What a reader of committed messages then holds is compared with the view; that is not timed."""

from __future__ import annotations

import io
import json
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.request import urlopen

import fastavro
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from rich.table import Table

from ..measure import load
from ..report import new_table, shows
from ..runtime import RuntimeFailed, ServedRuntime, await_true, served
from .sources import PARTITIONS, connect

UPDATES = 10
"""Statements, one after the other, which together update every row once."""
_SINKS = {
    "json upsert": "FORMAT JSON ENVELOPE UPSERT",
    "json debezium": "FORMAT JSON ENVELOPE DEBEZIUM",
    "avro upsert": "FORMAT AVRO USING CONFLUENT SCHEMA REGISTRY CONNECTION r ENVELOPE UPSERT",
}
_TIMEOUT_S = 600.0
_POLL_S = 0.1
"""To ask costs the runtime time that it has not for the sink."""
Row = tuple[int, str, int]


@dataclass(frozen=True, slots=True)
class SinkResult:
    """`what` is `contents`, from CREATE SINK until all are durable, or `updates`, from the first statement until the topic has them all;
    `nbytes` are keys and values, `cpu_s` is that of the runtime, all its processes."""

    sink: str
    what: str
    messages: int
    nbytes: int
    seconds: float
    cpu_s: float
    load_1min: float

    @property
    def per_second(self) -> float:
        return self.messages / self.seconds


def run_sinks(broker: str, rows: int, registry: str | None) -> Iterator[SinkResult]:
    """Without the URL of a registry, without Avro."""
    with served() as runtime, runtime.connect() as db:
        connect(db, broker)
        if registry is not None:
            db.execute(f"CREATE CONNECTION r TO CONFLUENT SCHEMA REGISTRY (URL '{registry}')".encode())
        db.execute(
            "CREATE TABLE t (k bigint NOT NULL, name text NOT NULL, price numeric(12, 2), at timestamp, n int NOT NULL)"
        )
        db.execute("CREATE MATERIALIZED VIEW v AS SELECT k, name, price, at, n FROM t WHERE k >= 0")
        db.execute(
            "INSERT INTO t SELECT i, 'customer ' || i, i * 0.25, timestamp '2026-01-01' + i * interval '1 second', 0 "
            f"FROM generate_series(1, {rows}) g (i)".encode()
        )
        await_true(lambda: db.execute("SELECT count(*) FROM v").fetchone() == (rows,), "the view is there")
        for name, clauses in _SINKS.items():
            if registry is not None or "AVRO" not in clauses:
                yield from _run_sink(runtime, db, broker, registry, name, clauses, rows)


def _run_sink(
    runtime: ServedRuntime, db: Any, broker: str, registry: str | None, name: str, clauses: str, rows: int
) -> Iterator[SinkResult]:
    topic = f"ptvc-bench-{uuid.uuid4().hex[:8]}"
    sent = 0

    def timed(what: str, statements: list[str]) -> SinkResult:
        nonlocal sent
        before = _committed(db)[1] if sent else 0
        begin, cpu = time.perf_counter(), runtime.cpu_seconds()
        for statement in statements:
            db.execute(statement.encode())
        sent += rows
        await_true(lambda: _committed(db)[0] >= sent, f"{what} of {name} are durable", _TIMEOUT_S, _POLL_S)
        seconds, cpu = time.perf_counter() - begin, runtime.cpu_seconds() - cpu
        messages, nbytes = _committed(db)
        if messages != sent:
            raise RuntimeFailed(f"{messages} messages were written, and not {sent}")
        return SinkResult(name, what, rows, nbytes - before, seconds, cpu, load())

    try:
        yield timed(
            "contents",
            [
                f"CREATE SINK s FROM v INTO KAFKA CONNECTION k (TOPIC '{topic}', TOPIC PARTITION COUNT {PARTITIONS}) "
                f"KEY (k) {clauses}"
            ],
        )
        yield timed(
            "updates", [f"UPDATE t SET n = n + 1 WHERE k % {UPDATES} = {part}" for part in range(UPDATES)]
        )
        _check(db, broker, topic, "DEBEZIUM" in clauses, _reader(registry, topic, "AVRO" in clauses))
    finally:
        db.execute("DROP SINK IF EXISTS s")
        admin = AdminClient({"bootstrap.servers": broker})
        if topic in admin.list_topics(timeout=30).topics:
            admin.delete_topics([topic])[topic].result(30)


def _committed(db: Any) -> tuple[int, int]:
    """Messages and bytes of the sink."""
    found = db.execute(
        "SELECT messages_committed, bytes_committed FROM mz_internal.mz_sink_statistics s JOIN mz_objects o ON o.id = s.id "
        "WHERE o.name = 's'"
    ).fetchone()
    return (0, 0) if found is None else (int(found[0] or 0), int(found[1] or 0))


def _reader(registry: str | None, topic: str, avro: bool) -> Callable[[bytes], Any]:
    if not avro:
        return json.loads
    with urlopen(f"{registry}/subjects/{topic}-value/versions/latest") as answer:
        schema = fastavro.parse_schema(json.loads(json.load(answer)["schema"]))
    return lambda payload: fastavro.schemaless_reader(io.BytesIO(payload[5:]), schema, None)


def _check(db: Any, broker: str, topic: str, debezium: bool, read: Callable[[bytes], Any]) -> None:
    """Raises RuntimeFailed where a reader of the topic has other rows than the view."""
    last: dict[bytes, bytes | None] = {}
    for key, value in _messages(broker, topic):
        last[key] = value
    found = set[Row]()
    for value in last.values():
        if value is not None and (row := read(value)["after"] if debezium else read(value)) is not None:
            found.add((row["k"], row["name"], row["n"]))
    wanted = set(db.execute("SELECT k, name, n FROM v").fetchall())
    if found != wanted:
        raise RuntimeFailed(f"{len(found ^ wanted)} rows of {topic} are others than the view's")


def _messages(broker: str, topic: str) -> Iterator[tuple[bytes, bytes | None]]:
    """Those that are committed, by partition, in order."""
    consumer = Consumer(
        {
            "bootstrap.servers": broker,
            "group.id": "ptvc-bench",
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    try:
        for partition in range(PARTITIONS):
            consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING)])
            ended = False
            while not ended:
                for message in consumer.consume(10_000, timeout=1.0):
                    error = message.error()
                    if error is None:
                        yield message.key() or b"", message.value()
                    elif error.code() == KafkaError._PARTITION_EOF:
                        ended = True
                    else:
                        raise KafkaException(error)
    finally:
        consumer.close()


@shows(SinkResult)
def _sinks_table(results: list[SinkResult]) -> Table:
    table = new_table(
        "A view's rows until they are durable in a topic",
        "sink",
        "what",
        "messages",
        "MB",
        "seconds",
        "a second",
        "CPU in s",
        "load",
    )
    for r in results:
        table.add_row(
            r.sink,
            r.what,
            f"{r.messages:,}",
            f"{r.nbytes / 1e6:.1f}",
            f"{r.seconds:.1f}",
            f"{r.per_second:,.0f}",
            f"{r.cpu_s:.1f}",
            f"{r.load_1min:.1f}",
        )
    return table
