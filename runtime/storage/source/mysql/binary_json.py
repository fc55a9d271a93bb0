"""JSON of MySQL: as rows in the log have it, which is binary, and as a query shows it; both become the same texts, for `jsonb`.

value  = type (1 byte), and what its type says
object = how many members there are, how many bytes it has; of each key where it begins and how long it is; of each value its type, and where
         it begins (or itself, if it is small); keys, values.  An array is one without keys.

Numbers of a large object have four bytes, of a small one two; places are counted from the object's beginning.  A number has no zeros at the
end of its fraction here, as the two do not agree on them: 1.0 is 1.
"""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa

from ....expr.datetimes.datetime_input import InputError
from ....expr.jsonb.document import check_characters, encode
from .events import DECIMAL, broken, decimal_bytes

_SMALL_OBJECT, _LARGE_OBJECT, _SMALL_ARRAY, _LARGE_ARRAY, _LITERAL, _DOUBLE, _STRING, _OPAQUE = (
    *range(5),
    0x0B,
    0x0C,
    0x0F,
)
_LITERALS = {0: None, 1: True, 2: False}
_NUMBERS = {
    5: struct.Struct("<h"),
    6: struct.Struct("<H"),
    7: struct.Struct("<i"),
    8: struct.Struct("<I"),
    9: struct.Struct("<q"),
    10: struct.Struct("<Q"),
}
_F64, _I64 = struct.Struct("<d"), struct.Struct("<q")
_HEADS = {False: struct.Struct("<HH"), True: struct.Struct("<II")}
_KEYS = {False: struct.Struct("<HH"), True: struct.Struct("<IH")}
_PLACES = {False: struct.Struct("<H"), True: struct.Struct("<I")}
_IN_PLACE = {False: (_LITERAL, 5, 6), True: (_LITERAL, 5, 6, 7, 8)}
_WITH_NUL = '"\\u0000"'
"""Stands for each document with a NUL in a text, which is none here."""
_DATE, _TIME, _MOMENTS = 10, 11, (7, 12)
"""Types of columns whose values are kept as they are."""


def texts_of_binary(raw: pa.Array) -> pa.Array:
    """Of values in the log.  Raises StorageError for what is none."""
    return _each(raw, _of_binary)


def texts_of_shown(raw: pa.Array) -> pa.Array:
    """Of texts that a query gave."""
    return _each(raw, _normal)


def _of_binary(value: bytes) -> str:
    try:
        return encode(_document(value))
    except _HasNulError:
        return _WITH_NUL


class _HasNulError(Exception):
    """A text of the document has a NUL."""


def _text(data: bytes) -> str:
    if b"\0" in data:
        raise _HasNulError
    return data.decode()


def _each(raw: pa.Array, text: Callable[[bytes], str]) -> pa.Array:
    distinct = raw.cast(pa.binary()).dictionary_encode()
    found = pa.array([text(value) for value in distinct.dictionary.to_pylist()], pa.string())
    return found.take(distinct.indices)


def _normal(value: bytes) -> str:
    # Lines end within what is no JSON and shown in base64 only.
    text = value.decode().replace("\n", "")
    document = json.loads(text, parse_float=lambda number: _number(Decimal(number)))
    if "\\u0000" in text:
        try:
            check_characters(text)
        except InputError:
            return _WITH_NUL
    return encode(document)


def _number(value: Decimal) -> int | Decimal:
    shown = f"{value:f}"
    if "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    return Decimal(shown) if "." in shown else int(shown)


def _document(value: bytes) -> Any:
    if not value:
        return None  # a column without a value where it may not be NULL
    try:
        return _value(value[0], value, 1)
    except (IndexError, KeyError, ValueError, RecursionError, struct.error):
        raise broken("a JSON value that cannot be read") from None


def _value(kind: int, data: bytes, at: int) -> Any:
    match kind:
        case 0 | 1 | 2 | 3:
            return _members(
                data, at, large=kind in (_LARGE_OBJECT, _LARGE_ARRAY), named=kind <= _LARGE_OBJECT
            )
        case 4:
            return _LITERALS[data[at]]
        case 0x0B:
            return _number(Decimal(repr(_F64.unpack_from(data, at)[0])))
        case 0x0C:
            return _text(_piece(data, at))
        case 0x0F:
            return _opaque(data[at], _piece(data, at + 1))
        case _:
            return _NUMBERS[kind].unpack_from(data, at)[0]


def _piece(data: bytes, at: int) -> bytes:
    """Bytes behind how many they are: seven bits of that in each byte, the last of which has no eighth."""
    length, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    if at + length > len(data):
        raise IndexError
    return data[at : at + length]


def _members(data: bytes, begin: int, *, large: bool, named: bool) -> Any:
    head, place = _HEADS[large], _PLACES[large]
    count, _ = head.unpack_from(data, begin)
    keys, at = [], begin + head.size
    if named:
        for _ in range(count):
            start, length = _KEYS[large].unpack_from(data, at)
            keys.append(_text(data[begin + start : begin + start + length]))
            at += _KEYS[large].size
    values = []
    for _ in range(count):
        kind = data[at]
        if kind in _IN_PLACE[large]:
            values.append(_value(kind, data, at + 1))
        else:
            values.append(_value(kind, data, begin + place.unpack_from(data, at + 1)[0]))
        at += 1 + place.size
    return dict(zip(keys, values, strict=True)) if named else values


def _opaque(kind: int, data: bytes) -> Any:
    """A value of a column that is no JSON: a number with its digits, a date or a time as text, another one as the server shows it."""
    if kind == DECIMAL:
        return _decimal(data[0], data[1], data[2:])
    if kind == _TIME:
        (packed,) = _I64.unpack(data)
        sign, (seconds, micros) = "-" if packed < 0 else "", divmod(abs(packed), 1 << 24)
        return f"{sign}{_clock(seconds)}.{micros:06}"
    if kind == _DATE or kind in _MOMENTS:
        (packed,) = _I64.unpack(data)
        whole, micros = divmod(packed, 1 << 24)
        (year, month), day = divmod(whole >> 22, 13), whole >> 17 & 31
        date = f"{year:04}-{month:02}-{day:02}"
        return date if kind == _DATE else f"{date} {_clock(whole & 0x1FFFF)}.{micros:06}"
    return f"base64:type{kind}:{b64encode(data).decode()}"


def _clock(bits: int) -> str:
    return f"{bits >> 12:02}:{bits >> 6 & 63:02}:{bits & 63:02}"


def _decimal(precision: int, scale: int, data: bytes) -> int | Decimal:
    """As in rows: nine digits in four bytes, and the first bit set of what is not negative."""
    negative = data[0] < 0x80
    turned = bytes(byte ^ 0xFF for byte in data) if negative else data
    left = bytes((turned[0] ^ 0x80,)) + turned[1:]
    digits, at = "", 0
    whole = precision - scale
    for size in (whole % 9, *[9] * (whole // 9), *[9] * (scale // 9), scale % 9):
        width = decimal_bytes(size)
        if width:
            digits += f"{int.from_bytes(left[at : at + width], 'big'):0{size}}"
            at += width
    found = Decimal(f"{'-' if negative else ''}{digits or '0'}e-{scale}")
    return _number(found)
