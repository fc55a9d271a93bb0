"""Avro schemas as trees: parsed and checked by fastavro, named types put where they are used, logical types that mean something.

A tree is finite: where a record contains itself its name stands, and a type that grows beyond measure once names are replaced is refused.
What the specification says to ignore (a logical type that is unknown, or of another type than its own) is not in the tree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from ....errors import InvalidParameter, Unsupported
from ..packages import missing_package

MOST_NODES = 20_000
_LOGICAL = {
    "date": "int",
    "time-millis": "int",
    "time-micros": "long",
    "timestamp-millis": "long",
    "timestamp-micros": "long",
    "local-timestamp-millis": "long",
    "local-timestamp-micros": "long",
    "uuid": "string",
}
_CONNECT = {
    "io.debezium.time.Date": ("int", "date"),
    "io.debezium.time.Time": ("int", "time-millis"),
    "io.debezium.time.MicroTime": ("long", "time-micros"),
    "io.debezium.time.Timestamp": ("long", "timestamp-millis"),
    "io.debezium.time.MicroTimestamp": ("long", "timestamp-micros"),
    "io.debezium.time.ZonedTimestamp": ("string", "zoned-timestamp"),
    "io.debezium.data.Uuid": ("string", "uuid"),
    "io.debezium.data.Json": ("string", "json"),
}
"""What Kafka Connect's names of types mean, where Debezium writes no logical type; the names that are not Avro's are ours."""
_MOST_BYTES = (1 << 31) - 1
_NAME = re.compile(r"[\w$.-]+")
"""More than the specification allows: letters of any script, and what Debezium leaves in names."""
_MARKS = ("__fastavro_parsed", "__named_schemas")
_PRIMITIVES = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))


@dataclass(frozen=True, slots=True)
class Logical:
    """What values of a type mean; of `decimal`, precision and scale."""

    name: str
    precision: int = 0
    scale: int = 0

    def __str__(self) -> str:
        return f"decimal({self.precision}, {self.scale})" if self.name == "decimal" else self.name


@dataclass(frozen=True, slots=True)
class Primitive:
    kind: str
    logical: Logical | None = None


@dataclass(frozen=True, slots=True)
class Fixed:
    name: str
    aliases: tuple[str, ...]
    size: int
    logical: Logical | None = None


@dataclass(frozen=True, slots=True)
class Enum:
    name: str
    aliases: tuple[str, ...]
    symbols: tuple[str, ...]
    default: str | None


@dataclass(frozen=True, slots=True)
class Array:
    items: Type


@dataclass(frozen=True, slots=True)
class Map:
    values: Type


@dataclass(frozen=True, slots=True)
class Union:
    branches: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """`default` is JSON; None: there is none."""

    name: str
    aliases: tuple[str, ...]
    type: Type
    default: str | None


@dataclass(frozen=True, slots=True)
class Record:
    name: str
    aliases: tuple[str, ...]
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Again:
    """Within a record: the record of that name, which contains itself.  It can be passed over; no column is made of it."""

    name: str


Type: TypeAlias = Primitive | Fixed | Enum | Array | Map | Union | Record | Again

NULL = Primitive("null")


def nullable_of(type_: Type) -> Type | None:
    """The T of a union of null and T; None of any other type."""
    if isinstance(type_, Union) and len(type_.branches) == 2 and NULL in type_.branches:
        first, second = type_.branches
        return second if first == NULL else first
    return None


def describe(type_: Type) -> str:
    """The type in a message."""
    match type_:
        case Primitive(kind=kind, logical=logical):
            return kind if logical is None else str(logical)
        case Array(items=items):
            return f"array of {describe(items)}"
        case Map(values=values):
            return f"map of {describe(values)}"
        case Union(branches=branches):
            return f"union of {', '.join(map(describe, branches))}"
        case Fixed():
            return f'fixed "{type_.name}" of {type_.size} bytes'
        case Enum():
            return f'enum "{type_.name}"'
        case Record() | Again():
            return f'record "{type_.name}"'


def contains_again(type_: Type) -> bool:
    """Whether there is a record that contains itself."""
    match type_:
        case Array(items=inner) | Map(values=inner):
            return contains_again(inner)
        case Union(branches=branches):
            return any(map(contains_again, branches))
        case Record(fields=fields):
            return any(contains_again(field.type) for field in fields)
        case _:
            return isinstance(type_, Again)


def records_of(type_: Type) -> Mapping[str, Record]:
    """The records within, by their names: what `Again` means."""
    return {record.name: record for record in _records(type_)}


def _records(type_: Type) -> Iterator[Record]:
    match type_:
        case Array(items=inner) | Map(values=inner):
            yield from _records(inner)
        case Union(branches=branches):
            for branch in branches:
                yield from _records(branch)
        case Record(fields=fields):
            yield type_
            for field in fields:
                yield from _records(field.type)
        case _:
            return


def parse(text: str, references: Sequence[str] = ()) -> Type:
    """The schema, in which names of `references` may occur, each of which may name those before it.

    Raises InvalidParameter for what is no schema, Unsupported for what no columns are made of.
    """
    return _parsed(text, references, lambda parsed, named: _Builder(named).build(parsed))


def self_contained(text: str, references: Sequence[str] = ()) -> str:
    """The schema as a text that needs no other: what it refers to is defined where it is named first.

    Raises as `parse`, also for what only that refuses.
    """
    parse(text, references)
    return _parsed(text, references, lambda parsed, named: json.dumps(_defined(parsed, named, set())))


T = TypeVar("T")


def _parsed(text: str, references: Sequence[str], use: Callable[[Any, dict[str, Any]], T]) -> T:
    """What `use` makes of what fastavro makes of the text, in which names are full, and of the types by their names."""
    # Loaded where a format needs it: it is of an extra.
    try:
        from fastavro.schema import SchemaParseException, UnknownType, parse_schema
    except ImportError:
        raise missing_package("FORMAT AVRO", "fastavro") from None

    named: dict[str, Any] = {}
    try:
        for reference in references:
            parse_schema(plain(json.loads(reference)), named)
        parsed = plain(parse_schema(plain(json.loads(text)), named))
        return use(parsed, named)
    except UnknownType as error:
        raise InvalidParameter(f'the Avro schema names a type that it does not define: "{error}"') from None
    except SchemaParseException as error:
        raise InvalidParameter("the Avro schema is malformed", detail=_short(str(error))) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        # What fastavro does not look at before it is used: a list without items, a size that is a text.
        raise InvalidParameter("the Avro schema is malformed", detail=_short(repr(error))) from None
    except RecursionError:
        raise InvalidParameter("the Avro schema is nested too deeply") from None


def _short(text: str) -> str:
    return text if len(text) <= 500 else f"{text[:500]} ..."


def plain(schema: Any) -> Any:
    """Without the marks by which fastavro knows what it has parsed: nobody else may set them."""
    if isinstance(schema, dict):
        return {key: plain(value) for key, value in schema.items() if key not in _MARKS}
    return [plain(item) for item in schema] if isinstance(schema, list) else schema


def _defined(parsed: Any, named: dict[str, Any], known: set[str]) -> Any:
    """The schema with the definition of each name where it comes first; `known` are those that have been."""
    match parsed:
        case list():
            return [_defined(branch, named, known) for branch in parsed]
        case str() if parsed in _PRIMITIVES or parsed in known:
            return parsed
        case str():
            return _defined(plain(named[parsed]), named, known)
        case dict():
            found = dict(parsed)
            if "name" in found:
                known.add(found["name"])
            for inner in ("items", "values"):
                if inner in found:
                    found[inner] = _defined(found[inner], named, known)
            if found["type"] in ("record", "error"):
                found["fields"] = [{**f, "type": _defined(f["type"], named, known)} for f in found["fields"]]
            elif not isinstance(found["type"], str):
                found["type"] = _defined(found["type"], named, known)
            return found
        case _:
            raise TypeError(f"{parsed!r} is no type")


class _Builder:
    """Makes trees of what fastavro has parsed, in which names are full."""

    def __init__(self, named: dict[str, Any]) -> None:
        self._named = named
        self._open: dict[str, int] = {}
        """Records that are being built, with `_choices` where they began."""
        self._choices = 0
        """Unions, arrays and maps around: what makes it possible that a value ends."""
        self._nodes = 0

    def build(self, parsed: Any) -> Type:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise Unsupported(f"the Avro schema has more than {MOST_NODES} types once its names are replaced")
        if isinstance(parsed, list):
            with self._choice():
                return self._union(parsed)
        if isinstance(parsed, str):
            return Primitive(parsed) if parsed in _PRIMITIVES else self._definition(self._named[parsed])
        return self._definition(parsed)

    @contextmanager
    def _choice(self) -> Iterator[None]:
        self._choices += 1
        yield
        self._choices -= 1

    def _union(self, parsed: list[Any]) -> Type:
        branches = tuple(self.build(branch) for branch in parsed)
        kinds = [
            b.kind if isinstance(b, Primitive) else getattr(b, "name", type(b).__name__) for b in branches
        ]
        if len(set(kinds)) < len(kinds) or any(isinstance(branch, Union) for branch in branches):
            raise InvalidParameter(
                "the Avro schema has a union with a union in it, or with two types of a kind"
            )
        if not branches:
            raise InvalidParameter("the Avro schema has a union of nothing")
        return Union(branches)

    def _definition(self, parsed: dict[str, Any]) -> Type:
        kind = parsed["type"]
        match kind:
            case "array":
                with self._choice():
                    items = self.build(parsed["items"])
                if not least_bytes(items):
                    raise Unsupported("the Avro schema has an array whose items take no bytes")
                return Array(items)
            case "map":
                with self._choice():
                    return Map(self.build(parsed["values"]))
            case "fixed":
                size = parsed["size"]
                if not isinstance(size, int) or not 0 <= size <= _MOST_BYTES:
                    raise InvalidParameter(f"the Avro schema has a fixed type of {size!r} bytes")
                return Fixed(_name(parsed), _aliases(parsed), size, _logical(parsed, size))
            case "enum":
                return _enum(parsed)
            case "record" | "error":
                return self._record(parsed)
            case str():
                return Primitive(kind, _logical(parsed, None)) if kind in _PRIMITIVES else self.build(kind)
            case _:
                return self.build(kind)

    def _record(self, parsed: dict[str, Any]) -> Record | Again:
        name = _name(parsed)
        if name in self._open:
            if self._open[name] == self._choices:
                raise InvalidParameter(
                    f'the Avro schema has a record "{name}" that contains itself in each of its values'
                )
            return Again(name)
        self._open[name] = self._choices
        fields = tuple(
            Field(
                _name(field),
                _texts(field.get("aliases", ())),
                self.build(field["type"]),
                json.dumps(field["default"]) if "default" in field else None,
            )
            for field in parsed["fields"]
        )
        del self._open[name]
        if len({field.name for field in fields}) < len(fields):
            raise InvalidParameter(f'record "{name}" of the Avro schema has two fields of one name')
        return Record(name, _aliases(parsed), fields)


def _enum(parsed: dict[str, Any]) -> Enum:
    """fastavro has checked that a default is one of the symbols."""
    if not (symbols := _texts(parsed["symbols"])):
        raise InvalidParameter("the Avro schema has an enum without symbols")
    return Enum(_name(parsed), _aliases(parsed), symbols, parsed.get("default"))


def _name(parsed: dict[str, Any]) -> str:
    (name,) = _texts([parsed["name"]])
    return name


def _texts(values: Any) -> tuple[str, ...]:
    found = tuple(values)
    if not all(isinstance(text, str) and _NAME.fullmatch(text) for text in found):
        raise InvalidParameter("the Avro schema has a name that is none", detail=_short(repr(found)))
    return found


def _aliases(parsed: dict[str, Any]) -> tuple[str, ...]:
    """In full: one without a namespace has that of the type."""
    space = _name(parsed).rpartition(".")[0]
    aliases = _texts(parsed.get("aliases", ()))
    return tuple(alias if "." in alias or not space else f"{space}.{alias}" for alias in aliases)


def _logical(parsed: dict[str, Any], size: int | None) -> Logical | None:
    name, kind = parsed.get("logicalType"), parsed["type"]
    if name is None and isinstance(connect := parsed.get("connect.name"), str) and size is None:
        carrier, meant = _CONNECT.get(connect, (None, ""))
        return Logical(meant) if carrier == kind else None
    if name == "decimal" and kind in ("bytes", "fixed"):
        precision, scale = parsed.get("precision"), parsed.get("scale", 0)
        if isinstance(precision, int) and isinstance(scale, int) and 0 <= scale <= precision:
            return Logical(name, precision, scale)
        return None
    if name == "uuid" and size == 16:
        return Logical(name)
    return Logical(name) if isinstance(name, str) and _LOGICAL.get(name) == kind else None


def least_bytes(type_: Type) -> int:
    """That any value of the type takes."""
    match type_:
        case Primitive(kind=kind):
            return {"null": 0, "float": 4, "double": 8}.get(kind, 1)
        case Fixed(size=size):
            return size
        case Record(fields=fields):
            return sum(least_bytes(field.type) for field in fields)
        case _:
            return 1
