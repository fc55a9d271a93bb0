"""What CREATE SINK ... INTO KAFKA asks for, and which of it goes together with the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ....errors import InvalidParameter, Unsupported
from ....repr.schema import Schema
from ....repr.types import BYTEA, NESTED, TEXT, Kind, map_of
from ..change_records import SinkEnvelope

FORMATS = ("json", "text", "bytes")
COMPRESSIONS = ("none", "gzip", "snappy", "lz4", "zstd")


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

    @property
    def connections(self) -> tuple[str, ...]:
        """The ids of all that it writes through."""
        return (self.connection,)


def value_columns(options: KafkaSinkOptions, schema: Schema) -> list[int]:
    """Those that a value has: all but that of the headers."""
    return [position for position in range(len(schema)) if position != options.headers]


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
    if envelope is SinkEnvelope.DEBEZIUM and options.format != "json":
        raise InvalidParameter(
            f"ENVELOPE DEBEZIUM cannot have VALUE FORMAT {options.format.upper()}",
            hint="It writes the row before and the row after, as JSON.",
        )
    if options.headers is not None:
        _check_headers(options.headers, schema, envelope, key)
    names = [schema[position].name for position in value_columns(options, schema)]
    for name in names:
        if names.count(name) > 1:
            raise InvalidParameter(
                f'column "{name}" occurs more than once in the sink', hint="Give the columns distinct names."
            )
    _check_format("VALUE", options.format, schema, value_columns(options, schema))
    if key:
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
