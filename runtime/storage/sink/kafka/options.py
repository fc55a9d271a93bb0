"""What CREATE SINK ... INTO KAFKA asks for, and which of it goes together with the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....errors import InvalidParameter, Unsupported
from ....repr.schema import Schema
from ....repr.types import BYTEA, NESTED, TEXT, Kind, map_of
from ..avro.types import RowType, change_record, check_full_name, schema_text
from ..change_records import SinkEnvelope

COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")
COMPATIBILITIES = (
    "BACKWARD",
    "BACKWARD_TRANSITIVE",
    "FORWARD",
    "FORWARD_TRANSITIVE",
    "FULL",
    "FULL_TRANSITIVE",
    "NONE",
)


@dataclass(frozen=True, slots=True)
class AvroOptions:
    """Of keys or of values in Avro: `connection` is the id of the registry's, `name` the record's full one, `compatibility` the level that
    the subject is to have.  Of the columns, those in `required` were NOT NULL when the sink was created."""

    connection: str
    name: str
    compatibility: str | None = None
    null_defaults: bool = False
    required: tuple[int, ...] = ()

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> AvroOptions | None:
        return None if value is None else cls(**{**value, "required": tuple(value["required"])})


@dataclass(frozen=True, slots=True)
class KafkaSinkOptions:
    """`connection` is the id of one, `identity` what tells the sink from all others of the world, `progress_topic` where it keeps
    how far it is, whatever becomes of the connection.

    `partition_by` is an expression as JSON, over the columns of what the sink reads, `partition_by_sql` its text; `headers` is the
    position of a column.  Counts that are None are the broker's to choose; they and `topic_config` are of a topic that is made.
    A transaction that lasts longer than its timeout is ended by the broker: so long others may have to wait for that of a sink that
    has died.
    """

    connection: str
    topic: str
    format: str = "json"
    key_format: str = "json"
    compression: str = "lz4"
    transactional_id_prefix: str = "ptvc"
    progress_group_id_prefix: str = "ptvc"
    transaction_timeout_ms: int = 60_000
    partition_by: str | None = None
    partition_by_sql: str | None = None
    partition_count: int | None = None
    replication_factor: int | None = None
    topic_config: Mapping[str, str] = field(default_factory=dict)
    headers: int | None = None
    snapshot: bool = True
    progress_topic: str = ""
    identity: str = ""
    key_avro: AvroOptions | None = None
    value_avro: AvroOptions | None = None

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> KafkaSinkOptions:
        parts = ("key_avro", "value_avro")
        return cls(**{**value, **{part: AvroOptions.from_json(value.get(part)) for part in parts}})

    @property
    def connections(self) -> tuple[str, ...]:
        """The ids of all that it writes through."""
        registries = (part.connection for part in (self.key_avro, self.value_avro) if part is not None)
        return tuple(dict.fromkeys((self.connection, *registries)))


def value_columns(options: KafkaSinkOptions, schema: Schema) -> list[int]:
    """Those that a value has: all but that of the headers."""
    return [position for position in range(len(schema)) if position != options.headers]


def key_row(avro: AvroOptions, schema: Schema, key: Sequence[int]) -> RowType:
    """The record of a key: what was NOT NULL stays so, and what was not does, so that a key has the same bytes always."""
    return RowType(schema, tuple(key), frozenset(avro.required))


def value_row(avro: AvroOptions, options: KafkaSinkOptions, schema: Schema) -> RowType:
    """The record of a value: what has come to be NULL may be so."""
    required = frozenset(position for position in avro.required if not schema[position].nullable)
    return RowType(schema, tuple(value_columns(options, schema)), required)


def key_schema(options: KafkaSinkOptions, schema: Schema, key: Sequence[int]) -> str | None:
    """The Avro schema of keys; None if they are in another format.  Raises as `check_options`."""
    if (avro := options.key_avro) is None:
        return None
    return schema_text(key_row(avro, schema, key).record(avro.name, null_defaults=avro.null_defaults))


def value_schema(options: KafkaSinkOptions, schema: Schema, envelope: SinkEnvelope) -> str | None:
    """The Avro schema of values; None if they are in another format.  Raises as `check_options`."""
    if (avro := options.value_avro) is None:
        return None
    row = value_row(avro, options, schema)
    if envelope is SinkEnvelope.DEBEZIUM:
        return schema_text(change_record(row, avro.name, null_defaults=avro.null_defaults))
    return schema_text(row.record(avro.name, null_defaults=avro.null_defaults))


def check_required(options: KafkaSinkOptions, schema: Schema) -> None:
    """InvalidParameter where columns may be NULL of which the schema of the sink's keys says that they never are."""
    for position in () if options.key_avro is None else options.key_avro.required:
        if schema[position].nullable:
            raise InvalidParameter(
                f'column "{schema[position].name}" may be NULL, and the Avro schema of the sink\'s keys says that it never is',
                hint="Create another sink, with a topic of its own, or leave NULL out in a view.",
            )


def check_options(
    options: KafkaSinkOptions, schema: Schema, envelope: SinkEnvelope, key: Sequence[int]
) -> None:
    """Raises InvalidParameter or Unsupported for options and columns that do not go together."""
    if envelope is SinkEnvelope.NONE:
        raise Unsupported(
            "ENVELOPE NONE is not supported for Kafka", hint="Envelopes are UPSERT and DEBEZIUM."
        )
    if envelope is SinkEnvelope.UPSERT and not key:
        raise InvalidParameter("ENVELOPE UPSERT needs a key", hint="Name its columns: KEY (a, b).")
    if envelope is SinkEnvelope.DEBEZIUM and options.format not in ("json", "avro"):
        raise InvalidParameter(
            f"ENVELOPE DEBEZIUM cannot have VALUE FORMAT {options.format.upper()}",
            hint="It writes the row before and the row after, in JSON or AVRO.",
        )
    if options.headers is not None:
        _check_headers(options.headers, schema, envelope, key)
    names = [schema[position].name for position in value_columns(options, schema)]
    for name in names:
        if names.count(name) > 1:
            raise InvalidParameter(
                f'column "{name}" occurs more than once in the sink', hint="Give the columns distinct names."
            )
    for avro in (options.key_avro, options.value_avro):
        if avro is not None:
            check_full_name(avro.name)
    if value_schema(options, schema, envelope) is None:
        _check_format("VALUE", options.format, schema, value_columns(options, schema))
    if key and key_schema(options, schema, key) is None:
        _check_format("KEY", options.key_format, schema, key)


def _check_headers(position: int, schema: Schema, envelope: SinkEnvelope, key: Sequence[int]) -> None:
    column = schema[position]
    if envelope is not SinkEnvelope.UPSERT:
        raise InvalidParameter("HEADERS needs ENVELOPE UPSERT")
    if column.type not in (map_of(TEXT), map_of(BYTEA)):
        raise InvalidParameter(
            f'the column of the headers, "{column.name}", is of type {column.type}',
            hint="It must be of type map[text => text] or map[text => bytea].",
        )
    if position in key:
        raise InvalidParameter(f'column "{column.name}" cannot be both of the key and of the headers')


def _check_format(what: str, format: str, schema: Schema, columns: Sequence[int]) -> None:
    found = [schema[position] for position in columns]
    if format == "json":
        for column in found:
            if column.type.kind in NESTED:
                raise Unsupported(
                    f'column "{column.name}" is of type {column.type}, which a JSON sink does not write',
                    hint="Write column::text or to_jsonb(column) in a view.",
                )
        return
    if len(found) != 1:
        raise InvalidParameter(
            f"{what} FORMAT {format.upper()} takes one column, and here are {len(found)}",
            hint="Choose FORMAT JSON, or one column in a view.",
        )
    (column,) = found
    if column.type.kind in NESTED or (format == "text" and column.type.kind is Kind.BYTEA):
        raise InvalidParameter(
            f'column "{column.name}" is of type {column.type}, which FORMAT {format.upper()} does not write',
            hint="Write column::text in a view.",
        )
