"""A union of unions is one union; arms without rows vanish."""

from __future__ import annotations

from ..expr.tree.relation import Constant, Relation, Union
from .rewrite import bottom_up


def flatten_unions(relation: Relation) -> Relation:
    return bottom_up(relation, _flatten)


def _flatten(relation: Relation) -> Relation:
    if not isinstance(relation, Union):
        return relation
    arms: list[Relation] = []
    for arm in relation.inputs:
        if isinstance(arm, Union):
            arms.extend(arm.inputs)
        elif not (isinstance(arm, Constant) and not arm.rows):
            arms.append(arm)
    if not arms:
        return Constant((), relation.schema)
    return Union(tuple(arms), relation.schema)
