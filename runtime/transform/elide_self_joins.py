"""A relation joined with itself on a unique key: every row meets itself and no other.

Both sides may be different projections of it.  A row whose key has a NULL meets nothing (unless NULLs are equal).
"""

from __future__ import annotations

from ..expr.registry import resolve_call
from ..expr.tree.relation import Join, JoinKind, Project, Relation
from ..expr.tree.scalar import ColumnRef
from .facts import Analysis
from .rewrite import bottom_up, filtered, projected, references


def elide_self_joins(relation: Relation) -> Relation:
    analysis = Analysis()

    def change(node: Relation) -> Relation:
        return _elide(node, analysis) if isinstance(node, Join) else node

    return bottom_up(relation, change)


def _base(relation: Relation) -> tuple[Relation, tuple[int, ...]]:
    if isinstance(relation, Project):
        return relation.input, relation.indices
    return relation, tuple(range(len(relation.schema)))


def _elide(join: Join, analysis: Analysis) -> Relation:
    if join.kind is not JoinKind.INNER or not join.left_keys:
        return join
    (base, left), (other, right) = _base(join.left), _base(join.right)
    if base is not other and base != other:
        return join
    keys = []
    for a, b in zip(join.left_keys, join.right_keys, strict=True):
        if not (isinstance(a, ColumnRef) and isinstance(b, ColumnRef) and left[a.index] == right[b.index]):
            return join
        keys.append(left[a.index])
    if not analysis.facts(base).is_unique(keys):
        return join
    present = []
    if not join.null_safe:
        present = [resolve_call("is_not_null", (key,)) for key in references(base, keys) if key.nullable]
    both = projected(filtered(base, present), [*left, *right], join.schema.names)
    return filtered(both, join.residual)
