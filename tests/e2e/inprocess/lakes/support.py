"""What tests of sinks into lakes share: money that moves between accounts, while somebody kills."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import psycopg
from inprocess import InProcess, rows

Db = psycopg.Connection[tuple[Any, ...]]
ACCOUNTS = 20


def status(db: Db) -> tuple[Any, ...]:
    return rows(db, "SELECT status, error FROM mz_internal.mz_sink_statuses WHERE name = 's'")[0]


def make_balances(db: Db) -> None:
    db.execute("CREATE TABLE moves (account int, amount int)")
    db.execute(f"INSERT INTO moves SELECT i, 100 FROM generate_series(1, {ACCOUNTS}) i".encode())
    db.execute(
        "CREATE MATERIALIZED VIEW balances AS SELECT account, sum(amount)::bigint AS balance FROM moves GROUP BY account"
    )


def perhaps_kill(runtime: InProcess, random: Random) -> None:
    match random.randrange(5):
        case 0:
            runtime.kill_replica()
        case 1:
            runtime.abandon()
            runtime.start()
        case _:
            pass


def move_money(runtime: InProcess, random: Random) -> None:
    for _ in range(12):
        with runtime.connect() as db:
            for _ in range(random.randrange(1, 6)):
                amount, (a, b) = random.randrange(1, 50), random.sample(range(1, ACCOUNTS + 1), 2)
                db.execute("INSERT INTO moves VALUES (%s, %s), (%s, %s)", (a, -amount, b, amount))
        perhaps_kill(runtime, random)


def source_status(db: Db, name: str) -> tuple[Any, ...]:
    query = "SELECT status, error FROM mz_internal.mz_source_statuses WHERE name = %s"
    return db.execute(query, (name,)).fetchall()[0]


def move_accounts(
    runtime: InProcess, random: Random, write: Callable[[list[tuple[int, int]], bool], None]
) -> set[tuple[Any, ...]]:
    """What readers of `accounts` have seen: how many, and their sum.  `write` is a commit of the lake, of all accounts or of some."""
    balances = dict.fromkeys(range(ACCOUNTS), 100)
    seen: set[tuple[Any, ...]] = set()
    for _ in range(12):
        for _ in range(random.randrange(1, 6)):
            amount, (a, b) = random.randrange(1, 50), random.sample(range(ACCOUNTS), 2)
            balances[a] -= amount
            balances[b] += amount
            if random.random() < 0.3:
                write(sorted(balances.items()), True)
            else:
                write([(a, balances[a]), (b, balances[b])], False)
            with runtime.connect() as db:
                seen |= set(rows(db, "SELECT count(*), sum(balance)::bigint FROM accounts"))
        perhaps_kill(runtime, random)
    return seen
