"""What is a schema, and which columns it makes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ptvc.errors import InvalidParameter, PtvcError, Unsupported
from ptvc.storage.formats.avro.schema import Fixed, Logical, Primitive, Record, parse, self_contained
from ptvc.storage.formats.avro.types import field_columns

from .cases import Cases


def columns(*fields: Any) -> list[tuple[str, str, bool]]:
    schema = {"type": "record", "name": "r", "fields": [{"name": n, "type": t} for n, t in fields]}
    parsed = parse(json.dumps(schema))
    assert isinstance(parsed, Record)
    found = [item.column for item in field_columns(parsed)]
    return [(column.name, str(column.type), column.nullable) for column in found]


def logical(type_: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": type_, "logicalType": name, **more}


def test_columns() -> None:
    inner = {"type": "record", "name": "i", "fields": [{"name": "x", "type": "int"}]}
    assert columns(
        ("a", "boolean"),
        ("b", ["null", "int"]),
        ("c", ["long", "null"]),
        ("d", {"type": "array", "items": ["null", "double"]}),
        ("e", {"type": "map", "values": {"type": "array", "items": "string"}}),
        ("f", ["null", inner]),
        ("g", {"type": "array", "items": "i"}),
        ("h", {"type": "enum", "name": "e", "symbols": ["A"]}),
        ("i", {"type": "fixed", "name": "x", "size": 3}),
    ) == [
        ("a", "boolean", False),
        ("b", "integer", True),
        ("c", "bigint", True),
        ("d", "double precision list", False),
        ("e", "map[text=>text list]", False),
        ("f", "jsonb", True),
        ("g", "jsonb list", False),
        ("h", "text", False),
        ("i", "bytea", False),
    ]


def test_logical_types() -> None:
    assert columns(
        ("a", logical("bytes", "decimal", precision=10, scale=2)),
        ("b", logical("bytes", "decimal", precision=64, scale=2)),
        ("c", logical("int", "date")),
        ("d", logical("int", "time-millis")),
        ("e", logical("long", "timestamp-micros")),
        ("f", logical("long", "local-timestamp-millis")),
        ("g", logical("string", "uuid")),
        ("h", {**logical("fixed", "uuid", size=16), "name": "u"}),
    ) == [
        ("a", "numeric(10,2)", False),
        ("b", "numeric", False),
        ("c", "date", False),
        ("d", "time without time zone", False),
        ("e", "timestamp without time zone", False),
        ("f", "timestamp without time zone", False),
        ("g", "uuid", False),
        ("h", "uuid", False),
    ]


def test_logical_types_that_mean_nothing() -> None:
    assert parse(json.dumps(logical("long", "date"))) == Primitive("long")
    assert parse(json.dumps(logical("long", "timestamp-nanos"))) == Primitive("long")
    assert parse(json.dumps(logical("bytes", "decimal"))) == Primitive("bytes")
    assert parse(json.dumps({**logical("fixed", "duration", size=12), "name": "d"})) == Fixed("d", (), 12)
    assert parse(json.dumps(logical("int", "date"))) == Primitive("int", Logical("date"))


def test_unions_have_a_column_per_branch() -> None:
    assert columns(("u", ["null", "string", "long"]), ("v", ["string"]), ("w", ["int", "string"])) == [
        ("u1", "text", True),
        ("u2", "bigint", True),
        ("v", "text", False),
        ("w1", "integer", True),
        ("w2", "text", True),
    ]
    assert columns(("l", {"type": "array", "items": ["string", "long"]})) == [("l", "jsonb list", False)]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([("a", "null")], 'field "a" of the Avro schema is of type null only'),
        ([("a", ["int", "long"])], 'field "a" of the Avro schema is a union of int and long'),
        ([("u", ["string", "int"]), ("u1", "int")], 'the Avro schema makes two columns "u1"'),
        (
            [("a", logical("bytes", "decimal", precision=60, scale=50))],
            'field "a" of the Avro schema is a decimal of 50 digits',
        ),
        (
            [("a", {"type": "record", "name": "i", "fields": [{"name": "b", "type": "null"}]})],
            'field "a.b" of the Avro schema is of type null only',
        ),
    ],
)
def test_what_is_no_column(fields: list[Any], message: str) -> None:
    with pytest.raises(Unsupported) as refused:
        columns(*fields)
    assert message in refused.value.message
    assert refused.value.hint is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "malformed"),
        ('"nonsense"', "names a type that it does not define"),
        ('{"type":"array"}', "malformed"),
        ('{"type":"fixed","name":"f","size":"x"}', "a fixed type of 'x' bytes"),
        ('{"type":"fixed","name":"f","size":-1}', "a fixed type of -1 bytes"),
        ('{"type":"fixed","name":"f","size":3000000000}', "a fixed type of 3000000000 bytes"),
        ('{"type":"enum","name":"e","symbols":[]}', "an enum without symbols"),
        ('{"type":"enum","name":"e","symbols":["a","a"]}', "malformed"),
        ('{"type":"enum","name":"e","symbols":["a"],"default":"b"}', "malformed"),
        ('{"type":"record","name":"r","fields":[{"name":5,"type":"int"}]}', "a name that is none"),
        ('{"type":"record","name":"r","fields":[{"name":"a b","type":"int"}]}', "a name that is none"),
        ('["int",["null","string"]]', "a union with a union"),
        ('["int","int"]', "two types of a kind"),
        ("[]", "union of nothing"),
        ('{"type":"array","items":"null"}', "whose items take no bytes"),
        (
            '{"type":"record","name":"r","fields":[{"name":"a","type":"int"},{"name":"a","type":"int"}]}',
            "two fields",
        ),
        (
            '{"type":"record","name":"r","__fastavro_parsed":true,"fields":[{"name":"a","type":"x"}]}',
            "does not define",
        ),
        ("[" * 100_000, "malformed|nested too deeply"),
    ],
)
def test_what_is_no_schema(text: str, message: str) -> None:
    with pytest.raises((InvalidParameter, Unsupported), match=message):
        parse(text)


def test_names_that_multiply() -> None:
    """Sixty records, each of which has the next one twice."""
    inner: Any = "int"
    for number in range(60):
        name = f"r{number}"
        fields = [{"name": "a", "type": inner}, {"name": "b", "type": f"r{number - 1}" if number else "int"}]
        inner = {"type": "record", "name": name, "fields": fields}
    with pytest.raises(PtvcError, match="more than 20000 types"):
        parse(json.dumps(inner))


def test_references() -> None:
    leaf = '{"type":"record","name":"x.Leaf","fields":[{"name":"v","type":"int"}]}'
    middle = '{"type":"record","name":"x.Middle","fields":[{"name":"leaf","type":"x.Leaf"}]}'
    top = '{"type":"record","name":"Top","fields":[{"name":"m","type":"x.Middle"},{"name":"l","type":"x.Leaf"}]}'
    parsed = parse(top, [leaf, middle])
    assert isinstance(parsed, Record)
    assert [field.type.name for field in parsed.fields if isinstance(field.type, Record)] == [
        "x.Middle",
        "x.Leaf",
    ]


def test_a_schema_that_needs_no_other() -> None:
    leaf = '{"type":"record","name":"x.Leaf","fields":[{"name":"v","type":"int","default":1},{"name":"e","type":["null",{"type":"enum","name":"E","symbols":["A"]}]}]}'
    middle = '{"type":"record","name":"x.Middle","fields":[{"name":"leaf","type":"x.Leaf"},{"name":"e","type":"x.E"}]}'
    top = (
        '{"type":"record","name":"Top","aliases":["Old"],"fields":[{"name":"m","type":{"type":"array","items":"x.Middle"}},'
        '{"name":"l","type":"x.Leaf"},{"name":"d","type":{"type":"int","logicalType":"date"}}]}'
    )
    text = self_contained(top, [leaf, middle])
    assert parse(text) == parse(top, [leaf, middle])
    assert self_contained(text) == text
    assert text.count('"symbols"') == 1


@pytest.mark.parametrize("seed", range(20))
def test_schemas_that_need_no_other_stay_what_they_are(seed: int) -> None:
    schema = json.dumps(Cases(seed).record(3))
    assert parse(self_contained(schema)) == parse(schema)
