"""Calls of functions that act on the server: `set_config`, `pg_sleep`, `pg_cancel_backend`, advisory locks.

Such a function is called once for each row of the result, in its order, when the row is sent.  A call is a whole item of the
select list of a statement that is a SELECT: nothing else says how often it would be made, and when.

    SELECT a, set_config('x', b, false) AS c FROM t        what is planned:  SELECT a, NULL::text AS c, 'x', b, false FROM t
                                                           what is called:   column 1 = set_config(columns 2, 3, 4)
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Final

from ...errors import UndefinedFunction, Unsupported
from ...repr.schema import Schema
from ..plans.query_plans import Calling, Select, ServerCall
from ..query.planner import Planner
from ..syntax import ast
from . import data

_KEYS = (("int8",), ("int4", "int4"))
_LOCKS = tuple(
    f"pg_{kind}lock{shared}" for kind in ("advisory_", "advisory_xact_") for shared in ("", "_shared")
)

SIGNATURES: Final[dict[str, tuple[tuple[tuple[str, ...], ...], str]]] = {
    "set_config": ((("text", "text", "bool"),), "text"),
    "pg_sleep": ((("float8",),), "text"),
    "pg_cancel_backend": ((("int4",),), "bool"),
    "pg_terminate_backend": ((("int4",), ("int4", "int8")), "bool"),
    **dict.fromkeys(_LOCKS, (_KEYS, "text")),
    **{name.replace("pg_", "pg_try_"): (_KEYS, "bool") for name in _LOCKS},
    "pg_advisory_unlock": (_KEYS, "bool"),
    "pg_advisory_unlock_shared": (_KEYS, "bool"),
    "pg_advisory_unlock_all": (((),), "text"),
}
"""By name: the types of the arguments, for each number of them, and of the result (PostgreSQL's void is an empty text)."""


def misplaced(name: str, position: int) -> Unsupported:
    return Unsupported(
        f"{name} is supported as an item of the select list of a SELECT statement only",
        hint=f"Run SELECT {name}(...) by itself.",
        position=position,
    )


def plan_query(planner: Planner, query: ast.Query, as_of: ast.AsOf | None) -> Select | Calling:
    """A statement that is a query."""
    body = query.body
    if not isinstance(body, ast.SelectBody) or not any(_is_call(item.expression) for item in body.items):
        return data.finished(planner, query, as_of)
    items: list[ast.SelectItem] = []
    arguments: list[ast.SelectItem] = []
    calls: list[ServerCall] = []
    for item in body.items:
        node = item.expression
        if isinstance(node, ast.Star) or body.distinct or body.distinct_on:
            first = next(i.expression for i in body.items if _is_call(i.expression))
            assert isinstance(first, ast.Function)
            raise misplaced(first.name[-1], first.position)
        if not isinstance(node, ast.Function) or not _is_call(node):
            items.append(item)
            continue
        types, result = _signature(node)
        start = len(arguments)
        for argument, type_ in zip(node.args, types, strict=True):
            arguments.append(ast.SelectItem(_cast(argument, type_, node.position), None))
        calls.append(ServerCall(node.name[-1], len(items), tuple(range(start, len(arguments)))))
        null = _cast(ast.Null(node.position), result, node.position)
        items.append(ast.SelectItem(null, item.alias or node.name[-1]))
    shown = len(items)
    calls = [replace(call, arguments=tuple(shown + place for place in call.arguments)) for call in calls]
    names = (f"?argument {number}?" for number in count())
    hidden = [replace(item, alias=next(names)) for item in arguments]
    whole = data.finished(planner, replace(query, body=replace(body, items=(*items, *hidden))), as_of)
    return Calling(whole, Schema(whole.schema.columns[:shown]), tuple(calls))


def _is_call(node: object) -> bool:
    return (
        isinstance(node, ast.Function)
        and node.name[-1] in SIGNATURES
        and node.name[:-1] in ((), ("pg_catalog",))
    )


def _signature(node: ast.Function) -> tuple[tuple[str, ...], str]:
    all_arguments, result = SIGNATURES[node.name[-1]]
    plain = not (node.star or node.distinct or node.order_by or node.filter or node.over or node.within)
    found = next((types for types in all_arguments if len(types) == len(node.args)), None)
    if found is None or not plain:
        raise UndefinedFunction(
            f"function {node.name[-1]}(...) with {len(node.args)} arguments does not exist",
            position=node.position,
        )
    return found, result


def _cast(node: ast.Expression, type_: str, position: int) -> ast.Cast:
    return ast.Cast(node, ast.TypeName(type_, (), 0, position), position)
