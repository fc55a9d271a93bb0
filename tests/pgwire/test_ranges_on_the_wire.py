"""Ranges through psycopg: parameters, results and COPY, in text and in binary."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from inprocess import InProcess, running
from psycopg.types.range import (
    DateRange,
    Int4Range,
    Int8Range,
    NumericRange,
    Range,
    TimestampRange,
    TimestamptzRange,
)
from ptvc.errors import DataError
from ptvc.expr.text.text_format import from_text
from ptvc.pgwire.codec import ProtocolViolation
from ptvc.pgwire.fields import encode
from ptvc.pgwire.pieces import join
from ptvc.pgwire.types import decode_binary
from ptvc.repr.types import INT4RANGE, RANGES, TSRANGE

COLUMNS = "i int4range, b int8range, n numrange, d daterange, t tsrange, z tstzrange, a int4range[]"
ROWS: list[tuple[Range[Any] | list[Range[Any] | None] | None, ...]] = [
    (
        Int4Range(1, 5),
        Int8Range(-(2**40), None),
        NumericRange(Decimal("1.5"), Decimal(2), "(]"),
        DateRange(date(2024, 2, 28), date(2024, 3, 1)),
        TimestampRange(datetime(2024, 2, 29, 12), datetime(2024, 3, 1), "[]"),
        TimestamptzRange(None, datetime(2024, 2, 29, tzinfo=UTC), "()"),
        [Int4Range(1, 2), None, Int4Range(empty=True)],
    ),
    *(
        (
            *(kind(None, None, "()", empty=empty) for kind in (Int4Range, Int8Range, NumericRange)),
            *(kind(None, None, "()", empty=empty) for kind in (DateRange, TimestampRange, TimestamptzRange)),
            [Int4Range(None, 3, "()", empty=empty)],
        )
        for empty in (True, False)
    ),
    (None,) * 7,
]


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


@pytest.mark.parametrize("binary", [False, True])
def test_there_and_back(runtime: InProcess, binary: bool) -> None:
    with runtime.connect() as connection:
        connection.execute(f"CREATE TABLE t{binary:d} (id int, {COLUMNS})")  # type: ignore[arg-type]
        cursor = connection.cursor(binary=binary)
        types = [column.split()[1] for column in COLUMNS.split(", ")]
        sign = "%b" if binary else "%t"
        signs = ", ".join(f"{sign}::{name}" for name in types)
        for number, row in enumerate(ROWS):
            cursor.execute(f"INSERT INTO t{binary:d} VALUES (%s, {signs})", (number, *row))  # type: ignore[arg-type]
        names = "i, b, n, d, t, z, a"
        found = cursor.execute(f"SELECT {names} FROM t{binary:d} ORDER BY id").fetchall()  # type: ignore[arg-type]
        assert found == ROWS
        assert [c.type_code for c in cursor.description or ()] == [3904, 3926, 3906, 3912, 3908, 3910, 3905]
        form = "(FORMAT binary)" if binary else ""
        with cursor.copy(f"COPY (SELECT * FROM t{binary:d}) TO STDOUT {form}") as copy:  # type: ignore[arg-type]
            data = b"".join(copy)
        connection.execute(f"CREATE TABLE s{binary:d} (id int, {COLUMNS})")  # type: ignore[arg-type]
        with cursor.copy(f"COPY s{binary:d} FROM STDIN {form}") as copy:  # type: ignore[arg-type]
            copy.write(data)
        assert cursor.execute(f"SELECT {names} FROM s{binary:d} ORDER BY id").fetchall() == ROWS  # type: ignore[arg-type]


def test_a_bad_range_in_binary_copy_is_an_error_of_its_row(runtime: InProcess) -> None:
    def field(value: bytes) -> bytes:
        return struct.pack("!i", len(value)) + value

    def rows(*values: bytes) -> bytes:
        head = b"PGCOPY\n\xff\r\n\0" + bytes(8)
        return head + b"".join(struct.pack("!h", 1) + field(value) for value in values) + b"\xff\xff"

    good = b"\2" + field(struct.pack("!i", 1)) + field(struct.pack("!i", 5))
    crossed = b"\2" + field(struct.pack("!i", 5)) + field(struct.pack("!i", 1))
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE bad (r int4range)")
        for data, state in ((rows(good, crossed), "22000"), (rows(good, good[:-1]), "08P01")):
            with (
                pytest.raises(psycopg.Error) as caught,
                connection.cursor().copy("COPY bad FROM STDIN (FORMAT binary)") as copy,
            ):
                copy.write(data)
            assert caught.value.sqlstate == state
            assert "COPY bad, line 2, column r" in (caught.value.diag.context or "")
        assert connection.execute("SELECT count(*) FROM bad").fetchone() == (0,)


def test_binary_is_postgresqls(oracle: psycopg.Connection) -> None:
    texts = ["(,)", "empty", "[1,5]", "(1,5)", "(,5]", "[1,)", None]
    for type_ in RANGES:
        bounds = ("2024-01-01", "2024-02-01") if not type_.subtype.is_numeric_category else ("1", "5")
        inputs = [None if t is None else t.replace("1", bounds[0]).replace("5", bounds[1]) for t in texts]
        if type_ == INT4RANGE:
            inputs += ["[-2147483648,2147483646]"]
        if type_ == TSRANGE:
            inputs += ["[-infinity,infinity]", "[0044-03-15 BC,)"]
        values = from_text(pa.array(inputs, pa.string()), type_).values
        pieces, lengths = encode(values, type_, 1)
        cursor = oracle.cursor(binary=True)
        for row, (text, field, length) in enumerate(
            zip(inputs, join(pieces).to_pylist(), lengths.tolist(), strict=True)
        ):
            result = cursor.execute(f"SELECT %s::{type_}", (text,)).pgresult  # type: ignore[arg-type]
            assert result is not None
            wanted = result.get_value(0, 0)
            assert len(field) == length
            assert field[4:] == (wanted or b""), (type_, text)
            if wanted is not None:
                assert decode_binary(wanted, type_) == values[row].as_py()


def test_damaged_values_are_refused() -> None:
    with pytest.raises(ProtocolViolation):
        decode_binary(b"", INT4RANGE)
    with pytest.raises(ProtocolViolation):
        decode_binary(b"\1x", INT4RANGE)
    with pytest.raises(DataError) as caught:
        decode_binary(b"\2" + struct.pack("!iiii", 4, 5, 4, 1), INT4RANGE)
    assert caught.value.sqlstate == "22000"


def test_asyncpg_looks_ranges_up_in_the_catalog(runtime: InProcess) -> None:
    asyncpg = pytest.importorskip("asyncpg", reason="asyncpg is not installed")

    async def main() -> None:
        with runtime.connect() as connection:
            host, port = connection.info.host, connection.info.port
        client = await asyncpg.connect(host=host, port=port, user="ann", database="ptvc", ssl=False)
        row = await client.fetchrow(
            "SELECT '[1,5]'::int4range, array['empty'::daterange, NULL], numrange(1.5, NULL), tsrange(NULL, '2024-01-01', '[]')"
        )
        assert tuple(row) == (
            asyncpg.Range(1, 6),
            [asyncpg.Range(empty=True), None],
            asyncpg.Range(Decimal("1.5"), None),
            asyncpg.Range(None, datetime(2024, 1, 1), upper_inc=True),
        )
        assert await client.fetchval("SELECT $1::int8range @> $2::bigint", asyncpg.Range(1, None), 2**40)
        await client.close()

    asyncio.run(main())


def test_catalogs_list_the_types(runtime: InProcess, oracle: psycopg.Connection) -> None:
    types = (
        "SELECT oid::int8, typname::text, typlen, typtype::text, typcategory::text, typelem::int8, typarray::int8"
        " FROM pg_type WHERE oid BETWEEN 3904 AND 3927 AND typname LIKE '%range' ORDER BY oid"
    )
    bounds = (
        "SELECT rngtypid::int8, rngsubtype::int8, format_type(rngtypid, -1) FROM pg_range ORDER BY rngtypid"
    )
    with runtime.connect() as connection:
        for sql in (types, bounds):
            assert connection.execute(sql).fetchall() == oracle.execute(sql).fetchall()
