"""Calls of functions and aggregates in Python and JavaScript: expressions that hold the source, so that they mean the same wherever and
whenever they are evaluated.

A call of an aggregate is one of its code on the array of the group's inputs, which is maintained as any `array_agg`:

```
f(x)     f: array_agg(x)
f(x, y)  f: array_agg(ROW(x, y))
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import Unsupported
from ...expr.coercion.literals import cast_to
from ...expr.tree.external_function import ExternalFunction
from ...expr.tree.scalar import ExternalCall, Scalar, calls_external
from ..catalog.catalog_view import CatalogItem
from ..syntax import ast
from ..syntax.function_definition import FunctionDefinition, FunctionKind, Volatility

if TYPE_CHECKING:
    from ..query.planner import Planner
    from ..scalars.expressions import Expressions

AGGREGATE = "\0python"
"""The first part of the name of what stands for a call of an aggregate; the second is its id.  No statement can write it."""


def external_call(planner: Planner, item: CatalogItem, arguments: Sequence[Scalar]) -> ExternalCall:
    """The function's value for arguments of its types; an aggregate's for the array of inputs."""
    definition = item.function
    assert definition is not None
    assert definition.external is not None
    aggregate = definition.kind is FunctionKind.AGGREGATE
    if planner.maintained and definition.volatility is not Volatility.IMMUTABLE:
        raise Unsupported(
            f"function {item.name.name} is {definition.volatility.name}, which is not allowed in {planner.defining}",
            detail="What is maintained calls it again when a row goes, and has to get the value that it got when the row came.",
            hint="Create it as IMMUTABLE, if equal arguments give equal values.",
        )
    if not aggregate:
        arguments = [
            cast_to(scalar, type_) for scalar, type_ in zip(arguments, definition.types, strict=True)
        ]
    function = ExternalFunction(
        item.name.name,
        definition.external.handler or item.name.name,
        definition.body,
        tuple(scalar.type for scalar in arguments),
        definition.returns,
        definition.strict and not aggregate,
        definition.volatility is Volatility.VOLATILE,
        aggregate,
        definition.external.timeout_ms,
        definition.external.language,
        () if aggregate or definition.external.language == "python" else definition.parameters,
        definition.external.language == "javascript" and definition.volatility is Volatility.IMMUTABLE,
    )
    return ExternalCall(function, tuple(arguments))


def aggregate_written_out(
    item: CatalogItem, definition: FunctionDefinition, arguments: list[ast.Expression], node: ast.Function
) -> ast.Expression:
    """The call `node` with an aggregate of the system's in it."""
    position = node.position
    condition = node.filter
    if definition.strict:
        given: list[ast.Expression] = [ast.Is(argument, "null", True, position) for argument in arguments]
        if condition is not None:
            given.append(condition)
        condition = given[0] if len(given) == 1 else ast.Logical("and", tuple(given), position)
    (single, *others) = arguments
    inputs = single
    if others or definition.types[0].element is not None:  # an array of arrays has two dimensions
        inputs = ast.Row(tuple(arguments), position)
    collected = ast.Function(
        ("array_agg",), (inputs,), position, False, node.distinct, node.order_by, condition, node.over
    )
    return ast.Function((AGGREGATE, item.id), (collected,), position)


def aggregate_call(expressions: Expressions, node: ast.Function) -> ExternalCall:
    """What `aggregate_written_out` stands for."""
    item = expressions.planner.context.catalog.item_by_id(node.name[1])
    return external_call(expressions.planner, item, [expressions.scalar(node.args[0])])


def refuse_external(scalar: Scalar, clause: str) -> None:
    """Of what planning evaluates, which is before it is known whether the role may call the function."""
    if calls_external(scalar):
        raise Unsupported(f"functions in Python and JavaScript are not supported in {clause}")
