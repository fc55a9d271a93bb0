"""sum and avg of intervals, as sums of integers.

An interval is months, days and microseconds, and so is a sum of intervals: each part of the sum is the sum of that part.
So the operators of a grouping or a window maintain sums of integers, which are exact under any insertions and deletions,
and an expression over these puts the interval together.  What is infinite is counted beside the sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import Unsupported
from ..expr.relation import Aggregate, WindowCall
from ..expr.scalar import Scalar
from ..repr.types import INT8, Kind, derived_numeric
from . import build

_PARTS = (
    "interval months",
    "interval days",
    "interval micros",
    "interval infinite",
    "interval minus infinite",
)
_WHOLE = {"sum": "interval of sums", "avg": "interval average"}


def is_interval_sum(aggregate: Aggregate | WindowCall) -> bool:
    return aggregate.function in _WHOLE and aggregate.type.kind is Kind.INTERVAL


def aggregate_parts(aggregate: Aggregate) -> tuple[Aggregate, ...]:
    """The aggregates that `aggregate` is computed from: itself, or the sums of its parts."""
    if not is_interval_sum(aggregate):
        return (aggregate,)
    if aggregate.distinct:
        raise Unsupported(
            f"{aggregate.function}(DISTINCT ...) of intervals is not supported",
            hint="Aggregate over a subquery with DISTINCT.",
        )
    assert aggregate.argument is not None
    sums = [
        replace(
            aggregate, function="sum", argument=build.call(part, aggregate.argument), type=derived_numeric(0)
        )
        for part in _PARTS
    ]
    if aggregate.function == "avg":
        sums.append(replace(aggregate, function="count", type=INT8, nullable=False))
    return tuple(sums)


def window_parts(call: WindowCall) -> tuple[WindowCall, ...]:
    """As `aggregate_parts`, of a window."""
    if not is_interval_sum(call):
        return (call,)
    (argument,) = call.args
    sums = [
        replace(call, function="sum", args=(build.call(part, argument),), type=derived_numeric(0))
        for part in _PARTS
    ]
    if call.function == "avg":
        sums.append(replace(call, function="count", type=INT8, nullable=False))
    return tuple(sums)


def whole(aggregate: Aggregate | WindowCall, parts: Sequence[Scalar]) -> Scalar:
    """The value of the aggregate from those of its parts."""
    return build.call(_WHOLE[aggregate.function], *parts) if is_interval_sum(aggregate) else parts[0]
