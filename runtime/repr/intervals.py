"""Intervals: months, days and microseconds, three numbers that no calendar lets one add up.

A column of intervals is fixed-size binary of 16 bytes a value, PostgreSQL's own layout, little-endian:

    microseconds int64 | days int32 | months int32

Two intervals compare by their *span*, a month counting 30 days and a day 24 hours, so that '1 mon' = '30 days' =
'720 hours' though they print differently: equal as keys, different as stored rows, like 0.0 and -0.0.  A span has 73 bits;
`spans` cuts it into whole days and the rest of a day.

Why not Arrow's month_day_nano: it has no kernels, no place in Parquet, and nanoseconds hold 292 years where PostgreSQL's
microseconds hold 292,000.  Why not a struct: its values are no Python values that can be hashed, and most kernels refuse
it.  Fixed-size binary is taken, concatenated, chosen from, stored and sent by every one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from . import buffers

ARROW = pa.binary(16)
LAYOUT = np.dtype([("micros", "<i8"), ("days", "<i4"), ("months", "<i4")])
MICROS_PER_DAY = 86_400_000_000
DAYS_PER_MONTH = 30
_INT32 = 1 << 31

Ints = npt.NDArray[np.int64]


def is_interval(type_: pa.DataType) -> bool:
    return bool(type_.id == buffers.FIXED_BINARY and type_.byte_width == 16)


def records(column: pa.Array) -> npt.NDArray[np.void]:
    """The values as records of LAYOUT, without a copy; those of NULLs are arbitrary."""
    data = column.buffers()[1]
    if data is None or not len(column):
        return np.zeros(len(column), LAYOUT)
    return np.frombuffer(data, LAYOUT, len(column), column.offset * 16)


def parts(column: pa.Array) -> tuple[Ints, Ints, Ints]:
    """(months, days, microseconds), each int64[n] of its own."""
    found = records(column)
    return found["months"].astype(np.int64), found["days"].astype(np.int64), found["micros"].astype(np.int64)


def from_parts(months: Ints, days: Ints, micros: Ints, valid: npt.NDArray[np.bool_] | None) -> pa.Array:
    """A column of intervals; rows outside `valid` are NULL.  The parts fit int32, int32, int64."""
    found = np.empty(len(micros), LAYOUT)
    found["months"], found["days"], found["micros"] = months, days, micros
    mask = None if valid is None or valid.all() else pa.array(valid).buffers()[1]
    return pa.Array.from_buffers(ARROW, len(found), [mask, pa.py_buffer(found)])


def spans(column: pa.Array) -> tuple[Ints, Ints]:
    """(whole days, microseconds in [0, a day)): the span of each value, rounded down to days, and the rest."""
    months, days, micros = parts(column)
    whole, rest = np.divmod(micros, MICROS_PER_DAY)
    whole += months * DAYS_PER_MONTH + days
    return whole, rest


def canonical(column: pa.Array) -> pa.Array:
    """The one representative of all intervals of a span: days and time of one sign, no months unless the days would not
    fit into 32 bits."""
    whole, rest = spans(column)
    inward = (whole < 0) & (rest > 0)
    whole = whole + inward
    rest = rest - inward * MICROS_PER_DAY
    fits = (whole >= -_INT32) & (whole < _INT32)
    months = np.where(fits, 0, np.trunc(whole / DAYS_PER_MONTH).astype(np.int64))
    months = np.clip(months, -_INT32, _INT32 - 1)
    left = whole - months * DAYS_PER_MONTH
    days = np.clip(left, -_INT32, _INT32 - 1)  # infinity has more: it stays infinity
    return from_parts(months, days, rest + (left - days) * MICROS_PER_DAY, buffers.validity(column))
