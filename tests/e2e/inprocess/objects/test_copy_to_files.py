"""COPY ... TO a directory or S3, read back by others: DuckDB, pyarrow, and our own sources."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow.parquet as pq
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors
from ptvc.storage.export import directory
from servers.s3_server import S3Server

from ..kafka.sources import shows
from .test_s3_sources import Db, connect


def names(place: Path) -> list[str]:
    return sorted(entry.name for entry in place.iterdir())


def test_types_in_parquet_as_duckdb_reads_them(db: Db, tmp_path: Path) -> None:
    db.execute("CREATE TABLE t (a int, n numeric(10, 2), z timestamptz, j jsonb, l int[], x text, u uuid)")
    db.execute(
        """INSERT INTO t VALUES (1, 1.50, '2024-05-01 12:00:00+02', '{"k": [1]}', '{1,NULL,3}', 'ä', '00000000-0000-0000-0000-000000000001'),
        (NULL, NULL, NULL, NULL, NULL, NULL, NULL)"""
    )
    place = tmp_path / "out"
    assert db.execute(f"COPY t TO '{place}' WITH (FORMAT PARQUET)".encode()).statusmessage == "COPY 2"
    assert names(place) == ["_SUCCESS", "part-00000.parquet"]
    manifest = json.loads((place / "_SUCCESS").read_text())
    size = (place / "part-00000.parquet").stat().st_size
    assert manifest == {"rows": 2, "files": [{"name": "part-00000.parquet", "rows": 2, "bytes": size}]}
    read = duckdb.sql(
        f"SELECT a, n, z AT TIME ZONE 'UTC', j::text, l, x, u FROM '{place}/*.parquet' ORDER BY a"
    )
    assert read.fetchall() == [
        (
            1, Decimal("1.50"), datetime(2024, 5, 1, 10), '{"k": [1]}', [1, None, 3], "ä",
            "00000000-0000-0000-0000-000000000001",
        ),
        (None,) * 7,
    ]  # fmt: skip
    assert str(pq.read_schema(place / "part-00000.parquet").field("z").type) == "timestamp[us, tz=UTC]"
    assert read.types[1] == "DECIMAL(10,2)"


def test_csv_of_a_query_with_its_options(db: Db, tmp_path: Path) -> None:
    place = tmp_path / "deep" / "out"
    query = "SELECT * FROM (VALUES (1, 'a;b'), (2, NULL), (3, 'x\"y')) v (id, name) ORDER BY id"
    done = db.execute(
        f"COPY ({query}) TO '{place}' WITH (FORMAT = 'csv', HEADER = true, DELIMITER = ';')".encode()
    )
    assert done.statusmessage == "COPY 3"
    text = (place / "part-00000.csv").read_text()
    assert list(csv.reader(io.StringIO(text), delimiter=";")) == [
        ["id", "name"],
        ["1", "a;b"],
        ["2", ""],
        ["3", 'x"y'],
    ]


def test_files_are_of_a_size_and_the_rows_of_one_time(db: Db, runtime: InProcess, tmp_path: Path) -> None:
    db.execute("CREATE TABLE t (id int, pad text)")
    db.execute("INSERT INTO t SELECT i, md5(i::text) || md5((i + 1)::text) FROM generate_series(1, 60000) i")
    for format_, more in (("CSV", ", HEADER"), ("PARQUET", "")):
        place = tmp_path / format_
        db.execute(f"COPY t TO '{place}' WITH (FORMAT {format_}, MAX FILE SIZE = '1MB'{more})".encode())
        manifest = json.loads((place / "_SUCCESS").read_text())
        assert manifest["rows"] == sum(file["rows"] for file in manifest["files"]) == 60_000
        assert [file["name"] for file in manifest["files"]] == names(place)[1:]
    assert len(names(tmp_path / "CSV")) > 3
    read = duckdb.sql(f"SELECT count(*), count(DISTINCT id), sum(id) FROM read_csv('{tmp_path}/CSV/*.csv')")
    assert read.fetchall() == [(60_000, 60_000, sum(range(60_001)))]
    before = rows(db, "SELECT mz_now()::text")[0][0]
    db.execute("DELETE FROM t WHERE id > 10")
    db.execute(f"COPY (SELECT * FROM t AS OF {before}) TO '{tmp_path}/was' WITH (FORMAT PARQUET)".encode())
    assert pq.read_table(tmp_path / "was", columns=["id"]).num_rows == 60_000


def test_nothing_is_a_file_with_columns(db: Db, tmp_path: Path) -> None:
    place = tmp_path / "none"
    done = db.execute(f"COPY (SELECT 1 AS a WHERE false) TO '{place}' WITH (FORMAT PARQUET)".encode())
    assert done.statusmessage == "COPY 0"
    assert pq.read_table(place).schema.names == ["a"]


def test_to_s3_and_back(db: Db, s3: S3Server) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    db.execute(
        "CREATE MATERIALIZED VIEW v AS SELECT i AS id, i::text AS name FROM generate_series(1, 5000) i"
    )
    to = f"TO 's3://{bucket}/out/v/' WITH (FORMAT PARQUET, AWS CONNECTION = c)"
    assert db.execute(f"COPY v {to}".encode()).statusmessage == "COPY 5000"
    assert s3.names(bucket) == ["out/v/_SUCCESS", "out/v/part-00000.parquet"]
    with pytest.raises(errors.DuplicateFile, match="is not empty"):
        db.execute(f"COPY v {to}".encode())
    assert s3.names(bucket) == ["out/v/_SUCCESS", "out/v/part-00000.parquet"]
    db.execute(
        f"CREATE SOURCE back (id int, name text) FROM S3 CONNECTION c (URI 's3://{bucket}/out') FORMAT PARQUET".encode()
    )
    shows(db, "SELECT count(*), sum(id), max(name) FROM back", [(5000, 12_502_500, "999")])


@pytest.mark.parametrize("fault", ["unavailable", "lost_request", "lost_reply", "cut"])
def test_faults_of_s3_that_pass(db: Db, s3: S3Server, fault: str) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    s3.fail(*[fault, None, None] * 6)
    try:
        to = f"TO 's3://{bucket}/out' WITH (FORMAT CSV, AWS CONNECTION = c)"
        assert db.execute(f"COPY (SELECT 1 AS a) {to}".encode()).statusmessage == "COPY 1"
    finally:
        s3.fail()
    assert s3.names(bucket) == ["out/_SUCCESS", "out/part-00000.csv"]
    assert s3.read(bucket, "out/part-00000.csv") == b"1\n"


def test_a_place_that_is_taken(db: Db, tmp_path: Path) -> None:
    place = tmp_path / "out"
    place.mkdir()
    (place / "other").touch()
    copy = f"COPY (SELECT 1 AS a) TO '{place}' WITH (FORMAT CSV)".encode()
    with pytest.raises(errors.DuplicateFile) as refused:
        db.execute(copy)
    assert refused.value.diag.message_detail == 'It has "other".'
    assert names(place) == ["other"]
    (place / "other").rename(place / "INCOMPLETE")
    with pytest.raises(errors.DuplicateFile) as refused:
        db.execute(copy)
    assert refused.value.diag.message_detail == "An export is under way there, or was cut off."
    assert names(place) == ["INCOMPLETE"]


def test_a_failing_query_leaves_nothing(db: Db, s3: S3Server, tmp_path: Path) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    db.execute("CREATE TABLE t (i int)")
    db.execute("INSERT INTO t SELECT generate_series(-50000, 50000)")
    query = "(SELECT date '2024-01-01' + 1 / i, repeat(i::text, 20) FROM t ORDER BY i)"
    for to in (
        f"'{tmp_path}/out' WITH (FORMAT CSV)",
        f"'s3://{bucket}/out' WITH (FORMAT CSV, AWS CONNECTION = c)",
    ):
        with pytest.raises(errors.DivisionByZero):
            db.execute(f"COPY {query} TO {to}".encode())
    with pytest.raises(errors.DatetimeFieldOverflow):
        db.execute(f"COPY (SELECT 'infinity'::date AS d) TO '{tmp_path}/out' WITH (FORMAT PARQUET)".encode())
    assert names(tmp_path) == []
    assert s3.names(bucket) == []


def test_cancel_leaves_nothing(
    db: Db, runtime: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    publish: Callable[..., None] = directory.DirectoryPlace.publish

    def held(*arguments: Any) -> None:
        publish(*arguments)
        begun.set()
        go_on.wait(30)

    monkeypatch.setattr(directory.DirectoryPlace, "publish", held)
    place = tmp_path / "out"
    failed: list[BaseException] = []
    db.execute("CREATE TABLE t (id int, pad text)")
    db.execute("INSERT INTO t SELECT i, repeat(i::text, 30) FROM generate_series(1, 30000) i")
    copy = f"COPY t TO '{place}' WITH (FORMAT CSV, MAX FILE SIZE = '1MB')"

    def run() -> None:
        try:
            db.execute(copy.encode())
        except psycopg.Error as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert begun.wait(30)
    assert names(place) == ["INCOMPLETE", "part-00000.csv"]
    db.cancel_safe()
    go_on.set()
    thread.join(60)
    assert [type(error) for error in failed] == [errors.QueryCanceled]
    eventually(lambda: not place.exists())
    monkeypatch.undo()
    assert db.execute(copy.encode()).statusmessage == "COPY 30000"


@pytest.mark.parametrize(
    ("copy", "sqlstate", "message"),
    [
        ("(SELECT 1) TO '/tmp/x'", "0A000", "COPY to files in FORMAT TEXT is not supported"),
        ("(SELECT 1) TO 'x' WITH (FORMAT CSV)", "42602", "relative path not allowed for COPY to files"),
        ("(SELECT 1) TO 's3://bbb/x' WITH (FORMAT CSV)", "42601", "COPY to S3 needs a connection"),
        ("(SELECT 1) TO '/tmp/x' WITH (FORMAT CSV, AWS CONNECTION = c)", "22023", '"/tmp/x" is a directory, which takes no AWS CONNECTION'),
        ("(SELECT 1) TO 'gs://b/x' WITH (FORMAT CSV, AWS CONNECTION = c)", "22023", '"gs://b/x" is not a place in S3'),
        ("(SELECT 1) TO '/tmp/x' WITH (FORMAT CSV, MAX FILE SIZE = '1kB')", "22023", 'MAX FILE SIZE "1kB" is not supported'),
        ("(SELECT 1 AS a, 2 AS a) TO '/tmp/x' WITH (FORMAT PARQUET)", "42701", 'column name "a" appears more than once'),
        ("(SUBSCRIBE (SELECT 1)) TO '/tmp/x' WITH (FORMAT CSV)", "0A000", "COPY of a subscription to files is not supported"),
        ("(SELECT 1) TO '/tmp/x' WITH (FORMAT CSV, FORMAT CSV)", "42601", "conflicting or redundant options"),
    ],
)  # fmt: skip
def test_refused(db: Db, s3: S3Server, copy: str, sqlstate: str, message: str) -> None:
    connect(db, s3)
    with pytest.raises(psycopg.Error) as refused:
        db.execute(f"COPY {copy}".encode())
    assert (refused.value.diag.sqlstate, refused.value.diag.message_primary) == (sqlstate, message)


@pytest.mark.parametrize(
    ("copy", "hint"),
    [
        ("(SELECT 1) TO 'x' WITH (FORMAT CSV)", "Give an absolute path on the server"),
        ("(SELECT 1) TO '/tmp/x' WITH (FORMAT JSON)", "Formats are TEXT, CSV, BINARY, PARQUET."),
    ],
)
def test_what_helps(db: Db, copy: str, hint: str) -> None:
    with pytest.raises(psycopg.Error) as refused:
        db.execute(f"COPY {copy}".encode())
    assert (refused.value.diag.message_hint or "").startswith(hint)


def test_who_may(db: Db, s3: S3Server, runtime: InProcess, schema: str, tmp_path: Path) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE ROLE exporting")
    db.execute(f"GRANT USAGE ON SCHEMA {schema} TO exporting".encode())
    db.execute("GRANT USAGE ON CLUSTER quickstart TO exporting")
    to_s3 = f"TO 's3://{bucket}/out' WITH (FORMAT CSV, AWS CONNECTION = c)"

    def may_not(copy: str, what: str) -> None:
        db.execute("SET ROLE exporting")
        with pytest.raises(errors.InsufficientPrivilege, match=what):
            db.execute(copy.encode())
        db.execute("RESET ROLE")

    may_not(f"COPY (SELECT 1) TO '{tmp_path}/x' WITH (FORMAT CSV)", "files of the server")
    may_not(f"COPY (SELECT 1) {to_s3}", "connection c")
    db.execute("GRANT USAGE ON CONNECTION c TO exporting")
    may_not(f"COPY t {to_s3}", "table t")
    db.execute("SET ROLE exporting")
    db.execute(f"COPY (SELECT 1) {to_s3}".encode())
    db.execute("RESET ROLE")
    own = runtime.directory / "state" / "x"
    with pytest.raises(errors.InvalidParameterValue, match="COPY would write to"):
        db.execute(f"COPY t TO '{own}' WITH (FORMAT CSV)".encode())
