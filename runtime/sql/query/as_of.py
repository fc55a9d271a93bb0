"""Times in statements: AS OF, and where a subscription ends.

A time counts milliseconds since 1970, or is an instant, of which whole milliseconds count.  Which one it is is known when the
statement is executed: parameters and `mz_now()` stand in it until then.
"""

from __future__ import annotations

from ...errors import DataError, DatatypeMismatch, PtvcError
from ...expr.coercion.type_rules import base_name
from ...expr.cost import check_cheap
from ...expr.evaluate import evaluate
from ...expr.temporal import scalar_at
from ...expr.tree.scalar import Literal, Scalar
from ...persist.state import MAX_TIME
from ...repr.types import INT8, Kind
from ..calls.external_calls import refuse_external
from ..plans.query_plans import AsOf
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.now import as_time
from ..scalars.scope import Scope
from ..scalars.typed import at
from ..syntax import ast
from .planner import Planner


def plan_as_of(planner: Planner, node: ast.AsOf | None) -> AsOf | None:
    return None if node is None else AsOf(plan_time(planner, node.time, "AS OF"), node.at_least)


def plan_time(planner: Planner, node: ast.Expression, clause: str) -> Scalar:
    """A bigint, a timestamp or a timestamptz.  `clause` is for messages."""
    expressions = Expressions(planner, Scope(None), build.UNIT, clause)
    expressions.allow_subqueries = False
    with at(node.position):
        typed = expressions.resolve(node)
        refuse_external(typed.scalar, clause)
        time = as_time(expressions, typed, clause)
        if time is None:
            raise DatatypeMismatch(
                f"argument of {clause} must be a time, not type {base_name(typed.scalar.type)}",
                hint="It is a number of milliseconds since 1970, a timestamp, a date, or mz_now().",
            )
        if time.type.kind is Kind.NUMERIC:
            time = expressions.coerce(typed, INT8, clause)
    return time


def time_at(time: Scalar, now: int, clause: str = "AS OF") -> int:
    """The milliseconds that `plan_time` has planned; `mz_now()` is `now`.  Raises what its evaluation does, and DataError
    for what is no time."""
    scalar = scalar_at(time, now)
    check_cheap(scalar, f"the time of {clause}")
    found = evaluate(scalar, (), 1)
    if found.errors is not None and len(found.errors.indices):
        raise PtvcError(found.errors.messages[0].as_py(), sqlstate=found.errors.sqlstates[0].as_py())
    value = found.values.cast("int64")[0].as_py()
    if value is None:
        raise DataError(f"{clause} must not be NULL", sqlstate="22004")
    milliseconds = value if scalar.type == INT8 else value // 1000
    if not 0 <= milliseconds < MAX_TIME // 1000:
        shown = scalar.value if isinstance(scalar, Literal) else value
        raise DataError(f"{clause} {shown} is out of range", sqlstate="22008")
    return int(milliseconds)
