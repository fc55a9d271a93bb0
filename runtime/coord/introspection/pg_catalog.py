"""pg_catalog: what psql, drivers and dbt ask of PostgreSQL's own tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...config import DATABASE
from ...expr.tree.scalar import ColumnRef
from ...repr.types import (
    Kind,
    ScalarType,
)
from ...sql.catalog.catalog_view import CatalogItem, ItemKind
from ...sql.syntax.constraints import ConstraintKind
from ..catalog.items import AnyView, Connection, Item, Readable, Secret
from ..catalog.system_items import unpinned
from .constraints import keys_of_tables
from .definitions import default_sql, keys
from .pg_types import DEFAULT_COLLATION, collation_of, row_type_oid
from .state import DATABASE_OID, OWNER_OID, RELKINDS, UNLISTED, State

HEAP_AM, BTREE_AM, ARRANGEMENT_AM = 2, 403, 9_001
TABLESPACE_OID = 1663
CLASS_CLASSOID, PROC_CLASSOID, NAMESPACE_CLASSOID, REWRITE_CLASSOID = 1259, 1255, 2615, 2618
TYPE_CLASSOID = 1247
C_COLLATION = 950

Rows = Iterator[dict[str, Any]]


def pg_namespace(state: State) -> Rows:
    for name, oid in state.catalog.schema_oids().items():
        yield {"oid": oid, "nspname": name, "nspowner": state.schema_owner(name).oid} | {
            "nspacl": state.acl(state.catalog.schema_entry(name))
        }


def pg_class(state: State) -> Rows:
    indexed = {index.on for index in state.indexes()}
    for oid, item in state.relations():
        temporary = item.name.schema.startswith("pg_temp_")
        entry = state.catalog.find_by_id(item.id)
        owner = state.owner(entry).oid
        kind, columns = RELKINDS[item.kind], len(item.schema)
        yield _class(state, oid, owner, item.name.name, item.name.schema, kind, columns) | {
            "relhasindex": item.id in indexed or any(c.is_key for c in item.constraints),
            "relchecks": sum(not constraint.is_key for constraint in item.constraints),
            "relhasrules": item.kind in (ItemKind.VIEW, ItemKind.MATERIALIZED_VIEW),
            "reltype": row_type_oid(oid),
            "relpersistence": "t" if temporary else "p",
            "relam": HEAP_AM if item.kind is ItemKind.TABLE else 0,
            "relacl": state.acl(entry),
        }
    for index in state.indexes():
        owner = state.owner(index).oid
        yield _class(state, index.oid, owner, index.name, index.schema_name, "i", len(index.keys)) | {
            "relam": ARRANGEMENT_AM
        }
    for table, key in keys_of_tables(state):
        owner = state.owner(table).oid
        yield _class(state, key.oid, owner, key.name, table.schema_name, "i", len(key.columns)) | {
            "relam": BTREE_AM
        }


def _class(
    state: State, oid: int, owner: int, name: str, schema: str, kind: str, columns: int
) -> dict[str, Any]:
    return {
        "oid": oid,
        "relname": name,
        "relnamespace": state.schema_oid(schema),
        "reltype": 0,
        "reloftype": 0,
        "relowner": owner,
        "relam": 0,
        "relfilenode": oid,
        "reltablespace": 0,
        "relpages": 0,  # some clients split a scan by pages: there are none
        "reltuples": -1.0,
        "relallvisible": 0,
        "reltoastrelid": 0,
        "relhasindex": False,
        "relisshared": False,
        "relpersistence": "p",
        "relkind": kind,
        "relnatts": columns,
        "relchecks": 0,
        "relhasrules": False,
        "relhastriggers": False,
        "relhassubclass": False,
        "relrowsecurity": False,
        "relforcerowsecurity": False,
        "relispopulated": True,
        "relreplident": "d",
        "relispartition": False,
        "relrewrite": 0,
        "relfrozenxid": 0,
        "relminmxid": 0,
    }


def attributes_of(oid: int, item: CatalogItem) -> Rows:
    """The rows of `pg_attribute` that are about that item's columns."""
    if item.kind in UNLISTED:
        return
    for number, column in enumerate(item.schema, 1):
        default = item.defaults[number - 1] if item.defaults else None
        yield _attribute(oid, number, column.name, column.type) | {
            "attnotnull": not column.nullable,
            "atthasdef": default is not None,
        }


def pg_attribute(state: State) -> Rows:
    """Those about the columns of indexes, and of keys."""
    for index in state.indexes():
        on = state.catalog.item_by_id(index.on)
        for number, key in enumerate(index.keys, 1):
            name = f"expr{number}"
            if isinstance(key, ColumnRef):
                name = on.schema[on.shown_position(key.index)].name
            yield _attribute(index.oid, number, name, key.type)
    for table, constraint in keys_of_tables(state):
        for number, position in enumerate(constraint.columns, 1):
            column = table.schema[position]
            yield _attribute(constraint.oid, number, column.name, column.type)


def _attribute(oid: int, number: int, name: str, type_: ScalarType) -> dict[str, Any]:
    return {
        "attrelid": oid,
        "attname": name,
        "atttypid": type_.oid,
        "attlen": type_.typlen,
        "attnum": number,
        "attcacheoff": -1,
        "atttypmod": type_.typmod,
        "attndims": 1 if type_.kind is Kind.ARRAY else 0,
        "attbyval": type_.typlen in (1, 2, 4, 8),
        "attalign": "i",
        "attstorage": "p" if type_.typlen > 0 else "x",
        "attcompression": "",
        "attnotnull": False,
        "atthasdef": False,
        "atthasmissing": False,
        "attidentity": "",
        "attgenerated": "",
        "attisdropped": False,
        "attislocal": True,
        "attinhcount": 0,
        "attcollation": collation_of(type_),
        "attstattarget": -1,
    }


def pg_index(state: State) -> Rows:
    for index in state.indexes():
        on = state.catalog.item_by_id(index.on)
        columns = [on.shown_position(k.index) + 1 if isinstance(k, ColumnRef) else 0 for k in index.keys]
        yield _index(index.oid, state.catalog.oid(index.on), columns) | {
            "indisready": state.controller.is_hydrated(index.id),
            "indexprs": keys(state, index) if 0 in columns else None,
        }
    for item, constraint in keys_of_tables(state):
        yield _index(constraint.oid, item.oid, [index + 1 for index in constraint.columns]) | {
            "indisunique": True,
            "indnullsnotdistinct": not constraint.nulls_distinct,
            "indisprimary": constraint.kind is ConstraintKind.PRIMARY_KEY,
        }


def _index(oid: int, relation: int, columns: list[int]) -> dict[str, Any]:
    return {
        "indexrelid": oid,
        "indrelid": relation,
        "indnatts": len(columns),
        "indnkeyatts": len(columns),
        "indisunique": False,
        "indnullsnotdistinct": False,
        "indisprimary": False,
        "indisexclusion": False,
        "indimmediate": True,
        "indisclustered": False,
        "indisvalid": True,
        "indcheckxmin": False,
        "indisready": True,
        "indislive": True,
        "indisreplident": False,
        "indkey": columns,
        "indcollation": [0] * len(columns),
        "indclass": [0] * len(columns),
        "indoption": [0] * len(columns),
        "indexprs": None,
    }


def pg_attrdef(state: State) -> Rows:
    for oid, item in state.relations():
        for number, default in enumerate(item.defaults, 1):
            if default is not None:
                yield {
                    "oid": oid * 1_000 + number,
                    "adrelid": oid,
                    "adnum": number,
                    "adbin": default_sql(default),
                }


def pg_am(state: State) -> Rows:
    yield {"oid": HEAP_AM, "amname": "heap", "amhandler": 0, "amtype": "t"}
    yield {"oid": BTREE_AM, "amname": "btree", "amhandler": 0, "amtype": "i"}
    yield {"oid": ARRANGEMENT_AM, "amname": "arrangement", "amhandler": 0, "amtype": "i"}


def pg_database(state: State) -> Rows:
    yield {
        "oid": DATABASE_OID,
        "datname": DATABASE,
        "datdba": state.owner(state.catalog.database).oid,
        "datacl": state.acl(state.catalog.database),
        "encoding": 6,
        "datlocprovider": "c",
        "datistemplate": False,
        "datallowconn": True,
        "datconnlimit": -1,
        "datfrozenxid": 0,
        "datminmxid": 0,
        "dattablespace": TABLESPACE_OID,
        "datcollate": "C",
        "datctype": "C",
    }


def pg_tablespace(state: State) -> Rows:
    yield {"oid": TABLESPACE_OID, "spcname": "pg_default", "spcowner": OWNER_OID}


def pg_collation(state: State) -> Rows:
    for oid, name in ((DEFAULT_COLLATION, "default"), (C_COLLATION, "C")):
        yield {
            "oid": oid,
            "collname": name,
            "collnamespace": 11,
            "collowner": OWNER_OID,
            "collprovider": "c",
            "collisdeterministic": True,
            "collencoding": -1,
            "collcollate": "C",
            "collctype": "C",
        }


def pg_description(state: State) -> Rows:
    for item in state.catalog.user_objects():
        known = not isinstance(item, Secret | Connection)  # to PostgreSQL
        if item.comment is not None and known:
            yield _description(item.oid, _classoid(item), 0, item.comment)
        if isinstance(item, Readable):
            for position, text in item.column_comments.items():
                yield _description(item.oid, CLASS_CLASSOID, position + 1, text)
    for schema in state.catalog.schemas():
        if schema.comment is not None:
            yield _description(schema.oid, NAMESPACE_CLASSOID, 0, schema.comment)


def _classoid(item: Item | CatalogItem) -> int:
    """The catalog that lists the object."""
    return {ItemKind.FUNCTION: PROC_CLASSOID, ItemKind.TYPE: TYPE_CLASSOID}.get(item.kind, CLASS_CLASSOID)


def _description(oid: int, classoid: int, column: int, text: str) -> dict[str, Any]:
    return {"objoid": oid, "classoid": classoid, "objsubid": column, "description": text}


def pg_rewrite(state: State) -> Rows:
    """One rule per view, as PostgreSQL has it: dbt finds dependencies through these."""
    for oid, item in state.relations():
        if item.kind in (ItemKind.VIEW, ItemKind.MATERIALIZED_VIEW):
            yield {
                "oid": oid,
                "rulename": "_RETURN",
                "ev_class": oid,
                "ev_type": "1",
                "ev_enabled": "O",
                "is_instead": True,
            }


def pg_depend(state: State) -> Rows:
    for item in state.catalog.user_items():
        for id_ in unpinned(item.uses):
            if isinstance(state.catalog.find_by_id(id_), Connection):
                continue  # PostgreSQL knows no such objects
            is_view = isinstance(item, AnyView)
            yield {
                "classid": REWRITE_CLASSOID if is_view else CLASS_CLASSOID,
                "objid": item.oid,
                "objsubid": 0,
                "refclassid": _classoid(state.catalog.item_by_id(id_)),
                "refobjid": state.catalog.oid(id_),
                "refobjsubid": 0,
                "deptype": "n",
            }
