"""DuckDB beside sources and sinks: its readers of lakes find what a sink has written, and a source what its writers have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BYTEA, DATE, FLOAT8, INT8, TEXT, TIMESTAMP, TIMESTAMPTZ, Kind, ScalarType
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef
from ptvc.storage.connections.values import Values
from ptvc.storage.lake.catalogs import open_catalog
from ptvc.storage.lake.partitions import PartitionField
from ptvc.storage.source.delta.options import DeltaSourceOptions
from ptvc.storage.source.iceberg.options import IcebergSourceOptions
from servers.duckdb_process import duckdb_rows, packages
from servers.iceberg_rest import RestCatalogServer, iceberg_rest
from servers.maven_jars import Missing

from ..sink.delta import support as delta
from ..sink.iceberg import support as iceberg
from ..source.lake.support import Reader
from .support import WRITTEN, Row, Target, shown, steps

SHOWN = 'k, v, CAST(n AS varchar), epoch_us("at"), CAST(day AS varchar), yes, CAST(tags AS varchar)'
OTHERS = "k, v, CAST(n AS varchar), f, epoch_us(moment), day"

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True, scope="module")
def _fetched() -> None:
    try:
        packages()
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("lake", ["iceberg", "delta"])
def test_duckdb_reads_what_a_sink_writes(tmp_path: Path, lake: str) -> None:
    by = (PartitionField("v"),)
    out: Target
    if lake == "iceberg":
        out = iceberg.Target(iceberg.catalog_values(tmp_path), schema=WRITTEN, partition_by=by)
    else:
        out = delta.Target(delta.place(tmp_path), schema=WRITTEN, partition_by=by)

    def read(columns: str) -> Counter[Row]:
        if isinstance(out, iceberg.Target):
            there = f"iceberg_scan('{out.table.metadata_location.removeprefix('file://')}')"
        else:
            there = f"delta_scan('{out.options.uri}')"
        return Counter(duckdb_rows(f"SELECT {columns} FROM {there}"))

    after = steps(out)
    for _ in range(2):
        wanted = next(after)
        assert read(SHOWN) == Counter(shown(row, "[a, NULL]") for row in wanted)
    wanted = next(after)
    assert read(OTHERS) == Counter(wanted)
    out.close()


READ = Schema(
    (
        Column("k", INT8),
        Column("part", TEXT),
        Column("n", ScalarType(Kind.NUMERIC, precision=10, scale=2)),
        Column("f", FLOAT8),
        Column("day", DATE),
        Column("moment", TIMESTAMP),
        Column("zoned", TIMESTAMPTZ),
        Column("bytes", BYTEA),
    )
)
EMPTY = pa.schema(
    [
        ("k", pa.int64()),
        ("part", pa.string()),
        ("n", pa.decimal128(10, 2)),
        ("f", pa.float64()),
        ("day", pa.date32()),
        ("moment", pa.timestamp("us")),
        ("zoned", pa.timestamp("us", "UTC")),
        ("bytes", pa.binary()),
    ]
).empty_table()
INSERT = (
    "INSERT INTO $t SELECT i, $part, i / 4, i / 8, DATE '2024-02-28' + i::int, "
    "TIMESTAMP '2024-02-28 01:02:03.456789', TIMESTAMPTZ '2024-02-28 01:02:03+02', ('b' || i)::blob FROM range({}, {}) r(i)"
)


def followed(source: Reader, table: str, *before: str) -> Callable[..., None]:
    """What runs statements in which `$t` is the table, and `before` them others; then the source has what DuckDB reads."""

    def run(*statements: str, part: str = "CASE WHEN i % 3 > 0 THEN 'p' || i % 3 END") -> None:
        duckdb_rows(*before, *(one.replace("$t", table).replace("$part", part) for one in statements))
        source.drain()
        wanted = duckdb_rows(
            *before,
            "SET TimeZone = 'UTC'",
            f"SELECT k, part, n, f, day, moment, zoned, bytes FROM {table}",
        )
        assert source.rows == Counter(wanted), statements

    return run


def test_a_source_follows_what_duckdb_writes_to_delta(tmp_path: Path) -> None:
    """It can add rows, to a table that another writer has made."""
    uri = delta.place(tmp_path)
    write_deltalake(uri, EMPTY)
    source = Reader(DeltaSourceOptions(uri, scan_ms=0), READ)
    run = followed(source, "t", f"ATTACH '{uri}' AS t (TYPE delta)")
    run(INSERT.format(0, 20))
    run(INSERT.format(20, 21), INSERT.format(21, 5000))
    run("BEGIN", INSERT.format(0, 3), INSERT.format(6000, 6010), "COMMIT")
    run("BEGIN", INSERT.format(7000, 7001), "ROLLBACK")
    source.ingestion.close()


def test_a_source_follows_what_duckdb_writes_to_partitions_of_delta(tmp_path: Path) -> None:
    """A statement of its writes to one of them, whose name is not to be encoded: it would put that into the log as it is on disk."""
    uri = delta.place(tmp_path)
    write_deltalake(uri, EMPTY, partition_by=["part"])
    source = Reader(DeltaSourceOptions(uri, scan_ms=0), READ)
    run = followed(source, "t", f"ATTACH '{uri}' AS t (TYPE delta)")
    for start, part in enumerate(("'p'", "'q'", "'p'")):
        run(INSERT.format(start, 20), part=part)
    source.ingestion.close()


def test_a_source_follows_what_duckdb_writes_to_iceberg(tmp_path: Path) -> None:
    """Rows that it deletes and updates it marks as gone, in files of positions."""
    with iceberg_rest(tmp_path, "let me in") as server:
        values = rest_values(server)
        catalog = open_catalog(values, None, monotonic() + 10)
        catalog.create_namespace("n")
        catalog.create_table(("n", "t"), EMPTY.schema, properties={"format-version": "2"})
        source = Reader(IcebergSourceOptions("c", "n", "t", scan_ms=0), READ, {"c": values})
        run = followed(
            source,
            "c.n.t",
            "CREATE SECRET s (TYPE iceberg, TOKEN 'let me in')",
            f"ATTACH '{server.warehouse}' AS c (TYPE iceberg, SECRET s, ENDPOINT '{server.url}')",
        )
        run(INSERT.format(0, 20))
        run("DELETE FROM $t WHERE k IN (3, 4)")
        assert source.updates[-1] == 2
        run("UPDATE $t SET part = 'u', n = NULL WHERE k IN (5, 6)")
        assert source.updates[-1] == 4
        run(INSERT.format(20, 5000))
        commits = len(source.updates)
        run(
            "BEGIN",
            INSERT.format(6000, 6010),
            "DELETE FROM $t WHERE k % 7 = 0 AND k < 6000",
            INSERT.format(0, 1),
            "COMMIT",
        )
        assert len(source.updates) == commits + 1
        run("BEGIN", "DELETE FROM $t", "ROLLBACK")
        run("DELETE FROM $t WHERE k > 50")
        again = Reader(IcebergSourceOptions("c", "n", "t", scan_ms=0), READ, {"c": values})
        again.drain()
        assert again.rows == source.rows
        for one in (source, again):
            one.ingestion.close()
        catalog.close()


def rest_values(server: RestCatalogServer) -> Values:
    given = {
        "CATALOG TYPE": "rest",
        "URL": server.url,
        "WAREHOUSE": server.warehouse,
        "TOKEN": SecretRef("s"),
    }
    return Values(ConnectionOptions(ConnectionKind.ICEBERG_CATALOG, given), {"s": b"let me in"})
