"""The example of docs/spark.md, and what only Spark can say of the data source, in a JVM."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import ptvc.spark
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from inprocess import InProcess, eventually, hydrated, running
from ptvc.compute.spark.session import spark_session, stop_session
from ptvc.config import Settings
from ptvc.coord.catalog.items import Table
from ptvc.errors import ObjectNotReady
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow
DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "spark.md"


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = spark_session("local[2]", "test", {}, directory=tmp_path_factory.mktemp("spark"))
    ptvc.spark.register(session)
    try:
        yield session
    finally:
        stop_session(session)


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running(Settings(tick_ms=50, retain_history_ms=600_000)) as runtime:
        yield runtime


def test_the_example(spark: SparkSession, runtime: InProcess, tmp_path: Path) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE orders (region int, amount numeric(10, 2))")
        db.execute("INSERT INTO orders VALUES (1, 60), (1, 70.5), (2, 20), (3, 500)")
        db.execute(
            "CREATE MATERIALIZED VIEW orders_by_region AS SELECT region, sum(amount) AS total FROM orders GROUP BY region"
        )
        while not hydrated(db, "orders_by_region"):
            pass
        db.execute("DELETE FROM orders WHERE region = 3")
        db.execute("SELECT * FROM orders_by_region").fetchall()
    path = tmp_path / "regions.parquet"
    pq.write_table(pa.table({"region": pa.array([1, 2, 3], pa.int32()), "name": ["n", "s", "e"]}), path)
    code, stream = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    names = {"spark": spark, "environment": str(runtime.directory), "regions_path": str(path)}
    exec(code, names)
    report = names["report"]
    assert [(name, str(total)) for name, total in report.collect()] == [("n", "130.50")]  # type: ignore[attr-defined]
    names |= {"changes_path": str(tmp_path / "changes"), "checkpoint": str(tmp_path / "checkpoint")}

    def followed() -> dict[tuple[int, str], int]:
        """What the stream has told, summed."""
        exec(stream, names)
        names["query"].awaitTermination()  # type: ignore[attr-defined]
        told = spark.read.parquet(names["changes_path"]).groupBy("region", "total").sum("_diff")
        return {(region, str(total)): count for region, total, count in told.collect() if count}

    before = {(1, "130.50"): 1, (2, "20.00"): 1}
    eventually(lambda: followed() == before)
    runtime.query("INSERT INTO orders VALUES (2, 5), (4, 1)")
    runtime.query("DELETE FROM orders WHERE region = 1")
    expected = {(2, "25.00"): 1, (4, "1.00"): 1}
    eventually(lambda: followed() == expected)


def test_a_query_that_goes_on(spark: SparkSession, runtime: InProcess, tmp_path: Path) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE followed (k int, v int)")
        db.execute("INSERT INTO followed SELECT g, 0 FROM generate_series(1, 100) g")
    out = str(tmp_path / "told")

    def told() -> dict[tuple[int, int], int]:
        """What the query has written, summed."""
        found = spark.read.parquet(out).groupBy("k", "v").sum("_diff").collect()
        return {(k, v): count for k, v, count in found if count}

    options = {"path": str(runtime.directory), "relation": "followed", "starting": "snapshot"}
    for round_ in range(1, 3):
        stream = spark.readStream.format("ptvc").options(**options, max_bytes="20000").load()
        writer = stream.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "place"))
        query = writer.start(out)
        with runtime.connect() as db:
            for k in range(1, 6):
                db.execute("UPDATE followed SET v = %s WHERE k %% 5 = %s", (round_, k - 1))
        query.processAllAvailable()
        expected = {(k, round_): 1 for k in range(1, 101)}
        eventually(lambda: told() == expected)  # noqa: B023
        query.stop()


def test_a_time_in_partitions_with_filters(spark: SparkSession, runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE wide (k bigint, v text, d date)")
        db.execute(
            "INSERT INTO wide SELECT g, repeat(md5(g::text), 2), date '2026-01-01' + (g % 9)::int"
            " FROM generate_series(1, 5000) g"
        )
        with db.transaction():
            (time,) = db.execute("SELECT mz_now()::text").fetchone() or ("",)
            expected = Counter(db.execute("SELECT * FROM wide WHERE k < 100 AND d > '2026-01-03'").fetchall())
        db.execute("DELETE FROM wide WHERE k % 2 = 0")
        db.execute("UPDATE wide SET v = 'new' WHERE k < 50")
    options = {"path": str(runtime.directory), "relation": "wide", "partition_bytes": "500000"}
    frame = spark.read.format("ptvc").options(**options, as_of=time).load()
    assert frame.rdd.getNumPartitions() > 1
    found = frame.where("k < 100 AND d > '2026-01-03'").collect()
    assert Counter(tuple(row) for row in found) == expected
    assert frame.count() == 5000
    latest = spark.read.format("ptvc").options(**options).load()
    assert latest.count() == 2500
    assert latest.where("v = 'new'").count() == 25


def test_refusals_say_why(spark: SparkSession, runtime: InProcess) -> None:
    runtime.query("CREATE TABLE known (k int)")
    known = {"path": str(runtime.directory), "relation": "known"}
    with pytest.raises(PySparkException, match="holds nothing yet"):
        spark.read.format("ptvc").options(**known, as_of="4102444800000").load().collect()
    stream = spark.readStream.format("ptvc").options(**known).load().writeStream.format("noop")
    query = stream.trigger(availableNow=True).start()
    with pytest.raises(PySparkException, match=r"(?s)where it begins.*HINT: Give option"):
        query.awaitTermination()
    late = spark.readStream.format("ptvc").options(**known, starting="5").load().writeStream.format("noop")
    runtime.query("INSERT INTO known VALUES (1)")
    table, persist = runtime.coordinator.catalog.find("public", "known"), runtime.persist
    assert isinstance(table, Table)
    shard = table.shard

    def forgotten() -> bool:
        try:
            persist.updates(shard, 6, persist.state(shard).upper)
        except ObjectNotReady:
            return True
        return False

    eventually(forgotten)  # a stream that began before would keep the history where it is
    query = late.trigger(availableNow=True).start()
    with pytest.raises(PySparkException, match=r"(?s)history begins at.*HINT: Follow it"):
        query.awaitTermination()
