"""Functions of intervals: justify_*, date_trunc, date_bin, age, isfinite, and the parts that aggregates sum.

The sum of intervals is the interval of the sums of their parts, so that `sum` and `avg` are sums of integers
(sql/calls/split_aggregates.py): `interval months`, `interval days` and `interval micros` take one apart, `interval of sums`
and `interval average` put one together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ....repr import intervals
from ....repr.buffers import validity
from ....repr.types import BOOL, DATE, INT8, INTERVAL, TEXT, TIMESTAMP, TIMESTAMPTZ, derived_numeric
from ...columns.arrays import array_of_numpy, numpy_values
from ...columns.decimals import as_int64, as_ints
from ...columns.row_errors import Evaluated, Mask, RowErrors, merge_errors, select_errors
from ...datetimes.civil import MICROS_PER_DAY, add, month_lengths, months_of, split, subtract
from ...tree.function import CallInfo, Datum, Kernel, Overload
from .extract import FIELD_ALIASES
from .interval_arithmetic import scaled_parts
from .interval_results import (
    INTERVAL_RANGE,
    Ints,
    all_valid,
    arrays,
    failures,
    interval_result,
    signs,
    timestamp_result,
)

_SUM = derived_numeric(0)


def _no_error(length: int) -> Mask:
    return np.zeros(length, np.bool_)


def _cut(values: Ints, unit: int) -> tuple[Ints, Ints]:
    """(values // unit, rest), both rounded toward zero."""
    whole = np.sign(values) * (np.abs(values) // unit)
    return whole, values - whole * unit


def _carry(high: Ints, low: Ints, unit: int) -> tuple[Ints, Ints]:
    """The same amount with `low` (less than a unit) of the sign of `high`."""
    step = ((high < 0) & (low > 0)).astype(np.int64) - ((high > 0) & (low < 0))
    return high + step, low - step * unit


def _justify(name: str) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        (array,) = arrays(args, info)
        months, days, micros = intervals.parts(array)
        if name != "days":
            whole, micros = _cut(micros, MICROS_PER_DAY)
            days = days + whole
        if name == "hours":
            days, micros = _carry(days, micros, MICROS_PER_DAY)
        else:
            whole, days = _cut(days, intervals.DAYS_PER_MONTH)
            months = months + whole
            if name == "days":
                months, days = _carry(months, days, intervals.DAYS_PER_MONTH)
            else:
                behind = (months > 0) & ((days < 0) | ((days == 0) & (micros < 0)))
                ahead = (months < 0) & ((days > 0) | ((days == 0) & (micros > 0)))
                step = ahead.astype(np.int64) - behind
                months, days = months + step, days - step * intervals.DAYS_PER_MONTH
                days, micros = _carry(days, micros, MICROS_PER_DAY)
        return interval_result(months, days, micros, _no_error(info.length), (array,), signs(array))

    return kernel


# --- date_trunc, date_bin ----------------------------------------------------------------------------------------------

_MICROS = {
    "microseconds": 1,
    "milliseconds": 1000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200, "millennium": 12000}
_REFUSED = frozenset(
    (
        "week",
        "dow",
        "isodow",
        "doy",
        "isoyear",
        "julian",
        "epoch",
        "timezone",
        "timezone_hour",
        "timezone_minute",
    )
)


def _truncate(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    units, array = arrays(args, info)
    months, days, micros = (part.copy() for part in intervals.parts(array))
    errors: list[RowErrors | None] = []
    valid = all_valid((units, array))
    names = np.array(units.to_pylist(), dtype=object)
    for name in {name for name in names.tolist() if name is not None}:
        rows = names == name
        lowered = name.lower()
        unit = FIELD_ALIASES.get(lowered, lowered)
        if unit in _MICROS:
            micros[rows] -= _cut(micros[rows], _MICROS[unit])[1]
        elif unit == "day" or unit in _MONTHS:
            micros[rows] = 0
            if unit != "day":
                days[rows] = 0
                months[rows] -= _cut(months[rows], _MONTHS[unit])[1]
        else:
            known = unit in _REFUSED
            what = "not supported" if known else "not recognized"
            message = f'unit "{lowered}" {what} for type interval'
            errors.append(failures(rows, valid, message, "0A000" if known else "22023"))
    endless = signs(array)
    return interval_result(
        months, days, micros, _no_error(info.length), (units, array), endless, merge_errors(errors)
    )


def _bin(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    stride, stamp, origin = arrays(args, info)
    valid = all_valid((stride, stamp, origin))
    months, days, micros = intervals.parts(stride)
    ends = signs(stamp)
    finite = ends == 0
    unit, over = add(days * MICROS_PER_DAY, micros)
    over |= np.abs(days) > (1 << 63) // MICROS_PER_DAY
    difference, far = subtract(numpy_values(stamp), numpy_values(origin))
    errors = [
        failures(finite & (signs(origin) != 0), valid, "origin out of range"),
        failures(finite & (signs(stride) != 0), valid, "timestamps cannot be binned into infinite intervals"),
        failures(
            finite & (months != 0),
            valid,
            "timestamps cannot be binned into intervals containing months or years",
            "0A000",
        ),
        failures(finite & over, valid, INTERVAL_RANGE),
        failures(finite & (unit <= 0), valid, "stride must be greater than zero"),
        failures(finite & far, valid, INTERVAL_RANGE),
    ]
    unit = np.where(unit > 0, unit, 1)
    moved, wrong = subtract(numpy_values(stamp), difference % unit)
    arguments = (stride, stamp, origin)
    return timestamp_result(moved, wrong & finite, arguments, info.result.arrow, ends, merge_errors(errors))


# --- age, isfinite -------------------------------------------------------------------------------------------------------


def _age(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The difference in years, months, days and time: a day that is borrowed is one of the earlier month's."""
    left, right = arrays(args, info)
    a, b = numpy_values(left), numpy_values(right)
    ends, other = signs(left), -signs(right)
    total = np.sign(ends + other)
    impossible = ends * other < 0
    bounded = (ends == 0) & (other == 0)
    later = np.where(bounded, np.maximum(a, b), 0)
    earlier = np.where(bounded, np.minimum(a, b), 0)
    (high_days, high_time), (low_days, low_time) = (
        np.divmod(later, MICROS_PER_DAY),
        np.divmod(earlier, MICROS_PER_DAY),
    )
    low_months = months_of(low_days)
    months = months_of(high_days) - low_months
    days = split(high_days)[2] - split(low_days)[2]
    micros = high_time - low_time
    borrowed = micros < 0
    micros, days = micros + borrowed * MICROS_PER_DAY, days - borrowed
    short = days < 0
    days, months = days + short * month_lengths(low_months), months - short
    sign = np.where(a < b, -1, 1)
    return interval_result(months * sign, days * sign, micros * sign, impossible, (left, right), total)


def _is_finite(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    (array,) = arrays(args, info)
    return array_of_numpy(signs(array) == 0, validity(array), pa.bool_())


# --- the parts that aggregates sum -----------------------------------------------------------------------------------


def _part(index: int) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        """Of an infinite interval 0: it is counted beside."""
        (array,) = arrays(args, info)
        finite = signs(array) == 0
        return array_of_numpy(np.where(finite, intervals.parts(array)[index], 0), validity(array), pa.int64())

    return kernel


def _infinite(sign: int) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        (array,) = arrays(args, info)
        return array_of_numpy((signs(array) == sign).astype(np.int64), validity(array), pa.int64())

    return kernel


def _of_sums(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """(sum of months, of days, of microseconds, count of infinity, of -infinity) as the interval that is the sum."""
    found = arrays(args, info)
    sums, (high, low) = found[:3], (_whole(array) for array in found[3:5])
    parts, wrong = zip(*(_narrow(array) for array in sums), strict=True)
    endless = np.where(high > 0, 1, 0) - np.where(low > 0, 1, 0)
    both = (high > 0) & (low > 0)
    bad = (np.logical_or.reduce(wrong) & (endless == 0)) | both
    months, days, micros = parts
    return interval_result(months, days, micros, bad, found, endless)


def _average(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """As `interval of sums`, divided by the count of the values, the last argument."""
    total = _of_sums(args[:5], info)
    count = array_of_numpy(_whole(arrays(args, info)[5]).astype(np.float64), None, pa.float64())
    average = scaled_parts(total.values, count, divide=True)
    errors = average.errors
    if errors is not None:
        valid = validity(total.values)
        errors = errors if valid is None else select_errors(errors, valid)
    return Evaluated(average.values, merge_errors([total.errors, errors]))


def _whole(array: pa.Array) -> Ints:
    narrow = as_int64(array)
    assert narrow is not None
    return narrow


def _narrow(array: pa.Array) -> tuple[Ints, Mask]:
    """A sum as int64, and where it is beyond that."""
    narrow = as_int64(array)
    if narrow is not None:
        return narrow, _no_error(len(array))
    exact = as_ints(array)
    wrong = np.array((exact >= 1 << 63) | (exact < -(1 << 63)), np.bool_)
    return np.where(wrong, 0, exact).astype(np.int64), wrong


_STAMPS = (TIMESTAMP, TIMESTAMPTZ)
_SUMS = (_SUM, _SUM, _SUM, _SUM, _SUM)

OVERLOADS: dict[str, list[Overload]] = {
    **{
        f"justify_{name}": [Overload((INTERVAL,), INTERVAL, _justify(name), can_fail=True)]
        for name in ("hours", "days", "interval")
    },
    "date_trunc": [Overload((TEXT, INTERVAL), INTERVAL, _truncate, can_fail=True)],
    "date_bin": [Overload((INTERVAL, t, t), t, _bin, can_fail=True) for t in _STAMPS],
    "age": [Overload((t, t), INTERVAL, _age, can_fail=True) for t in _STAMPS],
    "isfinite": [Overload((t,), BOOL, _is_finite) for t in (DATE, *_STAMPS, INTERVAL)],
    **{
        f"interval {name}": [Overload((INTERVAL,), INT8, _part(i))]
        for i, name in enumerate(("months", "days", "micros"))
    },
    "interval infinite": [Overload((INTERVAL,), INT8, _infinite(1))],
    "interval minus infinite": [Overload((INTERVAL,), INT8, _infinite(-1))],
    "interval of sums": [Overload(_SUMS, INTERVAL, _of_sums, can_fail=True)],
    "interval average": [Overload((*_SUMS, INT8), INTERVAL, _average, can_fail=True)],
}
