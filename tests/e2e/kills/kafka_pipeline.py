"""From a topic through a source, a view and a sink into another topic, and what each of them must hold.

What the first topic holds is the truth: whoever wrote to it may have written something twice when the broker was killed.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import psycopg
from confluent_kafka import KafkaException, Message
from servers.kafka.broker import KafkaBroker

from ..runtime_process import Runtime

KEYS, CUSTOMERS, PARTITIONS = 60, 7, 2
TRANSACTION_TIMEOUT_S = 3
Row = tuple[Any, ...]


class Pipeline:
    """The seed decides what is in between; `read` and `written` are the topics."""

    def __init__(self, runtime: Runtime, kafka: KafkaBroker, random: Random) -> None:
        self._runtime, self._kafka = runtime, kafka
        self._upsert = random.random() < 0.6
        self._joined = random.random() < 0.5
        self._debezium = random.random() < 0.5
        self.read = kafka.topic(PARTITIONS)
        self.written = f"out-{uuid.uuid4().hex[:12]}"

    def __str__(self) -> str:
        source = "UPSERT" if self._upsert else "NONE"
        return f"{source}, {'join' if self._joined else 'aggregate'}, {'DEBEZIUM' if self._debezium else 'UPSERT'}"

    def create(self) -> None:
        columns, key, envelope = "customer int, amount int", "", "NONE"
        if self._upsert:
            columns, key = f"id int, {columns}, PRIMARY KEY (id)", "KEY FORMAT JSON VALUE "
            envelope = "UPSERT (VALUE DECODING ERRORS = (INLINE))"
        good = "s.error IS NULL" if self._upsert else "true"
        query = (
            "SELECT customer, count(*) AS n, sum(amount)::bigint AS total "
            f"FROM s WHERE {good} GROUP BY customer"
        )
        if self._joined:
            id_ = "s.id" if self._upsert else "(s.\"offset\"::text || '/' || s.partition) AS id"
            query = (
                f"SELECT {id_}, c.name, s.amount FROM s JOIN customers c ON c.id = s.customer WHERE {good}"
            )
        self._runtime.run(
            f"CREATE CONNECTION k TO KAFKA (BROKER '{self._kafka.bootstrap}', SECURITY PROTOCOL PLAINTEXT, "
            f"PROGRESS TOPIC 'progress-{self.written}')",
            "CREATE TABLE customers (id int NOT NULL, name text NOT NULL)",
            f"INSERT INTO customers VALUES {', '.join(f'({i}, $${i}$$)' for i in range(1, CUSTOMERS))}",
            f"CREATE SOURCE s ({columns}) FROM KAFKA CONNECTION k (TOPIC '{self.read}') "
            f"{key}FORMAT JSON INCLUDE PARTITION, OFFSET ENVELOPE {envelope}",
            f"CREATE MATERIALIZED VIEW v AS {query}",
            f"CREATE SINK out FROM v INTO KAFKA CONNECTION k (TOPIC '{self.written}', "
            f"TOPIC PARTITION COUNT 2, TRANSACTION TIMEOUT '{TRANSACTION_TIMEOUT_S} s') "
            f"KEY ({'id' if self._joined else 'customer'}) FORMAT JSON "
            f"ENVELOPE {'DEBEZIUM' if self._debezium else 'UPSERT'}",
        )

    def message(self, random: Random) -> tuple[bytes | None, bytes | None, int]:
        """Key, value, partition: of the source's envelope.  One key is in one partition."""
        id_ = random.randrange(KEYS)
        value: bytes | None = json.dumps(
            {"customer": random.randrange(CUSTOMERS), "amount": random.randrange(1000)}
        ).encode()
        if not self._upsert:
            return None, value, random.randrange(PARTITIONS)
        match random.randrange(10):
            case 0 | 1:
                value = None
            case 2:
                value = random.choice((b"{", b"[1]", b'{"customer": "none"}', b"\xff"))
        return json.dumps({"id": id_}).encode(), value, id_ % PARTITIONS

    def check(self) -> None:
        """The source has the topic's rows, and a reader of the sink's topic the view's; nothing is lost, and nothing twice."""
        names = "id, customer, amount" if self._upsert else "customer, amount"
        error = ", error IS NOT NULL" if self._upsert else ""
        source = f'SELECT {names}, partition, "offset"::bigint{error} FROM s'
        wanted = self._same(
            "the source",
            # What a broker that was stopped has in its sockets comes to the topic behind the answer to another attempt.
            lambda: self._source_rows(self._kafka.messages(self.read)),
            lambda: Counter(self._runtime.run(source)),
        )
        view = self._view_rows(wanted)
        self._same("the view", lambda: view, lambda: Counter(self._runtime.run("SELECT * FROM v")))
        self._same(
            "the topic of the sink", lambda: view, lambda: self._folded(self._kafka.messages(self.written))
        )

    def _same(
        self, what: str, wanted: Callable[[], Counter[Row]], found: Callable[[], Counter[Row]]
    ) -> Counter[Row]:
        """What both are in the end."""
        last: tuple[Counter[Row], Counter[Row]] = Counter(), Counter()
        away = ""

        def same() -> bool:
            nonlocal last, away
            try:
                last = wanted(), found()
            except KafkaException as error:  # a broker that is there again may have no leaders yet
                away = str(error)
                return False
            return last[0] == last[1]

        try:
            self._runtime.eventually(same)
        except AssertionError as error:
            missing, too_many = last[0] - last[1], last[1] - last[0]
            raise AssertionError(
                f"{what}: missing {list(missing.items())[:5]}, too many {list(too_many.items())[:5]}; {away} "
                f"{self._statuses_if_there()}\n{error}"
            ) from None
        return last[0]

    def _statuses_if_there(self) -> object:
        """A runtime that is away says nothing, which is not what the test has failed for."""
        try:
            return self.statuses()
        except psycopg.Error as error:
            return error

    def statuses(self) -> list[Row]:
        return self._runtime.run(
            "SELECT name, status, error FROM mz_internal.mz_source_statuses "
            "UNION ALL SELECT name, status, error FROM mz_internal.mz_sink_statuses"
        )

    def _source_rows(self, messages: Iterable[Message]) -> Counter[Row]:
        rows: dict[Any, Row] = {}
        for message in messages:
            at = message.partition(), message.offset()
            key, error, value = at, False, message.value()
            if self._upsert:
                key = json.loads(message.key())["id"]
                if value is None:
                    rows.pop(key, None)
                    continue
            try:
                fields = json.loads(value)
                shown = int(fields["customer"]), int(fields["amount"])
            except (ValueError, TypeError):
                error, shown = True, (None, None)  # type: ignore[assignment]
            rows[key] = (key, *shown, *at, error) if self._upsert else (*shown, *at)
        return Counter(rows.values())

    def _view_rows(self, source: Counter[Row]) -> Counter[Row]:
        if self._upsert:
            good = [(id_, *rest) for id_, *rest, error in source if not error]
        else:
            good = [(f"{row[3]}/{row[2]}", *row) for row in source]
        if self._joined:
            return Counter((id_, str(customer), amount) for id_, customer, amount, *_ in good if customer)
        counts: Counter[int] = Counter(row[1] for row in good)
        totals: Counter[int] = Counter()
        for _, customer, amount, *_ in good:
            totals[customer] += amount
        return Counter((customer, count, totals[customer]) for customer, count in counts.items())

    def _folded(self, messages: Iterable[Message]) -> Counter[Row]:
        """What who reads committed messages holds.  A message that changes nothing was written twice, one whose former row is
        another one came behind one that was lost."""
        held: dict[bytes, Any] = {}
        for message in messages:
            key, value = message.key(), json.loads(message.value() or b"null")
            if self._debezium:
                assert held.get(key) == value["before"], f"{value} behind {held.get(key)}"
                value = value["after"]
            assert held.get(key) != value, f"{value} twice"
            held[key] = value
            if value is None:
                del held[key]
        return Counter(tuple(row.values()) for row in held.values())


class Load:
    """Writes to the topic all the time, whatever becomes of the broker."""

    def __init__(self, pipeline: Pipeline, kafka: KafkaBroker, random: Random) -> None:
        self._pipeline, self._kafka, self._random = pipeline, kafka, random
        self._stop = threading.Event()
        self._thread: threading.Thread

    def __enter__(self) -> Load:
        self._stop.clear()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _write(self) -> None:
        producer = self._kafka.producer(linger_ms=2, reconnect_backoff_max_ms=200)
        while not self._stop.wait(self._random.random() * 0.1):
            for _ in range(self._random.randrange(8)):
                key, value, partition = self._pipeline.message(self._random)
                producer.produce(self._pipeline.read, value, key, partition)
            producer.poll(0)
        assert producer.flush(60) == 0
