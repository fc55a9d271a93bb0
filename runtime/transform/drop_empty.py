"""What is computed from nothing is nothing: a join with no rows on one side, a filter over no rows.

An aggregate over everything has its row even then, and an outer join keeps the rows of its other side.  Inputs that
no longer matter vanish with the errors that they may hold.
"""

from __future__ import annotations

from ..expr.tree.relation import (
    AssertSingle,
    Constant,
    Distinct,
    Filter,
    FlatMap,
    Join,
    JoinKind,
    Map,
    Negate,
    Project,
    Reduce,
    Relation,
    Threshold,
    TopK,
    Window,
)
from ..expr.tree.scalar import Literal
from ..repr.schema import Schema
from .rewrite import bottom_up, projected


def drop_empty(relation: Relation) -> Relation:
    return bottom_up(relation, _drop)


def is_empty(relation: Relation) -> bool:
    return isinstance(relation, Constant) and not relation.rows


def _drop(relation: Relation) -> Relation:
    match relation:
        case (
            Filter(input=child)
            | Map(input=child)
            | Project(input=child)
            | Distinct(input=child)
            | TopK(input=child)
            | Window(input=child)
            | Negate(input=child)
            | Threshold(input=child)
            | AssertSingle(input=child)
            | FlatMap(input=child)
        ):
            empty = is_empty(child) or (isinstance(relation, TopK) and relation.limit == 0)
        case Reduce(input=child, scalar=scalar):
            empty = is_empty(child) and not scalar
        case Join():
            return _join(relation)
        case _:
            empty = False
    return Constant((), relation.schema) if empty else relation


def _join(join: Join) -> Relation:
    left, right = is_empty(join.left), is_empty(join.right)
    if not left and not right:
        return join
    kind = join.kind
    if kind is JoinKind.ANTI and not left:
        return join.left
    if kind in (JoinKind.LEFT, JoinKind.FULL) and not left:
        return _padded(join.left, join.right.schema)
    if kind in (JoinKind.RIGHT, JoinKind.FULL) and not right:
        count, width = len(join.left.schema), len(join.right.schema)
        padded = _padded(join.right, join.left.schema)
        return projected(padded, [*range(width, width + count), *range(width)], join.schema.names)
    return Constant((), join.schema)


def _padded(relation: Relation, schema: Schema) -> Relation:
    """The relation's rows, and NULLs for the columns of `schema`."""
    if not len(schema):
        return relation
    return Map(relation, tuple(Literal(None, type_) for type_ in schema.types), schema.names)
