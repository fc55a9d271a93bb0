"""Selects so plain that their text bounds what planning them takes: rows of one table, columns compared with constants.

Views are none of theirs (one may stand for a thousand), nor functions and arithmetic: what is constant is computed while
planning, and `repeat('x', 100000000)` is a short text.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields

from ..errors import PtvcError
from . import ast
from .catalog_view import ItemKind, PlanContext
from .names import find
from .parse import Statement
from .query_statements import QueryStatement

MAX_TEXT = 400
"""Characters: planning takes a few milliseconds at most."""

_STORED = (ItemKind.TABLE, ItemKind.SOURCE, ItemKind.MATERIALIZED_VIEW)
_COMPARISONS = frozenset(("=", "<>", "!=", "<", "<=", ">", ">="))
_PLAIN = (
    ast.Query,
    ast.SelectBody,
    ast.SelectItem,
    ast.SortKey,
    ast.Name,
    ast.Star,
    ast.Integer,
    ast.Decimal,
    ast.String,
    ast.Boolean,
    ast.Null,
    ast.Parameter,
    ast.Operator,
    ast.Logical,
    ast.Not,
    ast.Is,
    ast.InList,
)


def is_plain(statement: Statement, context: PlanContext) -> bool:
    """Whether planning the statement takes no longer than a thread to plan it in."""
    node = statement.node
    if len(statement.sql) > MAX_TEXT or not isinstance(node, QueryStatement) or node.as_of is not None:
        return False
    body = node.query.body
    if not isinstance(body, ast.SelectBody) or len(body.from_items) != 1:
        return False
    (table,) = body.from_items
    return (
        isinstance(table, ast.TableRef)
        and table.changes is None
        and _is_stored(table, context)
        and _all_plain(node.query, table)
    )


def _is_stored(table: ast.TableRef, context: PlanContext) -> bool:
    with suppress(PtvcError):  # which planning says
        item = find(ast.Name(table.name, table.position), context)
        return item is not None and item.kind in _STORED
    return False


def _all_plain(query: ast.Query, table: ast.TableRef) -> bool:
    pending: list[object] = [query]
    while pending:
        part = pending.pop()
        if part is None or part is table or isinstance(part, int | str):
            continue
        if isinstance(part, tuple):
            pending.extend(part)
        elif isinstance(part, _PLAIN):
            if isinstance(part, ast.Operator) and part.symbol not in _COMPARISONS:
                return False
            pending.extend(getattr(part, field.name) for field in fields(part))
        else:
            return False
    return True
