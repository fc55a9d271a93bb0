"""CREATE SINK ... INTO KAFKA: its options, and the columns that they name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ....errors import PtvcError, SqlSyntaxError, Unsupported
from ....expr.coercion.session_zone import in_current_zone
from ....expr.tree.codec import scalar_to_json
from ....expr.tree.relation import Relation
from ....expr.tree.scalar import calls_external, columns_of
from ....storage.connections.options import ConnectionKind, topic_fault
from ....storage.sink.kafka.options import COMPRESSIONS, KafkaSinkOptions
from ...catalog.catalog_view import CatalogItem
from ...parser.columns import duration_ms
from ...query.planner import Planner
from ...scalars.assignments import column_index
from ...scalars.expressions import Expressions
from ...scalars.scope import Scope, ScopeColumn
from ...syntax import ast
from ...syntax.sink_statements import KafkaSinkClause, KafkaSinkOption
from .message_schemas import connection_of
from .sink_formats import avro_options

_UNSUPPORTED = {
    "TOPIC METADATA REFRESH INTERVAL": "A sink keeps to the partitions that its topic had when it began.",
    "LEGACY IDS": "Ids of a sink are its own; TRANSACTIONAL ID PREFIX stands before them.",
}
_COUNTS = {"TOPIC PARTITION COUNT": "partition_count", "TOPIC REPLICATION FACTOR": "replication_factor"}
_PREFIXES = {
    "TRANSACTIONAL ID PREFIX": "transactional_id_prefix",
    "PROGRESS GROUP ID PREFIX": "progress_group_id_prefix",
}
_MOST_COUNT = 2**31 - 1


def options_of(
    planner: Planner, clause: KafkaSinkClause, item: CatalogItem, relation: Relation, key: Sequence[int]
) -> KafkaSinkOptions:
    """But for what the catalog adds: where progress is kept, and the sink's identity."""
    connection = connection_of(planner, clause.connection, ConnectionKind.KAFKA)
    found: dict[str, Any] = {}
    for option in clause.options:
        found |= _option(planner, option, item, relation, key)
    if "topic" not in found:
        raise SqlSyntaxError("option TOPIC must be given", position=clause.position)
    if clause.key_format is not None and not key:
        raise SqlSyntaxError("KEY FORMAT needs KEY (...)", position=clause.position)
    headers = column_index(item, clause.headers) if clause.headers is not None else None
    key_avro, value_avro = avro_options(planner, clause, item, key, headers)
    return KafkaSinkOptions(
        connection.id,
        format=clause.format.kind,
        key_format=(clause.key_format or clause.format).kind,
        headers=headers,
        snapshot=clause.snapshot,
        key_avro=key_avro,
        value_avro=value_avro,
        **found,
    )


def _option(
    planner: Planner, option: KafkaSinkOption, item: CatalogItem, relation: Relation, key: Sequence[int]
) -> dict[str, Any]:
    name = option.name
    if name in _UNSUPPORTED:
        raise Unsupported(
            f"option {name} is not supported", hint=_UNSUPPORTED[name], position=option.position
        )
    if name in _COUNTS:
        return _count(_COUNTS[name], option)
    match name:
        case "PARTITION BY":
            return {
                "partition_by": _partition_by(planner, option, item, relation, key),
                "partition_by_sql": option.text,
            }
        case "TOPIC CONFIG":
            return {"topic_config": _topic_config(option)}
        case "TOPIC":
            topic = _text(option)
            if (fault := topic_fault(topic)) is not None:
                raise _wrong(option, fault)
            return {"topic": topic}
        case "COMPRESSION TYPE":
            compression = _text(option).lower()
            if compression not in COMPRESSIONS:
                raise _wrong(option, f"it is one of {', '.join(COMPRESSIONS)}")
            return {"compression": compression}
        case "TRANSACTION TIMEOUT":
            timeout_ms = duration_ms(_text(option), option.position)
            if not 1_000 <= timeout_ms <= 900_000:
                raise _wrong(option, "it is between a second and 15 minutes")
            return {"transaction_timeout_ms": timeout_ms}
        case _:
            prefix = _text(option)
            if not prefix or not prefix.isprintable() or len(prefix) > 200:
                raise _wrong(option, "a prefix has 1 to 200 characters that can be printed")
            return {_PREFIXES[name]: prefix}


def _count(field: str, option: KafkaSinkOption) -> dict[str, int | None]:
    """-1 is for the broker to choose, as in Kafka."""
    value = int(option.value) if isinstance(option.value, str) and option.value.isdigit() else option.value
    if option.text.replace(" ", "") == "-1":
        return {field: None}
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= _MOST_COUNT:
        raise _wrong(option, "it takes a number of at least 1")
    return {field: value}


def _topic_config(option: KafkaSinkOption) -> dict[str, str]:
    if not isinstance(option.value, ast.Map):
        raise _wrong(option, "it takes MAP['name' => 'value', ...]")
    config: dict[str, str] = {}
    for name, value in option.value.pairs:
        if not isinstance(name, ast.String) or not isinstance(value, ast.String):
            raise _wrong(option, "names and values are texts")
        config[name.value] = value.value
    return config


def _partition_by(
    planner: Planner, option: KafkaSinkOption, item: CatalogItem, relation: Relation, key: Sequence[int]
) -> str:
    assert isinstance(option.value, ast.Expression)
    scope = Scope(None, tables={item.name.name: 1})
    for index, column in enumerate(item.schema):
        scope.columns.append(ScopeColumn(item.name.name, column.name, column.type, column.nullable, index))
    used = set(planner.uses)
    planner.maintained, planner.defining = True, "a sink"
    expressions = Expressions(planner, scope, relation, "PARTITION BY")
    expressions.allow_subqueries = False
    scalar = in_current_zone(expressions.scalar(option.value))
    if not scalar.type.is_integer:
        raise PtvcError(
            f"PARTITION BY is of type {scalar.type}, and takes an integer",
            sqlstate="42804",
            hint="The partition is the remainder by the number of partitions.",
            position=option.position,
        )
    if calls_external(scalar) or planner.uses != used:
        raise Unsupported(
            "PARTITION BY cannot use functions or types that were created",
            hint="Compute a column in a view, and name that.",
            position=option.position,
        )
    if beyond := sorted(columns_of(scalar) - set(key)) if key else []:
        raise PtvcError(
            f'PARTITION BY uses column "{item.schema[beyond[0]].name}", which is not of the key',
            sqlstate="42P10",
            hint="Messages of one key have one partition: their order would not last otherwise.",
            position=option.position,
        )
    return json.dumps(scalar_to_json(scalar), separators=(",", ":"))


def _text(option: KafkaSinkOption) -> str:
    if not isinstance(option.value, str):
        raise _wrong(option, "it takes a text")
    return option.value


def _wrong(option: KafkaSinkOption, why: str) -> PtvcError:
    return PtvcError(f"option {option.name}: {why}", sqlstate="22023", position=option.position)
