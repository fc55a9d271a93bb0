"""AT TIME ZONE and date_trunc in a zone, against PostgreSQL: around every kind of transition."""

from __future__ import annotations

from random import Random

import psycopg
import pytest
from ptvc.errors import PtvcError
from ptvc.expr.datetimes.datetime_input import InputError
from ptvc.expr.datetimes.zones import find_zone
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.scalar import Literal
from ptvc.repr.types import FLOAT8, INT4, INTERVAL, TEXT, TIMESTAMP, TIMESTAMPTZ
from support import check, product

ZONES = [
    "Europe/Vienna", "America/New_York", "america/new_york", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "UTC", "EST", "Africa/Cairo",
    "America/Sao_Paulo", "Europe/Dublin", "Asia/Tehran", "Etc/GMT+5",
]  # fmt: skip


def stamps() -> list[str | None]:
    random = Random(7)
    found: list[str | None] = [
        "infinity", "-infinity", "1880-01-01 00:00:00", "2024-03-31 00:59:59", "2024-03-31 01:00:00", "2024-03-31 02:30:00", "2024-03-31 03:00:00",
        "2024-10-27 00:30:00", "2024-10-27 02:30:00.5", "2024-10-27 03:00:00", "2024-03-10 02:30:00", "2024-11-03 01:30:00", "2024-11-03 06:30:00",
        "2011-12-30 12:00:00", "2100-07-01 12:00:00", "2500-01-15 12:00:00", "2037-12-31 23:59:59", "2487-07-04 10:00:00", "1900-01-01 00:00:00",
        "9999-06-01 00:00:00", None,
    ]  # fmt: skip
    for _ in range(200):
        year, month, day = random.randint(1850, 2110), random.randint(1, 12), random.randint(1, 28)
        found.append(
            f"{year}-{month:02d}-{day:02d} {random.randint(0, 23):02d}:{random.randint(0, 59):02d}:07.25"
        )
    for _ in range(200):  # near the common days of change
        month, day = random.choice(
            [
                (3, random.randint(8, 14)),
                (3, random.randint(25, 31)),
                (10, random.randint(25, 31)),
                (11, random.randint(1, 7)),
            ]
        )
        found.append(
            f"{random.randint(1990, 2060)}-{month:02d}-{day:02d} {random.randint(0, 4):02d}:{random.randint(0, 59):02d}:00"
        )
    return found


@pytest.mark.parametrize("type_", [TIMESTAMP, TIMESTAMPTZ], ids=str)
def test_at_time_zone(oracle: psycopg.Connection, type_) -> None:  # type: ignore[no-untyped-def]
    rows = product(ZONES, stamps())
    check(oracle, "timezone(c0, c1)", lambda a, b: resolve_call("timezone", (a, b)), (TEXT, type_), rows)


def test_offsets(oracle: psycopg.Connection) -> None:
    spans = ["02:00:00", "-05:30:00", "00:00:01.5", "1 day", "1 mon 02:00:00", "infinity", None]
    for type_ in (TIMESTAMP, TIMESTAMPTZ):
        rows = product(spans, ["2024-01-01 12:00:00", "infinity", None])
        check(
            oracle, "timezone(c0, c1)", lambda a, b: resolve_call("timezone", (a, b)), (INTERVAL, type_), rows
        )


@pytest.mark.parametrize("unit", ["hour", "day", "week", "month", "year"])
def test_truncation_in_a_zone(oracle: psycopg.Connection, unit: str) -> None:
    rows = product(stamps(), ZONES[:6])
    check(
        oracle,
        f"date_trunc('{unit}', c0, c1)",
        lambda a, b: resolve_call("date_trunc", (Literal(unit, TEXT), a, b), (True, False, False)),
        (TIMESTAMPTZ, TEXT),
        rows,
    )


SPANS = [
    "1 day",
    "-1 mon",
    "1 mon 1 day 02:30:00",
    "36:00:00",
    "infinity",
    "1 year -3 days",
    "2147483647 days",
    None,
]


@pytest.mark.parametrize("name", ["date_add", "date_subtract"])
def test_intervals_added_in_a_zone(oracle: psycopg.Connection, name: str) -> None:
    rows = product(stamps()[:60], SPANS, ["Europe/Vienna", "Australia/Lord_Howe", "Nowhere"])
    types = (TIMESTAMPTZ, INTERVAL, TEXT)
    check(oracle, f"{name}(c0, c1, c2)", lambda *a: resolve_call(name, a), types, rows)
    check(
        oracle,
        f"{name}(c0, c1)",
        lambda a, b: resolve_call(name, (a, b)),
        types[:2],
        product(stamps()[:30], SPANS),
    )


def test_made_in_a_zone(oracle: psycopg.Connection) -> None:
    rows = product(
        ["2024"],
        ["3", "10"],
        ["27", "31"],
        ["1", "2"],
        ["30"],
        ["1.5"],
        ["Europe/Vienna", "America/New_York", "x/y", None],
    )
    call = "make_timestamptz(c0, c1, c2, c3, c4, c5, c6)"
    types = (INT4, INT4, INT4, INT4, INT4, FLOAT8, TEXT)
    check(oracle, call, lambda *a: resolve_call("make_timestamptz", a), types, rows)


def test_no_such_zone(oracle: psycopg.Connection) -> None:
    rows = product(["Nowhere/Land", "Europe/", "../etc/passwd"], ["2024-01-01 12:00:00"])
    check(oracle, "timezone(c0, c1)", lambda a, b: resolve_call("timezone", (a, b)), (TEXT, TIMESTAMP), rows)
    for name in ("+02", "EST5EDT4", "abc"):
        with pytest.raises((InputError, PtvcError), match="not supported"):
            find_zone(name)
