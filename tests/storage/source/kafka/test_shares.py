"""Ranges of offsets as shares of a KAFKA source: what others read is what it would have read itself, and it goes on behind that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from ptvc.errors import PtvcError
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, UINT8
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions
from ptvc.storage.connections.values import Values
from ptvc.storage.connectors import AskedOutput
from ptvc.storage.dead_letters import DEAD_LETTERS, MESSAGE_LETTERS
from ptvc.storage.formats.options import FormatOptions
from ptvc.storage.ingestion import PROGRESS, Ingestion
from ptvc.storage.share_reading import ShareReader
from ptvc.storage.shares import OF_JOBS, OF_WORKERS
from ptvc.storage.source.kafka import connector
from ptvc.storage.source.kafka.backlog import Backlog, Range
from ptvc.storage.source.kafka.options import KafkaOptions, MessageColumn, Part
from ptvc.storage.source.kafka.progress import PROGRESS_SCHEMA
from servers.kafka.broker import KafkaBroker

from ...test_share_reading import Durable

SIZES = replace(OF_WORKERS, messages=400)
COLUMNS = (MessageColumn(Part.VALUE), MessageColumn(Part.PARTITION), MessageColumn(Part.OFFSET))
SCHEMA = Schema((Column("n", INT8), Column("partition", INT4), Column("offset", UINT8)))


def source(kafka: KafkaBroker, topic: str, tmp_path: Path, **outputs: AskedOutput) -> Durable:
    value = FormatOptions("text", SCHEMA.project((0,)), {"declared": True})
    options = {"BROKERS": (kafka.bootstrap,), "SECURITY PROTOCOL": "PLAINTEXT"}
    values = Values(ConnectionOptions(ConnectionKind.KAFKA, options), {})
    found = Durable(
        "kafka",
        KafkaOptions("k", topic, value, COLUMNS, refresh_ms=100_000).to_json(),
        f"file://{tmp_path}/blobs",
        connections={"k": values},
    )
    found.outputs = {"s": AskedOutput("", SCHEMA), **outputs}
    return found


def numbers(first: int, count: int) -> list[Any]:
    return [(None, b"%d" % n) for n in range(first, first + count)]


def begun(durable: Durable) -> Ingestion:
    """It has read a little by itself, so that it knows how large messages are."""
    ingestion = durable.open()
    while not any(row[0] == "s" for row in durable.rows):
        durable.read(ingestion, most=1)
    return ingestion


def to_end(durable: Durable, ingestion: Ingestion, records: int) -> None:
    """By itself, until so many have been read."""
    for _ in range(200):
        durable.read(ingestion)
        if durable.rows.total() + durable.errors.total() >= records:
            return


def test_shares_have_what_the_source_would_read(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic = kafka.topic(partitions=3)
    kafka.produce(topic, numbers(0, 6_000), (0, 1, 1, 2))
    kafka.produce(topic, [(None, b"bad"), (None, None)], (0, 1))
    kafka.produce_in_transaction(topic, numbers(10_000, 500), 2, commit=False)  # read by nobody
    kafka.produce_in_transaction(topic, numbers(20_000, 500), 0)
    itself = source(kafka, topic, tmp_path)
    alone = itself.open()
    to_end(itself, alone, 6_502)
    progress = AskedOutput(PROGRESS, PROGRESS_SCHEMA)
    shared = source(kafka, topic, tmp_path, p=progress)
    ingestion = begun(shared)
    with kafka.transaction() as producer:  # as long as it is open, nothing of it is there
        producer.produce(topic, b"30000", partition=1)
        producer.flush(30)
        assert not ingestion.shares(1, OF_JOBS), "jobs read no topics"
        written = shared.by_shares(ingestion, sizes=SIZES)
    assert len(written) > 10
    rows = {row: count for row, count in shared.rows.items() if row[0] == "s"}
    assert rows == {**itself.rows}
    assert shared.errors == itself.errors
    assert len(shared.errors) == 2
    ends = {partition: kafka.end(topic, partition) for partition in (0, 2)}
    shown = {row[1]: row[2] for row in shared.rows if row[0] == "p"}
    assert {partition: shown[partition] for partition in ends} == ends
    known = ingestion.statistics.outputs["s"]
    assert ingestion.statistics.records == 6_502
    assert known.updates_committed == known.updates_staged == 6_502
    assert known.snapshot_records_known == known.snapshot_records_staged
    assert known.snapshot_committed
    behind = (ingestion.statistics.offset_known or 0) - (ingestion.statistics.offset_committed or 0)
    assert behind in (0, 1), "of the open transaction"
    # It goes on by itself, in this process or in another.
    kafka.produce(topic, numbers(40_000, 10), (0, 1, 2))
    shared.read(ingestion)
    again = shared.open()
    to_end(shared, again, 6_513 + 3)
    assert sum(row[0] == "s" for row in shared.rows) == 6_511
    assert set(shared.rows.values()) == {1}
    ingestion.close(), again.close(), alone.close()


def test_a_backlog_is_read_in_several_commits(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, numbers(0, 8_000), (0, 0, 0, 1))
    shared = source(kafka, topic, tmp_path)
    ingestion = begun(shared)
    commits = 0
    while shared.by_shares(ingestion, sizes=replace(SIZES, most_bytes=6_000)):
        commits += 1
        assert set(shared.rows.values()) == {1}
    assert commits > 2
    to_end(shared, ingestion, 8_000)
    assert sorted(row[1] for row in shared.rows) == list(range(8_000))
    ingestion.close()


def test_dead_letters_are_the_same(kafka: KafkaBroker, tmp_path: Path) -> None:
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, [(b"k", b"%d" % n if n % 100 else b"bad") for n in range(4_000)], (0, 1))
    letters = AskedOutput(DEAD_LETTERS, MESSAGE_LETTERS)
    shared = source(kafka, topic, tmp_path, d=letters)
    ingestion = begun(shared)
    assert shared.by_shares(ingestion, sizes=SIZES)
    assert not shared.errors
    assert sum(row[0] == "d" for row in shared.rows) == 40
    assert sum(row[0] == "s" for row in shared.rows) == 3_960
    assert 0 < ingestion.statistics.dead_letters <= 40
    ingestion.close()


def test_a_topic_that_is_made_anew_meanwhile_is_not_read(
    kafka: KafkaBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "PATIENCE_S", 1.0)
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, numbers(0, 4_000), (0, 1))
    shared = source(kafka, topic, tmp_path)
    ingestion = begun(shared)
    found = ingestion.shares(1, SIZES)
    assert len(found) > 1
    kafka.delete_topic(topic)
    kafka.create_topic(topic, 2)
    kafka.produce(topic, numbers(10_000, 4_000), (0, 1))
    reader = ShareReader(
        "kafka", shared.options, shared.outputs, {"s": "shard"}, shared.connections, "", shared.blobs
    )
    with pytest.raises(PtvcError, match="another one"):
        reader(found[0])
    ingestion.close()


def test_messages_that_do_not_come_are_not_waited_for(
    kafka: KafkaBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "PATIENCE_S", 0.5)
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, numbers(0, 4_000), (0, 1))
    shared = source(kafka, topic, tmp_path)
    ingestion = begun(shared)
    kafka.pause()
    try:
        assert not ingestion.shares(1, SIZES)
    finally:
        kafka.resume()
    ingestion.close()


def test_ranges_are_all_that_a_commit_may_have() -> None:
    random = Random(3)
    found = 0
    for _ in range(500):
        next_ = {partition: random.randrange(1_000) for partition in range(random.randint(1, 6))}
        ends = {
            partition: at + random.choice([0, 1, random.randrange(100_000)])
            for partition, at in next_.items()
        }
        sizes = replace(SIZES, messages=random.randint(1, 50_000), most_bytes=random.choice([1_000, 1 << 30]))
        ranges = Backlog.ranges(next_, ends, random.randrange(1_000_000), 10.0, sizes)
        total = sum(ends.values()) - sum(next_.values())
        at = dict(next_)
        for each in ranges:
            assert each.begin == at[each.partition] < each.end <= ends[each.partition]
            assert each.end - each.begin <= sizes.messages
            at[each.partition] = each.end
        if ranges:
            found += 1
            taken = sum(at.values()) - sum(next_.values())
            assert min(total, sizes.most_bytes // 10) <= taken <= min(total, sizes.most_bytes // 10 + len(at))
    assert found > 100
    assert Backlog.ranges({0: 5, 1: 0}, {0: 4, 1: 10_000}, 1, 1.0, SIZES) == [], "that is for `poll` to judge"
    assert Backlog.ranges({0: 0}, {0: 200}, 1, 1.0, SIZES) == [Range(0, 0, 100), Range(0, 100, 200)]
