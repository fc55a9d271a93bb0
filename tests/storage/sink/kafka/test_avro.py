"""The KAFKA sink in Avro, against a broker and a registry: what a reader who knows the registry alone finds."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions
from ptvc.storage.connections.values import Values
from ptvc.storage.formats.registry import Registry, SchemaRefused
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.contract import SinkStalled
from ptvc.storage.sink.kafka.clients import KafkaClients
from ptvc.storage.sink.kafka.options import AvroOptions, KafkaSinkOptions
from ptvc.storage.sink.kafka.sink import KafkaSink
from servers.kafka.broker import KafkaBroker
from servers.schema_registry import SchemaRegistry, schema_registry

from ..avro.cases import read
from .support import SCHEMA, batch, between, contents, history

FIRST = 1_000_000


@pytest.fixture
def registry() -> Iterator[SchemaRegistry]:
    with schema_registry() as server:
        yield server


class Target:
    """A sink of one topic; `sink()` is its next writer."""

    def __init__(
        self, kafka: KafkaBroker, registry: SchemaRegistry, envelope: SinkEnvelope, **options: Any
    ) -> None:
        name = uuid.uuid4().hex[:12]
        self.kafka, self.registry, self.envelope = kafka, registry, envelope
        avro = AvroOptions("c2", "x.Row", required=())
        given: dict[str, Any] = {"key_format": "avro", "key_avro": avro, **options}
        self.options = KafkaSinkOptions(
            "c1",
            f"out-{name}",
            "avro",
            partition_count=3,
            progress_topic=f"progress-{name}",
            identity=f"s1-{name}",
            value_avro=AvroOptions("c2", "x.Change"),
            **given,
        )
        self.made: list[KafkaSink] = []

    def sink(self) -> KafkaSink:
        values = ConnectionOptions(ConnectionKind.CONFLUENT_SCHEMA_REGISTRY, {"URL": self.registry.url})
        made = KafkaSink(
            "s1",
            self.options,
            SCHEMA,
            self.envelope,
            (0,) if self.options.key_avro is not None or self.options.key_format != "avro" else (),
            0,
            FIRST,
            KafkaClients({"bootstrap.servers": self.kafka.bootstrap}),
            {"c2": Registry(Values(values, {}, link_local=False), seconds=5)},
        )
        self.made.append(made)
        return made

    def read(self, part: str, payload: bytes) -> Any:
        """As who knows the registry alone."""
        assert payload[0] == 0
        schemas = dict(self.registry.versions(f"{self.options.topic}-{part}"))
        return read(schemas[int.from_bytes(payload[1:5], "big")], payload[5:])

    def messages(self) -> list[Any]:
        return self.kafka.messages(self.options.topic, isolation="read_committed")

    def folded(self) -> Counter[Any]:
        """Of UPSERT; a key has one partition, and nothing comes twice."""
        rows: dict[int, Any] = {}
        places: dict[int, int] = {}
        for message in self.messages():
            key = self.read("key", message.key())
            assert list(key) == ["k"]
            assert places.setdefault(key["k"], message.partition()) == message.partition()
            if message.value() is None:
                del rows[key["k"]]
            else:
                row = tuple(self.read("value", message.value()).values())
                assert rows.get(key["k"]) != row
                rows[key["k"]] = row
        return Counter(rows.values())


@pytest.fixture
def target(kafka: KafkaBroker, registry: SchemaRegistry) -> Iterator[Callable[..., Target]]:
    made: list[Target] = []

    def make(envelope: SinkEnvelope = SinkEnvelope.UPSERT, **options: Any) -> Target:
        made.append(Target(kafka, registry, envelope, **options))
        return made[-1]

    yield make
    for one in made:
        for sink in one.made:
            sink.close()


def test_a_reader_has_the_contents_after_each_interval(target: Callable[..., Target]) -> None:
    """Also where another writer goes on: it registers the same schemas, and gets the same ids."""
    out = target()
    changes = history(Random(21), FIRST, 12, 40, 15)
    lower = 0
    for upper in (FIRST + 1, FIRST + 2, FIRST + 6, FIRST + 12):
        sink = out.sink()
        assert sink.open() == lower
        sink.write(between(changes, lower, upper), lower, upper)
        assert out.folded() == contents(changes, upper)
        lower = upper
    (key,), (value,) = (out.registry.versions(f"{out.options.topic}-{part}") for part in ("key", "value"))
    assert key[1]["name"] == "Row"
    assert [field["name"] for field in value[1]["fields"]] == ["k", "v"]


@pytest.mark.parametrize("keyed", [True, False])
def test_debezium(target: Callable[..., Target], keyed: bool) -> None:
    out = target(SinkEnvelope.DEBEZIUM, **({} if keyed else {"key_avro": None}))
    changes = history(Random(22), FIRST, 10, 20, 10)
    sink = out.sink()
    sink.open()
    sink.write(between(changes, 0, FIRST + 1), 0, FIRST + 1)
    sink.write(between(changes, FIRST + 1, FIRST + 10), FIRST + 1, FIRST + 10)
    rows: Counter[Any] = Counter()
    for message in out.messages():
        assert (message.key() is not None) == keyed
        event = out.read("value", message.value())
        for side, diff in (("before", -1), ("after", 1)):
            if event[side] is not None:
                rows[tuple(event[side].values())] += diff
    assert +rows == contents(changes, FIRST + 10)
    assert min(rows.values()) >= 0


def test_a_key_in_another_format(target: Callable[..., Target]) -> None:
    out = target(key_format="json", key_avro=None)
    sink = out.sink()
    sink.open()
    sink.write(batch([(1, "a", FIRST, 1), (2, None, FIRST, 1)]), 0, FIRST + 1)
    found = {json.loads(m.key())["k"]: out.read("value", m.value()) for m in out.messages()}
    assert found == {1: {"k": 1, "v": "a"}, 2: {"k": 2, "v": None}}
    assert out.registry.versions(f"{out.options.topic}-key") == []


def test_nothing_is_written_without_the_registry(target: Callable[..., Target]) -> None:
    out = target()
    out.registry.stop()
    sink = out.sink()
    with pytest.raises(
        SinkStalled, match=r"cannot register the schema of subject .*-key.: cannot connect to"
    ):
        sink.open()
    assert out.options.topic not in out.kafka.admin.list_topics(timeout=10).topics
    out.registry.start()
    assert sink.open() == 0
    out.registry.stop()  # what is registered stays so: who writes on does not ask again
    sink.write(batch([(1, "a", FIRST, 1)]), 0, FIRST + 1)
    assert out.folded() == {(1, "a"): 1}


def test_a_schema_that_the_registry_refuses(target: Callable[..., Target]) -> None:
    out = target()
    out.registry.refused[f"{out.options.topic}-value"] = "reader's field v has no default"
    sink = out.sink()
    with pytest.raises(SchemaRefused, match="reader's field v has no default"):
        sink.open()
    out.registry.refused.clear()
    assert sink.open() == 0


def test_compatibility_levels(target: Callable[..., Target]) -> None:
    out = target()
    out.options = replace(out.options, value_avro=AvroOptions("c2", "x.Change", "FULL"))
    assert out.sink().open() == 0
    assert out.registry.levels == {f"{out.options.topic}-value": "FULL"}
    out.registry.levels[f"{out.options.topic}-value"] = "BACKWARD"
    with pytest.raises(SinkStalled, match="has compatibility level BACKWARD, and the sink asks for FULL"):
        out.sink().open()
