"""What kernels of dates, times and intervals return: values, and an error on each row that has none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....repr import intervals
from ....repr.buffers import validity
from ...columns.arrays import array_of_numpy, both_valid, numpy_values
from ...columns.infinities import INFINITY, MINUS_INFINITY
from ...columns.row_errors import (
    Evaluated,
    Mask,
    RowErrors,
    listed_errors,
    merge_errors,
    same_error,
    select_errors,
)
from ...datetimes.datetime_input import MAX_TIMESTAMP, MIN_TIMESTAMP
from ...tree.function import CallInfo, Datum, as_array

Ints = npt.NDArray[np.int64]
INT32 = 1 << 31
OVERFLOW = "22008"
INTERVAL_RANGE = "interval out of range"
TIMESTAMP_RANGE = "timestamp out of range"
_MAX32, _MIN32 = INT32 - 1, -INT32


def arrays(args: Sequence[Datum], info: CallInfo) -> list[pa.Array]:
    return [as_array(datum, info.length) for datum in args]


def all_valid(args: Sequence[pa.Array]) -> Mask | None:
    """Rows on which no argument is NULL; None when that is all."""
    valid: Mask | None = None
    for array in args:
        valid = both_valid(valid, validity(array))
    return valid


def signs(array: pa.Array) -> Ints:
    """1 for infinity, -1 for -infinity, 0 for what is finite: of dates, timestamps and intervals."""
    if intervals.is_interval(array.type):
        months, days, micros = intervals.parts(array)
        high = (months == _MAX32) & (days == _MAX32) & (micros == INFINITY)
        low = (months == _MIN32) & (days == _MIN32) & (micros == MINUS_INFINITY)
    else:
        values = numpy_values(array)
        bounds = np.iinfo(values.dtype)
        high, low = values == bounds.max, values == bounds.min
    found: Ints = high.astype(np.int64) - low.astype(np.int64)
    return found


def failures(wrong: Mask, valid: Mask | None, message: str, sqlstate: str = OVERFLOW) -> RowErrors | None:
    """The error on rows that are wrong and not NULL."""
    if not wrong.any():
        return None
    return same_error(np.flatnonzero(wrong if valid is None else wrong & valid), sqlstate, message)


def listed_failures(wrong: Mask, valid: Mask | None, message: Callable[[int], str]) -> RowErrors | None:
    """As `failures`, with a message of each row's own."""
    rows = np.flatnonzero(wrong if valid is None else wrong & valid)
    return listed_errors([(row, OVERFLOW, message(row)) for row in rows.tolist()])


def interval_result(
    months: Ints,
    days: Ints,
    micros: Ints,
    wrong: Mask,
    args: Sequence[pa.Array],
    endless: Ints | None = None,
    errors: RowErrors | None = None,
) -> Evaluated:
    """Intervals of these parts; what is `wrong` or beyond 32 bits is out of range.

    Where `endless` (as `signs` gives it) is not 0 the result is infinite, whatever the parts say.
    """
    valid = all_valid(args)
    wrong = wrong | (months > _MAX32) | (months < _MIN32) | (days > _MAX32) | (days < _MIN32)
    high = (months == _MAX32) & (days == _MAX32) & (micros == INFINITY)
    wrong |= high | ((months == _MIN32) & (days == _MIN32) & (micros == MINUS_INFINITY))
    if endless is not None and endless.any():
        up, down = endless > 0, endless < 0
        wrong &= endless == 0
        months = np.where(up, _MAX32, np.where(down, _MIN32, months))
        days = np.where(up, _MAX32, np.where(down, _MIN32, days))
        micros = np.where(up, INFINITY, np.where(down, MINUS_INFINITY, micros))
    found = merge_errors([errors, failures(wrong, valid, INTERVAL_RANGE)])
    if found is not None:
        kept = np.ones(len(micros), np.bool_)
        kept[found.indices] = False
        valid = both_valid(valid, kept)
    if wrong.any():
        months, days = np.where(wrong, 0, months), np.where(wrong, 0, days)
    return Evaluated(intervals.from_parts(months, days, micros, valid), found)


def timestamp_result(
    micros: Ints,
    wrong: Mask,
    args: Sequence[pa.Array],
    type_: pa.DataType,
    endless: Ints | None = None,
    errors: RowErrors | None = None,
) -> Evaluated:
    """Timestamps; what is `wrong` or beyond their range is an error.  `endless` as in `interval_result`."""
    valid = all_valid(args)
    if valid is not None:
        errors = select_errors(errors, valid)
    wrong = wrong | (micros < MIN_TIMESTAMP) | (micros > MAX_TIMESTAMP)
    if endless is not None and endless.any():
        wrong &= endless == 0
        micros = np.where(endless > 0, INFINITY, np.where(endless < 0, MINUS_INFINITY, micros))
    found = merge_errors([errors, failures(wrong, valid, TIMESTAMP_RANGE)])
    if found is not None:
        kept = np.ones(len(micros), np.bool_)
        kept[found.indices] = False
        valid = both_valid(valid, kept)
    return Evaluated(array_of_numpy(micros, valid, type_), found)
