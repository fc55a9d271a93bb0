"""A whole runtime whose blobs are in S3: what it writes, maintains, merges, deletes and finds again is what it is with files."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, hydrated, rows, running
from ptvc.cli import app
from ptvc.coord.catalog.items import Stored
from ptvc.errors import InvalidParameter, StorageError
from ptvc.persist.blob import s3_client
from ptvc.persist.blob.s3 import S3Blob
from ptvc.persist.stores import locate, open_stores
from ptvc.replica import blob_retry
from ptvc.retry import Backoff
from servers.s3_server import S3Server
from typer.testing import CliRunner

LARGE = """INSERT INTO t SELECT i, md5(i::text) || md5((i + 0.1)::text) || md5((i + 0.2)::text) || md5((i + 0.3)::text) || md5((i + 0.4)::text)
    || md5((i + 0.5)::text) FROM generate_series({}, {}) AS i"""
SUM = "SELECT count(*), sum(a), count(DISTINCT b), min(b), max(b) FROM t"
VIEW = "SELECT * FROM m ORDER BY 1"


@pytest.fixture
def url(s3: S3Server) -> Iterator[str]:
    yield s3.url(s3.bucket(), "some/where")
    s3.fail()


@pytest.fixture
def runtime(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcess]:
    monkeypatch.setattr(s3_client, "BACKOFF", replace(s3_client.BACKOFF, first_s=0.01))
    with running(blob=url) as runtime:
        yield runtime


def shard(runtime: InProcess, name: str) -> str:
    item = runtime.coordinator.catalog.find("public", name)
    assert isinstance(item, Stored)
    return item.shard


def live(runtime: InProcess) -> set[str]:
    persist = runtime.persist
    states = persist.shards()
    written = [state for state in states if state.upper > state.since]
    parts = [part for state in written for part in persist.snapshot(state.id, state.upper - 1).parts]
    return {part.blob for part in parts if part.blob is not None}


def collected(runtime: InProcess) -> set[str]:
    """The objects after a collection of garbage that waits for nobody."""
    writers = runtime.coordinator.controller.writers
    runtime.persist.collect_garbage(grace_ms=0, writer_is_dead=lambda w: w not in writers())
    return set(runtime.persist.blob.keys())


def filled(runtime: InProcess, batches: int = 9) -> None:
    runtime.query("CREATE TABLE t (a int, b text)")
    runtime.query("CREATE MATERIALIZED VIEW m AS SELECT a % 700 AS k, b, count(*) AS n FROM t GROUP BY 1, 2")
    for i in range(batches):
        runtime.query(LARGE.format(i * 1000, i * 1000 + 999))
    runtime.query("DELETE FROM t WHERE a % 10 <> 3")


def test_a_runtime_on_s3(runtime: InProcess, url: str) -> None:
    filled(runtime)
    assert isinstance(runtime.persist.blob, S3Blob)
    expected, view = runtime.query(SUM), runtime.query(VIEW)
    assert expected[0][0] == len(view) == 900
    assert live(runtime), "there is more than inline parts hold"
    assert not (runtime.directory / "blobs").exists()
    runtime.persist.compact(shard(runtime, "t"), force=True)
    eventually(lambda: collected(runtime) == live(runtime))
    assert (runtime.query(SUM), runtime.query(VIEW)) == (expected, view)
    runtime.stop()
    runtime.start()
    assert (runtime.query(SUM), runtime.query(VIEW)) == (expected, view)
    runtime.query(LARGE.format(100_000, 100_999))
    assert runtime.query(SUM)[0][0] == len(runtime.query(VIEW)) == 1900
    command = ["persist", "inspect", "--path", str(runtime.directory)]
    found = CliRunner().invoke(app, command)
    assert found.exit_code == 0, found.output
    assert shard(runtime, "t") in found.output
    runtime.stop()
    for more in ([], ["--blob", url]):
        found = CliRunner().invoke(app, ["persist", "verify", "--path", str(runtime.directory), *more])
        assert found.exit_code == 0, found.output
    runtime.start()


def test_a_crash_leaks_nothing(runtime: InProcess) -> None:
    filled(runtime, batches=3)
    expected, view = runtime.query(SUM), runtime.query(VIEW)
    runtime.abandon()
    runtime.start()
    assert (runtime.query(SUM), runtime.query(VIEW)) == (expected, view)
    eventually(lambda: collected(runtime) == live(runtime))


def test_a_store_that_is_unwell(s3: S3Server, runtime: InProcess) -> None:
    s3.fail_at_random(0.1, seed=3)
    filled(runtime, batches=3)
    assert runtime.query(SUM)[0][0] == len(runtime.query(VIEW)) == 300


def test_a_store_that_is_away_refuses_writes_until_it_is_back(
    s3: S3Server, runtime: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3_client, "BACKOFF", replace(s3_client.BACKOFF, attempts=2))
    runtime.query("CREATE TABLE t (a int, b text)")
    runtime.query(LARGE.format(0, 999))
    s3.fail(*["unavailable"] * 1000)
    with pytest.raises(psycopg.errors.IoError, match="could not write blob"):
        runtime.query(LARGE.format(1000, 1999))
    s3.fail()
    runtime.query(LARGE.format(1000, 1999))
    assert runtime.query(SUM)[0][0] == 2000


def test_large_merges_are_jobs(url: str) -> None:
    settings = replace(FAST, compaction_job_min_bytes=0, job_partitions=2)
    with running(settings, jobs=True, blob=url) as runtime:
        filled(runtime)
        expected, view = runtime.query(SUM), sorted(runtime.query(VIEW))
        finished = (
            "SELECT count(*) FROM mz_internal.mz_spark_jobs WHERE kind = 'compaction' AND status = 'finished'"
        )
        eventually(lambda: runtime.query(finished)[0][0])
        assert (runtime.query(SUM), sorted(runtime.query(VIEW))) == (expected, view)
        eventually(lambda: collected(runtime) == live(runtime))


def test_a_bucket_that_is_not_there_is_said_so(s3: S3Server, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no such bucket"):
        open_stores(tmp_path, locate(tmp_path, blob=s3.url("no-such-bucket")))
    assert not (tmp_path / "stores.json").exists()
    open_stores(tmp_path, locate(tmp_path)).consensus.close()


def test_two_environments_do_not_share_a_prefix(runtime: InProcess, url: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="belong to another environment"):
        open_stores(tmp_path, locate(tmp_path, blob=url))
    assert not (tmp_path / "stores.json").exists()


@pytest.mark.parametrize("reading", [True, False])
def test_views_wait_for_a_store_that_is_away(
    s3: S3Server, runtime: InProcess, monkeypatch: pytest.MonkeyPatch, reading: bool
) -> None:
    """What was accepted reaches them when it is back: they neither fail nor begin anew."""
    monkeypatch.setattr(s3_client, "BACKOFF", replace(s3_client.BACKOFF, attempts=2))
    monkeypatch.setattr(blob_retry, "AWAY", Backoff(0.02, 0.02))
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (a int, b text)")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n, count(DISTINCT b) AS d FROM t")
        db.execute(
            "CREATE MATERIALIZED VIEW w AS SELECT a, md5((a * 5000 + i)::text) AS h FROM t, "
            "generate_series(1, 5000) AS g (i) WHERE a < 0"
        )
        eventually(lambda: hydrated(db, "m", "w"))
        replicas = dict(runtime.driver._connections)
        before = s3.served()
        if reading:
            s3.fail(None, *["unavailable"] * 10_000)
            db.execute(LARGE.format(0, 999))
        else:
            s3.fail(*["lost_request"] * 10_000)
            db.execute("INSERT INTO t VALUES (-1, 'small')")
        eventually(lambda: s3.served() > before + 5)
        s3.fail()
        contents = "SELECT n, d FROM m", "SELECT count(*), count(DISTINCT h) FROM w"
        expected = ((1000, 1000), (0, 0)) if reading else ((1, 1), (5000, 5000))
        assert tuple(rows(db, sql)[0] for sql in contents) == expected
        assert hydrated(db, "m", "w")
        assert runtime.driver._connections == replicas


def test_a_slow_store_keeps_nobody_else_waiting(s3: S3Server, runtime: InProcess) -> None:
    runtime.query("CREATE TABLE t (a int, b text)")
    with runtime.connect() as one, runtime.connect() as other, ThreadPoolExecutor(1) as pool:
        s3.fail("late")
        insert = pool.submit(one.execute, LARGE.format(0, 999))
        eventually(s3.waiting)
        assert other.execute("SELECT count(*) FROM t").fetchone() == (0,)
        other.execute("INSERT INTO t VALUES (-1, 'x')")
        assert not insert.done()
        insert.result()
    assert runtime.query(SUM)[0][0] == 1001
