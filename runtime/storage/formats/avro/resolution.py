"""How values that were written with one schema are read with another: Avro's schema resolution, made once per pair of schemas.

A reader's branch of a union is the one of exactly the writer's type, or else the first that it can be promoted to.  Records, enums and
fixed types match by their name without its namespace, or by an alias.  What does not match is in error where it occurs: a payload that
does not have it can be read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .collections import ArrayNode, EntryNode
from .nodes import (
    BooleanNode,
    BranchNode,
    BytesNode,
    EnumNode,
    FixedNode,
    FloatNode,
    MismatchNode,
    Node,
    NullNode,
    NumberNode,
    RecordNode,
    UnionNode,
    raw_type,
)
from .passing import MOST_LEVELS, PassedNode
from .place import Malformed
from .schema import (
    NULL,
    Again,
    Array,
    Enum,
    Field,
    Fixed,
    Logical,
    Map,
    Primitive,
    Record,
    Type,
    Union,
    describe,
    nullable_of,
    records_of,
)

PROMOTIONS = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}
_NUMBERS = {"int": np.int64, "long": np.int64, "float": np.float32, "double": np.float64}


@dataclass(frozen=True, slots=True)
class _Known:
    """The writer's records by their names, and how many of them that contain themselves are around."""

    records: Mapping[str, Record]
    level: int = 0


def resolve(writer: Type, reader: Type) -> Node:
    """What reads values that were written as `writer` as `raw_type(reader)`."""
    return _resolve(writer, reader, _Known(records_of(writer)))


def _resolve(writer: Type, reader: Type, known: _Known) -> Node:
    if isinstance(writer, Union):
        return UnionNode([_resolve(branch, reader, known) for branch in writer.branches])
    if isinstance(reader, Union):
        return _into_union(writer, reader, known)
    if not _matches(writer, reader):
        return MismatchNode(f"{describe(writer)} cannot be read as {describe(reader)}", raw_type(reader))
    if isinstance(writer, Again):
        writer = known.records[writer.name]
    match writer, reader:
        case Record(), Again():
            return _passed(writer, known)
        case Primitive(kind="null"), _:
            return NullNode(raw_type(reader))
        case Primitive(kind="boolean"), _:
            return BooleanNode()
        case Primitive(kind="int" | "long" as kind), Primitive(kind=target):
            return NumberNode(kind, _NUMBERS[target])
        case Primitive(kind="float" | "double" as kind), Primitive(kind=target):
            return FloatNode(kind, wide=target == "double")
        case Primitive(kind="bytes" | "string"), Primitive(kind=target):
            return BytesNode(text=target == "string")
        case Fixed(size=size), _:
            return FixedNode(size)
        case Enum(symbols=written), Enum(symbols=wanted, default=default):
            return EnumNode(written, [symbol if symbol in wanted else default for symbol in written])
        case Array(items=items), Array(items=target):
            return ArrayNode(_resolve(items, target, known))
        case Map(values=values), Map(values=target):
            return ArrayNode(EntryNode(_resolve(values, target, known), raw_type(target)))
        case Record(), Record():
            return _record(writer, reader, known)
        case _:
            raise AssertionError(f"{describe(writer)} does not match {describe(reader)}")


def _passed(record: Record, known: _Known) -> Node:
    """What passes over a record that contains itself."""
    deeper = _Known(known.records, known.level + 1)
    inner = None if known.level >= MOST_LEVELS else lambda: _resolve(record, record, deeper)
    return PassedNode(record, known.records, inner)


def _into_union(writer: Type, reader: Union, known: _Known) -> Node:
    target = next((b for b in reader.branches if _is_same(writer, b)), None)
    target = target or next((b for b in reader.branches if _matches(writer, b)), None)
    if target is None:
        return MismatchNode(f"{describe(writer)} cannot be read as {describe(reader)}", raw_type(reader))
    if target == NULL:
        return NullNode(raw_type(reader))
    node = _resolve(writer, target, known)
    if nullable_of(reader) is not None:
        return node
    number = [branch for branch in reader.branches if branch != NULL].index(target)
    return BranchNode(node, number, raw_type(reader))


def _record(writer: Record, reader: Record, known: _Known) -> Node:
    by_name = {field.name: field for field in reader.fields}
    by_alias = {alias: field for field in reader.fields for alias in field.aliases}
    fields: list[tuple[str, Node, str | None]] = []
    for field in writer.fields:
        target = by_name.get(field.name) or by_alias.get(field.name)
        if target is None:
            fields.append((field.name, _resolve(field.type, field.type, known), None))
        else:
            fields.append((field.name, _resolve(field.type, target.type, known), target.name))
    taken = [target for _, _, target in fields if target is not None]
    defaults: dict[str, Any] = {}
    for target in reader.fields:
        if taken.count(target.name) > 1:
            reason = f'several fields of record "{writer.name}" would be field "{target.name}"'
            return MismatchNode(reason, raw_type(reader))
        if target.name in taken:
            continue
        if target.default is None:
            reason = f'record "{writer.name}" lacks field "{target.name}", which has no default'
            return MismatchNode(reason, raw_type(reader))
        try:
            defaults[target.name] = _default(target)
        except Malformed as error:
            return MismatchNode(str(error), raw_type(reader))
    return RecordNode(fields, defaults, raw_type(reader))


def _matches(writer: Type, reader: Type) -> bool:
    """Whether values of one may be read as the other, as far as that does not depend on the values."""
    match writer, reader:
        case (Union(), _) | (_, Union()):
            return True
        case Primitive(kind=kind, logical=meant), Primitive(kind=target, logical=wanted):
            promoted = kind == target or target in PROMOTIONS.get(kind, ())
            return promoted and _means(meant, wanted)
        case Array(items=items), Array(items=target):
            return _matches(items, target)
        case Map(values=values), Map(values=target):
            return _matches(values, target)
        case Fixed() as written, Fixed() as wanted_type:
            alike = written.size == wanted_type.size and _means(written.logical, wanted_type.logical)
            return alike and _named_alike(written, wanted_type)
        case Enum() as written, Enum() as wanted_type:
            return _named_alike(written, wanted_type)
        case (Record() | Again()) as written, (Record() | Again()) as wanted_type:
            return _named_alike(written, wanted_type)
        case _:
            return False


def _means(written: Logical | None, wanted: Logical | None) -> bool:
    """Not if the same number means something else: milliseconds are no microseconds, and a decimal has its scale.

    One of the two may have no meaning: then it is that of the other.
    """
    if written is None or wanted is None:
        return True
    if written.name == "decimal":
        return wanted.name == "decimal" and written.scale == wanted.scale
    return written.name.removeprefix("local-") == wanted.name.removeprefix("local-")


def _named_alike(writer: Fixed | Enum | Record | Again, reader: Fixed | Enum | Record | Again) -> bool:
    short = _short(writer.name)
    aliases = () if isinstance(reader, Again) else reader.aliases
    return short == _short(reader.name) or writer.name in aliases or short in map(_short, aliases)


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _is_same(writer: Type, reader: Type) -> bool:
    """Whether it is the branch of the writer's very type."""
    match writer, reader:
        case Primitive(kind=kind), Primitive(kind=other):
            return kind == other
        case ((Record() | Again()), (Record() | Again())):
            return writer.name == reader.name
        case ((Fixed() | Enum()), (Fixed() | Enum())):
            return type(writer) is type(reader) and writer.name == reader.name
        case _:
            return False


def _default(field: Field) -> Any:
    """The field's default as a raw value.  Raises Malformed."""
    if field.default is None:
        raise Malformed("it has no default", field.name)
    try:
        return _value(json.loads(field.default), field.type)
    except Malformed as error:
        raise error.within(field.name) from None


def _value(default: Any, type_: Type) -> Any:
    if isinstance(type_, Union):
        return _union_value(default, type_)
    if not _can_be(default, type_):
        raise Malformed(f"its default is no value of type {describe(type_)}")
    match type_:
        case Primitive(kind="bytes") | Fixed():
            return default.encode("latin-1")
        case Primitive(kind="float" | "double"):
            return float(default)
        case Array(items=items):
            return [_value(item, items) for item in default]
        case Map(values=values):
            return [{"key": key, "value": _value(value, values)} for key, value in default.items()]
        case Record(fields=fields):
            return {
                f.name: _value(default[f.name], f.type) if f.name in default else _default(f) for f in fields
            }
        case _:
            return default


def _union_value(default: Any, type_: Union) -> Any:
    """That of the first branch that it can be of."""
    branch = next((b for b in type_.branches if _can_be(default, b)), type_.branches[0])
    value = _value(default, branch)
    if branch == NULL or nullable_of(type_) is not None:
        return value
    return {str([b for b in type_.branches if b != NULL].index(branch)): value}


def _can_be(default: Any, type_: Type) -> bool:
    """Whether it is of the type, as far as that does not depend on what it holds."""
    match type_:
        case Primitive(kind="null"):
            return default is None
        case Primitive(kind="boolean"):
            return isinstance(default, bool)
        case Primitive(kind="int" | "long" as kind):
            most = 1 << (31 if kind == "int" else 63)
            return isinstance(default, int) and not isinstance(default, bool) and -most <= default < most
        case Primitive(kind="float" | "double"):
            return isinstance(default, int | float) and not isinstance(default, bool) and abs(default) < 1e308
        case Primitive(kind="bytes"):
            return isinstance(default, str) and all(ord(letter) < 256 for letter in default)
        case Fixed(size=size):
            of_bytes = isinstance(default, str) and all(ord(letter) < 256 for letter in default)
            return of_bytes and len(default) == size
        case Enum(symbols=symbols):
            return default in symbols
        case Primitive():
            return _encodable(default)
        case Array():
            return isinstance(default, list)
        case _:
            return isinstance(default, dict)


def _encodable(default: Any) -> bool:
    """Whether it is a text without halves of surrogate pairs."""
    if not isinstance(default, str):
        return False
    try:
        default.encode()
    except UnicodeEncodeError:
        return False
    return True
