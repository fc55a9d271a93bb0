"""Formats whose columns come of a schema: what is asked of a registry before a source can be planned, and what is planned then.

```
statement ── plan: which schemas are wanted ── [they are fetched] ── statement with the schemas in it ── plan
```

So what is planned in the end depends on the statement alone, and on no registry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ....errors import PtvcError, SqlSyntaxError, UndefinedObject, WrongObjectType
from ....repr.schema import Schema
from ....storage.connections.options import ConnectionKind
from ....storage.debezium.avro import DebeziumAvro
from ....storage.formats.avro.format import AvroFormat
from ....storage.formats.known import DEBEZIUM, protobuf_format
from ....storage.formats.options import FormatOptions
from ....storage.formats.schemas import NO_SCHEMAS, SchemaText
from ...catalog.catalog_view import CatalogItem
from ...catalog.named_types import find_any
from ...plans.definition_plans import WantedSchema
from ...query.planner import Planner
from ...syntax import ast
from ...syntax.definition_statements import CreateSourceStatement
from ...syntax.schema_clauses import MessageClause, RegistryClause, SchemaStrategy
from ...syntax.source_statements import KafkaSourceClause, MessageFormat
from ...syntax.vocabulary import ObjectKind

KEY, VALUE = "key", "value"


def connection_of(planner: Planner, name: ast.Name, kind: ConnectionKind) -> CatalogItem:
    item = find_any(ObjectKind.CONNECTION, name, planner.context)
    if item is None:
        raise UndefinedObject(
            f'connection "{".".join(name.parts)}" does not exist',
            hint=f"CREATE CONNECTION name TO {kind.words} (...) makes one.",
            position=name.position,
        )
    assert item.connects is not None
    if item.connects is not kind:
        raise WrongObjectType(
            f'connection "{item.name.name}" is to {item.connects.words}, not to {kind.words}',
            position=name.position,
        )
    return item


def with_key_format(clause: KafkaSourceClause, *, needed: bool) -> KafkaSourceClause:
    """A registry's FORMAT AVRO is that of keys too, where they are needed; so is JSON of change events."""
    of_both = isinstance(clause.value.schema, RegistryClause) or (
        clause.value.kind == "json" and clause.envelope == DEBEZIUM
    )
    return replace(clause, key=clause.value) if clause.key is None and needed and of_both else clause


def wanted_schemas(planner: Planner, clause: KafkaSourceClause, topic: str) -> tuple[WantedSchema, ...]:
    """Those of formats that are not in the statement yet."""
    found = []
    for part, format_ in ((KEY, clause.key), (VALUE, clause.value)):
        if format_ is None or not isinstance(format_.schema, RegistryClause):
            continue
        registry = connection_of(planner, format_.schema.connection, ConnectionKind.CONFLUENT_SCHEMA_REGISTRY)
        strategy = _strategy(format_.schema, part)
        if strategy.text is None:
            subject = f"{topic}-{part}" if strategy.id is None else None
            found.append(WantedSchema(part, registry.id, strategy.id, subject))
    return tuple(found)


def with_schemas(node: CreateSourceStatement, texts: Mapping[str, str]) -> CreateSourceStatement:
    """The statement with the schemas, by part, as if it had been given them."""
    assert node.kafka is not None
    clause = with_key_format(node.kafka, needed=KEY in texts)
    key = clause.key
    if key is not None and KEY in texts:
        key = _given(key, KEY, texts[KEY])
    value = _given(clause.value, VALUE, texts[VALUE]) if VALUE in texts else clause.value
    return replace(node, kafka=replace(clause, key=key, value=value))


def _given(format_: MessageFormat, part: str, text: str) -> MessageFormat:
    assert isinstance(format_.schema, RegistryClause)
    given = SchemaStrategy(text=text)
    schema = replace(format_.schema, key=given) if part == KEY else replace(format_.schema, value=given)
    return replace(format_, schema=schema)


def _strategy(registry: RegistryClause, part: str) -> SchemaStrategy:
    return registry.key if part == KEY else registry.value


def schema_format(
    planner: Planner, written: MessageFormat, part: str, name: str, *, debezium: bool
) -> FormatOptions:
    """The format with the columns that its schema makes; `name` is the one of what is no record."""
    try:
        match written.schema:
            case RegistryClause() as registry:
                return _avro(planner, registry, part, name, debezium=debezium)
            case MessageClause(message=message, schema=schema):
                if debezium:
                    raise SqlSyntaxError("ENVELOPE DEBEZIUM is of values in JSON or AVRO")
                return _protobuf(message, schema)
            case None:
                raise AssertionError(f"FORMAT {written.kind} has no schema")
    except PtvcError as error:
        if error.position is None:
            error.position = written.position
        raise


def _avro(
    planner: Planner, registry: RegistryClause, part: str, name: str, *, debezium: bool
) -> FormatOptions:
    connection = connection_of(planner, registry.connection, ConnectionKind.CONFLUENT_SCHEMA_REGISTRY)
    text = _strategy(registry, part).text
    assert text is not None, "it was fetched"
    reader = SchemaText(text)
    schema: Schema
    settings = {"schema": text}
    if debezium:
        schema, settings = DebeziumAvro(reader, NO_SCHEMAS).schema, {"schema": text, "envelope": DEBEZIUM}
    else:
        schema = AvroFormat(reader, NO_SCHEMAS, name).schema
    return FormatOptions("avro", schema, settings, connection.id)


def _protobuf(message: str, schema: str) -> FormatOptions:
    digits = schema.removeprefix("\\x")
    try:
        descriptor_set = bytes.fromhex(digits)
    except ValueError:
        raise SqlSyntaxError(
            "the schema of FORMAT PROTOBUF is not in hexadecimal",
            hint="It is a descriptor set: protoc --include_imports --descriptor_set_out=FILE, and xxd -p FILE.",
        ) from None
    settings = {"schema": descriptor_set.hex(), "message": message}
    return FormatOptions("protobuf", protobuf_format(descriptor_set, message).schema, settings)
