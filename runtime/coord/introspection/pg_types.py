"""Types as pg_catalog lists them: those that there are, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...repr.type_functions import functions_of
from ...repr.types import (
    BOOL,
    BPCHAR,
    BYTEA,
    CHAR,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    JSON,
    JSONB,
    MZ_TIMESTAMP,
    NAME,
    NESTED,
    NUMERIC,
    OID,
    RANGES,
    REGPROC,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT2,
    UINT4,
    UINT8,
    UUID,
    Kind,
    ScalarType,
    array_of,
    record_of,
    vector_of,
)
from .state import OWNER_OID, State

DEFAULT_COLLATION = 100
FIRST_ROW_TYPE = 1 << 30

Rows = Iterator[dict[str, Any]]

_VARCHAR = ScalarType(Kind.VARCHAR)
_TYPES = (
    (BOOL, "bool", "B"),
    (CHAR, "char", "Z"),
    (NAME, "name", "S"),
    (INT8, "int8", "N"),
    (INT2, "int2", "N"),
    (INT4, "int4", "N"),
    (TEXT, "text", "S"),
    (OID, "oid", "N"),
    (REGPROC, "regproc", "N"),
    (FLOAT4, "float4", "N"),
    (FLOAT8, "float8", "N"),
    (BPCHAR, "bpchar", "S"),
    (_VARCHAR, "varchar", "S"),
    (DATE, "date", "D"),
    (TIMESTAMP, "timestamp", "D"),
    (TIMESTAMPTZ, "timestamptz", "D"),
    (TIME, "time", "D"),
    (INTERVAL, "interval", "T"),
    (NUMERIC, "numeric", "N"),
    (JSON, "json", "U"),
    (JSONB, "jsonb", "U"),
    (BYTEA, "bytea", "U"),
    (UUID, "uuid", "U"),
    *((type_, str(type_), "R") for type_ in RANGES),
    *((type_, str(type_), "N") for type_ in (UINT2, UINT4, UINT8, MZ_TIMESTAMP)),
)


def pg_type(state: State) -> Rows:
    yield from system_types()
    for item in state.catalog.user_types():
        yield _type(item.type, item.name, "U") | {
            "oid": item.oid,
            "typnamespace": state.schema_oid(item.schema_name),
            "typowner": state.owner(item).oid,
        }
    for oid, relation in state.relations():
        yield _type(record_of(()), relation.name.name, "C") | {
            "oid": row_type_oid(oid),
            "typnamespace": state.schema_oid(relation.name.schema),
            "typowner": state.owner(state.catalog.find_by_id(relation.id)).oid,
            "typtype": "c",
            "typrelid": oid,
        }


def row_type_oid(relation: int) -> int:
    """Of the type of a relation's rows, which nothing but catalogs has: far from all oids that are given."""
    return FIRST_ROW_TYPE + relation


def system_types() -> Rows:
    for type_, name, category in _TYPES:
        array = array_of(type_)
        yield _type(type_, name, category) | {"typarray": array.oid}
        yield _type(array, f"_{name}", "A") | {"typelem": type_.oid}
    for element in (INT2, OID):
        vector = vector_of(element)
        yield _type(vector, str(vector), "A") | {"typelem": element.oid}
    for kind in sorted(NESTED - {Kind.ARRAY}, key=lambda kind: kind.value):
        records = array_of(ScalarType(kind)) if kind is Kind.RECORD else None
        typarray = 0 if records is None else records.oid
        yield _type(ScalarType(kind), kind.value, "P") | {"typtype": "p", "typarray": typarray}
        if records is not None:
            yield _type(records, f"_{kind.value}", "P") | {"typtype": "p", "typelem": ScalarType(kind).oid}


def _type(type_: ScalarType, name: str, category: str) -> dict[str, Any]:
    return {
        "oid": type_.oid,
        "typname": name,
        "typnamespace": 11,
        "typowner": OWNER_OID,
        "typlen": type_.typlen,
        "typbyval": type_.typlen in (1, 2, 4, 8),
        "typtype": "r" if type_.is_range else "b",
        "typcategory": category,
        "typispreferred": type_ in (TEXT, FLOAT8, TIMESTAMPTZ, INTERVAL, BOOL),
        "typisdefined": True,
        "typdelim": ",",
        "typrelid": 0,
        "typelem": 0,
        "typarray": 0,
        **functions_of(type_),
        "typalign": "i",
        "typstorage": "p" if type_.typlen > 0 else "x",
        "typnotnull": False,
        "typbasetype": 0,
        "typtypmod": -1,
        "typndims": 0,
        "typcollation": collation_of(type_),
    }


def collation_of(type_: ScalarType) -> int:
    """The collation of a type's values, or of those of its elements; 0 for what has none."""
    inner = type_.leaf
    return DEFAULT_COLLATION if inner.is_string_category and inner.kind is not Kind.CHAR else 0


def pg_range(state: State) -> Rows:
    """Operator classes, and functions of the system, have no rows of their own here, nor have multiranges."""
    for type_ in RANGES:
        yield {
            "rngtypid": type_.oid,
            "rngsubtype": type_.subtype.oid,
            "rngmultitypid": 0,
            "rngcollation": 0,
            "rngsubopc": 0,
            "rngcanonical": 0,
            "rngsubdiff": 0,
        }
