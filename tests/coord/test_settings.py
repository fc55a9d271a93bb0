"""The values that settings take, and how SHOW says them: what PostgreSQL 18 answers, unless they are refused."""

from __future__ import annotations

import pytest
from ptvc.coord.settings import SETTINGS, duration_ms, find_setting
from ptvc.errors import InvalidParameter, Unsupported


def canonical(name: str, text: str) -> str:
    setting = find_setting(name)
    assert setting is not None
    return setting.canonical(text)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("statement_timeout", "1500", "1500ms"),
        ("statement_timeout", "90000", "90s"),
        ("statement_timeout", "2min", "2min"),
        ("statement_timeout", " 1.5 s ", "1500ms"),
        ("statement_timeout", "1d", "1d"),
        ("statement_timeout", "0", "0"),
        ("work_mem", "64MB", "64MB"),
        ("work_mem", "4096", "4MB"),
        ("log_min_duration_statement", "-1", "-1"),
        ("extra_float_digits", "3", "3"),
        ("enable_seqscan", "F", "off"),
        ("enable_seqscan", "tru", "on"),
        ("synchronous_commit", "OFF", "off"),
        ("synchronous_commit", "true", "on"),
        ("client_min_messages", "WARNING", "warning"),
        ("DateStyle", "iso", "ISO, MDY"),
        ("DateStyle", "ISO, DMY", "ISO, DMY"),
        ("DateStyle", "European", "ISO, DMY"),
        ("DateStyle", "YMD", "ISO, YMD"),
        ("client_encoding", "utf-8", "UTF8"),
        ("client_encoding", "SQL_ASCII", "SQL_ASCII"),
        ("TimeZone", "utc", "UTC"),
        ("random_page_cost", "1.10", "1.1"),
    ],
)
def test_values(name: str, text: str, expected: str) -> None:
    assert canonical(name, text) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("IntervalStyle", "bogus"),
        ("DateStyle", "bogus"),
        ("client_encoding", "nope"),
        ("client_min_messages", "loud"),
        ("extra_float_digits", "9"),
        ("statement_timeout", "soon"),
        ("statement_timeout", "-1"),
        ("statement_timeout", "10 kB"),
        ("work_mem", "1"),
        ("jit", "perhaps"),
        ("standard_conforming_strings", "2"),
        ("random_page_cost", "cheap"),
    ],
)
def test_values_that_there_are_not(name: str, text: str) -> None:
    with pytest.raises(InvalidParameter):
        canonical(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("IntervalStyle", "iso_8601"),
        ("IntervalStyle", "sql_standard"),
        ("DateStyle", "German"),
        ("DateStyle", "SQL, DMY"),
        ("bytea_output", "escape"),
        ("client_encoding", "LATIN1"),
        ("extra_float_digits", "0"),
        ("standard_conforming_strings", "off"),
        ("transform_null_equals", "on"),
        ("array_nulls", "off"),
    ],
)
def test_values_that_would_mean_something_are_refused(name: str, text: str) -> None:
    with pytest.raises(Unsupported):
        canonical(name, text)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_default_is_canonical(setting: object) -> None:
    assert setting.canonical(setting.default) == setting.default  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "expected"), [("10", 10), ("2s", 2_000), ("5 min", 300_000), ("600us", 1), ("1d", 86_400_000)]
)
def test_durations(text: str, expected: int) -> None:
    assert duration_ms(text) == expected
