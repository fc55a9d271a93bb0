"""Dates and timestamps: date_trunc, make_date, dates and numbers of days.  The time zone is UTC."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.buffers import truth, validity
from ....repr.types import DATE, INT4, TEXT, TIMESTAMP, TIMESTAMPTZ
from ...columns.arrays import array_of_numpy, both_valid, numpy_values
from ...columns.infinities import infinite
from ...columns.row_errors import Evaluated, same_error
from ...datetimes.datetime_input import (
    MAX_DATE,
    MICROS_PER_DAY,
    MIN_DATE,
    InputError,
    days_from_civil,
    days_in_month,
)
from ...tree.function import CallInfo, Datum, Kernel, Overload, as_array
from ..numbers.arithmetic import rows_where
from ..rowwise import rowwise
from .extract import FIELD_ALIASES, ZONE_FIELDS

Ints = npt.NDArray[np.int64]

# --- date_trunc --------------------------------------------------------------------------------------------------------

_TRUNC_MICROS = {
    "microseconds": 1,
    "milliseconds": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": MICROS_PER_DAY,
}
_TRUNC_YEARS = {"year": 1, "decade": 10, "century": 100, "millennium": 1000}
TRUNC_FIELDS = frozenset((*_TRUNC_MICROS, *_TRUNC_YEARS, "week", "month", "quarter"))


def truncate_micros(micros: Ints, field: str) -> Ints:
    """Timestamps cut to one of TRUNC_FIELDS."""
    if (unit := _TRUNC_MICROS.get(field)) is not None:
        return micros - micros % unit
    days = micros // MICROS_PER_DAY
    if field == "week":
        return (days - (days + 3) % 7) * MICROS_PER_DAY
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    if field in ("month", "quarter"):
        step = 1 if field == "month" else 3
        start = months - months % step
    else:
        span = _TRUNC_YEARS[field]
        year = months // 12 + 1970
        # Centuries and millennia begin with year 1 (and end with year -1); decades with a year ending in 0.
        first = (year - 1) // span * span + 1 if span >= 100 else year // span * span
        start = (first - 1970) * 12
    day: Ints = start.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return day * MICROS_PER_DAY


def _date_trunc(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    array = as_array(args[1], info.length)
    micros = numpy_values(array)
    endless = infinite(array)
    fields = args[0] if isinstance(args[0], pa.Array) else pa.array([args[0].as_py()])
    names = [None if name is None else name.lower() for name in fields.unique().to_pylist()]
    result = np.zeros(info.length, np.int64)
    valid = both_valid(validity(array), validity(fields) if len(fields) == info.length else None)
    failed = np.zeros(info.length, np.bool_)
    bad_field = ""
    for name in names:
        if name is None:
            continue
        field = FIELD_ALIASES.get(name, name)
        rows: Any = slice(None)
        if len(fields) == info.length:
            rows = truth(pc.equal(pc.ascii_lower(fields), name))
        if field in TRUNC_FIELDS:
            result[rows] = truncate_micros(micros[rows], field)
            if endless is not None:
                result = np.where(endless, micros, result)
        else:
            failed[rows] = True
            bad_field = name
    failures = rows_where(failed, array)
    if not len(failures):
        return Evaluated(array_of_numpy(result, valid, info.result.arrow))
    known = bad_field in ZONE_FIELDS
    message = f'unit "{bad_field}" {"not supported" if known else "not recognized"} for type {info.result}'
    errors = same_error(failures, "0A000" if known else "22023", message)
    return Evaluated(array_of_numpy(result, both_valid(valid, ~failed), info.result.arrow), errors)


# --- arithmetic ----------------------------------------------------------------------------------------------------------


def _shifted(sign: int, date_first: bool = True) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        left, right = (as_array(datum, info.length) for datum in args)
        dates, counts = (left, right) if date_first else (right, left)
        first = numpy_values(dates).astype(np.int64)
        days = first + sign * numpy_values(counts).astype(np.int64)
        if (endless := infinite(dates)) is not None:
            days = np.where(endless, first, days)
        wrong = (days < MIN_DATE) | (days > MAX_DATE)
        if endless is not None:
            wrong &= ~endless
        valid = both_valid(validity(left), validity(right))
        rows = rows_where(wrong, left, right)
        if len(rows):
            valid = both_valid(valid, ~wrong)
            days = np.where(wrong, 0, days)
        return Evaluated(
            array_of_numpy(days.astype(np.int32), valid, pa.date32()),
            same_error(rows, "22008", "date out of range"),
        )

    return kernel


def _days_between(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    left, right = (as_array(datum, info.length) for datum in args)
    days = numpy_values(left).astype(np.int64) - numpy_values(right)
    valid = both_valid(validity(left), validity(right))
    wrong = np.zeros(info.length, np.bool_)
    for array in (left, right):
        if (endless := infinite(array)) is not None:
            wrong |= endless
    rows = rows_where(wrong, left, right)
    if len(rows):
        valid = both_valid(valid, ~wrong)
    return Evaluated(
        array_of_numpy(days.astype(np.int32), valid, pa.int32()),
        same_error(rows, "22008", "cannot subtract infinite dates"),
    )


def _make_date(year: int, month: int, day: int) -> int:
    astronomical = year if year > 0 else year + 1
    if year == 0 or not 1 <= month <= 12 or not 1 <= day <= days_in_month(astronomical, month):
        raise InputError(
            "22008", f"date field value out of range: {astronomical if year else 0}-{month:02d}-{day:02d}"
        )
    days = days_from_civil(astronomical, month, day)
    if not MIN_DATE <= days <= MAX_DATE:
        raise InputError("22008", f"date out of range: {year}-{month:02d}-{day:02d}")
    return days


_STAMPS = (TIMESTAMP, TIMESTAMPTZ)

OVERLOADS: dict[str, list[Overload]] = {
    "add": [
        Overload((DATE, INT4), DATE, _shifted(1), can_fail=True),
        Overload((INT4, DATE), DATE, _shifted(1, date_first=False), can_fail=True),
    ],
    "subtract": [
        Overload((DATE, INT4), DATE, _shifted(-1), can_fail=True),
        Overload((DATE, DATE), INT4, _days_between, can_fail=True),
    ],
    "date_trunc": [Overload((TEXT, stamp), stamp, _date_trunc, can_fail=True) for stamp in _STAMPS],
    "make_date": [Overload((INT4, INT4, INT4), DATE, rowwise(_make_date), can_fail=True)],
}
