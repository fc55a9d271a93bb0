"""Literals as they are written, and as one of a type."""

from __future__ import annotations

from decimal import Context, Decimal

from ..errors import (
    PtvcError,
)
from ..expr.scalar import Literal
from ..repr.types import derived_numeric

_EXACT = Context(prec=80)
"""Python's own default rounds to 28 digits."""


def decimal_literal(text: str, position: int) -> Literal:
    value = Decimal(text)
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = max(0, -exponent)
    if len(digits) + max(0, exponent) > 38 or scale > 38:
        raise PtvcError(
            f'numeric constant "{text}" has more than 38 digits', sqlstate="22003", position=position
        )
    return Literal(value.quantize(Decimal(1).scaleb(-scale), context=_EXACT), derived_numeric(scale))
