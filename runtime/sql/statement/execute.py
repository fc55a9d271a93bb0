"""EXECUTE: a prepared statement is found, and its arguments become values of its parameters.

An argument is an expression without columns and subqueries; it is converted as in an assignment, and computed before the
statement is planned, so that the plan for all values does.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ...errors import DatatypeMismatch, PtvcError, SqlSyntaxError, Unsupported
from ...expr.coercion.literals import any_value
from ...expr.coercion.session_zone import in_current_zone
from ...expr.coercion.type_rules import CastContext, base_name, can_cast
from ...expr.cost import check_cheap
from ...expr.evaluate import evaluate
from ...expr.tree.scalar import ColumnRef, Literal, Scalar, walk
from ...repr.types import ScalarType
from ..calls.external_calls import refuse_external
from ..plans import session_plans
from ..query.planner import Planner
from ..scalars import build
from ..scalars.assignments import assignment_cast, untyped_literal
from ..scalars.expressions import Expressions
from ..scalars.scope import Scope
from ..scalars.typed import at
from ..syntax import ast
from ..syntax.session_statements import ExecuteStatement

CLAUSE = "EXECUTE parameters"


def execute(planner: Planner, node: ExecuteStatement) -> session_plans.Execute:
    """Raises 26000 without such a statement, 42601 for too many or too few arguments, 42804 for one of a wrong type.

    To be described, a statement needs no arguments: they are not looked at.
    """
    prepared = planner.context.prepared.get(node.name)
    if planner.describing:
        return session_plans.Execute(prepared, ())
    if prepared is None:
        raise PtvcError(f'prepared statement "{node.name}" does not exist', sqlstate="26000")
    types = prepared.parameter_types
    if len(node.arguments) != len(types):
        raise SqlSyntaxError(
            f'wrong number of parameters for prepared statement "{node.name}"',
            detail=f"Expected {len(types)} parameters but got {len(node.arguments)}.",
        )
    return session_plans.Execute(prepared, arguments(planner, node.arguments, types))


def arguments(
    planner: Planner, nodes: Sequence[ast.Expression], types: Sequence[ScalarType]
) -> tuple[Literal, ...]:
    """What the arguments come to, each of its parameter's type; raises the first error that one of them has."""
    expressions = Expressions(planner, Scope(None), build.UNIT, CLAUSE)
    expressions.allow_subqueries = False
    pairs = enumerate(zip(nodes, types, strict=True), 1)
    scalars = [_argument(expressions, node, number, type_) for number, (node, type_) in pairs]
    return tuple(Literal(_value(scalar), type_) for scalar, type_ in zip(scalars, types, strict=True))


def _argument(expressions: Expressions, node: ast.Expression, number: int, type_: ScalarType) -> Scalar:
    with at(node.position):
        typed = expressions.resolve(node)
        if typed.unknown:
            return untyped_literal(expressions, typed, type_)
        source = typed.scalar.type
        if not can_cast(source, type_, CastContext.ASSIGNMENT):
            raise DatatypeMismatch(
                f"parameter ${number} of type {base_name(source)} cannot be coerced to the expected type "
                f"{base_name(type_)}",
                hint="You will need to rewrite or cast the expression.",
            )
        if any(isinstance(part, ColumnRef) for part in walk(typed.scalar)):
            raise Unsupported(
                f"a look-up in the catalogs is not supported in {CLAUSE}",
                hint="Look the value up before, or within the statement.",
            )
        refuse_external(typed.scalar, CLAUSE)
        return assignment_cast(typed.scalar, type_)


def _value(scalar: Scalar) -> object:
    check_cheap(scalar, f"an argument of {CLAUSE}")
    result = evaluate(in_current_zone(scalar), (), 1)
    if result.errors is not None and len(result.errors.indices):
        raise PtvcError(result.errors.messages[0].as_py(), sqlstate=result.errors.sqlstates[0].as_py())
    value: pa.Scalar = result.values[0]
    return any_value(value)
