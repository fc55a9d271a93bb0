"""The whole system with its consensus in PostgreSQL: what is acknowledged stays, through stops, crashes and lost connections;
and of two coordinators on one store, from two machines as it were, the later one serves."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from inprocess import InProcess, eventually, running
from psycopg import OperationalError
from ptvc.coord.catalog.items import shards_of
from ptvc.errors import Fenced, InvalidParameter
from ptvc.persist import inspect
from ptvc.persist.stores import locate, open_existing
from servers.postgres_stores import disconnect, fresh_schema

from .test_restart import check, fill


@pytest.fixture
def url(oracle_uri: str) -> Iterator[str]:
    with fresh_schema(oracle_uri) as url:
        yield url


@pytest.fixture
def runtime(url: str) -> Iterator[InProcess]:
    with running(consensus=url) as runtime:
        yield runtime


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """The directory of another machine."""
    directory = Path(tempfile.mkdtemp(prefix="ptvc-t-"))
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


def test_stop_crash_and_start(runtime: InProcess, oracle_uri: str) -> None:
    fill(runtime)
    check(runtime, 2)
    assert not (runtime.directory / "consensus.sqlite").exists()
    runtime.consensus = None  # the directory remembers it
    for i, end in enumerate((runtime.stop, runtime.abandon)):
        runtime.query("INSERT INTO t VALUES (9)")
        last = runtime.coordinator.storage.oracle.read_time
        end()
        runtime.start()
        assert runtime.coordinator.storage.oracle.read_time >= last
        check(runtime, 3 + i)
    for i in range(5):
        disconnect(oracle_uri)
        runtime.query("INSERT INTO t VALUES (9)")
        check(runtime, 5 + i)
    assert not runtime.fenced.is_set()


def test_large_rows_and_upkeep(runtime: InProcess) -> None:
    """Parts in blobs, merged; and nothing is left that is not named."""
    runtime.query("CREATE TABLE t (a int, b text)")
    for number in range(20):
        runtime.query("INSERT INTO t VALUES (%s, repeat('x', 300000))", (number,))
    eventually(lambda: runtime.call(lambda: batches(runtime)) < 10)
    assert runtime.query("SELECT count(*), sum(a), sum(length(b)) FROM t") == [(20, 190, 6_000_000)]
    runtime.stop()
    stores = open_existing(runtime.directory, locate(runtime.directory))
    assert list(inspect.verify(stores.consensus, stores.blob)) == []
    assert inspect.overview(stores.consensus, stores.blob).unreferenced == ()
    stores.consensus.close()


def batches(runtime: InProcess) -> int:
    [(shard,)] = [shards_of(item) for item in runtime.coordinator.catalog.user_items() if item.name == "t"]
    found = runtime.stores.consensus.batches(shard, 0)
    return len(found[1]) if found is not None else 0


def test_a_coordinator_elsewhere_fences_the_first(runtime: InProcess, url: str, elsewhere: Path) -> None:
    runtime.query("CREATE TABLE t (a int)")
    runtime.query("INSERT INTO t VALUES (1)")
    blobs = locate(runtime.directory).under(runtime.directory).blob
    second = InProcess(elsewhere, consensus=url, blob=blobs)
    second.start()
    try:
        assert second.query("SELECT * FROM t") == [(1,)]
        with pytest.raises(OperationalError, match='another process has taken over as "coordinator"'):
            runtime.query("INSERT INTO t VALUES (2)")
        assert runtime.fenced.is_set()
        second.query("INSERT INTO t VALUES (3)")
        assert second.query("SELECT a FROM t ORDER BY a") == [(1,), (3,)]
        # What the first has not heard yet does no harm: it merges nothing, and deletes nothing.
        old = runtime.coordinator.storage.epoch
        with pytest.raises(Fenced):
            runtime.persist.set_holds("late", {"catalog": 1 << 60}, critical=True, epoch=old)
    finally:
        second.stop()
        runtime.unhandled.clear()


def test_a_fenced_coordinator_collects_no_blobs_of_its_successor(
    runtime: InProcess, url: str, elsewhere: Path
) -> None:
    blobs = locate(runtime.directory).under(runtime.directory).blob
    second = InProcess(elsewhere, consensus=url, blob=blobs)
    second.start()
    try:
        old, new = runtime.coordinator, second.persist
        key = f"catalog/{new.writer_id}/attempt-0.parquet"
        new.blob.put(key, b"not appended yet")  # type: ignore[arg-type]
        with pytest.raises(Fenced):
            runtime.persist.collect_garbage(
                grace_ms=0,
                writer_is_dead=lambda writer: writer not in old.controller.writers(),
                epoch=old.storage.epoch,
            )
        assert key in set(new.blob.keys())
    finally:
        second.stop()
        runtime.unhandled.clear()


def test_whoever_only_looks_makes_nothing(url: str, elsewhere: Path) -> None:
    for _ in range(2):
        with pytest.raises(InvalidParameter, match="holds no environment"):
            open_existing(elsewhere, locate(elsewhere, url))
