"""Values of SQL as Python's, and back.  It runs in a worker.

| type                              | in Python                                                                  |
|-----------------------------------|----------------------------------------------------------------------------|
| boolean                           | bool                                                                       |
| smallint, integer, bigint, uint   | int                                                                        |
| real, double precision            | float; an int or a Decimal may be returned, too                            |
| numeric                           | Decimal; an int or a float may be returned, too                            |
| text, varchar                     | str                                                                        |
| bytea                             | bytes; a bytearray may be returned, too                                    |
| date, time                        | date, time                                                                 |
| timestamp, timestamptz            | datetime without and with a time zone                                      |
| uuid                              | UUID                                                                       |
| jsonb                             | what json.loads gives, with Decimal for numbers that are no int            |
| arrays of these                   | list; a tuple may be returned, too                                         |

NULL is None.  numpy's scalars are taken for Python's numbers.  Anything else is an error, never converted.
"""

from __future__ import annotations

import datetime
import json
import math
import operator
import struct
import uuid
from decimal import Context, Decimal
from typing import Any

import pyarrow as pa

from ...repr.types import Kind, ScalarType
from .transport import Convert, Misfit, lists, records

TYPES = frozenset(
    (
        Kind.BOOL, Kind.INT2, Kind.INT4, Kind.INT8, Kind.UINT2, Kind.UINT4, Kind.UINT8, Kind.FLOAT4, Kind.FLOAT8,
        Kind.NUMERIC, Kind.TEXT, Kind.VARCHAR, Kind.BYTEA, Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ,
        Kind.UUID, Kind.JSONB,
    )
)  # fmt: skip
"""Kinds that have a form in Python; so have arrays of them."""

_EXACT = Context(prec=200)
_MIDNIGHT = 86_400_000_000


# --- arguments -------------------------------------------------------------------------------------------------------


def read(array: pa.Array, type_: ScalarType) -> list[Any]:
    """The Python values of the array; `Misfit` objects in the place of those that Python does not have."""
    match type_.kind:
        case Kind.NUMERIC:
            return [None if value is None else _plain(value) for value in array.to_pylist()]
        case Kind.DATE | Kind.TIMESTAMP:
            return _dates(array, type_)
        case Kind.TIMESTAMPTZ:
            instants = _dates(array.cast(pa.timestamp("us")), type_)
            return [
                value.replace(tzinfo=datetime.UTC) if isinstance(value, datetime.datetime) else value
                for value in instants
            ]
        case Kind.TIME:
            return [None if value is None else _time(value) for value in array.to_pylist()]
        case Kind.UUID:
            return [None if value is None else uuid.UUID(bytes=value) for value in array.to_pylist()]
        case Kind.JSONB:
            return [
                None if value is None else json.loads(value, parse_float=Decimal)
                for value in array.to_pylist()
            ]
        case Kind.ARRAY:
            assert type_.element is not None
            return lists(array, read(array.flatten(), type_.element))
        case Kind.RECORD:
            return records(
                [read(part, field) for part, (_, field) in zip(array.flatten(), type_.fields, strict=True)]
            )
        case _:
            values: list[Any] = array.to_pylist()
            return values


def _plain(value: Decimal) -> Decimal:
    """Without the zeros at its end that are its type's."""
    plain = value.normalize(_EXACT)
    return plain if int(plain.as_tuple().exponent) <= 0 else plain.quantize(Decimal(1), context=_EXACT)


def _dates(array: pa.Array, type_: ScalarType) -> list[Any]:
    try:
        values: list[Any] = array.to_pylist()
        return values
    except (OverflowError, ValueError):
        return [_date(value, type_) for value in array]


def _date(value: pa.Scalar, type_: ScalarType) -> Any:
    try:
        return value.as_py()
    except (OverflowError, ValueError):
        return Misfit(f"Python has no such {type_}", "22008")


def _time(value: int) -> datetime.time | Misfit:
    if value >= _MIDNIGHT:
        return Misfit("Python has no time 24:00:00", "22008")
    return (datetime.datetime.min + datetime.timedelta(microseconds=value)).time()


# --- results ---------------------------------------------------------------------------------------------------------


def writer(type_: ScalarType) -> Convert:
    """From a Python value to what pyarrow takes for `transport(type_)`; raises Misfit."""
    if type_.kind is Kind.ARRAY:
        assert type_.element is not None
        return _array_writer(type_, writer(type_.element))
    if type_.is_integer:
        return _integer_writer(type_)
    if type_.kind is Kind.FLOAT4:
        return _real
    return _WRITERS[type_.kind]


def _wrong(value: object, wanted: str) -> Misfit:
    return Misfit(f"returned a value of type {type(value).__name__} where {wanted} is expected")


def _bool(value: Any) -> bool | None:
    if value is None or value is True or value is False:
        return value
    if type(value).__name__ in ("bool", "bool_") and type(value).__module__ == "numpy":
        return bool(value)
    raise _wrong(value, "a bool")


def _integer_writer(type_: ScalarType) -> Convert:
    least, most = type_.integer_bounds
    out_of_range = f"{type_} out of range"

    def convert(value: Any) -> int | None:
        if value is None:
            return None
        if type(value) is not int:
            value = _index(value)
        if not least <= value <= most:
            raise Misfit(out_of_range, "22003")
        found: int = value
        return found

    return convert


def _index(value: Any) -> int:
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise _wrong(value, "an int")


def _double(value: Any) -> float | None:
    if value is None or type(value) is float:
        return value
    if isinstance(value, bool | str | bytes) or not hasattr(value, "__float__"):
        raise _wrong(value, "a float")
    try:
        found = float(value)
    except OverflowError:
        raise Misfit("double precision out of range", "22003") from None
    except (TypeError, ValueError):
        raise _wrong(value, "a float") from None
    if math.isinf(found) and not (isinstance(value, Decimal) and value.is_infinite()) and value != found:
        raise Misfit("double precision out of range", "22003")
    return found


def _real(value: Any) -> float | None:
    found = _double(value)
    if found is None:
        return None
    try:
        struct.pack("<f", found)
    except OverflowError:
        raise Misfit("real out of range", "22003") from None
    return found


def _numeric(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bool | str | bytes):
        raise _wrong(value, "a Decimal")
    if isinstance(value, float):
        return repr(float(value))
    try:
        return str(operator.index(value))
    except TypeError:
        raise _wrong(value, "a Decimal") from None


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise _wrong(value, "a str")
    _check_text(value)
    return str(value)


def _check_text(value: str) -> None:
    if "\0" in value:
        raise Misfit('invalid byte sequence for encoding "UTF8": 0x00', "22021")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Misfit('invalid byte sequence for encoding "UTF8": a surrogate', "22021") from None


def _bytes(value: Any) -> bytes | None:
    if value is None:
        return None
    if not isinstance(value, bytes | bytearray | memoryview):
        raise _wrong(value, "a bytes object")
    return bytes(value)


def _only_date(value: Any) -> datetime.date | None:
    if value is None:
        return None
    if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
        raise _wrong(value, "a date")
    return value


def _only_time(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, datetime.time):
        raise _wrong(value, "a time")
    if value.tzinfo is not None:
        raise Misfit("returned a time with a time zone where one without is expected")
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return seconds * 1_000_000 + value.microsecond


def _timestamp(value: Any) -> datetime.datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime.datetime):
        raise _wrong(value, "a datetime")
    if value.tzinfo is not None:
        raise Misfit("returned a datetime with a time zone where one without is expected")
    return value


def _instant(value: Any) -> datetime.datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime.datetime):
        raise _wrong(value, "a datetime")
    if value.utcoffset() is None:
        raise Misfit("returned a datetime without a time zone where one with is expected")
    try:
        return value.astimezone(datetime.UTC)
    except OverflowError:
        raise Misfit("timestamp out of range", "22008") from None


def _uuid(value: Any) -> bytes | None:
    if value is None:
        return None
    if not isinstance(value, uuid.UUID):
        raise _wrong(value, "a UUID")
    return value.bytes


def _jsonb(value: Any) -> str | None:
    if value is None:
        return None
    text = "".join(_document(value, 0))
    _check_text(text)
    return text


_DEEPEST = 500


def _document(value: Any, depth: int) -> list[str]:
    """The pieces of its text.  json.dumps knows no Decimal, writes NaN, and makes keys of what is no text."""
    if depth > _DEEPEST:
        raise Misfit("returned a document that is nested too deeply", "54001")
    if value is None or isinstance(value, bool):
        return ["null" if value is None else "true" if value else "false"]
    if isinstance(value, str):
        return [json.dumps(value, ensure_ascii=False)]
    if isinstance(value, dict):
        parts = ["{"]
        for key, member in value.items():
            if not isinstance(key, str):
                raise _wrong(key, "a str as the key of an object")
            parts += ["," if len(parts) > 1 else "", json.dumps(key, ensure_ascii=False), ":"]
            parts += _document(member, depth + 1)
        return [*parts, "}"]
    if isinstance(value, list | tuple):
        parts = ["["]
        for number, member in enumerate(value):
            parts += ["," if number else "", *_document(member, depth + 1)]
        return [*parts, "]"]
    if isinstance(value, float | Decimal):
        if not math.isfinite(value):
            raise Misfit("returned a number that JSON does not have", "22P02")
        return [repr(float(value)) if isinstance(value, float) else str(value)]
    try:
        return [str(operator.index(value))]
    except TypeError:
        raise _wrong(value, "what JSON has") from None


def _array_writer(type_: ScalarType, element: Convert) -> Convert:
    def convert(value: Any) -> list[Any] | None:
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            raise _wrong(value, "a list")
        return [element(member) for member in value]

    return convert


_WRITERS: dict[Kind, Convert] = {
    Kind.BOOL: _bool,
    Kind.FLOAT8: _double,
    Kind.NUMERIC: _numeric,
    Kind.TEXT: _text,
    Kind.VARCHAR: _text,
    Kind.BYTEA: _bytes,
    Kind.DATE: _only_date,
    Kind.TIME: _only_time,
    Kind.TIMESTAMP: _timestamp,
    Kind.TIMESTAMPTZ: _instant,
    Kind.UUID: _uuid,
    Kind.JSONB: _jsonb,
}
