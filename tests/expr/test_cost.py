"""Bounds on the work of constant expressions: what is cheap is computed at once, what may not be is not."""

from __future__ import annotations

import re

import pytest
from ptvc.expr.cost import (
    _QUICK,
    _SEARCHES,
    _SUMS,
    COMPUTED_HERE,
    FOLDED,
    UNBOUNDED,
    cost,
    is_cheap,
    is_computed_here,
)
from ptvc.expr.evaluate import fold
from ptvc.expr.functions.catalog import CATALOG
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.relation import Constant, FlatMap, Get, Join, JoinKind, Map, TableCall
from ptvc.expr.tree.scalar import Call, Cast, ColumnRef, Literal, Scalar
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, JSONB, NUMERIC, TEXT, TIMESTAMPTZ, array_of


def text(length: int) -> Literal:
    return Literal("a" * length, TEXT)


def number(value: int) -> Literal:
    return Literal(value, INT4)


def call(name: str, *args: Scalar) -> Call:
    return resolve_call(name, args)


CHEAP = [
    call("add", number(1), number(2)),
    call("repeat", text(1), number(1000)),
    call("concat_op", text(1000), text(1000)),
    call("lpad", text(3), number(100), text(1)),
    call("like", text(100), text(20)),
    call("regex_match", text(100), text(20)),
    call("format", Literal("%s: %s", TEXT), text(10), text(10)),
    Cast(text(1000), JSONB),
    Cast(Literal("17", TEXT), NUMERIC),
    Cast(Literal([1] * 100_000, array_of(INT4)), array_of(INT8)),
    Cast(Literal(["1"] * 50_000, array_of(TEXT)), array_of(INT8)),
    Cast(Literal([1] * 5_000, array_of(INT4)), array_of(NUMERIC)),
]
COSTLY = [
    call("repeat", text(1), number(10_000_000)),
    call("length", call("repeat", text(1), number(10_000_000))),
    call("like", call("repeat", text(1), number(10_000_000)), text(3)),
    call("like", text(10_000), text(2_000)),
    call("regex_match", text(1_000), Literal("(a{1,100}){1,100}", TEXT)),
    call("lpad", text(1), number(2_000_000_000), text(1)),
    call("format", Literal("%1000000000s", TEXT), text(1)),
    call("format", Literal("%*s", TEXT), number(300_000_000), text(1)),
    call("to_char", Literal(1, INT8), text(1_000_000)),
    call("replace", text(10_000), text(1), text(10_000)),
    Cast(text(10_000_000), JSONB),
    Cast(Literal(["2020-01-01 00:00:00"] * 5_000, array_of(TEXT)), array_of(TIMESTAMPTZ)),
    Cast(Literal([1] * 100_000, array_of(INT4)), array_of(NUMERIC)),
    Cast(Literal([1] * 100_000, array_of(INT4)), array_of(TEXT)),
    Cast(call("repeat", Literal("9", TEXT), number(60_000_000)), NUMERIC),
]


@pytest.mark.parametrize("scalar", CHEAP, ids=lambda scalar: repr(scalar)[:60])
def test_cheap(scalar: Scalar) -> None:
    assert is_cheap(scalar)


@pytest.mark.parametrize("scalar", COSTLY, ids=lambda scalar: repr(scalar)[:60])
def test_costly(scalar: Scalar) -> None:
    assert cost(scalar).work > FOLDED
    assert not isinstance(fold(scalar), Literal)


def test_a_count_that_is_not_known_is_any() -> None:
    assert cost(call("repeat", text(1), ColumnRef(0, INT4))).work == UNBOUNDED


ONE = Constant(((1,),), Schema((Column("a", INT4, False),)))


def series(count: int) -> FlatMap:
    return FlatMap(ONE, (TableCall("generate_series", (number(1), number(count)), INT4),), ("n",), ())


def test_relations() -> None:
    assert is_computed_here(ONE)
    assert is_computed_here(series(1000))
    assert not is_computed_here(series(10_000_000))
    assert is_computed_here(Map(series(1000), (call("add", ColumnRef(0, INT4), number(1)),), ("b",)))
    pairs = Join(series(10_000), series(10_000), JoinKind.INNER, (), ())
    assert not is_computed_here(pairs)
    assert not is_computed_here(Map(series(100_000), (call("md5", text(1_000)),), ("b",)))


def test_catalogs() -> None:
    """What clients ask of catalogs is computed where they are."""
    catalog = Get("s1", Schema((Column("name", TEXT), Column("n", INT4))))
    name = ColumnRef(0, TEXT)
    assert is_computed_here(Map(catalog, (call("like", name, Literal("pg%", TEXT)),), ("b",)))
    assert is_computed_here(Map(catalog, (call("concat_op", name, name), call("upper", name)), ("b", "c")))
    assert not is_computed_here(Map(catalog, (call("repeat", name, number(10_000_000)),), ("b",)))
    assert not is_computed_here(Map(catalog, (call("like", name, text(COMPUTED_HERE)),), ("b",)))


def test_functions_are_those_of_the_registry() -> None:
    assert CATALOG.keys() >= _QUICK | _SUMS
    assert any(re.search(_SEARCHES, name) for name in CATALOG)
