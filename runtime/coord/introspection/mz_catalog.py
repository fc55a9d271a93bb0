"""mz_catalog: the objects that PostgreSQL does not know, under Materialize's names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from ...config import DATABASE
from ...expr.tree.scalar import ColumnRef
from ...sql.catalog.catalog_view import CatalogItem, ItemKind
from ...storage.sink.delta.options import DeltaSinkOptions
from ...storage.sink.iceberg.options import IcebergSinkOptions
from ...storage.sink.postgres.options import PostgresSinkOptions
from ..catalog.connectors import connector_word
from ..catalog.items import (
    AnySource,
    AnyView,
    Item,
    MaterializedView,
    Readable,
    Relational,
    Sink,
    SourceTable,
    Table,
    View,
    WebhookSource,
)
from ..catalog.role import OWNER_ID
from .definitions import create_sql, default_sql
from .kafka_sql import envelope_word
from .pg_types import system_types
from .state import DATABASE_OID, State

Rows = Iterator[dict[str, Any]]

Kind = TypeVar("Kind", bound=Relational)

DATABASE_ID = "u1"
SIZE = "1"


def mz_schemas(state: State) -> Rows:
    for name, oid in state.catalog.schema_oids().items():
        yield {
            "id": str(oid),
            "oid": oid,
            "database_id": DATABASE_ID,
            "name": name,
            "owner_id": state.schema_owner(name).id,
        }


def mz_databases(state: State) -> Rows:
    yield {"id": DATABASE_ID, "oid": DATABASE_OID, "name": DATABASE, "owner_id": state.catalog.database.owner}


def mz_types(state: State) -> Rows:
    yield from _created_types(state)
    for row in system_types():
        yield {
            "id": f"t{row['oid']}",
            "oid": row["oid"],
            "schema_id": str(row["typnamespace"]),
            "name": row["typname"],
            "category": "array" if row["typcategory"] == "A" else "base",
            "owner_id": OWNER_ID,
        }


def _created_types(state: State) -> Rows:
    """A name's category is that of what it stands for."""
    for item in state.catalog.user_types():
        yield {
            "id": item.id,
            "oid": item.oid,
            "schema_id": str(state.schema_oid(item.schema_name)),
            "name": item.name,
            "category": item.type.kind.value,
            "owner_id": item.owner,
            "create_sql": create_sql(state, item),
        }


def mz_roles(state: State) -> Rows:
    for role in state.roles.by_id.values():
        yield {"id": role.id, "oid": role.oid, "name": role.name}


def mz_role_members(state: State) -> Rows:
    for member in state.roles.by_id.values():
        for membership in member.member_of:
            yield {"role_id": membership.role, "member": member.id, "grantor": membership.grantor}


def mz_objects(state: State) -> Rows:
    for item in state.catalog.user_objects():
        yield _object(state, item)


def mz_relations(state: State) -> Rows:
    for item in state.catalog.user_items():
        if isinstance(item, Readable):
            yield _object(state, item)


def mz_tables(state: State) -> Rows:
    for table in state.catalog.user_items():
        if isinstance(table, Table | SourceTable):
            yield _relation(state, table)


def mz_views(state: State) -> Rows:
    for view in _items(state, View):
        yield _relation(state, view)


def mz_materialized_views(state: State) -> Rows:
    for view in _items(state, MaterializedView):
        yield _relation(state, view)


def mz_sources(state: State) -> Rows:
    for source in state.catalog.user_items():
        if isinstance(source, AnySource):
            yield _relation(state, source) | {
                "type": connector_word(source.connector),
                "envelope_type": envelope_word(source),
            }
        elif isinstance(source, WebhookSource):
            yield _relation(state, source) | {"type": "webhook", "envelope_type": "none"}


def mz_sinks(state: State) -> Rows:
    for sink in _items(state, Sink):
        into = sink.connector
        yield _relation(state, sink) | {
            "type": connector_word(into),
            "envelope_type": sink.envelope.value,
            "format": None
            if isinstance(into, PostgresSinkOptions | IcebergSinkOptions | DeltaSinkOptions)
            else into.format,
        }


def mz_indexes(state: State) -> Rows:
    for index in state.indexes():
        yield {
            "id": index.id,
            "oid": index.oid,
            "name": index.name,
            "on_id": index.on,
            "cluster_id": state.cluster_id(index),
            "owner_id": index.owner,
            "create_sql": create_sql(state, index),
        }


def mz_index_columns(state: State) -> Rows:
    for index in state.indexes():
        on = state.catalog.item_by_id(index.on)
        for position, key in enumerate(index.keys, 1):
            is_column = isinstance(key, ColumnRef)
            yield {
                "index_id": index.id,
                "index_position": position,
                "on_position": on.shown_position(key.index) + 1 if isinstance(key, ColumnRef) else None,
                "on_expression": None if is_column else "expression",
                "nullable": key.nullable,
            }


def mz_clusters(state: State) -> Rows:
    for entry in state.catalog.cluster_entries():
        yield {"id": entry.id, "name": entry.name, "owner_id": entry.owner, "size": SIZE}


def mz_cluster_replicas(state: State) -> Rows:
    for replica in state.controller.clusters:
        yield {
            "id": replica.id,
            "name": replica.name,
            "cluster_id": replica.cluster_id,
            "size": SIZE,
        }


def columns_of(_: int, item: CatalogItem) -> Rows:
    """The rows of `mz_columns` that are about that item."""
    if item.kind is ItemKind.SYSTEM:
        return
    for position, column in enumerate(item.schema, 1):
        default = item.defaults[position - 1] if item.defaults else None
        yield {
            "id": item.id,
            "name": column.name,
            "position": position,
            "nullable": column.nullable,
            "type": str(column.type),
            "default": default_sql(default) if default is not None else None,
            "type_oid": column.type.oid,
            "type_mod": column.type.typmod,
        }


def _items(state: State, kind: type[Kind]) -> list[Kind]:
    return [item for item in state.catalog.user_items() if isinstance(item, kind)]


def _relation(state: State, item: Relational) -> dict[str, Any]:
    return _object(state, item) | {
        "definition": item.definition_sql if isinstance(item, AnyView) else "",
        "create_sql": create_sql(state, item),
    }


def _object(state: State, item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "oid": item.oid,
        "schema_id": str(state.schema_oid(item.schema_name)),
        "schema_name": item.schema_name,
        "name": item.name,
        "type": item.kind.value,
        "owner_id": item.owner,
        "cluster_id": state.cluster_id(item),
    }
