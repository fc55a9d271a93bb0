"""Walks over scalars and syntax that grouping needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ...expr.tree.scalar import And, Call, Case, Cast, Coalesce, ExternalCall, NowCompare, Or, Scalar
from ..syntax import ast
from .scope import ScopeColumn


def rebuild(scalar: Scalar, change: Callable[[Scalar], Scalar]) -> Scalar:
    """`scalar` with `change` applied to its direct children."""
    match scalar:
        case Call(args=args) | ExternalCall(args=args) | Coalesce(args=args) | And(args=args) | Or(args=args):
            return replace(scalar, args=tuple(change(arg) for arg in args))
        case Cast(arg=arg):
            return replace(scalar, arg=change(arg))
        case NowCompare(bound=bound):
            return replace(scalar, bound=change(bound))
        case Case(branches=branches, otherwise=otherwise):
            pairs = tuple((change(condition), change(result)) for condition, result in branches)
            return replace(scalar, branches=pairs, otherwise=change(otherwise))
        case _:
            return scalar


def written(node: object) -> object:
    """What tells two expressions apart that stand in different places."""
    if isinstance(node, tuple):
        return tuple(map(written, node))
    slots = getattr(type(node), "__slots__", ())
    if not slots:
        return node
    return (type(node), *(written(getattr(node, slot)) for slot in slots if slot != "position"))


def parts_of(node: object) -> Iterator[object]:
    """The node and all that it consists of."""
    yield node
    parts = (
        node
        if isinstance(node, tuple)
        else [getattr(node, slot) for slot in getattr(type(node), "__slots__", ())]
    )
    for part in parts:
        yield from parts_of(part)


def position_of(node: object, column: ScopeColumn) -> int | None:
    """Where `node` names the column."""
    if isinstance(node, ast.Name):
        return node.position if node.parts[-1] == column.name else None
    if isinstance(node, tuple):
        for part in node:
            if (found := position_of(part, column)) is not None:
                return found
        return None
    for slot in getattr(type(node), "__slots__", ()):
        if (found := position_of(getattr(node, slot), column)) is not None:
            return found
    return None
