"""Counts of whole collections become literal rows where they are known; the rest of the query stays."""

from __future__ import annotations

import pytest
from ptvc.coord.query.counted_rows import with_counts
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.relation import (
    Aggregate,
    Constant,
    Filter,
    Get,
    Join,
    JoinKind,
    Map,
    Project,
    Reduce,
    Relation,
)
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8

T = Get("t", Schema((Column("a", INT4), Column("b", INT4))))
KNOWN = {"t": 7, "none": 0, "unknown": None}
COUNT = Aggregate("count", None, INT8, "n", nullable=False)


def column(index: int) -> ColumnRef:
    return ColumnRef(index, INT4)


def call(function: str, *args: Scalar) -> Scalar:
    return resolve_call(function, args)


def counted(input: Relation, *aggregates: Aggregate, scalar: bool = True) -> Reduce:
    return Reduce(input, (), (), aggregates or (COUNT,), scalar)


def known(read: Get) -> int | None:
    return KNOWN[read.id]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (counted(T), ((7,),)),
        (counted(T, COUNT, COUNT), ((7, 7),)),
        (counted(Project(T, ())), ((7,),)),
        (counted(Map(T, (Literal(1, INT4),), ("c",))), ((7,),)),
        (counted(Get("none", T.schema)), ((0,),)),
        (counted(T, scalar=False), ((7,),)),
        (counted(Get("none", T.schema), scalar=False), ()),
    ],
)
def test_a_known_count_is_a_literal_row(query: Reduce, rows: tuple[tuple[int, ...], ...]) -> None:
    assert with_counts(query, known) == Constant(rows, query.schema)


@pytest.mark.parametrize(
    "query",
    [
        T,
        counted(Get("unknown", T.schema)),
        counted(Filter(T, (call("gt", column(0), Literal(1, INT4)),))),
        counted(Map(T, (call("div", column(0), column(1)),), ("c",))),
        counted(T, Aggregate("count", column(0), INT8, "n")),
        counted(T, COUNT, Aggregate("max", column(0), INT4, "m")),
        counted(T, Aggregate("count", None, INT8, "n", filter=call("gt", column(0), Literal(1, INT4)))),
        Reduce(T, (column(0),), ("a",), (COUNT,)),
        Reduce(T, (), (), ()),
    ],
)
def test_nothing_else_is(query: Relation) -> None:
    assert with_counts(query, known) is query


def test_what_stands_beside_a_count_stays() -> None:
    join = Join(T, counted(T), JoinKind.INNER, (), ())
    found = with_counts(join, known)
    assert isinstance(found, Join)
    assert (found.left, found.right) == (T, Constant(((7,),), counted(T).schema))
