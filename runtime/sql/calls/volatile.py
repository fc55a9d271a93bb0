"""Functions that give another value at each call: `random()`, `gen_random_uuid()`.

A call that is made once in an execution, in VALUES or in a SELECT without FROM, is a literal that planning draws; such a
plan holds for one execution, so it is not cached.  One that would be made for each of many rows is refused, and so is one
in a definition, whose contents must be a function of its inputs.
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import UndefinedFunction, Unsupported
from ...expr.coercion.type_rules import base_name
from ...expr.tree.scalar import Literal
from ...repr.types import FLOAT8, UUID, ScalarType
from ..scalars import build
from ..syntax import ast

if TYPE_CHECKING:
    from ..scalars.expressions import Expressions

_MANTISSA = 53


def _random() -> float:
    """Uniform in [0, 1): every multiple of 2^-53 is as likely."""
    return secrets.randbits(_MANTISSA) / (1 << _MANTISSA)


def _uuid() -> bytes:
    """Version 4: 122 random bits."""
    return uuid.UUID(bytes=secrets.token_bytes(16), version=4).bytes


VOLATILE: dict[str, tuple[Callable[[], object], ScalarType]] = {
    "random": (_random, FLOAT8),
    "gen_random_uuid": (_uuid, UUID),
    "uuidv4": (_uuid, UUID),
}


def drawn(expressions: Expressions, name: str, node: ast.Function) -> Literal:
    """The value of the call `node` of a function of VOLATILE."""
    planner = expressions.planner
    draw, type_ = VOLATILE[name]
    if node.args:
        types = [expressions.resolve_raw(arg) for arg in node.args]
        if name == "random" and len(types) == 2:
            raise Unsupported("random(min, max) is not supported", position=node.position)
        listed = ", ".join(base_name(None if arg.unknown else arg.scalar.type) for arg in types)
        raise UndefinedFunction(f"function {name}({listed}) does not exist", position=node.position)
    if planner.maintained:
        raise Unsupported(
            f"{name}() is not allowed in {planner.defining}: its value is another each time",
            hint="Insert generated values into a table.",
            position=node.position,
        )
    if expressions.scope.columns or expressions.scope.tables or expressions.relation != build.UNIT:
        raise Unsupported(
            f"{name}() is supported in VALUES and in SELECT without FROM only",
            hint="Generate values for many rows in the client, or by VALUES.",
            position=node.position,
        )
    planner.context.hold_once()
    return Literal(draw(), type_)
