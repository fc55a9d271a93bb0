"""Spark beside sources and sinks: these read what Spark has written, and Spark reads what those have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT
from ptvc.storage.lake.partitions import PartitionField
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.source.delta.options import DeltaSourceOptions
from ptvc.storage.source.iceberg.options import IcebergSourceOptions
from servers.maven_jars import Missing
from servers.spark_lakes import CATALOG, SparkLakes, spark_lakes

from ..sink.delta import support as delta
from ..sink.iceberg import support as iceberg
from ..source.lake.support import Reader
from .support import WRITTEN, Row, Target, batch, shown, steps, written

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

READ = Schema((Column("id", INT8), Column("v", TEXT), Column("part", TEXT)))


@dataclass(frozen=True, slots=True)
class Lakes:
    spark: SparkLakes
    directory: Path


@pytest.fixture(scope="module")
def lakes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lakes]:
    directory = tmp_path_factory.mktemp("lakes")
    with iceberg.opened(iceberg.catalog_values(directory)) as catalog:
        catalog.create_namespace("n")
    with ExitStack() as stack:
        try:
            spark = stack.enter_context(spark_lakes(directory))
        except Missing as missing:
            pytest.skip(str(missing))
        yield Lakes(spark, directory)


class Followed:
    """A table that Spark writes to, and a source over it."""

    def __init__(self, spark: SparkLakes, table: str, source: Reader) -> None:
        self.spark, self.table, self.source = spark, table, source

    def run(self, *statements: str, columns: str = "id, v, part") -> None:
        """`$t` in them is the table.  Afterwards the source has what Spark reads."""
        for statement in statements:
            self.spark.sql(statement.replace("$t", self.table))
        self.source.drain()
        found = self.spark.sql(f"SELECT {columns} FROM {self.table}")
        assert self.source.rows == Counter(tuple(row.values()) for row in found), statements
        assert found

    @property
    def updates(self) -> int:
        """Of the last commit."""
        return self.source.updates[-1]


@pytest.fixture
def delta_table(lakes: Lakes, tmp_path: Path) -> Iterator[Callable[..., Followed]]:
    with ExitStack() as stack:

        def made(properties: str = "", columns: str = "id bigint, v string, part string") -> Followed:
            path = tmp_path / "t"
            lakes.spark.sql(
                f"CREATE TABLE delta.`{path}` ({columns}) USING delta PARTITIONED BY (part) "
                f"TBLPROPERTIES ('delta.enableDeletionVectors' = 'false'{properties})"
            )
            source = Reader(DeltaSourceOptions(str(path), scan_ms=0), READ)
            stack.callback(lambda: source.ingestion.close())
            return Followed(lakes.spark, f"delta.`{path}`", source)

        yield made


@pytest.fixture
def iceberg_table(lakes: Lakes, request: pytest.FixtureRequest) -> Iterator[Callable[..., Followed]]:
    with ExitStack() as stack:

        def made(properties: str = "'format-version' = '2'") -> Followed:
            name = request.node.originalname
            lakes.spark.sql(
                f"CREATE TABLE {CATALOG}.n.{name} (id int, v string, part string) USING iceberg "
                f"PARTITIONED BY (part) TBLPROPERTIES ({properties})"
            )
            options = IcebergSourceOptions("c", "n", name, scan_ms=0)
            source = Reader(options, READ, {"c": iceberg.catalog_values(lakes.directory)})
            stack.callback(lambda: source.ingestion.close())
            return Followed(lakes.spark, f"{CATALOG}.n.{name}", source)

        yield made


CHANGES = (
    "INSERT INTO $t VALUES (1, 'a', 'x'), (2, 'b', 'y'), (3, NULL, NULL)",
    "INSERT INTO $t SELECT id + 10, concat('v', id), 'x' FROM range(20)",
    "UPDATE $t SET v = 'z' WHERE id IN (2, 12)",
    "DELETE FROM $t WHERE id IN (3, 13)",
    "MERGE INTO $t AS t USING (SELECT 1 AS id, 'm' AS v UNION ALL SELECT 99, 'n') s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v "
    "WHEN NOT MATCHED THEN INSERT (id, v, part) VALUES (s.id, s.v, 'new')",
)


def test_a_source_follows_what_spark_writes_to_delta(delta_table: Callable[..., Followed]) -> None:
    there = delta_table()
    for statement in CHANGES:
        there.run(statement)
    assert there.updates == 3  # of the MERGE: a row that is another one now, and a new one
    before = len(there.source.updates)
    there.run("OPTIMIZE $t")
    assert sum(there.source.updates[before:]) == 0
    there.run("ALTER TABLE $t ADD COLUMNS (more int)", "INSERT INTO $t VALUES (50, 'more', 'y', 5)")
    there.run("RESTORE TABLE $t TO VERSION AS OF 4")
    there.run("VACUUM $t RETAIN 0 HOURS")
    there.run("ALTER TABLE $t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    there.run("INSERT INTO $t (id, v, part) SELECT id + 100, 'dv', 'x' FROM range(9)")
    there.run("DELETE FROM $t WHERE id IN (101, 103)")
    assert there.updates == 2
    there.run("UPDATE $t SET v = 'w' WHERE id IN (102, 104)")
    there.run("REORG TABLE $t APPLY (PURGE)")
    assert there.updates == 0


def test_a_source_follows_what_spark_writes_to_iceberg(iceberg_table: Callable[..., Followed]) -> None:
    there = iceberg_table()
    for statement in CHANGES:
        there.run(statement)
    assert there.updates == 3
    name = there.table.removeprefix(f"{CATALOG}.")
    there.run(
        f"CALL {CATALOG}.system.rewrite_data_files(table => '{name}', options => map('rewrite-all', 'true'))"
    )
    there.run("ALTER TABLE $t ALTER COLUMN id TYPE bigint", "INSERT INTO $t VALUES (5000000000, 'wide', 'y')")
    there.run("ALTER TABLE $t ADD COLUMN more int", "INSERT INTO $t VALUES (50, 'more', 'y', 5)")
    there.run(
        "ALTER TABLE $t ADD PARTITION FIELD bucket(2, id)", "INSERT INTO $t VALUES (51, 'part', 'z', 6)"
    )
    there.run("ALTER TABLE $t DROP PARTITION FIELD part", "UPDATE $t SET v = 'q' WHERE id IN (1, 51)")
    here = len(there.source.seen)
    there.run("ALTER TABLE $t CREATE BRANCH side")
    there.spark.sql(f"INSERT INTO {there.table}.branch_side VALUES (60, 'side', 'z', 7)")
    there.run()
    assert len(there.source.seen) == here
    there.run(f"CALL {CATALOG}.system.fast_forward('{name}', 'main', 'side')")
    assert there.updates == 1
    there.run(
        f"CALL {CATALOG}.system.expire_snapshots(table => '{name}', older_than => TIMESTAMP '2999-01-01 00:00:00', "
        "retain_last => 1)",
        "INSERT INTO $t VALUES (61, 'kept', 'z', 8)",
    )
    there.run(
        "ALTER TABLE $t RENAME COLUMN v TO w",
        "INSERT INTO $t VALUES (62, 'renamed', 'z', 9)",
        columns="id, w AS v, part",
    )


@pytest.mark.parametrize("version", [2, 3])
def test_rows_that_spark_marks_as_gone_in_iceberg(
    iceberg_table: Callable[..., Followed], version: int
) -> None:
    """By files of positions, and by vectors."""
    manner = ", ".join(f"'write.{kind}.mode' = 'merge-on-read'" for kind in ("delete", "update", "merge"))
    there = iceberg_table(f"'format-version' = '{version}', {manner}")
    for statement in CHANGES:
        there.run(statement)
    assert there.updates == 3
    name = there.table.removeprefix(f"{CATALOG}.")
    there.run(
        f"CALL {CATALOG}.system.rewrite_data_files(table => '{name}', options => map('rewrite-all', 'true'))"
    )
    there.run("DELETE FROM $t WHERE id = 14")
    there.spark.sql(f"DROP TABLE {there.table}")


SHOWN = "k, v, CAST(n AS string) AS n, unix_micros(`at`) AS `at`, CAST(day AS string) AS day, yes, array_join(tags, ',', '-') AS tags"
OTHERS = "k, v, CAST(n AS string) AS n, f, unix_micros(CAST(moment AS timestamp)) AS moment, day"
TAGS = "a,-"


@pytest.mark.parametrize("format_", ["iceberg", "delta"])
def test_spark_reads_what_a_sink_writes(lakes: Lakes, tmp_path: Path, format_: str) -> None:
    """Also where its columns are others later, and in partitions."""
    by = (PartitionField("v"),)
    out: Target
    if format_ == "iceberg":
        values = iceberg.catalog_values(lakes.directory)
        out, table = iceberg.Target(values, schema=WRITTEN, partition_by=by), f"{CATALOG}.n.out"
    else:
        out = delta.Target(delta.place(tmp_path), schema=WRITTEN, partition_by=by)
        table = f"delta.`{out.options.uri}`"

    def read(columns: str) -> Counter[Row]:
        return Counter(tuple(row.values()) for row in lakes.spark.sql(f"SELECT {columns} FROM {table}"))

    after = steps(out)
    for _ in range(2):
        wanted = next(after)
        assert read(SHOWN) == Counter(shown(row, TAGS) for row in wanted)
    wanted = next(after)
    assert read(OTHERS) == Counter(wanted)
    out.close()


@pytest.mark.parametrize("format_", ["iceberg", "delta"])
def test_spark_reads_a_log_of_changes(lakes: Lakes, tmp_path: Path, format_: str) -> None:
    first, mode = iceberg.FIRST, SinkEnvelope.NONE
    out: Target
    if format_ == "iceberg":
        out = iceberg.Target(iceberg.catalog_values(lakes.directory), mode, WRITTEN)
        lakes.spark.sql(f"DROP TABLE IF EXISTS {CATALOG}.n.out")
        table = f"{CATALOG}.n.out"
    else:
        out = delta.Target(delta.place(tmp_path), mode, WRITTEN)
        table = f"delta.`{out.options.uri}`"
    rows = [written(k) for k in range(20)]
    sink = out.sink()
    sink.open()
    sink.write(batch(WRITTEN, rows, first), 0, first + 1)
    sink.write(batch(WRITTEN, rows[:5], first + 1, -1), first + 1, first + 2)
    grouped = "GROUP BY k, v, n, `at`, day, yes, tags HAVING sum(_mz_diff) <> 0"
    found = lakes.spark.sql(f"SELECT {SHOWN} FROM {table} {grouped}")
    assert Counter(tuple(row.values()) for row in found) == Counter(shown(row, TAGS) for row in rows[5:])
    out.close()
