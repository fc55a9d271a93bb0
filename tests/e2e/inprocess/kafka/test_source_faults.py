"""KAFKA sources where something goes wrong: what is lost is named, what comes back is gone on with, nothing is read twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count
from random import Random
from time import sleep

import pytest
from inprocess import InProcess, eventually, rows
from servers.kafka.broker import KafkaBroker

from .sources import Db, connect, shows, stalled, statistics, status


def create(db: Db, topic: str, clauses: str = "FORMAT TEXT", options: str = "") -> None:
    refresh = "TOPIC METADATA REFRESH INTERVAL '200ms'"
    db.execute(
        f"CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC '{topic}', {refresh}{options}) {clauses}".encode()
    )


def produced(kafka: KafkaBroker, topic: str, texts: str, partition: int = 0) -> list[tuple[str]]:
    kafka.produce(topic, [(None, text.encode()) for text in texts], partition)
    return [(text,) for text in texts]


# -- what is not there any more --


def test_a_lost_range_is_named_while_running(db: Db, kafka: KafkaBroker) -> None:
    """The source stands before a transaction that is open, when that and what lies behind are deleted."""
    connect(db, kafka)
    topic = kafka.topic()
    wanted = produced(kafka, topic, "ab")
    create(db, topic)
    shows(db, "SELECT * FROM s", wanted)
    with kafka.transaction(commit=False) as producer:
        producer.produce(topic, b"c", partition=0)
        producer.flush()
        kafka.produce(topic, [(None, b"d")])
        kafka.delete_records(topic, 4)
        assert "partition 0 has lost offsets 2 to 3" in stalled(db)
    produced(kafka, topic, "e")
    sleep(1.5)  # it looks again meanwhile
    assert "partition 0 has lost offsets 2 to 3" in stalled(db)
    assert sorted(rows(db, "SELECT * FROM s")) == wanted


def test_a_lost_range_is_named_after_a_pause(fresh: InProcess, kafka: KafkaBroker) -> None:
    topic = kafka.topic(partitions=2)
    with fresh.connect() as db:
        connect(db, kafka)
        wanted = produced(kafka, topic, "abc")
        create(db, topic)
        shows(db, "SELECT * FROM s", wanted)
    fresh.stop()
    produced(kafka, topic, "defg")
    kafka.delete_records(topic, 5)
    fresh.start()
    with fresh.connect() as db:
        reason = stalled(db)
        assert (
            f'topic "{topic}" does not hold any more what comes next: partition 0 has lost offsets 3 to 4'
            in reason
        )
        produced(kafka, topic, "h", 1)
        assert sorted(rows(db, "SELECT * FROM s")) == wanted
        assert stalled(db) == reason
        db.execute("DROP SOURCE s")
        create(db, topic)
        shows(db, "SELECT * FROM s", [("f",), ("g",), ("h",)])


def test_a_topic_made_again_is_not_read(db: Db, kafka: KafkaBroker) -> None:
    """With more messages than before: offsets alone would not show it."""
    connect(db, kafka)
    topic = kafka.topic()
    wanted = produced(kafka, topic, "abc")
    create(db, topic)
    shows(db, "SELECT * FROM s", wanted)
    kafka.delete_topic(topic)
    assert "does not exist" in stalled(db)
    kafka.create_topic(topic)
    produced(kafka, topic, "1234567")
    eventually(lambda: "it was deleted and created again" in (status(db)[1] or ""), 30)
    sleep(0.5)
    assert sorted(rows(db, "SELECT * FROM s")) == wanted


def test_a_topic_made_again_in_the_meantime_is_not_read(fresh: InProcess, kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    with fresh.connect() as db:
        connect(db, kafka)
        wanted = produced(kafka, topic, "abc")
        create(db, topic)
        shows(db, "SELECT * FROM s", wanted)
    fresh.stop()
    kafka.delete_topic(topic)
    kafka.create_topic(topic)
    produced(kafka, topic, "1234567")
    fresh.start()
    with fresh.connect() as db:
        assert "it was deleted and created again" in stalled(db)
        assert sorted(rows(db, "SELECT * FROM s")) == wanted


def test_a_topic_that_is_not_there_yet_is_waited_for(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic()
    create(db, f"{topic}-later")
    assert f'topic "{topic}-later" does not exist' in stalled(db)
    kafka.create_topic(f"{topic}-later")
    shows(db, "SELECT * FROM s", produced(kafka, f"{topic}-later", "a"))


# -- offsets that are no messages --


@pytest.mark.parametrize("ending", ["commit", "abort", "all aborted", "open"])
def test_markers_of_transactions_are_passed(fresh: InProcess, kafka: KafkaBroker, ending: str) -> None:
    topic = kafka.topic()
    wanted = [] if ending == "all aborted" else produced(kafka, topic, "ab")
    if ending == "commit":
        kafka.produce_in_transaction(topic, [(None, b"c")])
        wanted += [("c",)]
    for _ in range(3):
        kafka.produce_in_transaction(topic, [(None, b"x"), (None, b"y")], commit=ending == "commit")
        wanted += [("x",), ("y",)] if ending == "commit" else []
    with fresh.connect() as db:
        connect(db, kafka)
        if ending == "open":
            with kafka.transaction() as producer:
                producer.produce(topic, b"open", partition=0)
                producer.flush()
                create(db, topic)
                shows(db, "SELECT * FROM s", wanted)
                # What the transaction has is there, and cannot be read.
                eventually(lambda: statistics(db, "offset_known, offset_committed") == (12, 11), 30)
                assert rows(db, "SELECT count(*) FROM s WHERE text = 'open'") == [(0,)]
            wanted += [("open",)]
        else:
            create(db, topic)
        shows(db, "SELECT * FROM s", wanted)
        end = kafka.end(topic)
        eventually(lambda: statistics(db, "offset_known, offset_committed") == (end, end), 30)
    fresh.stop()
    wanted += produced(kafka, topic, "z")
    fresh.start()
    with fresh.connect() as db:
        shows(db, "SELECT * FROM s", wanted)


def test_a_compacted_topic_has_gaps(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    config = {
        "cleanup_policy": "compact",
        "segment_ms": "100",
        "min_cleanable_dirty_ratio": "0.001",
        "delete_retention_ms": "100",
    }
    topic = kafka.topic(**config)
    for round_ in range(30):
        kafka.produce(topic, [(b"k%d" % (n % 5), b"%d" % (round_ * 10 + n)) for n in range(10)])
        sleep(0.02)
    sleep(0.2)
    kafka.produce(topic, [(b"last", b"x")])  # so that the segment before it ends
    eventually(lambda: len(kafka.messages(topic)) < 100, 60)
    last = {message.key().decode(): message.value().decode() for message in kafka.messages(topic)}
    create(db, topic, "KEY FORMAT TEXT VALUE FORMAT TEXT ENVELOPE UPSERT")
    shows(db, "SELECT * FROM s", list(last.items()))
    end = kafka.end(topic)
    eventually(lambda: statistics(db, "offset_known, offset_committed") == (end, end), 30)
    assert status(db) == ("running", None)


# -- partitions --


def test_new_partitions_are_read_from_their_beginnings(db: Db, kafka: KafkaBroker) -> None:
    """Under load; and whatever START OFFSET says."""
    connect(db, kafka)
    topic = kafka.topic()
    produced(kafka, topic, "abc")
    create(db, topic, "FORMAT TEXT INCLUDE PARTITION EXPOSE PROGRESS AS p", ", START OFFSET (2, 100)")
    shows(db, "SELECT text, partition FROM s", [("c", 0)])
    wanted = [("c", 0)]
    for number in range(200):
        if number == 50:
            kafka.create_partitions(topic, 4)
        partition = number % (4 if number > 50 else 1)
        kafka.produce(topic, [(None, b"%d" % number)], partition)
        wanted.append((str(number), partition))
    shows(db, "SELECT text, partition FROM s", wanted)
    shows(db, 'SELECT sum("offset")::int FROM p', [(203,)])


def test_the_order_within_a_partition_is_that_of_the_topic(db: Db, kafka: KafkaBroker) -> None:
    """The last message of each key wins, with producers in between each other, and batches of any size."""
    connect(db, kafka)
    topic = kafka.topic(partitions=3)
    create(db, topic, "KEY FORMAT TEXT VALUE FORMAT TEXT ENVELOPE UPSERT")
    random, last = Random(3), {}
    for _ in range(40):
        batch = [
            (b"k%d" % random.randrange(20), b"%d" % random.randrange(1000))
            for _ in range(random.randrange(1, 200))
        ]
        by_partition = {p: [(k, v) for k, v in batch if int(k[1:]) % 3 == p] for p in range(3)}
        for partition, records in by_partition.items():
            kafka.produce(topic, records, partition)
            last |= {k.decode(): v.decode() for k, v in records}
    shows(db, "SELECT * FROM s", list(last.items()))


# -- the broker goes away --


@pytest.mark.slow
def test_a_broker_that_is_killed_is_waited_for(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic()
    wanted = produced(kafka, topic, "ab")
    create(db, topic)
    shows(db, "SELECT * FROM s", wanted)
    kafka.kill()
    try:
        assert f"cannot connect to Kafka at {kafka.bootstrap}" in stalled(db)
        assert sorted(rows(db, "SELECT * FROM s")) == wanted
    finally:
        kafka.start()
    wanted += produced(kafka, topic, "cd")
    shows(db, "SELECT * FROM s", wanted)
    assert status(db) == ("running", None)


def test_a_broker_that_stands_still_is_waited_for(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    topic = kafka.topic()
    wanted = produced(kafka, topic, "ab")
    create(db, topic)
    shows(db, "SELECT * FROM s", wanted)
    kafka.pause()
    try:
        assert "it does not answer in time" in stalled(db)
    finally:
        kafka.resume()
    wanted += produced(kafka, topic, "cd")
    shows(db, "SELECT * FROM s", wanted)
    assert status(db) == ("running", None)


# -- kills --

KILLS = 8


@pytest.fixture
def producing(kafka: KafkaBroker) -> Iterator[_Producers]:
    producers = _Producers(kafka)
    yield producers
    producers.stop()


class _Producers:
    """Numbers, each once, into three partitions of a topic: idempotent, some in transactions, some of which are aborted."""

    def __init__(self, kafka: KafkaBroker) -> None:
        self.topic = kafka.topic(partitions=3)
        self._kafka = kafka
        self._stop = threading.Event()
        self._numbers = count()
        self._threads = [threading.Thread(target=self._run, args=(seed,)) for seed in range(2)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(120)

    def _run(self, seed: int) -> None:
        random = Random(seed)
        producer = self._kafka.producer(enable_idempotence=True, message_timeout_ms=120_000)
        while not self._stop.is_set():
            for _ in range(random.randrange(1, 50)):
                number = next(self._numbers)
                producer.produce(self.topic, b"%d" % number, b"%d" % (number % 97), number % 97 % 3)
            producer.poll(0)
            sleep(random.random() * 0.02)
        assert producer.flush(120) == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25))
def test_nothing_is_lost_or_doubled_by_kills(
    fresh: InProcess, kafka: KafkaBroker, producing: _Producers, seed: int
) -> None:
    """Of replicas, of the coordinator and of the broker, while producers go on: the source holds the topic, as a multiset."""
    random = Random(seed)
    with fresh.connect() as db:
        connect(db, kafka)
        create(db, producing.topic, "FORMAT TEXT INCLUDE PARTITION, OFFSET EXPOSE PROGRESS AS p")
        db.execute(
            f"CREATE SOURCE u FROM KAFKA CONNECTION k (TOPIC '{producing.topic}') "
            "KEY FORMAT TEXT VALUE FORMAT TEXT INCLUDE OFFSET ENVELOPE UPSERT".encode()
        )
        eventually(lambda: rows(db, "SELECT count(*) > 0 FROM s") == [(True,)], 60)
    for _ in range(KILLS):
        sleep(random.random() * 0.5)
        match random.choice(("replica", "coordinator", "coordinator", "broker", "still")):
            case "replica":
                fresh.kill_replica()
            case "coordinator":
                fresh.abandon()
                fresh.start()
            case "broker":
                kafka.restart()
            case "still":
                kafka.pause()
                sleep(random.random())
                kafka.resume()
    producing.stop()
    messages = kafka.messages(producing.topic)
    assert len(messages) > 100
    there = [(m.value().decode(), m.partition(), m.offset()) for m in messages]
    last = {m.key().decode(): (m.value().decode(), m.offset()) for m in messages}
    with fresh.connect() as db:
        shows(db, 'SELECT text, partition, "offset"::int FROM s', there, 120)
        shows(
            db, 'SELECT key, text, "offset"::int FROM u', [(key, *value) for key, value in last.items()], 60
        )
        shows(
            db, 'SELECT sum("offset")::int FROM p', [(sum(kafka.end(producing.topic, p) for p in range(3)),)]
        )
