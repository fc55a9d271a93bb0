"""Literals as they are written, and as one of a type."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation

from ...expr.tree.scalar import Cast, Literal
from ...repr.types import NUMERIC, TEXT, derived_numeric

_EXACT = Context(prec=80)
"""Python's own default rounds to 28 digits."""


def decimal_literal(text: str) -> Literal | Cast:
    """A number with a point or an exponent, or an integer that no integer type holds.

    What has more digits than `numeric` holds stays a text that becomes one: beside a float, it becomes a float instead
    (see expr/evaluate.py), and where it has to be a numeric it is error 22003.
    """
    try:
        value = Decimal(text)
    except InvalidOperation:  # an exponent that Decimal does not take
        return Cast(Literal(text, TEXT), NUMERIC)
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = max(0, -exponent)
    if len(digits) + max(0, exponent) > 38 or scale > 38:
        return Cast(Literal(text, TEXT), NUMERIC)
    return Literal(value.quantize(Decimal(1).scaleb(-scale), context=_EXACT), derived_numeric(scale))
