"""Sources over lakes whose files are in S3, and over a catalog of REST."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pyarrow as pa
from deltalake import write_deltalake
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef
from ptvc.storage.connections.values import Values
from ptvc.storage.lake.catalogs import open_catalog
from ptvc.storage.lake.delta import storage_options
from ptvc.storage.source.delta.options import DeltaSourceOptions
from ptvc.storage.source.iceberg.options import IcebergSourceOptions
from servers.iceberg_rest import iceberg_rest
from servers.s3_server import S3Server

from ...sink.lake.test_s3 import aws
from .support import Reader

SCHEMA = Schema((Column("k", INT8), Column("v", TEXT)))
FIRST = pa.table({"k": [1, 2], "v": ["a", "b"]})
SECOND = pa.table({"k": [3], "v": ["c"]})
BOTH = {(1, "a"): 1, (2, "b"): 1, (3, "c"): 1}


def test_delta(s3: S3Server) -> None:
    uri, keys = f"s3://{s3.bucket()}/lake/t", storage_options(aws(s3))
    options = DeltaSourceOptions(uri, "c", scan_ms=0)
    source = Reader(options, SCHEMA, {"c": aws(s3)})
    assert f'table "{uri}" is not there' in source.stalled()
    write_deltalake(uri, FIRST, storage_options=keys)
    source.drain()
    write_deltalake(uri, SECOND, mode="append", storage_options=keys)
    source.drain()
    assert source.rows == BOTH
    assert source.updates == [2, 1]
    wrong = Values(
        ConnectionOptions(ConnectionKind.AWS, {**aws(s3).options.values, "ENDPOINT": "http://127.0.0.1:1"}),
        aws(s3).secrets,
    )
    unreachable = Reader(options, SCHEMA, {"c": wrong})
    assert "127.0.0.1" in unreachable.stalled()


def test_iceberg(s3: S3Server, tmp_path: Path) -> None:
    given = {
        "CATALOG TYPE": "sql",
        "URL": f"sqlite:///{tmp_path}/catalog.db",
        "WAREHOUSE": f"s3://{s3.bucket()}/lake",
    }
    values = Values(ConnectionOptions(ConnectionKind.ICEBERG_CATALOG, dict(given)), {})
    options = IcebergSourceOptions("c", "n", "t", files="a", scan_ms=0)
    source = Reader(options, SCHEMA, {"c": values, "a": aws(s3)})
    catalog = open_catalog(values, aws(s3), monotonic() + 10)
    catalog.create_namespace("n")
    table = catalog.create_table(("n", "t"), FIRST.schema)
    table.append(FIRST)
    source.drain()
    table.append(SECOND)
    source.drain()
    assert source.rows == BOTH
    assert source.updates == [2, 1]
    source.ingestion.close()
    catalog.close()


def test_iceberg_by_rest(tmp_path: Path) -> None:
    with iceberg_rest(tmp_path, "let me in") as server:
        given = {
            "CATALOG TYPE": "rest",
            "URL": server.url,
            "WAREHOUSE": server.warehouse,
            "TOKEN": SecretRef("s"),
        }

        def values(token: bytes) -> Values:
            return Values(ConnectionOptions(ConnectionKind.ICEBERG_CATALOG, dict(given)), {"s": token})

        options = IcebergSourceOptions("c", "n", "t", scan_ms=0)
        catalog = open_catalog(values(b"let me in"), None, monotonic() + 10)
        catalog.create_namespace("n")
        table = catalog.create_table(("n", "t"), FIRST.schema)
        table.append(FIRST)
        source = Reader(options, SCHEMA, {"c": values(b"let me in")})
        source.drain()
        table.append(SECOND)
        source.drain()
        assert source.rows == BOTH
        source.ingestion.close()
        refused = Reader(options, SCHEMA, {"c": values(b"wrong secret")})
        reason = refused.stalled()
        assert "authentication failed" in reason
        assert "wrong secret" not in reason
        catalog.close()
