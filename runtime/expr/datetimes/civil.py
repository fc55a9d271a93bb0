"""The proleptic Gregorian calendar over whole columns: days and microseconds since 1970 as numpy arrays.

Year 0 is 1 BC.  Everything is integer arithmetic on int64, far beyond the years that a timestamp reaches.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
MICROS_PER_DAY = 86_400_000_000


def months_of(days: Ints) -> Ints:
    """Whole months since 1970-01."""
    found: Ints = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return found


def first_day(months: Ints) -> Ints:
    """The first day of a month."""
    found: Ints = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return found


def split(days: Ints) -> tuple[Ints, Ints, Ints]:
    """(year, month from 1 to 12, day of the month)."""
    months = months_of(days)
    return months // 12 + 1970, months % 12 + 1, days - first_day(months) + 1


def days_from(year: Ints, month: Ints, day: Ints) -> Ints:
    """The inverse of `split`; a day beyond the month's end counts into the next."""
    return first_day((year - 1970) * 12 + month - 1) + day - 1


def month_lengths(months: Ints) -> Ints:
    """Days in each month (counted since 1970-01)."""
    return first_day(months + 1) - first_day(months)


def add_months(days: Ints, months: Ints) -> Ints:
    """The same day of the month, or the last one where the month is too short."""
    old = months_of(days)
    new = old + months
    within = np.minimum(days - first_day(old), month_lengths(new) - 1)
    moved: Ints = first_day(new) + within
    return moved


def add(left: Ints, right: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """(sum modulo 2^64, where it does not fit into 64 bits)."""
    total = left + right
    return total, ((left ^ total) & (right ^ total)) < 0


def subtract(left: Ints, right: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """(difference modulo 2^64, where it does not fit into 64 bits)."""
    total = left - right
    return total, ((left ^ right) & (left ^ total)) < 0
