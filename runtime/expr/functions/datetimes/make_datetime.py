"""make_time, make_timestamp, make_timestamptz, make_interval, to_date, to_timestamp: dates and times from numbers and
texts."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

import numpy as np

from ....repr.types import DATE, FLOAT8, INT4, INTERVAL, TEXT, TIME, TIMESTAMP, TIMESTAMPTZ
from ...columns.arrays import array_of_numpy, numpy_values
from ...columns.infinities import INFINITY, MINUS_INFINITY
from ...columns.row_errors import Evaluated, merge_errors
from ...datetimes.datetime_input import (
    MAX_TIMESTAMP,
    MICROS_PER_DAY,
    MIN_TIMESTAMP,
    InputError,
    days_from_civil,
    days_in_month,
)
from ...datetimes.datetime_scan import date_by_template, timestamp_by_template
from ...datetimes.zones import find_zone
from ...tree.function import CallInfo, Datum, Overload
from ..rowwise import rowwise
from .interval_results import INTERVAL_RANGE, OVERFLOW, all_valid, arrays, failures, listed_failures

_INT32, _INT64 = 1 << 31, 1 << 63
_EPOCH_SECONDS = 946_684_800
"""From 1970 to 2000, where PostgreSQL counts from: seconds are rounded to microseconds of its count."""


def _time(hour: int, minute: int, second: float) -> int:
    bad = not (0 <= hour <= 24 and 0 <= minute <= 59) or math.isnan(second) or not 0 <= second <= 60
    micros = 0 if bad else (hour * 60 + minute) * 60_000_000 + round(second * 1_000_000)
    if bad or micros > MICROS_PER_DAY:
        shown = "NaN" if math.isnan(second) else f"{second:02g}"
        raise InputError(OVERFLOW, f"time field value out of range: {hour}:{minute:02d}:{shown}")
    return micros


def _timestamp(year: int, month: int, day: int, hour: int, minute: int, second: float) -> int:
    astronomical = year if year > 0 else year + 1
    if year == 0 or not 1 <= month <= 12 or not 1 <= day <= days_in_month(astronomical, month):
        raise InputError(OVERFLOW, f"date field value out of range: {year}-{month:02d}-{day:02d}")
    micros = days_from_civil(astronomical, month, day) * MICROS_PER_DAY + _time(hour, minute, second)
    if not MIN_TIMESTAMP <= micros <= MAX_TIMESTAMP:
        shown = "NaN" if math.isnan(second) else f"{second:02g}"
        raise InputError(
            OVERFLOW, f"timestamp out of range: {year}-{month:02d}-{day:02d} {hour}:{minute:02d}:{shown}"
        )
    return micros


def _timestamptz(year: int, month: int, day: int, hour: int, minute: int, second: float, name: str) -> int:
    """The instant at which the clocks of a zone stand so."""
    local = _timestamp(year, month, day, hour, minute, second)
    offset = int(find_zone(name).at_local(np.array([local // 1_000_000]))[0])
    return local - offset * 1_000_000


def _interval(years: int, months: int, weeks: int, days: int, hours: int, mins: int, secs: float) -> bytes:
    if math.isnan(secs) or math.isinf(secs):
        raise InputError(OVERFLOW, INTERVAL_RANGE)
    if abs(secs) > 1e300:
        raise InputError("22003", "value out of range: overflow")
    total_months, total_days = years * 12 + months, weeks * 7 + days
    micros = round(secs * 1_000_000) + (hours * 60 + mins) * 60_000_000
    if not (
        -_INT32 <= total_months < _INT32 and -_INT32 <= total_days < _INT32 and -_INT64 <= micros < _INT64
    ):
        raise InputError(OVERFLOW, INTERVAL_RANGE)
    return struct.pack("<qii", micros, total_days, total_months)


def _from_seconds(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """Seconds since 1970, with a fraction."""
    (array,) = arrays(args, info)
    seconds, valid = numpy_values(array), all_valid((array,))
    with np.errstate(invalid="ignore", over="ignore"):
        exact = np.rint((seconds - _EPOCH_SECONDS) * 1e6)
        fits = np.abs(exact) < 2.0**63 - 1024
        micros = np.where(fits, exact, 0).astype(np.int64)
    infinite = np.isinf(seconds)
    far = ~fits | (micros > MAX_TIMESTAMP - _EPOCH_SECONDS * 1_000_000)
    micros = np.where(far, 0, micros + _EPOCH_SECONDS * 1_000_000)
    far |= micros < MIN_TIMESTAMP
    nan = np.isnan(seconds)
    micros = np.where(infinite, np.where(seconds > 0, INFINITY, MINUS_INFINITY), micros)
    outside = far & ~nan & ~infinite
    errors = merge_errors(
        [
            failures(nan, valid, "timestamp cannot be NaN"),
            listed_failures(outside, valid, lambda row: f'timestamp out of range: "{seconds[row]:g}"'),
        ]
    )
    if errors is not None:
        kept = np.ones(len(micros), np.bool_)
        kept[errors.indices] = False
        valid = kept if valid is None else valid & kept
    return Evaluated(array_of_numpy(micros, valid, info.result.arrow), errors)


_FIELDS = (INT4, INT4, INT4, INT4, INT4)

OVERLOADS: dict[str, list[Overload]] = {
    "make_time": [Overload((INT4, INT4, FLOAT8), TIME, rowwise(_time), can_fail=True)],
    "make_timestamp": [Overload((*_FIELDS, FLOAT8), TIMESTAMP, rowwise(_timestamp), can_fail=True)],
    "make_timestamptz": [
        Overload((*_FIELDS, FLOAT8), TIMESTAMPTZ, rowwise(_timestamp), can_fail=True),
        Overload((*_FIELDS, FLOAT8, TEXT), TIMESTAMPTZ, rowwise(_timestamptz), can_fail=True),
    ],
    "make_interval": [
        Overload((INT4,) * 6 + (FLOAT8,), INTERVAL, rowwise(_interval), can_fail=True),
    ],
    "to_timestamp": [
        Overload((FLOAT8,), TIMESTAMPTZ, _from_seconds, can_fail=True),
        Overload((TEXT, TEXT), TIMESTAMPTZ, rowwise(timestamp_by_template), can_fail=True),
    ],
    "to_date": [Overload((TEXT, TEXT), DATE, rowwise(date_by_template), can_fail=True)],
}
