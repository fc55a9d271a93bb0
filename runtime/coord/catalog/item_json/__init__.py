"""Items as JSON: the fields that the item's kind has, and which kind that is.

Options that are not set are left out.  Catalogs of older versions have fields of all kinds in every item, and may lack those
that came later: the former are not looked at, the latter have defaults.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

from ....errors import UndefinedObject
from ..items import (
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
from .connectors import (
    read_shared_source,
    read_sink,
    read_source,
    read_source_table,
    read_webhook_source,
    shared_source_fields,
    sink_fields,
    source_fields,
    source_table_fields,
    webhook_source_fields,
)
from .definitions import (
    connection_fields,
    function_fields,
    named_type_fields,
    read_connection,
    read_function,
    read_named_type,
    read_secret,
    secret_fields,
)
from .fields import Json
from .relations import (
    index_fields,
    materialized_view_fields,
    read_index,
    read_materialized_view,
    read_table,
    read_view,
    table_fields,
    view_fields,
)

CATALOG_VERSION = 2
"""Of the fields that are written: 1 had those of all kinds in every item.  Older versions are read, newer ones refused."""

AnItem = TypeVar("AnItem", bound=Item)


@dataclass(frozen=True, slots=True)
class _Format(Generic[AnItem]):
    """How items of a class are written: `kind` is the word for them, `fields` makes those that only they have, `read` makes the item
    of all fields."""

    item: type[AnItem]
    kind: str
    fields: Callable[[AnItem], Json]
    read: Callable[[Json], AnItem]


def item_to_json(item: Item) -> str:
    format = _BY_CLASS[type(item)]
    value = {
        "version": CATALOG_VERSION,
        "id": item.id,
        "oid": item.oid,
        "kind": format.kind,
        "schema_name": item.schema_name,
        "name": item.name,
        "created_at": item.created_at,
        "owner": item.owner,
        "acl": None if item.acl is None else [asdict(granted) for granted in item.acl],
        "comment": item.comment,
        "uses": list(item.uses),
    }
    return json.dumps(value | format.fields(item), separators=(",", ":"))


def item_from_json(text: str) -> Item:
    """UndefinedObject for what this version does not know."""
    v: Json = json.loads(text)
    if v["version"] > CATALOG_VERSION:
        raise UndefinedObject(
            f'the catalog holds "{v["name"]}" in the version {v["version"]} of its format',
            hint="It was written by a newer version: use that one.",
        )
    format = _BY_KIND.get(v["kind"])
    if format is None:
        raise UndefinedObject(
            f'the catalog holds an object of unknown kind "{v["kind"]}"',
            hint="It was written by a newer version: use that one.",
        )
    item: Item = format.read(v)
    return item


_FORMATS: tuple[_Format[Any], ...] = (
    _Format(Table, Table.kind.value, table_fields, read_table),
    _Format(Source, Source.kind.value, source_fields, read_source),
    _Format(SharedSource, "shared-source", shared_source_fields, read_shared_source),
    _Format(SourceTable, "source-table", source_table_fields, read_source_table),
    _Format(WebhookSource, "webhook-source", webhook_source_fields, read_webhook_source),
    _Format(View, View.kind.value, view_fields, read_view),
    _Format(MaterializedView, MaterializedView.kind.value, materialized_view_fields, read_materialized_view),
    _Format(Index, Index.kind.value, index_fields, read_index),
    _Format(Sink, Sink.kind.value, sink_fields, read_sink),
    _Format(Function, Function.kind.value, function_fields, read_function),
    _Format(Secret, Secret.kind.value, secret_fields, read_secret),
    _Format(Connection, Connection.kind.value, connection_fields, read_connection),
    _Format(NamedType, NamedType.kind.value, named_type_fields, read_named_type),
)
_BY_CLASS = {format.item: format for format in _FORMATS}
_BY_KIND = {format.kind: format for format in _FORMATS}
