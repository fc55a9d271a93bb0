"""What models return, as lines: the same whichever process writes them, and small ones by this one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ptvc.compute.spark.session import spark_session, stop_session
from ptvc.spark.models import result
from ptvc.spark.models.result import result_of
from pyspark.sql import DataFrame, SparkSession

QUERY = "SELECT id, CAST(id / 4 AS decimal(6, 2)) AS part, concat('t', id) AS t FROM range({}) ORDER BY id"


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = spark_session("local[2]", "test", {}, directory=tmp_path_factory.mktemp("spark"))
    try:
        yield session
    finally:
        stop_session(session)


def written(returned: DataFrame, spark: SparkSession) -> tuple[list[tuple[str, str]], int, list[bytes]]:
    with result_of(returned, spark) as found:
        return found.columns, found.rows, sorted(b"".join(found.lines).splitlines())


@pytest.mark.slow
def test_small_results_need_no_worker(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    by_tasks = spark.sql(QUERY.format(1_000))
    with monkeypatch.context() as patch:
        patch.setattr(result, "SMALL_BYTES", -1)
        expected = written(by_tasks, spark)
    monkeypatch.setattr(DataFrame, "mapInArrow", None)
    assert written(spark.sql(QUERY.format(1_000)), spark) == expected
    assert expected[1] == 1_000
    assert b"3\t0.75\tt3" in expected[2]


def test_what_turns_out_to_be_large_is_written_by_tasks(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result, "SMALL_ROWS", 10)
    exploded = spark.sql("SELECT explode(sequence(1, 25)) AS n")
    _, rows, lines = written(exploded, spark)
    assert rows == 25
    assert lines == sorted(str(n).encode() for n in range(1, 26))


def test_of_what_nothing_is_known_tasks_write(spark: SparkSession) -> None:
    unknown = spark.createDataFrame([(1, "a"), (2, None)], "n int, t string")
    assert result._small_table(unknown) is None
    assert written(unknown, spark)[1:] == (2, [b"1\ta", b"2\t\\N"])
