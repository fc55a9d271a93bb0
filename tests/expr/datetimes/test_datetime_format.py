"""to_char, to_date and to_timestamp by templates, against PostgreSQL."""

from __future__ import annotations

import psycopg
import pytest
from ptvc.expr.registry import resolve_call
from ptvc.repr.types import DATE, INTERVAL, TEXT, TIMESTAMP, TIMESTAMPTZ, ScalarType
from support import check, product
from values import EDGES

TEMPLATES = [
    "YYYY-MM-DD HH24:MI:SS", "YYYYMMDD", "Day, DD Month YYYY", "DAY|day|DY|Dy|dy", "MONTH|month|MON|Mon|mon", "FMDay, FMDD FMMonth FMYYYY",
    "HH:MI:SS AM", "HH12:MI p.m.", "FMHH24:FMMI:FMSS", "MS US", "FF1 FF2 FF3 FF4 FF5 FF6", "SSSS SSSSS", "DDD IDDD D ID", "WW IW W", "Q CC J",
    "Y,YYY YYYY YYY YY Y", "IYYY IYY IY I", "BC AD b.c. A.D.", "RM rm FMRM", "DDth DDTH HH24th MIth FMDDth", 'YYYY"year"MM"YYYY"', '"a\\"b" DD', "TZ tz TZH:TZM OF",
    "FXYYYY", "abc", "", "Mm mM", "TMMonth TMDay", "DD\\\"x", "YYYY年MM月", "FM", "FMx", "YYYYth Yth CCth Qth Dth", "FMMS FMUS FMDDD FMWW FMIW FMYYY FMYY",
    None,
]  # fmt: skip
OF_INTERVALS = [
    "YYYY-MM-DD HH24:MI:SS", "HH:MI:SS AM", "HH24:MI:SS.US", "MS FF3", "DDD DD WW W Q CC", "Y,YYY YYY YY Y", "SSSS", "RM", "FMYYYY FMMM FMDD FMHH24", "Month",
    "Day", "TZ", "BC", "", "x", "DDth HH24th", None,
]  # fmt: skip


@pytest.mark.parametrize("type_", [TIMESTAMP, TIMESTAMPTZ], ids=str)
def test_timestamps_as_text(oracle: psycopg.Connection, type_: ScalarType) -> None:
    more = [
        "2024-12-30 00:00:00",
        "2021-01-03 13:05:09.000123",
        "2000-11-11 12:00:00",
        "1999-01-22 00:30:00.9",
        "-infinity",
    ]
    rows = product([*EDGES[type_], *more], TEMPLATES)
    check(oracle, "to_char(c0, c1)", lambda a, b: resolve_call("to_char", (a, b)), (type_, TEXT), rows)


def test_intervals_as_text(oracle: psycopg.Connection) -> None:
    more = ["11 years 5 mons -40 days 25:01:02.5", "-12:00:00", "-1 mon", "150 years"]
    spans = [
        span for span in [*EDGES[INTERVAL], *more] if span not in ("-2147483648 mons", "2147483647 days")
    ]
    rows = product(spans, OF_INTERVALS)
    check(oracle, "to_char(c0, c1)", lambda a, b: resolve_call("to_char", (a, b)), (INTERVAL, TEXT), rows)


def test_a_date_is_a_timestamp(oracle: psycopg.Connection) -> None:
    rows = product(EDGES[DATE], ["YYYY-MM-DD HH24 TZ", "Dy DD"])
    check(oracle, "to_char(c0, c1)", lambda a, b: resolve_call("to_char", (a, b)), (DATE, TEXT), rows)


READ = [
    ("2024-02-29", "YYYY-MM-DD"), ("20240229", "YYYYMMDD"), ("2024-2-9", "YYYY-MM-DD"), ("2024-02-30", "YYYY-MM-DD"), ("2024-13-01", "YYYY-MM-DD"),
    ("29/02/2024 13:45:10", "DD/MM/YYYY HH24:MI:SS"), ("29 Feb 2024", "DD Mon YYYY"), ("February 29, 2024", "Month DD, YYYY"), ("FEB 29 24", "MON DD YY"),
    ("Thursday 29 feb 2024", "Day DD Mon YYYY"), ("10:30 PM", "HH:MI AM"), ("12:30 am", "HH12:MI AM"), ("13:30 am", "HH12:MI AM"), ("2024-060", "YYYY-DDD"),
    ("2024 060", "YYYYDDD"), ("2024-366", "YYYY-DDD"), ("060", "DDD"), ("2024-09", "YYYY-WW"), ("2024-02-3", "YYYY-MM-W"), ("2460370", "J"), ("12.345", "SS.MS"),
    ("12.3", "SS.MS"), ("12.345678", "SS.US"), ("12.34", "SS.FF2"), ("2024-01-01 12:34:56.789", "YYYY-MM-DD HH24:MI:SS.MS"), ("44-03-15 BC", "YYYY-MM-DD BC"),
    ("2024", "YYYY"), ("", "YYYY"), ("   ", "YYYY"), ("abc", "YYYY"), ("20", "YYYYMM"), ("202402", "YYYYMMDD"), ("2024-02", "YYYY-MM-DD"), ("99999999999", "YYYY"),
    ("2024-02-29x", "YYYY-MM-DD"), ("2024x02x29", "YYYY-MM-DD"), ("2024/02/29", "YYYY-MM-DD"), ("2024  02  29", "YYYY-MM-DD"), ("2024-02-29", "YYYY MM DD"),
    ("2024-02-29", "YYYYMMDD"), ("y2024", '"y"YYYY'), ("year 2024", '"year" YYYY'), ("2024-02-29", "FXYYYY-MM-DD"), ("2024 -02-29", "FXYYYY-MM-DD"), ("1st", "DDth"),
    ("2024 2024", "YYYY YYYY"), ("2024 2023", "YYYY YYYY"), ("70", "YY"), ("69", "YY"), ("520", "YYY"), ("5", "Y"), ("43200", "SSSS"), ("86400", "SSSS"),
    ("25:00", "HH24:MI"), ("12:60", "HH24:MI"), ("Foo 2024", "Mon YYYY"), ("3 2024", "Q YYYY"), ("2024 3", "YYYY D"), ("+2024", "YYYY"), ("-5", "MM"),
    ("2024-02-29T10:11:12Z", 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ("2024-02-29 10", "YYYY-MM-DD HH24MI"), (None, "YYYY"), ("2024", None), ("2024", ""),
    ("15 apr. 2020", "DD mon. YYYY"), ("p.m. 3", "p.m. HH"), ("2011년05월01일", "YYYY년MM월DD일"), ("1 2 3", "FMMM FMDD FMYYYY"), ("123", "FMMMDD"), ("99-1", "YY-MM"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["to_date", "to_timestamp"])
def test_reading(oracle: psycopg.Connection, name: str) -> None:
    check(oracle, f"{name}(c0, c1)", lambda a, b: resolve_call(name, (a, b)), (TEXT, TEXT), READ)
