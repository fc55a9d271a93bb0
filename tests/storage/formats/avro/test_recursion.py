"""Records that contain themselves: they are passed over however deep they are, and no column is made of one."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from ptvc.errors import InvalidParameter, PtvcError, Unsupported
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, JSONB, TEXT, ScalarType
from ptvc.storage.formats.avro import records
from ptvc.storage.formats.avro.codecs import BrokenBlock
from ptvc.storage.formats.avro.container import Blocks
from ptvc.storage.formats.avro.cursor import Payloads
from ptvc.storage.formats.avro.declared import DeclaredColumns
from ptvc.storage.formats.avro.format import AvroFormat
from ptvc.storage.formats.avro.passing import MOST_LEVELS
from ptvc.storage.formats.avro.records import RecordBounds
from ptvc.storage.formats.avro.schema import Record, parse, self_contained
from ptvc.storage.formats.schemas import SchemaText

from .cases import binary, written

DEEP = 50_000
"""Values within each other, for which no stack of a process has room."""
NODE = {
    "type": "record",
    "name": "node",
    "namespace": "a",
    "fields": [
        {"name": "text", "type": "string"},
        {"name": "kids", "type": {"type": "array", "items": "node"}},
        {"name": "byName", "type": {"type": "map", "values": ["null", "node", "double"]}},
        {
            "name": "other",
            "type": [
                "null",
                "boolean",
                {"type": "enum", "name": "e", "symbols": ["A", "B"]},
                {"type": "fixed", "name": "f", "size": 3},
                {"type": "record", "name": "pair", "fields": [{"name": "left", "type": "node"}, {"name": "n", "type": "long"}]},
            ],
        },
    ],
}  # fmt: skip
WITH_TREE = {
    "type": "record",
    "name": "r",
    "fields": [
        {"name": "id", "type": "int"},
        {"name": "tree", "type": NODE},
        {"name": "either", "type": ["null", "string", "a.node"]},
        {"name": "next", "type": ["null", "r"]},
        {"name": "t", "type": "string"},
    ],
}
LINKED = {
    "type": "record",
    "name": "r",
    "fields": [
        {"name": "next", "type": ["null", "r"]},
        {"name": "t", "type": "string"},
    ],
}


def tree(random: Random, depth: int) -> dict[str, Any]:
    def some(most: int) -> list[Any]:
        return [tree(random, depth - 1) for _ in range(random.randint(0, most))] if depth else []

    other: list[Any] = [None, True, ("a.e", "B"), ("a.f", b"xyz")]
    if depth:
        other.append(("a.pair", {"left": tree(random, depth - 1), "n": random.getrandbits(60)}))
    return {
        "text": "x" * random.choice((0, 1, 70)),
        "kids": some(2),
        "byName": {f"k{i}": random.choice((("a.node", value), None, 1.5)) for i, value in enumerate(some(2))},
        "other": random.choice(other),
    }


def row(random: Random, id_: int, depth: int) -> dict[str, Any]:
    return {
        "id": id_,
        "tree": tree(random, random.randint(0, 3)),
        "either": random.choice((None, f"text {id_}", ("a.node", tree(random, 1)))),
        "next": ("r", row(random, -id_, depth - 1)) if depth else None,
        "t": f"t{id_}",
    }


def rows(seed: int, count: int) -> list[dict[str, Any]]:
    """Some of them deeper than is passed over in columns."""
    random = Random(seed)
    return [row(random, id_, random.choice((0, 0, 1, 3, MOST_LEVELS + 5))) for id_ in range(count)]


def linked(depth: int) -> bytes:
    """A payload of `LINKED`."""
    return b"\x02" * depth + b"\x00" + b"\x02x" * (depth + 1)


def columns(**types: ScalarType) -> Schema:
    return Schema(tuple(Column(name, type_) for name, type_ in types.items()))


@pytest.mark.parametrize("seed", range(3))
def test_other_fields_are_read(seed: int) -> None:
    values = rows(seed, 200)
    payloads = binary([written(WITH_TREE, value) for value in values])
    found = DeclaredColumns(json.dumps(WITH_TREE), columns(t=TEXT, id=INT4, either1=TEXT)).decode(payloads)
    assert not len(found.errors)
    t, ids, either = (column.to_pylist() for column in found.columns)
    assert t == [value["t"] for value in values]
    assert ids == [value["id"] for value in values]
    assert either == [v["either"] if isinstance(v["either"], str) else None for v in values]
    for column in found.columns:
        column.validate(full=True)


@pytest.mark.parametrize("few", [0, 4, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_where_records_begin(seed: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_FEW", few)
    random = Random(seed)
    payloads = [written(WITH_TREE, value) for value in rows(seed, 120)]
    edges = sorted({0, len(payloads), *(random.randint(0, len(payloads)) for _ in range(12))})
    parts = [payloads[a:b] for a, b in pairwise(edges)]
    assert found(WITH_TREE, [b"".join(part) for part in parts], [len(part) for part in parts]) == payloads


def found(schema: Any, contents: list[bytes], counts: list[int]) -> list[bytes]:
    writer = parse(json.dumps(schema))
    assert isinstance(writer, Record)
    data = np.frombuffer(b"".join(contents), np.uint8)
    ends = np.cumsum([len(content) for content in contents])
    blocks = Blocks(data, ends, np.array(counts), np.zeros(len(counts), np.int64))
    starts, stops = RecordBounds(writer, json.dumps(schema)).find(blocks, Payloads(data))
    return [data[a:b].tobytes() for a, b in zip(starts, stops, strict=True)]


@pytest.mark.parametrize("few", [0, 1000])
def test_no_depth_is_too_much(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By recursion of C, as fastavro's, it ends the process."""
    monkeypatch.setattr(records, "_FEW", few)
    payloads = [linked(0), linked(DEEP), linked(MOST_LEVELS), linked(MOST_LEVELS + 1), linked(1)]
    read = DeclaredColumns(json.dumps(LINKED), columns(t=TEXT)).decode(binary(payloads))
    assert not len(read.errors)
    assert read.columns[0].to_pylist() == ["x"] * 5
    assert found(LINKED, [payloads[0] + payloads[1], b"".join(payloads[2:])], [2, 3]) == payloads


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize("depth", [3, MOST_LEVELS + 3, DEEP])
def test_what_is_cut_off(depth: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_FEW", few)
    cut = linked(depth)[: depth - 1]
    read = DeclaredColumns(json.dumps(LINKED), columns(t=TEXT)).decode(binary([linked(1), cut, linked(2)]))
    assert read.errors.rows.tolist() == [1]
    assert read.columns[0].to_pylist()[::2] == ["x", "x"]
    with pytest.raises(BrokenBlock):
        found(LINKED, [linked(1), cut, linked(2)], [1, 1, 1])


@pytest.mark.parametrize("seed", range(5))
def test_a_block_of_other_bytes_is_refused_or_has_as_many_records(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    for few in (0, 1000) * 20:
        monkeypatch.setattr(records, "_FEW", few)
        contents = [bytes(random.choice((0, 2, 4, 6, 8, 255)) for _ in range(random.randrange(80))) for _ in range(3)]  # fmt: skip
        counts = [random.randrange(0, 4) for _ in contents]
        refused = None
        try:
            together = found(WITH_TREE, contents, counts)
        except BrokenBlock as error:
            refused = error.args[0]
        if refused is None:
            assert (len(together), b"".join(together)) == (sum(counts), b"".join(contents))
        else:
            assert 0 <= refused < 3


@pytest.mark.parametrize(
    ("name", "type_", "message"),
    [
        ("tree", JSONB, 'field "tree.kids" of the Avro schema has a record "a.node" that contains itself'),
        (
            "either2",
            JSONB,
            'field "either.kids" of the Avro schema has a record "a.node" that contains itself',
        ),
        ("next", JSONB, 'field "next" of the Avro schema has a record "r" that contains itself'),
    ],
)
def test_no_column_is_made_of_one(name: str, type_: ScalarType, message: str) -> None:
    with pytest.raises(Unsupported, match=message):
        DeclaredColumns(json.dumps(WITH_TREE), columns(id=INT4, **{name: type_}))


class _Registry:
    def schema(self, id_: object) -> SchemaText:
        return SchemaText(json.dumps(WITH_TREE))


def test_a_schema_to_read_with_leaves_it_out() -> None:
    """Of a registry: a record that contains itself, as one that does not."""
    pair = {
        "type": "record",
        "name": "node",
        "namespace": "a",
        "fields": [{"name": "text", "type": "string"}],
    }
    reader = {
        "type": "record",
        "name": "r",
        "fields": [
            {"name": "id", "type": "int"},
            {"name": "next", "type": ["null", {"type": "record", "name": "r2", "aliases": ["r"], "fields": [{"name": "t", "type": "string"}]}]},
            {"name": "tree", "type": {**pair, "fields": [*pair["fields"], {"name": "kids", "type": {"type": "array", "items": {**pair, "name": "kid", "aliases": ["a.node"]}}}]}},
        ],
    }  # fmt: skip
    values = rows(7, 60)
    payloads = binary([b"\0\0\0\0\1" + written(WITH_TREE, value) for value in values])
    with pytest.raises(Unsupported, match="contains itself"):
        AvroFormat(SchemaText(json.dumps(WITH_TREE)), _Registry(), "value")
    read = AvroFormat(SchemaText(json.dumps(reader)), _Registry(), "value").decode(payloads)
    assert not len(read.errors)
    ids, following, trees = (column.to_pylist() for column in read.columns)
    assert ids == [value["id"] for value in values]
    assert [text and json.loads(text) for text in following] == [
        value["next"] and {"t": value["next"][1]["t"]} for value in values
    ]
    assert list(map(json.loads, trees)) == [
        {"text": v["tree"]["text"], "kids": [{"text": kid["text"]} for kid in v["tree"]["kids"]]} for v in values
    ]  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        [{"name": "next", "type": "r"}],
        [{"name": "id", "type": "int"}, {"name": "q", "type": {"type": "record", "name": "q", "fields": [{"name": "r", "type": "r"}]}}],
    ],
)  # fmt: skip
def test_a_record_that_no_value_can_be_of_is_refused(fields: list[Any]) -> None:
    with pytest.raises(InvalidParameter, match=r'record "r" that contains itself in each of its values'):
        parse(json.dumps({"type": "record", "name": "r", "fields": fields}))


def test_the_schema_without_references_is_the_same() -> None:
    reference = json.dumps(NODE)
    text = json.dumps({**WITH_TREE, "fields": [{"name": "tree", "type": "a.node"}, *WITH_TREE["fields"][2:]]})
    alone = self_contained(text, [reference])
    assert parse(alone) == parse(text, [reference])
    fastavro.parse_schema(json.loads(alone))


def test_records_that_name_each_other_stay_few() -> None:
    """Six records, each of which has all of them: their names are replaced in no end of ways."""
    names = [f"r{i}" for i in range(12)]
    defined: set[str] = set()

    def of(name: str) -> Any:
        if name in defined:
            return name
        defined.add(name)
        return {
            "type": "record",
            "name": name,
            "fields": [{"name": f"f{i}", "type": ["null", of(other)]} for i, other in enumerate(names)],
        }

    with pytest.raises(PtvcError, match="more than 20000 types"):
        parse(json.dumps(of("r0")))


def test_a_column_beside_one_is_not_null() -> None:
    schema = Schema((Column("id", INT4, False),))
    read = DeclaredColumns(json.dumps(WITH_TREE), schema, key=(0,))
    found = read.decode(binary([written(WITH_TREE, value) for value in rows(1, 3)]))
    assert found.columns[0].equals(pa.array([0, 1, 2], pa.int32()))
