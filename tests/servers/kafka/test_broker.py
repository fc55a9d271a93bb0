"""The broker of the tests does what tests with it rest on."""

from __future__ import annotations

import pytest

from ..maven_jars import KAFKA, Missing
from .broker import KafkaBroker, Record


def _records(count: int) -> list[Record]:
    return [(b"k%d" % number, b"v%d" % number) for number in range(count)]


def test_what_was_acknowledged_outlives_a_kill(kafka: KafkaBroker) -> None:
    topic = kafka.topic(partitions=2)
    kafka.produce(topic, _records(10), (0, 1))
    kafka.restart()
    assert sorted((m.key(), m.value()) for m in kafka.messages(topic)) == _records(10)


def test_a_transaction_ends_with_an_offset_of_its_own(kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    kafka.produce_in_transaction(topic, _records(2))
    kafka.produce_in_transaction(topic, _records(3), commit=False)
    assert [m.offset() for m in kafka.messages(topic)] == [0, 1]
    assert [m.offset() for m in kafka.messages(topic, isolation="read_uncommitted")] == [0, 1, 3, 4, 5]
    assert kafka.end(topic) == 7


def test_a_topic_made_again_is_another_one(kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    first = kafka.topic_id(topic)
    kafka.produce(topic, _records(3))
    kafka.delete_topic(topic)
    kafka.create_topic(topic)
    assert kafka.topic_id(topic) != first
    assert kafka.end(topic) == 0


def test_deleted_records_are_gone(kafka: KafkaBroker) -> None:
    topic = kafka.topic()
    kafka.produce(topic, _records(5))
    kafka.delete_records(topic, 3)
    assert [m.offset() for m in kafka.messages(topic)] == [3, 4]


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Missing, match="Maven Central: there is no program mvn"):
        KAFKA.folder()
