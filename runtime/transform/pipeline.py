"""The optimizer: RULES, in order, each named like its file.

A rule maps a relation to one with the same rows and the same column types; names of inner columns may change,
those of the result do not.  The order matters: filters reach outer joins before those are narrowed, and move on
through what has become an inner join afterwards; columns are narrowed last.
"""

from __future__ import annotations

from collections.abc import Callable

from ..expr.relation import Relation
from .elide_distinct import elide_distinct
from .flatten_unions import flatten_unions
from .fold_constants import fold_constants
from .narrow_columns import narrow_columns
from .outer_to_inner import outer_to_inner
from .push_predicates import push_predicates

Rule = Callable[[Relation], Relation]

RULES: tuple[Rule, ...] = (
    fold_constants,
    flatten_unions,
    push_predicates,
    outer_to_inner,
    push_predicates,
    outer_to_inner,
    push_predicates,
    fold_constants,
    flatten_unions,
    elide_distinct,
    narrow_columns,
)


def optimize(relation: Relation) -> Relation:
    """`relation` after every rule.  The same rows; deterministic; no more than a few milliseconds."""
    for rule in RULES:
        relation = rule(relation)
    return relation
