"""Rows as values: `ROW(a, b)`, `(a, b)`, whole rows of tables, their fields, and predicates on rows, field by field.

Two rows as they are written compare pair by pair, NULL where that leaves it open.  Any other comparison of records is one
of two values, in which NULLs are equal and the greatest, as in PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import DatatypeMismatch, PtvcError, SqlSyntaxError, UndefinedColumn, Unsupported
from ...expr.coercion.type_rules import base_name
from ...expr.functions.containers.records import field_of, row
from ...expr.tables.table_functions import PAIR_COLUMNS, PAIRS
from ...expr.tree.scalar import And, Case, Literal, Scalar
from ...repr.types import Kind
from ..syntax import ast
from . import build
from .scope import Scope, ScopeColumn
from .typed import Typed

if TYPE_CHECKING:
    from .expressions import Expressions

_STRICT = {"<": "<", "<=": "<", ">": ">", ">=": ">"}
_MAX_FIELDS = 1664
"""PostgreSQL's."""


def made(expressions: Expressions, node: ast.Row) -> Typed:
    """A record of fields f1, f2, ...; untyped literals are texts."""
    node = expanded(expressions, node)
    if len(node.items) > _MAX_FIELDS:
        raise PtvcError(
            f"ROW expressions can have at most {_MAX_FIELDS} entries",
            sqlstate="54011",
            position=node.position,
        )
    fields = [expressions.defaulted(expressions.resolve_raw(item)) for item in node.items]
    return Typed(row([(f"f{number}", field) for number, field in enumerate(fields, 1)]))


def expanded(expressions: Expressions, node: ast.Row) -> ast.Row:
    """With the columns of a table, or the fields of a record, in the place of each `.*`."""
    if not any(isinstance(item, ast.Star | ast.AllFields) for item in node.items):
        return node
    return replace(node, items=tuple(part for item in node.items for part in _parts(expressions, item)))


def _parts(expressions: Expressions, item: ast.Expression) -> Sequence[ast.Expression]:
    if isinstance(item, ast.AllFields):
        names = field_names(expressions, item)
        return [ast.Field(item.arg, name, item.position) for name in names]
    if not isinstance(item, ast.Star) or not item.qualifier:
        return [item]
    scope, table = expressions.scope, item.qualifier[-1]
    above = scope.parent
    while above is not None and table not in scope.tables:
        if table in above.tables:
            raise Unsupported(
                f"all columns of {table}, which is of an enclosing query, in a row are not supported",
                hint="Name the columns.",
                position=item.position,
            )
        above = above.parent
    names = [column.name for column in scope.star(item.qualifier, item.position)]
    if len(set(names)) < len(names):
        raise Unsupported(
            f"all columns of {table} in a row are not supported: two have one name",
            hint="Give them names of their own.",
            position=item.position,
        )
    return [ast.Name((*item.qualifier, name), item.position) for name in names]


def whole_row(expressions: Expressions, node: ast.Name) -> Typed | None:
    """The row of a table of this query that `node` names, as there is no column of that name; None for any other name."""
    scope, name = expressions.scope, node.parts[0]
    if len(node.parts) != 1 or name not in scope.tables or name in expressions.aliases:
        return None
    above: Scope | None = scope
    while above is not None:
        if any(column.name == name and (column.row or not column.hidden) for column in above.columns):
            return None
        above = above.parent
    return row_of_table(expressions, node)


def row_of_table(expressions: Expressions, node: ast.Name) -> Typed:
    """The row of the table of this query that has the one name of `node`."""
    (name,) = node.parts
    columns = expressions.scope.star((name,), node.position)
    if not columns or len({column.name for column in columns}) < len(columns):
        raise Unsupported(
            f"the whole row of {name} as a value is not supported",
            hint="Name the columns.",
            position=node.position,
        )
    fields = [
        (
            column.name,
            expressions.defaulted(expressions.resolve_raw(ast.Name((name, column.name), node.position))),
        )
        for column in columns
    ]
    record: Scalar = row(fields)
    if any(column.extended for column in columns):
        record = _of_outer_join(expressions, record, columns, node)
    return Typed(record)


def _of_outer_join(
    expressions: Expressions, record: Scalar, columns: Sequence[ScopeColumn], node: ast.Name
) -> Scalar:
    """NULL, no record of NULLs, where an outer join has found no row."""
    name = node.parts[0]
    telling = next((column.name for column in columns if column.tells), None)
    if telling is None:
        raise Unsupported(
            f"the whole row of {name} as a value is not supported: an outer join may find none, and each of its columns may be NULL",
            hint="Name the columns, or join with a derived table that has a column which is never NULL.",
            position=node.position,
        )
    told = expressions.resolve_raw(ast.Name((name, telling), node.position)).scalar
    return Case(((build.is_null(told), Literal(None, record.type)),), record, record.type)


def field(record: Typed, node: ast.Field) -> Typed:
    type_ = record.scalar.type
    if record.unknown or type_.kind is not Kind.RECORD:
        shown = base_name(None if record.unknown else type_)
        raise DatatypeMismatch(
            f"column notation .{node.name} applied to type {shown}, which is not a composite type",
            sqlstate="42809",
            position=node.position,
        )
    names = [name for name, _ in type_.fields]
    if node.name not in names:
        raise UndefinedColumn(
            f'could not identify column "{node.name}" in record data type', position=node.position
        )
    return Typed(field_of(record.scalar, names.index(node.name)))


def field_names(expressions: Expressions, node: ast.AllFields) -> Sequence[str]:
    """What `(record).*` stands for."""
    match node.arg:
        case ast.Function(name=(*_, name)) if name in PAIRS:
            return PAIR_COLUMNS
        case ast.Row():
            count = len(expanded(expressions, node.arg).items)
            return [f"f{number}" for number in range(1, count + 1)]
        case ast.Name() | ast.Field():
            record = expressions.resolve(node.arg)
            if record.unknown or record.scalar.type.kind is not Kind.RECORD:
                raise DatatypeMismatch(
                    f"type {base_name(record.scalar.type)} is not composite",
                    sqlstate="42809",
                    position=node.position,
                )
            return [name for name, _ in record.scalar.type.fields]
        case _:
            raise Unsupported(
                "all fields of such a record by .* are not supported",
                hint="Name the fields.",
                position=node.position,
            )


def null_test(record: Scalar, negated: bool) -> Scalar:
    """IS NULL: every field is; IS NOT NULL: no field is.  A record may be neither."""
    test = build.is_not_null if negated else build.is_null
    parts = tuple(test(field_of(record, index)) for index in range(len(record.type.fields)))
    return parts[0] if len(parts) == 1 else And(parts)


def compared(
    symbol: str, left: Sequence[ast.Expression], right: Sequence[ast.Expression], position: int
) -> ast.Expression:
    """Two rows of one length, as they are written."""
    pairs = list(zip(left, right, strict=True))
    if symbol in ("=", "<>"):
        parts = tuple(ast.Operator(symbol, pair, position) for pair in pairs)
        if len(parts) == 1:
            return parts[0]
        return ast.Logical("and" if symbol == "=" else "or", parts, position)
    if symbol not in _STRICT:
        raise Unsupported(f"{symbol} of rows is not supported", position=position)
    found: ast.Expression = ast.Operator(symbol, pairs[-1], position)
    for pair in reversed(pairs[:-1]):
        tied = ast.Logical("and", (ast.Operator("=", pair, position), found), position)
        found = ast.Logical("or", (ast.Operator(_STRICT[symbol], pair, position), tied), position)
    return found


def distinct(expressions: Expressions, node: ast.DistinctFrom) -> ast.Expression:
    """IS [NOT] DISTINCT FROM of two rows, as they are written."""
    assert isinstance(node.left, ast.Row)
    assert isinstance(node.right, ast.Row)
    left, right = expanded(expressions, node.left), expanded(expressions, node.right)
    if len(left.items) != len(right.items):
        raise SqlSyntaxError("unequal number of entries in row expressions", position=node.position)
    parts = tuple(
        ast.DistinctFrom(a, b, node.negated, node.position)
        for a, b in zip(left.items, right.items, strict=True)
    )
    if len(parts) == 1:
        return parts[0]
    return ast.Logical("and" if node.negated else "or", parts, node.position)
