"""CREATE SOURCE ... FROM KAFKA: its columns, and of which part of a message each is.

Columns stand in this order: those of the key, those of the value, what is wrong with the value, and then what INCLUDE names.

| format | columns, unless the statement lists some |
|---|---|
| JSON | `data jsonb`, of a key `key jsonb` |
| TEXT | `text text`, of a key `key text` |
| BYTES | `data bytea`, of a key `key bytea` |
| CSV WITH n COLUMNS | `column1` to `columnn`, texts |

Of the columns that the statement lists, those of PRIMARY KEY are the key's and the others the value's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import (
    InvalidParameter,
    PtvcError,
    SqlSyntaxError,
    UndefinedObject,
    Unsupported,
    WrongObjectType,
)
from ...repr.schema import Column, Schema
from ...repr.types import BYTEA, INT4, JSONB, TEXT, TIMESTAMP, UINT8, ScalarType, map_of
from ...storage.connections.options import ConnectionKind
from ...storage.formats.options import FormatOptions
from ...storage.source.kafka.options import KafkaOptions, MessageColumn, Part
from ...storage.source.kafka.progress import PROGRESS, PROGRESS_SCHEMA
from ..catalog.catalog_view import CatalogItem
from ..catalog.named_types import find_any
from ..catalog.names import check_cluster, new_name
from ..parser.columns import duration_ms
from ..plans import definition_plans, query_plans
from ..query.planner import Planner
from ..syntax import ast
from ..syntax.definition_statements import CreateSourceStatement
from ..syntax.source_statements import Included, KafkaSourceClause, KafkaSourceOption, MessageFormat
from ..syntax.vocabulary import ObjectKind
from .definitions import columns_schema, refuse_repeated

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
    connection = _connection(planner, clause.connection)
    upsert = clause.envelope == "upsert"
    key_included = [i for i in clause.included if i.part == "key"]
    if (upsert or key_included) and clause.key is None:
        what = "ENVELOPE UPSERT" if upsert else "INCLUDE KEY"
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
    found = _Columns()
    key = None
    if clause.key is not None and (upsert or key_included or keys):
        of_key = Schema(tuple(column for column in declared if column.name in keys))
        key = _format(clause.key, of_key, "key", key_included)
        for index, column in enumerate(key.schema):
            found.add(column, MessageColumn(Part.KEY, index))
    of_value = Schema(tuple(column for column in declared if column.name not in keys))
    if declared.columns and not of_value.columns:
        raise SqlSyntaxError("a source has a column of the value", position=node.position)
    value = _format(clause.value, of_value, None, ())
    for index, column in enumerate(value.schema):
        shown = column.or_null() if clause.inline_errors is not None else column
        found.add(shown, MessageColumn(Part.VALUE, index))
    if clause.inline_errors is not None:
        found.add(Column(clause.inline_errors, TEXT), MessageColumn(Part.ERROR))
    for included in clause.included:
        _include(found, included)
    refuse_repeated([column.name for column in found.columns], node.name)
    options = KafkaOptions(
        connection.id, value=value, columns=tuple(found.parts), key=key, **_options(clause)
    )
    tables = []
    if node.progress is not None:
        progress = new_name(node.progress, planner.context)
        refuse_repeated([str(name), str(progress)], node.progress)
        tables.append(definition_plans.CreateSourceTable(progress, None, PROGRESS, PROGRESS_SCHEMA))
    return definition_plans.CreateSource(
        name,
        options,
        Schema(tuple(found.columns)),
        tuple(place for place, part in enumerate(found.parts) if upsert and part.part is Part.KEY),
        query_plans.Envelope(clause.envelope),
        check_cluster(node.cluster, planner.context),
        sql,
        node.if_not_exists,
        node.retain_history_ms,
        tuple(tables),
    )


def _connection(planner: Planner, name: ast.Name) -> CatalogItem:
    item = find_any(ObjectKind.CONNECTION, name, planner.context)
    if item is None:
        raise UndefinedObject(
            f'connection "{".".join(name.parts)}" does not exist',
            hint="CREATE CONNECTION name TO KAFKA (...) makes one.",
            position=name.position,
        )
    assert item.connects is not None
    if item.connects is not ConnectionKind.KAFKA:
        raise WrongObjectType(
            f'connection "{item.name.name}" is to {item.connects.words}, not to KAFKA', position=name.position
        )
    return item


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
    written: MessageFormat, declared: Schema, key: str | None, included: Sequence[Included]
) -> FormatOptions:
    """The format with its columns: those declared, or its own; `key` is what the one column of a key is called."""
    settings: dict[str, Any] = {}
    schema = declared
    aliases = [i for i in included if i.alias is not None]
    if declared.columns:
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
    if aliases:
        if len(schema) != 1 or declared.columns:
            raise Unsupported(
                "INCLUDE KEY AS names a key of one column that has no other name",
                hint="Name the columns of the key in the source's list, with PRIMARY KEY.",
                position=aliases[0].position,
            )
        assert aliases[0].alias is not None
        schema = Schema((schema[0].named(aliases[0].alias),))
    return FormatOptions(written.kind, schema, settings)


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
        if option.name in given:
            raise SqlSyntaxError(f"option {option.name} is given more than once", position=option.position)
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
