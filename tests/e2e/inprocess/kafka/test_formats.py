"""KAFKA sources of a whole runtime whose columns come of a schema: Avro with a registry, protobuf, change events of Debezium."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import fastavro
import psycopg
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.message_factory import GetMessageClass
from inprocess import InProcess, eventually, rows
from servers.kafka.broker import KafkaBroker
from servers.schema_registry import SchemaRegistry, schema_registry

from .sources import Db, connect, shows, stalled, status

KEY = {"type": "record", "name": "Key", "fields": [{"name": "id", "type": "int"}]}
V1 = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "id", "type": "int"}, {"name": "item", "type": ["null", "string"], "default": None}],
}
V2 = {**V1, "fields": [*V1["fields"], {"name": "price", "type": "double", "default": 1.5}]}
REGISTRY = "USING CONFLUENT SCHEMA REGISTRY CONNECTION r"


@pytest.fixture
def registry(db: Db, kafka: KafkaBroker) -> Iterator[SchemaRegistry]:
    connect(db, kafka)
    with schema_registry() as server:
        db.execute(f"CREATE CONNECTION r TO CONFLUENT SCHEMA REGISTRY (URL '{server.url}')".encode())
        yield server


class Topic:
    """A topic with its subjects, to which values are written as Confluent's serializers do."""

    def __init__(self, kafka: KafkaBroker, registry: SchemaRegistry, key: Any, value: Any) -> None:
        self._kafka = kafka
        self.name = kafka.topic()
        self._key = key, registry.register(f"{self.name}-key", json.dumps(key))
        self._value = value, registry.register(f"{self.name}-value", value)
        self._registry = registry

    def evolve(self, value: Any) -> int:
        self._value = value, self._registry.register(f"{self.name}-value", value)
        return self._value[1]

    def write(self, *pairs: tuple[Any, Any]) -> None:
        self._kafka.produce(self.name, [(_framed(*self._key, k), _framed(*self._value, v)) for k, v in pairs])

    def write_raw(self, key: Any, value: bytes) -> None:
        self._kafka.produce(self.name, [(_framed(*self._key, key), value)])


def _framed(schema: Any, id_: int, value: Any) -> bytes | None:
    if value is None:
        return None
    sink = io.BytesIO()
    fastavro.schemaless_writer(sink, fastavro.parse_schema(schema), value)
    return b"\0" + id_.to_bytes(4, "big") + sink.getvalue()


def create(db: Db, topic: str, clauses: str, name: str = "s", columns: str = "") -> None:
    db.execute(f"CREATE SOURCE {name} {columns} FROM KAFKA CONNECTION k (TOPIC '{topic}') {clauses}".encode())


def columns(db: Db, name: str = "s") -> list[tuple[Any, ...]]:
    return rows(
        db,
        "SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute "
        f"WHERE attrelid = '{name}'::regclass AND attnum > 0 ORDER BY attnum",
    )


def test_columns_are_those_of_the_schema_when_it_was_created(
    db: Db, kafka: KafkaBroker, registry: SchemaRegistry
) -> None:
    topic = Topic(kafka, registry, "string", V1)
    topic.write(("a", {"id": 1, "item": "x"}), ("b", {"id": 2, "item": None}))
    create(db, topic.name, f"FORMAT AVRO {REGISTRY}")
    assert columns(db) == [("id", "integer", True), ("item", "text", False)]
    shows(db, "SELECT * FROM s", [(1, "x"), (2, None)])
    second = topic.evolve(V2)
    topic.write(("c", {"id": 3, "item": "y", "price": 9.5}))
    shows(db, "SELECT * FROM s", [(1, "x"), (2, None), (3, "y")])
    create(db, topic.name, f"FORMAT AVRO {REGISTRY} VALUE STRATEGY ID {second} INCLUDE KEY", "later")
    shows(db, "SELECT * FROM later", [("a", 1, "x", 1.5), ("b", 2, None, 1.5), ("c", 3, "y", 9.5)])
    reader = json.dumps({"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]})
    create(db, topic.name, f"FORMAT AVRO {REGISTRY} VALUE STRATEGY INLINE '{reader}'", "inline")
    shows(db, "SELECT * FROM inline", [(1,), (2,), (3,)])


def test_what_show_create_source_says_makes_the_same_source(
    db: Db, kafka: KafkaBroker, registry: SchemaRegistry
) -> None:
    registry.register("leaf", {"type": "record", "name": "x.Leaf", "fields": [{"name": "v", "type": "int"}]})
    topic = Topic(kafka, registry, KEY, V1)
    top = {**V1, "fields": [*V1["fields"], {"name": "leaf", "type": ["null", "x.Leaf"], "default": None}]}
    registry.register(f"{topic.name}-value", top, [("x.Leaf", "leaf", 1)])
    topic.write(({"id": 1}, {"id": 1, "item": "it's"}))
    for name, envelope in (("s", "UPSERT"), ("e", "NONE")):
        create(db, topic.name, f"FORMAT AVRO {REGISTRY} ENVELOPE {envelope}", name)
        ((_, text),) = rows(db, f"SHOW CREATE SOURCE {name}")
        assert "VALUE STRATEGY INLINE" in text
        shows(db, f"SELECT id, item, leaf::text FROM {name}", [(1, "it's", None)])
        before = columns(db, name)
        db.execute(f"DROP SOURCE {name}".encode())
        registry.stop()  # which is not asked for what the statement has
        db.execute(text.encode())
        registry.start()
        assert columns(db, name) == before
        assert rows(db, f"SHOW CREATE SOURCE {name}")[0][1] == text
        shows(db, f"SELECT id, item, leaf::text FROM {name}", [(1, "it's", None)])


def test_upsert_by_a_key_that_the_value_has_too(db: Db, kafka: KafkaBroker, registry: SchemaRegistry) -> None:
    topic = Topic(kafka, registry, KEY, V1)
    create(db, topic.name, f"FORMAT AVRO {REGISTRY} ENVELOPE UPSERT")
    assert columns(db) == [("id", "integer", True), ("item", "text", False)]
    topic.write(({"id": 1}, {"id": 1, "item": "a"}), ({"id": 2}, {"id": 2, "item": "b"}))
    shows(db, "SELECT * FROM s", [(1, "a"), (2, "b")])
    topic.write(({"id": 1}, {"id": 1, "item": "c"}), ({"id": 2}, None), ({"id": 3}, None))
    shows(db, "SELECT * FROM s", [(1, "c")])
    topic.write_raw({"id": 1}, b"\0\0\0\0\x63\x02")
    eventually(lambda: "there is no schema 99 in the registry" in _failure(db, "SELECT * FROM s"))
    topic.write(({"id": 1}, {"id": 1, "item": "d"}))
    shows(db, "SELECT * FROM s", [(1, "d")])


def _failure(db: Db, query: str) -> str:
    try:
        db.execute(query.encode())
    except psycopg.Error as error:
        return str(error)
    return ""


def test_a_silent_registry_stalls_the_source(db: Db, kafka: KafkaBroker, registry: SchemaRegistry) -> None:
    topic = Topic(kafka, registry, "string", V1)
    create(db, topic.name, f"FORMAT AVRO {REGISTRY}")
    topic.write(("a", {"id": 1, "item": "x"}))
    shows(db, "SELECT * FROM s", [(1, "x")])
    topic.evolve(V2)
    registry.stop()
    topic.write(("b", {"id": 2, "item": "y", "price": 2.0}))
    assert "connection refused" in stalled(db)
    assert rows(db, "SELECT * FROM s") == [(1, "x")]
    # What is there already asks for nothing.
    create(db, topic.name, f"FORMAT AVRO {REGISTRY}", "IF NOT EXISTS s")
    registry.start()
    shows(db, "SELECT * FROM s", [(1, "x"), (2, "y")])
    assert status(db) == ("running", None)


def test_what_cannot_be_created(db: Db, kafka: KafkaBroker, registry: SchemaRegistry) -> None:
    topic = Topic(kafka, registry, KEY, V1)
    other = Topic(kafka, registry, {**KEY, "fields": [{"name": "id", "type": "string"}]}, V1)
    nothing = kafka.topic()
    recursive = json.dumps(
        {"type": "record", "name": "n", "fields": [{"name": "next", "type": ["null", "n"]}]}
    )
    for topic_name, clauses, message in (
        (nothing, f"FORMAT AVRO {REGISTRY}", f'has no subject "{nothing}-value"'),
        (topic.name, f"FORMAT AVRO {REGISTRY} VALUE STRATEGY ID 77", "there is no schema 77"),
        (topic.name, f"FORMAT AVRO {REGISTRY} VALUE STRATEGY INLINE '{recursive}'", "contains itself"),
        (topic.name, f"FORMAT AVRO {REGISTRY} VALUE STRATEGY INLINE 'x'", "malformed"),
        (topic.name, f"FORMAT AVRO {REGISTRY} ENVELOPE DEBEZIUM", "no envelope of Debezium"),
        (
            topic.name,
            "FORMAT AVRO USING CONFLUENT SCHEMA REGISTRY CONNECTION k",
            "is to KAFKA, not to CONFLUENT",
        ),
        (
            topic.name,
            "FORMAT AVRO USING CONFLUENT SCHEMA REGISTRY CONNECTION x",
            'connection "x" does not exist',
        ),
        (other.name, f"FORMAT AVRO {REGISTRY} ENVELOPE UPSERT", 'column "id" is text in the key and integer'),
        (topic.name, "FORMAT PROTOBUF MESSAGE 'p.M' USING SCHEMA 'xyz'", "not in hexadecimal"),
        (topic.name, "FORMAT PROTOBUF MESSAGE 'p.M' USING SCHEMA 'ff'", "no descriptor set"),
        (topic.name, "FORMAT JSON ENVELOPE DEBEZIUM", "need the columns of their rows"),
        (
            topic.name,
            "KEY FORMAT TEXT VALUE FORMAT TEXT ENVELOPE DEBEZIUM",
            "ENVELOPE DEBEZIUM of FORMAT TEXT",
        ),
    ):
        with pytest.raises(psycopg.Error, match=message):
            create(db, topic_name, clauses)
    with pytest.raises(psycopg.Error, match="the statement lists none"):
        create(db, topic.name, f"FORMAT AVRO {REGISTRY}", columns="(id int)")
    registry.stop()
    with pytest.raises(psycopg.Error, match="connection refused"):
        create(db, topic.name, f"FORMAT AVRO {REGISTRY}")
    assert rows(db, "SELECT count(*) FROM mz_sources WHERE name = 's'") == [(0,)]


def test_a_registry_is_asked_by_those_who_have_the_right(
    runtime: InProcess, db: Db, kafka: KafkaBroker, registry: SchemaRegistry, schema: str
) -> None:
    topic = Topic(kafka, registry, KEY, V1)
    db.execute("CREATE ROLE writer LOGIN")
    for right in (
        f"USAGE, CREATE ON SCHEMA {schema}",
        "USAGE, CREATE ON CLUSTER quickstart",
        "USAGE ON CONNECTION k",
    ):
        db.execute(f"GRANT {right} TO writer".encode())
    with psycopg.connect(
        host="127.0.0.1", port=runtime.port, user="writer", dbname="ptvc", autocommit=True,
        options=f"-c search_path={schema}",
    ) as writer:  # fmt: skip
        asked = list(registry.asked)
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for connection r"):
            create(writer, topic.name, f"FORMAT AVRO {REGISTRY}")
        assert registry.asked == asked
        db.execute("GRANT USAGE ON CONNECTION r TO writer")
        create(writer, topic.name, f"FORMAT AVRO {REGISTRY}")
        writer.execute("DROP SOURCE s")


def test_messages(db: Db, kafka: KafkaBroker) -> None:
    connect(db, kafka)
    file = descriptor_pb2.FileDescriptorProto(name="m.proto", package="p", syntax="proto3")
    message = file.message_type.add(name="M")
    field = descriptor_pb2.FieldDescriptorProto
    message.field.add(name="id", number=1, type=field.TYPE_INT64, label=field.LABEL_OPTIONAL)
    message.field.add(name="tags", number=2, type=field.TYPE_STRING, label=field.LABEL_REPEATED)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    made = GetMessageClass(pool.FindMessageTypeByName("p.M"))
    descriptor_set = descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
    topic = kafka.topic()
    payload = made(id=7, tags=["a", "b"]).SerializeToString()
    kafka.produce(topic, [(None, payload), (None, b""), (None, b"\0\0\0\0\5\0" + payload)])
    create(db, topic, f"FORMAT PROTOBUF MESSAGE 'p.M' USING SCHEMA '{descriptor_set.hex()}'")
    shows(db, "SELECT id, tags::text FROM s", [(7, "{a,b}"), (0, "{}"), (7, "{a,b}")])
    ((_, text),) = rows(db, "SHOW CREATE SOURCE s")
    db.execute(b"DROP SOURCE s")
    db.execute(text.encode())
    shows(db, "SELECT count(*) FROM s", [(3,)])


ENVELOPE = {
    "type": "record",
    "name": "Envelope",
    "namespace": "pg.t",
    "fields": [
        {"name": "before", "type": ["null", {**V1, "name": "Value"}], "default": None},
        {"name": "after", "type": ["null", "Value"], "default": None},
        {"name": "op", "type": "string"},
    ],
}


def test_change_events_in_avro(db: Db, kafka: KafkaBroker, registry: SchemaRegistry) -> None:
    topic = Topic(kafka, registry, KEY, ENVELOPE)
    create(db, topic.name, f"FORMAT AVRO {REGISTRY} ENVELOPE DEBEZIUM")
    assert columns(db) == [("id", "integer", True), ("item", "text", False)]
    random, table = Random(3), dict[int, str | None]()
    for _ in range(20):
        _change(random, table, topic)
    shows(db, "SELECT * FROM s", list(table.items()))
    ((_, text),) = rows(db, "SHOW CREATE SOURCE s")
    assert "ENVELOPE DEBEZIUM" in text
    assert rows(db, "SELECT envelope_type FROM mz_sources WHERE name = 's'") == [("debezium",)]
    db.execute(b"DROP SOURCE s")
    db.execute(text.encode())
    shows(db, "SELECT * FROM s", list(table.items()))


def _change(random: Random, table: dict[int, str | None], topic: Topic) -> None:
    """Some events of one change of the table, of which the last ones may come twice."""
    id_ = random.randint(1, 6)
    events: list[tuple[Any, Any]] = []
    if id_ in table and random.random() < 0.4:
        del table[id_]
        events = [({"id": id_}, {"before": None, "after": None, "op": "d"}), ({"id": id_}, None)]
    else:
        op = "u" if id_ in table else random.choice("rc")
        table[id_] = random.choice((None, "x", "y"))
        events = [({"id": id_}, {"before": None, "after": {"id": id_, "item": table[id_]}, "op": op})]
    topic.write(*events, *(events if random.random() < 0.5 else ()))


@pytest.mark.parametrize("framed", [False, True])
def test_change_events_in_json(db: Db, kafka: KafkaBroker, framed: bool) -> None:
    connect(db, kafka)
    topic = kafka.topic()

    def document(value: Any) -> bytes:
        return json.dumps({"schema": {"type": "struct"}, "payload": value} if framed else value).encode()

    def event(op: str, after: Any) -> bytes:
        return document({"before": None, "after": after, "op": op, "ts_ms": 1})

    create(
        db,
        topic,
        "FORMAT JSON ENVELOPE DEBEZIUM",
        columns="(id int, region text, item text, doc jsonb, PRIMARY KEY (id, region))",
    )
    first, second = ({"id": n, "region": "eu", "item": "x", "doc": {"a": n}} for n in (1, 2))
    key = {n: document({"id": n, "region": "eu"}) for n in (1, 2)}
    kafka.produce(topic, [(key[1], event("r", first)), (key[2], event("c", second))])
    query = "SELECT id, region, item, doc::text FROM s"
    shows(db, query, [(1, "eu", "x", '{"a": 1}'), (2, "eu", "x", '{"a": 2}')])
    kafka.produce(
        topic, [(key[1], event("u", {**first, "item": "y"})), (key[2], event("d", None)), (key[2], None)]
    )
    shows(db, query, [(1, "eu", "y", '{"a": 1}')])
    kafka.produce(topic, [(None, event("t", None))])
    eventually(lambda: "truncated upstream" in _failure(db, query) or "no key" in _failure(db, query))


def test_a_key_that_is_in_error_goes_with_its_next_event(
    db: Db, kafka: KafkaBroker, registry: SchemaRegistry
) -> None:
    topic = Topic(kafka, registry, KEY, ENVELOPE)
    create(db, topic.name, f"FORMAT AVRO {REGISTRY} ENVELOPE DEBEZIUM")
    topic.write(({"id": 1}, {"before": None, "after": {"id": 1, "item": "x"}, "op": "c"}))
    shows(db, "SELECT * FROM s", [(1, "x")])
    topic.write(({"id": 1}, {"before": None, "after": None, "op": "u"}))
    eventually(lambda: "has no row after it" in _failure(db, "SELECT * FROM s"))
    topic.write(({"id": 1}, {"before": None, "after": None, "op": "d"}))
    shows(db, "SELECT * FROM s", [])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_change_events_across_kills(fresh: InProcess, kafka: KafkaBroker, seed: int) -> None:
    """Of replicas, of the coordinator, of the broker and of the registry: the source is the table in the end, whatever came twice."""
    random, table = Random(seed), dict[int, str | None]()
    with schema_registry() as registry:
        topic = Topic(kafka, registry, KEY, ENVELOPE)
        with fresh.connect() as db:
            connect(db, kafka)
            db.execute(f"CREATE CONNECTION r TO CONFLUENT SCHEMA REGISTRY (URL '{registry.url}')".encode())
            create(db, topic.name, f"FORMAT AVRO {REGISTRY} ENVELOPE DEBEZIUM")
        for number in range(5):
            for _ in range(10):
                _change(random, table, topic)
            # Schemas that the source does not know yet are written with from now on.
            topic.evolve({**ENVELOPE, "doc": f"version {number}"})
            match random.choice(("replica", "coordinator", "coordinator", "broker", "registry")):
                case "replica":
                    fresh.kill_replica()
                case "coordinator":
                    fresh.abandon()
                    fresh.start()
                case "broker":
                    kafka.restart()
                case "registry":
                    registry.stop()
                    _change(random, table, topic)
                    registry.start()
        for _ in range(10):
            _change(random, table, topic)
        with fresh.connect() as db:
            shows(db, "SELECT * FROM s", list(table.items()), 120)
