"""COPY in parquet through psycopg and psql: every type there and back, other readers, files of others, and bad ones."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from inprocess import InProcess, running
from psql import PSQL
from ptvc.coord.results.results import CopyIn
from ptvc.errors import Unsupported
from ptvc.pgwire import copy_parquet, copy_parquet_read
from ptvc.pgwire.codec import CopyDataError
from ptvc.pgwire.copy_parquet import RowGroups, parquet_type
from ptvc.pgwire.copy_parquet_read import ParquetReader
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, TEXT, array_of, record_of
from ptvc.sql.syntax.vocabulary import CopyFormat, CopyOptions

PARQUET = CopyOptions(CopyFormat.PARQUET, "\t", "\\N", False)

TYPES: list[tuple[str, str, pa.DataType]] = [
    ("boolean", "true", pa.bool_()),
    ("smallint", "-32768", pa.int16()),
    ("integer", "2147483647", pa.int32()),
    ("bigint", "-9223372036854775808", pa.int64()),
    ("uint2", "65535", pa.uint16()),
    ("uint4", "4294967295", pa.uint32()),
    ("uint8", "18446744073709551615", pa.uint64()),
    ("real", "1.5", pa.float32()),
    ("double precision", "NaN", pa.float64()),
    ("numeric(10, 2)", "-12345678.90", pa.decimal128(10, 2)),
    ("numeric", "-12345678901234567890123.00000000001", pa.string()),
    ("text", "na\u00efve \u2603", pa.string()),
    ("varchar(3)", "abc", pa.string()),
    ("char(3)", "ab", pa.string()),
    ("bytea", "\\x00ff", pa.binary()),
    ("date", "1582-10-14", pa.date32()),
    ("time", "23:59:59.999999", pa.time64("us")),
    ("timestamp", "0044-03-15 12:00:00.000001 BC", pa.timestamp("us")),
    ("timestamptz", "2026-02-03 04:05:06.789+00", pa.timestamp("us", "UTC")),
    ("interval", "1 year -2 days 03:00:00.5", pa.string()),
    ("uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", pa.string()),
    ("jsonb", '{"a": [1, null]}', pa.string()),
    ("json", '{"a":  1, "a": 2}', pa.string()),
    ("oid", "4294967295", pa.int64()),
    ("mz_timestamp", "18446744073709551615", pa.uint64()),
    ("int4range", "[1,5)", pa.string()),
    ("tstzrange", '["2026-01-01 00:00:00+00",)', pa.string()),
    ("integer[]", "{1,NULL,3}", pa.list_(pa.int32())),
    ("numeric(4, 1)[]", "{1.5,NULL}", pa.list_(pa.decimal128(4, 1))),
    ("uuid[]", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}", pa.list_(pa.string())),
    ("text list", "{a,NULL}", pa.list_(pa.string())),
    ("map[text=>integer]", "{a=>1,b=>NULL}", pa.map_(pa.string(), pa.int32())),
]


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as started:
        yield started


@pytest.fixture
def connection(runtime: InProcess) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(runtime.dsn, autocommit=True) as connection:
        yield connection
        for name in ("t", "u"):
            connection.execute(f"DROP TABLE IF EXISTS {name}")  # type: ignore[arg-type]


def copied_out(connection: psycopg.Connection[Any], what: str) -> bytes:
    with connection.cursor().copy(f"COPY {what} TO STDOUT (FORMAT parquet)") as copy:  # type: ignore[arg-type]
        return b"".join(bytes(piece) for piece in copy)


def load(connection: psycopg.Connection[Any], what: str, data: bytes | pa.Table) -> str | None:
    if isinstance(data, pa.Table):
        data = file_of(data)
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY {what} FROM STDIN (FORMAT parquet)") as copy:  # type: ignore[arg-type]
            copy.write(data)
        return cursor.statusmessage


def file_of(table: pa.Table, **options: Any) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def table_of(data: bytes) -> pa.Table:
    return pq.read_table(io.BytesIO(data))


def rows(connection: psycopg.Connection[Any], sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql).fetchall()  # type: ignore[arg-type]


def test_every_type_there_and_back(connection: psycopg.Connection[Any], tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(len(TYPES))]
    columns = ", ".join(f"{name} {type_}" for name, (type_, _, _) in zip(names, TYPES, strict=True))
    connection.execute(f"CREATE TABLE t (n integer, {columns})")  # type: ignore[arg-type]
    values = ", ".join("'" + text.replace("'", "''") + "'" for _, text, _ in TYPES)
    connection.execute(f"INSERT INTO t VALUES (1, {values}), (2{', NULL' * len(TYPES)})")  # type: ignore[arg-type]
    data = copied_out(connection, "t")

    found = pq.read_schema(io.BytesIO(data))
    for name, (type_, _, expected) in zip(names, TYPES, strict=True):
        got = found.field(name).type
        if "json" in type_:
            assert got in (expected, pa.json_(pa.string()))
        else:
            assert got.equals(expected), type_

    connection.execute(f"CREATE TABLE u (n integer, {columns})")  # type: ignore[arg-type]
    assert load(connection, "u", data) == "COPY 2"
    shown = ", ".join(f"{name}::text" for name in names)
    assert rows(connection, f"SELECT {shown} FROM u ORDER BY n") == rows(
        connection, f"SELECT {shown} FROM t ORDER BY n"
    )

    (tmp_path / "t.parquet").write_bytes(data)
    with duckdb.connect() as other:
        relation = other.sql(f"SELECT * FROM '{tmp_path}/t.parquet' WHERE n = 1")
        kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
        row = dict(zip(relation.columns, relation.fetchall()[0], strict=True))
    by_type = {type_: name for name, (type_, _, _) in zip(names, TYPES, strict=True)}
    assert row[by_type["uint8"]] == 2**64 - 1
    assert row[by_type["numeric(10, 2)"]] == Decimal("-12345678.90")
    assert row[by_type["numeric"]] == "-12345678901234567890123.00000000001"
    assert row[by_type["char(3)"]] == "ab "
    assert row[by_type["bytea"]] == b"\x00\xff"
    assert row[by_type["date"]] == date(1582, 10, 14)
    assert row[by_type["time"]] == time(23, 59, 59, 999999)
    assert row[by_type["uuid"]] == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    assert row[by_type["integer[]"]] == [1, None, 3]
    assert row[by_type["map[text=>integer]"]] == {"a": 1, "b": None}
    assert kinds[by_type["timestamptz"]] == "TIMESTAMP WITH TIME ZONE"
    assert kinds[by_type["timestamp"]] == "TIMESTAMP"
    assert kinds[by_type["jsonb"]] == "JSON"


def test_a_query_with_no_rows_is_a_file_with_a_schema(connection: psycopg.Connection[Any]) -> None:
    data = copied_out(connection, "(SELECT 1::smallint AS \"A b\", ROW(1, 'x') AS r WHERE false)")
    found = table_of(data)
    assert (found.num_rows, found.column_names) == (0, ["A b", "r"])
    assert found.schema.field("r").type == pa.struct([("f1", pa.int32()), ("f2", pa.string())])


def test_what_cannot_be_written_is_refused(connection: psycopg.Connection[Any]) -> None:
    def refused(error: type[psycopg.Error], sql: str, options: str = "(FORMAT parquet)") -> str:
        with pytest.raises(error) as caught, connection.cursor().copy(f"COPY {sql} {options}") as copy:  # type: ignore[arg-type]
            list(copy)
        return str(caught.value.diag.message_primary)

    duplicate, unsupported = psycopg.errors.DuplicateColumn, psycopg.errors.FeatureNotSupported
    overflow = psycopg.errors.DatetimeFieldOverflow
    assert "a" in refused(duplicate, "(SELECT 1 AS a, 2 AS a) TO STDOUT")
    assert 'column "d"' in refused(overflow, "(SELECT 'infinity'::date AS d) TO STDOUT")
    assert 'column "d"' in refused(overflow, "(SELECT ARRAY['24:00'::time] AS d) TO STDOUT")
    connection.execute("CREATE TABLE t (a integer)")
    assert "subscription" in refused(unsupported, "(SUBSCRIBE t) TO STDOUT")
    for option in ("HEADER", "DELIMITER ','", "NULL ''"):
        message = refused(psycopg.errors.SyntaxError, "t TO STDOUT", f"(FORMAT parquet, {option})")
        assert message == "cannot specify DELIMITER, NULL or HEADER in PARQUET mode"
    refused(unsupported, "t FROM STDIN", "(FORMAT parquet, QUOTE '!')")
    assert rows(connection, "SELECT 1") == [(1,)]


def test_rows_whose_fields_share_a_name_are_refused() -> None:
    pair = record_of((("a", INT4), ("a", TEXT)))
    assert parquet_type(array_of(pair)) is None
    with pytest.raises(Unsupported, match='column "r" is of type record'):
        RowGroups(Schema((Column("r", pair),)), None)


def test_rows_leave_in_groups(monkeypatch: pytest.MonkeyPatch, connection: psycopg.Connection[Any]) -> None:
    monkeypatch.setattr(copy_parquet, "GROUP_ROWS", 20_000)
    data = copied_out(connection, "(SELECT g AS n FROM generate_series(1, 50000) AS g)")
    file = pq.ParquetFile(io.BytesIO(data))
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [
        20_000,
        20_000,
        10_000,
    ]
    assert sorted(file.read()["n"].to_pylist()) == list(range(1, 50_001))


def test_a_group_is_all_that_is_held() -> None:
    groups = RowGroups(Schema((Column("n", INT8),)), None)
    parts = []
    for start in range(0, 3 * copy_parquet.GROUP_ROWS, copy_parquet.GROUP_ROWS):
        groups.add((pa.array(range(start, start + copy_parquet.GROUP_ROWS), pa.int64()),))
        assert groups.full
        parts.append(groups.take())
        assert not groups.full
        assert len(parts[-1]) > 10_000
    parts.append(groups.finish())
    assert table_of(b"".join(parts)).num_rows == 3 * copy_parquet.GROUP_ROWS


def test_columns_are_matched_by_name(connection: psycopg.Connection[Any]) -> None:
    connection.execute("CREATE TABLE t (a integer NOT NULL, b text DEFAULT 'none', c bigint)")
    assert load(connection, "t", pa.table({"c": [10, 20], "a": [1, 2]})) == "COPY 2"
    assert load(connection, "t (b, a)", pa.table({"a": [3], "b": ["x"]})) == "COPY 1"
    assert rows(connection, "SELECT * FROM t ORDER BY a") == [
        (1, "none", 10),
        (2, "none", 20),
        (3, "x", None),
    ]
    with pytest.raises(psycopg.errors.UndefinedColumn, match='does not load: "d", "A"') as unknown:
        load(connection, "t", pa.table({"a": [1], "d": [1], "A": [1]}))
    assert unknown.value.diag.message_detail == "Columns to load are: a, b, c."
    with pytest.raises(psycopg.errors.UndefinedColumn, match='"c"'):
        load(connection, "t (a)", pa.table({"a": [1], "c": [1]}))
    with pytest.raises(psycopg.errors.BadCopyFileFormat, match='no column "b"'):
        load(connection, "t (a, b)", pa.table({"a": [1]}))
    with pytest.raises(psycopg.errors.DuplicateColumn, match='"a"'):
        load(connection, "t", pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(psycopg.errors.BadCopyFileFormat, match="no columns"):
        load(connection, "t", pa.table({}))
    with pytest.raises(psycopg.errors.NotNullViolation):
        load(connection, "t", pa.table({"c": [1]}))
    assert rows(connection, "SELECT count(*) FROM t") == [(3,)]


U = UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")
OTHERS: list[tuple[str, pa.Array, Any]] = [
    ("integer", pa.array([7], pa.int64()), 7),
    ("smallint", pa.array([7], pa.uint64()), 7),
    ("bigint", pa.array([7], pa.uint8()), 7),
    ("uint2", pa.array([7], pa.int32()), 7),
    ("numeric", pa.array([2**64 - 1], pa.uint64()), Decimal(2**64 - 1)),
    ("numeric(4, 1)", pa.array([1.25], pa.float32()), Decimal("1.3")),
    ("numeric(4, 1)", pa.array([Decimal("1.25")], pa.decimal128(10, 2)), Decimal("1.3")),
    ("numeric", pa.array([Decimal("1.25")], pa.decimal256(76, 38)), Decimal("1.25")),
    ("double precision", pa.array([1.5], pa.float16()), 1.5),
    ("text", pa.array(["x"]).dictionary_encode(), "x"),
    ("text", pa.array(["x"], pa.large_string()), "x"),
    ("text", pa.array([True]), "true"),
    ("integer", pa.array(["7"]), 7),
    ("integer", pa.nulls(1), None),
    ("bytea", pa.array([b"ab"], pa.binary(2)), b"ab"),
    ("bytea", pa.array([b"ab"], pa.binary_view()), b"ab"),
    ("text", pa.array(["x"], pa.string_view()), "x"),
    ("uuid", pa.array([U.bytes], pa.binary(16)), U),
    ("uuid", pa.array([U.bytes], pa.uuid()), U),
    ("date", pa.array([date(2026, 1, 2)], pa.date64()), date(2026, 1, 2)),
    ("time(0)", pa.array([1_600], pa.time32("ms")), time(0, 0, 2)),
    ("timestamp", pa.array([1_000], pa.timestamp("ns")), datetime(1970, 1, 1, 0, 0, 0, 1)),
    (
        "timestamptz",
        pa.array([60], pa.timestamp("s", "Europe/Berlin")),
        datetime(1970, 1, 1, 0, 1, tzinfo=UTC),
    ),
    ("jsonb", pa.array(['{"a":  1}'], pa.json_()), {"a": 1}),
    ("integer[]", pa.array([[1, None]], pa.large_list(pa.int64())), [1, None]),
    ("integer[]", pa.array([[1, 2]], pa.list_(pa.int32(), 2)), [1, 2]),
    ("integer[]", pa.array(["{1,2}"]), [1, 2]),
]


def test_files_of_others(connection: psycopg.Connection[Any]) -> None:
    names = [f"c{i}" for i in range(len(OTHERS))]
    columns = ", ".join(f"{name} {type_}" for name, (type_, _, _) in zip(names, OTHERS, strict=True))
    connection.execute(f"CREATE TABLE t ({columns}, m map[text=>integer])")  # type: ignore[arg-type]
    maps = pa.array([[("b", 2), ("a", 1), ("b", 3)]], pa.map_(pa.string(), pa.int64()))
    arrays = [array for _, array, _ in OTHERS]
    load(connection, "t", pa.Table.from_arrays([*arrays, maps], names=[*names, "m"]))
    with connection.cursor(binary=True) as cursor:
        shown = [
            name + "::integer" * type_.startswith("uint")
            for name, (type_, _, _) in zip(names, OTHERS, strict=True)
        ]
        (row,) = cursor.execute(f"SELECT {', '.join(shown)} FROM t").fetchall()  # type: ignore[arg-type]
    assert list(row) == [value for _, _, value in OTHERS]
    assert rows(connection, "SELECT m::text FROM t") == [("{a=>1,b=>3}",)]


@pytest.mark.parametrize(
    ("type_", "array", "sqlstate", "message"),
    [
        ("smallint", pa.array([1, 70_000]), "22003", "smallint out of range"),
        ("uint2", pa.array([1, -1]), "22003", "uint2 out of range"),
        ("varchar(2)", pa.array(["a", "abc"]), "22001", "value too long for type character varying(2)"),
        ("numeric(3, 1)", pa.array([1, 100]), "22003", "numeric field overflow"),
        ("integer", pa.array(["1", "x"]), "22P02", 'invalid input syntax for type integer: "x"'),
        ("smallint[]", pa.array([[1, 2], [3, 99_999]]), "22003", "smallint out of range"),
        ("jsonb", pa.array(["1", "{"]), "22P02", "invalid input syntax for type json"),
        ("date", pa.array([0, 2**31 - 1], pa.date32()), "22008", "date out of range"),
        ("timestamp", pa.array([0, 2**63 - 1], pa.timestamp("us")), "22008", "timestamp out of range"),
        ("timestamp", pa.array([0, 2**62], pa.timestamp("ms")), "22008", "out of range"),
        ("timestamp", pa.array([0, 1], pa.timestamp("ns")), "22008", "digits beyond microseconds"),
        ("numeric", pa.array([1, 10**50], pa.decimal256(60, 0)), "22003", "overflow"),
        ("text", pa.array([b"a", b"\xff"]).view(pa.string()), "22021", "invalid byte sequence"),
        ("text", pa.array(["a", "\0"]), "22021", "invalid byte sequence"),
    ],
)
def test_values_that_do_not_fit(
    connection: psycopg.Connection[Any], type_: str, array: pa.Array, sqlstate: str, message: str
) -> None:
    connection.execute(f"CREATE TABLE t (v {type_})")  # type: ignore[arg-type]
    with pytest.raises(psycopg.Error) as caught:
        load(connection, "t", pa.table({"v": array}))
    assert caught.value.sqlstate == sqlstate
    assert message in str(caught.value.diag.message_primary)
    assert caught.value.diag.context == "COPY t, line 2, column v"
    assert rows(connection, "SELECT count(*) FROM t") == [(0,)]


@pytest.mark.parametrize(
    ("type_", "array"),
    [
        ("boolean", pa.array([1])),
        ("integer", pa.array([True])),
        ("bytea", pa.array([1])),
        ("timestamp", pa.array([0], pa.timestamp("us", "UTC"))),
        ("timestamptz", pa.array([0], pa.date32())),
        ("integer", pa.array([[1]])),
        ("integer[]", pa.array([1])),
        ("integer[]", pa.array([[[1]]])),
        ("jsonb", pa.array([{"a": 1}])),
        ("interval", pa.array([0], pa.duration("us"))),
    ],
)
def test_types_that_are_not_assigned(
    connection: psycopg.Connection[Any], type_: str, array: pa.Array
) -> None:
    connection.execute(f"CREATE TABLE t (v {type_})")  # type: ignore[arg-type]
    with pytest.raises(psycopg.errors.DatatypeMismatch, match='column "v" is of type'):
        load(connection, "t", pa.table({"v": array}))


def test_a_file_of_duckdb(connection: psycopg.Connection[Any], tmp_path: Path) -> None:
    with duckdb.connect() as other:
        other.sql(
            f"""COPY (SELECT i::hugeint % 5 AS h, i AS n, i::varchar AS s, uuid() AS u, [i, NULL] AS l, MAP {{'k': i}} AS m,
            TIME '12:00' AS t, TIMESTAMP '2026-01-02 03:04:05.6' AS ts, i::decimal(18, 3) AS d FROM range(3000) AS r(i))
            TO '{tmp_path}/d.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048)"""
        )
    connection.execute(
        "CREATE TABLE t (n integer, s text, u uuid, l bigint[], m map[text=>bigint], t time, ts timestamp, d numeric,"
        " h double precision)"
    )
    assert load(connection, "t", (tmp_path / "d.parquet").read_bytes()) == "COPY 3000"
    assert rows(connection, "SELECT count(DISTINCT u), sum(d), sum(h) FROM t") == [(3000, 4_498_500, 6000)]
    assert rows(connection, "SELECT s, l, m::text, t, ts FROM t WHERE n = 2999") == [
        ("2999", [2999, None], "{k=>2999}", time(12), datetime(2026, 1, 2, 3, 4, 5, 600_000))
    ]


def test_timestamps_as_spark_writes_them(connection: psycopg.Connection[Any]) -> None:
    connection.execute("CREATE TABLE t (a timestamptz, b timestamp)")
    instants = pa.array([datetime(9999, 12, 31), datetime(2026, 1, 2, 3, 4, 5, 600_000)], pa.timestamp("us"))
    table = pa.table({"a": instants, "b": instants})
    load(connection, "t", file_of(table, use_deprecated_int96_timestamps=True, store_schema=False))
    expected = [(value.replace(tzinfo=UTC), value) for value in instants.to_pylist()]
    connection.execute("SET TIME ZONE 'America/New_York'")
    assert sorted(rows(connection, "SELECT a, b FROM t")) == sorted(expected)


def test_constraints_hold(connection: psycopg.Connection[Any]) -> None:
    connection.execute("CREATE TABLE t (a integer PRIMARY KEY, b integer CHECK (b > 0))")
    load(connection, "t", pa.table({"a": [1], "b": [1]}))
    with pytest.raises(psycopg.errors.UniqueViolation):
        load(connection, "t", pa.table({"a": [2, 1], "b": [1, 1]}))
    with pytest.raises(psycopg.errors.CheckViolation):
        load(connection, "t", pa.table({"a": [2], "b": [0]}))
    assert rows(connection, "SELECT * FROM t") == [(1, 1)]


def test_bad_files(connection: psycopg.Connection[Any]) -> None:
    connection.execute("CREATE TABLE t (a bigint, b text)")
    good = file_of(pa.table({"a": range(1000), "b": [str(i) for i in range(1000)]}))
    broken = bytearray(good)
    broken[4:200] = bytes(196)
    footer = bytearray(good)
    footer[-200:-8] = os.urandom(192)
    for data, message in (
        (b"", "not a parquet file"),
        (b"1\tx\n", "not a parquet file"),
        (b"PAR1", "truncated"),
        (b"PAR1PAR1", "truncated"),
        (good[: len(good) // 2], "truncated"),
        (b"PARE" + good[4:-4] + b"PARE", "encrypted"),
        (bytes(broken), "cannot be read"),
        (bytes(footer), "cannot be read"),
        (good[:-8] + b"\xff\xff\xff\x7fPAR1", "cannot be read"),
    ):
        with pytest.raises(psycopg.errors.BadCopyFileFormat, match=message):
            load(connection, "t", data)
    assert rows(connection, "SELECT count(*) FROM t") == [(0,)]
    assert load(connection, "t", good) == "COPY 1000"


@pytest.mark.parametrize("seed", range(3))
def test_files_with_wrong_bytes_are_errors_or_rows(seed: int) -> None:
    """Whatever a byte becomes, what comes out are columns or an error of the file."""
    from random import Random

    random = Random(seed)
    table = pa.table({"a": list(range(500)), "b": [str(i % 7) for i in range(500)]})
    good = file_of(table, compression="none" if seed % 2 else "zstd")
    schema = Schema((Column("a", INT8), Column("b", TEXT)))
    refused = 0
    for _ in range(60):
        data = bytearray(good)
        for _ in range(random.choice((1, 4, 30))):
            data[random.randrange(4, len(data) - 8)] = random.randrange(256)
        reader = ParquetReader(CopyIn(schema, PARQUET, "t", optional=True), "COPY t")
        try:
            reader.write(bytes(data))
            reader.open()
            while (columns := reader.next()) is not None:
                assert all(column is None or len(column) for column in columns)
        except CopyDataError:
            refused += 1
        finally:
            reader.close()
    assert refused


def test_a_file_that_grows_when_it_is_read_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_parquet_read, "CHUNK_BYTES", 1 << 20)
    value = "x" * 20_000
    data = file_of(pa.table({"v": pa.repeat(pa.scalar(value), 1_500)}))
    assert len(data) < 100_000  # for thirty megabytes
    reader = ParquetReader(CopyIn(Schema((Column("v", TEXT),)), PARQUET, "t"), "COPY t")
    reader.write(data)
    reader.open()
    sizes = []
    while (columns := reader.next()) is not None:
        sizes.append(len(columns[0]))  # type: ignore[arg-type]
        assert columns[0][0].as_py() == value  # type: ignore[index]
    reader.close()
    assert sum(sizes) == 1_500
    assert max(sizes) * len(value) <= 5 << 20


def test_rows_are_counted_across_batches() -> None:
    array = pa.array([*range(40_000), 1 << 40], pa.int64())
    reader = ParquetReader(CopyIn(Schema((Column("v", INT4),)), PARQUET, "t"), "COPY t")
    reader.write(file_of(pa.table({"v": array}), row_group_size=7_000))
    reader.open()
    with pytest.raises(CopyDataError) as caught:
        list(iter(reader.next, None))
    reader.close()
    assert (caught.value.context, caught.value.sqlstate) == ("COPY t, line 40001, column v", "22003")


def test_psql_writes_and_loads_files(runtime: InProcess, tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    script = f"""CREATE TABLE p (a integer, b text);
INSERT INTO p VALUES (1, 'x'), (2, NULL);
\\copy p to '{path}' (format parquet)
\\copy p from '{path}' (format parquet)
SELECT count(*) FROM p;
DROP TABLE p;
"""
    done = subprocess.run(
        [PSQL, "-XAt", "-d", runtime.dsn], input=script, capture_output=True, text=True, timeout=30
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[2:5] == ["COPY 2", "COPY 2", "4"]
    assert pq.read_table(path).to_pydict() == {"a": [1, 2], "b": ["x", None]}
