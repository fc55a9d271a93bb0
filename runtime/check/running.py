"""A runtime that is there, asked for what a project alone does not say: columns of sources, rows, and what it was built of before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import psycopg

from dbt.adapters.ptvc.staging.staged import in_place

from ..clock import SystemClock
from ..errors import PtvcError
from ..expr.functions.system.system import quote_ident
from .changes import Cost, Version
from .checker import Checked, Result
from .declared import Columns
from .environment import Environment
from .foreign import Catalog, Foreign, relation
from .nodes import Node, Project
from .statements import definition

_COLUMNS = """
select n.nspname, c.relname, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull
from pg_catalog.pg_attribute a
join pg_catalog.pg_class c on c.oid = a.attrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where a.attnum > 0 and not a.attisdropped
order by n.nspname, c.relname, a.attnum
"""
_OWN_TABLES = """
select source.schema_name, source.name, made.name
from mz_internal.mz_source_own_tables own
join mz_catalog.mz_objects source on source.id = own.source_id
join mz_catalog.mz_objects made on made.id = own.id
where made.schema_name = source.schema_name
order by made.name
"""
_EDGES = """
select dependent.schema_name, dependent.name, dependent.type, referenced.schema_name, referenced.name, referenced.type
from mz_internal.mz_object_dependencies edge
left join mz_internal.mz_dead_letters part on part.id = edge.object_id
left join mz_internal.mz_dead_letters letters on letters.id = edge.referenced_object_id
join mz_catalog.mz_objects dependent on dependent.id = edge.object_id
join mz_catalog.mz_objects referenced on referenced.id = coalesce(letters.source_id, edge.referenced_object_id)
where part.id is null
"""
"""As the adapter asks for them (`ptvc__get_relations`)."""

_OBJECTS = """
select o.schema_name, o.name, o.type, d.definition
from mz_catalog.mz_objects o
left join mz_internal.mz_definitions d on d.oid = o.oid and d.position = 0
where o.id like 'u%'
order by o.oid
"""
_COSTS = """
select o.schema_name, o.name, max(s.rows), max(s.hydration_seconds),
    exists (select 1 from mz_internal.mz_spark_jobs j where j.object_id = o.id)
from mz_internal.mz_hydration_statuses s
join mz_catalog.mz_objects o on o.id = s.object_id
group by o.id, o.schema_name, o.name
"""
_KINDS = {"materialized-view": "materialized_view"}
_AS_BEFORE = ("table", "incremental", "snapshot", "seed", "index")
"""Of these it is not known what they were made of: only their columns are compared."""

_IN_CLUSTER = re.compile(r'\bin\s+cluster\s+("[^"]*"|\w+)', re.IGNORECASE)
"""Of a source or a sink: which it is the project's macros say, which the clause that is compared leaves out."""

Named = tuple[str, str]


class Running:
    """A `checker.Elsewhere`."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        self._connection = connection
        self._columns: dict[Named, list[tuple[str, str, bool]]] = {}
        for schema, name, column, type_, not_null in connection.execute(_COLUMNS):
            self._columns.setdefault((schema, name), []).append((column, type_, not_null))
        self._own_tables: dict[Named, list[str]] = {}
        for schema, source, table in connection.execute(_OWN_TABLES):
            self._own_tables.setdefault((schema, source), []).append(table)

    def columns_of(self, node: Node) -> Columns | None:
        found = self._columns.get((node.schema, node.alias))
        return None if found is None else _declared(found)

    def own_tables_of(self, source: Node) -> Mapping[str, Columns]:
        names = self._own_tables.get((source.schema, source.alias), ())
        return {name: _declared(self._columns.get((source.schema, name), [])) for name in names}

    def ask(self, sql: str) -> tuple[list[tuple[str, int]], list[tuple[Any, ...]]]:
        """The columns, with the OIDs of their types, and the rows of a query."""
        cursor = self._connection.execute(sql.encode())
        return [(column.name, column.type_code) for column in cursor.description or ()], cursor.fetchall()

    def costs(self, project: Project) -> Mapping[str, Cost]:
        nodes = _by_name(project)
        return {
            nodes[schema, name]: Cost(rows, seconds, by_job or None)
            for schema, name, rows, seconds, by_job in self._connection.execute(_COSTS)
            if (schema, name) in nodes
        }

    def foreign(self, project: Project) -> Foreign:
        """What rests on the project's objects, and is made by none of its nodes."""
        edges = [
            (relation(schema, name, kind), relation(on_schema, on_name, on_kind))
            for schema, name, kind, on_schema, on_name, on_kind in self._connection.execute(_EDGES)
        ]
        return Catalog(edges, self._own_tables).foreign(project)

    def former(self, new: Version) -> Version:
        """The project as the runtime has it: the objects that are called as its nodes are."""
        environment, result = Environment(SystemClock().now_ms() * 1000), Result()
        nodes = _by_name(new.project)
        nodes_there: dict[str, Node] = {}
        schemas = {schema for schema, _ in nodes}

        sinks: list[str] = []
        for schema, name, type_, text in self._connection.execute(_OBJECTS).fetchall():
            id_ = nodes.get((schema, name))
            node = None if id_ is None else new.project.nodes[id_]
            known = None if id_ is None else new.result.checked.get(id_)
            environment.add_schema(schema)
            kind = _KINDS.get(type_, type_)
            # Definitions name schemas as they were called when they were made, which for what a run has staged is another.
            text = in_place(_IN_CLUSTER.sub("", (text or "").rstrip().rstrip(";"), count=1), schemas)
            sql = self._define(environment, schema, name, kind, text)
            if node is None:
                continue
            nodes_there[node.id] = node
            if kind == "sink":
                sinks.append(text)
            if known is None:
                continue
            if node.kind == "source_table" and kind == "table":
                kind = node.kind
            if node.kind in _AS_BEFORE and kind in ("table", "index"):
                kind, sql = node.kind, known.sql
            former = (
                node if kind == node.kind else replace(node, config={**node.config, "materialized": kind})
            )
            if kind in ("view", "materialized_view"):
                statement = definition(former, text, new.project)
                sql = statement.sql if statement is not None else sql
            item = environment.catalog.item(schema, name)
            result.checked[node.id] = Checked(former, item.schema if item is not None else known.schema, sql)
        for text in sinks:  # last: what they read since they were cut over is younger than they are
            with suppress(PtvcError):  # then it is not known what its target takes, which the comparison says
                environment.define(text)
        nodes_there.update((id_, checked.node) for id_, checked in result.checked.items())
        return Version(replace(new.project, nodes=nodes_there), result, environment)

    def _define(self, environment: Environment, schema: str, name: str, kind: str, text: str) -> str:
        """The statement that makes the object; one that cannot be planned here counts as a table."""
        full = f"{quote_ident(schema)}.{quote_ident(name)}"
        sql = text
        if kind in ("view", "materialized_view"):
            sql = f"create {kind.replace('_', ' ')} {full} as\n{text}"
        if kind in ("sink", "index"):
            return sql
        if environment.catalog.item(schema, name) is not None:  # dead letters come with their source
            return sql
        columns = self._columns.get((schema, name), [])
        if kind != "table":
            try:
                environment.define(sql)
            except PtvcError:
                kind = "table"
        if kind == "table":
            listed = ", ".join(f"{column} {type_}" for column, type_ in _declared(columns).items())
            environment.define(f"create table {full} ({listed})")
        return sql


def _declared(columns: list[tuple[str, str, bool]]) -> Columns:
    """Types, and where NULL may not be: what is computed of such a column may not be NULL either."""
    return {
        quote_ident(name): f"{type_} not null" if not_null else type_ for name, type_, not_null in columns
    }


def _by_name(project: Project) -> dict[Named, str]:
    return {(node.schema, node.alias): node.id for node in project.of_type("model", "snapshot", "seed")}


@contextmanager
def connected(arguments: Mapping[str, Any]) -> Iterator[Running]:
    """`arguments` are those of `psycopg.connect`."""
    with psycopg.connect(**arguments, autocommit=True) as connection:
        yield Running(connection)
