"""A query with nothing to compute: its literal rows are what the evaluation of its plan gives."""

from __future__ import annotations

import pytest
from ptvc.compute.oneshot import evaluate_in_order
from ptvc.coord.query.system_reads import FEW_ROWS, SMALL_VALUE, trivial_rows
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.relation import Constant, Filter, Map, Project, Relation
from ptvc.expr.tree.scalar import Call, ColumnRef, Literal, Scalar
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, INT4, TEXT

ONE_ROW = Constant(((),), Schema(()))
PAIRS = Constant(((1, "a"), (2, None), (1, "a")), Schema((Column("k", INT4), Column("t", TEXT))))


def mapped(relation: Relation, *scalars: Scalar) -> Map:
    return Map(relation, scalars, tuple(f"c{i}" for i in range(len(scalars))))


def literal(value: int) -> Literal:
    return Literal(value, INT4)


TRIVIAL: list[Relation] = [
    ONE_ROW,
    PAIRS,
    mapped(ONE_ROW, literal(7), Literal("x", TEXT), Literal(None, TEXT)),
    mapped(PAIRS, literal(7), ColumnRef(0, INT4), literal(8)),
    Project(mapped(PAIRS, literal(7)), (2, 0, 0)),
    Project(PAIRS, ()),
    Constant((), PAIRS.schema),
]


def values(batch: Batch) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in batch.columns), batch.diffs.tolist(), strict=True))


@pytest.mark.parametrize("relation", TRIVIAL)
def test_it_has_the_rows_of_its_evaluation(relation: Relation) -> None:
    found = trivial_rows(relation)
    assert found is not None
    assert values(found) == values(evaluate_in_order(relation, {}, 0).oks)
    assert [column.type for column in found.columns] == [column.type.arrow for column in relation.schema]


NOT: list[Scalar] = [resolve_call("add", (literal(1), literal(2))), Literal("x" * (SMALL_VALUE + 1), TEXT)]


@pytest.mark.parametrize("scalar", NOT, ids=lambda s: "call" if isinstance(s, Call) else "long")
def test_what_is_computed_or_long_is_not_trivial(scalar: Scalar) -> None:
    assert trivial_rows(mapped(ONE_ROW, scalar)) is None


def test_many_rows_and_conditions_are_not_trivial() -> None:
    many = tuple((i, "a") for i in range(FEW_ROWS + 1))
    assert trivial_rows(Constant(many, PAIRS.schema)) is None
    assert trivial_rows(Filter(PAIRS, (Literal(True, BOOL),))) is None
