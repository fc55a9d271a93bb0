"""What differs between two definitions of a sink: what it reads, which cluster writes it, where it writes to, or how it does.

A target goes on for the sink that writes it: another one is refused there, or writes everything once more.

The parser is imported when a sink is looked at: that takes longer than all of the adapter, and most runs have none.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from dbt.adapters.ptvc.relation import PtvcRelation

if TYPE_CHECKING:
    from ptvc.sql.syntax.definition_statements import CreateSinkStatement

_PLACES = ("position", "text")
"""Fields of syntax trees that say where something stands, or how it was written."""


class SinkChange(Enum):
    NOTHING = "nothing"
    ALTERED = "altered"
    """The same sink over something else, or in another cluster: it goes on."""
    TARGET = "target"
    """Another place to write to, in which it begins."""
    MANNER = "manner"
    """The same place, written to in another way."""


def sink_change(before: str, after: str) -> SinkChange:
    """From two statements `CREATE SINK`; comments, spacing and the sink's own name do not count.  Without a cluster a sink stays where it is."""
    old, new = _sink(before), _sink(after)
    if _target(old) != _target(new):
        return SinkChange.TARGET
    if _shape(old) != _shape(new):
        return SinkChange.MANNER
    if old.from_name.parts != new.from_name.parts:
        return SinkChange.ALTERED
    return SinkChange.NOTHING if _cluster(new) in (_cluster(old), None) else SinkChange.ALTERED


def upstream_of(sql: str) -> PtvcRelation:
    """What a statement `CREATE SINK` has it read."""
    parts = (None, None, *_sink(sql).from_name.parts)
    database, schema, identifier = parts[-3:]
    return PtvcRelation.create(database=database, schema=schema, identifier=identifier)


def cluster_of(sql: str) -> str | None:
    """The cluster that a statement `CREATE SINK` names."""
    return _cluster(_sink(sql))


def _cluster(sink: CreateSinkStatement) -> str | None:
    return None if sink.cluster is None else sink.cluster.parts[-1]


def _sink(sql: str) -> CreateSinkStatement:
    from ptvc.sql.parser.parse import parse
    from ptvc.sql.syntax.definition_statements import CreateSinkStatement

    (statement,) = parse(sql)
    assert isinstance(statement.node, CreateSinkStatement), sql
    return statement.node


def _target(sink: CreateSinkStatement) -> object:
    from ptvc.sql.syntax.sink_statements import (
        DeltaSinkClause,
        IcebergSinkClause,
        KafkaSinkClause,
        PostgresSinkClause,
    )

    match sink.outside:
        case None:
            return sink.path
        case KafkaSinkClause() as kafka:
            return kafka.connection.parts, [o.text for o in kafka.options if o.name == "TOPIC"]
        case PostgresSinkClause() as postgres:
            return postgres.connection.parts, postgres.table.parts
        case IcebergSinkClause() as iceberg:
            return iceberg.connection.parts, [
                (o.name, o.value) for o in iceberg.options if o.name != "PARTITION BY"
            ]
        case DeltaSinkClause() as delta:
            return [(o.name, o.value) for o in delta.options if o.name != "PARTITION BY"]
        case other:
            raise AssertionError(other)


def _shape(sink: CreateSinkStatement) -> object:
    """All of it but its name, what it reads and where it runs."""
    return {
        field.name: _plain(getattr(sink, field.name))
        for field in fields(sink)
        if field.name not in ("name", "cluster", "from_name", "if_not_exists", *_PLACES)
    }


def _plain(value: Any) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, [
            _plain(getattr(value, field.name)) for field in fields(value) if field.name not in _PLACES
        ]
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value
