"""How deeply a plan nests."""

from __future__ import annotations

from .relation import Relation
from .relation_tree import inputs, scalars_of
from .scalar import Scalar, children


def depth(relation: Relation) -> int:
    """Nodes from the top to the deepest leaf, those of expressions included.  Without recursion; a part that occurs several
    times is looked at once."""
    known: dict[int, int] = {}
    pending: list[Relation | Scalar] = [relation]
    while pending:
        node = pending[-1]
        if id(node) not in known:
            below = _below(node)
            if missing := [part for part in below if id(part) not in known]:
                pending.extend(missing)
                continue
            known[id(node)] = 1 + max((known[id(part)] for part in below), default=0)
        pending.pop()
    return known[id(relation)]


def _below(node: Relation | Scalar) -> tuple[Relation | Scalar, ...]:
    if isinstance(node, Scalar):
        return children(node)
    return (*inputs(node), *scalars_of(node))
