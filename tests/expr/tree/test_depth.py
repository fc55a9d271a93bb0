from __future__ import annotations

from ptvc.expr.tree.depth import depth
from ptvc.expr.tree.relation import Constant, Map, Project, Relation, Union
from ptvc.expr.tree.scalar import Call, ColumnRef, Scalar
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8

ROWS = Constant(((1,),), Schema((Column("a", INT8, False),)))
A = ColumnRef(0, INT8, False)


def added(terms: int) -> Scalar:
    scalar: Scalar = A
    for _ in range(terms):
        scalar = Call("add", (scalar, A), INT8, False)
    return scalar


def test_expressions_count_below_their_node() -> None:
    assert depth(ROWS) == 1
    assert depth(Map(ROWS, (A, added(5)), ("b", "c"))) == 1 + 6
    assert depth(Project(Map(ROWS, (A,), ("b",)), (1,))) == 3


def test_the_deepest_branch() -> None:
    longer = Project(Project(ROWS, (0,)), (0,))
    assert depth(Union((ROWS, longer, Project(ROWS, (0,))), ROWS.schema)) == 4


def test_more_levels_than_python_has_frames() -> None:
    relation: Relation = ROWS
    for _ in range(50_000):
        relation = Project(relation, (0,))
    assert depth(relation) == 50_001
    assert depth(Map(ROWS, (added(50_000),), ("b",))) == 50_002


def test_a_part_that_occurs_several_times_is_looked_at_once() -> None:
    """Else there would be 2 ** 200 of them."""
    relation: Relation = ROWS
    for _ in range(200):
        relation = Union((relation, relation), ROWS.schema)
    assert depth(relation) == 201
