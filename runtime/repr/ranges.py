"""Ranges: bytes that sort as PostgreSQL sorts ranges, and that are the same where ranges are equal.

A column of ranges is Arrow binary, every value of the type as long as any other: two *places*, those of its bounds, each

    kind uint8 | value of the subtype, big-endian, its sign flipped | side uint8

`kind` is 1 below every value, 2 at one, 3 above every value.  `side` tells where at the value a bound lies: 0 just below
it, 1 at it, 2 just above.  So `[5` is (5, 1), `(5` is (5, 2), `5]` is (5, 1) and `5)` is (5, 0), and places of both bounds
have one order, that of their bytes: `5)` is below `[5`, `5]` is at it.  The empty range is all zeros, below every other.
Whatever an operator of ranges asks is asked of places, which are compared as byte strings, whatever the subtype.

As it is made of plain bytes that are equal where values are, a range is hashed, compared, sorted, stored and sent as
`bytea` is.  These bytes are a durable format.  Ranges are canonical when they are stored (see `expr/text/ranges.py`), so `[1,2]` and `[1,3)` of integers are one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from . import buffers
from .types import ScalarType

BELOW_ALL, AT_VALUE, ABOVE_ALL = 1, 2, 3
"""Kinds of places."""
JUST_BELOW, AT, JUST_ABOVE = 0, 1, 2
"""Sides of a value."""

Places = npt.NDArray[np.bytes_]
"""Places of one subtype, as numpy's byte strings: these compare as the places do."""
Mask = npt.NDArray[np.bool_]
Raw = npt.NDArray[np.uint8]

_TOP_BIT = np.uint64(1 << 63)
_MAX_BYTES = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Ranges:
    """Places of the lower and of the upper bounds, n each, and which ranges are empty: their places mean nothing."""

    lows: Places
    highs: Places
    empty: Mask


def take_apart(column: pa.Array, type_: ScalarType) -> Ranges:
    """The values of a column of ranges; a NULL is an empty range here."""
    half = _value_width(type_) + 2
    rows = _rows(column, 2 * half)
    return Ranges(_strings(rows[:, :half]), _strings(rows[:, half:]), rows[:, 0] == 0)


def put_together(ranges: Ranges, valid: Mask | None) -> pa.Array:
    """A column of ranges; NULL outside `valid`."""
    rows = np.concatenate((raw(ranges.lows), raw(ranges.highs)), axis=1)
    rows[ranges.empty] = 0
    return _binary(rows, valid)


def _binary(rows: Raw, valid: Mask | None) -> pa.Array:
    count, width = rows.shape
    if rows.size > _MAX_BYTES:
        raise pa.ArrowCapacityError("a column of ranges holds more than 2 GB")
    bitmap = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    offsets = np.arange(0, (count + 1) * width, width, dtype=np.int32)
    return pa.Array.from_buffers(pa.binary(), count, [bitmap, pa.py_buffer(offsets), pa.py_buffer(rows.data)])


def places(values: pa.Array, sides: npt.NDArray[np.uint8] | int, unbounded: int) -> Places:
    """Where bounds at `values` (of the subtype) lie; those of NULLs are of the kind `unbounded`."""
    encoded = _encoded(values)
    rows = np.empty((len(values), encoded.shape[1] + 2), np.uint8)
    rows[:, 0] = AT_VALUE
    rows[:, 1:-1] = encoded
    rows[:, -1] = sides
    valid = buffers.validity(values)
    if valid is not None:
        rows[~valid] = 0
        rows[~valid, 0] = unbounded
    return _strings(rows)


def values(bounds: Places, type_: ScalarType, valid: Mask) -> pa.Array:
    """The values of the subtype of range type `type_` at which the places lie; NULL outside `valid`, which leaves out
    those of other kinds than AT_VALUE."""
    encoded = np.ascontiguousarray(raw(bounds)[:, 1:-1])
    width = encoded.shape[1]
    data: npt.NDArray[np.unsignedinteger[Any]]
    if width > 8:
        words = encoded.view(">u8").astype("<u8")
        words[:, 0] ^= _TOP_BIT
        data = np.ascontiguousarray(words[:, ::-1])
    else:
        data = encoded.view(f">u{width}").ravel().astype(f"<u{width}")
        data ^= data.dtype.type(1 << 8 * width - 1)
    bitmap = None
    if not valid.all():
        data[~valid] = 0
        bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(type_.subtype.arrow, len(bounds), [bitmap, pa.py_buffer(data)])


def kinds(bounds: Places) -> Raw:
    return raw(bounds)[:, 0]


def sides(bounds: Places) -> Raw:
    return raw(bounds)[:, -1]


def at_values(bounds: Places) -> npt.NDArray[np.bytes_]:
    """The values alone, as byte strings that compare as they do: places without their sides."""
    return _strings(raw(bounds)[:, :-1])


def moved(bounds: Places, by: int) -> Places:
    """The places one side further, up or down, at the same values; places without a value as they are."""
    rows = raw(bounds).copy()
    rows[rows[:, 0] == AT_VALUE, -1] += np.uint8(by % 256)
    return _strings(rows)


def to_bytes(bounds: Places, valid: Mask | None) -> pa.Array:
    """The places as a column of bytes, which sort as they do; NULL outside `valid`."""
    return _binary(raw(bounds), valid)


def from_bytes(column: pa.Array, type_: ScalarType) -> Places:
    """The inverse of `to_bytes`, for places of the subtype of range type `type_`; zeros for NULLs."""
    return _strings(_rows(column, _value_width(type_) + 2))


def raw(bounds: Places) -> Raw:
    """uint8[n, bytes of a place]."""
    found: Raw = np.ascontiguousarray(bounds).view(np.uint8).reshape(len(bounds), bounds.dtype.itemsize)
    return found


def _strings(rows: Raw) -> Places:
    found: Places = np.ascontiguousarray(rows).view(f"S{rows.shape[1]}").reshape(len(rows))
    return found


def _value_width(type_: ScalarType) -> int:
    return int(type_.subtype.arrow.bit_width) // 8


def _rows(column: pa.Array, width: int) -> Raw:
    """uint8[n, width] of the values; zeros for NULLs."""
    valid = buffers.validity(column)
    if valid is not None:
        rows = np.zeros((len(column), width), np.uint8)
        rows[valid] = _rows(column.drop_null(), width)
        return rows
    start = int(buffers.text_offsets(column)[0])
    data = buffers.text_data(column)[start : start + len(column) * width]
    found: Raw = data.reshape(len(column), width)
    return found


def _encoded(values: pa.Array) -> Raw:
    """uint8[n, width]: values as bytes that sort as they do."""
    if values.type.id in buffers.DECIMAL_LIMBS:
        limbs = buffers.limbs(values)
        width = 8 * limbs.shape[1]
        words = limbs[:, ::-1].astype(">u8", order="C")
        words[:, 0] ^= _TOP_BIT
    else:
        found = buffers.fixed(values)
        width = found.dtype.itemsize
        unsigned = found.view(f"<u{width}")
        words = (unsigned ^ unsigned.dtype.type(1 << 8 * width - 1)).astype(f">u{width}")
    encoded: Raw = words.view(np.uint8).reshape(len(values), width)
    return encoded
