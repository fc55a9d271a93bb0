"""POSTGRES sources of whole runtimes: views follow a database, and whoever reads them sees only what there was, whatever is killed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from servers.postgres_listening import Listening

from .support import Db, connect

ACCOUNTS = 30
BALANCE = 100


@pytest.fixture
def upstream(server: Listening, database: str) -> Iterator[Db]:
    """The superuser's session in the database, with accounts at two banks."""
    with psycopg.connect(server.uri, autocommit=True, dbname=database) as db:
        for statement in (
            "SET ROLE ann",
            *(
                f"CREATE TABLE {bank} (account int PRIMARY KEY, balance bigint NOT NULL)"
                for bank in ("a", "b")
            ),
            *(f"ALTER TABLE {bank} REPLICA IDENTITY FULL" for bank in ("a", "b")),
            *(
                f"INSERT INTO {bank} SELECT g, {BALANCE} FROM generate_series(1, {ACCOUNTS}) g"
                for bank in ("a", "b")
            ),
            "CREATE PUBLICATION p FOR TABLE a, b",
            "RESET ROLE",
        ):
            db.execute(statement.encode())
        yield db


def make(db: Db, upstream: Db, port: int) -> None:
    connect(db, port, upstream.info.dbname)
    for statement in (
        "CREATE SOURCE s FROM POSTGRES CONNECTION pg (PUBLICATION 'p') FOR TABLES (a, b)",
        "CREATE MATERIALIZED VIEW total AS SELECT sum(balance) AS money, count(*) AS accounts "
        "FROM (SELECT * FROM a UNION ALL SELECT * FROM b)",
        "CREATE MATERIALIZED VIEW pairs AS SELECT account, a.balance + b.balance AS balance FROM a JOIN b USING (account)",
    ):
        db.execute(statement.encode())


def contents(db: Db) -> list[tuple[Any, ...]]:
    return rows(db, "SELECT account, a.balance + b.balance FROM a JOIN b USING (account) ORDER BY 1")


def transfer(where: str, seed: int, done: Event) -> None:
    """From one bank to the other, and some accounts are closed and opened anew."""
    random = Random(seed)
    with psycopg.connect(where, autocommit=True) as db:
        while not done.wait(random.random() * 0.02):
            amount, one, other = (
                random.randrange(1, 50),
                random.randrange(ACCOUNTS),
                random.randrange(ACCOUNTS),
            )
            with db.transaction():
                db.execute("UPDATE a SET balance = balance - %s WHERE account = %s", (amount, one + 1))
                # Who waits for a row that is deleted and comes again would not find it.
                db.execute("SELECT pg_advisory_xact_lock(%s)", (other,))
                db.execute("UPDATE b SET balance = balance + %s WHERE account = %s", (amount, other + 1))
                if random.random() < 0.3:
                    with db.transaction(force_rollback=True):
                        db.execute("DELETE FROM a WHERE account = %s", (one + 1,))
                if random.random() < 0.3:
                    gone = db.execute("DELETE FROM b WHERE account = %s RETURNING *", (other + 1,)).fetchone()
                    assert gone is not None
                    db.execute("INSERT INTO b VALUES (%s, %s)", gone)


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(12))
def test_readers_see_whole_transactions_whatever_is_killed(
    fresh: InProcess, server: Listening, upstream: Db, seed: int
) -> None:
    random, done = Random(seed), Event()
    with fresh.connect() as db:
        make(db, upstream, server.port)
    where = psycopg.conninfo.make_conninfo(server.uri, dbname=upstream.info.dbname)
    movers = [Thread(target=transfer, args=(where, 10 * seed + i, done)) for i in range(3)]
    for mover in movers:
        mover.start()
    seen: set[tuple[Any, ...]] = set()
    try:
        for _ in range(10):
            with fresh.connect() as db:
                for _ in range(random.randrange(2, 12)):
                    seen.add(rows(db, "SELECT money, accounts FROM total")[0])
                    seen.add(rows(db, "SELECT sum(balance), 2 * count(*) FROM pairs")[0])
            match random.randrange(4):
                case 0:
                    fresh.kill_replica()
                case 1:
                    fresh.abandon()
                    fresh.start()
                case 2:
                    upstream.execute(
                        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'ann'"
                    )
                case _:
                    pass
    finally:
        done.set()
        for mover in movers:
            mover.join()
    with fresh.connect() as db:
        eventually(lambda: contents(db) == contents(upstream))
        assert rows(db, "SELECT * FROM pairs ORDER BY 1") == contents(upstream)
        assert seen <= {(None, 0), (2 * ACCOUNTS * BALANCE, 2 * ACCOUNTS)}
        assert len(seen) >= 1
        db.execute("DROP SOURCE s CASCADE")
    eventually(lambda: not slots(upstream))


def slots(upstream: Db) -> list[tuple[Any, ...]]:
    return rows(upstream, "SELECT slot_name FROM pg_replication_slots WHERE database = current_database()")


def test_a_source_that_is_dropped_leaves_no_slot(fresh: InProcess, server: Listening, upstream: Db) -> None:
    """Nor does one whose connection, and secret, go with it."""
    with fresh.connect() as db:
        make(db, upstream, server.port)
        eventually(lambda: rows(db, "SELECT count(*) FROM a") == [(ACCOUNTS,)])
        assert len(slots(upstream)) == 1
        db.execute("DROP CONNECTION pg CASCADE")
        db.execute("DROP SECRET pw")
        eventually(lambda: not slots(upstream))
        assert rows(db, "SELECT name FROM mz_sources") == []


def test_what_becomes_of_tables_is_told(fresh: InProcess, server: Listening, upstream: Db) -> None:
    with fresh.connect() as db:
        make(db, upstream, server.port)
        eventually(lambda: contents(db) == contents(upstream))
        upstream.execute("ALTER TABLE b DROP COLUMN balance")
        upstream.execute("UPDATE a SET balance = 7 WHERE account = 1")
        eventually(lambda: rows(db, "SELECT balance FROM a WHERE account = 1") == [(7,)])

        def told() -> bool:
            try:
                db.execute("SELECT * FROM total")
            except psycopg.Error as error:
                gone = 'column "balance" of table "public.b" is gone upstream' in str(error)
                return gone and error.diag.message_hint is None
            return False

        eventually(told)
        assert rows(db, "SELECT status FROM mz_internal.mz_source_statuses WHERE name = 's'") == [
            ("running",)
        ]
        db.execute("DROP TABLE b CASCADE")
        db.execute("CREATE TABLE b FROM SOURCE s (REFERENCE b)")
        eventually(lambda: rows(db, "SELECT count(*) FROM b") == [(ACCOUNTS,)])
