"""Random Avro schemas with values, and fastavro as the oracle of what payloads come to."""

from __future__ import annotations

import io
import json
from random import Random
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
from ptvc.storage.formats.avro.cursor import Payloads
from ptvc.storage.formats.avro.decoder import RawDecoder, RawValues
from ptvc.storage.formats.avro.schema import (
    NULL,
    Array,
    Enum,
    Fixed,
    Map,
    Primitive,
    Record,
    Type,
    Union,
    nullable_of,
)

PRIMITIVES = ("boolean", "int", "long", "float", "double", "bytes", "string")
_ALIKE = {"int": "long", "float": "double", "bytes": "string"}
"""Not both in a union: fastavro writes the first one that can be, and reads as the first one that may be."""
_EDGES = (0, 1, -1, 63, -64, 64, 8191, 8192, (1 << 31) - 1, -(1 << 31))
_LONG_EDGES = ((1 << 63) - 1, -(1 << 63), (1 << 55) - 1, 1 << 55, 1 << 62, -(1 << 56))


class Cases:
    """Schemas as JSON, with names that are all different."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._names = 0

    def record(self, depth: int = 2, fields: int = 6) -> dict[str, Any]:
        return {
            "type": "record",
            "name": self._name("R"),
            "namespace": "a.b",
            "fields": [
                {"name": f"f{i}", "type": self.type(depth)} for i in range(self.random.randint(1, fields))
            ],
        }

    def type(self, depth: int) -> Any:
        kinds = [*PRIMITIVES, *PRIMITIVES, "enum", "fixed"]
        if depth:
            kinds += ["null union", "null union", "union", "array", "map", "record"]
        match self.random.choice(kinds):
            case "enum":
                symbols = [f"s{i}" for i in range(self.random.randint(1, 4))]
                return {"type": "enum", "name": self._name("E"), "symbols": symbols}
            case "fixed":
                return {"type": "fixed", "name": self._name("F"), "size": self.random.randint(1, 20)}
            case "null union":
                pair = ["null", self._no_union(depth)]
                self.random.shuffle(pair)
                return pair
            case "union":
                return self._union(depth)
            case "array":
                return {"type": "array", "items": self.type(depth - 1)}
            case "map":
                return {"type": "map", "values": self.type(depth - 1)}
            case "record":
                return self.record(depth - 1, 3)
            case kind:
                return kind

    def _no_union(self, depth: int) -> Any:
        while isinstance(found := self.type(depth - 1), list):
            pass
        return found

    def _union(self, depth: int) -> list[Any]:
        found: dict[str, Any] = {}
        for _ in range(self.random.randint(1, 4)):
            branch = self._no_union(depth)
            kind = branch if isinstance(branch, str) else branch["type"]
            found[_ALIKE.get(kind, kind)] = branch
        if self.random.random() < 0.5:
            found["null"] = "null"
        branches = list(found.values())
        self.random.shuffle(branches)
        return branches

    def _name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def value(self, type_: Type) -> tuple[Any, Any]:
        """A value as fastavro writes it, and as it is read raw."""
        random = self.random
        match type_:
            case Primitive(kind=kind):
                value = self.primitive(kind)
                return value, value
            case Fixed(size=size):
                value = random.randbytes(size)
                return value, value
            case Enum(symbols=symbols):
                value = random.choice(symbols)
                return value, value
            case Array(items=items):
                pairs = [self.value(items) for _ in range(self._count())]
                return [a for a, _ in pairs], [b for _, b in pairs]
            case Map(values=values):
                found = {self.primitive("string"): self.value(values) for _ in range(self._count())}
                return (
                    {key: pair[0] for key, pair in found.items()},
                    [{"key": key, "value": pair[1]} for key, pair in found.items()],
                )
            case Record(fields=fields):
                parts = {field.name: self.value(field.type) for field in fields}
                return {k: v[0] for k, v in parts.items()}, {k: v[1] for k, v in parts.items()}
            case Union(branches=branches):
                branch = random.choice(branches)
                written, raw = self.value(branch)
                if isinstance(branch, Fixed | Enum | Record):
                    written = (branch.name, written)
                if branch == NULL or nullable_of(type_) is not None:
                    return written, raw
                others = [b for b in branches if b != NULL]
                return written, {str(i): raw if b is branch else None for i, b in enumerate(others)}

    def primitive(self, kind: str) -> Any:
        random = self.random
        match kind:
            case "null":
                return None
            case "boolean":
                return random.random() < 0.5
            case "int":
                return random.choice((random.choice(_EDGES), random.randint(-(1 << 31), (1 << 31) - 1)))
            case "long":
                bits = random.randint(0, 63)
                return random.choice(
                    (random.choice(_LONG_EDGES), random.randint(-(1 << bits), (1 << bits) - 1))
                )
            case "float":
                return float(np.float32(random.uniform(-1e6, 1e6)))
            case "double":
                return random.uniform(-1e12, 1e12)
            case "bytes":
                return random.randbytes(random.choice((0, 1, 5, 70)))
            case _:
                return "".join(random.choices('abcäß€😀\n"\\ ', k=random.choice((0, 1, 5, 70))))

    def _count(self) -> int:
        return self.random.choice((0, 0, 1, 2, 3, 70))


def written(schema: Any, value: Any) -> bytes:
    sink = io.BytesIO()
    fastavro.schemaless_writer(sink, fastavro.parse_schema(schema), value)
    return sink.getvalue()


def read_all(decoder: RawDecoder, payloads: list[bytes]) -> RawValues:
    """With bytes between the payloads that belong to none."""
    content = b"".join(b"\xff\xff" + payload for payload in payloads)
    ends = np.cumsum([len(payload) + 2 for payload in payloads])
    starts = ends - np.array([len(payload) for payload in payloads])
    return decoder.decode(Payloads(np.frombuffer(content, np.uint8)), starts, ends)


def as_plain(value: Any, type_: Type) -> Any:
    """A raw value as fastavro reads it."""
    match type_:
        case Array(items=items):
            return [as_plain(item, items) for item in value]
        case Map(values=values):
            return {entry["key"]: as_plain(entry["value"], values) for entry in value}
        case Record(fields=fields):
            return {field.name: as_plain(value[field.name], field.type) for field in fields}
        case Union(branches=branches) if value is not None:
            if (inner := nullable_of(type_)) is not None:
                return as_plain(value, inner)
            others = [b for b in branches if b != NULL]
            number = next(i for i in range(len(others)) if value[str(i)] is not None)
            return as_plain(value[str(number)], others[number])
        case _:
            return value


def same(left: Any, right: Any) -> bool:
    """As documents, with bytes and floats as they are."""
    return json.dumps(left, default=repr, sort_keys=True) == json.dumps(right, default=repr, sort_keys=True)


def binary(payloads: list[bytes]) -> pa.Array:
    return pa.array(payloads, pa.large_binary())
