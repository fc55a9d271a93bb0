"""JSON, TEXT, BYTES and CSV as formats of payloads: values, errors of single payloads, batches that are cut anywhere."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from ptvc.errors import Unsupported
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BYTEA, FLOAT8, INT8, JSONB, TEXT
from ptvc.storage.formats.contract import PayloadFormat
from ptvc.storage.formats.known import open_format
from ptvc.storage.formats.options import FormatOptions

FIELDS = Schema((Column("id", INT8, False), Column("name", TEXT), Column("price", FLOAT8)))
Read = tuple[list[tuple[Any, ...]], list[tuple[int, int, str, str]]]


def of(kind: str, schema: Schema, **settings: Any) -> PayloadFormat:
    return open_format(FormatOptions(kind, schema, settings), {})


def one(kind: str, type_: Any) -> PayloadFormat:
    return of(kind, Schema((Column("c", type_),)))


def read(format: PayloadFormat, payloads: list[bytes], offset: int = 0) -> Read:
    """Rows and errors, of an array that begins amid its buffers."""
    array = pa.array([b"before"] * offset + payloads, pa.large_binary()).slice(offset)
    found = format.decode(array)
    assert tuple(column.type for column in found.columns) == tuple(c.type.arrow for c in format.schema)
    errors = found.errors
    listed = zip(
        errors.rows.tolist(), errors.columns.tolist(), errors.sqlstates.to_pylist(), errors.reasons.to_pylist(), strict=True
    )  # fmt: skip
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True)), sorted(listed)


def test_fields_of_objects() -> None:
    payloads = [
        b'{"id": 1, "name": "a", "price": 1.5, "more": [{}]}',
        b'{"id": 2,\n "name": "x\\ny"}',
        b"",
        b'{"id": 3}\n{"id": 4}',
        b'{"id": "x"}',
        b"\xff",
        b'{"id": 5',
        b'{"id": 6}\n',
        b'  {"id": 7}',
    ]
    rows, errors = read(of("json", FIELDS, declared=True), payloads, 2)
    assert [row[0] for row in rows] == [1, 2, None, None, None, None, None, 6, 7]
    assert rows[:2] == [(1, "a", 1.5), (2, "x\ny", None)]
    assert [(row, column, sqlstate) for row, column, sqlstate, _ in errors] == [
        (2, -1, "22P02"),
        (3, -1, "22P02"),
        (4, 0, "22P02"),
        (5, -1, "22021"),
        (6, -1, "22P02"),
    ]
    assert errors[2][3] == 'invalid input syntax for type bigint: "x"'


def test_documents_texts_and_bytes() -> None:
    payloads = [b'{"b":1, "a": 2.50}', b"x", b"a\0b", b"\xff", b"", b"7"]
    rows, errors = read(one("json", JSONB), payloads, 1)
    assert rows == [('{"a": 2.50, "b": 1}',), (None,), (None,), (None,), (None,), ("7",)]
    assert [error[:3] for error in errors] == [
        (1, 0, "22P02"),
        (2, 0, "22021"),
        (3, 0, "22021"),
        (4, 0, "22P02"),
    ]
    rows, errors = read(one("text", TEXT), payloads, 1)
    assert rows == [('{"b":1, "a": 2.50}',), ("x",), (None,), (None,), ("",), ("7",)]
    assert [error[:3] for error in errors] == [(2, 0, "22021"), (3, 0, "22021")]
    rows, errors = read(one("text", INT8), payloads)
    assert rows[-1] == (7,)
    assert len(errors) == 5
    assert read(one("bytes", BYTEA), payloads, 1) == ([(payload,) for payload in payloads], [])


def test_lines_of_csv() -> None:
    payloads = [b'1,"a,b",1.5', b"2,,\r\n", b"3,x", b"4,x,1\n5,y,2", b"", b'6,"x', b"7,x,y"]
    rows, errors = read(of("csv", FIELDS), payloads, 3)
    assert rows[:2] == [(1, "a,b", 1.5), (2, None, None)]
    assert [(row, column) for row, column, _, _ in errors] == [(2, -1), (3, -1), (4, -1), (5, -1), (6, 2)]
    assert [error[3] for error in errors[:3]] == [
        "missing data: 3 fields expected, 2 found",
        "a line break within a record",
        "missing data: 3 fields expected, 0 found",
    ]
    assert read(of("csv", FIELDS, delimiter=";"), [b"1;a;2"])[0] == [(1, "a", 2.0)]
    assert read(of("csv", Schema((Column("c", TEXT),))), [b"", b'""'])[0] == [(None,), ("",)]


def test_nothing_is_nothing() -> None:
    for format in (
        of("json", FIELDS, declared=True),
        one("json", JSONB),
        one("text", TEXT),
        of("csv", FIELDS),
    ):
        assert read(format, []) == ([], [])


@pytest.mark.parametrize("seed", range(8))
def test_each_payload_is_read_by_itself(seed: int) -> None:
    """However payloads are cut into batches, and whatever stands beside them."""
    random = Random(seed)
    payloads = [_payload(random) for _ in range(random.randrange(1, 120))]
    for format in (
        of("json", FIELDS, declared=True),
        one("json", JSONB),
        one("text", TEXT),
        of("csv", FIELDS),
    ):
        rows, errors = read(format, payloads)
        alone = [read(format, [payload]) for payload in payloads]
        assert rows == [row for found, _ in alone for row in found]
        assert errors == [(i, *error[1:]) for i, (_, found) in enumerate(alone) for error in found]


def _payload(random: Random) -> bytes:
    match random.randrange(8):
        case 0:
            return random.randbytes(random.randrange(4))
        case 1:
            return b'{"id": "x"}'
        case 2:
            return b'{"id": 1}{"id": 2}'
        case 3:
            return b'{"name": {"a": 1}, "id": 5}\n'
        case 4:
            return b"%d,x,2.5" % random.randrange(100)
        case _:
            return json.dumps(
                {"id": random.randrange(-(2**62), 2**62), "name": f"n{random.random()}"}
            ).encode()


def test_what_does_not_go_together_is_refused() -> None:
    for kind, schema in (
        ("text", FIELDS),
        ("text", Schema((Column("c", BYTEA),))),
        ("bytes", Schema((Column("c", TEXT),))),
    ):
        with pytest.raises(Unsupported):
            of(kind, schema)
    with pytest.raises(Unsupported, match="FORMAT XML of messages is not supported"):
        of("xml", FIELDS)
