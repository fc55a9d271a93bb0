"""Decimals of Avro, integers in two's complement, big-endian, of any length, as numerics."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....expr.columns.arrays import with_nulls
from ....expr.columns.decimals import POWERS, Ints, from_int64, from_ints
from ....expr.columns.row_errors import Evaluated, Mask, merge_errors, same_error
from ....repr.buffers import validity
from ....repr.types import UNCONSTRAINED_SCALE, ScalarType
from .schema import Logical

_NARROW = 8
_INT64_DIGITS = 18


def decimals(raw: pa.BinaryArray, logical: Logical, type_: ScalarType) -> Evaluated:
    """`type_` is the numeric of the decimal's precision and scale, or that of any."""
    valid = validity(raw)
    values, empty = _integers(raw, valid)
    none = same_error(np.flatnonzero(empty), "22P03", "a decimal of no bytes")
    if type_.scale is not None and values.dtype == np.int64:
        beyond = np.zeros(len(values), np.bool_)
        if logical.precision <= _INT64_DIGITS:
            limit = 10**logical.precision
            beyond = (values >= limit) | (values <= -limit)
        array, overflow = from_int64(values, valid, type_), beyond
    else:
        shift = 0 if type_.scale is not None else UNCONSTRAINED_SCALE - logical.scale
        array, found = from_ints(values.astype(object) * POWERS[shift], valid, type_)
        overflow = np.zeros(len(values), np.bool_) if found is None else found
    wide = same_error(np.flatnonzero(overflow), "22003", f"value is out of range for type {type_}")
    errors = merge_errors([none, wide])
    return Evaluated(array if errors is None else with_nulls(array, errors.indices), errors)


def _integers(raw: pa.BinaryArray, valid: Mask | None) -> tuple[Ints, Mask]:
    """int64[n], or Python's integers where one does not fit; 0 for NULL.  And which are of no bytes."""
    if not len(raw):
        return np.empty(0, np.int64), np.empty(0, np.bool_)
    offsets = np.frombuffer(raw.buffers()[1], np.int32)[raw.offset : raw.offset + len(raw) + 1]
    ends, lengths = offsets[1:].astype(np.int64), np.diff(offsets)
    there = lengths > 0 if valid is None else (lengths > 0) & valid
    empty = ~there if valid is None else ~there & valid
    data = raw.buffers()[2]
    if data is None or not there.any():
        return np.zeros(len(raw), np.int64), empty
    values = _narrow(np.frombuffer(data, np.uint8), ends, np.where(there, lengths, 0))
    wide = np.flatnonzero(there & (lengths > _NARROW))
    if not len(wide):
        return values, empty
    found = values.astype(object)
    for row, digits in zip(wide.tolist(), raw.take(pa.array(wide)).to_pylist(), strict=True):
        found[row] = int.from_bytes(digits, "big", signed=True)
    fits = all(-(1 << 63) <= found[row] < 1 << 63 for row in wide.tolist())
    return found.astype(np.int64) if fits else found, empty


def _narrow(
    data: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64], lengths: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """The integers of up to eight bytes; of longer ones, the last eight bytes."""
    steps = np.arange(_NARROW)
    inside = steps < lengths[:, None]
    places = np.where(inside, ends[:, None] - 1 - steps, 0)
    negative = (lengths > 0) & (data[np.where(lengths > 0, ends - lengths, 0)] >= 0x80)
    digits = np.where(inside, data[places], np.where(negative, 0xFF, 0)[:, None]).astype(np.uint8)
    return np.ascontiguousarray(digits).view("<i8").reshape(-1)
