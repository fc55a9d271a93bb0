"""Items as planning knows them, and relations over tables as these are now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from ...config import DATABASE
from ...expr.tree.relation import Get, GlobalId, Project, Relation
from ...expr.tree.relation_tree import inputs, with_inputs
from ...repr.schema import Column, Schema
from ...sql.catalog.catalog_view import CatalogItem, QualifiedName
from ...storage.connectors import offered
from ...storage.source.upstream_tables import UpstreamOptions
from .connectors import connector_word
from .items import (
    Connection,
    Function,
    Index,
    Item,
    MaterializedView,
    NamedType,
    Secret,
    SharedSource,
    Sink,
    Source,
    SourceTable,
    Table,
    View,
    WebhookSource,
)
from .system_items import as_now, is_system


def planned_item(item: Item, items: Mapping[GlobalId, Item], indexed: bool) -> CatalogItem:
    """The item for planning over `items`; `indexed`: there are indexes on it.

    An indexed view stays a Get, so that a query can find its index; who cannot use one expands it.
    """
    name = QualifiedName(DATABASE, item.schema_name, item.name)
    match item:
        case Table(schema=schema):
            rows = item.contents if item.layout.places else None
            return CatalogItem(
                item.id, name, item.kind, schema, rows, item.defaults, item.constraints, item.layout.places
            )
        case View(schema=schema, relation=relation):
            definition = None if indexed else widened(relation, items)
            return CatalogItem(item.id, name, item.kind, schema, definition)
        case SourceTable(schema=schema, source=source, is_dead_letters=dead):
            places = item.layout.places
            rows = item.contents if places else None
            return CatalogItem(
                item.id, name, item.kind, schema, rows, layout=places, source=source, dead_letters=dead
            )
        case SharedSource(connector=connector):
            offers = offered(connector_word(connector))
            upstream = connector if isinstance(connector, UpstreamOptions) else None
            return CatalogItem(item.id, name, item.kind, Schema(()), offers=offers, upstream=upstream)
        case Source(schema=schema, connector=connector):
            offers = offered(connector_word(connector))
            places = item.layout.places
            rows = item.contents if places else None
            return CatalogItem(item.id, name, item.kind, schema, rows, layout=places, offers=offers)
        case MaterializedView(schema=schema) | WebhookSource(schema=schema) | Sink(schema=schema):
            return CatalogItem(item.id, name, item.kind, schema)
        case Index():
            return CatalogItem(item.id, name, item.kind, Schema(()))
        case Function(definition=function):
            return CatalogItem(item.id, name, item.kind, Schema(()), function=function)
        case Secret():
            return CatalogItem(item.id, name, item.kind, Schema(()))
        case Connection(options=options):
            return CatalogItem(item.id, name, item.kind, Schema(()), connects=options.kind)
        case NamedType(type=type_):
            return CatalogItem(item.id, name, item.kind, Schema((Column("", type_),)))
        case _:
            assert_never(item)


def widened(relation: Relation, items: Mapping[GlobalId, Item]) -> Relation:
    """`relation` with every table read with all the columns that it has now, and shown with those it had then; so are
    system relations, of which a view may be older than this version."""
    if isinstance(relation, Get):
        if is_system(relation.id):
            return as_now(relation)
        item = items.get(relation.id)
        width = len(relation.schema)
        if not isinstance(item, Table) or width >= len(item.physical):
            return relation
        return Project(Get(relation.id, item.physical), tuple(range(width)), relation.schema.names)
    children = inputs(relation)
    wide = tuple(widened(child, items) for child in children)
    if all(new is old for new, old in zip(wide, children, strict=True)):
        return relation
    return with_inputs(relation, wide)
