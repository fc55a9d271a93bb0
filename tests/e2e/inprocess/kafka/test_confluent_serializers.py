"""What Confluent's own serializers write is what a source holds."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterator
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from inprocess import rows
from servers.confluent_serializers import avro_payloads, avro_payloads_and_header, packages
from servers.kafka.broker import KafkaBroker
from servers.maven_jars import Missing
from servers.schema_registry import SchemaRegistry, schema_registry

from .sources import Db, connect, shows

SCHEMA = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "item", "type": ["null", "string"], "default": None},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "ref", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
    ],
}
COLUMNS = "id, item, price, at, day, ref, kind, tags::text"


@pytest.fixture(autouse=True)
def _there() -> None:
    try:
        packages()
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def registry(db: Db, kafka: KafkaBroker) -> Iterator[SchemaRegistry]:
    connect(db, kafka)
    with schema_registry() as server:
        db.execute(f"CREATE CONNECTION r TO CONFLUENT SCHEMA REGISTRY (URL '{server.url}')".encode())
        yield server


def order(random: Random) -> dict[str, Any]:
    return {
        "id": random.randrange(-(2**63), 2**63),
        "item": random.choice((None, "", "größer", "x" * 300)),
        "price": Decimal(random.randrange(-(10**9) + 1, 10**9)).scaleb(-2),
        "at": datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
        + datetime.timedelta(microseconds=random.randrange(-(10**15), 10**15)),
        "day": datetime.date(2000, 1, 1) + datetime.timedelta(days=random.randrange(-20_000, 20_000)),
        "ref": uuid.UUID(int=random.getrandbits(128)),
        "kind": random.choice("AB"),
        "tags": [random.choice("abc") for _ in range(random.randrange(4))],
    }


def row(value: dict[str, Any]) -> tuple[Any, ...]:
    shown = {**value, "at": value["at"].replace(tzinfo=None), "tags": "{" + ",".join(value["tags"]) + "}"}
    return tuple(shown.values())


@pytest.mark.parametrize(
    ("subject", "strategy"),
    [("topic", ""), ("record", "VALUE STRATEGY ID 1"), ("topic_record", "VALUE STRATEGY ID 1")],
)
def test_avro(db: Db, kafka: KafkaBroker, registry: SchemaRegistry, subject: str, strategy: str) -> None:
    """However it names the schema: an id says which it is."""
    topic, random = kafka.topic(), Random(7)
    values = [order(random) for _ in range(200)]
    payloads = avro_payloads(registry.url, topic, SCHEMA, values, subject=subject)
    kafka.produce(topic, [(None, payload) for payload in payloads])
    named = {"topic": f"{topic}-value", "record": "shop.Order", "topic_record": f"{topic}-shop.Order"}
    assert registry.answer("GET", "/subjects", {})[1] == [named[subject]]
    db.execute(
        f"CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC '{topic}') "
        f"FORMAT AVRO USING CONFLUENT SCHEMA REGISTRY CONNECTION r {strategy}".encode()
    )
    shows(db, f"SELECT {COLUMNS} FROM s", [row(value) for value in values])
    assert rows(db, "SELECT status FROM mz_internal.mz_source_statuses WHERE name = 's'") == [("running",)]


def test_ids_of_schemas_in_headers(db: Db, kafka: KafkaBroker, registry: SchemaRegistry) -> None:
    """Beside messages that begin with them, and one of a schema that nobody knows."""
    topic, random = kafka.topic(), Random(8)
    values = [order(random) for _ in range(20)]
    payloads, header = avro_payloads_and_header(registry.url, topic, SCHEMA, values[:10])
    assert header[0] == "__value_schema_id"
    kafka.produce(topic, [(None, payload) for payload in payloads], headers=[("other", b"x"), header])
    prefixed = avro_payloads(registry.url, topic, SCHEMA, values[10:])
    kafka.produce(topic, [(None, payload) for payload in prefixed])
    db.execute(
        f"CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC '{topic}') "
        "FORMAT AVRO USING CONFLUENT SCHEMA REGISTRY CONNECTION r "
        "WITH (ON ERROR = DEAD LETTER)".encode()
    )
    shows(db, f"SELECT {COLUMNS} FROM s", [row(value) for value in values])
    kafka.produce(topic, [(None, payloads[0])], headers=[(header[0], b"\1" + bytes(16))])
    unknown = "%there is no schema 00000000-0000-0000-0000-000000000000 in the registry"
    shows(db, f"SELECT reason LIKE '{unknown}' FROM s_dead_letters", [(True,)])
    db.execute("ALTER SOURCE s REPLAY DEAD LETTERS")
    shows(db, "SELECT count(*) FROM s_dead_letters", [(1,)])
