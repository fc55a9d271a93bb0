"""CSV: quoting, NULLs, headers, and one bad line spoiling nothing but itself."""

from __future__ import annotations

from decimal import Decimal

import pytest
from ptvc.errors import InvalidParameter
from ptvc.expr.text.text_format import to_text
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT4RANGE, TEXT, Kind, ScalarType
from ptvc.storage.decode_csv import CsvDecoder

from .test_decode_json import errors, rows

SCHEMA = Schema((Column("k", INT4), Column("t", TEXT), Column("n", ScalarType(Kind.NUMERIC, 6, 2))))


def test_quotes_empty_fields_and_line_ends() -> None:
    data = b'1,"a, ""b""",1.5\r\n2,,\n3,"",\n4, x ,2.005'
    decoded = CsvDecoder(SCHEMA).decode(data, "x.csv", 2)
    assert rows(decoded) == [
        (1, 'a, "b"', Decimal("1.50")),
        (2, None, None),
        (3, "", None),
        (4, " x ", Decimal("2.01")),
    ]
    assert decoded.lines.tolist() == [2, 3, 4, 5]
    assert errors(decoded) == []


def test_ranges() -> None:
    data = b'1,"[1,5]"\n2,empty\n3,"[5,1]"\n4,\n'
    decoded = CsvDecoder(Schema((Column("k", INT4), Column("r", INT4RANGE)))).decode(data, "x.csv", 1)
    assert to_text(decoded.columns[1], INT4RANGE).to_pylist() == ["[1,6)", "empty", None, None]
    assert [(row, code) for row, _, code, _ in errors(decoded)] == [(2, "22000")]


def test_every_kind_of_bad_line_is_isolated() -> None:
    data = b'1,a,1\nx,b,2\n2,c\n3,d,1,4\n4,"open,1\n5,e"f,1\n6,\xff,1\n7,g,\x00\n\n8,h,12345\n9,i,9\n'
    decoded = CsvDecoder(SCHEMA).decode(data, "x.csv", 1)
    bad = {row for row, *_ in errors(decoded)}
    good = [row for index, row in enumerate(rows(decoded)) if index not in bad]
    assert good == [(1, "a", Decimal(1)), (9, "i", Decimal(9))]
    assert [(int(decoded.lines[row]), code) for row, _, code, _ in errors(decoded)] == [
        (2, "22P02"), (3, "22P04"), (4, "22P04"), (5, "22P04"), (6, "22P04"), (7, "22021"), (8, "22021"), (10, "22003"),
    ]  # fmt: skip
    assert errors(decoded)[0][3] == (
        'file "x.csv", line 2: column "k": invalid input syntax for type integer: "x"'
    )
    assert errors(decoded)[1][3] == 'file "x.csv", line 3: missing data: 3 fields expected, 2 found'


def test_fields_by_header() -> None:
    decoder = CsvDecoder(SCHEMA, fields=("n", "other", "t", "k"), delimiter=";")
    assert rows(decoder.decode(b"1;x;y;2\n", "x.csv", 2)) == [(2, "y", Decimal(1))]
    with pytest.raises(InvalidParameter, match='no column "t"'):
        CsvDecoder(SCHEMA, fields=("k", "n"))


def test_delete_marker() -> None:
    decoded = CsvDecoder(SCHEMA, (0,)).decode(b"1,,\n2,,x\n3,a,\n,b,1\n", "x.csv", 1)
    assert decoded.present.tolist() == [False, True, True, True]
    assert [(row, code) for row, _, code, _ in errors(decoded)] == [(1, "22P02"), (3, "23502")]


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n", "é"])
def test_delimiters_that_cannot_be(delimiter: str) -> None:
    with pytest.raises(InvalidParameter, match="delimiter"):
        CsvDecoder(SCHEMA, delimiter=delimiter)
