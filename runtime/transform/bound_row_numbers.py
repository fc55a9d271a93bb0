"""A bound on row_number() is a top k: rows beyond it are dropped before they are numbered.

`Filter row_number <= k` over a Window becomes the Window over a TopK, whose steps cost the front of a partition.  The
numbers of the rows that are left are the same, and so are other functions of the window that look at earlier rows
only; a window with any other function stays as it is.  The filter goes when it says no more than that; then, if
the number is not read, so does the Window (see `narrow_columns`).
"""

from __future__ import annotations

from dataclasses import replace

from ..expr.tree.relation import Constant, Filter, Relation, TopK, Window, WindowCall
from ..expr.tree.scalar import Call, Cast, ColumnRef, Literal, Scalar
from ..expr.tree.windows import BoundKind, FrameUnit
from .rewrite import bottom_up, filtered

_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


def bound_row_numbers(relation: Relation) -> Relation:
    return bottom_up(relation, _bounded)


def _bounded(relation: Relation) -> Relation:
    if not isinstance(relation, Filter) or not isinstance(relation.input, Window):
        return relation
    window = relation.input
    if isinstance(window.input, TopK) or not all(map(_looks_back, window.calls)):
        return relation
    width = len(window.input.schema)
    numbers = {width + i for i, call in enumerate(window.calls) if call.function == "row_number"}
    bounds = [(p, bound) for p in relation.predicates if (bound := _bound(p, numbers)) is not None]
    if not bounds:
        return relation
    limit = min(bound for _, bound in bounds)
    if limit < 1:
        return Constant((), relation.schema)
    implied = [p for p, bound in bounds if _is_upper(p) or (bound == limit == 1)]
    top = TopK(window.input, window.partition, window.order, limit)
    rest = [p for p in relation.predicates if p not in implied]
    return filtered(replace(window, input=top), rest)


def _looks_back(call: WindowCall) -> bool:
    """Whether the call's value on a row follows from the rows up to it in the order."""
    match call.function:
        case "row_number" | "rank" | "dense_rank":
            return True
        case "lag":
            distance = call.args[1] if len(call.args) > 1 else None
            return distance is None or (isinstance(distance, Literal) and (distance.value or 0) >= 0)
        case "percent_rank" | "cume_dist" | "ntile" | "lead":
            return False
        case _:
            ends = call.frame.end.kind in (BoundKind.CURRENT, BoundKind.PRECEDING)
            return call.frame.unit is FrameUnit.ROWS and ends


def _comparison(predicate: Scalar) -> tuple[Scalar, str, int] | None:
    """`scalar function integer`, from either way of writing it."""
    if not isinstance(predicate, Call) or len(predicate.args) != 2:
        return None
    left, right = predicate.args
    function = predicate.function
    if isinstance(left, Literal):
        left, right, function = right, left, _MIRRORED.get(function, function)
    if isinstance(left, Cast) and left.type.is_integer:
        left = left.arg
    if not isinstance(right, Literal) or type(right.value) is not int:
        return None
    return left, function, right.value


def _bound(predicate: Scalar, numbers: set[int]) -> int | None:
    """The greatest number that the predicate lets pass."""
    found = _comparison(predicate)
    if found is None or not isinstance(found[0], ColumnRef) or found[0].index not in numbers:
        return None
    return {"le": found[2], "lt": found[2] - 1, "eq": found[2]}.get(found[1])


def _is_upper(predicate: Scalar) -> bool:
    found = _comparison(predicate)
    return found is not None and found[1] in ("le", "lt")
