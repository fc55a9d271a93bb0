"""`x IN (...)` of many plain literals, as one constant array (see `expr.tree.constant_list`).

One of them tells what type all are compared as; the others are then parsed as a column.  A rule of the optimizer looks at
one node, however long the list is.  Whatever is not so simple takes the ordinary way, an expression for each item, which
knows every rule and where each error stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...expr.tree.constant_list import among, constant_of, is_listed
from ...expr.tree.scalar import Call
from ...repr.types import BOOL, TEXT
from ..parser.query import spelled_out
from ..syntax import ast
from ..syntax.literal_rows import LiteralRows
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
    if constant_of(item) is None or not is_listed(type_):
        return None
    items = values(cells, type_)
    if items is None or subject.type != type_:
        return None
    return Typed(among(subject, items))


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
