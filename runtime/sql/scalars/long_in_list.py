"""`x IN (...)` of many constants: what `x = ANY (array)` says, with one constant array for all of them.

Of plain literals one tells what type all are compared as; the others are then parsed as a column.  A rule of the optimizer looks at
one node, however long the list is.  Whatever is not so simple takes the ordinary way, an expression for each item, which
knows every rule and where each error stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...expr.tree.scalar import Call, Cast, Literal, Scalar
from ...repr.types import BOOL, NESTED, TEXT, Kind, ScalarType, array_of
from ..parser.query import spelled_out
from ..syntax import ast
from ..syntax.literal_rows import MIN_ROWS, LiteralRows
from .literal_columns import natural_type, values
from .typed import Typed

if TYPE_CHECKING:
    from .expressions import Expressions


def among_literals(expressions: Expressions, arg: Typed, node: ast.InList) -> Typed | None:
    """Whether `arg` is one of the literals of `node`; None where that takes the ordinary way."""
    assert node.literals is not None
    (cells,) = node.literals.columns
    sample = _sample(cells, node.position)
    if sample is None:
        return None
    compared = expressions.apply("in", (arg, expressions.resolve(sample)), node.position).scalar
    if not isinstance(compared, Call) or compared.function != "in":
        return None
    subject, item = compared.args
    type_ = item.type
    if not _is_literal(item) or type_.kind in NESTED or type_.kind is Kind.NUMERIC:
        return None
    items = values(cells, type_)
    if items is None or subject.type != type_:
        return None
    nullable = subject.nullable or None in items
    return Typed(Call("any_eq", (subject, Literal(items, array_of(type_))), BOOL, nullable))


def among_constants(found: Typed) -> Typed:
    """The same, where `found` says IN of many constants, as which an execution's parameters come."""
    call = found.scalar
    if not isinstance(call, Call) or call.function != "in" or len(call.args) <= MIN_ROWS:
        return found
    subject, *items = call.args
    type_ = items[0].type
    if type_.kind in NESTED or type_.kind is Kind.NUMERIC or subject.type != type_:
        return found
    constants = [_constant(item, type_) for item in items]
    if None in constants:
        return found
    values = [constant.value for constant in constants if constant is not None]
    nullable = subject.nullable or None in values
    return Typed(Call("any_eq", (subject, Literal(values, array_of(type_))), BOOL, nullable))


def _constant(item: Scalar, type_: ScalarType) -> Literal | None:
    constant = item.arg if isinstance(item, Cast) else item
    if isinstance(constant, Literal) and item.type == type_ and _is_literal(item):
        return constant
    return None


def _is_literal(item: Scalar) -> bool:
    """A literal of the type that is compared, or an integer that is widened to it: of the wider type it reads the same."""
    if isinstance(item, Cast):
        return isinstance(item.arg, Literal) and item.arg.type.is_integer and item.type.is_integer
    return isinstance(item, Literal)


def items_of(node: ast.InList) -> tuple[ast.Expression, ...]:
    """An expression for each item."""
    if node.literals is None:
        return node.items
    return _each(node.literals, node.position)


def _each(literals: LiteralRows, position: int) -> tuple[ast.Expression, ...]:
    (row,) = spelled_out(ast.ValuesBody((), position, literals)).rows
    return row


def _sample(cells: tuple[str, ...], position: int) -> ast.Expression | None:
    """A literal that says of what type all are."""
    natural = natural_type(cells)
    if natural is None:
        return None
    written = [cell for cell in cells if cell[0] not in "nN"]
    if natural == TEXT:
        return ast.String(written[0][1:-1].replace("''", "'"), position)
    if natural == BOOL:
        return ast.Boolean(written[0][0] in "tT", position)
    return ast.Integer(max(map(int, written), key=abs), position)
