"""A TopK of a TopK is one, and one that takes every row there is, is none.

`[o, o + l)` of the places `[p, p + m)` in the same order and groups are the places `[p + o, p + o + min(l, m - o))`.
"""

from __future__ import annotations

from dataclasses import replace

from ..expr.tree.relation import Relation, TopK
from .facts import Analysis
from .rewrite import bottom_up


def fuse_top_k(relation: Relation) -> Relation:
    analysis = Analysis()

    def change(node: Relation) -> Relation:
        if not isinstance(node, TopK):
            return node
        below = node.input
        if isinstance(below, TopK) and set(below.group) == set(node.group) and below.order == node.order:
            node = replace(below, limit=_limit(below, node), offset=below.offset + node.offset)
        takes_first = node.offset == 0 and (node.limit is None or node.limit > 0)
        if takes_first and (node.limit is None or analysis.facts(node.input).is_unique(node.group)):
            return node.input
        return node

    return bottom_up(relation, change)


def _limit(inner: TopK, outer: TopK) -> int | None:
    if inner.limit is None:
        return outer.limit
    left = max(inner.limit - outer.offset, 0)
    return left if outer.limit is None else min(left, outer.limit)
