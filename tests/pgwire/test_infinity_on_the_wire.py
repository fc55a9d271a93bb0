"""Infinite dates and timestamps, and those that Python's calendar lacks, in binary both ways and in arrays."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import psycopg
import pytest
from inprocess import running
from psycopg.pq import Format

DATE, DATES, TIMESTAMP, TIMESTAMPS = 1082, 1182, 1114, 1115


@pytest.fixture(scope="module")
def connection() -> Iterator[psycopg.Connection]:
    with running() as runtime, runtime.connect() as connection:
        yield connection


@pytest.mark.parametrize(
    ("oid", "text", "binary"),
    [
        (DATE, b"infinity", struct.pack("!i", 2**31 - 1)),
        (DATE, b"-infinity", struct.pack("!i", -(2**31))),
        (DATE, b"12000-01-01", struct.pack("!i", 3_652_425)),
        (TIMESTAMP, b"infinity", struct.pack("!q", 2**63 - 1)),
        (TIMESTAMP, b"-infinity", struct.pack("!q", -(2**63))),
        (TIMESTAMP, b"0044-03-15 00:00:00 BC", struct.pack("!q", -64_464_508_800_000_000)),
        (DATES, b"{infinity,2000-01-02}", struct.pack("!iiIiiiiii", 1, 0, DATE, 2, 1, 4, 2**31 - 1, 4, 1)),
        (TIMESTAMPS, b"{-infinity}", struct.pack("!iiIiiiq", 1, 0, TIMESTAMP, 1, 1, 8, -(2**63))),
    ],
)
def test_there_and_back(connection: psycopg.Connection, oid: int, text: bytes, binary: bytes) -> None:
    for sent, format_ in ((text, Format.TEXT), (binary, Format.BINARY)):
        for wanted, result in ((text, Format.TEXT), (binary, Format.BINARY)):
            found = connection.pgconn.exec_params(b"SELECT $1", [sent], [oid], [format_], result)
            assert found.get_value(0, 0) == wanted, found.error_message


def test_beyond_every_calendar(connection: psycopg.Connection) -> None:
    sent = struct.pack("!q", 2**63 - 2)
    found = connection.pgconn.exec_params(b"SELECT $1", [sent], [TIMESTAMP], [Format.BINARY])
    assert found.error_field(67) == b"22008"
