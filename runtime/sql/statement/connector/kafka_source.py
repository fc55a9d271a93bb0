"""CREATE SOURCE ... FROM KAFKA: its columns, and of which part of a message each is.

Columns stand in this order: those of the key, those of the value, what is wrong with the value, and then what INCLUDE names.

| format | columns, unless the statement lists some |
|---|---|
| JSON | `data jsonb`, of a key `key jsonb` |
| TEXT | `text text`, of a key `key text` |
| BYTES | `data bytea`, of a key `key bytea` |
| CSV WITH n COLUMNS | `column1` to `columnn`, texts |
| AVRO, PROTOBUF | those of the schema; a statement lists none |

Of the columns that the statement lists, those of PRIMARY KEY are the key's and the others the value's.  With ENVELOPE DEBEZIUM the
columns are those of a row, in its order, and those that the key has are the key's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ....errors import (
    InvalidParameter,
    PtvcError,
    SqlSyntaxError,
    Unsupported,
)
from ....repr.schema import Column, Schema
from ....repr.types import BYTEA, INT4, JSONB, TEXT, TIMESTAMP, UINT8, ScalarType, map_of
from ....storage.connections.options import ConnectionKind
from ....storage.formats.known import DEBEZIUM
from ....storage.formats.options import FormatOptions
from ....storage.source.kafka.options import KafkaOptions, MessageColumn, Part
from ....storage.source.kafka.progress import PROGRESS_SCHEMA
from ...catalog.catalog_view import CatalogItem, QualifiedName
from ...catalog.names import check_cluster, new_name
from ...parser.columns import duration_ms
from ...plans import definition_plans, query_plans
from ...query.planner import Planner
from ...syntax.definition_statements import CreateSourceStatement
from ...syntax.source_statements import Included, KafkaSourceClause, KafkaSourceOption, MessageFormat
from ..definitions import columns_schema, refuse_repeated
from .beside_source import tables_beside
from .excluded_columns import kept_key, kept_schema, projection
from .message_schemas import connection_of, schema_format, wanted_schemas, with_key_format
from .row_filter import row_filter
from .row_retention import row_retention

_WITH_SCHEMA = ("avro", "protobuf")
_VALUES = {"json": ("data", JSONB), "text": ("text", TEXT), "bytes": ("data", BYTEA)}
_INCLUDED: dict[str, tuple[Part, ScalarType, bool]] = {
    "partition": (Part.PARTITION, INT4, False),
    "offset": (Part.OFFSET, UINT8, False),
    "timestamp": (Part.TIMESTAMP, TIMESTAMP, False),
    "headers": (Part.HEADERS, map_of(BYTEA), False),
}
"""Parts of a message, with the types of their columns and whether these may be NULL."""


@dataclass(slots=True)
class _Columns:
    """The source's, as they are found."""

    columns: list[Column] = field(default_factory=list)
    parts: list[MessageColumn] = field(default_factory=list)

    def add(self, column: Column, part: MessageColumn) -> None:
        self.columns.append(column)
        self.parts.append(part)


def create_source(
    planner: Planner, node: CreateSourceStatement, clause: KafkaSourceClause, sql: str
) -> definition_plans.CreateSource:
    name = new_name(node.name, planner.context)
    connection = connection_of(planner, clause.connection, ConnectionKind.KAFKA)
    debezium = clause.envelope == DEBEZIUM
    upsert = debezium or clause.envelope == "upsert"
    key_included = [i for i in clause.included if i.part == "key"]
    clause = with_key_format(clause, needed=upsert or bool(key_included))
    if (upsert or key_included) and clause.key is None:
        what = f"ENVELOPE {clause.envelope.upper()}" if upsert else "INCLUDE KEY"
        raise SqlSyntaxError(
            f"{what} needs to know what keys are",
            hint="KEY FORMAT ... VALUE FORMAT ..., in place of FORMAT.",
            position=clause.position,
        )
    for definition in node.columns:
        if definition.default is not None:
            raise Unsupported("columns of sources have no DEFAULT", position=definition.position)
    declared = columns_schema(planner, node.columns)
    keys = _key_names(node, declared)
    if keys and clause.key is None:
        raise SqlSyntaxError(
            "PRIMARY KEY names the columns that are read from keys of messages",
            hint="KEY FORMAT ... VALUE FORMAT ..., in place of FORMAT.",
            position=node.position,
        )
    options = _options(clause)
    if clause.key is not None and not (upsert or key_included or keys):
        clause = replace(clause, key=None)
    if wanted := wanted_schemas(planner, clause, options["topic"]):
        return _wanting(planner, node, name, connection, wanted, options, sql)
    found = _Columns()
    key = None
    of_value = declared if debezium else Schema(tuple(c for c in declared if c.name not in keys))
    if clause.key is not None:
        of_key = Schema(tuple(column for column in declared if column.name in keys))
        key = _format(planner, clause.key, of_key, "key", key_included, debezium=debezium)
    if declared.columns and not of_value.columns:
        raise SqlSyntaxError("a source has a column of the value", position=node.position)
    value = _format(planner, clause.value, of_value, None, (), debezium=debezium)
    nullable = clause.inline_errors is not None
    if debezium:
        assert key is not None, "it was asked for"
        _check_events(clause, key, value)
        _add_row(found, key, value)
    else:
        _add_key_and_value(found, key, value, nullable=nullable)
    if clause.inline_errors is not None:
        found.add(Column(clause.inline_errors, TEXT), MessageColumn(Part.ERROR))
    for included in clause.included:
        _include(found, included)
    refuse_repeated([column.name for column in found.columns], node.name)
    connector = KafkaOptions(connection.id, value=value, columns=tuple(found.parts), key=key, **options)
    kind = query_plans.Envelope.UPSERT if upsert else query_plans.Envelope.NONE
    by_key = tuple(place for place, part in enumerate(found.parts) if upsert and part.part is Part.KEY)
    schema = Schema(tuple(found.columns))
    kept = projection(node.excluded, name.name, schema, by_key)
    return definition_plans.CreateSource(
        name,
        connector,
        kept_schema(schema, kept),
        kept_key(by_key, kept),
        kind,
        check_cluster(node.cluster, planner.context),
        sql,
        node.if_not_exists,
        node.retain_history_ms,
        tables_beside(planner, node, name, "kafka", PROGRESS_SCHEMA, kind),
        where=row_filter(planner, node.where, name, schema),
        projection=kept,
        retention=row_retention(node.retain_rows, name.name, kept_schema(schema, kept)),
    )


def _wanting(
    planner: Planner,
    node: CreateSourceStatement,
    name: QualifiedName,
    connection: CatalogItem,
    wanted: tuple[definition_plans.WantedSchema, ...],
    options: dict[str, Any],
    sql: str,
) -> definition_plans.CreateSource:
    """What is known of the source before its schemas are: who it is, and what it goes through."""
    formats = {w.part: FormatOptions("avro", Schema(()), {}, w.connection) for w in wanted}
    value = formats.get("value") or FormatOptions("bytes", Schema(()))
    connector = KafkaOptions(connection.id, value=value, columns=(), key=formats.get("key"), **options)
    cluster = check_cluster(node.cluster, planner.context)
    return definition_plans.CreateSource(
        name,
        connector,
        Schema(()),
        (),
        query_plans.Envelope.NONE,
        cluster,
        sql,
        node.if_not_exists,
        wanted=wanted,
    )


def _add_key_and_value(
    found: _Columns, key: FormatOptions | None, value: FormatOptions, *, nullable: bool
) -> None:
    """A column that a schema gives to both is there once, as the key's."""
    of_key = {} if key is None else {column.name: column for column in key.schema}
    for index, column in enumerate(of_key.values()):
        found.add(column, MessageColumn(Part.KEY, index))
    for index, column in enumerate(value.schema):
        same = of_key.get(column.name)
        if same is not None and value.kind in _WITH_SCHEMA:
            _check_same(same, column)
            continue
        found.add(column.or_null() if nullable else column, MessageColumn(Part.VALUE, index))


def _add_row(found: _Columns, key: FormatOptions, value: FormatOptions) -> None:
    """The columns of a row, of which those that the key has are the key's: a deletion has no others."""
    of_key = {column.name: (index, column) for index, column in enumerate(key.schema)}
    for name in of_key:
        if name not in value.schema.names:
            raise InvalidParameter(f'column "{name}" of the key is not in the row that change events have')
    for index, column in enumerate(value.schema):
        if column.name in of_key:
            place, same = of_key[column.name]
            _check_same(same, column)
            found.add(column, MessageColumn(Part.KEY, place))
        else:
            found.add(column, MessageColumn(Part.VALUE, index))


def _check_same(key: Column, value: Column) -> None:
    if key.type != value.type:
        raise InvalidParameter(
            f'column "{key.name}" is {key.type} in the key and {value.type} in the value',
            hint="Of a key of one column, INCLUDE KEY AS gives another name.",
        )


def _check_events(clause: KafkaSourceClause, key: FormatOptions, value: FormatOptions) -> None:
    if value.kind not in ("json", "avro"):
        raise Unsupported(
            f"ENVELOPE DEBEZIUM of FORMAT {value.kind.upper()} is not supported",
            hint="Change events are in JSON or AVRO.",
            position=clause.value.position,
        )
    if value.kind == "json" and not (value.settings.get("declared") and key.settings.get("declared")):
        raise SqlSyntaxError(
            "change events in JSON need the columns of their rows, and which are the key",
            hint="CREATE SOURCE name (id int, ..., PRIMARY KEY (id)) FROM KAFKA ...",
            position=clause.position,
        )


def _key_names(node: CreateSourceStatement, declared: Schema) -> frozenset[str]:
    for name in node.primary_key:
        if name.parts[-1] not in declared.names:
            raise PtvcError(
                f'column "{name.parts[-1]}" named in key does not exist',
                sqlstate="42703",
                position=name.position,
            )
    return frozenset(name.parts[-1] for name in node.primary_key)


def _format(
    planner: Planner,
    written: MessageFormat,
    declared: Schema,
    key: str | None,
    included: Sequence[Included],
    *,
    debezium: bool,
) -> FormatOptions:
    """The format with its columns: those declared, or its own; `key` is what the one column of a key is called."""
    settings: dict[str, Any] = {}
    connection = None
    schema = declared
    aliases = [i for i in included if i.alias is not None]
    if declared.columns and written.schema is not None:
        raise Unsupported(
            f"columns of FORMAT {written.kind.upper()} are those of its schema: the statement lists none",
            position=written.position,
        )
    if written.schema is not None:
        part = "value" if key is None else "key"
        made = schema_format(planner, written, part, key or "value", debezium=debezium and key is None)
        schema, settings, connection = made.schema, dict(made.settings), made.connection
    elif declared.columns:
        if written.kind in ("text", "bytes") and len(declared) != 1:
            raise Unsupported(
                f"FORMAT {written.kind.upper()} makes one column, not {len(declared)}",
                hint="FORMAT JSON has fields by name, FORMAT CSV by position.",
                position=written.position,
            )
        settings["declared"] = True
        if written.columns is not None and written.columns != len(declared):
            raise SqlSyntaxError(
                f"FORMAT CSV WITH {written.columns} COLUMNS has {len(declared)} columns in the list",
                position=written.position,
            )
    elif written.kind == "csv":
        if not written.columns:
            raise SqlSyntaxError(
                "FORMAT CSV needs to know its columns",
                hint="FORMAT CSV WITH n COLUMNS, or a list of columns behind the source's name.",
                position=written.position,
            )
        names = [f"{'' if key is None else 'key_'}column{number + 1}" for number in range(written.columns)]
        if key is not None and len(names) == 1:
            names = [key]
        schema = Schema(tuple(Column(name, TEXT) for name in names))
    else:
        name, type_ = _VALUES[written.kind]
        schema = Schema((Column(name if key is None else key, type_, nullable=key is not None),))
    if written.kind == "csv":
        settings["delimiter"] = written.delimiter
    if debezium and written.kind == "json":
        settings["envelope"] = DEBEZIUM
    if aliases:
        if len(schema) != 1 or declared.columns:
            raise Unsupported(
                "INCLUDE KEY AS names a key of one column that has no other name",
                hint="Name the columns of the key in the source's list, with PRIMARY KEY.",
                position=aliases[0].position,
            )
        assert aliases[0].alias is not None
        schema = Schema((schema[0].named(aliases[0].alias),))
    return FormatOptions(written.kind, schema, settings, connection)


def _include(found: _Columns, included: Included) -> None:
    if included.part == "key":
        return  # its columns come first
    if included.part == "header":
        assert included.alias is not None
        column = Column(included.alias, BYTEA if included.raw else TEXT)
        found.add(column, MessageColumn(Part.HEADER, 0, included.header, included.raw))
        return
    part, type_, nullable = _INCLUDED[included.part]
    found.add(Column(included.alias or included.part, type_, nullable), MessageColumn(part))


def _options(clause: KafkaSourceClause) -> dict[str, Any]:
    found: dict[str, Any] = {}
    given: dict[str, KafkaSourceOption] = {}
    for option in clause.options:
        given[option.name] = option
        match option.name:
            case "TOPIC METADATA REFRESH INTERVAL":
                found["refresh_ms"] = _refresh_ms(option)
            case "START OFFSET":
                found["start_offsets"] = option.value
            case name:
                found[name.lower().replace(" ", "_")] = option.value
    if "TOPIC" not in given:
        raise SqlSyntaxError("option TOPIC must be given", position=clause.position)
    if "START OFFSET" in given and "START TIMESTAMP" in given:
        raise InvalidParameter(
            "START OFFSET and START TIMESTAMP exclude each other", position=given["START TIMESTAMP"].position
        )
    return found


def _refresh_ms(option: KafkaSourceOption) -> int:
    found = duration_ms(str(option.value), option.position)
    if not 100 <= found <= 3_600_000:
        raise InvalidParameter(
            "TOPIC METADATA REFRESH INTERVAL must be between 100 ms and an hour", position=option.position
        )
    return found
