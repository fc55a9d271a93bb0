"""Fields: the values of a column as DataRow and binary COPY carry them, an int32 length (-1 for NULL) and bytes.

A column is encoded whole, into one or two *pieces*: Arrow binary arrays of one entry per row.  A row of a message is
its pieces joined, which one Arrow kernel does for all rows at once, so that no value is ever a Python object:

    header | length 0 | value 0 | length 1 | value 1 | ...
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..expr.datetimes.zones import Zone
from ..expr.text.text_format import to_text
from ..repr import intervals, ranges
from ..repr.buffers import validity
from ..repr.types import TEXT, Kind, ScalarType
from .numeric import numeric_fields
from .pieces import Lengths, join, offsets_of, packed, strided, words

EPOCH_DAYS = 10_957
"""Days from 1970-01-01 to 2000-01-01, where PostgreSQL's dates begin."""
EPOCH_MICROSECONDS = EPOCH_DAYS * 86_400_000_000

FIXED: dict[Kind, tuple[str, str, int, int]] = {
    Kind.BOOL: ("u1", "u1", 1, 0),
    Kind.INT2: ("<i2", ">i2", 2, 0),
    Kind.INT4: ("<i4", ">i4", 4, 0),
    Kind.INT8: ("<i8", ">i8", 8, 0),
    Kind.UINT2: ("<u2", ">u2", 2, 0),
    Kind.UINT4: ("<u4", ">u4", 4, 0),
    Kind.UINT8: ("<u8", ">u8", 8, 0),
    Kind.OID: ("<i8", ">u4", 4, 0),
    Kind.FLOAT4: ("<f4", ">f4", 4, 0),
    Kind.FLOAT8: ("<f8", ">f8", 8, 0),
    Kind.DATE: ("<i4", ">i4", 4, EPOCH_DAYS),
    Kind.TIMESTAMP: ("<i8", ">i8", 8, EPOCH_MICROSECONDS),
    Kind.TIMESTAMPTZ: ("<i8", ">i8", 8, EPOCH_MICROSECONDS),
    Kind.TIME: ("<i8", ">i8", 8, 0),
}
"""Kinds of fixed width: numpy type of Arrow's values (one byte per boolean), numpy type and bytes on the wire, what
to subtract."""


def encode(
    array: pa.Array, type_: ScalarType, format_: int, zone: Zone | None = None
) -> tuple[list[pa.Array], Lengths]:
    """The pieces of a column, and the bytes that each row's field takes, its length word included.

    Text of instants is in `zone`, or in UTC.
    """
    if format_ == 0:
        return _varying(to_text(array, type_, zone).cast(pa.binary()))
    match type_.kind:
        case Kind.TEXT | Kind.VARCHAR | Kind.NAME | Kind.JSON:
            return _varying(array.cast(pa.binary()))
        case Kind.BPCHAR | Kind.MZ_TIMESTAMP:  # digits, as Materialize sends them
            return _varying(to_text(array, type_).cast(pa.binary()))
        case Kind.BYTEA | Kind.UUID:
            return _varying(array)
        case Kind.CHAR:
            raw = array.cast(pa.binary())
            return _varying(pc.if_else(pc.equal(pc.binary_length(raw), 0), b"\0", raw))
        case Kind.JSONB:
            return _varying(pc.binary_join_element_wise(b"", array.cast(pa.binary()), b"\1"))
        case Kind.BOOL:
            return _fixed(array.cast(pa.uint8()), Kind.BOOL)
        case Kind.NUMERIC:
            pieces, lengths = numeric_fields(array, type_)
            return [strided(words(lengths)), *pieces], np.maximum(lengths, 0) + 4
        case Kind.INTERVAL:
            return _varying(_big_endian(array))
        case Kind.ARRAY | Kind.LIST:
            assert type_.element is not None
            return _varying(_encode_lists(array, type_.element))
        case Kind.MAP:
            return _varying(_encode_maps(array, type_))
        case Kind.RECORD:
            return _varying(_encode_records(array, type_))
        case _ if type_.is_range:
            return _varying(_encode_ranges(array, type_))
        case _:
            return _fixed(array, type_.kind)


def _varying(raw: pa.Array) -> tuple[list[pa.Array], Lengths]:
    sizes = np.diff(offsets_of(raw)).astype(np.int64)
    valid = validity(raw)
    if valid is None:
        return [strided(words(sizes)), raw], sizes + 4
    return [strided(words(np.where(valid, sizes, -1))), raw], np.where(valid, sizes, 0) + 4


def _fixed(array: pa.Array, kind: Kind) -> tuple[list[pa.Array], Lengths]:
    source, wire, width, epoch = FIXED[kind]
    count = len(array)
    raw = np.frombuffer(array.buffers()[1] or b"", source)[array.offset : array.offset + count]
    values = (_since_2000(raw, epoch) if epoch else raw).astype(wire)
    valid = validity(array)
    if valid is None:
        records = np.empty(count, np.dtype([("size", ">i4"), ("value", wire)]))
        records["size"] = width
        records["value"] = values
        return [strided(records)], np.full(count, width + 4, np.int64)
    sizes = np.where(valid, width, 0)
    present = packed(sizes, np.ascontiguousarray(values[valid]))
    return [strided(words(np.where(valid, width, -1))), present], sizes + 4


def _since_2000(values: npt.NDArray[Any], epoch: int) -> npt.NDArray[Any]:
    """Dates and timestamps as they count on the wire; the infinite ones are the bounds of the type there as here."""
    bounds = np.iinfo(values.dtype)
    endless = (values == bounds.max) | (values == bounds.min)
    return np.where(endless, values, values - epoch)


def _big_endian(array: pa.Array) -> pa.Array:
    """Intervals in binary: PostgreSQL's order of the parts is Arrow's here, its bytes are swapped."""
    swapped = intervals.records(array).astype(intervals.LAYOUT.newbyteorder(">"))
    values = pa.Array.from_buffers(intervals.ARROW, len(array), [None, pa.py_buffer(swapped)])
    if array.null_count:
        values = pc.if_else(array.is_valid(), values, pa.scalar(None, intervals.ARROW))
    return values.cast(pa.binary())


RANGE_EMPTY, LOWER_INCLUDED, UPPER_INCLUDED, NO_LOWER, NO_UPPER = 1, 2, 4, 8, 16
"""Flags of a range in binary."""


def _encode_ranges(array: pa.Array, type_: ScalarType) -> pa.Array:
    """Ranges in binary: flags, then the field of each bound that there is."""
    found = ranges.take_apart(array, type_)
    flags = np.where(found.empty, RANGE_EMPTY, 0)
    pieces: list[pa.Array] = []
    for bounds, included, missing in (
        (found.lows, LOWER_INCLUDED, NO_LOWER),
        (found.highs, UPPER_INCLUDED, NO_UPPER),
    ):
        bounded = ranges.kinds(bounds) == ranges.AT_VALUE
        flags |= np.where(bounded & (ranges.sides(bounds) == ranges.AT), included, 0)
        flags |= np.where(bounded | found.empty, 0, missing)
        fields = join(encode(ranges.values(bounds, type_, bounded), type_.subtype, 1)[0])
        pieces.append(fields if bounded.all() else pc.if_else(pa.array(bounded), fields, b""))
    encoded = join([strided(flags.astype(np.uint8)), *pieces])
    return (
        pc.if_else(array.is_valid(), encoded, pa.scalar(None, pa.binary())) if array.null_count else encoded
    )


def _flat(array: pa.Array) -> tuple[pa.Array, npt.NDArray[np.int32]]:
    """All elements of a column of lists, and where in them each list begins, and the last ends."""
    bounds = np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]
    return array.values.slice(int(bounds[0]), int(bounds[-1] - bounds[0])), bounds - bounds[0]


def _slices(fields: pa.Array, bounds: npt.NDArray[np.int32]) -> pa.Array:
    """The bytes of the elements of each list, of the bytes of each element."""
    starts = offsets_of(fields)[bounds]
    return pa.Array.from_buffers(
        pa.binary(), len(bounds) - 1, [None, pa.py_buffer(starts.astype(np.int32)), fields.buffers()[2]]
    )


def _encode_maps(array: pa.Array, type_: ScalarType) -> pa.Array:
    """Maps in binary, as PostgreSQL's hstore: how many entries, then the fields of each key and value."""
    assert type_.element is not None
    flat, bounds = _flat(array)
    keys, values = flat.flatten()
    entries = join([*encode(keys, TEXT, 1)[0], *encode(values, type_.element, 1)[0]])
    encoded = join([strided(np.diff(bounds).astype(">i4")), _slices(entries, bounds)])
    return _where_valid(array, encoded)


def _encode_records(array: pa.Array, type_: ScalarType) -> pa.Array:
    """Records in binary: how many fields, then each one's type and field."""
    count = len(array)
    pieces: list[pa.Array] = [strided(np.full(count, len(type_.fields), ">i4"))]
    for values, (_, field) in zip(array.flatten(), type_.fields, strict=True):
        pieces += [strided(np.full(count, field.oid, ">u4")), *encode(values, field, 1)[0]]
    return _where_valid(array, join(pieces))


def _where_valid(array: pa.Array, encoded: pa.Array) -> pa.Array:
    if not array.null_count:
        return encoded
    return pc.if_else(array.is_valid(), encoded, pa.scalar(None, pa.binary()))


_LIST_HEADER = np.dtype(
    [("dimensions", ">i4"), ("nulls", ">i4"), ("element", ">u4"), ("size", ">i4"), ("lower", ">i4")]
)


def _encode_lists(array: pa.Array, element: ScalarType) -> pa.Array:
    """Arrays and lists in binary.  The fields of all elements are encoded at once; a list is a slice of them."""
    flat, bounds = _flat(array)
    bodies = _slices(join(encode(flat, element, 1)[0]), bounds)
    counts = np.diff(bounds)
    null_total = np.zeros(len(flat) + 1, np.int64)
    valid = validity(flat)
    if valid is not None:
        np.cumsum(~valid, out=null_total[1:])
    records = np.zeros(len(array), _LIST_HEADER)
    records["dimensions"] = counts > 0
    records["nulls"] = np.diff(null_total[bounds]) > 0
    records["element"] = element.oid
    records["size"] = counts
    records["lower"] = 1
    # An empty array has no dimensions, so its header ends after the element's type.
    kept = np.arange(_LIST_HEADER.itemsize) < np.where(counts > 0, 20, 12)[:, None]
    data = records.view(np.uint8).reshape(len(array), -1)[kept]
    return _where_valid(array, join([packed(np.where(counts > 0, 20, 12), data), bodies]))
