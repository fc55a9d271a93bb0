"""Functions of intervals and times, against PostgreSQL."""

from __future__ import annotations

import psycopg
import pytest
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.scalar import Literal
from ptvc.repr.types import DATE, FLOAT8, INT4, INTERVAL, TEXT, TIME, TIMESTAMP, TIMESTAMPTZ, ScalarType
from support import check, product
from values import EDGES

SPANS = [
    *EDGES[INTERVAL], "1 mon 45 days 36:12:00", "-35 days 25:00:00", "5 mons -40 days -30:00:00", "-1 mon 1 day -1:00", "61 days -00:00:01",
    "-14 mons", "1234 years 5 mons", "29 days 24:00:00", "-1 mon -1 sec", "1 mon -1 sec", "9223372036854775807 us",
]  # fmt: skip
FIELDS = [
    "microseconds", "milliseconds", "second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century",
    "millennium", "epoch",
]  # fmt: skip


@pytest.mark.parametrize("name", ["justify_hours", "justify_days", "justify_interval", "isfinite"])
def test_functions_of_an_interval(oracle: psycopg.Connection, name: str) -> None:
    check(oracle, f"{name}(c0)", lambda a: resolve_call(name, (a,)), (INTERVAL,), product(SPANS))


@pytest.mark.parametrize("field", FIELDS)
def test_fields(oracle: psycopg.Connection, field: str) -> None:
    for name in ("extract", "date_part"):
        shown = f"extract({field} from c0)" if name == "extract" else f"date_part('{field}', c0)"

        def build(value, function=name):  # type: ignore[no-untyped-def]
            return resolve_call(function, (Literal(field, TEXT), value), (True,))

        check(oracle, shown, build, (INTERVAL,), product(SPANS), refusals=True)
        if field in FIELDS[:5] or field == "epoch":
            check(oracle, shown, build, (TIME,), product(EDGES[TIME]))


def test_truncation(oracle: psycopg.Connection) -> None:
    rows = product([*(f for f in FIELDS if f not in ("week", "epoch")), "Hours", "foo", None], SPANS)
    check(
        oracle, "date_trunc(c0, c1)", lambda a, b: resolve_call("date_trunc", (a, b)), (TEXT, INTERVAL), rows
    )


STAMPS = [
    *EDGES[TIMESTAMP], "-infinity", "2024-02-29 10:00:00", "2023-03-31 23:59:59.999999", "2024-03-31 00:00:00", "2024-01-30 12:00:00",
    "2023-02-28 13:00:00",
]  # fmt: skip


@pytest.mark.parametrize("type_", [TIMESTAMP, TIMESTAMPTZ], ids=str)
def test_age(oracle: psycopg.Connection, type_: ScalarType) -> None:
    rows = product(STAMPS, STAMPS)
    check(oracle, "age(c0, c1)", lambda a, b: resolve_call("age", (a, b)), (type_, type_), rows)


def test_bins(oracle: psycopg.Connection) -> None:
    strides = [
        "15 minutes",
        "1 day 2:00",
        "1 mon",
        "0",
        "-1 day",
        "infinity",
        "7 us",
        "2147483647 days",
        None,
    ]
    rows = product(strides, STAMPS, ["2001-01-01 00:00:00", "2024-02-29 10:07:00", "infinity", None])
    types = (INTERVAL, TIMESTAMP, TIMESTAMP)
    check(oracle, "date_bin(c0, c1, c2)", lambda *a: resolve_call("date_bin", a), types, rows)


@pytest.mark.parametrize("type_", [DATE, TIMESTAMP, TIMESTAMPTZ], ids=str)
def test_finite(oracle: psycopg.Connection, type_: ScalarType) -> None:
    rows = product([*EDGES[type_], "infinity", "-infinity"])
    check(oracle, "isfinite(c0)", lambda a: resolve_call("isfinite", (a,)), (type_,), rows)


def test_made_of_numbers(oracle: psycopg.Connection) -> None:
    seconds = ["0", "59.9999999", "60", "60.5", "-1", "NaN", "1.5", "30.123456", None]
    rows = product(["0", "12", "23", "24", "25", "-1"], ["0", "59", "60"], seconds)
    check(
        oracle, "make_time(c0, c1, c2)", lambda *a: resolve_call("make_time", a), (INT4, INT4, FLOAT8), rows
    )
    dates = product(
        ["2020", "0", "-44", "294277"], ["2", "13"], ["29", "30"], ["0", "24"], ["0", "61"], ["0", "1.5"]
    )
    types = (INT4,) * 5 + (FLOAT8,)
    for name in ("make_timestamp", "make_timestamptz"):
        call = f"{name}(c0, c1, c2, c3, c4, c5)"
        check(oracle, call, lambda *a, f=name: resolve_call(f, a), types, dates)
    spans = product(["0", "1", "178956970", "-2147483648"], ["0", "7"], ["0", "1"], ["0", "2147483647", None], ["-5"], ["90"],
                    ["0", "1.5", "1e300", "NaN", "Infinity", "-0.0000005"])  # fmt: skip
    call = "make_interval(c0, c1, c2, c3, c4, c5, c6)"
    check(oracle, call, lambda *a: resolve_call("make_interval", a), (INT4,) * 6 + (FLOAT8,), spans)


def test_seconds_since_1970(oracle: psycopg.Connection) -> None:
    values = [
        "0",
        "1.5",
        "-1.25",
        "1700000000.123456",
        "1e10",
        "9e15",
        "-1e15",
        "NaN",
        "Infinity",
        "-Infinity",
        "1e300",
        "-210866803200",
        None,
    ]
    check(
        oracle, "to_timestamp(c0)", lambda a: resolve_call("to_timestamp", (a,)), (FLOAT8,), product(values)
    )
