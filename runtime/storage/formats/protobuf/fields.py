"""Fields of messages: the SQL types of their values, and the values as Arrow takes them.

| field                                | type                                     |
|--------------------------------------|------------------------------------------|
| bool, float, double, string, bytes   | boolean, real, double precision, text, bytea |
| int32, int64 and their like          | integer, bigint                          |
| uint32, uint64, fixed32, fixed64     | uint4, uint8                             |
| enum                                 | text, the name of the value              |
| repeated T, map<K, T>                | T list, map[text => T]                   |
| google.protobuf.Timestamp            | timestamp with time zone                 |
| wrappers such as Int64Value          | what they wrap, or NULL                  |
| message                              | jsonb                                    |

A field that was not set is NULL if its presence is known (a message, `optional`, one of a `oneof`) and it has no default of its own; else
it has its default.  A message is a document: what `to_jsonb` makes of a row with these columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from ....errors import Unsupported
from ....repr.types import (
    BOOL,
    BYTEA,
    FLOAT4,
    FLOAT8,
    INT4,
    INT8,
    JSONB,
    TEXT,
    TIMESTAMPTZ,
    UINT4,
    UINT8,
    ScalarType,
    list_of,
    map_of,
    record_of,
)
from ..texts import ZERO_BYTE

Get = Callable[[Any], Any]
"""A value of Python's protobuf as `pa.array` takes it.  Raises WrongValue."""

_SCALARS = {
    FieldDescriptor.CPPTYPE_BOOL: BOOL,
    FieldDescriptor.CPPTYPE_INT32: INT4,
    FieldDescriptor.CPPTYPE_INT64: INT8,
    FieldDescriptor.CPPTYPE_UINT32: UINT4,
    FieldDescriptor.CPPTYPE_UINT64: UINT8,
    FieldDescriptor.CPPTYPE_FLOAT: FLOAT4,
    FieldDescriptor.CPPTYPE_DOUBLE: FLOAT8,
}
_WRAPPERS = frozenset(
    f"google.protobuf.{name}Value"
    for name in ("Bool", "Int32", "Int64", "UInt32", "UInt64", "Float", "Double", "String", "Bytes")
)
_MOST_FIELDS = 20_000
_TIMESTAMP = "google.protobuf.Timestamp"
_LEAST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
"""Of the years 1 to 9999, which a Timestamp keeps to."""


class WrongValue(Exception):
    def __init__(self, sqlstate: str, reason: str) -> None:
        super().__init__(reason)
        self.sqlstate = sqlstate
        self.reason = reason


@dataclass(frozen=True, slots=True)
class FieldType:
    """`type` has records for messages; `get` None: the value is as Arrow takes it."""

    type: ScalarType
    get: Get | None
    nullable: bool


class FieldTypes:
    """The types of all fields of a message."""

    def __init__(self) -> None:
        self._count = 0

    def of(self, field: FieldDescriptor, path: str, above: tuple[str, ...]) -> FieldType:
        """`path` names the field in an Unsupported, `above` are the messages that it is in."""
        self._count += 1
        if self._count > _MOST_FIELDS:
            raise Unsupported(f"the message has more than {_MOST_FIELDS} fields with those of its messages")
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            return self._map(field, path, above)
        element, get = self._element(field, path, above)
        if _is_repeated(field):
            return FieldType(list_of(element), list if get is None else _each(get), False)
        is_optional = field.has_presence and not _is_required(field) and not field.has_default_value
        return FieldType(element, get, is_optional)

    def _record(self, message: Descriptor, path: str, above: tuple[str, ...]) -> tuple[ScalarType, Get]:
        """A message within a message as a record of its fields; one without fields as its document."""
        name = message.full_name
        if name in above:
            raise Unsupported(f'field "{path}" is of message "{name}", which contains itself')
        fields = [(field, self.of(field, f"{path}.{field.name}", (*above, name))) for field in message.fields]
        if not fields:
            return JSONB, lambda _: "{}"
        getters = [(f"f{i}", getter(field, found)) for i, (field, found) in enumerate(fields)]

        def get(value: Any) -> dict[str, Any]:
            return {name: read(value) for name, read in getters}

        return record_of(tuple((field.name, found.type) for field, found in fields)), get

    def _element(
        self, field: FieldDescriptor, path: str, above: tuple[str, ...]
    ) -> tuple[ScalarType, Get | None]:
        match field.cpp_type:
            case FieldDescriptor.CPPTYPE_ENUM:
                return TEXT, _enum(field)
            case FieldDescriptor.CPPTYPE_STRING if field.type == FieldDescriptor.TYPE_BYTES:
                return BYTEA, None
            case FieldDescriptor.CPPTYPE_STRING:
                return TEXT, _text
            case FieldDescriptor.CPPTYPE_MESSAGE if field.message_type.full_name in _WRAPPERS:
                type_, _ = self._element(field.message_type.fields_by_name["value"], path, above)
                return type_, _wrapped_text if type_ == TEXT else _wrapped
            case FieldDescriptor.CPPTYPE_MESSAGE if field.message_type.full_name == _TIMESTAMP:
                return TIMESTAMPTZ, _instant
            case FieldDescriptor.CPPTYPE_MESSAGE:
                return self._record(field.message_type, path, above)
            case kind:
                return _SCALARS[kind], None

    def _map(self, field: FieldDescriptor, path: str, above: tuple[str, ...]) -> FieldType:
        key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
        type_, get = self._element(value, path, above)
        is_bool = key.cpp_type == FieldDescriptor.CPPTYPE_BOOL

        def shown(name: Any) -> str:
            return ("true" if name else "false") if is_bool else _text(str(name))

        def entries(values: Any) -> list[dict[str, Any]]:
            found = {shown(name): item if get is None else get(item) for name, item in values.items()}
            return [{"f0": name, "f1": found[name]} for name in sorted(found)]

        return FieldType(map_of(type_), entries, False)


def getter(field: FieldDescriptor, found: FieldType) -> Get:
    """What takes the field's value of a message."""
    name = field.name
    if (made := found.get) is None:
        read: Get = attrgetter(name)
    else:
        plain = attrgetter(name)

        def read(message: Any) -> Any:
            return made(plain(message))

    if not found.nullable:
        return read
    return lambda message: read(message) if message.HasField(name) else None


def _is_repeated(field: FieldDescriptor) -> bool:
    return bool(field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED)


def _is_required(field: FieldDescriptor) -> bool:
    return bool(field.is_required if hasattr(field, "is_required") else field.label == field.LABEL_REQUIRED)


def _enum(field: FieldDescriptor) -> Get:
    names: dict[int, str] = {number: value.name for number, value in field.enum_type.values_by_number.items()}

    def get(number: int) -> str:
        try:
            return names[number]
        except KeyError:
            raise WrongValue("22P02", f'{number} is no value of enum "{field.enum_type.full_name}"') from None

    return get


def _text(value: str | bytes) -> str:
    if isinstance(value, bytes):  # as the parser hands out what proto2 does not forbid
        raise WrongValue(*_invalid(value))
    if "\0" in value:
        raise WrongValue(*ZERO_BYTE)
    return value


def _invalid(value: bytes) -> tuple[str, str]:
    """Of a text that is not UTF-8: SQLSTATE and reason."""
    try:
        value.decode()
    except UnicodeDecodeError as error:
        return "22021", f'invalid byte sequence for encoding "UTF8": 0x{value[error.start]:02x}'
    raise AssertionError("a text that is UTF-8 is handed out as one")


def _instant(value: Any) -> int:
    """Microseconds since 1970: what is less is cut off."""
    if not (_LEAST_SECOND <= value.seconds <= _LAST_SECOND and 0 <= value.nanos < 1_000_000_000):
        raise WrongValue("22008", "timestamp out of range")
    return int(value.seconds) * 1_000_000 + int(value.nanos) // 1000


def _wrapped(wrapper: Any) -> Any:
    return wrapper.value


def _wrapped_text(wrapper: Any) -> str:
    return _text(wrapper.value)


def _each(get: Get) -> Get:
    return lambda values: [get(value) for value in values]
