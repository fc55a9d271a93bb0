"""No room on the disk: writes are refused with 53100 and nothing of them is seen; with room again they go on, without a
restart, views included."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows
from ptvc.coord.storage import oracle
from ptvc.persist.blob import file as file_module

pytestmark = pytest.mark.timeout(120)


@contextmanager
def full_consensus(runtime: InProcess) -> Iterator[None]:
    """The database may not grow by a page."""
    store = runtime.stores.consensus
    with store._write_lock:
        before = store._writer.pragma("max_page_count")
        store._writer.pragma("max_page_count", store._writer.pragma("page_count"))
    try:
        yield
    finally:
        with store._write_lock:
            store._writer.pragma("max_page_count", before)


@contextmanager
def full_blobs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """No blob can be made durable; yields the attempts."""
    attempts: list[int] = []

    def full(descriptor: int) -> None:
        attempts.append(descriptor)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class FullOs:
        fsync = staticmethod(full)

        def __getattr__(self, name: str) -> Any:
            return getattr(os, name)

    with monkeypatch.context() as patch:
        patch.setattr(file_module, "os", FullOs())
        yield attempts


@pytest.fixture
def tables(fresh: InProcess) -> InProcess:
    with fresh.connect() as db:
        db.execute("CREATE TABLE t (a int, b text)")
        db.execute("CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n, sum(a) AS s FROM t")
        db.execute("INSERT INTO t VALUES (1, 'x')")
        eventually(lambda: rows(db, "SELECT n, s FROM v") == [(1, 1)])
    return fresh


def refused(db: psycopg.Connection[Any], sql: str) -> None:
    with pytest.raises(psycopg.errors.DiskFull) as caught:
        db.execute(sql)  # type: ignore[arg-type]
    assert caught.value.diag.message_hint == "Free some space; nothing that was acknowledged is lost."


def test_a_full_database(tables: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "MARK_AHEAD_MS", 100)  # times have to be reserved while there is no room, too
    text = "x" * 40_000
    with tables.connect() as db:
        with full_consensus(tables):
            accepted = 1
            for _ in range(3):  # free pages inside of the file may take some
                try:
                    db.execute(f"INSERT INTO t VALUES (1, '{text}')")
                    accepted += 1
                except psycopg.errors.DiskFull:
                    break
            refused(db, f"INSERT INTO t VALUES (100, '{text}')")
            refused(db, f"INSERT INTO t VALUES (100, '{text}')")
        db.execute("INSERT INTO t VALUES (10, 'z')")
        assert rows(db, "SELECT count(*), sum(a) FROM t") == [(accepted + 1, accepted + 10)]
        eventually(lambda: rows(db, "SELECT n, s FROM v") == [(accepted + 1, accepted + 10)])
    assert not tables.fenced.is_set()


def test_no_room_for_blobs(tables: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    large = "INSERT INTO t SELECT i, md5(i::text) FROM generate_series(1, 5000) AS g (i)"
    with tables.connect() as db:
        with full_blobs(monkeypatch):
            refused(db, large)
            db.execute("INSERT INTO t VALUES (2, 'small')")  # needs no blob
            refused(db, large)
        assert rows(db, "SELECT count(*) FROM t") == [(2,)]
        db.execute(large)
        assert rows(db, "SELECT count(*) FROM t") == [(5002,)]
        eventually(lambda: rows(db, "SELECT n FROM v") == [(5002,)])
    assert not tables.fenced.is_set()


def test_no_room_for_what_a_view_has_put_out(tables: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small write with a large effect: it is accepted, and the view waits for room."""
    with tables.connect() as db:
        db.execute(
            "CREATE MATERIALIZED VIEW w AS"
            " SELECT a, md5((a * 100000 + i)::text) AS h FROM t, generate_series(1, 5000) AS g (i)"
        )
        eventually(lambda: hydrated(db, "w"))
        with full_blobs(monkeypatch) as refusals:
            db.execute("INSERT INTO t VALUES (2, 'small')")
            eventually(lambda: len(refusals) > 2)
        eventually(lambda: rows(db, "SELECT count(*), count(DISTINCT h) FROM w") == [(10_000, 10_000)])
        db.execute("DELETE FROM t WHERE a = 1")
        eventually(lambda: rows(db, "SELECT count(*) FROM w") == [(5_000,)])


@pytest.mark.parametrize("as_of", ["", " AS OF AT LEAST 0"])
def test_reads_go_on_while_no_time_can_be_reserved(
    tables: InProcess, monkeypatch: pytest.MonkeyPatch, as_of: str
) -> None:
    """For the oracle: longer than a mark lasts, every read is answered."""
    monkeypatch.setattr(oracle, "MARK_AHEAD_MS", 100)
    with tables.connect() as db, full_consensus(tables):
        db.execute("SET statement_timeout = '3s'")
        for _ in range(3):  # free pages inside of the file may take some
            with suppress(psycopg.errors.DiskFull):
                db.execute(f"INSERT INTO t VALUES (0, '{'x' * 40_000}')")
        refused(db, f"INSERT INTO t VALUES (0, '{'x' * 40_000}')")
        begun = monotonic()
        while monotonic() < begun + 0.5:
            assert rows(db, f"SELECT max(a) FROM t{as_of}") == [(1,)]
            assert rows(db, f"SELECT s FROM v{as_of}") == [(1,)]
