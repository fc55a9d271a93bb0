"""FORMAT AVRO: payloads of several schemas in one batch, and those that have none."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from ptvc.errors import PtvcError
from ptvc.storage.decode import WHOLE_RECORD
from ptvc.storage.formats.avro.format import AvroFormat
from ptvc.storage.formats.contract import DecodedPayloads
from ptvc.storage.formats.schemas import SchemaText

from .cases import binary, written

V1 = {"type": "record", "name": "r", "fields": [{"name": "id", "type": "int"}]}
V2 = {
    "type": "record",
    "name": "r",
    "fields": [
        {"name": "name", "type": "string", "default": "?"},
        {"name": "id", "type": "long"},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}, "default": 0},
    ],
}


class Registry:
    def __init__(self, **schemas: Any) -> None:
        self.schemas = {int(id_[1:]): json.dumps(schema) for id_, schema in schemas.items()}
        self.asked: list[int] = []
        self.silent = False

    def schema(self, id_: int | UUID) -> SchemaText | None:
        if isinstance(id_, UUID):
            id_ = id_.int
        self.asked.append(id_)
        if self.silent:
            raise PtvcError("the registry does not answer")
        text = self.schemas.get(id_)
        return None if text is None else SchemaText(text)


def framed(id_: int, schema: Any, value: Any) -> bytes:
    return b"\0" + id_.to_bytes(4, "big") + written(schema, value)


def named(id_: int, schema: Any, value: Any) -> bytes:
    return b"\1" + UUID(int=id_).bytes + written(schema, value)


def failures(found: DecodedPayloads) -> list[tuple[int, int, str, str]]:
    errors = found.errors
    parts = errors.rows.tolist(), errors.columns.tolist()
    return list(zip(*parts, errors.sqlstates.to_pylist(), errors.reasons.to_pylist(), strict=True))


def rows(found: DecodedPayloads) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True))


def test_schemas_by_guid_beside_others_by_id() -> None:
    registry = Registry(_1=V1, _2=V2)
    format_ = AvroFormat(SchemaText(json.dumps(V2)), registry, "value")
    payloads = [
        named(1, V1, {"id": 1}),
        framed(1, V1, {"id": 2}),
        named(2, V2, {"name": "a", "id": 3, "day": 0}),
        named(3, V1, {"id": 4}),
        b"\1" + bytes(15),
        named(1, V1, {"id": 5}),
    ]
    found = format_.decode(binary(payloads))
    assert [row[:2] for row in rows(found)] == [
        ("?", 1),
        ("?", 2),
        ("a", 3),
        (None, None),
        (None, None),
        ("?", 5),
    ]
    assert failures(found) == [
        (3, WHOLE_RECORD, "22P03", f"there is no schema {UUID(int=3)} in the registry"),
        (4, WHOLE_RECORD, "22P03", "16 bytes are too few for the id of a schema"),
    ]
    # A GUID and an id are told apart, whatever is in them.
    assert sorted(registry.asked) == [1, 1, 2, 3]


def test_several_schemas_and_what_is_none() -> None:
    registry = Registry(_1=V1, _70000=V2, _3="nonsense")
    format_ = AvroFormat(SchemaText(json.dumps(V2)), registry, "value")
    assert [(c.name, str(c.type), c.nullable) for c in format_.schema] == [
        ("name", "text", False),
        ("id", "bigint", False),
        ("day", "date", False),
    ]
    payloads = [
        framed(70000, V2, {"name": "a", "id": 1, "day": 0}),
        framed(1, V1, {"id": 2}),
        b"",
        b"\0\0\0",
        b"\2" + b"\0" * 9,
        framed(2, V1, {"id": 3}),
        framed(3, V1, {"id": 3}),
        framed(1, V1, {"id": 4}) + b"x",
        framed(70000, V2, {"name": "a\0", "id": 1, "day": (1 << 31) - 1}),
        framed(1, V1, {"id": 5}),
    ]
    # With one in front that is not part of the batch.
    found = format_.decode(binary([b"other", *payloads])[1:])
    good = [row for number, row in enumerate(rows(found)) if number in (0, 1, 9)]
    assert [row[:2] for row in good] == [("a", 1), ("?", 2), ("?", 5)]
    assert failures(found) == [
        (2, WHOLE_RECORD, "22P03", "0 bytes are too few for the id of a schema"),
        (3, WHOLE_RECORD, "22P03", "3 bytes are too few for the id of a schema"),
        (4, WHOLE_RECORD, "22P03", "the payload begins with 2, not with 0 and the id of a schema"),
        (5, WHOLE_RECORD, "22P03", "there is no schema 2 in the registry"),
        (
            6,
            WHOLE_RECORD,
            "22P03",
            'schema 3 of the registry cannot be used: the Avro schema names a type that it does not define: "nonsense"',
        ),
        (7, WHOLE_RECORD, "22P03", "Avro, schema 1: 1 bytes follow its value"),
        (8, 0, "22021", 'invalid byte sequence for encoding "UTF8": 0x00'),
        (8, 2, "22008", "date out of range"),
    ]
    for number, payload in enumerate(payloads):
        alone = format_.decode(binary([payload]))
        assert rows(alone)[0] == rows(found)[number]
        assert [f[1:] for f in failures(alone)] == [f[1:] for f in failures(found) if f[0] == number]


def test_schemas_are_asked_for_once_but_those_that_are_not_there() -> None:
    registry = Registry(_1=V1)
    format_ = AvroFormat(SchemaText(json.dumps(V2)), registry, "value")
    batch = binary([framed(1, V1, {"id": 2}), framed(9, V1, {"id": 3})])
    assert [f[0] for f in failures(format_.decode(batch))] == [1]
    registry.schemas[9] = json.dumps(V1)
    assert failures(format_.decode(batch)) == []
    assert failures(format_.decode(batch)) == []
    assert registry.asked == [1, 9, 9]


def test_a_silent_registry_is_no_error_of_a_payload() -> None:
    registry = Registry(_1=V1)
    format_ = AvroFormat(SchemaText(json.dumps(V2)), registry, "value")
    registry.silent = True
    with pytest.raises(PtvcError, match="does not answer"):
        format_.decode(binary([framed(1, V1, {"id": 2})]))
    registry.silent = False
    assert rows(format_.decode(binary([framed(1, V1, {"id": 2})])))[0][1] == 2


def test_what_is_no_record_is_one_column() -> None:
    format_ = AvroFormat(SchemaText('["null","string"]'), Registry(_5="string"), "key")
    assert [(c.name, str(c.type), c.nullable) for c in format_.schema] == [("key", "text", True)]
    found = format_.decode(binary([framed(5, "string", "k"), framed(5, "string", "a\0b"), b"\0\0\0\0\5\1"]))
    assert (rows(found)[0], [f[:2] for f in failures(found)]) == (("k",), [(1, 0), (2, WHOLE_RECORD)])


def test_nothing() -> None:
    format_ = AvroFormat(SchemaText(json.dumps(V2)), Registry(), "value")
    found = format_.decode(binary([]))
    assert [column.type for column in found.columns] == [c.type.arrow for c in format_.schema]
    assert (rows(found), len(found.errors)) == ([], 0)
    found = format_.decode(binary([b"x"]))
    assert [column.type for column in found.columns] == [c.type.arrow for c in format_.schema]
    assert len(found.errors) == 1


def test_branches_of_a_union_as_columns() -> None:
    schema = {"type": "record", "name": "r", "fields": [{"name": "u", "type": ["null", "string", "long"]}]}
    format_ = AvroFormat(SchemaText(json.dumps(schema)), Registry(_1=schema), "value")
    found = format_.decode(binary([framed(1, schema, {"u": value}) for value in ("x", None, 5)]))
    assert rows(found) == [("x", None), (None, None), (None, 5)]
