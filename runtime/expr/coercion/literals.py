"""Coercion of expressions to a type: untyped literals are parsed, everything else is cast."""

from __future__ import annotations

import datetime
from decimal import Context, Decimal
from typing import Any

import pyarrow as pa

from ...errors import DataError, DatatypeMismatch
from ...repr.types import NESTED, NUMERIC, NUMERIC_MAX_PRECISION, TEXT, Kind, ScalarType, derived_numeric
from ..tree.scalar import Cast, Literal, Scalar
from .session_zone import read_text
from .type_rules import CastContext, as_kind, base_name, can_cast

WIDE = Context(prec=200)
"""Decimal arithmetic wide enough for every numeric that exists here."""


def coerce_unknown(literal: Scalar, type_: ScalarType) -> Scalar:
    """An untyped literal (text or NULL) as a literal of `type_`, its text parsed as that type's input.

    For `numeric` without a scale the literal keeps the digits it was written with.  A date that Python cannot hold, as
    'infinity', stays a cast, which kernels compute.  Raises DataError when the text is not valid input (22P02, 22003,
    22007, ...).
    """
    assert isinstance(literal, Literal)
    if literal.value is None or type_ == TEXT:
        return Literal(literal.value, type_)  # a text of any length, as it is
    if type_.kind is Kind.NUMERIC and type_.precision is None:
        return _numeric_literal(literal.value)
    parsed = _parse(literal.value, type_)
    try:
        return Literal(python_value(parsed), type_)
    except ValueError:
        return Cast(literal, type_)


def _parse(text: str, type_: ScalarType) -> pa.Scalar:
    parsed = read_text(pa.array([text], pa.string()), type_)
    if parsed.errors is not None:
        raise DataError(parsed.errors.messages[0].as_py(), sqlstate=parsed.errors.sqlstates[0].as_py())
    return parsed.values[0]


def _numeric_literal(text: str) -> Literal:
    value: Decimal = _parse(text, NUMERIC).as_py()
    exact = value.normalize(WIDE)
    scale = max(0, -int(exact.as_tuple().exponent), _written_scale(text))
    if scale <= NUMERIC_MAX_PRECISION and abs(value) < 10 ** (NUMERIC_MAX_PRECISION - scale):
        return Literal(value.quantize(Decimal(1).scaleb(-scale), context=WIDE), derived_numeric(scale))
    return Literal(value, NUMERIC)


def _written_scale(text: str) -> int:
    mantissa = text.strip().lower().partition("e")[0]
    digits = mantissa.partition(".")[2]
    return len(digits) if digits.isdigit() and "e" not in text.lower() else 0


def python_value(value: pa.Scalar) -> Any:
    """The Python value of an Arrow scalar, in the form that a `Literal` holds.

    Raises ValueError for a date or timestamp outside years 1 to 9999, which Python cannot hold.
    """
    try:
        result = value.as_py()
    except OverflowError as error:
        raise ValueError(str(error)) from error
    if isinstance(result, datetime.datetime) and result.tzinfo is not None:
        return result.astimezone(datetime.UTC)
    return result


def any_value(value: pa.Scalar) -> Any:
    """As `as_py`, except that times which Python's calendar lacks are counts since 1970."""
    try:
        return value.as_py()
    except (OverflowError, ValueError):
        if isinstance(value, pa.ListScalar):
            return [any_value(element) for element in value.values]
        if isinstance(value, pa.StructScalar):
            return {name: any_value(field) for name, field in value.items()}
        return value.value


def coerce_argument(arg: Scalar, unknown: bool, target: ScalarType) -> Scalar:
    """The argument as the kind of `target`: an untyped literal parsed, anything else cast implicitly.

    Where `target` leaves a numeric's scale open, the argument keeps its own.
    """
    if unknown:
        return coerce_unknown(arg, target)
    if target.kind in NESTED and arg.type.kind is target.kind:
        return arg  # the functions that take arrays take them of any element
    open_ended = target.kind not in NESTED and target == ScalarType(target.kind)
    return cast_to(arg, as_kind(arg.type, target.kind) if open_ended else target)


def cast_to(arg: Scalar, target: ScalarType) -> Scalar:
    """`arg` as exactly `target`, by a cast where its type differs; NULL literals just change their type."""
    if arg.type == target:
        return arg
    if isinstance(arg, Literal) and arg.value is None:
        return Literal(None, target)
    return Cast(arg, target)


def coerce(
    arg: Scalar, unknown: bool, target: ScalarType, context: CastContext = CastContext.IMPLICIT
) -> Scalar:
    """`arg` as `target` where the context allows it; raises DatatypeMismatch where it does not.

    An assignment cast is marked so in the result: it refuses a varchar that is too long.
    """
    if unknown:
        return coerce_unknown(arg, target)
    if not can_cast(arg.type, target, context):
        raise DatatypeMismatch(
            f"cannot cast type {base_name(arg.type)} to {base_name(target)}", sqlstate="42846"
        )
    if arg.type == target or (isinstance(arg, Literal) and arg.value is None):
        return cast_to(arg, target)
    return Cast(arg, target, explicit=context is CastContext.EXPLICIT)
