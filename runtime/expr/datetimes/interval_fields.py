"""What an interval type is restricted to: `interval day to second(3)`, `interval(0)`, `interval year to month`.

`ScalarType.length` is PostgreSQL's mask of the fields (a bit for each), `precision` the digits of a second that are kept.
Fields below the last are cut off; fields above the first are kept, as PostgreSQL keeps them.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...repr import intervals
from ...repr.buffers import validity
from ...repr.types import INTERVAL_BITS, ScalarType
from ..columns.arrays import both_valid
from ..columns.infinities import INFINITY
from ..columns.row_errors import Evaluated, same_error
from .interval_output import infinities

_SMALLEST = ("second", "minute", "hour", "day", "month", "year")
_MICROS = {"minute": 60_000_000, "hour": 3_600_000_000}


def last_field(type_: ScalarType) -> str:
    """The smallest field of the type: what a number without a unit counts."""
    if type_.length is None:
        return "second"
    return next(field for field in _SMALLEST if type_.length & 1 << INTERVAL_BITS[field])


def two_fields_are_minutes(type_: ScalarType) -> bool:
    """Whether `1:30` is minutes and seconds."""
    return type_.length == (1 << INTERVAL_BITS["minute"]) | (1 << INTERVAL_BITS["second"])


def restricted(array: pa.Array, type_: ScalarType) -> Evaluated:
    """Intervals cut and rounded to what the type keeps; one that rounding carries out of range is error 22008."""
    last = last_field(type_)
    precision = 6 if type_.precision is None else type_.precision
    if (last == "second" and precision >= 6) or not len(array):
        return Evaluated(array)
    months, days, micros = intervals.parts(array)
    wrong = np.zeros(len(array), np.bool_)
    if last in _MICROS:
        micros = np.sign(micros) * (np.abs(micros) // _MICROS[last] * _MICROS[last])
    elif last != "second":
        micros[:] = 0
    if last in ("month", "year"):
        days[:] = 0
    if last == "year":
        months = np.sign(months) * (np.abs(months) // 12 * 12)
    if precision < 6:
        unit = 10 ** (6 - precision)
        wrong = np.abs(micros).view(np.uint64) > np.uint64(INFINITY - unit // 2)
        micros = np.sign(micros) * ((np.abs(micros) + unit // 2) // unit * unit)
    if (found := infinities(array)) is not None:
        kept = found[0] | found[1]
        wrong &= ~kept
        months, days, micros = (
            np.where(kept, old, new)
            for old, new in zip(intervals.parts(array), (months, days, micros), strict=True)
        )
    valid = validity(array)
    rows = np.flatnonzero(wrong if valid is None else wrong & valid)
    if len(rows):
        valid = both_valid(valid, ~wrong)
    errors = same_error(rows, "22008", "interval out of range")
    return Evaluated(intervals.from_parts(months, days, micros, valid), errors)
