"""Fields that items of several kinds have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....compute.lower.shared_arrangements import IndexKey
from ....expr.tree.codec import relation_to_json
from ....expr.tree.relation import GlobalId
from ....lineage.columns import Lineage
from ....repr.schema import Schema
from ....sql.plans.query_plans import Envelope
from ..acl import acl_from_json
from ..connectors import Connector, connector_options, connector_word
from ..items import AnyView, Identity, Readable
from ..role import OWNER_ID

Json = dict[str, Any]


def columns_fields(item: Readable) -> Json:
    comments = {str(position): text for position, text in item.column_comments.items()}
    return {"schema": item.schema.to_json(), "column_comments": comments}


def query_fields(item: AnyView) -> Json:
    return {
        "relation": relation_to_json(item.relation),
        "definition_sql": item.definition_sql,
        "columns": None if item.columns is None else [list(column) for column in item.columns],
    }


def lineage_fields(item: AnyView) -> list[Any] | None:
    return None if item.lineage is None else item.lineage.to_json()


def connector_fields(connector: Connector, key: tuple[int, ...], envelope: Envelope) -> Json:
    return {
        "connector": connector_word(connector),
        "connector_options": connector_options(connector),
        "key": list(key),
        "envelope": envelope.value,
    }


def shares_fields(shares: tuple[IndexKey, ...]) -> list[list[Any]] | None:
    return [[shared.index, shared.on, list(shared.key)] for shared in shares] or None


def only_set(**options: Any) -> Json:
    return {name: value for name, value in options.items() if value is not None}


class IdentityFields(Identity):
    comment: str | None
    uses: tuple[GlobalId, ...]


class ColumnsFields(IdentityFields):
    schema: Schema
    column_comments: Mapping[int, str]


def read_options(v: Json) -> Json:
    options: Json = v.get("options", {})
    return options


def read_identity(v: Json) -> IdentityFields:
    return {
        "id": v["id"],
        "oid": v["oid"],
        "schema_name": v["schema_name"],
        "name": v["name"],
        "created_at": v["created_at"],
        "owner": v.get("owner", OWNER_ID),
        "acl": acl_from_json(v.get("acl")),
        "comment": v["comment"],
        "uses": tuple(v["uses"]),
    }


def read_columns(v: Json) -> ColumnsFields:
    return {
        **read_identity(v),
        "schema": Schema.from_json(v["schema"]),
        "column_comments": {int(position): text for position, text in v["column_comments"].items()},
    }


def read_named(v: Json) -> tuple[tuple[GlobalId, int], ...] | None:
    """The columns that a view names."""
    columns = v.get("columns")
    return None if columns is None else tuple((id_, place) for id_, place in columns)


def read_lineage(options: Json) -> Lineage | None:
    """None of a view that an older version has created."""
    lineage = options.get("lineage")
    return None if lineage is None else Lineage.from_json(lineage)


def read_shares(options: Json) -> tuple[IndexKey, ...]:
    return tuple(IndexKey(index, on, tuple(key)) for index, on, key in options.get("shares", ()))
