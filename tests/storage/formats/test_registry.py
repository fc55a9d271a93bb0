"""Schemas of a registry over HTTP: by id, of a subject, with what they refer to; and a registry that does not answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from ptvc.errors import UndefinedObject
from ptvc.storage.connections.failures import ConnectionFailed, Step
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef
from ptvc.storage.connections.values import Values
from ptvc.storage.decode import WHOLE_RECORD
from ptvc.storage.formats.avro.format import AvroFormat
from ptvc.storage.formats.registry import Registry, SchemaRefused
from ptvc.storage.formats.schemas import SchemaText
from servers.schema_registry import SchemaRegistry, schema_registry

from .avro.cases import binary, written

V1 = {"type": "record", "name": "r", "fields": [{"name": "id", "type": "int"}]}


@pytest.fixture
def server() -> Iterator[SchemaRegistry]:
    with schema_registry() as started:
        yield started


def client(server: SchemaRegistry, **values: Any) -> Registry:
    options = ConnectionOptions(ConnectionKind.CONFLUENT_SCHEMA_REGISTRY, {"URL": server.url, **values})
    return Registry(Values(options, {"u1": b"a-secret"}, link_local=False), seconds=5)


def test_by_id_and_by_subject(server: SchemaRegistry) -> None:
    first = server.register("orders/eu-value", V1)
    second = server.register("orders/eu-value", '"string"')
    registry = client(server)
    assert registry.schema(first) == SchemaText(json.dumps(V1))
    assert registry.schema(first) == SchemaText(json.dumps(V1))
    assert server.asked == ["/schemas/ids/1"]
    found = registry.latest("orders/eu-value")
    assert (found.id, found.schema) == (second, SchemaText('"string"'))
    assert server.asked[1:] == ["/subjects/orders%2Feu-value/versions/latest"]
    assert registry.schema(second) == SchemaText('"string"')
    assert len(server.asked) == 2
    assert registry.schema(77) is None
    with pytest.raises(UndefinedObject, match='has no subject "nothing-value"'):
        registry.latest("nothing-value")


def test_by_guid(server: SchemaRegistry) -> None:
    guid = UUID(server.guid(server.register("orders-value", V1)))
    registry = client(server)
    assert registry.schema(guid) == registry.schema(guid) == SchemaText(json.dumps(V1))
    assert server.asked == [f"/schemas/guids/{guid}"]
    assert registry.schema(UUID(int=0)) is None


def test_references(server: SchemaRegistry) -> None:
    leaf = {"type": "record", "name": "x.Leaf", "fields": [{"name": "v", "type": "int"}]}
    middle = {"type": "record", "name": "x.Middle", "fields": [{"name": "leaf", "type": "x.Leaf"}]}
    top = {
        "type": "record",
        "name": "Top",
        "fields": [{"name": "m", "type": "x.Middle"}, {"name": "l", "type": "x.Leaf"}],
    }
    server.register("leaf", leaf)
    server.register("middle", middle, [("x.Leaf", "leaf", 1)])
    id_ = server.register("top", top, [("x.Middle", "middle", 1), ("x.Leaf", "leaf", 1)])
    registry = client(server)
    found = registry.schema(id_)
    assert found == SchemaText(json.dumps(top), (json.dumps(leaf), json.dumps(middle)))
    format_ = AvroFormat(found, registry, "value")
    assert format_.schema.names == ("m", "l")


def test_references_without_an_end(server: SchemaRegistry) -> None:
    server.register("a", V1, [("b", "b", 1)])
    id_ = server.register("b", '"int"', [("a", "a", 1)])
    with pytest.raises(ConnectionFailed, match="refer to each other without an end"):
        client(server).schema(id_)
    id_ = server.register("c", '"int"', [("d", "d", 1)])
    with pytest.raises(ConnectionFailed, match="HTTP status 404"):
        client(server).schema(id_)


def test_killed_and_started_again(server: SchemaRegistry) -> None:
    """What is known is read on; what is not waits, and is no error of its payload."""
    first = server.register("s-value", V1)
    second = server.register(
        "s-value", {**V1, "fields": [{"name": "id", "type": "int"}, {"name": "n", "type": "int"}]}
    )
    format_ = AvroFormat(SchemaText(json.dumps(V1)), client(server), "value")
    known = b"\0" + first.to_bytes(4, "big") + written(V1, {"id": 5})
    other = b"\0" + second.to_bytes(4, "big") + b"\x0e\x02"
    absent = b"\0\0\0\0\x63\x02"
    assert format_.decode(binary([known])).columns[0].to_pylist() == [5]
    server.stop()
    assert format_.decode(binary([known])).columns[0].to_pylist() == [5]
    for payloads in ([known, other], [absent]):
        with pytest.raises(ConnectionFailed, match="connection refused") as failed:
            format_.decode(binary(payloads))
        assert failed.value.step is Step.CONNECTION
    server.start()
    found = format_.decode(binary([known, other, absent]))
    assert found.columns[0].to_pylist() == [5, 7, None]
    assert found.errors.rows.tolist() == [2]
    assert found.errors.columns.tolist() == [WHOLE_RECORD]
    assert found.errors.reasons.to_pylist() == ["there is no schema 99 in the registry"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((404, b"<html>not here</html>"), "HTTP status 404"),
        ((404, {"error_code": 404, "message": "HTTP 404 Not Found"}), "HTTP status 404"),
        ((500, {"error_code": 50001, "message": "Error in the backend"}), "HTTP status 500"),
        ((429, {}), "HTTP status 429"),
        ((401, {"error_code": 401}), "authentication failed"),
        ((302, {}), "HTTP status 302"),
        ((200, b"<html>"), "no object of JSON"),
        ((200, []), "no object of JSON"),
        ((200, {"id": 5}), "without a schema"),
        ((200, {"schema": '"int"', "references": [{"name": "x"}]}), "without a subject"),
        ((200, b"[" * 100_000), "no object of JSON"),
    ],
)
def test_answers_that_say_nothing_of_the_schema(server: SchemaRegistry, answer: Any, message: str) -> None:
    server.interfere = answer
    with pytest.raises(ConnectionFailed, match=message):
        client(server).schema(5)


def test_another_language_is_an_error_of_the_payload(server: SchemaRegistry) -> None:
    id_ = server.register("s-value", 'syntax = "proto3";', kind="PROTOBUF")
    format_ = AvroFormat(SchemaText(json.dumps(V1)), client(server), "value")
    found = format_.decode(binary([b"\0" + id_.to_bytes(4, "big") + b"\x02"]))
    assert found.errors.reasons.to_pylist() == [
        "schema 1 of the registry cannot be used: it is a schema of PROTOBUF, not of AVRO"
    ]


def test_a_password_is_sent_and_not_shown(server: SchemaRegistry) -> None:
    registry = client(server, USERNAME="ann", PASSWORD=SecretRef("u1"))
    server.interfere = (500, b"")
    with pytest.raises(ConnectionFailed) as failed:
        registry.schema(5)
    assert "a-secret" not in f"{failed.value.message} {failed.value.detail}"
    assert "a-secret" not in repr(registry)


def test_schemas_are_registered_once(server: SchemaRegistry) -> None:
    registry, text = client(server), json.dumps(V1)
    id_ = registry.register("orders/eu-value", text)
    assert client(server).register("orders/eu-value", text) == id_
    assert server.versions("orders/eu-value") == [(id_, V1)]
    server.refused["orders/eu-value"] = "field a-secret has no default"
    with pytest.raises(SchemaRefused) as refused:
        registry.register("orders/eu-value", '"int"')
    assert refused.value.message == (
        f'the schema registry at {server.url} refuses the schema of subject "orders/eu-value": field *** has no default'
    )
    server.interfere = 422, {"error_code": 42201, "message": "Invalid schema"}
    with pytest.raises(SchemaRefused, match="Invalid schema"):
        registry.register("orders/eu-value", '"int"')
    server.interfere = 200, {}
    with pytest.raises(ConnectionFailed, match="a schema without an id"):
        registry.register("orders/eu-value", text)


def test_compatibility(server: SchemaRegistry) -> None:
    registry = client(server)
    assert registry.compatibility("a/b-value") is None
    registry.set_compatibility("a/b-value", "FULL")
    assert registry.compatibility("a/b-value") == "FULL"
    assert server.levels == {"a/b-value": "FULL"}
    server.interfere = 422, {"error_code": 42203, "message": "Invalid compatibility level"}
    with pytest.raises(SchemaRefused, match="refuses compatibility level ODD of subject"):
        registry.set_compatibility("a/b-value", "ODD")
