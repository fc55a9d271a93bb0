"""Arithmetic of dates, times, timestamps and intervals, against PostgreSQL."""

from __future__ import annotations

import psycopg
import pytest
from ptvc.expr.registry import resolve_call
from ptvc.repr.types import DATE, FLOAT8, INT4, INTERVAL, TIME, TIMESTAMP, TIMESTAMPTZ, ScalarType
from support import check, product
from values import EDGES

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
FACTORS = [
    "0",
    "1",
    "-1",
    "0.5",
    "1.5",
    "-2.25",
    "0.1",
    "1e10",
    "1e300",
    "-1e-300",
    "NaN",
    "Infinity",
    "-Infinity",
    "7",
    "3",
    None,
]
SPANS = [
    *EDGES[INTERVAL], "1 mon 15 days 12:00:00", "15 days 12:00:00.000001", "-7 mons 13 days -01:01:01.1", "9223372036854775807 us",
    "29 days 23:59:59.999999", "11 mons", "100000 years", "-1000000 days",
]  # fmt: skip
DATES = [
    *EDGES[DATE],
    "2023-01-31",
    "2024-01-31",
    "2024-03-31",
    "4713-01-01 BC",
    "5874897-12-31",
]
STAMPS = [
    *EDGES[TIMESTAMP],
    "-infinity",
    "2024-01-31 10:00:00",
    "2023-03-31 23:59:59.999999",
    "4713-01-01 00:00:00 BC",
]
ZONED = [*EDGES[TIMESTAMPTZ], "infinity", "2024-01-31 10:00:00+00"]
VALUES = {DATE: DATES, TIMESTAMP: STAMPS, TIMESTAMPTZ: ZONED, TIME: EDGES[TIME], INTERVAL: SPANS, FLOAT8: FACTORS,
          INT4: ["0", "1", "-3", "7", None]}  # fmt: skip

CASES: list[tuple[str, ScalarType, ScalarType]] = [
    *(("add", t, INTERVAL) for t in (DATE, TIMESTAMP, TIMESTAMPTZ, TIME, INTERVAL)),
    *(("add", INTERVAL, t) for t in (DATE, TIMESTAMP, TIMESTAMPTZ, TIME)),
    *(("subtract", t, INTERVAL) for t in (DATE, TIMESTAMP, TIMESTAMPTZ, TIME, INTERVAL)),
    *(("subtract", t, t) for t in (DATE, TIMESTAMP, TIMESTAMPTZ, TIME)),
    ("subtract", DATE, TIMESTAMP),
    ("subtract", TIMESTAMPTZ, TIMESTAMP),
    ("add", DATE, TIME),
    ("add", TIME, DATE),
    ("multiply", INTERVAL, FLOAT8),
    ("multiply", FLOAT8, INTERVAL),
    ("multiply", INT4, INTERVAL),
    ("divide", INTERVAL, FLOAT8),
    ("divide", INTERVAL, INT4),
]


@pytest.mark.parametrize(("name", "left", "right"), CASES, ids=lambda value: str(value))
def test_operators(oracle: psycopg.Connection, name: str, left: ScalarType, right: ScalarType) -> None:
    rows = product(VALUES[left], VALUES[right])
    if {left, right} & {DATE, TIMESTAMP, TIMESTAMPTZ}:  # beyond where our timestamps end
        rows = [row for row in rows if not any("9223372036854775807" in (value or "") for value in row)]
    check(oracle, f"c0 {SIGNS[name]} c1", lambda a, b: resolve_call(name, (a, b)), (left, right), rows)


def test_negation(oracle: psycopg.Connection) -> None:
    check(oracle, "- c0", lambda a: resolve_call("negate", (a,)), (INTERVAL,), product(SPANS))
