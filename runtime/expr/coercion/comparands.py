"""What is compared with an unsigned integer or an mz_timestamp: in the form in which these are stored.

Beside an unsigned integer, a constant that its type holds is of that type.  Beside an mz_timestamp, numbers and instants
are times.  So the column itself is what is compared, and indexes and statistics know it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...repr.types import MZ_TIMESTAMP, UNSIGNED, Kind, ScalarType
from ..tree.scalar import Literal, Scalar
from .literals import cast_to

_SPECIAL = UNSIGNED | {Kind.MZ_TIMESTAMP}
_TIMES = frozenset((Kind.NUMERIC, Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ))


def comparands(args: Sequence[Scalar], unknown: Sequence[bool]) -> tuple[Scalar, ...]:
    """The arguments of a comparison; `unknown` are those that take their types from the others."""
    if not any(arg.type.kind in _SPECIAL for arg in args):
        return tuple(args)
    types = {arg.type for arg, flag in zip(args, unknown, strict=True) if not flag}
    if MZ_TIMESTAMP in types:
        return tuple(arg if flag else _as_time(arg) for arg, flag in zip(args, unknown, strict=True))
    stored = {arg.type for arg in args if arg.type.kind in UNSIGNED and not isinstance(arg, Literal)}
    return tuple(_held(arg, *stored) for arg in args) if len(stored) == 1 else tuple(args)


def _as_time(arg: Scalar) -> Scalar:
    return cast_to(arg, MZ_TIMESTAMP) if arg.type.is_integer or arg.type.kind in _TIMES else arg


def _held(arg: Scalar, type_: ScalarType) -> Scalar:
    if not isinstance(arg, Literal) or arg.value is None:
        return arg
    least, greatest = type_.integer_bounds
    if not (arg.type.is_integer or arg.type.kind is Kind.NUMERIC) or not least <= arg.value <= greatest:
        return arg
    return Literal(int(arg.value), type_) if arg.value == int(arg.value) else arg
