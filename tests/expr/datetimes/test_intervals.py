"""Intervals and times of day: input, output, type modifiers and comparison, against PostgreSQL."""

from __future__ import annotations

import psycopg
import pytest
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.scalar import Cast
from ptvc.repr.types import INTERVAL, INTERVAL_BITS, TEXT, TIME, Kind, ScalarType
from support import check, product
from values import EDGES

TEXTS = [
    "1 day", "1 year 2 mons", "@ 1 minute", "1-2", "-1-2", "1-2 3 4:05:06", "3 4:05", "+1 -2:03", "1.5 days", "1.5 weeks",
    "1.5 months", "1.5 years", "0.1 year", "1.25 decades", "2 centuries", "1 millennium 1 mil", "1 day 1 day", "1 mon 1 month",
    "12 hours 30 minutes", "1:30", "1:30:15.123456", "-1:30", "25:61:00", "1:2:61", "100:00:00", "1.5 hours", "90 minutes", "90.5 sec",
    "1 second 500 ms", "1 second 5 second", "3 us", "1.5 us", "0.5 ms", "1 day ago", "ago", "1 ago", "-1 day ago", "1 day ago 2 hours",
    "day", "day 1", "1 day hour", "", " ", "abc", "1 abc", "infinity", "-infinity", "inf", "+infinity", "infinity 1 day", "1 day infinity",
    "P1Y2M3DT4H5M6S", "P1Y", "PT1H", "P1W", "P1.5W", "P0001-02-03T04:05:06", "P1Y-2M", "PT", "P", "P1D2", "PT1.5S", "P-1DT-1H", "p1y", "PT1Y",
    "P1YT", "P1M1D", "1", "1.5", "-5", "+5", "1 2", "1 day 5", "2147483647 days", "2147483648 days", "-2147483648 days", "178956970 years",
    "178956971 years", "9223372036854 seconds", "9223372036855 seconds", "9223372036854775807 us", "9223372036854775808 us", "2147483647 months",
    "2147483648 months", "1 y 2 mon 3 w 4 d 5 h 6 m 7 s", "1 yr 1 hrs", "1 microseconds", "1 milliseconds", "1 quarter", "1:2:3 4:5:6",
    "1 day, 2 hours", "(1 day)", "1 day\t2 hours\n", "3 days 1:00 ago", "1.1.1 days", "1d", "1d2h", "1 d2h", ".5 day", "-.5 day", "5. days", "1e3 days",
    "1-13", "1-2-3", "- 1 day", "+ 1 day", "1 day -1 hour", "1 mon -1 day +2:00", "1 month 15.5 days", "0.0000001 s", "0.0000005 s", "1.0000005 s",
    "1 century 1 decade 1 year", "1 timezone", "1 epoch", "00:00:00.1234567", "23:59:60", "1 weeks 1 day", "today", "2001-02-03", "1/2",
]  # fmt: skip
TIMES = [
    "12:34:56", "12:34", "12:34:56.789", "1:2:3", "123456", "123456.5", "24:00:00", "24:00:01", "23:59:60", "12:60", "25:00", "12:34 PM",
    "01:02:03 am", "13:00 pm", "allballs", "", "abc", "12", "12:34:56+02", "12:34:56Z", "2020-01-02 12:34:56", " 12:34 ", "12:34:56.1234567",
    "04:05:06.5 PM", "T123456",
]  # fmt: skip


def fields(first: str, last: str | None = None, precision: int | None = None) -> ScalarType:
    order = list(INTERVAL_BITS) and ["year", "month", "day", "hour", "minute", "second"]
    chosen = order[order.index(first) : order.index(last or first) + 1]
    mask = sum(1 << INTERVAL_BITS[field] for field in chosen)
    return ScalarType(Kind.INTERVAL, precision=precision, length=mask)


RESTRICTED = [
    *(fields(name) for name in ("year", "month", "day", "hour", "minute", "second")),
    fields("year", "month"),
    fields("day", "hour"),
    fields("day", "second", 2),
    fields("minute", "second"),
    ScalarType(Kind.INTERVAL, precision=0),
    ScalarType(Kind.INTERVAL, precision=3),
]


def test_input(oracle: psycopg.Connection) -> None:
    check(oracle, "c0::interval", lambda a: Cast(a, INTERVAL), (TEXT,), product(TEXTS))


def test_input_of_times(oracle: psycopg.Connection) -> None:
    check(oracle, "c0::time", lambda a: Cast(a, TIME), (TEXT,), product(TIMES), refusals=True)


@pytest.mark.parametrize("type_", RESTRICTED, ids=str)
def test_restricted_types(oracle: psycopg.Connection, type_: ScalarType) -> None:
    check(oracle, f"c0::{type_}", lambda a: Cast(a, type_), (INTERVAL,), product(EDGES[INTERVAL]))
    check(oracle, f"c0::{type_}", lambda a: Cast(a, type_), (TEXT,), product(TEXTS))


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("type_", [TIME, INTERVAL], ids=str)
def test_comparison(oracle: psycopg.Connection, name: str, type_: ScalarType) -> None:
    sign = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}[name]
    rows = product(EDGES[type_], EDGES[type_])
    check(oracle, f"c0 {sign} c1", lambda a, b: resolve_call(name, (a, b)), (type_, type_), rows)
