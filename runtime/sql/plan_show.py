"""SHOW <objects>: SELECTs over the system relations."""

from __future__ import annotations

from ..errors import UndefinedObject, UndefinedSchema, Unsupported
from ..expr.functions.system import quote_ident
from . import statements as st
from .lexer import tokenize
from .names import check_cluster, find_object, find_relation, missing_object
from .parse_query import QueryParser
from .plan_data import finished
from .planner import Planner
from .plans import ItemKind, ObjectKind, Select

_IN_SCHEMAS = {
    "tables": "SELECT o.name FROM mz_catalog.mz_tables AS o",
    "views": "SELECT o.name FROM mz_catalog.mz_views AS o",
    "connections": "SELECT o.name, o.type FROM mz_catalog.mz_connections AS o",
    "secrets": "SELECT o.name FROM mz_catalog.mz_secrets AS o",
    "objects": "SELECT o.name, o.type FROM mz_catalog.mz_objects AS o",
    **{
        kind: f"SELECT o.name, c.name AS cluster FROM mz_catalog.mz_{kind} AS o "
        "LEFT JOIN mz_catalog.mz_clusters AS c ON o.cluster_id = c.id"
        for kind in ("materialized_views", "sources", "sinks")
    },
    "indexes": 'SELECT i.name, o.name AS "on", c.name AS cluster FROM mz_catalog.mz_indexes AS i '
    "JOIN mz_catalog.mz_objects AS o ON i.on_id = o.id "
    "LEFT JOIN mz_catalog.mz_clusters AS c ON i.cluster_id = c.id",
}
"""What is in schemas: the relation called `o` has the schema."""

_ELSEWHERE = {
    "clusters": "SELECT name, size FROM mz_catalog.mz_clusters",
    "cluster_replicas": "SELECT c.name AS cluster, r.name AS replica, r.size, s.status = 'online' AS ready "
    "FROM mz_catalog.mz_cluster_replicas AS r JOIN mz_catalog.mz_clusters AS c ON r.cluster_id = c.id "
    "LEFT JOIN mz_internal.mz_cluster_replica_statuses AS s ON s.replica_id = r.id",
    "schemas": "SELECT name FROM mz_catalog.mz_schemas",
    "databases": "SELECT name FROM mz_catalog.mz_databases",
    "roles": "SELECT name FROM mz_catalog.mz_roles",
    "types": "SELECT name FROM mz_catalog.mz_types",
    "jobs": "SELECT j.id, j.kind, coalesce(o.schema_name || '.' || o.name, j.object_id) AS object, j.cluster, "
    "j.status, j.percent, j.started_at, j.error FROM mz_internal.mz_spark_jobs AS j "
    "LEFT JOIN mz_catalog.mz_objects AS o ON o.id = j.object_id",
}

KINDS = (*_IN_SCHEMAS, *_ELSEWHERE, "columns")


def show(planner: Planner, node: st.ShowObjectsStatement) -> Select:
    parser = QueryParser((text := _text(planner, node)), tokenize(text))
    return finished(planner, parser.query())


def _text(planner: Planner, node: st.ShowObjectsStatement) -> str:
    if node.kind == "create":
        return _create(planner, node)
    order = "1, 2" if node.kind in ("objects", "cluster_replicas") else "1"
    where = []
    if node.kind == "columns":
        assert node.name is not None
        item = find_relation(node.name, planner.context)
        if item.kind is ItemKind.SYSTEM:
            source = (
                "SELECT column_name AS name, is_nullable = 'YES' AS nullable, data_type AS type, "
                "ordinal_position AS position FROM information_schema.columns "
                f"WHERE table_schema = {_quoted(item.name.schema)} AND table_name = {_quoted(item.name.name)}"
            )
        else:
            source = (
                "SELECT name, nullable, type, position FROM mz_catalog.mz_columns "
                f"WHERE id = {_quoted(item.id)}"
            )
        shown, order = "name, nullable, type", "shown.position"
    else:
        shown, source = "*", _source(planner, node)
    if node.like is not None:
        column = "replica" if node.kind == "cluster_replicas" else "kind" if node.kind == "jobs" else "name"
        where.append(f"shown.{column} LIKE {_quoted(node.like)}")
    if node.where is not None:
        where.append(f"({node.where})")
    condition = f" WHERE {' AND '.join(where)}" if where else ""
    return f"SELECT {shown} FROM ({source}) AS shown{condition} ORDER BY {order}"


def _source(planner: Planner, node: st.ShowObjectsStatement) -> str:
    """The objects of that kind that the statement may show."""
    if node.kind in _ELSEWHERE:
        return _ELSEWHERE[node.kind]
    context = planner.context
    where = []
    if node.on is not None:
        where.append(f"o.id = {_quoted(find_relation(node.on, context).id)}")
    elif node.schema is None:
        where.append(f"s.schema_name IN ({_path(planner)})")
    else:
        if not context.catalog.schema_exists(node.schema):
            raise UndefinedSchema(f'schema "{node.schema}" does not exist')
        where.append(f"s.schema_name = {_quoted(node.schema)}")
    if node.cluster is not None:
        where.append(f"c.name = {_quoted(check_cluster(node.cluster, context))}")
    schemas = "JOIN mz_catalog.mz_objects AS s ON s.id = o.id"
    return f"{_IN_SCHEMAS[node.kind]} {schemas} WHERE {' AND '.join(where)}"


def _create(planner: Planner, node: st.ShowObjectsStatement) -> str:
    assert node.name is not None
    assert node.create_kind is not None
    kind = ObjectKind(node.create_kind)
    if kind is ObjectKind.COLUMN:
        raise Unsupported(f"SHOW CREATE {kind.value} is not supported", position=node.name.position)
    if kind is ObjectKind.CLUSTER:
        name = check_cluster(node.name, planner.context)
        return f"SELECT name, create_sql FROM mz_internal.mz_cluster_definitions WHERE name = {_quoted(name)}"
    if kind is ObjectKind.SCHEMA:
        name = node.name.parts[-1]
        if not planner.context.catalog.schema_exists(name):
            raise UndefinedObject(
                f'schema "{name}" does not exist', sqlstate="3F000", position=node.name.position
            )
        return (
            f"SELECT {_quoted(name)} AS name, {_quoted(f'CREATE SCHEMA {quote_ident(name)}')} AS create_sql"
        )
    item = find_object(kind, node.name, planner.context)
    if item is None:
        raise missing_object(kind, node.name, planner.context)
    plural = "indexes" if item.kind is ItemKind.INDEX else f"{item.kind.value.replace('-', '_')}s"
    return (
        f"SELECT {_quoted(str(item.name))} AS name, create_sql FROM mz_catalog.mz_{plural} "
        f"WHERE id = {_quoted(item.id)}"
    )


def _path(planner: Planner) -> str:
    context = planner.context
    names = [context.user if name == "$user" else name for name in context.search_path]
    return ", ".join(_quoted(name) for name in (*names, context.temp_schema))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
