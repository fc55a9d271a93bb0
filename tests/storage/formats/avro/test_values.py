"""Values of logical types, documents of records, and what does not fit."""

from __future__ import annotations

import datetime
import json
import uuid
from decimal import Context, Decimal
from random import Random
from typing import Any

import pytest
from ptvc.expr.columns.row_errors import Evaluated
from ptvc.expr.text.text_format import to_text
from ptvc.storage.formats.avro.decoder import RawDecoder
from ptvc.storage.formats.avro.schema import parse
from ptvc.storage.formats.avro.types import sql_type
from ptvc.storage.formats.avro.values import sql_values

from .cases import read_all, written


def values(schema: Any, *written_values: Any) -> Evaluated:
    """Of `null` too, which is put in between."""
    type_ = parse(json.dumps(["null", schema]))
    payloads = [written(["null", schema], value) for given in written_values for value in (given, None)]
    found = read_all(RawDecoder(type_, type_), payloads)
    assert found.reasons == ()
    result = sql_values(found.values, type_)
    assert result.values.type == sql_type(type_, "x").arrow
    assert result.values[1::2].null_count == len(written_values)
    return result


def texts(schema: Any, *written_values: Any) -> list[Any]:
    found = values(schema, *written_values)
    assert found.errors is None
    shown = to_text(found.values, sql_type(parse(json.dumps(schema)), "x")).to_pylist()
    return shown[0::2]


def errors(schema: Any, *written_values: Any) -> list[tuple[int, str, str]]:
    found = values(schema, *written_values)
    assert found.errors is not None
    assert found.values.take(found.errors.indices).null_count == len(found.errors)
    rows = (found.errors.indices // 2).tolist()
    return list(zip(rows, found.errors.sqlstates.to_pylist(), found.errors.messages.to_pylist(), strict=True))


def logical(type_: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": type_, "logicalType": name, **more}


@pytest.mark.parametrize(
    ("precision", "scale"), [(3, 0), (9, 2), (18, 18), (19, 4), (38, 6), (38, 38), (60, 5)]
)
def test_decimals(precision: int, scale: int) -> None:
    random = Random(precision * 100 + scale)
    schema = logical("bytes", "decimal", precision=precision, scale=scale)
    digits = [random.randint(0, min(precision, 38)) for _ in range(200)]
    integers = [random.choice((1, -1)) * random.randint(0, 10**d - 1 if d else 0) for d in digits]
    exact = Context(prec=60)
    expected = [exact.scaleb(Decimal(i), -scale) for i in integers]
    # Longer than they need to be, too.
    encoded = [
        i.to_bytes(1 + (i.bit_length() + random.randint(0, 60)) // 8, "big", signed=True) for i in integers
    ]
    found = values({"type": "bytes"}, *encoded)
    result = sql_values(found.values, parse(json.dumps(schema)))
    assert result.errors is None
    assert result.values.to_pylist()[0::2] == expected
    assert result.values.null_count == len(expected)


def test_decimals_of_fastavro() -> None:
    schema = {**logical("fixed", "decimal", precision=12, scale=3, size=9), "name": "f"}
    assert texts(schema, Decimal("1.234"), Decimal("-999999999.999"), Decimal(0)) == [
        "1.234",
        "-999999999.999",
        "0.000",
    ]


def test_decimals_that_do_not_fit() -> None:
    plain = values("bytes", b"\x03\xe8", b"", b"\xfc\x18", b"\x03\xe7", b"\x01" + b"\0" * 20)
    result = sql_values(plain.values, parse(json.dumps(logical("bytes", "decimal", precision=3, scale=1))))
    assert result.values.to_pylist()[0::2] == [None, None, None, Decimal("99.9"), None]
    assert result.errors is not None
    assert list(zip(result.errors.indices.tolist(), result.errors.sqlstates.to_pylist(), strict=True)) == [
        (0, "22003"),
        (2, "22P03"),
        (4, "22003"),
        (8, "22003"),
    ]


def test_dates_and_times() -> None:
    assert texts(logical("int", "date"), datetime.date(2024, 2, 29), -1, 0) == [
        "2024-02-29",
        "1969-12-31",
        "1970-01-01",
    ]
    assert texts(logical("int", "time-millis"), 0, 86_399_999, 86_400_000) == [
        "00:00:00",
        "23:59:59.999",
        "24:00:00",
    ]
    assert texts(logical("long", "time-micros"), 1) == ["00:00:00.000001"]
    assert texts(logical("long", "timestamp-millis"), 1_700_000_000_123, -1) == [
        "2023-11-14 22:13:20.123",
        "1969-12-31 23:59:59.999",
    ]
    assert texts(logical("long", "local-timestamp-micros"), 1) == ["1970-01-01 00:00:00.000001"]


def test_dates_and_times_out_of_range() -> None:
    assert errors(logical("int", "date"), 0, (1 << 31) - 1) == [(1, "22008", "date out of range")]
    assert errors(logical("int", "time-millis"), -1, 86_400_001, 5) == [
        (0, "22008", "time out of range"),
        (1, "22008", "time out of range"),
    ]
    assert errors(logical("long", "timestamp-millis"), (1 << 63) - 1, 0) == [
        (0, "22008", "timestamp out of range")
    ]
    # The greatest number of all is infinity here, which no instant of Avro is.
    assert errors(logical("long", "timestamp-micros"), (1 << 63) - 1, -(1 << 63)) == [
        (0, "22008", "timestamp out of range"),
        (1, "22008", "timestamp out of range"),
    ]


def test_uuids() -> None:
    one = uuid.UUID(int=5)
    assert texts(logical("string", "uuid"), one) == [str(one)]
    assert texts({**logical("fixed", "uuid", size=16), "name": "u"}, one.bytes) == [str(one)]
    assert [row[:2] for row in errors("string", "no\0thing")] == [(0, "22021")]


def test_texts_have_no_zero_bytes() -> None:
    assert errors("string", "fine", "a\0b") == [
        (1, "22021", 'invalid byte sequence for encoding "UTF8": 0x00')
    ]
    assert [row[:2] for row in errors({"type": "array", "items": "string"}, ["a"], ["b", "\0", "\0"])] == [
        (1, "22021")
    ]
    assert [row[:2] for row in errors({"type": "map", "values": "string"}, {"a": "b"}, {"\0": "b"})] == [
        (1, "22021")
    ]


def test_lists_and_maps() -> None:
    assert texts({"type": "array", "items": ["null", "int"]}, [1, None], []) == ["{1,NULL}", "{}"]
    assert texts({"type": "map", "values": "long"}, {"b": 1, "a": 2}, {}) == ["{a=>2,b=>1}", "{}"]
    assert texts({"type": "array", "items": {"type": "array", "items": "int"}}, [[1], [], [2, 3]]) == [
        "{{1},{},{2,3}}"
    ]


def test_records_are_documents() -> None:
    inner = {
        "type": "record",
        "name": "i",
        "fields": [
            {"name": "long_name", "type": logical("bytes", "decimal", precision=5, scale=2)},
            {"name": "b", "type": ["null", "string"]},
            {"name": "a", "type": logical("long", "timestamp-millis")},
            {"name": "u", "type": ["null", "string", "long", {"type": "map", "values": "bytes"}]},
            {"name": "n", "type": {"type": "record", "name": "n", "fields": []}},
        ],
    }
    first = {"long_name": Decimal("1.50"), "b": 'x"', "a": 0, "u": 5, "n": {}}
    second = {"long_name": Decimal("-1.50"), "b": None, "a": 0, "u": {"k": b"\x01"}, "n": {}}
    assert texts(inner, first, second) == [
        '{"a": "1970-01-01T00:00:00", "b": "x\\"", "n": {}, "u": 5, "long_name": 1.50}',
        '{"a": "1970-01-01T00:00:00", "b": null, "n": {}, "u": {"k": "\\\\x01"}, "long_name": -1.50}',
    ]
    assert texts({"type": "array", "items": inner}, [first]) == [
        '{"{\\"a\\": \\"1970-01-01T00:00:00\\", \\"b\\": \\"x\\\\\\"\\", \\"n\\": {}, \\"u\\": 5, \\"long_name\\": 1.50}"}'
    ]
