"""Sinks: CREATE SINK, and ALTER SINK ... SET FROM and SET CLUSTER.

A sink reads what is stored.  Whether its target takes the columns of what it is pointed at later is looked at where the change is made.
"""

from __future__ import annotations

from ....errors import PtvcError, SqlSyntaxError, Unsupported
from ...catalog.catalog_view import CatalogItem, ItemKind
from ...catalog.names import check_cluster, find_object, find_relation, new_name
from ...plans import definition_plans, query_plans, session_plans
from ...query.from_clause import relation_of
from ...query.planner import Planner
from ...scalars.assignments import column_index
from ...syntax import ast
from ...syntax.definition_statements import AlterSinkStatement, CreateSinkStatement
from ...syntax.sink_statements import DeltaSinkClause, IcebergSinkClause, KafkaSinkClause, PostgresSinkClause
from ...syntax.vocabulary import ObjectKind
from ..skipping import absent
from . import kafka_sink, lake_sink, postgres_sink


def create(planner: Planner, node: CreateSinkStatement, sql: str) -> definition_plans.CreateSink:
    name = new_name(node.name, planner.context)
    cluster = check_cluster(node.cluster, planner.context)
    item = _input(planner, node.from_name)
    key = tuple(column_index(item, column) for column in node.key)
    envelope = query_plans.Envelope(node.envelope)
    if envelope is query_plans.Envelope.UPSERT and not key:
        word = "MODE" if isinstance(node.outside, IcebergSinkClause | DeltaSinkClause) else "ENVELOPE"
        raise SqlSyntaxError(f"{word} UPSERT requires KEY (...)", position=node.position)
    relation = relation_of(item)
    connector: definition_plans.SinkConnector
    match node.outside:
        case None:
            connector = definition_plans.FileSinkConnector(node.path, node.format)
        case KafkaSinkClause() as clause:
            connector = kafka_sink.options_of(planner, clause, item, relation, key)
        case PostgresSinkClause() as clause:
            connector = postgres_sink.options_of(planner, clause)
        case IcebergSinkClause() as clause:
            connector = lake_sink.iceberg_options(planner, clause, item)
        case DeltaSinkClause() as clause:
            connector = lake_sink.delta_options(planner, clause, item)
    return definition_plans.CreateSink(
        name, item.id, relation, connector, envelope, key, cluster, sql, node.if_not_exists
    )


def alter(planner: Planner, node: AlterSinkStatement) -> definition_plans.AlterSink | session_plans.NoOp:
    sink = find_object(ObjectKind.SINK, node.name, planner.context)
    if sink is None:
        return absent(ObjectKind.SINK, node.name, node.if_exists, planner.context)
    if node.from_name is None:
        return definition_plans.AlterSink(sink.id, None, check_cluster(node.cluster, planner.context))
    item = _input(planner, node.from_name)
    return definition_plans.AlterSink(sink.id, item.id, None)


def _input(planner: Planner, name: ast.Name) -> CatalogItem:
    item = find_relation(name, planner.context)
    if item.kind not in (ItemKind.TABLE, ItemKind.MATERIALIZED_VIEW, ItemKind.SOURCE):
        raise PtvcError(
            f'cannot create a sink from {item.kind.value.replace("-", " ")} "{item.name.name}"',
            sqlstate="42809",
            hint="Sinks read tables, sources and materialized views.",
            position=name.position,
        )
    if item.layout:
        raise Unsupported(
            f'a sink from "{item.name.name}", of which columns were dropped, is not supported',
            hint="Let it read a materialized view of the table.",
            position=name.position,
        )
    return item
