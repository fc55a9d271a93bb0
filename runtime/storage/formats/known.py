"""Formats by the words that name them: the place where another one is added."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...errors import InvalidParameter, Unsupported
from ...repr.schema import Schema
from ...repr.types import Kind
from ..connections.values import Values
from ..debezium.avro import DebeziumAvro
from ..debezium.contract import EventFormat, RowEvents
from ..debezium.json import DebeziumJson, DebeziumJsonKey
from .avro.format import AvroFormat
from .contract import PayloadFormat
from .csv import Csv
from .json import JsonDocument, JsonFields
from .options import FormatOptions
from .packages import missing_package
from .registry import Registry
from .schemas import NO_SCHEMAS, Schemas, SchemaText
from .text import Bytes, Text

Connections = Mapping[str, Values]

DEBEZIUM = "debezium"
"""The `envelope` in the settings of values that are change events."""


def _json(options: FormatOptions, connections: Connections) -> PayloadFormat:
    if options.settings.get("envelope") == DEBEZIUM:
        return DebeziumJsonKey(options.schema)
    return JsonFields(options.schema) if options.settings.get("declared") else JsonDocument(options.schema)


def _text(options: FormatOptions, connections: Connections) -> PayloadFormat:
    kind = options.schema[0].type.kind
    if len(options.schema) != 1 or kind is Kind.BYTEA:
        raise Unsupported("FORMAT TEXT makes one column of a type that has text as its input")
    return Text(options.schema)


def _bytes(options: FormatOptions, connections: Connections) -> PayloadFormat:
    if len(options.schema) != 1 or options.schema[0].type.kind is not Kind.BYTEA:
        raise Unsupported("FORMAT BYTES makes one column of type bytea")
    return Bytes(options.schema)


def _csv(options: FormatOptions, connections: Connections) -> PayloadFormat:
    return Csv(options.schema, options.settings)


def _avro(options: FormatOptions, connections: Connections) -> PayloadFormat:
    format_ = AvroFormat(_reader(options), _schemas(options, connections), options.schema[0].name)
    _check(format_.schema, options)
    return format_


def _protobuf(options: FormatOptions, connections: Connections) -> PayloadFormat:
    format_ = protobuf_format(bytes.fromhex(options.settings["schema"]), options.settings["message"])
    _check(format_.schema, options)
    return format_


def protobuf_format(descriptor_set: bytes, message: str) -> PayloadFormat:
    # Loaded where it is asked for: it is of an extra.
    try:
        from .protobuf.format import ProtobufFormat
    except ImportError:
        raise missing_package("FORMAT PROTOBUF", "protobuf") from None
    return ProtobufFormat(descriptor_set, message)


def _reader(options: FormatOptions) -> SchemaText:
    return SchemaText(options.settings["schema"])


def _schemas(options: FormatOptions, connections: Connections) -> Schemas:
    assert options.connection is not None, "FORMAT AVRO reads through a registry"
    values = connections.get(options.connection)
    return NO_SCHEMAS if values is None else Registry(values)


def _check(schema: Schema, options: FormatOptions) -> None:
    """The columns are kept with the source: another version of the runtime may make others of the same schema."""
    made = [(column.name, column.type) for column in schema]
    kept = [(column.name, column.type) for column in options.schema]
    if len(kept) == 1 == len(made):  # which a statement may give another name
        kept = [(made[0][0], kept[0][1])]
    if made != kept:
        raise InvalidParameter(
            f"FORMAT {options.kind.upper()} makes other columns than those that the source has",
            detail=f"It makes {', '.join(f'{name} {type_}' for name, type_ in made)}.",
            hint="Create the source anew.",
        )


_FORMATS: Mapping[str, Callable[[FormatOptions, Connections], PayloadFormat]] = {
    "json": _json,
    "text": _text,
    "bytes": _bytes,
    "csv": _csv,
    "avro": _avro,
    "protobuf": _protobuf,
}


def open_format(options: FormatOptions, connections: Connections) -> PayloadFormat:
    """Raises Unsupported or InvalidParameter for columns and settings that do not go together; nothing outside is touched yet.
    `connections` may lack those that the format reads through, as long as it decodes nothing."""
    if (make := _FORMATS.get(options.kind)) is None:
        raise Unsupported(
            f"FORMAT {options.kind.upper()} of messages is not supported",
            hint=f"Formats are {', '.join(name.upper() for name in _FORMATS)}.",
        )
    return make(options, connections)


def open_events(options: FormatOptions, connections: Connections) -> EventFormat:
    """As `open_format`, of values, which are change events where the settings say so."""
    if options.settings.get("envelope") != DEBEZIUM:
        return RowEvents(open_format(options, connections))
    match options.kind:
        case "json":
            return DebeziumJson(options.schema)
        case "avro":
            format_ = DebeziumAvro(_reader(options), _schemas(options, connections))
            _check(format_.schema, options)
            return format_
        case kind:
            raise Unsupported(
                f"ENVELOPE DEBEZIUM of FORMAT {kind.upper()} is not supported",
                hint="Change events are in JSON or AVRO.",
            )
