"""Names of result columns without an alias, as PostgreSQL's FigureColname gives them."""

from __future__ import annotations

from ...repr.types import Kind
from ..syntax import ast
from ..syntax.types import TYPE_NAMES

_UNNAMED = "?column?"


def output_name(node: ast.Expression) -> str:
    return _name(node)[0] or _UNNAMED


def _name(node: ast.Expression) -> tuple[str | None, bool]:
    """The name, and whether it is a good one: a type's, or `case`, gives way to any other."""
    match node:
        case ast.Name(parts=parts):
            return parts[-1], True
        case ast.Function(name=parts):
            return (None, False) if parts[-1] == "is json" else (parts[-1], True)
        case ast.Cast(arg=arg, type=type_):
            name, good = _name(arg)
            return (name, True) if good else (_type_name(type_), False)
        case ast.Case(otherwise=otherwise):
            name, good = _name(otherwise) if otherwise is not None else (None, False)
            return (name, True) if good else ("case", False)
        case ast.Subquery(kind="scalar", query=query):
            return _query_name(query) or _UNNAMED, True
        case ast.Subquery(kind=kind):
            return kind, True
        case ast.Array(list=of_list):
            return "list" if of_list else "array", True
        case ast.Map():
            return "map", True
        case ast.Row():
            return "row", True
        case ast.Field(name=name):
            return name, True
        case ast.Subscript(arg=arg):
            return _name(arg)
        case _:
            return None, False


def _query_name(query: ast.Query) -> str | None:
    body = query.body
    while isinstance(body, ast.SetBody | ast.Query):
        body = body.left.body if isinstance(body, ast.SetBody) else body.body
    if isinstance(body, ast.ValuesBody):
        return "column1"
    item = body.items[0] if body.items else None
    return None if item is None else item.alias or _name(item.expression)[0]


def _type_name(type_: ast.TypeName) -> str:
    known = TYPE_NAMES.get(type_.name)
    if known is None or known.kind is Kind.OID:
        return type_.name
    return str(known.kind.value)
