"""Names of result columns without an alias, as PostgreSQL's FigureColname gives them."""

from __future__ import annotations

from ..repr.types import Kind
from . import ast
from .types import TYPE_NAMES

_UNNAMED = "?column?"


def output_name(node: ast.Expression) -> str:
    return _name(node) or _UNNAMED


def _name(node: ast.Expression) -> str | None:
    match node:
        case ast.Name(parts=parts):
            return parts[-1]
        case ast.Function(name=name):
            return None if name[-1] == "is json" else name[-1]
        case ast.Cast(arg=arg, type=type_):
            return _name(arg) or _type_name(type_)
        case ast.Case(otherwise=otherwise):
            named = _name(otherwise) if otherwise is not None else None
            return named if named is not None and not isinstance(otherwise, ast.Cast) else "case"
        case ast.Subquery(kind="scalar", query=query):
            return _query_name(query)
        case ast.Subquery(kind=kind):
            return kind
        case ast.Array():
            return "array"
        case ast.Row():
            return "row"
        case ast.Field(name=name):
            return name
        case ast.Subscript(arg=arg):
            return _name(arg)
        case _:
            return None


def _query_name(query: ast.Query) -> str | None:
    body = query.body
    while isinstance(body, ast.SetBody | ast.Query):
        body = body.left.body if isinstance(body, ast.SetBody) else body.body
    if isinstance(body, ast.ValuesBody):
        return "column1"
    item = body.items[0] if body.items else None
    return None if item is None else item.alias or _name(item.expression)


def _type_name(type_: ast.TypeName) -> str:
    known = TYPE_NAMES.get(type_.name)
    if known is None or known.kind is Kind.OID:
        return type_.name
    return str(known.kind.value)
