"""Functions that give another value at each call: `random()`, `gen_random_uuid()`.

A call is a function of a seed and of the number of the row that it is made for (expr/functions/system/random_values.py): to number the rows, the
expression's relation gets a column.  Planning draws the seed; such a plan holds for one execution, so it is not cached.  In a
plain view and in a DEFAULT the seed is left open for each execution.  What is maintained must be a function of its inputs,
so there such calls are refused.

```
SELECT random() FROM t      ->  "random float8"(seed, n) over t with n = row_number() OVER ()
SELECT random()             ->  a literal
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import UndefinedFunction, Unsupported
from ...expr.coercion.type_rules import base_name
from ...expr.functions.system.random_values import FLOAT, UUID_V4, new_seed
from ...expr.registry import resolve_call
from ...expr.tree.relation import Constant, Relation, Window, WindowCall
from ...expr.tree.scalar import ROW, Literal, PerExecution, Scalar
from ...repr.schema import Column, Schema
from ...repr.types import BYTEA, INT8
from ..syntax import ast
from . import build, per_execution
from .zone import fold

if TYPE_CHECKING:
    from .expressions import Expressions

VOLATILE = {"random": FLOAT, "gen_random_uuid": UUID_V4, "uuidv4": UUID_V4, "uuid_generate_v4": UUID_V4}
"""By what they are written as, their names in the registry."""


def drawn(expressions: Expressions, name: str, node: ast.Function) -> Scalar:
    """The value of the call `node` of a function of VOLATILE: the same each time that this node is asked for."""
    planner = expressions.planner
    if node.args:
        types = [expressions.resolve_raw(arg) for arg in node.args]
        if name == "random" and len(types) == 2:
            raise Unsupported("random(min, max) is not supported", position=node.position)
        listed = ", ".join(base_name(None if arg.unknown else arg.scalar.type) for arg in types)
        raise UndefinedFunction(f"function {name}({listed}) does not exist", position=node.position)
    known = expressions.draws.get(id(node))
    if known is None:
        refuse_in_maintained(expressions, name, node)
        planner.draws += 1
        row = row_of(expressions, f"{name}()", node.position)
        known = fold(resolve_call(VOLATILE[name], (_seed(expressions), row)))
        expressions.draws[id(node)] = known
    return known


def refuse_in_maintained(expressions: Expressions, name: str, node: ast.Function) -> None:
    planner = expressions.planner
    if planner.maintained and not planner.open:
        raise Unsupported(
            f"{name}() is not allowed in {planner.defining}: its value is another each time",
            hint="Insert generated values into a table; a plain view computes them at each read.",
            position=node.position,
        )


def _seed(expressions: Expressions) -> Scalar:
    if expressions.planner.open:
        return per_execution.open_seed()
    expressions.planner.context.hold_once()
    return Literal(new_seed(), BYTEA)


def row_of(expressions: Expressions, what: str, position: int) -> Scalar:
    """The number of the row that `what` is drawn for.  Raises Unsupported where rows cannot be numbered."""
    if expressions.scope.prefix:
        raise Unsupported(
            f"{what} in a subquery that looks at the queries around it is not supported",
            hint="Compute it in a derived table, and refer to its column.",
            position=position,
        )
    if expressions.clause == "DEFAULT expressions" and expressions.planner.open:
        return PerExecution(ROW, INT8)
    if expressions.relation == build.UNIT or expressions.clause == "functions in FROM":
        return build.int8(0)
    if not expressions.may_number:
        raise Unsupported(
            f"{what} is not supported in {expressions.clause}",
            hint="Compute it in a derived table, and refer to its column.",
            position=position,
        )
    numbering = expressions.numbering
    if numbering is None or numbering[0] is not expressions.relation:
        width = len(expressions.relation.schema)
        expressions.relation = with_numbers(expressions.relation)
        expressions.numbering = numbering = expressions.relation, width
    return build.ref(*numbering)


def with_numbers(relation: Relation) -> Relation:
    """The relation with a last column that differs between its rows, and between copies of one."""
    if isinstance(relation, Constant):
        rows = tuple((*row, number) for number, row in enumerate(relation.rows))
        return Constant(rows, Schema((*relation.schema.columns, Column("row", INT8, False))))
    call = WindowCall("row_number", (), INT8, "row", nullable=False)
    return Window(relation, (), (), (call,))


def default_value(expressions: Expressions, default: Scalar, column: str, position: int) -> Scalar:
    """A DEFAULT's value, for each row of `expressions`."""
    row: Scalar | None = None
    if per_execution.draws(default):
        row = row_of(expressions, f'the DEFAULT of column "{column}", which draws,', position)
    return per_execution.bound(expressions.planner, default, row)
