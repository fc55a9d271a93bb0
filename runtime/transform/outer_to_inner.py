"""An outer join under a filter that its NULL rows cannot pass is an inner join (or a narrower outer one).

`a LEFT JOIN b ... WHERE b.x > 1`: a row of `a` without a match has `b.x` NULL, and NULL > 1 is not TRUE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..expr.tree.relation import Filter, Join, JoinKind, Project, Relation
from ..expr.tree.scalar import Scalar
from .null_rejection import rejects_null
from .rewrite import bottom_up


def outer_to_inner(relation: Relation) -> Relation:
    return bottom_up(relation, _narrow)


def _narrow(relation: Relation) -> Relation:
    if not isinstance(relation, Filter):
        return relation
    below = relation.input
    if isinstance(below, Project) and isinstance(below.input, Join):
        mapping = dict(enumerate(below.indices))
        join = _rejecting(below.input, relation.predicates, mapping)
        return relation if join is below.input else replace(relation, input=replace(below, input=join))
    if isinstance(below, Join):
        mapping = {index: index for index in range(len(below.schema))}
        join = _rejecting(below, relation.predicates, mapping)
        return relation if join is below else replace(relation, input=join)
    return relation


def _rejecting(join: Join, predicates: Sequence[Scalar], mapping: dict[int, int]) -> Join:
    if join.kind not in (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL):
        return join
    width = len(join.left.schema)
    left = {index for index, source in mapping.items() if source < width}
    right = {index for index, source in mapping.items() if source >= width}
    keeps_left, keeps_right = join.kind is not JoinKind.RIGHT, join.kind is not JoinKind.LEFT
    if keeps_left and any(rejects_null(predicate, right) for predicate in predicates):
        keeps_left = False
    if keeps_right and any(rejects_null(predicate, left) for predicate in predicates):
        keeps_right = False
    kinds = {
        (True, True): JoinKind.FULL,
        (True, False): JoinKind.LEFT,
        (False, True): JoinKind.RIGHT,
        (False, False): JoinKind.INNER,
    }
    kind = kinds[keeps_left, keeps_right]
    return join if kind is join.kind else replace(join, kind=kind)
