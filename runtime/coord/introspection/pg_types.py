"""Types as pg_catalog lists them: those that there are, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
)
from .state import OWNER_OID, State

DEFAULT_COLLATION = 100

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


def system_types() -> Rows:
    for type_, name, category in _TYPES:
        array = array_of(type_)
        yield _type(type_, name, category) | {"typarray": array.oid}
        yield _type(array, f"_{name}", "A") | {"typelem": type_.oid}
    for kind in sorted(NESTED - {Kind.ARRAY}, key=lambda kind: kind.value):
        yield _type(ScalarType(kind), kind.value, "P") | {"typtype": "p"}


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
        "typsubscript": 0,
        "typelem": 0,
        "typarray": 0,
        "typinput": 0,
        "typoutput": 0,
        "typreceive": 0,
        "typsend": 0,
        "typmodin": 0,
        "typmodout": 0,
        "typanalyze": 0,
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
