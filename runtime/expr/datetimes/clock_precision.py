"""Times and timestamps of which only some digits of a second are kept: `timestamp(3)`, `time(0)`.

Rounding is PostgreSQL's: halves go away from 2000-01-01, where its timestamps begin to count, and away from midnight.
So `23:59:59.9` is `24:00:00` as `time(0)`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...repr.buffers import validity
from ...repr.types import Kind, ScalarType
from ..columns.arrays import array_of_numpy, both_valid, numpy_values
from ..columns.infinities import infinite
from ..columns.row_errors import Evaluated, same_error

_DIGITS = 6
_EPOCH = 946_684_800_000_000
"""2000-01-01, in microseconds since 1970."""


def loses_digits(source: ScalarType, target: ScalarType) -> bool:
    """Whether a value of `source` may have digits of a second that `target`, of the same kind, does not keep."""
    kept = _DIGITS if target.precision is None else target.precision
    return kept < (_DIGITS if source.precision is None else source.precision)


def rounded(array: pa.Array, type_: ScalarType) -> Evaluated:
    """Values of the kind of `type_` with the digits that it keeps; one that is carried beyond the last is error 22008."""
    if type_.precision is None or type_.precision >= _DIGITS or not len(array):
        return Evaluated(array)
    unit = 10 ** (_DIGITS - type_.precision)
    micros = numpy_values(array)
    zero = 0 if type_.kind is Kind.TIME else _EPOCH
    endless = None if type_.kind is Kind.TIME else infinite(array)
    # NULLs may hold anything: what is beyond the bounds by half a unit is not looked at, unless it is a value.
    last = np.iinfo(np.int64).max - 1
    wrong = micros > last - unit // 2
    moved = np.where(wrong, 0, micros) - zero
    result = np.sign(moved) * ((np.abs(moved) + unit // 2) // unit * unit) + zero
    if endless is not None:
        result = np.where(endless, micros, result)
        wrong &= ~endless
    valid = validity(array)
    rows = np.flatnonzero(wrong if valid is None else wrong & valid)
    if len(rows):
        valid = both_valid(valid, ~wrong)
    errors = same_error(rows, "22008", "timestamp out of range")
    return Evaluated(array_of_numpy(result, valid, type_.arrow), errors)
