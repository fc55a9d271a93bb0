"""FORMAT PROTOBUF: each payload a message of one type, whose fields are the columns.

Messages are parsed one by one, in C.  A payload may have a registry's frame in front, a zero byte, the id of a schema and which message
of it this is: no message begins with a zero byte, so it is known by that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from ....errors import Unsupported
from ....expr.columns.lists import counts_of, list_array
from ....expr.functions.json.build import to_json
from ....repr.buffers import present
from ....repr.schema import Column, Schema
from ....repr.types import JSONB, Kind, ScalarType, list_of, map_of
from ...decode import WHOLE_RECORD
from ..contract import DecodedPayloads
from ..payloads import MALFORMED, ErrorParts
from .descriptors import indexes_of, message_of
from .fields import FieldTypes, Get, WrongValue, getter

_FRAME = 5
_ABSENT = object()
"""In place of a message that could not be read."""


class ProtobufFormat:
    def __init__(self, descriptor_set: bytes, message: str) -> None:
        descriptor = message_of(descriptor_set, message)
        self._message: Callable[[], Any] = GetMessageClass(descriptor)
        self._name = descriptor.full_name
        self._frame = _frames(indexes_of(descriptor))
        self._types: list[ScalarType] = []
        self._getters: list[Get] = []
        columns: list[Column] = []
        types = FieldTypes()
        for field in descriptor.fields:
            found = types.of(field, field.name, (descriptor.full_name,))
            self._types.append(found.type)
            self._getters.append(getter(field, found))
            columns.append(Column(field.name, _column_type(found.type), found.nullable))
        if not columns:
            raise Unsupported(f'message "{self._name}" has no fields')
        self._schema = Schema(tuple(columns))

    @property
    def schema(self) -> Schema:
        return self._schema

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedPayloads:
        errors = ErrorParts()
        messages = self._messages(payloads, errors)
        columns: list[pa.Array] = []
        for index, (type_, get) in enumerate(zip(self._types, self._getters, strict=True)):
            values = pa.array(_values(messages, get, index, errors), type_.arrow)
            columns.append(_documents(values, type_))
        return DecodedPayloads(tuple(columns), errors.finish())

    def _messages(self, payloads: pa.LargeBinaryArray, errors: ErrorParts) -> list[Any]:
        found: list[Any] = []
        bad: list[int] = []
        reasons: list[str] = []
        for row, payload in enumerate(payloads.to_pylist()):
            message = self._message()
            reason = None
            try:
                message.ParseFromString(self._content(payload) if payload[:1] == b"\0" else payload)
                if not message.IsInitialized():
                    missing = ", ".join(message.FindInitializationErrors())
                    reason = f'message "{self._name}" lacks required fields: {missing}'
            except (DecodeError, WrongValue) as error:
                reason = f'no message "{self._name}": {error}'
            if reason is not None:
                bad.append(row)
                reasons.append(reason)
            found.append(message if reason is None else _ABSENT)
        errors.add(np.array(bad, np.int64), WHOLE_RECORD, MALFORMED, reasons)
        return found

    def _content(self, payload: bytes) -> bytes:
        """What is behind a registry's frame."""
        for frame in self._frame:
            if payload[_FRAME : _FRAME + len(frame)] == frame:
                return payload[_FRAME + len(frame) :]
        raise WrongValue(MALFORMED, "the payload is framed as another message of its schema")


def _frames(indexes: tuple[int, ...]) -> list[bytes]:
    """How a frame says which message it is: how many numbers, and those; the first message is one zero byte, too."""
    numbers = b"".join(_varint(2 * number) for number in (len(indexes), *indexes))
    plain = b"".join(_varint(number) for number in (len(indexes), *indexes))
    return [numbers, *([b"\0"] if indexes == (0,) else []), *([plain] if plain != numbers else [])]


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _values(messages: list[Any], get: Get, index: int, errors: ErrorParts) -> list[Any]:
    """A value per message; those that are wrong are errors, and None."""
    try:
        return [None if message is _ABSENT else get(message) for message in messages]
    except WrongValue:
        return _values_one_by_one(messages, get, index, errors)


def _values_one_by_one(messages: list[Any], get: Get, index: int, errors: ErrorParts) -> list[Any]:
    found: list[Any] = []
    for row, message in enumerate(messages):
        value = None
        try:
            value = None if message is _ABSENT else get(message)
        except WrongValue as error:
            errors.add(np.array([row]), index, error.sqlstate, [error.reason])
        found.append(value)
    return found


def _column_type(type_: ScalarType) -> ScalarType:
    """The type with documents in place of records."""
    match type_.kind, type_.element:
        case Kind.RECORD, _:
            return JSONB
        case Kind.LIST, ScalarType() as element:
            return list_of(_column_type(element))
        case Kind.MAP, ScalarType() as element:
            return map_of(_column_type(element))
        case _:
            return type_


def _documents(values: pa.Array, type_: ScalarType) -> pa.Array:
    """Values of `type_` as those of `_column_type(type_)`."""
    if _column_type(type_) == type_:
        return values
    if type_.kind is Kind.RECORD:
        return to_json(values, type_)
    assert type_.element is not None
    parts = values.flatten()
    if type_.kind is Kind.LIST:
        return list_array(_documents(parts, type_.element), counts_of(values), present(values))
    keys, inner = parts.flatten()
    entry = _column_type(type_).entry
    entries = pa.StructArray.from_arrays([keys, _documents(inner, type_.element)], fields=list(entry.arrow))
    return list_array(entries, counts_of(values), present(values))
