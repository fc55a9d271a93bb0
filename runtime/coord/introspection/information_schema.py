"""information_schema: the standard's catalog.  Materialized views are listed among the tables: dbt looks there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...config import DATABASE
from ...expr.coercion.type_rules import base_name
from ...repr.types import Kind, ScalarType
from ...sql.catalog.catalog_view import CatalogItem, ItemKind
from ..catalog.items import View
from ..catalog.system_items import unpinned
from .definitions import default_sql
from .state import UNLISTED, State

Rows = Iterator[dict[str, Any]]

_TABLE_TYPES = {
    ItemKind.TABLE: "BASE TABLE",
    ItemKind.SOURCE: "SOURCE",
    ItemKind.VIEW: "VIEW",
    ItemKind.MATERIALIZED_VIEW: "MATERIALIZED VIEW",
    ItemKind.SYSTEM: "BASE TABLE",
}
_DATETIME_PRECISION = dict.fromkeys((Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.INTERVAL), 6) | {
    Kind.DATE: 0
}
_BITS = {
    Kind.INT2: 16,
    Kind.INT4: 32,
    Kind.INT8: 64,
    Kind.UINT2: 16,
    Kind.UINT4: 32,
    Kind.UINT8: 64,
    Kind.FLOAT4: 24,
    Kind.FLOAT8: 53,
}


def schemata(state: State) -> Rows:
    for name in state.catalog.schema_oids():
        yield {"catalog_name": DATABASE, "schema_name": name, "schema_owner": state.schema_owner(name).name}


def tables(state: State) -> Rows:
    for _, item in state.relations():
        temporary = item.name.schema.startswith("pg_temp_")
        yield {
            "table_catalog": DATABASE,
            "table_schema": item.name.schema,
            "table_name": item.name.name,
            "table_type": "LOCAL TEMPORARY" if temporary else _TABLE_TYPES[item.kind],
            "is_insertable_into": "YES" if item.written else "NO",
            "is_typed": "NO",
        }


def views(state: State) -> Rows:
    for item in state.catalog.user_items():
        if isinstance(item, View):
            yield {
                "table_catalog": DATABASE,
                "table_schema": item.schema_name,
                "table_name": item.name,
                "view_definition": item.definition_sql,
                "check_option": "NONE",
                "is_updatable": "NO",
                "is_insertable_into": "NO",
            }


def columns_of(_: int, item: CatalogItem) -> Rows:
    """The rows of `columns` that are about that item."""
    if item.kind in UNLISTED:
        return
    for number, column in enumerate(item.schema, 1):
        type_ = column.type
        default = item.defaults[number - 1] if item.defaults else None
        yield {
            "table_catalog": DATABASE,
            "table_schema": item.name.schema,
            "table_name": item.name.name,
            "column_name": column.name,
            "ordinal_position": number,
            "column_default": default_sql(default) if default is not None else None,
            "is_nullable": "YES" if column.nullable else "NO",
            "data_type": _data_type(type_),
            "character_maximum_length": type_.length if type_.is_string_category else None,
            "numeric_precision": type_.precision if type_.kind is Kind.NUMERIC else _BITS.get(type_.kind),
            "numeric_precision_radix": 10
            if type_.kind is Kind.NUMERIC
            else 2
            if type_.kind in _BITS
            else None,
            "numeric_scale": _scale(type_),
            "datetime_precision": _datetime_precision(type_),
            "udt_catalog": DATABASE,
            "udt_schema": "pg_catalog",
            "udt_name": f"_{type_.leaf.kind.value}" if type_.kind is Kind.ARRAY else type_.kind.value,
            "dtd_identifier": str(number),
            "is_self_referencing": "NO",
            "is_identity": "NO",
            "is_generated": "NEVER",
            "is_updatable": "YES" if item.written else "NO",
        }


def _data_type(type_: ScalarType) -> str:
    if type_.kind is Kind.ARRAY:
        return "ARRAY"
    return base_name(type_)


def _datetime_precision(type_: ScalarType) -> int | None:
    digits = _DATETIME_PRECISION.get(type_.kind)
    return type_.precision if digits is not None and type_.precision is not None else digits


def _scale(type_: ScalarType) -> int | None:
    if type_.kind is Kind.NUMERIC:
        return type_.scale if type_.precision is not None else None
    return 0 if type_.is_integer else None


def information_schema_catalog_name(state: State) -> Rows:
    yield {"catalog_name": DATABASE}


def view_table_usage(state: State) -> Rows:
    for view in state.catalog.user_items():
        if isinstance(view, View):
            for id_ in unpinned(view.uses):
                item = state.catalog.item_by_id(id_)
                if not item.kind.is_relation:
                    continue
                yield _named("view", state.catalog.item_by_id(view.id)) | _named("table", item)


def view_column_usage(state: State) -> Rows:
    """Of views whose lineage is known: those that an older version created are left out."""
    for view in state.catalog.user_items():
        if not isinstance(view, View) or view.lineage is None:
            continue
        places = {place for inputs in (*view.lineage.columns, view.lineage.rows) for place in inputs}
        shown = _named("view", state.catalog.item_by_id(view.id))
        for place in sorted(places, key=lambda place: (place.relation, place.column)):
            read = state.catalog.item_by_id(place.relation)
            name = read.schema.names[read.shown_position(place.column)]
            yield shown | _named("table", read) | {"column_name": name}


def character_sets(state: State) -> Rows:
    yield {
        "character_set_name": "UTF8",
        "character_repertoire": "UCS",
        "form_of_use": "UTF8",
        "default_collate_catalog": DATABASE,
        "default_collate_schema": "pg_catalog",
        "default_collate_name": "C",
    }


def collations(state: State) -> Rows:
    for name in ("default", "C"):
        yield {
            "collation_catalog": DATABASE,
            "collation_schema": "pg_catalog",
            "collation_name": name,
            "pad_attribute": "NO PAD",
        }


def _named(prefix: str, item: CatalogItem) -> dict[str, Any]:
    return {
        f"{prefix}_catalog": DATABASE,
        f"{prefix}_schema": item.name.schema,
        f"{prefix}_name": item.name.name,
    }
