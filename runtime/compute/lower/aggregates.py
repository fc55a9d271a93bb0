"""Aggregates as operators compute them: over columns, on the rows that count.

Most ignore NULLs: so a row that a FILTER drops is one whose argument is NULL, and its argument is not even computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeGuard

from ...expr.registry import resolve_call
from ...expr.tree.relation import Aggregate, OrderBy, ScalarOrder, WindowCall
from ...expr.tree.scalar import And, Case, Literal, Scalar
from ...expr.tree.windows import WINDOW_FUNCTIONS
from ...repr.types import BOOL, NESTED, Kind
from ..plan import WHOLE_GROUP, AggregateOp


def physical(aggregate: Aggregate, position: Callable[[Scalar], int]) -> AggregateOp:
    """The aggregate over the columns that `position` gives its arguments."""
    aggregate = _computed(aggregate)
    if aggregate.function in WHOLE_GROUP:
        return _whole_group(aggregate, position)
    found = [position(argument) for argument in _masked(aggregate)]
    return AggregateOp(
        aggregate.function,
        found[0] if found else None,
        aggregate.type,
        aggregate.distinct,
        tuple(found[1:]),
    )


def arguments(call: WindowCall) -> tuple[Scalar, ...]:
    """What the operator of a window computes the call from."""
    if call.function in WINDOW_FUNCTIONS:
        return call.args
    if call.function in WHOLE_GROUP:
        condition = call.filter
        if condition is None:
            return call.args
        return (*(_where(condition, argument) for argument in call.args), condition)
    first = call.args[0] if call.args else None
    return _masked(
        Aggregate(call.function, first, call.type, call.name, filter=call.filter, rest=call.args[1:])
    )


def is_constant(argument: Scalar) -> TypeGuard[Literal]:
    return isinstance(argument, Literal)


def _computed(aggregate: Aggregate) -> Aggregate:
    """any_value, and min and max of types that have no other way, as the least value, or the first in an order."""
    argument = aggregate.argument
    if argument is None or aggregate.function not in ("any_value", "min", "max"):
        return aggregate
    if argument.type.kind not in NESTED | {Kind.BOOL}:
        return replace(aggregate, function="min") if aggregate.function == "any_value" else aggregate
    order = ScalarOrder(argument, descending=aggregate.function == "max")
    return replace(aggregate, function="first", distinct=False, order=(order,))


def _masked(aggregate: Aggregate) -> tuple[Scalar, ...]:
    """The arguments, NULL on the rows that do not count.

    An aggregate ignores NULLs: so a row that the filter drops is one whose argument is NULL, and its argument is not
    even computed.  Of two arguments each is NULL where the other is.
    """
    arguments = () if aggregate.argument is None else (aggregate.argument, *aggregate.rest)
    if not arguments:
        return () if aggregate.filter is None else (_where(aggregate.filter, Literal(True, BOOL)),)
    condition = () if aggregate.filter is None else (aggregate.filter,)
    out: list[Scalar] = []
    for argument in arguments:
        others = [resolve_call("is_not_null", (other,)) for other in arguments if other is not argument]
        needed = (*condition, *others)
        if not needed:
            out.append(argument)
            continue
        out.append(_where(needed[0] if len(needed) == 1 else And(needed), argument))
    return tuple(out)


def _whole_group(aggregate: Aggregate, position: Callable[[Scalar], int]) -> AggregateOp:
    """These may count NULLs, so the filter is a column of its own; what it drops is still not computed."""
    condition = aggregate.filter

    def place(scalar: Scalar) -> int:
        return position(scalar if condition is None else _where(condition, scalar))

    return AggregateOp(
        aggregate.function,
        None if aggregate.argument is None else place(aggregate.argument),
        aggregate.type,
        aggregate.distinct,
        tuple(place(scalar) for scalar in aggregate.rest),
        tuple(OrderBy(place(key.scalar), key.descending, key.nulls_first) for key in aggregate.order),
        aggregate.direct,
        None if condition is None else position(condition),
    )


def _where(condition: Scalar, value: Scalar) -> Scalar:
    return Case(((condition, value),), Literal(None, value.type), value.type, nullable=True)
