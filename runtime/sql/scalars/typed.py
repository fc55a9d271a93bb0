"""A typed expression that may still be what PostgreSQL calls an unknown literal: text or NULL whose type its context decides.

Where it stands in the statement is what errors point at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ...errors import PtvcError, UndefinedFunction, Unsupported
from ...expr.coercion.type_rules import base_name, common_type
from ...expr.tree.scalar import Literal, Scalar
from ...repr.types import Kind, ScalarType
from ..syntax import ast

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Typed:
    """`unknown`: a literal without a type.  `parameter`: a `$n` whose type is not known yet.  `position`: where a
    literal stands, for what is wrong with its text; otherwise 0."""

    scalar: Scalar
    unknown: bool = False
    parameter: int | None = None
    position: int = 0


def position_of_text(args: Sequence[Typed], message: str) -> int | None:
    """Where the untyped literal stands that an error names."""
    for arg in args:
        if arg.unknown and isinstance(arg.scalar, Literal) and f'"{arg.scalar.value}"' in message:
            return arg.position or None
    return None


class Positioned(Protocol):
    """What was written somewhere: at the 1-based `position`, or 0."""

    @property
    def position(self) -> int: ...


@contextmanager
def at(position: int) -> Iterator[None]:
    """Errors that pass through point at `position` unless they already point somewhere; 0 is nowhere."""
    try:
        yield
    except PtvcError as error:
        if error.position is None and position:
            error.position = position
        raise


def unified(types: Sequence[ScalarType | None], context: str, nodes: Sequence[Positioned] = ()) -> ScalarType:
    """As `common_type`; an error points at the first of `nodes` whose type does not fit those before it."""
    try:
        return common_type(types, context)
    except PtvcError as error:
        for count, node in enumerate(nodes, 1):
            try:
                common_type(types[:count], context)
            except PtvcError:
                error.position = node.position or None
                break
        raise


def refuse_operator(node: ast.Operator, args: Sequence[Typed]) -> None:
    """Operators of which PostgreSQL has more than we do, so that untyped literals choose none, or another."""
    if node.symbol in ("->", "->>", "#>", "#>>") and args[0].unknown:
        right = "unknown" if args[-1].unknown else base_name(args[-1].scalar.type)
        raise UndefinedFunction(
            f"operator is not unique: unknown {node.symbol} {right}",
            sqlstate="42725",
            hint="Could not choose a best candidate operator. You might need to add explicit type casts.",
            position=node.position,
        )
    if node.symbol == "@@" and not any(arg.scalar.type.kind is Kind.JSONB for arg in args):
        raise Unsupported("text search is not supported", position=node.position)
