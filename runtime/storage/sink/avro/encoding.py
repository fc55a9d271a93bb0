"""Avro's encoding of whole columns, by kernels: what each value is in bytes, NULL as the first branch of a union.

A record has no bytes of its own, nor has an array but for the number of its items in front and a zero behind.  So a value is the
*parts* of what it is made of, one behind the other, and these are joined once for each row.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ....expr.columns.arrays import numpy_values
from ....expr.columns.decimals import as_int64, words_of
from ....expr.columns.infinities import infinite
from ....expr.columns.lists import counts_of
from ....expr.text.text_format import to_text
from ....repr.batch import Mask
from ....repr.types import SEQUENCES, TEXT, Kind, ScalarType
from ..contract import Unwritable

Parts: TypeAlias = list["pa.BinaryArray | bytes"]
"""What n values have one behind the other: arrays of n, and what all have."""
_NULL, _PRESENT = b"\x00", b"\x02"
"""The branches of a union of null and something."""
_INTEGERS = frozenset((Kind.INT2, Kind.INT4, Kind.INT8, Kind.UINT2, Kind.UINT4, Kind.OID))
_CLOCKS = frozenset((Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ))
_SIGN = 0x80
_BITS = 7
"""Of a number in each byte."""


def column_parts(values: pa.Array, type_: ScalarType, column: str, *, nullable: bool) -> Parts:
    """Of a field.  Raises Unwritable, which names `column`."""
    if nullable:
        return _or_null(values, type_, column)
    if values.null_count:
        raise Unwritable(
            f'column "{column}" is NULL, and the sink\'s Avro schema says that it never is',
            hint="Leave such rows out in a view, or drop the sink, and create it again.",
        )
    return _parts(values, type_, column)


def joined(parts: Parts, count: int) -> pa.BinaryArray:
    """Those of each of `count` rows, one behind the other."""
    merged: Parts = []
    for part in parts:
        if merged and isinstance(part, bytes) and isinstance(merged[-1], bytes):
            merged[-1] += part
        else:
            merged.append(part)
    if len(merged) == 1 and not isinstance(merged[0], bytes):
        return merged[0]
    if all(isinstance(part, bytes) for part in merged):
        return pa.repeat(pa.scalar(b"".join(map(bytes, merged)), pa.binary()), count)
    scalars = (pa.scalar(part, pa.binary()) if isinstance(part, bytes) else part for part in merged)
    return pc.binary_join_element_wise(*scalars, pa.scalar(b"", pa.binary()))


def spread(present: pa.BinaryArray, there: Mask, *, absent_is_null: bool) -> pa.BinaryArray:
    """The values in the places that are `there`; NULL or nothing in the others."""
    if there.all():
        return present
    lengths = np.zeros(len(there), np.int64)
    lengths[there] = np.diff(_offsets(present))
    offsets = (np.concatenate(([0], np.cumsum(lengths))) + _offsets(present)[0]).astype(np.int32)
    valid = pa.array(there).buffers()[1] if absent_is_null else None
    data = present.buffers()[2]
    return pa.Array.from_buffers(pa.binary(), len(there), [valid, pa.py_buffer(offsets), data])


def _or_null(values: pa.Array, type_: ScalarType, column: str) -> Parts:
    if values.null_count == len(values):
        return [_NULL]
    parts: Parts = [_PRESENT, *_parts(values, type_, column)]
    if not values.null_count:
        return parts
    return [pc.if_else(values.is_valid(), joined(parts, len(values)), pa.scalar(_NULL, pa.binary()))]


def _parts(values: pa.Array, type_: ScalarType, column: str) -> Parts:
    """Those of NULL are anything."""
    kind = type_.kind
    if kind in _INTEGERS or kind in _CLOCKS:
        if kind in _CLOCKS and kind is not Kind.TIME and infinite(values) is not None:
            raise Unwritable(
                f'column "{column}" is infinite, which Avro has no {type_} for',
                hint="Make it NULL, or leave such rows out, in a view.",
            )
        return [varints(numpy_values(values).astype(np.int64, copy=False))]
    if kind in (Kind.NUMERIC, Kind.UINT8, Kind.MZ_TIMESTAMP):
        return [_decimals(values)]
    if kind in (Kind.FLOAT4, Kind.FLOAT8):
        return [_rows_of(numpy_values(values).view(np.uint8).reshape(len(values), -1))]
    if kind is Kind.BOOL:
        return [_rows_of(numpy_values(values).astype(np.uint8).reshape(-1, 1))]
    if kind is Kind.BYTEA:
        return _with_length(values)
    if kind in SEQUENCES or kind is Kind.MAP:
        return _collection(values, type_, column)
    return _with_length(to_text(values, type_).cast(pa.binary()))


def _with_length(values: pa.BinaryArray) -> Parts:
    lengths = pc.fill_null(pc.binary_length(values), 0)
    return [varints(numpy_values(lengths).astype(np.int64)), values]


def _collection(values: pa.ListArray, type_: ScalarType, column: str) -> Parts:
    """One block of all items, if there are any, and the empty one that ends it."""
    assert type_.element is not None
    items, counts = values.flatten(), counts_of(values)
    if type_.kind is Kind.MAP:
        keys, inner = items.flatten()
        parts = [*_parts(keys, TEXT, column), *_or_null(inner, type_.element, column)]
    else:
        parts = _or_null(items, type_.element, column)
    block = joined(parts, len(items))
    ends = np.concatenate(([0], np.cumsum(counts)))
    offsets = np.ascontiguousarray(_offsets(block)[ends])
    data = block.buffers()[2] or pa.py_buffer(b"")
    blocks = pa.Array.from_buffers(pa.binary(), len(values), [None, pa.py_buffer(offsets), data])
    sizes = spread(varints(counts[counts > 0]), counts > 0, absent_is_null=False)
    return [sizes, blocks, b"\x00"]


def varints(values: npt.NDArray[np.int64]) -> pa.BinaryArray:
    """Numbers as int and long are written: zigzag, seven bits a byte, the least ones first."""
    if not len(values):
        return pa.array([], pa.binary())
    zigzag = ((values << 1) ^ (values >> 63)).view(np.uint64)
    width = max(-(-int(zigzag.max()).bit_length() // _BITS), 1)
    matrix = np.empty((len(values), width), np.uint8)
    lengths = np.ones(len(values), np.int64)
    for place in range(width):
        rest = zigzag >> np.uint64(_BITS)
        more = rest != 0
        matrix[:, place] = (zigzag & np.uint64(0x7F)).astype(np.uint8) | (more.astype(np.uint8) << 7)
        lengths += more
        zigzag = rest
    return _rows_of(matrix, np.arange(width) < lengths[:, None], lengths)


def _decimals(values: pa.Array) -> pa.BinaryArray:
    """Integers in two's complement, big-endian, in as few bytes as that takes, behind the number of these."""
    if not len(values):
        return pa.array([], pa.binary())
    big_endian = _big_endian(values)
    width = big_endian.shape[1]
    negative = big_endian[:, 0] >= _SIGN
    differs = big_endian != np.where(negative, 0xFF, 0)[:, None]
    first = np.argmax(differs, axis=1)
    rows = np.arange(len(values))
    # The first byte that says something needs one before it where its own first bit is not the sign.
    start = first - ((big_endian[rows, first] >= _SIGN) != negative)
    start = np.where(differs[rows, first], start, width - 1)
    lengths = width - start
    sizes = (lengths * 2).astype(np.uint8)[:, None]  # zigzag; at most 33, which is one byte
    keep = np.arange(-1, width) >= start[:, None]
    keep[:, 0] = True
    return _rows_of(np.hstack((sizes, big_endian)), keep, lengths + 1)


def _big_endian(values: pa.Array) -> npt.NDArray[np.uint8]:
    """uint8[n, width]"""
    narrow = as_int64(values)
    if narrow is not None:
        return narrow.astype(">i8").view(np.uint8).reshape(len(values), -1)
    words = words_of(values)
    flipped = np.ascontiguousarray(words[:, ::-1]).astype(">i8").view(np.uint8).reshape(len(values), -1)
    if pa.types.is_uint64(values.type):  # which has no sign
        return np.hstack((np.zeros((len(values), 1), np.uint8), flipped))
    return flipped


def _rows_of(
    matrix: npt.NDArray[np.uint8], keep: Mask | None = None, lengths: npt.NDArray[Any] | None = None
) -> pa.BinaryArray:
    """The rows of a matrix, or of each what is to be kept, as values."""
    count, width = matrix.shape
    if lengths is None or int(lengths.min(initial=width)) == width:
        data = np.ascontiguousarray(matrix).ravel()
        offsets = np.arange(count + 1, dtype=np.int32) * np.int32(width)
    else:
        assert keep is not None
        data = matrix[keep]
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _offsets(values: pa.BinaryArray) -> npt.NDArray[np.int32]:
    """int32[n + 1]"""
    if not len(values):
        return np.zeros(1, np.int32)
    return np.frombuffer(values.buffers()[1], np.int32, len(values) + 1, values.offset * 4)
