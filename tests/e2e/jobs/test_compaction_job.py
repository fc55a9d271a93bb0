"""A compaction on Spark, end to end: what was written and deleted over and over is the same afterwards, and less."""

from __future__ import annotations

from dataclasses import replace

import pytest
from inprocess import FAST, InProcess, eventually, running
from ptvc.coord.catalog.items import Stored
from ptvc.persist.client import PartRef

WITHIN_S = 120.0
SUM = "SELECT count(*), sum(id), sum(amount), min(note), max(note) FROM t"


def parts(runtime: InProcess, name: str) -> tuple[PartRef, ...]:
    item = runtime.coordinator.catalog.find("public", name)
    assert isinstance(item, Stored)
    persist = runtime.persist
    return persist.snapshot(item.shard, persist.state(item.shard).upper - 1).parts


@pytest.mark.slow
def test_a_table_that_changed_much_becomes_small_again() -> None:
    """Without Spark its batches stay as they are, as all merges are jobs here; then it comes up."""
    with running(replace(FAST, compaction_job_min_bytes=0)) as runtime:
        runtime.query("CREATE TABLE t (id int, amount int, note text)")
        for n in range(8):
            first = n * 5000
            runtime.query(
                f"INSERT INTO t SELECT i, i % 100, md5(i::text) FROM generate_series({first}, {first + 4999}) AS i"
            )
            runtime.query(f"DELETE FROM t WHERE id / 5000 = {n} AND id % 10 <> {n}")
        before = parts(runtime, "t")
        assert sum(part.rows for part in before) == 8 * (5000 + 4500)
        runtime.stop()
        runtime.spark = True
        runtime.start()
        persist = runtime.persist
        runtime.query("INSERT INTO t VALUES (-1, 0, 'new')")
        expected = runtime.query(SUM)
        assert expected[0][0] == 8 * 500 + 1
        runtime.query("CREATE MATERIALIZED VIEW m AS SELECT amount, count(*) AS n FROM t GROUP BY amount")
        view = sorted(runtime.query("SELECT * FROM m"))
        eventually(lambda: len(parts(runtime, "t")) < 8, WITHIN_S)
        jobs = "SELECT status, rows_read = rows_total, percent FROM mz_internal.mz_spark_jobs WHERE kind = 'compaction'"
        assert ("finished", True, 100.0) in runtime.query(jobs)
        assert sum(part.rows for part in parts(runtime, "t")) == 8 * 500 + 1
        assert sum(part.nbytes for part in parts(runtime, "t")) < sum(part.nbytes for part in before) / 8
        assert runtime.query(SUM) == expected
        assert sorted(runtime.query("SELECT * FROM m")) == view

        def collected() -> bool:
            writers = runtime.coordinator.controller.writers
            persist.collect_garbage(grace_ms=0, writer_is_dead=lambda w: w not in writers())
            live = {part.blob for name in ("t", "m") for part in parts(runtime, name)} - {None}
            return set(persist.blob.keys()) == live

        eventually(collected, WITHIN_S)
        assert not {part.blob for part in before} & set(persist.blob.keys())
        runtime.query("DELETE FROM t WHERE id < 20000")
        assert runtime.query("SELECT count(*), min(id) FROM t") == [(2000, 20004)]
        assert runtime.query("SELECT sum(n) FROM m") == [(2000,)]
