"""Parameters: values that Bind carries, in text or binary, as literals of the statement's parameter types."""

from __future__ import annotations

import json
import re
import struct
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from ..errors import DataError, PtvcError, Unsupported
from ..expr.coercion.literals import any_value
from ..expr.columns.row_errors import Evaluated
from ..expr.datetimes.zones import Zone
from ..expr.text.text_format import from_text
from ..expr.tree.scalar import Literal
from ..repr.types import SEQUENCES, Kind, ScalarType
from .codec import Body, decode_text
from .fields import EPOCH_DAYS, EPOCH_MICROSECONDS
from .numeric import numeric_text
from .range_input import cut_range, ranges_of

_FORMATS: dict[Kind, struct.Struct] = {
    Kind.BOOL: struct.Struct("!B"),
    Kind.INT2: struct.Struct("!h"),
    Kind.INT4: struct.Struct("!i"),
    Kind.INT8: struct.Struct("!q"),
    Kind.UINT2: struct.Struct("!H"),
    Kind.UINT4: struct.Struct("!I"),
    Kind.UINT8: struct.Struct("!Q"),
    Kind.OID: struct.Struct("!I"),
    Kind.FLOAT4: struct.Struct("!f"),
    Kind.FLOAT8: struct.Struct("!d"),
    Kind.DATE: struct.Struct("!i"),
    Kind.TIMESTAMP: struct.Struct("!q"),
    Kind.TIMESTAMPTZ: struct.Struct("!q"),
    Kind.TIME: struct.Struct("!q"),
    Kind.INTERVAL: struct.Struct("!qii"),
}
JSONB_VERSION = b"\1"
"""The first byte of a jsonb in binary."""
_EPOCH = datetime(2000, 1, 1)
_EPOCH_UTC = datetime(2000, 1, 1, tzinfo=UTC)
_EPOCH_DATE = date(2000, 1, 1)


_PLAIN_INTEGER = re.compile("-?[0-9]{1,19}")
_PLAIN_INTEGERS = re.compile("{[-0-9, ]+}")


class BadSize(Exception):
    """A binary value whose size its type does not have."""


def decode_parameter(
    raw: bytes | None, type_: ScalarType, format_: int, number: int, zone: Zone | None = None
) -> Literal:
    """Parameter `$number` as a literal of `type_`, text of instants in `zone`.  Raises DataError (22P02, 22P03, 22021, ...)."""
    if raw is None:
        return Literal(None, type_)
    if format_ == 0:
        return Literal(parse_one(decode_text(raw), type_, zone), type_)
    try:
        return Literal(decode_binary(raw, type_), type_)
    except BadSize:
        raise DataError(
            f"incorrect binary data format in bind parameter {number}", sqlstate="22P03"
        ) from None


def parse_one(text: str, type_: ScalarType, zone: Zone | None = None) -> Any:
    """One value from its text, as the Python value that pyarrow takes for the type."""
    if type_.kind in (Kind.TEXT, Kind.NAME):
        return text
    if type_.is_integer and _PLAIN_INTEGER.fullmatch(text):  # what is too large for the type, it says itself
        least, greatest = type_.integer_bounds
        if least <= (value := int(text)) <= greatest:
            return value
    if (
        type_.kind is Kind.ARRAY
        and type_.length is None
        and (values := _plain_integers(text, type_)) is not None
    ):
        return values
    return _only_value(from_text(pa.array([text], pa.string()), type_, zone=zone))


def _plain_integers(text: str, type_: ScalarType) -> list[int] | None:
    """The elements of an array of integers, as drivers send keys by the thousand; None where the text needs a closer look.

    Of such characters JSON makes the same numbers, in less than half of the time, or an error.
    """
    element = type_.element
    if element is None or not element.is_integer or not _PLAIN_INTEGERS.fullmatch(text):
        return None
    try:
        values: list[int] = json.loads(f"[{text[1:-1]}]")
    except ValueError:
        return None
    least, greatest = element.integer_bounds
    return values if values and least <= min(values) and max(values) <= greatest else None


def _only_value(found: Evaluated) -> Any:
    if found.errors is not None:
        raise DataError(found.errors.messages[0].as_py(), sqlstate=found.errors.sqlstates[0].as_py())
    return any_value(found.values[0])


def decode_binary(raw: bytes, type_: ScalarType) -> Any:
    kind = type_.kind
    if kind in (Kind.TEXT, Kind.VARCHAR, Kind.BPCHAR, Kind.NAME):
        text = decode_text(raw)
        return text if type_.length is None else parse_one(text, type_)
    if kind is Kind.CHAR:
        if len(raw) != 1:
            raise BadSize
        return decode_text(raw.strip(b"\0"))
    if kind in (Kind.JSON, Kind.MZ_TIMESTAMP):
        return parse_one(decode_text(raw), type_)
    if kind is Kind.JSONB:
        if raw[:1] != JSONB_VERSION:
            raise DataError(f"unsupported jsonb version number {raw[0] if raw else 0}", sqlstate="22P03")
        return parse_one(decode_text(raw[1:]), type_)
    if kind is Kind.NUMERIC:
        return parse_one(numeric_text(raw), type_)
    if kind is Kind.BYTEA:
        return raw
    if kind is Kind.UUID:
        if len(raw) != 16:
            raise BadSize
        return raw
    if kind in SEQUENCES:
        assert type_.element is not None
        return _decode_array(raw, type_.element)
    if kind is Kind.MAP:
        assert type_.element is not None
        return _decode_map(raw, type_.element)
    if kind is Kind.RECORD:
        raise Unsupported("parameters of type record are not supported", hint="Send its fields.")
    if type_.is_range:
        made = ranges_of([cut_range(raw, type_, decode_binary)], type_, np.ones(1, np.bool_))
        return _only_value(made)
    format_ = _FORMATS[kind]
    if len(raw) != format_.size:
        raise BadSize
    value = format_.unpack(raw)[0]
    match kind:
        case Kind.INTERVAL:
            return struct.pack("<qii", *format_.unpack(raw))
        case Kind.TIME if not 0 <= value <= 86_400_000_000:
            raise DataError("time out of range", sqlstate="22008")
        case Kind.BOOL:
            return bool(value)
        case Kind.DATE:
            return _calendar(_EPOCH_DATE, timedelta, value, kind)
        case Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            epoch = _EPOCH if kind is Kind.TIMESTAMP else _EPOCH_UTC
            return _calendar(epoch, lambda v: timedelta(microseconds=v), value, kind)
        case _:
            return value


def _calendar(epoch: Any, delta: Any, value: int, kind: Kind) -> Any:
    """A date or timestamp that counts from 2000, as Python's value or, where its calendar ends, as a count since 1970."""
    try:
        return epoch + delta(value)
    except OverflowError:
        limit, since_1970 = (1 << 31, EPOCH_DAYS) if kind is Kind.DATE else (1 << 63, EPOCH_MICROSECONDS)
        if value in (limit - 1, -limit):
            return value  # infinity is the same number from everywhere
        if not -limit < value + since_1970 < limit - 1:
            what = "date" if kind is Kind.DATE else "timestamp"
            raise DataError(f"{what} out of range", sqlstate="22008") from None
        return value + since_1970


def _decode_array(raw: bytes, element: ScalarType) -> list[Any]:
    body = Body(raw)
    dimensions, _, oid = body.int32(), body.int32(), body.int32()
    if oid != element.oid:
        raise PtvcError(
            f"binary array has elements of type {oid}, not {element.oid} ({element})", sqlstate="42804"
        )
    if dimensions == 0:
        body.end()
        return []
    if dimensions != 1:
        raise Unsupported(
            f"arrays of {dimensions} dimensions are not supported", hint="Use an array of one dimension."
        )
    count, _ = body.int32(), body.int32()
    values = []
    for _ in range(count):
        size = body.int32()
        values.append(None if size == -1 else decode_binary(body.take(size), element))
    body.end()
    return values


def _decode_map(raw: bytes, element: ScalarType) -> list[dict[str, Any]]:
    """The entries of a map, in order of their keys; of a key that repeats the last value counts."""
    body = Body(raw)
    found: dict[str, Any] = {}
    for _ in range(body.int32()):
        size = body.int32()
        if size < 0:
            raise DataError("a key of a map is NULL", sqlstate="22P03")
        key = decode_text(body.take(size))
        size = body.int32()
        found[key] = None if size == -1 else decode_binary(body.take(size), element)
    body.end()
    return [{"f0": key, "f1": found[key]} for key in sorted(found, key=str.encode)]
