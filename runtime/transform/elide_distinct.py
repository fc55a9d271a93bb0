"""A Distinct over rows that are distinct already, or are made so above, does nothing.

The rows of a Reduce are distinct since its keys are; so are those of another Distinct, and of a filter over one.
The right side of a semi or anti join may repeat.
"""

from __future__ import annotations

from dataclasses import replace

from ..expr.relation import (
    Distinct,
    Filter,
    Get,
    Join,
    JoinKind,
    Map,
    Project,
    Reduce,
    Relation,
    TopK,
)
from .rewrite import bottom_up


def elide_distinct(relation: Relation) -> Relation:
    return bottom_up(relation, _elide)


def _elide(relation: Relation) -> Relation:
    if isinstance(relation, Distinct) and is_distinct(relation.input):
        return relation.input
    if (
        isinstance(relation, Join)
        and relation.kind in (JoinKind.SEMI, JoinKind.ANTI)
        and isinstance(relation.right, Distinct)
    ):
        return replace(relation, right=relation.right.input)
    return relation


def is_distinct(relation: Relation) -> bool:
    """Whether no row can occur twice."""
    match relation:
        case Distinct() | Reduce():
            return True
        case Filter(input=child) | Map(input=child):
            return is_distinct(child)
        case TopK(input=child):
            return is_distinct(child)
        case Project(input=child, indices=indices):
            return set(range(len(child.schema))) <= set(indices) and is_distinct(child)
        case Join(kind=kind, left=left) if kind in (JoinKind.SEMI, JoinKind.ANTI):
            return is_distinct(left)
        case Get():
            return False
        case _:
            return False
