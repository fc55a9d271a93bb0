"""SHOW <objects>: SELECTs over the system relations."""

from __future__ import annotations

from ..errors import Unsupported
from . import statements as st
from .lexer import tokenize
from .names import find_object, find_relation, missing_object
from .parse_query import QueryParser
from .plan_data import finished
from .planner import Planner
from .plans import ItemKind, ObjectKind, Select

_WITH_CLUSTER = ("materialized_views", "sources", "sinks")


def show(planner: Planner, node: st.ShowObjectsStatement) -> Select:
    parser = QueryParser((text := _text(planner, node)), tokenize(text))
    return finished(planner, parser.query())


def _text(planner: Planner, node: st.ShowObjectsStatement) -> str:
    if node.kind == "columns":
        assert node.name is not None
        item = find_relation(node.name, planner.context)
        return (
            "SELECT name, nullable, type FROM mz_catalog.mz_columns "
            f"WHERE id = {_quoted(item.id)}{_like(node, 'name')} ORDER BY position"
        )
    if node.kind == "create":
        return _create(planner, node)
    if node.kind == "clusters":
        return f"SELECT name, size FROM mz_catalog.mz_clusters WHERE TRUE{_like(node, 'name')} ORDER BY name"
    if node.kind == "schemas":
        return f"SELECT name FROM mz_catalog.mz_schemas WHERE TRUE{_like(node, 'name')} ORDER BY name"
    schema = f"s.name = {_quoted(node.schema)}" if node.schema else f"s.name IN ({_path(planner)})"
    if node.kind == "indexes":
        return (
            'SELECT i.name, o.name AS "on", c.name AS cluster FROM mz_catalog.mz_indexes i '
            "JOIN mz_catalog.mz_objects o ON i.on_id = o.id JOIN mz_catalog.mz_schemas s ON o.schema_id = s.id "
            "LEFT JOIN mz_catalog.mz_clusters c ON i.cluster_id = c.id "
            f"WHERE {schema}{_like(node, 'i.name')} ORDER BY 1"
        )
    if node.kind == "objects":
        return (
            "SELECT o.name, o.type FROM mz_catalog.mz_objects o JOIN mz_catalog.mz_schemas s ON o.schema_id = s.id "
            f"WHERE {schema}{_like(node, 'o.name')} ORDER BY 1, 2"
        )
    relation = f"mz_catalog.mz_{node.kind}"
    if node.kind in _WITH_CLUSTER:
        return (
            f"SELECT o.name, c.name AS cluster FROM {relation} o JOIN mz_catalog.mz_schemas s ON o.schema_id = s.id "
            f"LEFT JOIN mz_catalog.mz_clusters c ON o.cluster_id = c.id WHERE {schema}{_like(node, 'o.name')} ORDER BY 1"
        )
    return (
        f"SELECT o.name FROM {relation} o JOIN mz_catalog.mz_schemas s ON o.schema_id = s.id "
        f"WHERE {schema}{_like(node, 'o.name')} ORDER BY 1"
    )


def _create(planner: Planner, node: st.ShowObjectsStatement) -> str:
    assert node.name is not None
    assert node.create_kind is not None
    kind = ObjectKind(node.create_kind)
    if kind in (ObjectKind.SCHEMA, ObjectKind.CLUSTER, ObjectKind.COLUMN):
        raise Unsupported(f"SHOW CREATE {kind.value} is not supported", position=node.name.position)
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


def _like(node: st.ShowObjectsStatement, column: str) -> str:
    return f" AND {column} LIKE {_quoted(node.like)}" if node.like is not None else ""


def _quoted(text: str | None) -> str:
    return "'" + (text or "").replace("'", "''") + "'"
