"""Intervals and times of day as text, in PostgreSQL's default style: `1 year 2 mons -3 days +04:05:06.5`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ...repr import intervals
from ...repr.buffers import validity
from ..columns.arrays import numpy_values

_HOUR = 3_600_000_000
_MAX, _MIN = np.iinfo(np.int64).max, np.iinfo(np.int64).min
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def infinities(column: pa.Array) -> tuple[Mask, Mask] | None:
    """(which intervals are infinity, which -infinity), or None where none is; NULLs may be marked."""
    found = intervals.records(column)
    extreme = (found["months"] == 2**31 - 1) | (found["months"] == -(2**31))
    if not extreme.any():
        return None
    high = (found["micros"] == _MAX) & (found["days"] == 2**31 - 1) & (found["months"] == 2**31 - 1)
    low = (found["micros"] == _MIN) & (found["days"] == -(2**31)) & (found["months"] == -(2**31))
    return (high, low) if (high | low).any() else None


def interval_text(array: pa.Array) -> pa.Array:
    """string[n]."""
    if not len(array):
        return pa.array([], pa.string())
    months, days, micros = intervals.parts(array)
    years = np.sign(months) * (np.abs(months) // 12)
    months -= years * 12
    text: pa.Array | None = None
    before = np.zeros(len(array), np.bool_)
    empty = np.ones(len(array), np.bool_)
    for values, unit in ((years, "year"), (months, "mon"), (days, "day")):
        shown = values != 0
        if not shown.any():
            continue
        plus = before & (values > 0)
        lead = _choose(empty, "", " ") if text is not None else pa.repeat("", len(array))
        part = _join(
            lead, _choose(plus, "+", ""), _digits(values), _choose(values == 1, f" {unit}", f" {unit}s")
        )
        part = pc.if_else(pa.array(shown), part, "")
        text = part if text is None else _join(text, part)
        before = np.where(shown, values < 0, before)
        empty &= ~shown
    timed = empty | (micros != 0)
    if timed.any():
        sign = np.where(micros < 0, "-", np.where(before, "+", ""))
        # The most negative number has no positive one of 64 bits: as unsigned, it has.
        clock = _clock(np.abs(micros).view(np.uint64))
        part = _join(_choose(empty, "", " "), pa.array(sign, pa.string()), clock)
        part = pc.if_else(pa.array(timed), part, "")
        text = part if text is None else _join(text, part)
    assert text is not None
    if (found := infinities(array)) is not None:
        text = pc.if_else(pa.array(found[0]), "infinity", pc.if_else(pa.array(found[1]), "-infinity", text))
    valid = validity(array)
    return text if valid is None else pc.if_else(pa.array(valid), text, pa.scalar(None, pa.string()))


def time_text(array: pa.Array) -> pa.Array:
    """Times of day: `04:05:06.5`."""
    text = _clock(numpy_values(array).astype(np.uint64))
    valid = validity(array)
    return text if valid is None else pc.if_else(pa.array(valid), text, pa.scalar(None, pa.string()))


def _clock(micros: npt.NDArray[np.uint64]) -> pa.Array:
    """`HH:MM:SS[.ffffff]`; hours may have more than two digits."""
    hours, rest = np.divmod(micros, np.uint64(_HOUR))
    tail = pc.utf8_slice_codeunits(
        pa.array(rest.astype(np.int64)).view(pa.timestamp("us")).cast(pa.string()), 13
    )
    tail = pc.utf8_rtrim(pc.utf8_rtrim(tail, "0"), ".")  # it ends in a point and six digits
    return _join(pc.ascii_lpad(pa.array(hours).cast(pa.string()), 2, "0"), tail)


def _digits(values: Ints) -> pa.Array:
    return pa.array(values).cast(pa.string())


def _choose(mask: Mask, yes: str, no: str) -> pa.Array:
    return pc.if_else(pa.array(mask), yes, no)


def _join(*parts: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(*parts, "")
