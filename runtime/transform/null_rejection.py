"""Null rejection: which predicates a row of NULLs cannot pass.

An outer join under such a predicate is narrower than it looks, and a column that passed one is never NULL.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import PtvcError
from ..expr.registry import overload_of
from ..expr.tree.scalar import And, Call, Cast, ColumnRef, ExternalCall, Literal, Or, Scalar


def rejects_null(predicate: Scalar, columns: set[int]) -> bool:
    """Whether the predicate is never TRUE when all of `columns` are NULL."""
    match predicate:
        case And(args=args):
            return any(rejects_null(arg, columns) for arg in args)
        case Or(args=args):
            return all(rejects_null(arg, columns) for arg in args)
        case Call(function="is_not_null" | "is_true" | "is_false", args=(arg,)):
            return null_with(arg, columns)
        case _:
            return null_with(predicate, columns)


def null_with(scalar: Scalar, columns: set[int]) -> bool:
    """Whether the scalar is NULL when all of `columns` are."""
    match scalar:
        case ColumnRef(index=index):
            return index in columns
        case Cast(arg=arg):
            return null_with(arg, columns)
        case Call(function="in", args=args):
            return null_with(args[0], columns)
        case Call(function="any_eq", args=(subject, Literal(value=list() as items))) if items:
            return null_with(subject, columns)  # of no items, NULL is not one
        case ExternalCall(function=called, args=args):
            return called.strict and any(null_with(arg, columns) for arg in args)
        case Call(function=function, args=args):
            return _is_strict(function, args) and any(null_with(arg, columns) for arg in args)
        case _:
            return False


def _is_strict(function: str, args: Sequence[Scalar]) -> bool:
    try:
        return overload_of(function, tuple(arg.type for arg in args)).strict
    except PtvcError:
        return False
