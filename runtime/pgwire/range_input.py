"""Ranges as clients send them in binary: flags, then an int32 length and the bytes of each bound that there is.

Many are cut one by one, and made of their bounds as one column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..expr.columns.row_errors import Evaluated, Mask, merge_errors
from ..expr.text.ranges import Bounds, make_ranges
from ..expr.text.text_format import from_text
from ..repr.types import Kind, ScalarType
from .codec import Body
from .fields import LOWER_INCLUDED, NO_LOWER, NO_UPPER, RANGE_EMPTY, UPPER_INCLUDED
from .numeric import numeric_text

Decode = Callable[[bytes, ScalarType], Any]


@dataclass(frozen=True, slots=True)
class RawRange:
    """`low` and `high` are as pyarrow takes them for the subtype, numerics as their text; None where there is none."""

    flags: int
    low: Any
    high: Any


NULL_RANGE = RawRange(RANGE_EMPTY, None, None)


def cut_range(raw: bytes, type_: ScalarType, decode: Decode) -> RawRange:
    """One range; `decode` reads a value of the subtype.  Raises ProtocolViolation for a body that is too short or too
    long, and what `decode` raises."""
    body = Body(raw)
    (flags,) = body.take(1)
    bounds: list[Any] = []
    for missing in (NO_LOWER, NO_UPPER):
        if flags & (RANGE_EMPTY | missing):
            bounds.append(None)
            continue
        value = body.take(body.int32())
        numeric = type_.subtype.kind is Kind.NUMERIC
        bounds.append(numeric_text(value) if numeric else decode(value, type_.subtype))
    body.end()
    return RawRange(flags, *bounds)


def ranges_of(found: Sequence[RawRange], type_: ScalarType, valid: Mask) -> Evaluated:
    """The ranges as a column, NULL outside `valid`; errors are those of bounds that are in the wrong order or do not
    fit."""
    flags = np.array([one.flags for one in found], np.uint8)
    low = _values([one.low for one in found], type_.subtype)
    high = _values([one.high for one in found], type_.subtype)
    errors = merge_errors([low.errors, high.errors])
    if errors is not None:
        valid = valid.copy()
        valid[errors.indices] = False
    made = make_ranges(
        Bounds(low.values, flags & LOWER_INCLUDED != 0),
        Bounds(high.values, flags & UPPER_INCLUDED != 0),
        type_,
        valid,
        flags & RANGE_EMPTY != 0,
    )
    return Evaluated(made.values, merge_errors([errors, made.errors]))


def _values(bounds: list[Any], subtype: ScalarType) -> Evaluated:
    if subtype.kind is Kind.NUMERIC:
        return from_text(pa.array(bounds, pa.string()), subtype)
    return Evaluated(pa.array(bounds, subtype.arrow))
