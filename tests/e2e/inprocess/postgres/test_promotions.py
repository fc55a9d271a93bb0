"""A standby is promoted while a source reads from its primary (failover slots: PostgreSQL 17)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from servers.postgres_listening import Listening, logical_postgres

from .support import PASSWORD, Db, connect

STANDBY = "standby"


@pytest.fixture
def primary() -> Iterator[Listening]:
    """One of its own: it dies."""
    with logical_postgres("ann", PASSWORD) as server:
        yield server


@contextmanager
def superuser(server: Listening) -> Iterator[Db]:
    with psycopg.connect(server.uri, autocommit=True) as db:
        yield db


def write(server: Listening, first: int, last: int) -> None:
    with superuser(server) as db:
        for n in range(first, last):
            db.execute("INSERT INTO t VALUES (%s, 'there')", (n,))
        db.execute("UPDATE t SET text = text || '!' WHERE n % 7 = 0")


def follow(db: Db, primary: Listening) -> None:
    with superuser(primary) as there:
        there.execute("CREATE TABLE t (n int PRIMARY KEY, text text)")
        there.execute("ALTER TABLE t REPLICA IDENTITY FULL")
        there.execute("CREATE PUBLICATION p FOR TABLE t")
        there.execute("GRANT SELECT ON t TO ann")
    write(primary, 0, 50)
    connect(db, primary.port)
    db.execute("CREATE SOURCE s FROM POSTGRES CONNECTION pg (PUBLICATION 'p') FOR TABLES (t)")


def is_same(db: Db, server: Listening) -> bool:
    query = "SELECT n, text FROM t ORDER BY n"
    with superuser(server) as there:
        return rows(db, query) == rows(there, query)


def slot_is_kept(standby: Listening) -> bool:
    with superuser(standby) as db:
        return rows(db, "SELECT synced AND NOT temporary FROM pg_replication_slots") == [(True,)]


def promote(db: Db, primary: Listening, standby: Listening) -> None:
    primary.kill()
    standby.control("promote")
    db.execute(f"ALTER CONNECTION pg SET (PORT = {standby.port})".encode())


def status(db: Db) -> str:
    query = (
        "SELECT status || ': ' || coalesce(error, '') FROM mz_internal.mz_source_statuses WHERE name = 's'"
    )
    return str(rows(db, query)[0][0])


@pytest.mark.slow
def test_a_standby_that_has_the_slot_is_read_on(fresh: InProcess, primary: Listening) -> None:
    with fresh.connect() as db, primary.standby(STANDBY) as standby:
        primary.set(f"synchronized_standby_slots = '{STANDBY}'")  # nobody gets what the standby has not got
        follow(db, primary)
        eventually(lambda: is_same(db, primary))
        eventually(lambda: slot_is_kept(standby))
        write(primary, 50, 300)
        eventually(lambda: is_same(db, primary))
        with superuser(primary) as there:
            there.execute("INSERT INTO t VALUES (1000, 'perhaps')")
        promote(db, primary, standby)
        write(standby, 300, 400)
        eventually(lambda: is_same(db, standby))
        fresh.abandon()
        fresh.start()
        write(standby, 400, 410)
    # The standby has stopped; nothing is lost of what was read.
    with fresh.connect() as db:
        eventually(lambda: rows(db, "SELECT count(*) FROM t WHERE n < 400") == [(400,)])


@pytest.mark.slow
def test_one_that_has_not_got_all_that_was_read_is_not(fresh: InProcess, primary: Listening) -> None:
    with fresh.connect() as db, primary.standby(STANDBY) as standby:
        follow(db, primary)
        eventually(lambda: slot_is_kept(standby))
        standby.set("primary_conninfo = ''")
        write(primary, 50, 100)
        eventually(lambda: is_same(db, primary))
        promote(db, primary, standby)
        eventually(lambda: "the server has left timeline 1" in status(db))
        assert rows(db, "SELECT count(*) FROM t") == [(100,)]


@pytest.mark.slow
def test_one_without_the_slot_is_not(fresh: InProcess, primary: Listening) -> None:
    with fresh.connect() as db, primary.standby(STANDBY) as standby:
        standby.set("sync_replication_slots = off")
        follow(db, primary)
        eventually(lambda: is_same(db, primary))
        promote(db, primary, standby)
        eventually(lambda: "is gone" in status(db))
