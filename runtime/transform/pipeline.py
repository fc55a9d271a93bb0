"""The optimizer: RULES, in order, each named like its file.

A rule maps a relation to one with the same rows and the same column types.  Rules repeat until nothing changes, at
most `MAX_ROUNDS` times.
"""

from __future__ import annotations

from collections.abc import Callable

from ..expr.relation import Relation

Rule = Callable[[Relation], Relation]

RULES: tuple[Rule, ...] = ()


def optimize(relation: Relation) -> Relation:
    return relation
