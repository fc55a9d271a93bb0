"""csv_extract, and try_parse_monotonic_iso8601_timestamp, as functions of columns."""

from __future__ import annotations

import csv
import io
import random
from datetime import datetime

import pyarrow as pa
import pytest
from ptvc.errors import InvalidParameter, UndefinedFunction
from ptvc.expr.evaluate import evaluate
from ptvc.expr.registry import resolve_call
from ptvc.expr.tables.csv_tables import COLUMN, records
from ptvc.expr.tables.table_functions import TABLE_FUNCTIONS
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.repr.types import INT4, TEXT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n\n", []),
        ("a,b\nc,d", [["a", "b"], ["c", "d"]]),
        ("a,b\r\n\r\nc,\r,", [["a", "b"], ["c", ""], ["", ""]]),
        ('"a,\n""b""",c\n', [['a,\n"b"', "c"]]),
        ('""\n', [[""]]),
        (' a ,"b"c\n', [[" a ", "bc"]]),
        ('a"b,c', [['a"b', "c"]]),
        ('a,"never closed\nb', [["a", "never closed\nb"]]),
    ],
)
def test_records(text: str, expected: list[list[str]]) -> None:
    assert list(records(text)) == expected


def test_records_are_those_of_another_reader() -> None:
    draw = random.Random(7)
    for _ in range(2_000):
        text = "".join(draw.choices('ab",\n', k=draw.randrange(12)))
        assert list(records(text)) == [row for row in csv.reader(io.StringIO(text, newline="")) if row], text


def _call(*args: Scalar, unknown: tuple[bool, ...] | None = None) -> object:
    given = (*args, Literal(1, INT4))
    return TABLE_FUNCTIONS[COLUMN].resolve(given, unknown or (False,) * len(given))


def test_columns_of_the_rows_of_each_text() -> None:
    _call(Literal(2, INT4), ColumnRef(0, TEXT))
    texts = pa.array(["a,b\nc\nd,e", None, "", "x,y", "a,b\nc\nd,e"])
    for place, expected in enumerate((["a", "d", "x", "a", "d"], ["b", "e", "y", "b", "e"])):
        found = TABLE_FUNCTIONS[COLUMN].kernel([pa.scalar(2), texts, pa.scalar(place)], len(texts))
        assert found.counts.tolist() == [2, 0, 0, 1, 2]
        assert found.values.to_pylist() == expected


@pytest.mark.parametrize("count", [0, -1, 1601, None])
def test_a_number_of_columns_that_is_none(count: int | None) -> None:
    with pytest.raises(InvalidParameter):
        _call(Literal(count, INT4), ColumnRef(0, TEXT))


def test_the_number_of_columns_is_a_literal() -> None:
    with pytest.raises(InvalidParameter):
        _call(ColumnRef(1, INT4), ColumnRef(0, TEXT))
    with pytest.raises(UndefinedFunction, match=r"csv_extract\(integer\)"):
        _call(Literal(1, INT4))


TIMES = {
    "2015-09-18T23:56:04.123Z": datetime(2015, 9, 18, 23, 56, 4, 123_000),
    "2024-02-29T00:00:00.000Z": datetime(2024, 2, 29),
    "1969-12-31T23:59:59.999Z": datetime(1969, 12, 31, 23, 59, 59, 999_000),
    "0001-01-01T00:00:00.000Z": datetime(1, 1, 1),
    "9999-12-31T23:59:59.999Z": datetime(9999, 12, 31, 23, 59, 59, 999_000),
}
NO_TIMES = [
    None, "", "2015-09-18T23:56:04.123", "2015-09-18T23:56:04.123z", "2015-09-18 23:56:04.123Z", "2015-09-18T23:56:04Z",
    "2015-09-18T23:56:04.123456Z", "2015-09-18T23:56:04.123Z\n", " 2015-09-18T23:56:04.123Z", "2015-13-18T23:56:04.123Z",
    "2015-00-18T23:56:04.123Z", "2023-02-29T00:00:00.000Z", "2015-09-00T23:56:04.123Z", "2015-09-18T24:00:00.000Z",
    "2015-09-18T23:60:04.123Z", "2015-09-18T23:56:60.123Z", "2015-09-18T23:56:04.123+", "+015-09-18T23:56:04.123Z",
    "٢015-09-18T23:56:04.123Z",
]  # fmt: skip


def test_try_parse_monotonic_iso8601_timestamp() -> None:
    texts = [text for pair in zip(NO_TIMES, [*TIMES, *TIMES, *TIMES, *TIMES], strict=False) for text in pair]
    call = resolve_call("try_parse_monotonic_iso8601_timestamp", (ColumnRef(0, TEXT),))
    for column in (pa.array(texts), pa.array(["x", *texts])[1:]):
        found = evaluate(call, [column], len(column))
        assert found.errors is None
        assert found.values.to_pylist() == [TIMES.get(text or "") for text in texts]
    nothing = evaluate(call, [pa.array([None, "x"])], 2)
    assert nothing.values.to_pylist() == [None, None]
