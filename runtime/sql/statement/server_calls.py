"""Calls of functions that act on the server: `set_config`, `pg_sleep`, `pg_cancel_backend`, advisory locks.

Such a function is called once for each row of the result, in its order, when the row is sent.  A call is a whole item of the
select list of a statement that is a SELECT: nothing else says how often it would be made, and when.

    SELECT a, set_config('x', b, false) AS c FROM t        what is planned:  SELECT a, NULL::text AS c, 'x', b, false FROM t
                                                           what is called:   column 1 = set_config(columns 2, 3, 4)
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from ...errors import UndefinedFunction
from ...repr.schema import Schema
from ..calls.server_functions import SIGNATURES, misplaced
from ..plans.query_plans import Calling, Select, ServerCall
from ..query.planner import Planner
from ..syntax import ast
from . import data


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
