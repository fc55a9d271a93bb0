"""Walks over scalars and syntax that grouping needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...expr.tree.scalar import And, Call, Case, Cast, Coalesce, NowCompare, Or, PythonCall, Scalar
from ..syntax import ast
from .scope import ScopeColumn


def rebuild(scalar: Scalar, change: Callable[[Scalar], Scalar]) -> Scalar:
    """`scalar` with `change` applied to its direct children."""
    match scalar:
        case Call(args=args) | PythonCall(args=args) | Coalesce(args=args) | And(args=args) | Or(args=args):
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
