"""Values assigned to columns of a table: SET in UPDATE, ON CONFLICT and MERGE, and the rows of INSERT."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import DatatypeMismatch, PtvcError, UndefinedColumn
from ...expr.coercion.type_rules import CastContext, base_name, can_cast
from ...expr.tree.scalar import Cast, Literal, Scalar
from ...repr.types import ScalarType
from ..catalog.catalog_view import CatalogItem
from ..syntax import ast
from .expressions import Expressions
from .typed import Typed, at
from .volatile import default_value


def column_index(item: CatalogItem, name: ast.Name) -> int:
    if name.parts[-1] not in item.schema.names:
        raise UndefinedColumn(
            f'column "{name.parts[-1]}" of relation "{item.name.name}" does not exist', position=name.position
        )
    return item.schema.names.index(name.parts[-1])


def column_defaults(item: CatalogItem) -> list[Scalar]:
    """The value of each column that a statement does not list: its DEFAULT, which may leave something open
    (`per_execution.bound`), or NULL."""
    found: list[Scalar] = []
    for index, column in enumerate(item.schema):
        default = item.defaults[index] if index < len(item.defaults) else None
        found.append(default if default is not None else Literal(None, column.type))
    return found


def assigned_columns(
    expressions: Expressions,
    item: CatalogItem,
    assignments: Sequence[tuple[ast.Name, ast.Expression]],
    defaults: Sequence[Scalar],
) -> dict[int, Scalar]:
    """The new values of a SET list, by position in the table."""
    new: dict[int, Scalar] = {}
    for name, value in assignments:
        index = column_index(item, name)
        if index in new:
            raise PtvcError(
                f'multiple assignments to same column "{name.parts[-1]}"',
                sqlstate="42601",
                position=name.position,
            )
        new[index] = assigned(expressions, value, item, index, defaults)
    return new


def assigned(
    expressions: Expressions, value: ast.Expression, item: CatalogItem, index: int, defaults: Sequence[Scalar]
) -> Scalar:
    """`value` as the column takes it; DEFAULT is the column's."""
    if isinstance(value, ast.Default):
        return default_value(expressions, defaults[index], item.schema[index].name, value.position)
    type_ = item.schema[index].type
    typed = expressions.resolve(value)
    if typed.unknown:
        with at(value.position):
            return untyped_literal(expressions, typed, type_)
    check_assignable(typed.scalar.type, type_, item.schema[index].name, value.position)
    return assignment_cast(typed.scalar, type_)


def listed_columns(item: CatalogItem, names: Sequence[ast.Name]) -> list[int]:
    """Where the columns of a list stand in the table; 42701 for one that is in it twice."""
    found: list[int] = []
    for name in names:
        index = column_index(item, name)
        if index in found:
            raise PtvcError(
                f'column "{name.parts[-1]}" specified more than once',
                sqlstate="42701",
                position=name.position,
            )
        found.append(index)
    return found


def _cuts(type_: ScalarType) -> bool:
    """Whether text may be too long for the type, which an assignment does not cut."""
    return type_.leaf.length is not None


def untyped_literal(expressions: Expressions, typed: Typed, type_: ScalarType) -> Scalar:
    if typed.parameter is None and isinstance(typed.scalar, Literal) and _cuts(type_):
        return Cast(Literal(typed.scalar.value, typed.scalar.type), type_, explicit=False)
    if typed.parameter is not None:  # it has no length; the column's is a matter of the assignment
        return assignment_cast(expressions.coerce(typed, type_.unrestricted, "INSERT"), type_)
    # A literal of unconstrained numeric has the scale that was written; the column has one of its own.
    return assignment_cast(expressions.coerce(typed, type_, "INSERT"), type_)


def check_assignable(source: ScalarType, target: ScalarType, column: str, position: int) -> None:
    if not can_cast(source, target, CastContext.ASSIGNMENT):
        raise DatatypeMismatch(
            f'column "{column}" is of type {base_name(target)} but expression is of type {base_name(source)}',
            hint="You will need to rewrite or cast the expression.",
            position=position,
        )


def assignment_cast(scalar: Scalar, type_: ScalarType) -> Scalar:
    return scalar if scalar.type == type_ else Cast(scalar, type_, explicit=False)
