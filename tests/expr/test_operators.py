"""Operators on every pair of types, against PostgreSQL: values, SQLSTATEs and messages."""

from __future__ import annotations

import psycopg
import pytest
from ptvc.errors import UndefinedFunction
from ptvc.expr.registry import resolve_call
from ptvc.repr.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    OID,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    ScalarType,
)
from support import check, product
from values import EDGES, N10_2, N38_0

NUMBERS = (INT2, INT4, INT8, FLOAT4, FLOAT8, N10_2, N38_0, NUMERIC)
ARITHMETIC = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "modulo": "%"}
COMPARISONS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def refused_at_planning(name: str, left: ScalarType, right: ScalarType) -> bool:
    return name == "modulo" and (left.is_float or right.is_float)


@pytest.mark.parametrize("left", NUMBERS, ids=str)
@pytest.mark.parametrize("right", NUMBERS, ids=str)
def test_arithmetic(oracle: psycopg.Connection, left: ScalarType, right: ScalarType) -> None:
    rows = product(EDGES[left], EDGES[right])
    for name, sign in ARITHMETIC.items():
        if refused_at_planning(name, left, right):
            continue
        check(oracle, f"c0 {sign} c1", lambda a, b, f=name: resolve_call(f, (a, b)), (left, right), rows)


COMPARABLE = [(a, b) for a in NUMBERS for b in NUMBERS] + [
    (BOOL, BOOL),
    (TEXT, TEXT),
    (DATE, DATE),
    (DATE, TIMESTAMP),
    (TIMESTAMP, DATE),
    (TIMESTAMP, TIMESTAMP),
    (TIMESTAMP, TIMESTAMPTZ),
    (TIMESTAMPTZ, DATE),
    (BYTEA, BYTEA),
    (UUID, UUID),
    (OID, OID),
    (OID, INT4),
]


@pytest.mark.parametrize(("left", "right"), COMPARABLE, ids=str)
def test_comparison(oracle: psycopg.Connection, left: ScalarType, right: ScalarType) -> None:
    rows = product(EDGES[left], EDGES[right])
    for name, sign in COMPARISONS.items():
        check(oracle, f"c0 {sign} c1", lambda a, b, f=name: resolve_call(f, (a, b)), (left, right), rows)
    for name, sign in {
        "is_distinct_from": "IS DISTINCT FROM",
        "is_not_distinct_from": "IS NOT DISTINCT FROM",
    }.items():
        check(oracle, f"c0 {sign} c1", lambda a, b, f=name: resolve_call(f, (a, b)), (left, right), rows)
    check(oracle, "nullif(c0, c1)", lambda a, b: resolve_call("nullif", (a, b)), (left, right), rows)
    check(oracle, "c0 IN (c1, c0)", lambda a, b: resolve_call("in", (a, b, a)), (left, right), rows)
    for name in ("greatest", "least"):
        check(oracle, f"{name}(c0, c1)", lambda a, b, f=name: resolve_call(f, (a, b)), (left, right), rows)


@pytest.mark.parametrize("type_", NUMBERS, ids=str)
def test_signs(oracle: psycopg.Connection, type_: ScalarType) -> None:
    rows = product(EDGES[type_])
    for expression, name in {"- c0": "negate", "abs(c0)": "abs", "+ c0": "plus"}.items():
        check(oracle, expression, lambda a, f=name: resolve_call(f, (a,)), (type_,), rows)


@pytest.mark.parametrize(
    ("name", "types", "message"),
    [
        ("add", (INT4, TEXT), "operator does not exist: integer + text"),
        ("eq", (INT4, TEXT), "operator does not exist: integer = text"),
        ("negate", (TEXT,), "operator does not exist: - text"),
        ("lower", (INT4,), "function lower(integer) does not exist"),
        ("no_such", (INT4, N10_2), "function no_such(integer, numeric) does not exist"),
        ("concat_op", (INT4, INT4), "operator does not exist: integer || integer"),
        ("modulo", (FLOAT8, INT4), "operator does not exist: double precision % integer"),
    ],
)
def test_undefined(
    oracle: psycopg.Connection, name: str, types: tuple[ScalarType, ...], message: str
) -> None:
    from ptvc.expr.tree.scalar import ColumnRef

    with pytest.raises(UndefinedFunction) as caught:
        resolve_call(name, [ColumnRef(i, type_) for i, type_ in enumerate(types)])
    assert caught.value.message == message
    assert caught.value.sqlstate == "42883"
