"""POSTGRES sinks of whole runtimes: what a reader of the table sees, whatever is killed meanwhile."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from random import Random
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from storage.connections.outside import postgres_with_passwords

from .support import PASSWORD, Db, connect

ACCOUNTS = 20


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with postgres_with_passwords("ann", PASSWORD) as port:
        yield port


@pytest.fixture
def outside(port: int) -> Iterator[Db]:
    """A connection to the PostgreSQL, whose schema `public` is another one each time."""
    where = f"host=127.0.0.1 port={port} user=ann password={PASSWORD} dbname=postgres"
    with psycopg.connect(where, autocommit=True, application_name="reader") as db:
        schema = f"s{uuid.uuid4().hex[:12]}"
        db.execute(f"CREATE SCHEMA {schema}".encode())
        db.execute(f"SET search_path = {schema}".encode())
        yield db


def schema_of(outside: Db) -> str:
    return str(rows(outside, "SELECT current_schema()")[0][0])


def status(db: Db) -> tuple[Any, ...]:
    return rows(db, "SELECT status, error FROM mz_internal.mz_sink_statuses WHERE name = 's'")[0]


def test_a_table_follows_a_view(fresh: InProcess, port: int, outside: Db) -> None:
    schema = schema_of(outside)
    with fresh.connect() as db:
        connect(db, port)
        db.execute(
            "CREATE TABLE t (k int, v numeric(10, 2), at timestamptz, tags text[], d jsonb, note text)"
        )
        db.execute(
            r"""INSERT INTO t VALUES (1, 1.50, '2026-01-01 00:00:00+00', '{a,"b c",NULL}', '{"a": [1, null]}', E'tab\t line\n back\\slash \\N'),
            (2, NULL, NULL, NULL, NULL, NULL), (3, -7, 'infinity', '{}', '1', '')"""
        )
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
        db.execute(
            f"CREATE SINK s FROM m INTO POSTGRES CONNECTION pg (TABLE {schema}.out) KEY (k) NOT ENFORCED ENVELOPE UPSERT".encode()
        )
        eventually(lambda: outside.execute("SELECT to_regclass('out')").fetchone() != (None,))
        eventually(lambda: rows(outside, "SELECT count(*) FROM out") == [(3,)])
        everything = "SELECT k, v::text, at::text, tags::text, d::text, note FROM {} ORDER BY k"
        db.execute("SET timezone = 'UTC'")
        outside.execute("SET timezone = 'UTC'")
        assert rows(outside, everything.format("out")) == rows(db, everything.format("m"))
        db.execute("UPDATE t SET note = 'new' WHERE k = 1")
        db.execute("DELETE FROM t WHERE k = 2")
        eventually(lambda: rows(outside, everything.format("out")) == rows(db, everything.format("m")))
        assert status(db) == ("running", None)
        into = f'INTO POSTGRES CONNECTION public.pg (TABLE {schema}."out") KEY (k) ENVELOPE UPSERT'
        assert rows(db, "SHOW CREATE SINK s")[0][1].endswith(into)
        with pytest.raises(psycopg.Error, match=f'sink "s" writes to table "{schema}.out" already'):
            db.execute(
                f"CREATE SINK s2 FROM m INTO POSTGRES CONNECTION pg (TABLE {schema}.out) KEY (k) ENVELOPE UPSERT".encode()
            )
        db.execute("INSERT INTO t (k, note) VALUES (1, 'twice')")
        eventually(lambda: status(db)[0] == "stalled")
        assert "has a row that the sink is to insert" in status(db)[1]
        db.execute("DELETE FROM t WHERE note = 'twice'")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_reader_sees_whole_transactions_whatever_is_killed(
    fresh: InProcess, port: int, outside: Db, seed: int
) -> None:
    """Money moves between accounts: no reader of the table ever sees a sum of balances that never was."""
    random, schema = Random(seed), schema_of(outside)
    with fresh.connect() as db:
        connect(db, port)
        db.execute("CREATE TABLE moves (account int, amount int)")
        db.execute(f"INSERT INTO moves SELECT i, 100 FROM generate_series(1, {ACCOUNTS}) i".encode())
        db.execute(
            "CREATE MATERIALIZED VIEW balances AS SELECT account, sum(amount)::bigint AS balance FROM moves GROUP BY account"
        )
        db.execute(
            f"CREATE SINK s FROM balances INTO POSTGRES CONNECTION pg (TABLE {schema}.out) KEY (account) NOT ENFORCED "
            "ENVELOPE UPSERT".encode()
        )
        eventually(lambda: outside.execute("SELECT to_regclass('out')").fetchone() != (None,))
    seen: set[tuple[Any, ...]] = set()
    done = Event()

    def watch() -> None:
        where = f"host=127.0.0.1 port={port} user=ann password={PASSWORD} dbname=postgres"
        with psycopg.connect(where, autocommit=True) as reader:
            while not done.wait(0.005):
                seen.add(rows(reader, f"SELECT count(*), sum(balance)::int FROM {schema}.out")[0])

    reader = Thread(target=watch)
    reader.start()
    try:
        for _ in range(12):
            with fresh.connect() as db:
                for _ in range(random.randrange(1, 6)):
                    amount, (a, b) = random.randrange(1, 50), random.sample(range(1, ACCOUNTS + 1), 2)
                    db.execute("INSERT INTO moves VALUES (%s, %s), (%s, %s)", (a, -amount, b, amount))
            match random.randrange(5):
                case 0:
                    fresh.kill_replica()
                case 1:
                    fresh.abandon()
                    fresh.start()
                case 2:
                    outside.execute(
                        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'ptvc'"
                    )
                case _:
                    pass
        with fresh.connect() as db:
            wanted = rows(db, "SELECT account, balance FROM balances ORDER BY 1")
            eventually(lambda: rows(outside, "SELECT account, balance FROM out ORDER BY 1") == wanted)
    finally:
        done.set()
        reader.join()
    assert seen - {(0, None)} == {(ACCOUNTS, 100 * ACCOUNTS)}


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(4))
def test_a_reader_sees_one_view_or_another_while_the_sink_is_given_others(
    fresh: InProcess, port: int, outside: Db, seed: int
) -> None:
    """None waits for the one before.  Each view has every account once, and all of the money."""
    random, schema = Random(seed), schema_of(outside)
    with fresh.connect() as db:
        connect(db, port)
        db.execute("CREATE TABLE moves (account int, amount int)")
        db.execute(f"INSERT INTO moves SELECT i, 100 FROM generate_series(1, {ACCOUNTS}) i".encode())
        for step in range(3):
            db.execute(
                f"CREATE MATERIALIZED VIEW v{step} AS SELECT (account + {step}) % {ACCOUNTS} AS account, "
                f"sum(amount)::bigint AS balance FROM moves GROUP BY (account + {step}) % {ACCOUNTS}".encode()
            )
        db.execute(
            f"CREATE SINK s FROM v0 INTO POSTGRES CONNECTION pg (TABLE {schema}.out) KEY (account) NOT ENFORCED "
            "ENVELOPE UPSERT".encode()
        )
        eventually(lambda: outside.execute("SELECT to_regclass('out')").fetchone() != (None,))
    seen: set[tuple[Any, ...]] = set()
    done = Event()

    def watch() -> None:
        where = f"host=127.0.0.1 port={port} user=ann password={PASSWORD} dbname=postgres"
        with psycopg.connect(where, autocommit=True) as reader:
            while not done.wait(0.005):
                seen.add(rows(reader, f"SELECT count(*), sum(balance)::int FROM {schema}.out")[0])

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    on = "v0"
    for _ in range(15):
        with fresh.connect() as db:
            one, other, amount = random.randrange(ACCOUNTS), random.randrange(ACCOUNTS), random.randrange(50)
            db.execute(f"INSERT INTO moves VALUES ({one}, {-amount}), ({other}, {amount})".encode())
            on = random.choice(["v0", "v1", "v2"])
            db.execute(f"ALTER SINK s SET FROM {on}".encode())
        match random.randrange(6):
            case 0:
                fresh.kill_replica()
            case 1:
                fresh.abandon()
                fresh.start()
    with fresh.connect() as db:
        wanted = rows(db, f"SELECT account, balance FROM {on} ORDER BY account")
        eventually(lambda: rows(outside, "SELECT account, balance FROM out ORDER BY account") == wanted)
    done.set()
    watcher.join()
    assert seen - {(0, None)} == {(ACCOUNTS, 100 * ACCOUNTS)}
