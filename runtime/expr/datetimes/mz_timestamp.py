"""mz_timestamp: the time of a collection, in milliseconds since 1970, as Materialize types it.

An unsigned integer of 64 bits that is no number: it becomes one, or an instant, by a cast, and computes with whole
milliseconds only.  Of an instant whole milliseconds count, rounded down; what is before 1970, infinite, or no whole
number of milliseconds is error 22003.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...repr.buffers import validity
from ...repr.types import MZ_TIMESTAMP, ScalarType
from ..columns.arrays import array_of_numpy, numpy_values
from ..columns.infinities import INFINITY
from ..columns.row_errors import Evaluated, Mask, same_error
from ..digits import whole
from .datetime_input import MAX_TIMESTAMP, InputError, parse_timestamptz

OUT_OF_RANGE = "mz_timestamp out of range"
_GREATEST = (1 << 64) - 1


def of_instants(array: pa.Array) -> Evaluated:
    """Timestamps, with a zone or without one."""
    micros = numpy_values(array)
    return _checked(
        array, micros // 1000, (micros < 0) | (micros == INFINITY), MZ_TIMESTAMP, "22003", OUT_OF_RANGE
    )


def as_instants(array: pa.Array, target: ScalarType) -> Evaluated:
    """Timestamps of either kind; those behind the last one are error 22008."""
    millis = numpy_values(array)
    wrong = millis > MAX_TIMESTAMP // 1000
    micros = np.where(wrong, 0, millis).astype(np.int64) * 1000
    return _checked(array, micros, wrong, target, "22008", "timestamp out of range")


def _checked(
    array: pa.Array, values: np.ndarray, wrong: Mask, target: ScalarType, sqlstate: str, message: str
) -> Evaluated:
    valid = validity(array)
    rows = np.flatnonzero(wrong if valid is None else wrong & valid)
    if len(rows):
        valid = ~wrong if valid is None else valid & ~wrong
    physical = np.uint64 if target == MZ_TIMESTAMP else np.int64
    kept = np.where(wrong, 0, values).astype(physical)
    return Evaluated(array_of_numpy(kept, valid, target.arrow), same_error(rows, sqlstate, message))


def parse(text: str) -> int:
    """A number of milliseconds, or an instant, in UTC if it names no zone."""
    trimmed = text.strip(" \t\n\r\v\f")
    if trimmed.isascii() and trimmed.isdigit():
        millis = whole(trimmed)
    else:
        try:
            micros = parse_timestamptz(text)
        except InputError:
            message = f'invalid input syntax for type mz_timestamp: "{text}"'
            raise InputError("22P02", message) from None
        millis = -1 if micros == INFINITY else micros // 1000
    if not 0 <= millis <= _GREATEST:
        raise InputError("22003", f'value "{text}" is out of range for type mz_timestamp')
    return millis
