"""MYSQL sources of whole runtimes: views follow a server, and whoever reads them sees only what there was, whatever is killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from threading import Event, Thread
from typing import Any

import psycopg
import pymysql
import pytest
from inprocess import InProcess, eventually, rows
from servers.mysql_process import MysqlProcess
from servers.mysql_servers import KINDS, numbers

from .support import Db, connect, run, there

pytestmark = pytest.mark.parametrize("server", KINDS, indirect=True)
ACCOUNTS = 30
BALANCE = 100
PAIRS = "SELECT account, a.balance + b.balance AS balance FROM a JOIN b USING (account) ORDER BY 1"


@pytest.fixture
def upstream(server: MysqlProcess, database: str) -> Iterator[Any]:
    """A session in the database, with accounts at two banks."""
    db = server.connect(database)
    for bank in ("a", "b"):
        run(
            db,
            f"CREATE TABLE {bank} (account int PRIMARY KEY, balance bigint NOT NULL)",
            f"INSERT INTO {bank} SELECT seq, {BALANCE} FROM {numbers(ACCOUNTS)}",
        )
    yield db
    if db.open:
        db.close()


def make(db: Db, server: MysqlProcess, database: str) -> None:
    connect(db, server)
    for statement in (
        f"CREATE SOURCE s FROM MYSQL CONNECTION my FOR TABLES ({database}.a, {database}.b)",
        "CREATE MATERIALIZED VIEW total AS SELECT sum(balance) AS money, count(*) AS accounts "
        "FROM (SELECT * FROM a UNION ALL SELECT * FROM b)",
        "CREATE MATERIALIZED VIEW pairs AS SELECT account, a.balance + b.balance AS balance FROM a JOIN b USING (account)",
    ):
        db.execute(statement.encode())


def transfer(server: MysqlProcess, database: str, seed: int, done: Event) -> None:
    """From one bank to the other, and some accounts are closed and opened anew."""
    random = Random(seed)
    db: Any = None
    while not done.wait(random.random() * 0.02):
        with suppress(
            pymysql.MySQLError
        ):  # who waits for another one in a ring, or for a server that was killed
            if db is None or not db.open:
                db = server.connect(database)
            amount, one, other = random.randrange(1, 50), *(random.randrange(ACCOUNTS) + 1 for _ in range(2))
            run(
                db,
                "BEGIN",
                f"UPDATE a SET balance = balance - {amount} WHERE account = {one}",
                f"UPDATE b SET balance = balance + {amount} WHERE account = {other}",
            )
            if random.random() < 0.3:
                ((balance,),) = there(db, f"SELECT balance FROM b WHERE account = {other}")
                run(
                    db,
                    f"DELETE FROM b WHERE account = {other}",
                    f"INSERT INTO b VALUES ({other}, {balance})",
                )
            run(db, "COMMIT")
    if db is not None and db.open:
        db.close()


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(12))
def test_readers_see_whole_transactions_whatever_is_killed(
    fresh: InProcess, server: MysqlProcess, database: str, upstream: Any, seed: int
) -> None:
    random, done = Random(seed), Event()
    with fresh.connect() as db:
        make(db, server, database)
    movers = [Thread(target=transfer, args=(server, database, 10 * seed + i, done)) for i in range(3)]
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
                    upstream.close()
                    server.kill()
                    server.start()
                    upstream = server.connect(database)
                case _:
                    run(upstream, "FLUSH BINARY LOGS")
    finally:
        done.set()
        for mover in movers:
            mover.join()
    with fresh.connect() as db:
        eventually(lambda: rows(db, PAIRS) == there(upstream, PAIRS))
        assert rows(db, "SELECT * FROM pairs ORDER BY 1") == there(upstream, PAIRS)
        assert seen <= {(None, 0), (2 * ACCOUNTS * BALANCE, 2 * ACCOUNTS)}
        assert len(seen) >= 1
        db.execute("DROP SOURCE s CASCADE")
    upstream.close()


def test_what_becomes_of_tables_is_told(
    fresh: InProcess, server: MysqlProcess, database: str, upstream: Any
) -> None:
    with fresh.connect() as db:
        make(db, server, database)
        eventually(lambda: rows(db, PAIRS) == there(upstream, PAIRS))
        run(upstream, "ALTER TABLE b DROP COLUMN balance", "UPDATE a SET balance = 7 WHERE account = 1")
        eventually(lambda: rows(db, "SELECT balance FROM a WHERE account = 1") == [(7,)])

        def told() -> bool:
            try:
                db.execute("SELECT * FROM total")
            except psycopg.Error as error:
                return 'its column "balance" was altered, renamed or dropped' in str(error)
            return False

        eventually(told)
        assert rows(db, "SELECT status FROM mz_internal.mz_source_statuses WHERE name = 's'") == [
            ("running",)
        ]
        db.execute("DROP TABLE b CASCADE")
        db.execute(f"CREATE TABLE b FROM SOURCE s (REFERENCE {database}.b)".encode())
        eventually(lambda: rows(db, "SELECT count(*) FROM b") == [(ACCOUNTS,)])
