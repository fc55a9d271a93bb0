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


def test_copy_reads_what_it_wrote(connection: psycopg.Connection) -> None:
    """The least number of either type is an infinity too, and no day of the Stone Age."""
    connection.execute("CREATE TABLE endless (n int, d date, t timestamp(3), z timestamptz)")
    values = (
        "(1, 'infinity', '-infinity', 'infinity'), (2, '-infinity', 'infinity', '-infinity'),"
        " (3, '12000-01-01', '0044-03-15 BC', '2000-01-01 UTC'), (4, NULL, NULL, NULL)"
    )
    connection.execute(f"INSERT INTO endless VALUES {values}".encode())
    with connection.cursor() as cursor:
        with cursor.copy("COPY endless TO STDOUT (FORMAT binary)") as out:
            data = b"".join(out)
        connection.execute("CREATE TABLE read (n int, d date, t timestamp(3), z timestamptz)")
        with cursor.copy("COPY read FROM STDIN (FORMAT binary)") as into:
            into.write(data)
    counted = connection.execute(
        "SELECT count(*) FROM (TABLE endless INTERSECT TABLE read) AS found"
    ).fetchone()
    assert counted == (4,)


def test_copy_refuses_what_is_beyond_every_calendar(connection: psycopg.Connection) -> None:
    connection.execute("CREATE TABLE beyond (t timestamp)")
    row = struct.pack("!hiq", 1, 8, 2**63 - 2)
    with (
        pytest.raises(psycopg.errors.DatetimeFieldOverflow),
        connection.cursor() as cursor,
        cursor.copy("COPY beyond FROM STDIN (FORMAT binary)") as into,
    ):
        into.write(b"PGCOPY\n\xff\r\n\0" + bytes(8) + row + b"\xff\xff")
