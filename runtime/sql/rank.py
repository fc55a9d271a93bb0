"""The top-k idiom: a row_number() column that an outer WHERE bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import ast

if TYPE_CHECKING:
    from .planner import CommonTableBinding, RankBound

MAX_SHOWN_RANK = 16
"""Up to this k the number itself may be read: the k first rows are then taken one by one."""


def is_row_number(node: ast.Expression) -> bool:
    return isinstance(node, ast.Function) and node.over is not None and node.name[-1] == "row_number"


def rank_limit(node: ast.Expression) -> tuple[ast.Expression, int] | None:
    """(expression, k) of `expression <= k`, `< k + 1`, `= 1` and their mirror images."""
    if not isinstance(node, ast.Operator) or len(node.args) != 2:
        return None
    left, right = node.args
    symbol = node.symbol
    if isinstance(left, ast.Integer):
        left, right = right, left
        symbol = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(symbol, symbol)
    if not isinstance(right, ast.Integer):
        return None
    limit = {"<=": right.value, "<": right.value - 1}.get(symbol)
    if symbol == "=" and right.value == 1:
        limit = 1
    return (left, limit) if limit is not None and limit >= 1 else None


def rank_bounds(
    body: ast.SelectBody, environment: Mapping[str, CommonTableBinding]
) -> tuple[dict[str, RankBound], ast.Expression | None]:
    """Bounds by table alias, and what remains of WHERE."""
    from .planner import RankBound

    if body.where is None or not body.from_items:
        return {}, body.where
    candidates = _ranked_tables(body, environment)
    if not candidates:
        return {}, body.where
    conjuncts = _conjuncts(body.where)
    bounds: dict[str, RankBound] = {}
    rest: list[ast.Expression] = []
    for conjunct in conjuncts:
        found = rank_limit(conjunct)
        if found is not None and isinstance(found[0], ast.Name):
            parts = found[0].parts
            owners = [
                alias
                for alias, name in candidates.items()
                if name == parts[-1] and (len(parts) == 1 or parts[-2] == alias) and alias not in bounds
            ]
            if len(owners) == 1:
                bounds[owners[0]] = RankBound(parts[-1], found[1])
                continue
        rest.append(conjunct)
    if not bounds:
        return {}, body.where
    if not rest:
        return bounds, None
    return bounds, rest[0] if len(rest) == 1 else ast.Logical("and", tuple(rest), rest[0].position)


def _ranked_tables(body: ast.SelectBody, environment: Mapping[str, CommonTableBinding]) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in body.from_items:
        for leaf in _leaves(item):
            query: ast.Query | None = None
            alias: str | None = None
            if isinstance(leaf, ast.DerivedTable):
                query, alias = leaf.query, leaf.alias or ""
            elif isinstance(leaf, ast.TableRef) and len(leaf.name) == 1 and leaf.name[0] in environment:
                query, alias = environment[leaf.name[0]].table.query, leaf.alias or leaf.name[0]
            if query is None or alias is None or not isinstance(query.body, ast.SelectBody):
                continue
            if query.limit is not None or query.offset is not None:
                continue
            for column in query.body.items:
                if is_row_number(column.expression):
                    found[alias] = column.alias or "row_number"
    return found


def _leaves(item: ast.FromItem) -> list[ast.FromItem]:
    """Items whose rows a WHERE may cut before the join: not those behind the null side of an outer join."""
    if not isinstance(item, ast.JoinedTable):
        return [item]
    left = _leaves(item.left) if item.kind in ("inner", "cross", "left") else []
    right = _leaves(item.right) if item.kind in ("inner", "cross", "right") else []
    return left + right


def _conjuncts(node: ast.Expression) -> list[ast.Expression]:
    if isinstance(node, ast.Logical) and node.word == "and":
        return [part for arg in node.args for part in _conjuncts(arg)]
    return [node]
