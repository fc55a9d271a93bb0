"""The objects of a project in memory: definitions are planned, and are in the catalog from then on.  Nothing runs, nothing is stored.

It is the runtime's own catalog, filled by the runtime's own definitions: what is refused there is refused here, in the same words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..compute.oneshot import evaluate_in_order
from ..config import DATABASE, DEFAULT_CLUSTER, DEFAULT_SCHEMA
from ..coord.catalog.catalog import Catalog
from ..coord.catalog.entries import Change, ClusterEntry, SchemaEntry, bootstrap_entries
from ..coord.catalog.items import Item, Secret
from ..coord.catalog.role import FIRST_ROLE
from ..coord.catalog.system_items import is_system
from ..coord.ddl.connectors import new_sink, new_source_table, source_changes
from ..coord.ddl.definitions import Definitions
from ..coord.introspection import of_catalog
from ..coord.query.result_rows import OrderedRows, repeat
from ..coord.query.system_reads import inputs_of
from ..coord.results.results import Columns
from ..coord.variables import Variables
from ..errors import SqlSyntaxError, Unsupported
from ..expr.tree.relation import GlobalId, Relation
from ..expr.tree.relation_tree import dependencies
from ..repr.schema import Schema
from ..sql.catalog.catalog_view import PlanContext
from ..sql.catalog.named_types import find_any
from ..sql.catalog.names import new_name
from ..sql.parser.parse import Statement, parse
from ..sql.plan import plan, resolve_opaque
from ..sql.plans.connection_plans import CreateConnection
from ..sql.plans.definition_plans import (
    CreateFunction,
    CreateIndex,
    CreateMaterializedView,
    CreateSchema,
    CreateSink,
    CreateSource,
    CreateSourceTable,
    CreateTable,
    CreateType,
    CreateView,
    CreateWebhook,
)
from ..sql.plans.plans import PlannedStatement
from ..sql.plans.query_plans import Select
from ..sql.statement.connector.upstream_source import with_published
from ..sql.syntax import ast
from ..sql.syntax.definition_statements import (
    CreateSinkStatement,
    CreateSourceStatement,
    CreateWebhookStatement,
    LakeSourceClause,
    S3SourceClause,
)
from ..sql.syntax.schema_clauses import RegistryClause
from ..sql.syntax.sink_statements import (
    DeltaSinkClause,
    IcebergSinkClause,
    KafkaSinkClause,
    PostgresSinkClause,
)
from ..sql.syntax.source_statements import KafkaSourceClause, UpstreamSourceClause
from ..sql.syntax.vocabulary import ObjectKind
from ..storage.connections.options import ConnectionKind, ConnectionOptions, Value
from ..storage.source.mysql.tables import MysqlTables
from ..storage.source.postgres.tables import Published
from ..storage.source.upstream_tables import UpstreamTables

_PURE = (
    CreateSchema
    | CreateTable
    | CreateView
    | CreateMaterializedView
    | CreateIndex
    | CreateFunction
    | CreateType
    | CreateWebhook
)

_ABOUT_A_RUNTIME = "what is asked for are rows, and there is no runtime to ask"


class RowsUnknown(Unsupported):
    """A query asks for rows of a relation of which only the columns are known."""


Answer = tuple[list[tuple[str, int]], list[tuple[Any, ...]]]
"""Columns, with the OIDs of their types, and rows."""


class Environment:
    """`now_us`: what `now()` is while constants are folded.  `ask` is for rows that are not the catalog's, where there is a runtime."""

    def __init__(self, now_us: int, ask: Callable[[str], Answer] | None = None) -> None:
        self.ask = ask
        self.catalog = Catalog(bootstrap_entries())
        variables = Variables({})
        self.context = PlanContext(
            catalog=self.catalog,
            search_path=(DEFAULT_SCHEMA,),
            database=DATABASE,
            user=FIRST_ROLE.name,
            cluster=DEFAULT_CLUSTER,
            now_us=now_us,
            temp_schema="pg_temp_1",
            settings=variables.all(),
        )

    # --- definitions ---

    def add_schema(self, name: str) -> None:
        if not self.catalog.schema_exists(name):
            oid = self.catalog.allocate_oid()
            self.catalog.apply([Change(None, SchemaEntry(name, oid, owner=FIRST_ROLE.id))])

    def add_cluster(self, name: str) -> None:
        if self.catalog.cluster(name) is None:
            number = len(self.catalog.clusters()) + 1
            self.catalog.apply([Change(None, ClusterEntry(f"c{number}", name))])

    def define(self, sql: str) -> list[PlannedStatement]:
        """Plans the statements of `sql`, in order; each sees those before it."""
        planned = []
        for statement in parse(sql):
            self._assume_connections(statement)
            self._assume_secrets(statement)
            planned.append(plan(self._with_upstream(statement), self.context, with_lineage=False))
            self._apply(planned[-1])
        return planned

    def _assume_connections(self, statement: Statement) -> None:
        """Connections are no part of a project: those that sources and sinks name are there, wherever they lead."""
        match statement.node:
            case CreateSinkStatement(
                outside=KafkaSinkClause(connection=name, key_format=key_format, format=of_value)
            ):
                self._assume_kafka(name, *(f.registry for f in (key_format, of_value) if f is not None))
            case CreateSinkStatement(outside=PostgresSinkClause(connection=name)):
                self._assume_upstream(name, ConnectionKind.POSTGRES)
            case CreateSourceStatement(upstream=UpstreamSourceClause(kind=kind, connection=name)):
                self._assume_upstream(name, kind)
            case CreateSinkStatement(outside=IcebergSinkClause(connection=name, files=files)):
                self._assume_catalog(name)
                if files is not None:
                    self._assume_aws(files)
            case CreateSinkStatement(outside=DeltaSinkClause(files=ast.Name() as files)):
                self._assume_aws(files)
            case CreateSourceStatement(lake=LakeSourceClause(connection=catalog, files=files)):
                if catalog is not None:
                    self._assume_catalog(catalog)
                if files is not None:
                    self._assume_aws(files)
            case CreateSourceStatement(s3=S3SourceClause(connection=name)):
                self._assume_aws(name)
            case CreateSourceStatement(kafka=KafkaSourceClause(connection=name, key=key, value=value)):
                schemas = [format_.schema for format_ in (key, value) if format_ is not None]
                self._assume_kafka(name, *(s.connection for s in schemas if isinstance(s, RegistryClause)))

    def _assume_catalog(self, name: ast.Name) -> None:
        options = {"CATALOG TYPE": "rest", "URL": "http://nowhere.invalid"}
        self._assume_connection(name, ConnectionKind.ICEBERG_CATALOG, dict(options))

    def _with_upstream(self, statement: Statement) -> Statement:
        """A source of which the statement makes no tables is there, whatever upstream has; what tables have is not known."""
        node = statement.node
        if not isinstance(node, CreateSourceStatement) or node.upstream is None or node.tables is not None:
            return statement
        connection = find_any(ObjectKind.CONNECTION, node.upstream.connection, self.context)
        assert connection is not None, "it is assumed"
        publication = node.upstream.publication
        published: UpstreamTables = MysqlTables(connection.id, ())
        if publication is not None:
            published = Published(connection.id, publication, "d", ())
        return replace(statement, node=with_published(node, published))

    def _assume_upstream(self, name: ast.Name, kind: ConnectionKind) -> None:
        database: dict[str, Value] = {"DATABASE": "d"} if kind is ConnectionKind.POSTGRES else {}
        self._assume_connection(name, kind, {"HOST": "nowhere.invalid", "USER": "u", **database})

    def _assume_kafka(self, name: ast.Name, *registries: ast.Name | None) -> None:
        self._assume_connection(name, ConnectionKind.KAFKA, {"BROKERS": ("nowhere.invalid",)})
        for registry in registries:
            if registry is not None:
                kind = ConnectionKind.CONFLUENT_SCHEMA_REGISTRY
                self._assume_connection(registry, kind, {"URL": "http://nowhere.invalid"})

    def _assume_aws(self, name: ast.Name) -> None:
        values = {"ACCESS KEY ID": "k", "SECRET ACCESS KEY": "s"}
        self._assume_connection(name, ConnectionKind.AWS, dict(values))

    def _assume_connection(self, name: ast.Name, kind: ConnectionKind, values: dict[str, Value]) -> None:
        if len(name.parts) > 1:
            self.add_schema(name.parts[-2])
        if find_any(ObjectKind.CONNECTION, name, self.context) is None:
            full = new_name(name, self.context)
            options = ConnectionOptions(kind, values)
            plan_ = CreateConnection(full, options, validate=False, if_not_exists=False)
            definitions = Definitions(self.catalog, 0, FIRST_ROLE.id, [])
            self.catalog.apply(definitions.changes(plan_)[1])

    def _assume_secrets(self, statement: Statement) -> None:
        """Those that a webhook names are there: they are made in the runtime, and no part of a project."""
        check = statement.node.check if isinstance(statement.node, CreateWebhookStatement) else None
        for given in () if check is None else check.inputs:
            if given.secret is None or find_any(ObjectKind.SECRET, given.secret, self.context) is not None:
                continue
            name = new_name(given.secret, self.context)
            if self.catalog.schema_exists(name.schema):
                identity = Definitions(self.catalog, 0, FIRST_ROLE.id, []).identity(name)
                self.catalog.apply([Change(None, Secret(**identity, sealed=""))])

    def _apply(self, planned: PlannedStatement) -> None:
        definitions = Definitions(self.catalog, 0, FIRST_ROLE.id, [])
        match planned:
            case CreateSource():
                definitions.exists(planned.name, if_not_exists=False)
                changes = source_changes(planned, definitions)
            case CreateSourceTable(source=str() as source):
                definitions.exists(planned.name, if_not_exists=False)
                changes = [Change(None, new_source_table(planned, source, definitions))]
            case CreateSink():
                definitions.exists(planned.name, if_not_exists=False)
                changes = [Change(None, new_sink(planned, definitions, as_of=0))]
            case _ if isinstance(planned, _PURE):
                changes = definitions.changes(planned)[1]
            case _:
                changes = []
        self.catalog.apply(changes)

    def types_of(self, schema: str | None, name: str) -> dict[str, str] | None:
        """PostgreSQL's types of a relation's columns, by name; None if it is not there."""
        item = self.catalog.item(schema or DEFAULT_SCHEMA, name)
        if item is None or not item.kind.is_relation:
            return None
        return {column.name: str(column.type) for column in item.schema or ()}

    # --- queries ---

    def plan(self, sql: str) -> Select:
        """The one query in `sql`, planned."""
        planned = plan(_single(sql), self.context)
        if not isinstance(planned, Select):
            raise SqlSyntaxError("a query is expected here")
        return planned

    def resolved(self, sql: str) -> PlannedStatement:
        """As it is planned over relations that are not looked into, and by no rule: what the text says."""
        return resolve_opaque(_single(sql), self.context)

    def rows(self, sql: str) -> tuple[Schema, list[tuple[Any, ...]]]:
        """What the catalog answers to a query; RowsUnknown if it reads anything else."""
        query = self.plan(sql)
        if unknown := self._unknown(query.relation):
            names = ", ".join(unknown)
            raise RowsUnknown(f"{_ABOUT_A_RUNTIME}: of {names}")
        inputs = inputs_of(query.relation, lambda id_: of_catalog(self.catalog, id_))
        found = evaluate_in_order(query.relation, inputs, 0)
        if len(found.errs):
            raise RowsUnknown("the query ends in an error")
        rows: list[tuple[Any, ...]] = []
        if not query.finishing.order:
            rows = _rows(tuple(repeat(found.oks)[i] for i in query.finishing.indices))
            return query.schema, rows[query.finishing.offset :][: query.finishing.limit]
        ordered = OrderedRows(query.relation.schema, [found.oks], query.finishing)
        for start in ordered.starts():
            rows += _rows(ordered.chunk(start))
        return query.schema, rows

    def _unknown(self, relation: Relation) -> list[str]:
        return [self.name(id_) for id_ in sorted(dependencies(relation)) if not is_system(id_)]

    def name(self, id: GlobalId) -> str:
        return str(self.catalog.item_by_id(id).name)

    def short_name(self, id: GlobalId) -> str:
        """Without its schema: for who knows which is meant."""
        return self.catalog.item_by_id(id).name.name

    def find(self, schema: str, name: str) -> Item | None:
        return self.catalog.find(schema, name)


def _rows(columns: Columns) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def _single(sql: str) -> Statement:
    statements = parse(sql)
    if len(statements) != 1:
        raise SqlSyntaxError("one statement is expected here" if statements else "there is no query here")
    return statements[0]
