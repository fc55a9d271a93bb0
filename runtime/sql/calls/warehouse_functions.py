"""Functions of other warehouses, which PostgreSQL does not have: each is written out as what it means here.

| call | means |
|---|---|
| `iff(c, a, b)` | `CASE WHEN c THEN a ELSE b END` |
| `nvl(a, b)`, `nvl2(a, b, c)` | `COALESCE(a, b)`; `CASE WHEN a IS NOT NULL THEN b ELSE c END` |
| `zeroifnull(a)`, `nullifzero(a)` | `COALESCE(a, 0)`, `NULLIF(a, 0)` |
| `count_if(c)` | `count(*) FILTER (WHERE c)` |
| `max_by(a, k)`, `arg_max`; `min_by`, `arg_min` | the first of `array_agg(a ORDER BY k DESC)` of the rows on which neither is NULL |
| `datediff(part, a, b)`, `date_diff` | how many boundaries of the part lie between |
| `dateadd(part, n, d)` | `d + n * INTERVAL '1 part'`; a date stays one, if the part is a day or longer |

A function of the user's own of such a name goes first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ...errors import InvalidParameter, UndefinedFunction
from ...repr.types import Kind
from ..syntax import ast
from .function_names import visible

if TYPE_CHECKING:
    from ..catalog.catalog_view import PlanContext
    from ..scalars.expressions import Expressions

_PARTS: Final = {
    **dict.fromkeys(("year", "years", "yyyy", "yy", "yr"), "year"),
    **dict.fromkeys(("quarter", "quarters", "qtr", "qq"), "quarter"),
    **dict.fromkeys(("month", "months", "mon", "mm"), "month"),
    **dict.fromkeys(("week", "weeks", "wk", "ww"), "week"),
    **dict.fromkeys(("day", "days", "dd", "d"), "day"),
    **dict.fromkeys(("hour", "hours", "hh", "hr"), "hour"),
    **dict.fromkeys(("minute", "minutes", "mi", "min"), "minute"),
    **dict.fromkeys(("second", "seconds", "ss", "sec"), "second"),
    **dict.fromkeys(("millisecond", "milliseconds", "ms"), "milliseconds"),
    **dict.fromkeys(("microsecond", "microseconds", "us"), "microseconds"),
}
_MICROS: Final = {
    "hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000, "milliseconds": 1_000, "microseconds": 1,
}  # fmt: skip
_MONTHS: Final = {"year": 12, "quarter": 3, "month": 1}
_DAYS: Final = {"week": 7, "day": 1}

_SCALARS: Final = {
    "iff": 3, "nvl": 2, "nvl2": 3, "zeroifnull": 1, "nullifzero": 1, "datediff": 3, "date_diff": 3, "dateadd": 3,
}  # fmt: skip
_GREATEST: Final = {"max_by": True, "arg_max": True, "min_by": False, "arg_min": False}
_AGGREGATES: Final = {"count_if": 1, **dict.fromkeys(_GREATEST, 2)}


def scalar_call(expressions: Expressions, node: ast.Function) -> ast.Expression | None:
    """What a call of a function means; None where it is none of these."""
    name = node.name[-1]
    if len(node.name) > 1 or name not in _SCALARS:
        return None
    if len(node.args) != _SCALARS[name]:
        raise UndefinedFunction(
            f"function {name}(...) with {len(node.args)} arguments does not exist", position=node.position
        )
    position, args = node.position, node.args
    match name:
        case "iff":
            return ast.Case(None, ((args[0], args[1]),), args[2], position)
        case "nvl":
            return ast.Function(("pg_catalog", "coalesce"), args, position)
        case "nvl2":
            return ast.Case(None, ((ast.Is(args[0], "null", True, position), args[1]),), args[2], position)
        case "zeroifnull":
            return ast.Function(("pg_catalog", "coalesce"), (args[0], ast.Integer(0, position)), position)
        case "nullifzero":
            return ast.Function(("pg_catalog", "nullif"), (args[0], ast.Integer(0, position)), position)
        case "dateadd":
            return _added(expressions, _part(args[0]), args[1], args[2], position)
        case _:
            first, second = (_as_time(expressions, arg) for arg in args[1:])
            return _boundaries(_part(args[0]), first, second, position)


def aggregate_call(context: PlanContext, node: ast.Function) -> ast.Expression | None:
    """Likewise of an aggregate: a call of one of the system's, or an element of what it gives."""
    name, position = node.name[-1], node.position
    if len(node.name) > 1 or name not in _AGGREGATES or visible(node.name, context, position):
        return None
    decorated = node.star or node.distinct or node.order_by or node.within
    if decorated or len(node.args) != _AGGREGATES[name]:
        return None
    if name == "count_if":
        condition = _both(node.filter, node.args[0])
        return replace(node, name=("count",), args=(), star=True, filter=condition)
    value, key = node.args
    order = ast.SortKey(key, _GREATEST[name], _GREATEST[name])
    known = _both(_known(key), _known(value))
    every = replace(
        node, name=("array_agg",), args=(value,), order_by=(order,), filter=_both(node.filter, known)
    )
    return ast.Subscript(every, ast.Integer(1, position), position)


def _known(node: ast.Expression) -> ast.Expression:
    return ast.Is(node, "null", True, node.position)


def _both(first: ast.Expression | None, second: ast.Expression) -> ast.Expression:
    return second if first is None else ast.Logical("and", (first, second), second.position)


# --- dates -----------------------------------------------------------------------------------------------------------


def _part(node: ast.Expression) -> str:
    word = node.parts[0] if isinstance(node, ast.Name) and len(node.parts) == 1 else None
    word = node.value if isinstance(node, ast.String) else word
    if word is None or word.lower() not in _PARTS:
        raise InvalidParameter(
            "a part of a date is expected" if word is None else f'"{word}" is not a part of a date',
            hint="Write year, quarter, month, week, day, hour, minute, second, millisecond or microsecond.",
            position=node.position,
        )
    return _PARTS[word.lower()]


def _as_time(expressions: Expressions, node: ast.Expression) -> ast.Expression:
    """The argument as it is if it is an instant, and as a local time otherwise."""
    typed = expressions.resolve_raw(node)
    if not typed.unknown and typed.scalar.type.kind is Kind.TIMESTAMPTZ:
        return node
    return _cast(node, "timestamp")


def _cast(node: ast.Expression, type_: str) -> ast.Cast:
    return ast.Cast(node, ast.TypeName(type_, (), 0, node.position), node.position)


def _call(name: str, *args: ast.Expression) -> ast.Function:
    return ast.Function(("pg_catalog", name), args, args[-1].position)


def _boundaries(part: str, first: ast.Expression, second: ast.Expression, position: int) -> ast.Expression:
    """How many more boundaries `second` is behind than `first`, a bigint."""

    def minus(count: Callable[[ast.Expression], ast.Expression]) -> ast.Expression:
        return ast.Operator("-", (count(second), count(first)), position)

    def number(value: int) -> ast.Expression:
        return ast.Integer(value, position)

    def field(name: str, of: ast.Expression) -> ast.Expression:
        return _cast(_call("extract", ast.String(name, position), of), "int8")

    if part in _MONTHS:

        def months(of: ast.Expression) -> ast.Expression:
            if part == "year":
                return field("year", of)
            per_year = ast.Operator("*", (field("year", of), number(12 // _MONTHS[part])), position)
            return ast.Operator("+", (per_year, field(part, of)), position)

        return minus(months)
    if part in _DAYS:

        def days(of: ast.Expression) -> ast.Expression:
            whole = _call("date_trunc", ast.String("week", position), of) if part == "week" else of
            return _cast(whole, "date")

        counted = _cast(minus(days), "int8")
        return counted if part == "day" else ast.Operator("/", (counted, number(7)), position)

    def truncated(of: ast.Expression) -> ast.Expression:
        return _call("date_trunc", ast.String(part, position), of)

    seconds = _call("extract", ast.String("epoch", position), minus(truncated))
    micros = _cast(ast.Operator("*", (seconds, number(1_000_000)), position), "int8")
    return ast.Operator("/", (micros, number(_MICROS[part])), position)


def _added(
    expressions: Expressions, part: str, count: ast.Expression, date: ast.Expression, position: int
) -> ast.Expression:
    typed = expressions.resolve_raw(date)
    is_date = not typed.unknown and typed.scalar.type.kind is Kind.DATE
    if part in _MONTHS:
        unit = f"{_MONTHS[part]} months"
    elif part in _DAYS:
        unit = f"{_DAYS[part]} days"
    else:
        unit = f"{_MICROS[part]} microseconds"
    one = _cast(ast.String(unit, position), "interval")
    moved = ast.Operator("*", (_cast(count, "int8"), one), position)
    start = _cast(date, "timestamp") if typed.unknown else date
    total = ast.Operator("+", (start, moved), position)
    return _cast(total, "date") if is_date and part not in _MICROS else total
