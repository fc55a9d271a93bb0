"""Reading with another schema than was written with: as fastavro resolves them, and where it and the specification part, as the latter."""

from __future__ import annotations

import copy
import io
import json
from random import Random
from typing import Any

import fastavro
import numpy as np
import pytest
from ptvc.storage.formats.avro.decoder import RawDecoder
from ptvc.storage.formats.avro.schema import parse

from .cases import Cases, as_plain, read_all, written


@pytest.mark.parametrize("seed", range(80))
def test_readers_that_have_gone_on(seed: int) -> None:
    cases = Cases(seed)
    schema = cases.record()
    writer = parse(json.dumps(schema))
    evolved = _Evolution(cases.random).record(copy.deepcopy(schema))
    reader = parse(json.dumps(evolved))
    payloads = [written(schema, cases.value(writer)[0]) for _ in range(60)]
    found = read_all(RawDecoder(writer, reader), payloads)
    reasons = dict(zip(found.bad.tolist(), found.reasons, strict=True))
    values = found.values.to_pylist()
    for number, payload in enumerate(payloads):
        try:
            expected = _by_fastavro(schema, evolved, payload)
        except (fastavro.read.SchemaResolutionError, UnicodeDecodeError):
            assert number in reasons
        else:
            assert number not in reasons, reasons[number]
            assert _shown(as_plain(values[number], reader)) == _shown(expected)


def _by_fastavro(writer: Any, reader: Any, payload: bytes) -> Any:
    return fastavro.schemaless_reader(
        io.BytesIO(payload), fastavro.parse_schema(writer), fastavro.parse_schema(reader)
    )


def _shown(value: Any) -> str:
    """Integers that became floats are floats, of either size."""
    match value:
        case dict():
            return repr({key: _shown(value[key]) for key in sorted(value)})
        case list():
            return repr([_shown(item) for item in value])
        case bool() | None:
            return repr(value)
        case int() | float():
            return repr(float(np.float32(value)))
        case _:
            return repr(value)


class _Evolution:
    """Changes that a schema goes through, as JSON."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def record(self, schema: dict[str, Any]) -> dict[str, Any]:
        random = self._random
        fields = [field for field in schema["fields"] if random.random() < 0.8]
        for field in fields:
            field["type"] = self._type(field["type"])
            if random.random() < 0.2:
                field["aliases"] = [field["name"]]
                field["name"] = f"renamed_{field['name']}"
        if random.random() < 0.5:
            fields.append({"name": "added", "type": ["null", "string"], "default": None})
        if random.random() < 0.5:
            fields.append({"name": "more", "type": {"type": "array", "items": "long"}, "default": [1, 2]})
        if random.random() < 0.1:
            fields.append({"name": "wanted", "type": "string"})
        random.shuffle(fields)
        schema["fields"] = fields
        if random.random() < 0.2:
            schema["aliases"] = [f"{schema['namespace']}.{schema['name']}"]
            schema["name"] += "_renamed"
        return schema

    def _type(self, type_: Any) -> Any:
        random = self._random
        if random.random() < 0.15 and not isinstance(type_, list):
            return ["null", type_]
        match type_:
            case "int":
                return random.choice(("int", "long", "float", "double", "string"))
            case "long":
                return random.choice(("long", "float", "double"))
            case "float":
                return random.choice(("float", "double"))
            case "bytes" | "string":
                return random.choice((type_, type_, "bytes"))
            case {"type": "enum", "symbols": symbols} if random.random() < 0.5:
                kept = [*symbols[1:], "other"]
                return {**type_, "symbols": kept} | ({"default": "other"} if random.random() < 0.7 else {})
            case {"type": "array", "items": items}:
                return {"type": "array", "items": self._type(items)}
            case {"type": "map", "values": values}:
                return {"type": "map", "values": self._type(values)}
            case {"type": "record"}:
                return self.record(type_)
            case list() if random.random() < 0.3:
                return [branch for branch in type_ if branch == "null" or random.random() < 0.7] or ["null"]
            case _:
                return type_


def one(writer: Any, reader: Any, value: Any) -> Any:
    """The raw value, or why there is none."""
    decoder = RawDecoder(parse(json.dumps(writer)), parse(json.dumps(reader)))
    found = read_all(decoder, [written(writer, value)])
    return found.reasons[0] if len(found.bad) else found.values[0].as_py()


def test_promotions() -> None:
    odd = (1 << 53) + 1
    assert one("long", "double", odd) == float(odd)
    assert one("long", "float", (1 << 24) + 1) == float(1 << 24)
    assert one("int", "long", -5) == -5
    assert one("float", "double", 0.5) == 0.5
    assert one("string", "bytes", "ä") == "ä".encode()
    assert one("bytes", "string", "ä".encode()) == "ä"
    assert "UTF8" in one("bytes", "string", b"\xff")
    assert one("long", "int", 5) == "long cannot be read as int"
    assert one("string", "long", "5") == "string cannot be read as long"


def test_a_union_takes_its_own_type_before_one_that_it_promotes_to() -> None:
    assert one("int", ["null", "double", "int"], 5) == {"0": None, "1": 5}
    assert one("bytes", ["string", "bytes"], b"\xff") == {"0": None, "1": b"\xff"}
    assert one("int", ["string", "double"], 5) == {"0": None, "1": 5.0}
    assert one(["null", "string"], "string", "x") == "x"
    assert one(["null", "string"], "string", None) == "null cannot be read as string"
    assert one(["null", "string"], ["string", "null"], None) is None
    assert one(["long", "string"], ["null", "string"], 5) == "long cannot be read as union of null, string"


def test_units_and_scales_are_not_confused() -> None:
    def timed(unit: str) -> dict[str, str]:
        return {"type": "long", "logicalType": unit}

    def decimal(precision: int, scale: int) -> dict[str, Any]:
        return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}

    reason = "timestamp-millis cannot be read as timestamp-micros"
    assert one(timed("timestamp-millis"), timed("timestamp-micros"), 5) == reason
    assert one(timed("timestamp-millis"), timed("local-timestamp-millis"), 5) == 5
    assert one("long", timed("timestamp-millis"), 5) == 5
    assert one(timed("timestamp-millis"), "long", 5) == 5
    assert one(decimal(4, 2), decimal(9, 2), b"\x05") == b"\x05"
    assert one(decimal(9, 2), decimal(9, 3), b"\x05") == "decimal(9, 2) cannot be read as decimal(9, 3)"


def test_defaults() -> None:
    fields = [
        ("a", "bytes", "\u00ff"),
        ("b", ["null", "long"], None),
        ("c", ["long", "null"], 7),
        ("d", {"type": "map", "values": "double"}, {"x": 1}),
        ("e", {"type": "record", "name": "i", "fields": [{"name": "f", "type": "int", "default": 3}]}, {}),
        ("g", ["null", "string", "long"], None),
        ("h", ["string", "long"], "x"),
    ]
    reader = {
        "type": "record",
        "name": "r",
        "fields": [{"name": n, "type": t, "default": d} for n, t, d in fields],
    }
    assert one({"type": "record", "name": "r", "fields": []}, reader, {}) == {
        "a": b"\xff",
        "b": None,
        "c": 7,
        "d": [{"key": "x", "value": 1.0}],
        "e": {"f": 3},
        "g": None,
        "h": {"0": "x", "1": None},
    }


def test_names() -> None:
    def record(name: str, **more: Any) -> dict[str, Any]:
        return {"type": "record", "name": name, "fields": [{"name": "f", "type": "int"}], **more}

    assert one(record("a.r"), record("b.r"), {"f": 1}) == {"f": 1}
    assert one(record("a.old"), record("a.new", aliases=["old"]), {"f": 1}) == {"f": 1}
    assert (
        one(record("a.old"), record("a.new"), {"f": 1}) == 'record "a.old" cannot be read as record "a.new"'
    )
    two = {**record("r"), "fields": [{"name": "f", "type": "int"}, {"name": "g", "type": "int"}]}
    aliased = {**record("r"), "fields": [{"name": "f", "type": "int", "aliases": ["g"]}]}
    assert "several fields" in one(two, aliased, {"f": 1, "g": 2})
    assert one(record("r"), {**record("r"), "fields": [{"name": "g", "type": "int"}]}, {"f": 1}) == (
        'record "r" lacks field "g", which has no default'
    )


@pytest.mark.parametrize(
    ("type_", "default", "reason"),
    [
        ({"type": "array", "items": "int"}, ["x"], "its default is no value of type int"),
        ({"type": "array", "items": "int"}, [1 << 31], "its default is no value of type int"),
        ({"type": "map", "values": "bytes"}, {"a": "\u0100"}, "its default is no value of type bytes"),
        (
            {"type": "fixed", "name": "f", "size": 2},
            "x",
            'its default is no value of type fixed "f" of 2 bytes',
        ),
        ({"type": "enum", "name": "e", "symbols": ["a"]}, "b", 'its default is no value of type enum "e"'),
    ],
)
def test_defaults_that_are_none(type_: Any, default: Any, reason: str) -> None:
    """They hurt where they are needed only."""
    with_default = {
        "type": "record",
        "name": "r",
        "fields": [{"name": "x", "type": type_, "default": default}],
    }
    assert one({"type": "record", "name": "r", "fields": []}, with_default, {}) == f'field "x": {reason}'


def test_a_default_of_a_record_that_lacks_a_field() -> None:
    inner = {"type": "record", "name": "i", "fields": [{"name": "f", "type": "int"}]}
    reader = {"type": "record", "name": "r", "fields": [{"name": "x", "type": inner, "default": {}}]}
    assert one({"type": "record", "name": "r", "fields": []}, reader, {}) == 'field "x.f": it has no default'
