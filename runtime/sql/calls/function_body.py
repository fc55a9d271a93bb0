"""The text of a function's body as a syntax tree, and which bodies there may be."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import PtvcError, Unsupported
from ...expr.coercion.type_rules import base_name
from ..parser.lexer import TokenKind, tokenize
from ..parser.parse import parse
from ..parser.query import QueryParser
from ..scalars.volatile import VOLATILE
from ..syntax import ast
from ..syntax.data_statements import DeleteStatement, InsertStatement, MergeStatement, UpdateStatement
from ..syntax.function_definition import FunctionDefinition
from ..syntax.query_statements import QueryStatement
from .aggregate_call import is_aggregate, is_grouping
from .table_functions import is_table_function

_HINT = "The body is one SELECT of one column."


def body_query(definition: FunctionDefinition) -> ast.Query:
    """The one SELECT of the body; 42P13 for other statements, 0A000 for several."""
    statements = parse(definition.body)
    if len(statements) > 1:
        raise Unsupported("a function's body of several statements is not supported", hint=_HINT)
    node = statements[0].node if statements else None
    if isinstance(node, QueryStatement):
        if node.as_of is not None:
            raise Unsupported("AS OF is not supported in a function's body", hint=_HINT)
        return node.query
    writes = isinstance(node, InsertStatement | UpdateStatement | DeleteStatement) and node.returning
    if node is None or (
        isinstance(node, InsertStatement | UpdateStatement | DeleteStatement | MergeStatement) and not writes
    ):
        raise PtvcError(
            f"return type mismatch in function declared to return {base_name(definition.returns)}",
            sqlstate="42P13",
            detail="Function's final statement must be SELECT or INSERT/UPDATE/DELETE/MERGE RETURNING.",
        )
    raise Unsupported("a function's body that is no query is not supported", hint=_HINT)


def returned_expression(text: str) -> ast.Expression:
    """What stands behind RETURN."""
    node = _expression(text)
    if contains(node, lambda part: isinstance(part, ast.Query)):
        raise Unsupported("subqueries behind RETURN are not supported", hint="Write AS $$ SELECT ... $$.")
    return node


def default_expression(text: str) -> ast.Expression:
    return _expression(text)


def _expression(text: str) -> ast.Expression:
    parser = QueryParser(text, tokenize(text))
    node = parser.expression()
    assert parser.token.kind is TokenKind.END, "it was parsed when the function was created"
    return node


def plain_expression(query: ast.Query) -> ast.Expression | None:
    """The expression whose value the query is, if it is no more than that: a SELECT of one, without FROM and all else."""
    body = query.body
    if not isinstance(body, ast.SelectBody):
        return None
    more = (
        query.with_tables,
        query.recursion,
        query.order_by,
        query.limit,
        query.offset,
        body.distinct,
        body.distinct_on,
        body.from_items,
        body.where,
        body.group_by,
        body.having,
        body.qualify,
        body.windows,
    )
    if any(more) or len(body.items) != 1 or contains(body.items[0].expression, _makes_rows):
        _refuse_draws(query)
        return None
    return body.items[0].expression


def _makes_rows(node: object) -> bool:
    if isinstance(node, ast.Query | ast.Star):
        return True
    return isinstance(node, ast.Function) and (
        node.over is not None or is_aggregate(node) or is_grouping(node) or is_table_function(node)
    )


def _refuse_draws(query: ast.Query) -> None:
    """A value that is drawn once for the statement is not one for each call."""
    if contains(query, lambda node: isinstance(node, ast.Function) and node.name[-1] in VOLATILE):
        raise Unsupported(
            "random values are not supported in a function's body that is a query of relations",
            hint="Pass the value as an argument.",
        )


def contains(node: object, wanted: Callable[[object], bool]) -> bool:
    """Whether something within the syntax tree is as `wanted`."""
    if wanted(node):
        return True
    if isinstance(node, tuple):
        return any(contains(part, wanted) for part in node)
    slots = getattr(type(node), "__slots__", ()) if not isinstance(node, str | int) else ()
    return any(contains(getattr(node, slot), wanted) for slot in slots)
