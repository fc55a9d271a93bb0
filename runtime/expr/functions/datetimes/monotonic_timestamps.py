"""try_parse_monotonic_iso8601_timestamp: texts of one width whose order is that of the times that they say.

`2015-09-18T23:56:04.123Z`, to the millisecond and in UTC; every other text, and a time that there is not, is NULL.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.types import TEXT, TIMESTAMP
from ...columns.arrays import array_of_numpy
from ...datetimes.civil import days_from, month_lengths
from ...tree.function import CallInfo, Datum, Function, Overload, as_array

_SHAPE = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\z"
_WIDTH = 24


def _characters(texts: pa.Array) -> npt.NDArray[np.int64]:
    """int64[n, _WIDTH]: the characters' codes of texts of that width."""
    if not len(texts):
        return np.zeros((0, _WIDTH), np.int64)
    _, offsets, data = texts.buffers()
    start = np.frombuffer(offsets, np.int32)[texts.offset]
    codes = np.frombuffer(data, np.uint8)[start : start + _WIDTH * len(texts)]
    return codes.reshape(-1, _WIDTH).astype(np.int64)


def _timestamps(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    texts = as_array(args[0], info.length)
    shaped = pc.match_substring_regex(texts, _SHAPE).fill_null(False)
    rows = np.flatnonzero(shaped.to_numpy(zero_copy_only=False))
    digits = _characters(texts.take(pa.array(rows))) - ord("0")

    def number(begin: int, end: int) -> npt.NDArray[np.int64]:
        found: npt.NDArray[np.int64] = digits[:, begin:end] @ 10 ** np.arange(end - begin - 1, -1, -1)
        return found

    year, month, day = number(0, 4), number(5, 7), number(8, 10)
    hour, minute, second = number(11, 13), number(14, 16), number(17, 19)
    real = (month >= 1) & (month <= 12) & (day >= 1) & (hour < 24) & (minute < 60) & (second < 60)
    real &= day <= month_lengths((year - 1970) * 12 + month - 1)
    seconds = ((days_from(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
    micros = np.zeros(info.length, np.int64)
    micros[rows] = (seconds * 1000 + number(20, 23)) * 1000
    valid = np.zeros(info.length, np.bool_)
    valid[rows] = real
    return array_of_numpy(micros, valid, info.result.arrow)


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "try_parse_monotonic_iso8601_timestamp", (Overload((TEXT,), TIMESTAMP, _timestamps, nullable=True),)
    ),
)
