"""generate_series over timestamps: from the first by steps of an interval to the last, by the clocks of a zone if one is
given.

A step is added to the value before it, not multiplied: from January 31st by months it is February 29th, March 29th.
Steps without months (in a zone, without days either) are an arithmetic progression; with them the rows of a batch take each step together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...repr import intervals
from ...repr.buffers import validity
from ..columns.arrays import array_of_numpy, numpy_values
from ..columns.row_errors import Mask, RowErrors, merge_errors, same_error
from ..datetimes.civil import MICROS_PER_DAY, add
from ..functions.datetimes.interval_arithmetic import moved
from ..functions.datetimes.interval_results import TIMESTAMP_RANGE, signs
from ..functions.datetimes.zones import moved_in_zone
from ..tree.function import Datum, as_array

Ints = npt.NDArray[np.int64]
Advance = Callable[[Ints, Ints], tuple[Ints, Mask]]
"""(instants, their rows) one step later, and which left the range."""


def timestamps(args: Sequence[Datum], length: int, most: int) -> tuple[Ints, pa.Array, RowErrors | None]:
    """(how many values each row has, the values of all rows, errors); at most `most` values of a row."""
    first, last, step, *zone = (as_array(arg, length) for arg in args)
    live = np.ones(length, np.bool_)
    for array in (first, last, step, *zone):
        if (valid := validity(array)) is not None:
            live &= valid
    days, rest = intervals.spans(step)
    stuck = live & (days == 0) & (rest == 0)
    endless = live & (signs(step) != 0)
    live &= ~stuck & ~endless
    falling = days < 0
    start, stop = numpy_values(first), numpy_values(last)
    live &= np.where(falling, start >= stop, start <= stop)
    by_months = intervals.parts(step)[0] != 0
    if zone:
        by_months |= intervals.parts(step)[1] != 0

    def advance(micros: Ints, rows: Ints) -> tuple[Ints, Mask]:
        steps = step.take(pa.array(rows))
        return (
            moved_in_zone(micros, steps, zone[0].take(pa.array(rows)), 1) if zone else moved(micros, steps, 1)
        )

    counts, values, long, far = _walked(start, stop, advance, falling, live & by_months, most)
    plain = live & ~by_months
    size, _ = add(intervals.parts(step)[1] * MICROS_PER_DAY, intervals.parts(step)[2])
    distance = np.where(falling, start - stop, stop - start).view(np.uint64)
    after = distance // np.where(plain, np.abs(size), 1).astype(np.uint64)
    too_many = plain & ((after >= most) | (signs(first) != 0) | (signs(last) != 0))
    counts = np.where(plain & ~too_many, after.astype(np.int64) + 1, counts)
    rows = np.repeat(np.arange(length), counts)
    place = np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]
    with np.errstate(over="ignore"):
        micros = start[rows] + place * size[rows]
    walked = by_months[rows]
    if walked.any():
        micros[walked] = [value for row in np.unique(rows[walked]).tolist() for value in values[row]]
    errors = merge_errors(
        [
            same_error(np.flatnonzero(stuck), "22023", "step size cannot equal zero"),
            same_error(np.flatnonzero(endless), "22023", "step size cannot be infinite"),
            same_error(np.flatnonzero(far), "22008", TIMESTAMP_RANGE),
            same_error(
                np.flatnonzero(long | too_many), "54000", f"generate_series gives more than {most} rows"
            ),
        ]
    )
    return counts, array_of_numpy(micros, None, first.type), errors


def _walked(
    start: Ints, stop: Ints, advance: Advance, falling: Mask, live: Mask, most: int
) -> tuple[Ints, dict[int, list[int]], Mask, Mask]:
    """(counts, values by row, which rows have too many, which leave the range of timestamps) of rows that step by months."""
    counts = np.zeros(len(start), np.int64)
    long, far = np.zeros(len(start), np.bool_), np.zeros(len(start), np.bool_)
    rows = np.flatnonzero(live)
    values: dict[int, list[int]] = {row: [] for row in rows.tolist()}
    infinite = (stop == np.iinfo(np.int64).max) | (stop == np.iinfo(np.int64).min)
    infinite |= (start == np.iinfo(np.int64).max) | (start == np.iinfo(np.int64).min)
    long[rows] = infinite[rows]
    rows = rows[~infinite[rows]]
    now = start[rows]
    while len(rows):
        for row, value in zip(rows.tolist(), now.tolist(), strict=True):
            values[row].append(value)
        counts[rows] += 1
        now, wrong = advance(now, rows)
        far[rows[wrong]] = True
        long[rows[counts[rows] >= most]] = True
        on = ~wrong & (counts[rows] < most) & np.where(falling[rows], now >= stop[rows], now <= stop[rows])
        rows, now = rows[on], now[on]
    counts[long | far] = 0
    return counts, values, long, far
