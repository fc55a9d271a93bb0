"""+ - * / of intervals, and between intervals, dates, times and timestamps.

Months are added first (to the same day of the month, or its last), then days, then microseconds.  An infinite side makes
the result infinite, but what has no meaning (infinity - infinity) is out of range.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....repr import intervals
from ....repr.types import DATE, FLOAT8, INTERVAL, TIME, TIMESTAMP, TIMESTAMPTZ
from ...coercion.casts import cast_array
from ...columns.arrays import array_of_numpy, both_valid, numpy_values
from ...columns.row_errors import Evaluated, Mask, merge_errors
from ...datetimes.civil import MICROS_PER_DAY, add, add_months, subtract
from ...datetimes.datetime_input import MAX_TIMESTAMP, MIN_TIMESTAMP
from ...tree.function import CallInfo, Datum, Kernel, Overload
from .interval_results import (
    INT32,
    INTERVAL_RANGE,
    Ints,
    all_valid,
    arrays,
    failures,
    interval_result,
    signs,
    timestamp_result,
)

Floats = npt.NDArray[np.float64]
_MIN32 = -INT32
_LEAST = np.array([[-INT32], [-INT32], [np.iinfo(np.int64).min]])


def _none(length: int) -> Mask:
    return np.zeros(length, np.bool_)


# --- interval with interval, interval with number --------------------------------------------------------------------


def _sum(sign: int) -> Kernel:
    combine = add if sign > 0 else subtract

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        left, right = arrays(args, info)
        (months, days, micros), (m, d, u) = intervals.parts(left), intervals.parts(right)
        endless, other = signs(left), signs(right) * sign
        micros, wrong = combine(micros, u)
        total = np.sign(endless + other)
        wrong = (wrong & (total == 0)) | (endless * other < 0)
        return interval_result(months + sign * m, days + sign * d, micros, wrong, (left, right), total)

    return kernel


def _negate(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    (array,) = arrays(args, info)
    months, days, micros = intervals.parts(array)
    return interval_result(-months, -days, -micros, micros == np.iinfo(np.int64).min, (array,), -signs(array))


def _round6(values: Floats) -> Floats:
    rounded: Floats = np.rint(values * 1e6) / 1e6
    return rounded


def scaled_parts(array: pa.Array, factor: pa.Array, divide: bool) -> Evaluated:
    """Each part times (or by) the factor; what is left of a month goes to days, of a day to the time."""
    by = numpy_values(factor)
    months, days, micros = intervals.parts(array)
    endless = signs(array)
    with np.errstate(all="ignore"):
        exact_months, exact_days, exact_micros = (
            part / by if divide else part * by for part in (months, days, micros)
        )
        wrong = ~(np.abs(exact_months) < INT32) & ~(exact_months == _MIN32)
        wrong |= ~(np.abs(exact_days) < INT32) & ~(exact_days == _MIN32)
        whole_months = np.where(wrong, 0, np.trunc(exact_months))
        whole_days = np.where(wrong, 0, np.trunc(exact_days))
        of_months = _round6((exact_months - whole_months) * intervals.DAYS_PER_MONTH)
        seconds = _round6((exact_days - whole_days + of_months - np.trunc(of_months)) * 86_400)
        carried = np.where(np.abs(seconds) >= 86_400, np.trunc(seconds / 86_400), 0)
        seconds = seconds - carried * 86_400
        exact = np.rint(exact_micros + seconds * 1e6)
        wrong |= ~((exact >= -(2.0**63)) & (exact < 2.0**63))
        total = np.where(wrong, 0, whole_days + carried + np.trunc(of_months))
    result_days = total.astype(np.int64)
    result_micros = np.where(wrong, 0, exact).astype(np.int64)
    if not divide:
        zero = (months == 0) & (days == 0) & (micros == 0)
        side = np.where(endless != 0, endless, np.where(np.isinf(by) & ~zero, _side(array), 0))
        nan = np.isnan(by) | (np.isinf(by) & zero) | ((endless != 0) & (by == 0))
    else:
        side, nan = endless, np.isnan(by) | ((endless != 0) & np.isinf(by))
    side = np.where(nan, 0, side * np.where(by < 0, -1, 1))
    errors = None
    if divide and (by == 0).any():
        errors = failures(by == 0, all_valid((array, factor)), "division by zero", "22012")
    return interval_result(
        np.where(wrong, 0, whole_months).astype(np.int64),
        result_days,
        result_micros,
        wrong | nan,
        (array, factor),
        side,
        errors,
    )


def _side(array: pa.Array) -> Ints:
    """The sign of each interval's span."""
    days, rest = intervals.spans(array)
    return np.where(days < 0, -1, np.where((days > 0) | (rest > 0), 1, 0))


def _multiply(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    left, right = arrays(args, info)
    first = intervals.is_interval(left.type)
    return scaled_parts(left if first else right, right if first else left, divide=False)


def _divide(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    left, right = arrays(args, info)
    return scaled_parts(left, right, divide=True)


# --- timestamps ----------------------------------------------------------------------------------------------------------


def moved(micros: Ints, span: pa.Array, sign: int) -> tuple[Ints, Mask]:
    """(timestamps moved by intervals, which are beyond 64 bits); finite on both sides."""
    months, days, time = intervals.parts(span)
    wrong = _none(len(micros))
    if months.any() or days.any():
        whole, rest = np.divmod(micros, MICROS_PER_DAY)
        if months.any():
            whole = np.where(months != 0, add_months(whole, sign * months), whole)
        whole = whole + sign * days
        wrong |= (whole < MIN_TIMESTAMP // MICROS_PER_DAY) | (whole > MAX_TIMESTAMP // MICROS_PER_DAY)
        micros = np.where(wrong, 0, whole) * MICROS_PER_DAY + rest
    total, over = (add if sign > 0 else subtract)(micros, time)
    return total, wrong | over


def moved_by(sign: int, flipped: bool = False) -> Kernel:
    """A date or timestamp plus (`sign` 1) or minus (-1) an interval, which comes first if `flipped`."""

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        found = arrays(args, info)
        given, span = reversed(found) if flipped else found
        start = given
        source = info.types[1 if flipped else 0]
        errors = None
        if source.kind is DATE.kind:
            cast = cast_array(start, DATE, TIMESTAMP)
            errors = cast.errors
            start = cast.values
        ends, other = signs(start), signs(span) * sign
        if sign < 0:  # PostgreSQL adds the negative, which the least numbers have not
            least = (np.stack(intervals.parts(span)) == _LEAST).any(axis=0) & (other == 0)
            errors = merge_errors([errors, failures(least, all_valid((given, span)), INTERVAL_RANGE)])
        micros, wrong = moved(numpy_values(start), span, sign)
        total = np.sign(ends + other)
        wrong = (wrong & (total == 0)) | (ends * other < 0)
        return timestamp_result(micros, wrong, (given, span), info.result.arrow, total, errors)

    return kernel


def _between(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The difference of timestamps, in days and time."""
    left, right = arrays(args, info)
    ends, other = signs(left), -signs(right)
    micros, wrong = subtract(numpy_values(left), numpy_values(right))
    days = np.sign(micros) * (np.abs(micros) // MICROS_PER_DAY)
    total = np.sign(ends + other)
    wrong = (wrong & (total == 0)) | (ends * other < 0)
    zero = np.zeros(len(micros), np.int64)
    return interval_result(zero, days, micros - days * MICROS_PER_DAY, wrong, (left, right), total)


def _date_and_time(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    left, right = arrays(args, info)
    day, time = (left, right) if info.types[0] == DATE else (right, left)
    cast = cast_array(day, DATE, TIMESTAMP)
    ends = signs(cast.values)
    micros, wrong = add(numpy_values(cast.values), numpy_values(time))
    wrong &= ends == 0
    return timestamp_result(micros, wrong, (left, right), info.result.arrow, ends, cast.errors)


# --- times of day --------------------------------------------------------------------------------------------------------


def _time_moved(sign: int, flipped: bool = False) -> Kernel:
    message = (
        "cannot add infinite interval to time" if sign > 0 else "cannot subtract infinite interval from time"
    )

    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        found = arrays(args, info)
        time, span = reversed(found) if flipped else found
        valid = all_valid((time, span))
        endless = signs(span) != 0
        micros = (numpy_values(time) + sign * intervals.parts(span)[2]) % MICROS_PER_DAY
        errors = failures(endless, valid, message)
        if errors is not None:
            valid = both_valid(valid, ~endless)
        return Evaluated(array_of_numpy(micros, valid, pa.int64()), errors)

    return kernel


def _times_between(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    left, right = arrays(args, info)
    zero = np.zeros(info.length, np.int64)
    micros = numpy_values(left) - numpy_values(right)
    return interval_result(zero, zero, micros, _none(info.length), (left, right))


_STAMPS = ((DATE, TIMESTAMP), (TIMESTAMP, TIMESTAMP), (TIMESTAMPTZ, TIMESTAMPTZ))

OVERLOADS: dict[str, list[Overload]] = {
    "add": [
        Overload((INTERVAL, INTERVAL), INTERVAL, _sum(1), can_fail=True),
        *(Overload((t, INTERVAL), result, moved_by(1), can_fail=True) for t, result in _STAMPS),
        *(Overload((INTERVAL, t), result, moved_by(1, True), can_fail=True) for t, result in _STAMPS),
        Overload((DATE, TIME), TIMESTAMP, _date_and_time, can_fail=True),
        Overload((TIME, DATE), TIMESTAMP, _date_and_time, can_fail=True),
        Overload((TIME, INTERVAL), TIME, _time_moved(1), can_fail=True),
        Overload((INTERVAL, TIME), TIME, _time_moved(1, True), can_fail=True),
    ],
    "subtract": [
        Overload((INTERVAL, INTERVAL), INTERVAL, _sum(-1), can_fail=True),
        *(Overload((t, INTERVAL), result, moved_by(-1), can_fail=True) for t, result in _STAMPS),
        *(Overload((t, t), INTERVAL, _between, can_fail=True) for t in (TIMESTAMP, TIMESTAMPTZ)),
        Overload((TIME, INTERVAL), TIME, _time_moved(-1), can_fail=True),
        Overload((TIME, TIME), INTERVAL, _times_between),
    ],
    "multiply": [
        Overload((INTERVAL, FLOAT8), INTERVAL, _multiply, can_fail=True),
        Overload((FLOAT8, INTERVAL), INTERVAL, _multiply, can_fail=True),
    ],
    "divide": [Overload((INTERVAL, FLOAT8), INTERVAL, _divide, can_fail=True)],
    "negate": [Overload((INTERVAL,), INTERVAL, _negate, can_fail=True)],
}
