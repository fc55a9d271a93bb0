"""DataRow messages for whole chunks of a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from ..coord.results.results import Columns
from ..expr.datetimes.zones import Zone
from ..expr.text.text_format import to_text
from ..repr.schema import Schema
from ..repr.types import Kind, ScalarType
from .codec import message
from .fields import encode
from .pieces import join, joined_bytes, strided

ROWS_PER_PIECE = 10_000
BYTES_PER_PIECE = 4 << 20

SMALL_PIECE = 64 << 10
"""Bytes that are encoded where they are: another thread costs as much."""

FEW_ROWS = 16
"""Up to here Python objects are cheaper than the fixed costs of array kernels."""

_ARE_TEXT = frozenset((Kind.TEXT, Kind.VARCHAR, Kind.NAME, Kind.JSON, Kind.JSONB))
"""Kinds whose values are stored as they are printed."""

_HEADER = np.dtype([("kind", "S1"), ("size", ">i4"), ("columns", ">i2")])
_NULL = (-1).to_bytes(4, "big", signed=True)


def size(columns: Columns) -> int:
    """In bytes; of a small piece the buffers', which are told ten times as fast and may be of more rows."""
    buffers: int = sum(column.get_total_buffer_size() for column in columns)
    return buffers if buffers <= SMALL_PIECE else sum(column.nbytes for column in columns)


def slices(columns: Columns) -> Iterator[Columns]:
    """The chunk in pieces of bounded size, so that output is bounded too."""
    count = len(columns[0]) if columns else 0
    if not count:
        return
    width = max(size(columns) // count, 1)
    step = max(min(ROWS_PER_PIECE, BYTES_PER_PIECE // width), 1)
    if count <= step:
        yield columns
        return
    for start in range(0, count, step):
        yield tuple(column.slice(start, step) for column in columns)


def data_rows(
    columns: Columns, schema: Schema, formats: Sequence[int], zone: Zone | None = None
) -> bytes | memoryview:
    """One DataRow message per row.  `formats` has one code per column; text of instants is in `zone`."""
    count = len(columns[0])
    if count <= FEW_ROWS and not any(formats):
        return _few_rows(columns, schema, zone)
    total = np.full(count, 6, np.int64)
    pieces = []
    for array, column, format_ in zip(columns, schema, formats, strict=True):
        encoded, sizes = encode(array, column.type, format_, zone)
        pieces += encoded
        total += sizes
    header = np.empty(count, _HEADER)
    header["kind"] = b"D"
    header["size"] = total
    header["columns"] = len(columns)
    return joined_bytes(join([strided(header), *pieces]))


def _few_rows(columns: Columns, schema: Schema, zone: Zone | None) -> bytes:
    texts = [_texts(array, type_, zone) for array, type_ in zip(columns, schema.types, strict=True)]
    out = []
    for row in zip(*texts, strict=True):
        parts = [len(row).to_bytes(2, "big")]
        for text in row:
            if text is None:
                parts.append(_NULL)
            else:
                raw = text.encode()
                parts.append(len(raw).to_bytes(4, "big"))
                parts.append(raw)
        out.append(message(b"D", b"".join(parts)))
    return b"".join(out)


def _texts(array: pa.Array, type_: ScalarType, zone: Zone | None) -> list[str | None]:
    """As `to_text`, but without a kernel where Python writes a value the same way."""
    if type_.kind in _ARE_TEXT:
        return array.to_pylist()  # type: ignore[no-any-return]
    if type_.is_integer:
        return [None if value is None else str(value) for value in array.to_pylist()]
    if type_.kind is Kind.NUMERIC and type_.scale is not None:
        return [None if value is None else f"{value:f}" for value in array.to_pylist()]
    if type_.kind is Kind.BOOL:
        return [None if value is None else "t" if value else "f" for value in array.to_pylist()]
    return to_text(array, type_, zone).to_pylist()  # type: ignore[no-any-return]
