"""Aggregates that are defined in SQL: expressions over the system's aggregates, written out where they are called.

`CREATE AGGREGATE FUNCTION spread(x int) RETURNS int AS $$ max(x) - min(x) $$` makes `spread(a + b)` mean
`max((a + b)::int) - min((a + b)::int)`, before the SELECT is grouped.  FILTER and OVER are those of every aggregate in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from ...errors import PtvcError, SqlSyntaxError, Unsupported
from ...expr.coercion.type_rules import CastContext, base_name, can_cast
from ...repr.types import NUMERIC, Kind, ScalarType
from ..catalog.catalog_view import CatalogItem
from ..parser.lexer import TokenKind, tokenize
from ..parser.query import QueryParser
from ..scalars.expressions import Expressions
from ..scalars.output_names import output_name
from ..syntax import ast
from ..syntax.function_definition import FunctionDefinition, FunctionKind
from ..syntax.types import TYPE_NAMES
from .aggregate_call import aggregate_calls, is_aggregate
from .external_calls import aggregate_written_out
from .function_body import contains, default_expression
from .function_names import NO_DEFAULT, argument_names, choose, visible
from .warehouse_functions import aggregate_call

if TYPE_CHECKING:
    from ..query.planner import Planner

_TYPE_NAMES = {type_: name for name, type_ in reversed(TYPE_NAMES.items())}


def written_out(
    expressions: Expressions, body: ast.SelectBody, order_by: tuple[ast.SortKey, ...]
) -> tuple[ast.SelectBody, tuple[ast.SortKey, ...]]:
    """The SELECT and its ORDER BY with the bodies of aggregates in the place of their calls; `expressions` are over what it
    groups."""
    context = expressions.planner.context
    defined = any(_is_aggregate(item) for item in context.catalog.all_functions())

    def meant(call: ast.Function) -> ast.Expression | None:
        own = _call(expressions, call) if defined else None
        return own if own is not None else aggregate_call(context, call)

    def change(node: Any) -> Any:
        return _rebuilt(node, meant)

    items = []
    for item in body.items:
        changed = change(item)
        if changed is not item and item.alias is None:
            changed = replace(changed, alias=output_name(item.expression))
        items.append(changed)
    body = replace(
        body,
        items=tuple(items),
        distinct_on=change(body.distinct_on),
        having=change(body.having),
        qualify=change(body.qualify),
        windows=change(body.windows),
    )
    return body, change(order_by)


def _is_aggregate(item: CatalogItem) -> bool:
    return item.function is not None and item.function.kind is FunctionKind.AGGREGATE


def _call(expressions: Expressions, node: ast.Function) -> ast.Expression | None:
    """What the call means; None where it is none of such an aggregate."""
    context = expressions.planner.context
    if not any(_is_aggregate(item) for item in context.catalog.functions(node.name[-1])):
        return None
    found = visible(node.name, context, node.position)
    if not found:
        return None
    values, names = argument_names(node)
    typed = [expressions.resolve_raw(value) for value in values]
    types = [None if arg.unknown else arg.scalar.type for arg in typed]
    chosen = choose(node, found, types, names)
    definition = chosen.definition
    if definition.kind is not FunctionKind.AGGREGATE:
        return None
    if node.within or node.star or (definition.external is None and (node.distinct or node.order_by)):
        raise Unsupported(
            f"DISTINCT and ORDER BY in {node.name[-1]}, which is defined in SQL, are not supported"
            if definition.external is None
            else f"WITHIN GROUP and * in {node.name[-1]} are not supported",
            hint="Write out the aggregates that it is made of." if definition.external is None else None,
            position=node.position,
        )
    arguments: list[ast.Expression] = []
    for place, argument in zip(chosen.places, definition.arguments, strict=True):
        if place == NO_DEFAULT:
            assert argument.default is not None
            arguments.append(_cast(default_expression(argument.default), argument.type, node.position))
        elif types[place] == argument.type:
            arguments.append(values[place])
        else:
            arguments.append(_cast(values[place], argument.type, node.position))
    expressions.planner.uses.add(chosen.item.id)
    if definition.external is not None:
        return aggregate_written_out(chosen.item, definition, arguments, node)
    body = _with_arguments(chosen.item.name.name, definition, arguments)
    body = _rebuilt(body, lambda call: _decorated(call, node))
    return _cast(body, definition.returns, node.position)


def _decorated(call: ast.Function, outer: ast.Function) -> ast.Function | None:
    """An aggregate of the body with what the call says of all of them."""
    if not is_aggregate(call):
        return None
    condition = outer.filter
    if condition is not None and call.filter is not None:
        condition = ast.Logical("and", (call.filter, condition), outer.position)
    return replace(call, filter=condition or call.filter, over=outer.over, position=outer.position)


def _cast(node: ast.Expression, type_: ScalarType, position: int) -> ast.Expression:
    plain = type_ if type_.element is None else type_.element
    modifiers: tuple[int, ...] = ()
    if plain.kind is Kind.NUMERIC and plain.precision is not None and plain.scale is not None:
        modifiers, plain = (plain.precision, plain.scale), NUMERIC
    dimensions = 0 if type_.element is None else 1
    return ast.Cast(node, ast.TypeName(_TYPE_NAMES[plain], modifiers, dimensions, position), position)


def _with_arguments(
    name: str, definition: FunctionDefinition, arguments: list[ast.Expression]
) -> ast.Expression:
    by_name = {argument.name: number for number, argument in enumerate(definition.arguments)}

    def put(node: Any) -> Any:
        if isinstance(node, ast.Parameter):
            return arguments[node.number - 1]
        if isinstance(node, ast.Name) and node.parts[-1] in by_name and node.parts[:-1] in ((), (name,)):
            return arguments[by_name[node.parts[-1]]]
        return None

    found: ast.Expression = _replaced(default_expression(definition.body), put)
    return found


def _rebuilt(node: Any, change: Callable[[ast.Function], ast.Expression | None]) -> Any:
    """`node` with what `change` makes of calls in it; queries within are left to their own SELECT."""

    def put(part: Any) -> Any:
        return change(part) if isinstance(part, ast.Function) else None

    return _replaced(node, put)


def _replaced(node: Any, put: Callable[[Any], Any]) -> Any:
    if (found := put(node)) is not None:
        return found
    if isinstance(node, ast.Query):
        return node
    if isinstance(node, tuple):
        parts = tuple(_replaced(part, put) for part in node)
        return node if all(a is b for a, b in zip(parts, node, strict=True)) else parts
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changes = {}
    for field in fields(node):
        before = getattr(node, field.name)
        after = _replaced(before, put)
        if after is not before:
            changes[field.name] = after
    return replace(node, **changes) if changes else node


def check_aggregate(planner: Planner, name: str, definition: FunctionDefinition) -> None:
    """Plans the body over a row of which nothing is known; 42P13 where it is no expression over aggregates of the arguments."""
    parser = QueryParser(definition.body, tokenize(definition.body))
    node = parser.expression()
    if parser.token.kind is not TokenKind.END:
        parser.fail()
    if contains(node, lambda part: isinstance(part, ast.Query)):
        raise Unsupported("subqueries in the body of an aggregate are not supported")
    if not any(True for _ in aggregate_calls(node)):
        raise PtvcError(
            "the body of an aggregate must be an expression over aggregates of its arguments",
            sqlstate="42P13",
            hint="For example: max(x) - min(x).",
        )
    names = [argument.name or f"${number}" for number, argument in enumerate(definition.arguments, 1)]

    def numbered(part: Any) -> Any:
        if not isinstance(part, ast.Parameter):
            return None
        if not 1 <= part.number <= len(names):
            raise SqlSyntaxError(
                f"there is no parameter ${part.number}", sqlstate="42P02", position=part.position
            )
        return ast.Name((name, names[part.number - 1]), part.position)

    columns = [
        ast.SelectItem(_cast(ast.Null(1), argument.type, 1), shown)
        for argument, shown in zip(definition.arguments, names, strict=True)
    ]
    rows = ast.DerivedTable(_select(columns, ()), name, (), False, 1)
    query = _select([ast.SelectItem(_replaced(node, numbered), None)], (rows,) if columns else ())
    (output,) = planner.query(query).outputs
    if not can_cast(output.type, definition.returns, CastContext.ASSIGNMENT):
        raise PtvcError(
            f"return type mismatch in function declared to return {base_name(definition.returns)}",
            sqlstate="42P13",
            detail=f"Actual return type is {base_name(output.type)}.",
        )


def _select(items: Sequence[ast.SelectItem], from_items: tuple[ast.FromItem, ...]) -> ast.Query:
    body = ast.SelectBody(tuple(items), False, (), from_items, None, (), None, None, 1)
    return ast.Query(body, (), (), None, None, 0, 0)
