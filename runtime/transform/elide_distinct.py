"""A Distinct over rows that are distinct already, or are made so above, does nothing.

No row occurs twice where there is a unique key (`facts`).  The right side of a semi or anti join may repeat.
"""

from __future__ import annotations

from dataclasses import replace

from ..expr.tree.relation import Distinct, Filter, Join, JoinKind, Map, Project, Relation
from .facts import Analysis
from .rewrite import bottom_up


def elide_distinct(relation: Relation) -> Relation:
    analysis = Analysis()

    def change(node: Relation) -> Relation:
        if isinstance(node, Distinct) and analysis.facts(node.input).keys:
            return node.input
        if isinstance(node, Join) and node.kind in (JoinKind.SEMI, JoinKind.ANTI):
            right = _repeated(node.right)
            return node if right is node.right else replace(node, right=right)
        return node

    return bottom_up(relation, change)


def _repeated(relation: Relation) -> Relation:
    """The same rows, where it does not matter how often each is there."""
    match relation:
        case Distinct(input=child):
            return _repeated(child)
        case Filter(input=child) | Map(input=child) | Project(input=child):
            below = _repeated(child)
            return relation if below is child else replace(relation, input=below)
        case _:
            return relation
