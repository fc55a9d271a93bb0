"""CREATE SECRET and ALTER SECRET: the value is computed here, and is in no message, whatever goes wrong.

A value is a text (its bytes are UTF-8) or a bytea.  It is a constant expression: literals, parameters, `decode(...)` and the like.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...errors import DataError, DatatypeMismatch, InvalidParameter, PtvcError, QueryCanceled, Unsupported
from ...expr.coercion.type_rules import base_name
from ...expr.cost import check_cheap
from ...expr.evaluate import evaluate
from ...expr.tree.scalar import Cast, Scalar
from ...repr.types import TEXT, Kind
from ..calls.external_calls import refuse_external
from ..catalog.named_types import find_any
from ..catalog.names import new_name
from ..plans.connection_plans import AlterSecret, CreateSecret
from ..plans.session_plans import NoOp
from ..query.planner import Planner
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.scope import Scope
from ..syntax import ast
from ..syntax.connection_statements import AlterSecretStatement, CreateSecretStatement
from ..syntax.secret_text import NOT_REPEATED
from ..syntax.vocabulary import ObjectKind
from .skipping import absent

T = TypeVar("T")

MOST_BYTES = 512 << 10
"""Of a value."""


def create(planner: Planner, node: CreateSecretStatement) -> CreateSecret:
    name = new_name(node.name, planner.context)
    if name.schema == planner.context.temp_schema:
        raise Unsupported("temporary secrets are not supported", position=node.name.position)
    return CreateSecret(name, _value(planner, node.value, name.name), node.if_not_exists)


def alter(planner: Planner, node: AlterSecretStatement) -> AlterSecret | NoOp:
    item = find_any(ObjectKind.SECRET, node.name, planner.context)
    if item is None:
        return absent(ObjectKind.SECRET, node.name, node.if_exists, planner.context)
    return AlterSecret(item.id, _value(planner, node.value, item.name.name))


def _value(planner: Planner, node: ast.Expression, name: str) -> bytes:
    """While the statement is described its parameters have no values yet, and so has it none."""
    scalar = _hidden(lambda: _expression(planner, node), name)
    kind = scalar.type.kind
    if kind is not Kind.BYTEA and not scalar.type.is_string_category:
        raise DatatypeMismatch(
            f'secret "{name}" is of type text or bytea, not {base_name(scalar.type)}',
            hint="Cast the value to text.",
        )
    if planner.describing:
        return b""
    value = _hidden(lambda: _evaluated(scalar), name)
    if value is None:
        raise DataError(f'secret "{name}" must not be NULL', sqlstate="22004")
    found = value.encode() if isinstance(value, str) else value
    if len(found) > MOST_BYTES:
        raise InvalidParameter(
            f'secret "{name}" has {len(found)} bytes', hint=f"A secret has {MOST_BYTES} at most."
        )
    return found


def _expression(planner: Planner, node: ast.Expression) -> Scalar:
    expressions = Expressions(planner, Scope(None), build.UNIT, "SECRET")
    expressions.allow_subqueries = False
    planner.maintained, planner.defining = True, "a secret"
    typed = expressions.resolve(node)
    scalar = expressions.coerce(typed, TEXT, "SECRET") if typed.unknown else typed.scalar
    refuse_external(scalar, "SECRET")
    return scalar


def _evaluated(scalar: Scalar) -> str | bytes | None:
    if scalar.type.kind is not Kind.BYTEA and scalar.type != TEXT:
        scalar = Cast(scalar, TEXT)
    check_cheap(scalar, "the value of a secret")
    found = evaluate(scalar, (), 1)
    if found.errors is not None and len(found.errors.indices):
        raise PtvcError(found.errors.messages[0].as_py(), sqlstate=found.errors.sqlstates[0].as_py())
    value: str | bytes | None = found.values[0].as_py()
    return value


def _hidden(work: Callable[[], T], name: str) -> T:
    """What `work()` returns; an error of it says only that there is one, for its message may have the value in it."""
    try:
        return work()
    except QueryCanceled:
        raise
    except Exception as error:  # whatever it is: a defect's message, in the log, would have it as well
        sqlstate = error.sqlstate if isinstance(error, PtvcError) else "XX000"
        raise PtvcError(
            f'the value of secret "{name}" cannot be computed',
            sqlstate=sqlstate,
            hint=f"It is a constant expression of type text or bytea. {NOT_REPEATED}",
        ) from None
