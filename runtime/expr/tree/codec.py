"""Expressions and relations as JSON: how a plan is stored in the catalog and sent to a replica.

Every dataclass becomes an object tagged with its class name under `"!"`, its fields encoded in turn; scalar types
are written as `repr.schema` writes them.  Python values of literals keep their exact value and class: floats by
their shortest round-trip text, decimals, dates and byte strings as text.  `from_json(to_json(x)) == x`.
"""

from __future__ import annotations

import datetime
import enum
from dataclasses import fields, is_dataclass
from decimal import Decimal
from functools import cache
from typing import Any, get_args

from ...errors import StorageError
from ...repr.schema import Column, Schema, type_from_json, type_to_json
from ...repr.types import ScalarType
from . import relation as _relation
from .external_function import ExternalFunction
from .relation import (
    Aggregate,
    Binding,
    Finishing,
    JoinKind,
    OrderBy,
    Relation,
    ScalarOrder,
    TableCall,
    WindowCall,
)
from .scalar import ExternalCall, Scalar
from .windows import Bound, BoundKind, Exclusion, Frame, FrameUnit

TAG = "!"

_DATACLASSES: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        *get_args(Scalar),
        *get_args(Relation),
        Aggregate,
        Binding,
        OrderBy,
        ScalarOrder,
        TableCall,
        WindowCall,
        Frame,
        Bound,
        Finishing,
        ExternalFunction,
        Schema,
        Column,
    )
}
_DATACLASSES |= {"PythonCall": ExternalCall, "PythonFunction": ExternalFunction}
"""Their tags in plans that were stored when there was Python only."""

_ENUMS: dict[str, type[enum.Enum]] = {
    cls.__name__: cls for cls in (JoinKind, FrameUnit, BoundKind, Exclusion)
}

JsonValue = Any
"""What the json module writes: None, bool, int, str, lists and objects of these."""


def scalar_to_json(scalar: Scalar) -> JsonValue:
    return _encode(scalar)


def scalar_from_json(value: JsonValue) -> Scalar:
    scalar = _decode(value)
    _expect(isinstance(scalar, get_args(Scalar)), "scalar expression", value)
    return scalar  # type: ignore[no-any-return]


def relation_to_json(relation: Relation) -> JsonValue:
    return _encode(relation)


def relation_from_json(value: JsonValue) -> Relation:
    relation = _decode(value)
    _expect(isinstance(relation, get_args(_relation.Relation)), "relation", value)
    return relation  # type: ignore[no-any-return]


def finishing_to_json(finishing: Finishing) -> JsonValue:
    return _encode(finishing)


def finishing_from_json(value: JsonValue) -> Finishing:
    finishing = _decode(value)
    _expect(isinstance(finishing, Finishing), "finishing", value)
    return finishing  # type: ignore[no-any-return]


def _expect(condition: bool, noun: str, value: JsonValue) -> None:
    if not condition:
        raise StorageError(f"stored plan is damaged: expected a {noun}, found {str(value)[:80]!r}")


@cache
def _field_names(cls: Any) -> tuple[str, ...]:
    """What tells two values apart: a plan means the same whatever else its parts say of themselves."""
    return tuple(field.name for field in fields(cls) if field.compare)


def _encode(value: Any) -> JsonValue:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if isinstance(value, ScalarType):
        return {TAG: "type", **type_to_json(value)}
    if isinstance(value, enum.Enum):
        return {TAG: type(value).__name__, "value": value.value}
    if is_dataclass(value):
        encoded = {name: _encode(getattr(value, name)) for name in _field_names(value.__class__)}
        return {TAG: type(value).__name__, **encoded}
    return _encode_literal(value)


def _encode_literal(value: Any) -> JsonValue:
    match value:
        case float():
            return {TAG: "float", "value": repr(value)}
        case Decimal():
            return {TAG: "decimal", "value": str(value)}
        case datetime.datetime():
            return {TAG: "datetime", "value": value.isoformat()}
        case datetime.date():
            return {TAG: "date", "value": value.isoformat()}
        case bytes():
            return {TAG: "bytes", "value": value.hex()}
        case list():
            return {TAG: "list", "items": [_encode(item) for item in value]}
        case dict():
            return {TAG: "row", "items": [_encode(item) for item in value.values()]}
        case _:
            raise TypeError(f"no JSON form for {type(value).__name__}: {value!r}")


def _decode(value: JsonValue) -> Any:
    if isinstance(value, list):
        return tuple(_decode(item) for item in value)
    if not isinstance(value, dict):
        return value
    tag = value.get(TAG)
    if tag == "type":
        return type_from_json(value)
    if (enum_class := _ENUMS.get(tag or "")) is not None:
        return enum_class(value["value"])
    if (cls := _DATACLASSES.get(tag or "")) is not None:
        decoded = {name: _decode(item) for name, item in value.items() if name != TAG}
        try:
            return cls(**decoded)
        except TypeError as error:
            raise StorageError(f"stored plan is damaged: {tag} with fields {sorted(decoded)}") from error
    return _decode_literal(tag, value)


def _decode_literal(tag: str | None, value: dict[str, Any]) -> Any:
    match tag:
        case "float":
            return float(value["value"])
        case "decimal":
            return Decimal(value["value"])
        case "datetime":
            return datetime.datetime.fromisoformat(value["value"])
        case "date":
            return datetime.date.fromisoformat(value["value"])
        case "bytes":
            return bytes.fromhex(value["value"])
        case "list":
            return [_decode(item) for item in value["items"]]
        case "row":
            return {f"f{i}": _decode(item) for i, item in enumerate(value["items"])}
        case _:
            raise StorageError(f"stored plan is damaged: unknown tag {tag!r}")
