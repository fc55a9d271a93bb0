"""Aggregates that are computed from others: sum and avg of intervals, and range_intersect_agg.

An interval is months, days and microseconds, and so is a sum of intervals: each part of the sum is the sum of that part.
So the operators of a grouping or a window maintain sums of integers, which are exact under any insertions and deletions,
and an expression over these puts the interval together.  What is infinite is counted beside the sums.

Ranges have in common what lies above the greatest lower and below the least upper bound: a max and a min of ends, which
are bytes that sort as the bounds do.  The lower end of an empty range is above all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...errors import Unsupported
from ...expr.tree.relation import Aggregate, WindowCall
from ...expr.tree.scalar import Call, Scalar
from ...repr.types import BYTEA, INT8, Kind, ScalarType, derived_numeric
from ..scalars import build

_PARTS = (
    "interval months",
    "interval days",
    "interval micros",
    "interval infinite",
    "interval minus infinite",
)
_WHOLE = {"sum": "interval of sums", "avg": "interval average"}
_ENDS = (("max", "range low end"), ("min", "range high end"))

_Part = tuple[str, str | None, ScalarType]
"""An aggregate, the function of the argument that it takes (None: the argument itself), and its type."""


def _parts(aggregate: Aggregate | WindowCall) -> list[_Part]:
    """What `aggregate` is computed from; nothing where it is one of its own."""
    if aggregate.function == "range_intersect_agg":
        return [(function, end, BYTEA) for function, end in _ENDS]
    if not _is_interval_sum(aggregate):
        return []
    sums: list[_Part] = [("sum", part, derived_numeric(0)) for part in _PARTS]
    return [*sums, ("count", None, INT8)] if aggregate.function == "avg" else sums


def _is_interval_sum(aggregate: Aggregate | WindowCall) -> bool:
    return aggregate.function in _WHOLE and aggregate.type.kind is Kind.INTERVAL


def _of(part: str | None, argument: Scalar) -> Scalar:
    return argument if part is None else build.call(part, argument)


def aggregate_parts(aggregate: Aggregate) -> tuple[Aggregate, ...]:
    """The aggregates that `aggregate` is computed from: itself, or those of its parts."""
    parts = _parts(aggregate)
    if not parts:
        return (aggregate,)
    if aggregate.distinct:
        raise Unsupported(
            f"{aggregate.function}(DISTINCT ...) of intervals is not supported",
            hint="Aggregate over a subquery with DISTINCT.",
        )
    argument = aggregate.argument
    assert argument is not None
    return tuple(
        replace(
            aggregate,
            function=function,
            argument=_of(part, argument),
            type=type_,
            nullable=aggregate.nullable and part is not None,
        )
        for function, part, type_ in parts
    )


def window_parts(call: WindowCall) -> tuple[WindowCall, ...]:
    """As `aggregate_parts`, of a window."""
    parts = _parts(call)
    if not parts:
        return (call,)
    (argument,) = call.args
    return tuple(
        replace(
            call,
            function=function,
            args=(_of(part, argument),),
            type=type_,
            nullable=call.nullable and part is not None,
        )
        for function, part, type_ in parts
    )


def whole(aggregate: Aggregate | WindowCall, parts: Sequence[Scalar]) -> Scalar:
    """The value of the aggregate from those of its parts."""
    if aggregate.function == "range_intersect_agg":
        return Call("range of ends", tuple(parts), aggregate.type, True)
    return build.call(_WHOLE[aggregate.function], *parts) if _is_interval_sum(aggregate) else parts[0]
