"""Which concurrent changes conflict: those of rows that both have read, by a unique key or else of the whole table."""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]

TABLES = (
    "CREATE TABLE t (a int PRIMARY KEY, b int, c int, UNIQUE (b, c))",
    "INSERT INTO t VALUES (1, 10, 100), (2, 20, 200), (3, 30, 300), (4, NULL, 400)",
    "CREATE TABLE u (a int, x text)",
    "INSERT INTO u VALUES (1, 'one'), (2, 'two')",
    "CREATE MATERIALIZED VIEW v AS SELECT sum(c) AS c FROM t",
)


@pytest.fixture
def t(db: Db) -> None:
    for statement in TABLES:
        db.execute(statement)  # type: ignore[arg-type]


APART = [
    ("UPDATE t SET c = 0 WHERE a = 1", "UPDATE t SET c = 0 WHERE a = 2"),
    ("UPDATE t SET c = 0 WHERE a = 1", "DELETE FROM t WHERE a IN (2, 3)"),
    ("UPDATE t SET c = 0 WHERE a = 1 AND c < 1000", "INSERT INTO t VALUES (5, 50, 500)"),
    ("UPDATE t SET a = 7 WHERE a = 1", "UPDATE t SET a = 8 WHERE a = 2"),
    ("UPDATE t SET a = 9 WHERE b = 10 AND c = 100", "UPDATE t SET a = 8 WHERE b = 20 AND c = 200"),
    ("DELETE FROM t WHERE a = 17", "UPDATE t SET c = 0 WHERE a = 2"),
    ("INSERT INTO t VALUES (1, 0, 0) ON CONFLICT (a) DO UPDATE SET c = 1", "UPDATE t SET c = 0 WHERE a = 2"),
    ("INSERT INTO u SELECT a, 'x' FROM t WHERE a = 1", "UPDATE t SET c = 0 WHERE a = 2"),
]
TOGETHER = [
    ("UPDATE t SET c = 0 WHERE a = 1", "UPDATE t SET b = 0 WHERE a = 1"),
    ("UPDATE t SET c = 0 WHERE a = 1", "DELETE FROM t WHERE a = 1"),
    ("UPDATE t SET c = 0 WHERE a = 1", "DELETE FROM t WHERE b = 10"),
    ("UPDATE t SET c = 0 WHERE a = 1", "TRUNCATE t"),
    ("DELETE FROM t WHERE a IN (1, 5)", "INSERT INTO t VALUES (5, 50, 500)"),
    ("DELETE FROM t WHERE a IN (1, 7)", "UPDATE t SET a = 7 WHERE a = 2"),
    ("UPDATE t SET a = 9 WHERE b = 10 AND c = 100", "UPDATE t SET c = 101 WHERE a = 1"),
    ("UPDATE t SET c = 0 WHERE c > 0", "UPDATE t SET c = 1 WHERE a = 2"),
    ("UPDATE t SET c = (SELECT max(c) FROM t) WHERE a = 1", "UPDATE t SET c = 1000 WHERE a = 2"),
    ("UPDATE t SET c = (SELECT c FROM v) WHERE a = 1", "UPDATE t SET c = 1000 WHERE a = 2"),
    ("UPDATE t SET c = u.a FROM u WHERE t.a = 1 AND u.x = 'one'", "UPDATE u SET a = 5 WHERE x = 'two'"),
    ("INSERT INTO t VALUES (1, 0, 0) ON CONFLICT (a) DO UPDATE SET c = 1", "UPDATE t SET c = 0 WHERE a = 1"),
    ("INSERT INTO u SELECT a, 'x' FROM t WHERE a = 1", "UPDATE t SET c = 0 WHERE a = 1"),
    ("UPDATE u SET x = 'x' WHERE a = 1", "UPDATE u SET x = 'y' WHERE a = 2"),  # without a key
]


@pytest.mark.parametrize(("first", "second"), APART)
def test_rows_apart(db: Db, other: Db, t: None, first: str, second: str) -> None:
    """Both orders, and both in blocks: none conflicts, and what comes out is what one behind the other makes."""
    outcome = []
    for one, two in ((first, second), (second, first)):
        with db.transaction(force_rollback=True):
            db.execute(one)  # type: ignore[arg-type]
            db.execute(two)  # type: ignore[arg-type]
            outcome.append(everything(db))
    assert outcome[0] == outcome[1]
    db.execute("BEGIN")
    other.execute("BEGIN")
    db.execute(first)  # type: ignore[arg-type]
    other.execute(second)  # type: ignore[arg-type]
    db.execute("COMMIT")
    other.execute("COMMIT")
    assert everything(db) == everything(other) == outcome[0]


@pytest.mark.parametrize(("first", "second"), TOGETHER)
def test_rows_in_common(db: Db, other: Db, t: None, first: str, second: str) -> None:
    db.execute("BEGIN")
    db.execute(first)  # type: ignore[arg-type]
    other.execute(second)  # type: ignore[arg-type]
    after = everything(other)
    with pytest.raises(errors.SerializationFailure):
        db.execute("COMMIT")
    assert everything(db) == after


def everything(db: Db) -> list[list[tuple[Any, ...]]]:
    return [rows(db, f"SELECT * FROM {table} ORDER BY 1, 2") for table in ("t", "u")]


def test_a_savepoint_forgets_what_was_read(db: Db, other: Db, t: None) -> None:
    db.execute("BEGIN")
    db.execute("UPDATE t SET c = 0 WHERE a = 1")
    db.execute("SAVEPOINT s")
    db.execute("UPDATE t SET c = 0 WHERE a = 2")
    db.execute("ROLLBACK TO s")
    other.execute("UPDATE t SET c = 7 WHERE a = 2")
    db.execute("COMMIT")
    assert rows(db, "SELECT a, c FROM t WHERE a < 3 ORDER BY a") == [(1, 0), (2, 7)]


def test_a_column_dropped_and_a_key_added(db: Db, other: Db, t: None) -> None:
    """The places of stored columns are others than those of the table's."""
    db.execute("CREATE TABLE w (z int, a int, b int)")
    db.execute("INSERT INTO w VALUES (0, 1, 10), (0, 2, 20)")
    db.execute("ALTER TABLE w DROP COLUMN z")
    db.execute("ALTER TABLE w ADD PRIMARY KEY (a)")
    for key, fails in ((2, False), (1, True)):
        db.execute("BEGIN")
        db.execute("UPDATE w SET b = b + 1 WHERE a = 1")
        other.execute(f"UPDATE w SET b = b + 100 WHERE a = {key}")  # type: ignore[arg-type]
        if fails:
            with pytest.raises(errors.SerializationFailure):
                db.execute("COMMIT")
        else:
            db.execute("COMMIT")
    assert rows(db, "SELECT a, b FROM w ORDER BY a") == [(1, 111), (2, 120)]


def test_many_keys_are_the_whole_table(db: Db, other: Db, t: None) -> None:
    db.execute("INSERT INTO t SELECT i, i, i FROM generate_series(1000, 3000) AS i")
    for count, fails in ((1_000, False), (1_001, True)):
        keys = ",".join(str(1_000 + i) for i in range(count))
        db.execute("BEGIN")
        db.execute(f"UPDATE t SET c = c + 1 WHERE a IN ({keys})")  # type: ignore[arg-type]
        other.execute("UPDATE t SET c = c + 1 WHERE a = 3000")
        if fails:
            with pytest.raises(errors.SerializationFailure):
                db.execute("COMMIT")
        else:
            db.execute("COMMIT")


def test_a_large_write_conflicts_with_everybody(db: Db, other: Db, t: None) -> None:
    """Of so many keys it is not remembered when they were written."""
    db.execute("BEGIN")
    db.execute("UPDATE t SET c = 0 WHERE a = 1")
    other.execute("INSERT INTO t SELECT i, i, i FROM generate_series(10000, 25000) AS i")
    with pytest.raises(errors.SerializationFailure):
        db.execute("COMMIT")
    db.execute("BEGIN")
    db.execute("UPDATE t SET c = 0 WHERE a = 1")
    other.execute("UPDATE t SET c = 0 WHERE a = 10000")
    db.execute("COMMIT")


@pytest.mark.parametrize("seed", range(3))
def test_transfers_lose_nothing(runtime: InProcess, db: Db, seed: int) -> None:
    """Clients move amounts between a few accounts, in blocks and in single statements: the sum stays, and every transfer that
    was committed is in the balances."""
    db.execute("CREATE TABLE accounts (id int PRIMARY KEY, balance int)")
    db.execute("INSERT INTO accounts SELECT i, 0 FROM generate_series(0, 7) AS i")
    db.execute("CREATE MATERIALIZED VIEW total AS SELECT sum(balance) AS n FROM accounts")
    ((schema,),) = rows(db, "SELECT current_schema()")
    moved = [0] * 8
    lock = threading.Lock()
    wrong: list[object] = []

    def noted(changes: dict[int, int]) -> None:
        with lock:
            for account, amount in changes.items():
                moved[account] += amount

    def transfer(client: Db, random: Random) -> None:
        one, two = random.sample(range(8), 2)
        amount = random.randrange(1, 100)
        with client.transaction():
            client.execute("UPDATE accounts SET balance = balance - %s WHERE id = %s", (amount, one))
            client.execute("UPDATE accounts SET balance = balance + %s WHERE id = %s", (amount, two))
        noted({one: -amount, two: amount})

    def bonus(client: Db, random: Random) -> None:
        account = random.randrange(8)
        client.execute("UPDATE accounts SET balance = balance + 1 WHERE id = %s", (account,))
        client.execute("UPDATE accounts SET balance = balance - 1 WHERE id = %s", (account,))

    def work(number: int) -> None:
        random = Random(f"{seed} {number}")
        action: Callable[[Db, Random], None]
        with runtime.connect() as client:
            client.execute("SELECT set_config('search_path', %s, false)", (schema,))
            for _ in range(25):
                action = random.choice((transfer, transfer, bonus))
                try:
                    action(client, random)
                except errors.SerializationFailure:
                    continue
                except psycopg.Error as error:
                    wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    hydrated(db, "total")
    # A bonus is two statements: neither is lost, as a single statement is tried again until it succeeds.
    assert rows(db, "SELECT id, balance FROM accounts ORDER BY id") == list(enumerate(moved))
    eventually(lambda: rows(db, "SELECT n FROM total") == [(0,)])
