"""SHOW <objects>: SELECTs over the system relations."""

from __future__ import annotations

from dataclasses import replace

from ...errors import UndefinedObject, UndefinedSchema, Unsupported
from ...expr.functions.system.system import quote_ident
from ..catalog.catalog_view import ItemKind
from ..catalog.named_types import find_any
from ..catalog.names import check_cluster, find_relation, missing_object, usable_path
from ..parser.lexer import tokenize
from ..parser.query import QueryParser
from ..plans.query_plans import Select
from ..query.planner import Planner
from ..syntax import ast
from ..syntax.show_statements import ShowObjectsStatement
from ..syntax.vocabulary import ObjectKind
from .data import finished

_IN_SCHEMAS = {
    "tables": "SELECT o.name FROM mz_catalog.mz_tables AS o",
    "views": "SELECT o.name FROM mz_catalog.mz_views AS o",
    "connections": "SELECT o.name, o.type FROM mz_catalog.mz_connections AS o",
    "secrets": "SELECT o.name FROM mz_catalog.mz_secrets AS o",
    "functions": "SELECT o.name, pg_get_function_arguments(o.oid) AS arguments, pg_get_function_result(o.oid) AS result "
    "FROM (SELECT id, oid, name FROM mz_catalog.mz_objects WHERE type = 'function') AS o",
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
    "privileges": "SELECT grantor, grantee, database, schema, name, object_type, privilege_type "
    "FROM mz_internal.mz_show_all_privileges",
    "role_membership": "SELECT r.name AS role, m.name AS member, g.name AS grantor "
    "FROM mz_catalog.mz_role_members AS x JOIN mz_catalog.mz_roles AS r ON r.id = x.role_id "
    "JOIN mz_catalog.mz_roles AS m ON m.id = x.member JOIN mz_catalog.mz_roles AS g ON g.id = x.grantor",
    "default_privileges": "SELECT object_owner, database, schema, object_type, grantee, privilege_type "
    "FROM mz_internal.mz_show_default_privileges",
    "network_policies": "SELECT '' AS name, '' AS rules, '' AS comment WHERE false",
    "types": "SELECT name FROM mz_catalog.mz_types",
    "jobs": "SELECT j.id, j.kind, coalesce(o.schema_name || '.' || o.name, j.object_id) AS object, j.cluster, "
    "j.status, j.percent, j.started_at, j.error FROM mz_internal.mz_spark_jobs AS j "
    "LEFT JOIN mz_catalog.mz_objects AS o ON o.id = j.object_id",
}

_ORDER = {
    "objects": "1, 2", "functions": "1, 2", "cluster_replicas": "1, 2", "role_membership": "1, 2", "privileges": "4, 5, 6, 2, 7",
    "default_privileges": "1, 2, 3, 4, 5, 6",
}  # fmt: skip
_LIKE = {
    "cluster_replicas": "replica",
    "default_privileges": "object_owner",
    "jobs": "kind",
    "role_membership": "role",
}
"""The column that SHOW ... LIKE is about, where it is not the name."""

KINDS = (*_IN_SCHEMAS, *_ELSEWHERE, "columns")


def show(planner: Planner, node: ShowObjectsStatement) -> Select:
    """What is shown is a query of ours; the statement's own condition is part of it as it was parsed, and points at itself."""
    parser = QueryParser((text := _text(planner, node)), tokenize(text))
    query = parser.query()
    if node.where is not None:
        assert isinstance(query.body, ast.SelectBody)
        assert query.body.where is None
        query = replace(query, body=replace(query.body, where=node.where))
    return finished(planner, query)


def _text(planner: Planner, node: ShowObjectsStatement) -> str:
    if node.kind == "create":
        return _create(planner, node)
    order = _ORDER.get(node.kind, "1")
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
    condition = ""
    if node.like is not None:
        condition = f" WHERE shown.{_LIKE.get(node.kind, 'name')} LIKE {_quoted(node.like)}"
    return f"SELECT {shown} FROM ({source}) AS shown{condition} ORDER BY {order}"


def _source(planner: Planner, node: ShowObjectsStatement) -> str:
    """The objects of that kind that the statement may show."""
    if node.kind == "role_membership" and node.role is not None:
        return f"{_ELSEWHERE[node.kind]} WHERE m.name = {_quoted(node.role)}"
    if node.kind in _ELSEWHERE:
        return _ELSEWHERE[node.kind] + _privileges_where(node)
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


def _privileges_where(node: ShowObjectsStatement) -> str:
    where = []
    if node.object_type is not None:
        where.append(f"object_type = {_quoted(node.object_type)}")
    if node.role is not None:
        role = _quoted(node.role)
        where.append(f"CASE WHEN grantee = 'PUBLIC' THEN true ELSE pg_has_role({role}, grantee, 'USAGE') END")
    return f" WHERE {' AND '.join(where)}" if where else ""


def _create(planner: Planner, node: ShowObjectsStatement) -> str:
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
    if kind is ObjectKind.SECRET:
        raise Unsupported(
            "SHOW CREATE SECRET is not supported: the value of a secret is not shown",
            position=node.name.position,
        )
    item = find_any(kind, node.name, planner.context)
    if item is None:
        raise missing_object(kind, node.name, planner.context)
    plural = "indexes" if item.kind is ItemKind.INDEX else f"{item.kind.value.replace('-', '_')}s"
    return (
        f"SELECT {_quoted(str(item.name))} AS name, create_sql FROM mz_catalog.mz_{plural} "
        f"WHERE id = {_quoted(item.id)}"
    )


def _path(planner: Planner) -> str:
    context = planner.context
    return ", ".join(_quoted(name) for name in (*usable_path(context), context.temp_schema))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
