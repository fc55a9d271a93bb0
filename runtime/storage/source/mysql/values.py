"""Values of rows in the binary log, a column at a time.

Numbers, floats and bytes are values as they are; everything else becomes the text that the server shows of it in UTC, from which rows are read as
those of a snapshot are: so that what is taken away later is exactly what came.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ....expr.columns.arrays import array_of_numpy
from ....repr import buffers
from ....repr.schema import Column
from ....repr.types import Kind
from ..upstream.rows import Ready
from .binary_json import texts_of_binary, texts_of_shown
from .charsets import Charset
from .events import BIT, DECIMAL, ENUM, SET, STRING, MapColumn, decimal_bytes
from .tables import BINARIES, FLOATS, INTEGERS, TEXTS, MysqlColumn
from .walk import Bytes, Cells, Mask, Positions, Stream

Codes = frozenset[int]

_BLOBS = frozenset((249, 250, 251, 252))
CODES: Mapping[str, Codes] = {
    "tinyint": frozenset((1,)),
    "smallint": frozenset((2,)),
    "mediumint": frozenset((9,)),
    "int": frozenset((3,)),
    "bigint": frozenset((8,)),
    "float": frozenset((4,)),
    "double": frozenset((5,)),
    "decimal": frozenset((DECIMAL,)),
    "bit": frozenset((BIT,)),
    "year": frozenset((13,)),
    "date": frozenset((10, 14)),
    "datetime": frozenset((18,)),
    "timestamp": frozenset((17,)),
    "time": frozenset((19,)),
    "enum": frozenset((ENUM,)),
    "set": frozenset((SET,)),
    "json": frozenset((245,)),
    "char": frozenset((STRING,)),
    "binary": frozenset((STRING,)),
    "varchar": frozenset((15, 253)),
    "varbinary": frozenset((15, 253)),
    **dict.fromkeys(
        ("tinytext", "text", "mediumtext", "longtext", "tinyblob", "blob", "mediumblob", "longblob"), _BLOBS
    ),
}
"""The types that columns may have here, and what the log calls them."""

_DIGIT = ord("0")


def is_of(column: MysqlColumn, there: MapColumn, *, signed_known: bool = True) -> bool:
    """Whether rows in the log have the column as it was when the table was made."""
    numeric = column.kind in INTEGERS and signed_known
    return there.type in CODES.get(column.kind, ()) and (not numeric or there.unsigned == column.unsigned)


def values_of(
    stream: Stream, cells: Cells, column: MysqlColumn, own: Column, charset: Charset | None
) -> pa.Array | Ready:
    """The values of a column, for `rows_of`; `charset` is that of a text."""
    kind = column.kind
    valid = None if cells.null is None else ~cells.null
    # What is NULL has no bytes, and begins where the next value does: some number is read there.
    if kind in INTEGERS or kind in ("bit", "year"):
        return _integers(stream, cells, column, own, valid)
    if kind in FLOATS:
        width = FLOATS[kind]
        raw = stream.little(cells.starts, width)
        floats = raw.astype(np.uint32).view(np.float32) if width == 4 else raw.view(np.float64)
        dtype = np.float32 if own.type.kind is Kind.FLOAT4 else np.float64
        return Ready(array_of_numpy(floats.astype(dtype), valid, own.type.arrow))
    if kind in TEXTS:
        assert charset is not None
        return charset.decoded(buffers.spans(pa.py_buffer(stream.data), *_ends(cells), cells.null))
    if kind in BINARIES:
        found = buffers.spans(pa.py_buffer(stream.data), *_ends(cells), cells.null)
        return Ready(_padded(found, cells, column.parameters[0]) if kind == "binary" else found)
    if kind == "json":
        return texts_of_binary(buffers.spans(pa.py_buffer(stream.data), *_ends(cells), cells.null))
    return shown(_TEXTS[kind](stream, cells, column), column, own)


def shown(raw: pa.Array, column: MysqlColumn, own: Column) -> pa.Array | Ready:
    """What the server shows of values in a session in UTC, for `rows_of`."""
    if column.kind in BINARIES:
        return Ready(raw)
    if column.kind == "json":
        return texts_of_shown(raw)
    if own.type.kind is Kind.TIMESTAMPTZ:
        return pc.binary_join_element_wise(raw.cast(pa.string()), "+00", "")
    return raw


def _ends(cells: Cells) -> tuple[Positions, Positions]:
    """Where values begin and end, in the order of the bytes."""
    return cells.starts, cells.starts + cells.lengths


def _integers(
    stream: Stream, cells: Cells, column: MysqlColumn, own: Column, valid: Mask | None
) -> pa.Array | Ready:
    kind = column.kind
    if kind == "bit":
        found = stream.big(cells.starts, cells.column.width)
    elif kind == "year":
        year = stream.raw[cells.starts].astype(np.int64)
        if own.type.kind is Kind.TEXT:
            return _text(_digits(np.where(year == 0, 0, year + 1900), 4), cells)
        found = np.where(year == 0, 0, year + 1900).astype(np.uint64)
    else:
        width = INTEGERS[kind]
        found = stream.little(cells.starts, width)
        if not column.unsigned:
            shift = np.uint64(64 - 8 * width)
            found = ((found << shift).view(np.int64) >> np.int64(64 - 8 * width)).view(np.uint64)
    if own.type.kind is Kind.TEXT:
        signed = found if column.unsigned or kind == "bit" else found.view(np.int64)
        return pa.array(signed, mask=cells.null).cast(pa.string())
    dtype = buffers.FIXED[own.type.arrow.id]
    return Ready(array_of_numpy(found.astype(dtype), valid, own.type.arrow))


def _padded(found: pa.Array, cells: Cells, width: int) -> pa.Array:
    """BINARY(n): the log leaves out the zeros at its end."""
    if (cells.lengths == width).all():
        return found
    padded = pc.binary_join_element_wise(
        found, pa.scalar(bytes(width), pa.binary()), pa.scalar(b"", pa.binary())
    )
    return pc.binary_slice(padded, 0, width)


# -- texts: a matrix of characters, a row of it for each value --


def _digits(numbers: npt.NDArray[np.int64], width: int) -> Bytes:
    """Decimal digits, with zeros before them."""
    found = np.empty((len(numbers), width), np.uint8)
    left = numbers
    for place in range(width - 1, -1, -1):
        left, digit = np.divmod(left, 10)
        found[:, place] = digit
    found += _DIGIT
    return found


def _character(text: str, count: int) -> Bytes:
    return np.full((count, 1), ord(text), np.uint8)


def _text(characters: Bytes, cells: Cells, skip: Positions | None = None) -> pa.Array:
    """The texts that the rows of the matrix are, without the first `skip` characters of each."""
    count, width = characters.shape
    starts = np.arange(count, dtype=np.int64) * width
    first = starts if skip is None else starts + skip
    data = pa.py_buffer(np.ascontiguousarray(characters))
    return buffers.spans(data, first, starts + width, cells.null)


def _fraction(stream: Stream, cells: Cells, head: int, digits: int) -> list[Bytes]:
    """What stands behind the seconds: it is kept in half as many bytes as it has digits."""
    width = (digits + 1) // 2
    if not width:
        return []
    kept = stream.big(cells.starts + head, width).astype(np.int64) // (10 if digits % 2 else 1)
    return [_character(".", len(kept)), _digits(kept, digits)]


def _date(stream: Stream, cells: Cells, column: MysqlColumn) -> pa.Array:
    found = stream.little(cells.starts, 3).astype(np.int64)
    return _text(_calendar(found >> 9, found >> 5 & 15, found & 31), cells)


def _calendar(year: Positions, month: Positions, day: Positions) -> Bytes:
    dash = _character("-", len(year))
    return np.hstack([_digits(year, 4), dash, _digits(month, 2), dash, _digits(day, 2)])


def _clock(hour: Positions, minute: Positions, second: Positions, hours: int = 2) -> Bytes:
    colon = _character(":", len(hour))
    return np.hstack([_digits(hour, hours), colon, _digits(minute, 2), colon, _digits(second, 2)])


def _fsp(column: MysqlColumn) -> int:
    return column.parameters[0] if column.parameters else 0


def _datetime(stream: Stream, cells: Cells, column: MysqlColumn) -> pa.Array:
    found = stream.big(cells.starts, 5).astype(np.int64) - (1 << 39)
    year, month = np.divmod(found >> 22, 13)
    parts = [
        _calendar(year, month, found >> 17 & 31),
        _character(" ", len(found)),
        _clock(found >> 12 & 31, found >> 6 & 63, found & 63),
        *_fraction(stream, cells, 5, _fsp(column)),
    ]
    return _text(np.hstack(parts), cells)


def _timestamp(stream: Stream, cells: Cells, column: MysqlColumn) -> pa.Array:
    seconds = stream.big(cells.starts, 4).astype(np.int64)
    days, clock = np.divmod(seconds, 86_400)
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    year, month = np.divmod(months.astype(np.int64), 12)
    day = (dates - months.astype("datetime64[D]")).astype(np.int64)
    zero = seconds == 0  # the zero of dates, not 1970
    calendar = _calendar(*(np.where(zero, 0, part) for part in (year + 1970, month + 1, day + 1)))
    parts = [
        calendar,
        _character(" ", len(seconds)),
        _clock(clock // 3600, clock // 60 % 60, clock % 60),
        *_fraction(stream, cells, 4, _fsp(column)),
    ]
    return _text(np.hstack(parts), cells)


def _time(stream: Stream, cells: Cells, column: MysqlColumn) -> pa.Array:
    """From -838:59:59 to 838:59:59; one number with its fraction, which is less than its middle where it is negative."""
    digits = _fsp(column)
    width = (digits + 1) // 2
    found = stream.big(cells.starts, 3 + width).astype(np.int64) - (1 << (23 + 8 * width))
    negative, found = found < 0, np.abs(found)
    clock, rest = found >> 8 * width, found & (1 << 8 * width) - 1
    hour = clock >> 12 & 1023
    parts = [_digits(np.zeros(len(found), np.int64), 1), _clock(hour, clock >> 6 & 63, clock & 63, hours=3)]
    if width:
        kept = rest // (10 if digits % 2 else 1)
        parts += [_character(".", len(kept)), _digits(kept, digits)]
    characters = np.hstack(parts)
    skip = np.where(hour < 100, 2, 1)
    skip = skip - negative
    characters[np.flatnonzero(negative), skip[negative]] = ord("-")
    return _text(characters, cells, skip)


def _decimal(stream: Stream, cells: Cells, column: MysqlColumn) -> pa.Array:
    """Nine digits in four bytes, those that are left over in fewer; the first bit is set of what is not negative, and of what is
    all the others are turned."""
    meta = cells.column.meta
    precision, scale = meta & 0xFF, meta >> 8
    whole = precision - scale
    negative = stream.raw[cells.starts] < 0x80
    parts: list[Bytes] = [_character("0", len(negative))]
    at, first = cells.starts, True
    for digits in (whole % 9, *[9] * (whole // 9), -1, *[9] * (scale // 9), scale % 9):
        if digits == -1:
            if scale:
                parts.append(_character(".", len(negative)))
            continue
        width = decimal_bytes(digits)
        if not width:
            continue
        found = stream.big(at, width).astype(np.int64)
        if first:
            found, first = found ^ (1 << 8 * width - 1), False
        found = np.where(negative, found ^ (1 << 8 * width) - 1, found)
        parts.append(_digits(found, digits))
        at = at + width
    characters = np.hstack(parts)
    if not whole:
        characters = np.hstack([characters[:, :1], characters])
        whole = 1
    # One zero stays before the point.
    integers = characters[:, 1 : 1 + whole] != _DIGIT
    zeros = np.where(integers.any(axis=1), integers.argmax(axis=1), whole - 1)
    skip = 1 + zeros - negative
    characters[np.flatnonzero(negative), skip[negative]] = ord("-")
    return _text(characters, cells, skip)


def _enum(stream: Stream, cells: Cells, column: MysqlColumn) -> pa.Array:
    """The number of a label; 0 is what was no label, and is shown as nothing."""
    number = stream.little(cells.starts, cells.column.width).astype(np.int64)
    labels = pa.array(["", *column.labels], pa.string())
    number = np.where(number < len(labels), number, 0)
    return labels.take(pa.array(number, mask=cells.null))


def _set(stream: Stream, cells: Cells, column: MysqlColumn) -> pa.Array:
    """A bit for each label."""
    bits = stream.little(cells.starts, cells.column.width)
    found, place = np.unique(bits, return_inverse=True)
    labels = column.labels
    shown = [",".join(label for i, label in enumerate(labels) if one >> i & 1) for one in found.tolist()]
    return pa.array(shown, pa.string()).take(pa.array(place.astype(np.int64), mask=cells.null))


_TEXTS: Mapping[str, Callable[[Stream, Cells, MysqlColumn], pa.Array]] = {
    "decimal": _decimal,
    "date": _date,
    "datetime": _datetime,
    "timestamp": _timestamp,
    "time": _time,
    "enum": _enum,
    "set": _set,
}
