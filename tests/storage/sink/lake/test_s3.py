"""Sinks into lakes whose files are in S3."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import monotonic

from deltalake import DeltaTable
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef
from ptvc.storage.connections.values import Values
from ptvc.storage.lake.catalogs import open_catalog
from ptvc.storage.lake.delta import storage_options
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.delta.options import DeltaSinkOptions
from ptvc.storage.sink.delta.sink import DeltaSink
from ptvc.storage.sink.iceberg.options import IcebergSinkOptions
from ptvc.storage.sink.iceberg.sink import IcebergSink
from ptvc.storage.sink.lake.intervals import IntervalSink
from servers.s3_server import CREDENTIALS, S3Server

from ..kafka.support import SCHEMA, Change, between, contents, history

FIRST, TIMES = 1_000, 8


def aws(s3: S3Server) -> Values:
    given = {
        "ENDPOINT": s3.endpoint,
        "ACCESS KEY ID": CREDENTIALS["AWS_ACCESS_KEY_ID"],
        "SECRET ACCESS KEY": SecretRef("u1"),
    }
    secrets = {"u1": CREDENTIALS["AWS_SECRET_ACCESS_KEY"].encode()}
    return Values(ConnectionOptions(ConnectionKind.AWS, given), secrets)


def written(sink: IntervalSink, changes: list[Change], lower: int, upper: int) -> None:
    for time in range(max(lower, FIRST), upper):
        sink.write(between(changes, sink.upper, time + 1), sink.upper, time + 1)


def test_iceberg(s3: S3Server, tmp_path: Path) -> None:
    changes = history(Random(1), FIRST, TIMES, 30, 10)
    given = {
        "CATALOG TYPE": "sql",
        "URL": f"sqlite:///{tmp_path}/catalog.db",
        "WAREHOUSE": f"s3://{s3.bucket()}/lake",
    }
    catalog = Values(ConnectionOptions(ConnectionKind.ICEBERG_CATALOG, given), {})
    options = IcebergSinkOptions("c1", "n", "out", files="c2", commit_interval_ms=1, identity="u1")
    for term, upper in enumerate((FIRST + 4, FIRST + TIMES)):
        sink = IcebergSink(options, SCHEMA, SinkEnvelope.UPSERT, (0,), 0, FIRST, catalog, aws(s3), term=term)
        written(sink, changes, sink.open(), upper)
        sink.close()
    reader = open_catalog(catalog, aws(s3), monotonic() + 10)
    rows = reader.load_table(("n", "out")).scan().to_arrow().to_pylist()
    reader.close()
    wanted = sorted(contents(changes, FIRST + TIMES).elements(), key=repr)
    assert sorted(((row["k"], row["v"]) for row in rows), key=repr) == wanted


def test_delta(s3: S3Server) -> None:
    changes = history(Random(2), FIRST, TIMES, 30, 10)
    options = DeltaSinkOptions(f"s3://{s3.bucket()}/lake/out", "c2", commit_interval_ms=1, identity="u1")
    for term, upper in enumerate((FIRST + 4, FIRST + TIMES)):
        sink = DeltaSink(options, SCHEMA, SinkEnvelope.UPSERT, (0,), 0, FIRST, aws(s3), term=term)
        written(sink, changes, sink.open(), upper)
        sink.close()
    rows = DeltaTable(options.uri, storage_options=storage_options(aws(s3))).to_pyarrow_table().to_pylist()
    wanted = sorted(contents(changes, FIRST + TIMES).elements(), key=repr)
    assert sorted(((row["k"], row["v"]) for row in rows), key=repr) == wanted
