"""What is made of Spark's filters: conditions that are true of every row of which the filter is."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from ptvc.persist.pushdown import Comparison, Condition
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT8,
    INT4,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    Kind,
    ScalarType,
)
from ptvc.spark.pushed import conditions
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringStartsWith,
)

TYPES = {
    "b": BOOL,
    "i": INT4,
    "f": FLOAT8,
    "n": ScalarType(Kind.NUMERIC, 10, 2),
    "m": NUMERIC,
    "t": TEXT,
    "d": DATE,
    "ts": TIMESTAMP,
    "tz": TIMESTAMPTZ,
    "y": BYTEA,
    "u": UUID,
}
SCHEMA = Schema(tuple(Column(name, type_) for name, type_ in TYPES.items()))
LAYOUT = tuple(place + 1 for place in range(len(SCHEMA)))
EAST = timezone(timedelta(hours=2))


def pushed(*filters: Filter) -> list[tuple[str, Comparison, Any]]:
    found = conditions(filters, SCHEMA, LAYOUT)
    assert all(isinstance(condition, Condition) for condition in found)
    return [(SCHEMA[c.column - 1].name, c.comparison, c.value) for c in found]


@pytest.mark.parametrize(
    ("filter_", "expected"),
    [
        (EqualTo(("b",), True), [("b", Comparison.EQ, True)]),
        (GreaterThan(("i",), 5), [("i", Comparison.GT, 5)]),
        (GreaterThanOrEqual(("f",), 0.5), [("f", Comparison.GE, 0.5)]),
        (LessThan(("n",), Decimal("1.5")), [("n", Comparison.LT, Decimal("1.5"))]),
        (LessThanOrEqual(("t",), "x"), [("t", Comparison.LE, "x")]),
        (EqualTo(("d",), date(1970, 1, 3)), [("d", Comparison.EQ, 2)]),
        (EqualTo(("ts",), datetime(1970, 1, 1, 0, 0, 1)), [("ts", Comparison.EQ, 1_000_000)]),
        (EqualTo(("tz",), datetime(1970, 1, 1, 2, tzinfo=EAST)), [("tz", Comparison.EQ, 0)]),
        (LessThan(("tz",), datetime(1969, 12, 31, 23, tzinfo=UTC)), [("tz", Comparison.LT, -3_600_000_000)]),
        (EqualTo(("y",), b"\x01"), [("y", Comparison.EQ, b"\x01")]),
        (IsNull(("u",)), [("u", Comparison.IS_NULL, None)]),
        (IsNotNull(("u",)), [("u", Comparison.IS_NOT_NULL, None)]),
        (EqualNullSafe(("i",), None), [("i", Comparison.IS_NULL, None)]),
        (EqualNullSafe(("i",), 1), [("i", Comparison.EQ, 1)]),
        (In(("i",), (3, None, 1)), [("i", Comparison.GE, 1), ("i", Comparison.LE, 3)]),
        (StringStartsWith(("t",), "ab"), [("t", Comparison.GE, "ab")]),
    ],
)
def test_a_filter_as_conditions(filter_: Filter, expected: list[tuple[str, Comparison, Any]]) -> None:
    assert pushed(filter_) == expected


@pytest.mark.parametrize(
    "filter_",
    [
        Not(EqualTo(("i",), 1)),
        EqualTo(("i", "nested"), 1),
        EqualTo(("unknown",), 1),
        EqualTo(("i",), None),
        EqualTo(
            ("u",), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
        ),  # a string to Spark, ordered bytes to the statistics
        EqualTo(("m",), "1.5"),
        EqualTo(("ts",), datetime(1970, 1, 1, tzinfo=UTC)),
        EqualTo(("tz",), datetime(1970, 1, 1)),
        In(("f",), (1.0, float("nan"))),
        In(("i",), ()),
        StringContains(("t",), "x"),
        StringStartsWith(("u",), "a0"),
    ],
)
def test_what_is_not_understood_is_no_condition(filter_: Filter) -> None:
    assert pushed(filter_) == []
