"""Casts between all types, text output and text input, against PostgreSQL."""

from __future__ import annotations

import psycopg
import pyarrow as pa
import pytest
from ptvc.expr.coercion.casts import cast_array
from ptvc.expr.coercion.type_rules import CastContext, can_cast
from ptvc.expr.text.text_format import from_text, to_text
from ptvc.expr.tree.scalar import Cast
from ptvc.repr.types import (
    BOOL,
    BYTEA,
    CHAR,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NAME,
    NUMERIC,
    OID,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    Kind,
    ScalarType,
    array_of,
)
from support import check, column, product
from values import EDGES, N10_2, VARCHAR3

N5_0 = ScalarType(Kind.NUMERIC, 5, 0)
N3_3 = ScalarType(Kind.NUMERIC, 3, 3)
TIMESTAMP1 = ScalarType(Kind.TIMESTAMP, 1)
TIMESTAMPTZ0 = ScalarType(Kind.TIMESTAMPTZ, 0)
TIME2 = ScalarType(Kind.TIME, 2)
TARGETS = (
    BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC, N10_2, N5_0, N3_3, TEXT, VARCHAR3, NAME, DATE, TIMESTAMP,
    TIMESTAMPTZ, BYTEA, UUID, OID, TIMESTAMP1, TIMESTAMPTZ0, TIME2,
)  # fmt: skip


@pytest.mark.parametrize("source", [t for t in EDGES if t is not TEXT], ids=str)
def test_cast_between_types(oracle: psycopg.Connection, source: ScalarType) -> None:
    rows = product(EDGES[source])
    for target in TARGETS:
        if not can_cast(source, target, CastContext.EXPLICIT):
            continue
        check(oracle, f"c0::{target}", lambda a, t=target: Cast(a, t), (source,), rows, refusals=True)


INPUTS: dict[ScalarType, list[str]] = {
    BOOL: ["t", "TRUE", "  yes ", "y", "on", "of", "off", "o", "1", "0", "10", "", "no", "fals", "truee", "2"],
    INT4: [
        "12", " 12 ", "+5", "-0", "", "abc", "1.5", "2147483647", "2147483648", "-2147483648", "-2147483649", "0x1F",
        "1_000", "1__0", "0b101", "0o17", "99999999999999999999", "- 1", "1e3", "0x", "-0x80000000",
    ],
    INT2: ["32767", "32768", "-32768", "99999", "x"],
    INT8: ["9223372036854775807", "9223372036854775808", "-9223372036854775808", "123456789012345678901"],
    OID: ["0", "4294967295", "4294967296", "12x"],
    FLOAT8: [
        "1.5", " 1e5 ", "1e400", "-1e400", "1e-400", "NaN", "-NaN", "+nan", "inf", "-Infinity", "+inf", ".5", "5.", "", "abc", "1e", "--1",
        "0e-500", "1_0", "1.7976931348623157e308", "4.9e-324", "123456789.123456789",
    ],
    FLOAT4: ["1.5", "3.5e38", "1e-50", "0.1", "16777217", "1e-45", "nan"],
    NUMERIC: ["1.5", " -2.50 ", "+.5", "5.", "1e5", "1.5e-3", "abc", "", ".", "1_000.5", "1e", "0x1F", "0.10", "-0"],
    N10_2: ["1.005", "1.004999", "-1.005", "123456789.12", "99999999.994", "99999999.995", "0.005", "-0.004", "1e3"],
    DATE: [
        "2020-02-29", "2021-02-29", "2020-13-01", "2020-00-10", "20200229", "2020-1-5", " 2020-01-05 ", "abc", "",
        "0044-03-15 BC", "2020-01-05 10:00:00", "epoch", "10000-01-01", "2020-01-05T10:00:00Z", "0000-01-01", "12",
    ],
    TIMESTAMP: [
        "2020-02-29 12:34:56", "2020-02-29T12:34:56.5", "2020-02-29", "2020-02-29 24:00:00", "2020-02-29 25:00:00",
        "2020-02-29 12:60:00", "2020-02-29 12:34", "2020-02-29 12:34:56.123456789", "2020-02-29 12:34:56+02", "hello",
        "2020-02-30 00:00:00", "2020-02-29 01:02:03 PM", "2020-02-29 23:59:60", "0001-01-01 00:00:00 BC",
    ],
    TIMESTAMPTZ: [
        "2020-02-29 12:34:56+02", "2020-02-29 12:34:56Z", "2020-02-29 12:34:56-05:30", "2020-02-29 12:34:56",
        "2020-02-29 12:34:56.25 UTC", "2020-02-29 12:34:56+0530", "2020-02-29 12:34:56+16", "x", "2020-02-29+01",
    ],
    TIMESTAMP1: ["2020-02-29 12:34:56.75", "1999-12-31 23:59:59.95", "1999-12-31 23:59:59.949999", "infinity", "x"],
    TIME2: ["12:34:56.789", "23:59:59.995", "24:00:00", "00:00:00.004999", "25:00"],
    VARCHAR3: ["", "abc", "abcd", "ab    ", "日本語", "日本語語"],
    BYTEA: [
        "\\x", "\\xDEad", "\\x1", "\\x 01 02", "\\xgg", "\\x0 1", "\\X01", "abc", "a\\001b", "a\\\\b", "a\\", "\\400", "\\12", "é", "",
        "\\x01 0g", "\\x0é", "\\377",
    ],
    UUID: [
        "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}", "a0eebc999c0b4ef8bb6d6bb9bd380a11",
        "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11", "{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a111", "{a0eebc999c0b4ef8bb6d6bb9bd380a11", "a0e-ebc999c0b4ef8bb6d6bb9bd380a11", "",
        " a0eebc999c0b4ef8bb6d6bb9bd380a11", "g0eebc999c0b4ef8bb6d6bb9bd380a11", "a0eebc999c0b4ef8bb6d6bb9bd380a11-",
    ],
    NAME: ["abc", "a" * 70, "é" * 40],
}  # fmt: skip


@pytest.mark.parametrize("target", list(INPUTS), ids=str)
def test_text_input(oracle: psycopg.Connection, target: ScalarType) -> None:
    rows = product([*INPUTS[target], None])
    check(oracle, f"c0::{target}", lambda a: Cast(a, target), (TEXT,), rows)


@pytest.mark.parametrize("target", [*INPUTS], ids=str)
def test_text_input_one_by_one_is_the_same(target: ScalarType) -> None:
    """A row's value and error do not depend on the batch that it is in."""
    whole = from_text(pa.array(INPUTS[target]), target)
    failed = (
        {}
        if whole.errors is None
        else dict(zip(whole.errors.indices.tolist(), whole.errors.messages.to_pylist(), strict=True))
    )
    for i, text in enumerate(INPUTS[target]):
        one = from_text(pa.array([text]), target)
        message = None if one.errors is None else one.errors.messages[0].as_py()
        assert message == failed.get(i)
        assert to_text(one.values, target)[0].as_py() == to_text(whole.values, target)[i].as_py()


@pytest.mark.parametrize("source", [t for t in EDGES if t not in (BOOL, TEXT)], ids=str)
def test_output_reads_back(source: ScalarType) -> None:
    values = column(EDGES[source], source)
    again = from_text(to_text(values, source), source)
    assert again.errors is None
    assert to_text(again.values, source).equals(to_text(values, source))


def test_slices_are_read_at_their_offset() -> None:
    for source, texts in EDGES.items():
        values = column(texts, source)
        for target in TARGETS:
            if can_cast(source, target, CastContext.EXPLICIT):
                whole = to_text(cast_array(values, source, target).values, target)
                part = to_text(cast_array(values.slice(2), source, target).values, target)
                assert part.to_pylist() == whole.slice(2).to_pylist()


def test_assignment_refuses_long_varchar(oracle: psycopg.Connection) -> None:
    texts = ["abc", "abcd", "ab   ", "日本語語", None]
    result = cast_array(pa.array(texts), TEXT, VARCHAR3, explicit=False)
    assert result.values.to_pylist() == ["abc", None, "ab ", None, None]
    assert result.errors is not None
    assert result.errors.indices.tolist() == [1, 3]
    oracle.execute("CREATE TEMP TABLE short (c varchar(3))")
    with pytest.raises(psycopg.errors.StringDataRightTruncation) as caught:
        oracle.execute("INSERT INTO short VALUES ('abcd')")
    assert caught.value.sqlstate == result.errors.sqlstates[0].as_py()
    assert caught.value.diag.message_primary == result.errors.messages[0].as_py()


ARRAYS = [
    "{1,2,NULL}",
    "{ 1 ,\t2,  null }",
    "{1, ,2}",
    "{,}",
    "{1,2}3",
    "{}",
    " { 1 , 2 } ",
    "{1,a}",
    "{1",
    "1}",
    "{1,,2}",
    "{99999999999}",
    '{"1","2"}',
    "abc",
    "{null}",
]
TEXT_ARRAYS = [
    "{a,b}",
    '{"a b","c,d",NULL,"NULL",""}',
    '{"q\\"q","b\\\\s"}',
    "{a b , c}",
    '{"x"y}',
    "{a\\,b}",
]


@pytest.mark.parametrize(
    ("element", "texts"),
    [
        (INT4, ARRAYS),
        (TEXT, TEXT_ARRAYS),
        (FLOAT8, ["{1.5,NaN,-0}"]),
        (BOOL, ["{t,f,NULL}"]),
        (BYTEA, ['{"\\\\x00",a,NULL}']),
    ],
)
def test_arrays(oracle: psycopg.Connection, element: ScalarType, texts: list[str]) -> None:
    target = array_of(element)
    check(oracle, f"(c0::{target})", lambda a: Cast(a, target), (TEXT,), product([*texts, None]))


def test_char_is_one_byte(oracle: psycopg.Connection) -> None:
    check(oracle, 'c0::"char"', lambda a: Cast(a, CHAR), (TEXT,), product(["", "r", "rv", None]))
