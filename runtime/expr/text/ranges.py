"""Ranges from their bounds: PostgreSQL's make_range, whole columns at once.

Ranges of integers and dates are discrete, and have one canonical form, `[low, high)`: an excluded lower bound and an
included upper one move to the next value, which must exist.  The infinite dates have no next one and stay as they are.
A range whose bounds are one value that not both include is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...repr import ranges
from ...repr.buffers import validity
from ...repr.ranges import ABOVE_ALL, AT, BELOW_ALL, JUST_ABOVE, JUST_BELOW, Ranges
from ...repr.types import Kind, ScalarType
from ..columns.arrays import array_of_numpy, numpy_values
from ..columns.infinities import DATE_INFINITY, DATE_MINUS_INFINITY
from ..columns.row_errors import Evaluated, Mask, merge_errors, same_error
from ..datetimes.datetime_input import MAX_DATE

_OVERFLOW = {
    Kind.INT4RANGE: ((1 << 31) - 1, "22003", "integer out of range"),
    Kind.INT8RANGE: ((1 << 63) - 1, "22003", "bigint out of range"),
    Kind.DATERANGE: (MAX_DATE, "22008", "date out of range"),
}
"""Of discrete ranges: the last value, which no other comes after, and the error of asking for the next."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of n ranges on one end: `values` of the subtype, NULL where there is none, and which are included."""

    values: pa.Array
    included: Mask


def make_ranges(
    low: Bounds, high: Bounds, type_: ScalarType, valid: Mask, empty: Mask | None = None
) -> Evaluated:
    """The ranges of `type_` between the bounds, those of `empty` empty whatever these are; NULL outside `valid`.

    22000 where the lower bound is above the upper one, 22003 or 22008 where the canonical form would need a value
    beyond the type's.
    """
    lows = ranges.places(low.values, np.where(low.included, AT, JUST_ABOVE), BELOW_ALL)
    highs = ranges.places(high.values, np.where(high.included, AT, JUST_BELOW), ABOVE_ALL)
    # Bounds at one value are in order whatever the sides are.
    crossed = valid & (ranges.at_values(lows) > ranges.at_values(highs))
    empty = lows > highs if empty is None else empty | (lows > highs)
    good = valid & ~crossed
    errors = same_error(
        np.flatnonzero(crossed), "22000", "range lower bound must be less than or equal to range upper bound"
    )
    if type_.kind in _OVERFLOW:
        last, sqlstate, message = _OVERFLOW[type_.kind]
        wanted = good & ~empty
        values, moved, failed = _next_values(low.values, wanted & ~low.included, last)
        values_above, moved_above, failed_above = _next_values(high.values, wanted & high.included, last)
        if moved.any():
            lows = ranges.places(values, np.where(low.included | moved, AT, JUST_ABOVE), BELOW_ALL)
        if moved_above.any():
            sides = np.where(high.included & ~moved_above, AT, JUST_BELOW)
            highs = ranges.places(values_above, sides, ABOVE_ALL)
        failed = failed | failed_above
        good &= ~failed
        errors = merge_errors([errors, same_error(np.flatnonzero(failed), sqlstate, message)])
        empty |= lows > highs
    return Evaluated(ranges.put_together(Ranges(lows, highs, empty), None if good.all() else good), errors)


def _next_values(values: pa.Array, rows: Mask, last: int) -> tuple[pa.Array, Mask, Mask]:
    """The values, those of `rows` one further where there is a next one; which moved, and which could not."""
    if not rows.any():
        return values, rows, rows
    present = validity(values)
    if present is not None:
        rows = rows & present
    numbers = numpy_values(values)
    if values.type == pa.date32():
        rows = rows & (numbers != DATE_INFINITY) & (numbers != DATE_MINUS_INFINITY)
    failed = rows & (numbers >= last)
    moved = rows & ~failed
    if moved.any():
        values = array_of_numpy(numbers + moved.astype(numbers.dtype), present, values.type)
    return values, moved, failed
