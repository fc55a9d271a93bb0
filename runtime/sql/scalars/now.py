"""Comparisons with `mz_now()`: what stands on the other side, as a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import UndefinedFunction
from ...expr.coercion.type_rules import base_name
from ...expr.tree.scalar import Cast, Literal, MzNow, NowCompare, Scalar
from ...repr.types import INT8, TIMESTAMP, TIMESTAMPTZ, Kind, derived_numeric

if TYPE_CHECKING:
    from .expressions import Expressions
    from .typed import Typed

NOW_OPERATORS = {"=": "eq", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_MIRRORED = {"eq": "eq", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def compare_with_now(
    expressions: Expressions, symbol: str, left: Typed, right: Typed, position: int
) -> Typed:
    """`left symbol right`, one of which is `mz_now()`."""
    from .typed import Typed, at

    operator = NOW_OPERATORS[symbol]
    other = right
    if not isinstance(left.scalar, MzNow):
        operator, other = _MIRRORED[operator], left
    with at(position):
        return Typed(NowCompare(operator, _bound(expressions, symbol, other)))


def _bound(expressions: Expressions, symbol: str, other: Typed) -> Scalar:
    """Integers and numerics count milliseconds; timestamps and dates are instants, in UTC."""
    if (time := as_time(expressions, other, symbol)) is not None:
        return time
    raise UndefinedFunction(
        f"operator does not exist: mz_timestamp {symbol} {base_name(other.scalar.type)}",
        hint="mz_now() compares with integers and numerics of milliseconds, timestamps and dates.",
    )


def as_time(expressions: Expressions, other: Typed, where: str) -> Scalar | None:
    """An expression that may stand for a time: a bigint, a numeric, a timestamp or a timestamptz; None if its type may not."""
    if other.unknown:
        value = other.scalar.value if isinstance(other.scalar, Literal) else None
        number = value is None or value.strip().lstrip("+-").isdigit()
        return expressions.coerce(other, INT8 if number else TIMESTAMPTZ, where)
    scalar = other.scalar
    match scalar.type.kind:
        case Kind.INT2 | Kind.INT4 | Kind.UINT2 | Kind.UINT4:
            return Cast(scalar, INT8)
        case Kind.UINT8 | Kind.MZ_TIMESTAMP:
            return Cast(scalar, derived_numeric(0))
        case Kind.DATE:
            return Cast(scalar, TIMESTAMP)
        case Kind.INT8 | Kind.NUMERIC | Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            return scalar
        case _:
            return None
