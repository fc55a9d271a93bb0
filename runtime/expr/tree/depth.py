"""How deeply a plan nests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from . import scalar as scalars
from .relation import Relation
from .relation_tree import inputs, scalars_of
from .scalar import Scalar

_Node = TypeVar("_Node", Relation, Scalar)


def depth(relation: Relation) -> int:
    """Nodes from the top to the deepest leaf, those of expressions included.  Without recursion; a part that occurs several
    times is looked at once."""
    of_scalars: dict[int, int] = {}

    def of_own(node: Relation) -> int:
        return max((_depth(one, scalars.children, _none, of_scalars) for one in scalars_of(node)), default=0)

    return _depth(relation, inputs, of_own, {})


def _none(_: Scalar) -> int:
    return 0


def _depth(
    top: _Node,
    below: Callable[[_Node], tuple[_Node, ...]],
    least: Callable[[_Node], int],
    known: dict[int, int],
) -> int:
    """`known` has the depths of nodes by identity; what is below a node is at least `least` of it deep."""
    pending = [top]
    while pending:
        node = pending[-1]
        if id(node) not in known:
            children = below(node)
            missing = [child for child in children if id(child) not in known]
            if missing:
                pending.extend(missing)
                continue
            deepest = max((known[id(child)] for child in children), default=0)
            known[id(node)] = 1 + max(deepest, least(node))
        pending.pop()
    return known[id(top)]
