"""S3 sources of a whole runtime: objects of a real server become rows, once, whatever comes in between."""

from __future__ import annotations

import bz2
import gzip
import io
import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import fastavro
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors
from servers.s3_server import S3Server

from ..kafka.sources import shows, stalled, statistics, status

Db = psycopg.Connection[tuple[Any, ...]]


def connect(db: Db, s3: S3Server) -> None:
    db.execute("CREATE SECRET IF NOT EXISTS s3_key AS 'testing-secret'")
    options = f"ENDPOINT '{s3.endpoint}', ACCESS KEY ID 'testing', SECRET ACCESS KEY SECRET s3_key"
    db.execute(f"CREATE CONNECTION c TO AWS ({options})".encode())


def create(db: Db, bucket: str, columns: str, rest: str, *, name: str = "s", more: str = "") -> None:
    place = f"URI 's3://{bucket}/in/', SCAN INTERVAL '100ms'{more}"
    db.execute(f"CREATE SOURCE {name} ({columns}) FROM S3 CONNECTION c ({place}) {rest}".encode())


def lines(ids: Iterable[int]) -> bytes:
    return b"".join(json.dumps({"id": i, "name": f"n{i}"}).encode() + b"\n" for i in ids)


def parquet(ids: Iterable[int], **more: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"id": pa.array(ids, pa.int64())}), out, **more)
    return out.getvalue()


def avro(ids: Iterable[int]) -> bytes:
    out = io.BytesIO()
    fields = [{"name": "name", "type": ["null", "string"]}, {"name": "id", "type": "int"}]
    rows = [{"id": i, "name": f"n{i}" if i % 2 else "a\0"} for i in ids]
    fastavro.writer(out, {"type": "record", "name": "r", "fields": fields}, rows, "deflate", 200)
    return out.getvalue()


def test_objects_of_all_formats_become_rows(db: Db, s3: S3Server) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    s3.write(bucket, "in/a.jsonl", lines(range(10)))
    s3.write(bucket, "in/deep/er/b.jsonl", lines(range(10, 20)).rstrip(b"\n"))
    s3.write(bucket, "in/_SUCCESS", b"{")
    s3.write(bucket, "in/_temporary/x.jsonl", b"{")
    s3.write(bucket, "input/x.jsonl", b"{")
    s3.write(bucket, "in/empty.jsonl", b"")
    s3.write(bucket, "in/a.csv", b'\xef\xbb\xbfname;id\r\n"x;y";1\r\n;2')
    s3.write(bucket, "in/b.csv", b"id;name\n3;z\n")
    s3.write(bucket, "in/p.parquet", parquet(range(1000), row_group_size=100))
    create(db, bucket, "id int NOT NULL, name text", "FORMAT JSON", more=", PATTERN '*.jsonl'")
    csv = "FORMAT CSV WITH (DELIMITER ';')"
    create(db, bucket, "id int, name text", csv, name="t", more=", PATTERN '*.csv'")
    create(db, bucket, "id bigint", "FORMAT PARQUET", name="p", more=", PATTERN '*.parquet'")
    shows(db, "SELECT id, name FROM s", [(i, f"n{i}") for i in range(20)])
    shows(db, "SELECT id, name FROM t", [(1, "x;y"), (2, None), (3, "z")])
    shows(db, "SELECT count(*), sum(id) FROM p", [(1000, 499_500)])
    s3.write(bucket, "in/0.jsonl", lines([100]))
    s3.write(bucket, "in/z.jsonl", lines([101]))
    shows(db, "SELECT count(*), max(id) FROM s", [(22, 101)])
    assert status(db) == ("running", None)
    wanted = "records, offset_known, offset_committed, lag_bytes, snapshot_committed"
    eventually(lambda: statistics(db, wanted) == (22, 4, 4, 0, True))


def test_records_of_avro_and_their_dead_letters(db: Db, s3: S3Server) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    s3.write(bucket, "in/a.avro", avro(range(100)))
    columns, rest = "id bigint NOT NULL, name text", "FORMAT AVRO WITH (ON ERROR = DEAD LETTER)"
    create(db, bucket, columns, rest)
    create(db, bucket, "id bigint, none text", "FORMAT AVRO", name="t")
    shows(db, "SELECT count(*), sum(id), max(name) FROM s", [(50, 2500, "n99")])
    shows(db, "SELECT count(*), sum(id), max(none) FROM t", [(100, 4950, None)])
    ((letters, line, reason),) = rows(
        db, "SELECT count(*), max(line), max(reason) FILTER (WHERE line = 1) FROM s_dead_letters"
    )
    assert (letters, line) == (50, 99)
    assert reason == (
        'source "s", file "in/a.avro", line 1: column "name": invalid byte sequence for encoding "UTF8": 0x00'
    )
    repaired = r"overlay(payload placing '\x78' from 4)"
    db.execute(f"ALTER SOURCE s REPLAY DEAD LETTERS SET payload = {repaired}".encode())
    shows(db, "SELECT count(*), sum(id), max(name) FROM s", [(100, 4950, "n99")])
    assert rows(db, "SELECT count(*) FROM s_dead_letters") == [(0,)]
    (shown,) = rows(db, "SHOW CREATE SOURCE s")
    assert "FORMAT AVRO" in shown[1]
    db.execute("DROP SOURCE s, t CASCADE")
    s3.write(bucket, "in/b.avro", avro([])[:-3])
    create(db, bucket, columns, rest)
    reason = 'file "in/b.avro" cannot be read as Avro at byte 0: the object ends within what begins there'
    eventually(lambda: status(db)[0] == "stalled" and status(db)[1].startswith(reason))


def test_what_is_not_wanted_of_objects_is_not_stored(db: Db, s3: S3Server) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    s3.write(bucket, "in/a.jsonl", lines(range(20)))
    kept = "WHERE (id % 5 = 0) WITH (EXCLUDE COLUMNS (id))"
    create(db, bucket, "id int, name text", f"FORMAT JSON ENVELOPE NONE {kept}")
    create(db, bucket, "id int, name text", "FORMAT JSON KEY (name) ENVELOPE UPSERT " + kept, name="t")
    for name in "st":
        shows(db, f"SELECT * FROM {name}", [(f"n{i}",) for i in range(0, 20, 5)])
        (shown,) = rows(db, f"SHOW CREATE SOURCE {name}")
        assert shown[1].endswith(kept)
    db.execute("ALTER SOURCE s ADD WHERE (name <> 'n5')")
    s3.write(bucket, "in/b.jsonl", lines([5, 25, 26]))
    shows(db, "SELECT * FROM s", [("n0",), ("n10",), ("n15",), ("n25",)])


@pytest.mark.parametrize(
    "packed", [gzip.compress, bz2.compress, lambda data: pa.compress(data, "zstd", asbytes=True)]
)
def test_compressed_objects(db: Db, s3: S3Server, packed: Any) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    s3.write(bucket, "in/a", packed(b"id,name\n1,x\n") + packed(b"2,y\n"))
    s3.write(bucket, "in/b", packed(b"id,name\n"))
    s3.write(bucket, "in/c", b"name,id\nz,3")
    create(db, bucket, "id int, name text", "FORMAT CSV")
    shows(db, "SELECT id, name FROM s", [(1, "x"), (2, "y"), (3, "z")])


def test_upsert_follows_keys_through_the_end_of_its_replica(db: Db, s3: S3Server, runtime: InProcess) -> None:
    """Errors that have keys, and the objects that were read, are recorded in one place."""
    connect(db, s3)
    bucket = s3.bucket()
    s3.write(bucket, "in/1", b'{"id": 1, "n": 10}\n{"id": 2, "n": 20}\n{"id": 3, "n": "x"}')
    create(db, bucket, "id int, n int", "FORMAT JSON KEY (id) ENVELOPE UPSERT")
    failed = [('source "s", file "in/1", line 3: column "n": invalid input syntax for type integer: "x"',)]
    shows(db, "SELECT * FROM s", failed)
    s3.write(bucket, "in/0", b'{"id": 2}\n{"id": 1, "n": 11}\n')
    eventually(lambda: statistics(db, "offset_committed") == (2,))
    shows(db, "SELECT * FROM s", failed)
    runtime.kill_replica()
    s3.write(bucket, "in/4", b'{"id": 3, "n": 30}\n')
    shows(db, "SELECT * FROM s", [(1, 11), (3, 30)], 60)


def test_dead_letters_and_their_replay(db: Db, s3: S3Server) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    s3.write(bucket, "in/a.csv", b"id,name\n1,x\nzwei,y\n3,z")
    s3.write(bucket, "in/b.csv", b"name,id\nu,vier\n")
    create(db, bucket, "id int, name text", "FORMAT CSV WITH (ON ERROR = DEAD LETTER)")
    shows(db, "SELECT id, name FROM s", [(1, "x"), (3, "z")])
    found = rows(db, "SELECT file, line, payload FROM s_dead_letters ORDER BY file")
    assert found == [("in/a.csv", 3, b"zwei,y"), ("in/b.csv", 2, b"u,vier")]
    repaired = "replace(replace(convert_from(payload, 'UTF8'), 'zwei', '2'), 'vier', '4')"
    db.execute(f"ALTER SOURCE s REPLAY DEAD LETTERS SET payload = convert_to({repaired}, 'UTF8')".encode())
    shows(db, "SELECT id, name FROM s", [(1, "x"), (2, "y"), (3, "z"), (4, "u")])
    assert rows(db, "SELECT count(*) FROM s_dead_letters") == [(0,)]


def test_what_has_changed_or_vanished_stalls_and_goes_on(db: Db, s3: S3Server) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    s3.write(bucket, "in/a", lines([1]))
    create(db, bucket, "id int", "FORMAT JSON")
    shows(db, "SELECT id FROM s", [(1,)])
    s3.write(bucket, "in/a", lines([2]))
    s3.write(bucket, "in/b", lines([3]))
    assert 'object "in/a" has changed' in stalled(db)
    assert rows(db, "SELECT id FROM s") == [(1,)]
    s3.write(bucket, "in/a", lines([1]))
    shows(db, "SELECT id FROM s", [(1,), (3,)])
    eventually(lambda: status(db) == ("running", None))
    s3.delete(bucket, "in/a")
    assert 'object "in/a" has vanished' in stalled(db)
    s3.write(bucket, "in/c", lines([4]))
    s3.write(bucket, "in/a", lines([1]))
    shows(db, "SELECT id FROM s", [(1,), (3,), (4,)])


def test_an_object_that_cannot_be_asked_for_is_named(db: Db, s3: S3Server) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    s3.write(bucket, "in/a", lines([1]))
    s3.write(bucket, "in/b/", lines([2]))
    create(db, bucket, "id int", "FORMAT JSON")
    shows(db, "SELECT id FROM s", [(1,)])
    status = "SELECT status, error FROM mz_internal.mz_source_statuses WHERE name = 's'"
    shows(db, status, [("running", 'object "in/b/" is left out, as its key has a slash at its end')])


def test_objects_that_are_deleted_may_be_ignored(db: Db, s3: S3Server, runtime: InProcess) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    s3.write(bucket, "in/a", lines([1]))
    create(db, bucket, "id int", "FORMAT JSON", more=", ON DELETE = 'IGNORE'")
    shows(db, "SELECT id FROM s", [(1,)])
    s3.delete(bucket, "in/a")
    s3.write(bucket, "in/b", lines([2]))
    shows(db, "SELECT id FROM s", [(1,), (2,)])
    runtime.kill_replica()
    s3.write(bucket, "in/a", lines([1]))  # as it was: it is the same object
    s3.write(bucket, "in/c", lines([3]))
    shows(db, "SELECT id FROM s", [(1,), (2,), (3,)], 60)
    assert "ON DELETE = IGNORE" in rows(db, "SHOW CREATE SOURCE s")[0][1]


@pytest.mark.parametrize(
    ("format", "data", "wanted"),
    [
        ("PARQUET", b"no parquet", 'object "in/a" is not a parquet file'),
        ("PARQUET", parquet([1]).replace(b"id", b"ix"), 'file "in/a" has no column "id"'),
        ("CSV", b"ix\n1\n", 'file "in/a": the CSV header has no column "id"'),
        ("CSV", gzip.compress(b"id\n" + Random(1).randbytes(1000))[:-300], "cannot be decompressed"),
        ("JSON", b"PK\x03\x04....", 'object "in/a" is compressed by zip, which is not supported'),
    ],
)
def test_wrong_objects_stall(db: Db, s3: S3Server, format: str, data: bytes, wanted: str) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    s3.write(bucket, "in/a", data)
    create(db, bucket, "id bigint", f"FORMAT {format}")
    assert wanted in stalled(db)
    s3.delete(bucket, "in/a")
    eventually(lambda: status(db) == ("running", None))


def test_a_bucket_that_is_not_there(db: Db, s3: S3Server) -> None:
    connect(db, s3)
    create(db, "no-such-bucket", "id int", "FORMAT JSON")
    assert "cannot list s3://no-such-bucket/in/: there is no such bucket" in stalled(db)


def test_show_create_makes_the_same_again(db: Db, s3: S3Server, schema: str) -> None:
    connect(db, s3)
    bucket = s3.bucket()
    s3.write(bucket, "in/a'b", b"1|2\n")
    create(
        db, bucket, "id int, v text", "FORMAT CSV WITH (DELIMITER '|', HEADER false)", more=", PATTERN 'a''*'"
    )
    shows(db, "SELECT * FROM s", [(1, "2")])
    (shown,) = rows(db, "SHOW CREATE SOURCE s")
    assert (
        f"FROM S3 CONNECTION {schema}.c (URI = 's3://{bucket}/in/', PATTERN = 'a''*', SCAN INTERVAL = '100ms') FORMAT CSV"
        in shown[1]
    )
    with pytest.raises(errors.DependentObjectsStillExist):
        db.execute("DROP CONNECTION c")
    db.execute("DROP SOURCE s")
    db.execute(shown[1].encode())
    shows(db, "SELECT * FROM s", [(1, "2")])
    assert rows(db, "SHOW CREATE SOURCE s") == [shown]


@pytest.mark.parametrize(
    ("statement", "sqlstate", "message"),
    [
        ("CREATE SOURCE x (a int) FROM S3 CONNECTION c (PATTERN '*') FORMAT CSV", "42601", "option URI must be given"),
        ("CREATE SOURCE x (a int) FROM S3 CONNECTION c (URI 'http://b/p') FORMAT CSV", "22023", '"http://b/p" is not a place in S3'),
        ("CREATE SOURCE x (a int) FROM S3 CONNECTION c (URI 's3://bbb/a/../b') FORMAT CSV", "22023", '"s3://bbb/a/../b" is not a place in S3'),
        ("CREATE SOURCE x (a int) FROM S3 CONNECTION c (URI 's3://bbb/', SCAN INTERVAL '1ms') FORMAT CSV", "22023", "SCAN INTERVAL must be between 100 ms and a day"),
        ("CREATE SOURCE x (a int) FROM S3 CONNECTION c (URI 's3://bbb/', ON DELETE = REPLACE) FORMAT CSV", "22023", "ON DELETE must be IGNORE or STALL"),
        ("CREATE SOURCE x (a int) FROM S3 CONNECTION nope (URI 's3://bbb/') FORMAT CSV", "42704", 'connection "nope" does not exist'),
        ("CREATE SOURCE x FROM S3 CONNECTION c (URI 's3://bbb/') FORMAT CSV", "0A000", "CREATE SOURCE ... FROM S3 needs a list of columns"),
        ("CREATE SOURCE x (a int) FROM S3 CONNECTION c (URI 's3://bbb/') FORMAT ORC", "0A000", "FORMAT ORC is not supported here"),
        ("CREATE SOURCE x (a int) FROM S3 CONNECTION c (URI 's3://bbb/') FORMAT PARQUET WITH (ON ERROR = DEAD LETTER)", "0A000", "ON ERROR = DEAD LETTER of FORMAT PARQUET is not supported: a row of such a file has no bytes of its own"),
    ],
)  # fmt: skip
def test_refused(db: Db, s3: S3Server, statement: str, sqlstate: str, message: str) -> None:
    connect(db, s3)
    with pytest.raises(psycopg.Error) as refused:
        db.execute(statement.encode())
    assert (refused.value.diag.sqlstate, refused.value.diag.message_primary) == (sqlstate, message)


def test_it_takes_usage_of_the_connection(db: Db, s3: S3Server, runtime: InProcess, schema: str) -> None:
    connect(db, s3)
    db.execute("CREATE ROLE reader_of_objects")
    db.execute(f"GRANT CREATE, USAGE ON SCHEMA {schema} TO reader_of_objects".encode())
    db.execute("GRANT CREATE, USAGE ON CLUSTER quickstart TO reader_of_objects")
    bucket = s3.bucket()
    db.execute("SET ROLE reader_of_objects")
    with pytest.raises(errors.InsufficientPrivilege):
        create(db, bucket, "id int", "FORMAT JSON")
    db.execute("RESET ROLE")
    db.execute("GRANT USAGE ON CONNECTION c TO reader_of_objects")
    db.execute("SET ROLE reader_of_objects")
    create(db, bucket, "id int", "FORMAT JSON")
    db.execute("RESET ROLE")
    db.execute("DROP SOURCE s")


def test_compressed_files_of_a_directory(db: Db, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,name\n1,x\n")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"name,id\ny,2\nz,drei"))
    db.execute(
        f"CREATE SOURCE s (id int, name text) FROM FILE '{tmp_path}' FORMAT CSV WITH (ON ERROR = DEAD LETTER)".encode()
    )
    shows(db, "SELECT id, name FROM s", [(1, "x"), (2, "y")])
    with (tmp_path / "a.csv").open("ab") as file:
        file.write(b"4,v\n")
    shows(db, "SELECT id, name FROM s", [(1, "x"), (2, "y"), (4, "v")])
    repaired = "replace(convert_from(payload, 'UTF8'), 'drei', '3')"
    db.execute(f"ALTER SOURCE s REPLAY DEAD LETTERS SET payload = convert_to({repaired}, 'UTF8')".encode())
    shows(db, "SELECT id, name FROM s", [(1, "x"), (2, "y"), (3, "z"), (4, "v")])
