"""Columns that a statement lists, of files that were written with any schema."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from ptvc.errors import DatatypeMismatch, InvalidParameter, PtvcError, UndefinedColumn, Unsupported
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    JSONB,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Kind,
    ScalarType,
    list_of,
    map_of,
)
from ptvc.storage.formats.avro.declared import DeclaredColumns


def record(name: str = "r", /, **fields: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": n, "type": t} for n, t in fields.items()]}


def payloads(schema: Any, values: list[Any]) -> pa.Array:
    parsed = fastavro.parse_schema(schema)
    found = []
    for value in values:
        sink = io.BytesIO()
        fastavro.schemaless_writer(sink, parsed, value)
        found.append(sink.getvalue())
    return pa.array(found, pa.large_binary())


def read(
    written: Any, values: list[Any], columns: dict[str, ScalarType], *, nullable: bool = True
) -> tuple[list[list[Any]], list[tuple[int, int, str, str]]]:
    schema = Schema(tuple(Column(name, type_, nullable) for name, type_ in columns.items()))
    found = DeclaredColumns(json.dumps(written), schema).decode(payloads(written, values))
    assert [column.type for column in found.columns] == [type_.arrow for type_ in columns.values()]
    errors = found.errors
    return [column.to_pylist() for column in found.columns], list(
        zip(errors.rows.tolist(), errors.columns.tolist(), errors.sqlstates.to_pylist(), errors.reasons.to_pylist(), strict=True)
    )  # fmt: skip


def sole(written: Any, values: list[Any], type_: ScalarType) -> list[Any]:
    (column,), errors = read(record(x=written), [{"x": value} for value in values], {"x": type_})
    assert not errors
    return column


def logical(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **more}


NOON = datetime(2024, 2, 29, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "values", "type_", "expected"),
    [
        ("int", [1, -5], INT4, [1, -5]),
        ("int", [1], INT8, [1]),
        ("int", [1], INT2, [1]),
        ("long", [1 << 40], FLOAT8, [float(1 << 40)]),
        (["null", "float"], [0.5, None], FLOAT8, [0.5, None]),
        (["string", "null"], ["a", None], TEXT, ["a", None]),
        ("string", ["ä"], BYTEA, ["ä".encode()]),
        ("bytes", [b"ab"], TEXT, ["ab"]),
        ({"type": "enum", "name": "e", "symbols": ["A", "B"]}, ["B"], TEXT, ["B"]),
        (logical("int", "date"), [date(2024, 2, 29)], DATE, [date(2024, 2, 29)]),
        (logical("long", "timestamp-millis"), [NOON], TIMESTAMP, [NOON.replace(tzinfo=None)]),
        (logical("long", "timestamp-micros"), [NOON], TIMESTAMPTZ, [NOON]),
        (["null", logical("long", "timestamp-millis")], [None, NOON], TIMESTAMPTZ, [None, NOON]),
        (logical("bytes", "decimal", precision=6, scale=2), [Decimal("12.34")], ScalarType(Kind.NUMERIC, 6, 2), [Decimal("12.34")]),
        (logical("bytes", "decimal", precision=6, scale=2), [Decimal("-12.34")], ScalarType(Kind.NUMERIC, 9, 3), [Decimal("-12.340")]),
        ({"type": "array", "items": "int"}, [[1, 2], []], list_of(INT4), [[1, 2], []]),
        ({"type": "array", "items": "int"}, [[1, 2]], JSONB, ["[1, 2]"]),
        ({"type": "map", "values": "boolean"}, [{"k": True}], JSONB, ['{"k": true}']),
        (record("inner", a="int", b=["null", "string"]), [{"a": 1, "b": None}], JSONB, ['{"a": 1, "b": null}']),
        (["int"], [1, 2], INT4, [1, 2]),
        (["null", "int", "string"], [1, "x", None], JSONB, ["1", '"x"', None]),
    ],
)  # fmt: skip
def test_a_field_is_read_as_its_column(
    written: Any, values: list[Any], type_: ScalarType, expected: list[Any]
) -> None:
    assert sole(written, values, type_) == expected


def test_a_decimal_may_be_any_numeric() -> None:
    assert sole(logical("bytes", "decimal", precision=6, scale=2), [Decimal("1.25")], NUMERIC) == [
        Decimal("1.25")
    ]


def test_a_map_is_a_map() -> None:
    assert sole({"type": "map", "values": "int"}, [{"k": 1}], map_of(INT4)) == [[{"f0": "k", "f1": 1}]]


@pytest.mark.parametrize(
    ("written", "type_"),
    [
        ("string", INT4), ("long", ScalarType(Kind.FLOAT4, precision=1)), ("double", ScalarType(Kind.FLOAT4)), ("boolean", INT4),
        ("string", JSONB), ("int", TEXT), (logical("long", "local-timestamp-micros"), TIMESTAMPTZ),
        (logical("bytes", "decimal", precision=6, scale=2), ScalarType(Kind.NUMERIC, 5, 2)),
        ({"type": "array", "items": "int"}, list_of(INT8)), (["int", "string"], TEXT),
        ("string", ScalarType(Kind.VARCHAR, length=3)),
    ],
)  # fmt: skip
def test_a_type_that_is_not_the_columns_refuses_the_file(written: Any, type_: ScalarType) -> None:
    with pytest.raises(DatatypeMismatch, match='column "x" is'):
        sole(written, [], type_)


def test_fields_that_are_not_asked_for_are_passed_over_and_missing_ones_are_null() -> None:
    written = record(a="int", b={"type": "array", "items": "string"}, c="string")
    columns, errors = read(
        written, [{"a": 1, "b": ["x", "y"], "c": "z"}], {"c": TEXT, "none": BOOL, "a": INT8}
    )
    assert (columns, errors) == ([["z"], [None], [1]], [])


def test_a_branch_of_a_union_is_a_column() -> None:
    written = record(u=["null", "int", "string"])
    columns, errors = read(written, [{"u": 1}, {"u": "x"}, {"u": None}], {"u2": TEXT, "u1": INT4})
    assert (columns, errors) == ([[None, "x", None], [1, None, None]], [])


def test_an_integer_that_is_too_large_and_a_text_that_is_none_are_errors_of_their_records() -> None:
    written = record(other="int", x="long", t="bytes")
    values = [
        {"other": 1, "x": 1, "t": b"a"},
        {"other": 1, "x": 1 << 31, "t": b"b"},
        {"other": 1, "x": 2, "t": b"\xff"},
    ]
    columns, errors = read(written, values, {"none": TEXT, "t": TEXT, "x": INT4})
    assert columns == [[None, None, None], ["a", "b", None], [1, None, None]]
    assert errors == [
        (1, 2, "22003", 'value "2147483648" is out of range for type integer'),
        (2, -1, "22P03", 'Avro: field "t": invalid byte sequence for encoding "UTF8": 0xff'),
    ]


@pytest.mark.parametrize(
    ("written", "error", "message"),
    [
        ("int", InvalidParameter, "no records"),
        (record(y="int"), UndefinedColumn, 'no field "x"'),
        (record(x="null"), Unsupported, "null only"),
        (record(x=["null"]), Unsupported, "null only"),
        ({"type": "record", "name": "r", "fields": [{"name": "x", "type": ["null", "r"]}]}, Unsupported, "contains itself"),
    ],
)  # fmt: skip
def test_schemas_that_a_source_cannot_read(written: Any, error: type[PtvcError], message: str) -> None:
    with pytest.raises(error, match=message):
        DeclaredColumns(json.dumps(written), Schema((Column("x", INT4),)))


def test_a_column_that_must_be_there_refuses_a_file_without_it() -> None:
    schema = Schema((Column("a", INT4), Column("x", INT4, False)))
    with pytest.raises(UndefinedColumn, match='no field "x"'):
        DeclaredColumns(json.dumps(record(a="int")), schema)
    schema = Schema((Column("a", INT4), Column("x", INT4)))
    with pytest.raises(UndefinedColumn, match='no field "x"'):
        DeclaredColumns(json.dumps(record(a="int")), schema, key=(1,))
