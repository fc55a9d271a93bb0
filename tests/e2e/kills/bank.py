"""A bank in PostgreSQL, as pgbench has one, whose many writers keep sums equal over four tables; and what a runtime that follows it shows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from random import Random
from typing import Any

import psycopg
from servers.postgres_listening import Listening

from ..runtime_process import Runtime

BRANCHES, TELLERS, ACCOUNTS = 3, 12, 600
WRITERS = 8
TABLES = ("branches", "tellers", "accounts", "history")
USER, PASSWORD = "ann", "a-password"
Row = tuple[Any, ...]
Db = psycopg.Connection[Row]

_TABLES = f"""
    CREATE TABLE branches (bid int PRIMARY KEY, balance bigint NOT NULL, filler text);
    CREATE TABLE tellers (tid int PRIMARY KEY, bid int NOT NULL, balance bigint NOT NULL);
    CREATE TABLE accounts (aid int PRIMARY KEY, bid int NOT NULL, balance bigint NOT NULL, filler text);
    CREATE TABLE history (id bigserial, tid int, bid int NOT NULL, aid int, delta bigint NOT NULL, at timestamptz DEFAULT now());
    CREATE TABLE unread (id bigserial PRIMARY KEY, text text);
    INSERT INTO branches SELECT g, 0, repeat('b', 3000) FROM generate_series(1, {BRANCHES}) g;
    INSERT INTO tellers SELECT g, g % {BRANCHES} + 1, 0 FROM generate_series(1, {TELLERS}) g;
    INSERT INTO accounts SELECT g, g % {BRANCHES} + 1, 0, repeat('a', 80) FROM generate_series(1, {ACCOUNTS}) g;
    {"".join(f"ALTER TABLE {table} REPLICA IDENTITY FULL;" for table in TABLES)}
    CREATE PUBLICATION bank FOR TABLE {", ".join(TABLES)};
    {"".join(f"GRANT SELECT ON {table} TO {USER};" for table in TABLES)}
"""
_VIEWS = (
    "CREATE MATERIALIZED VIEW sums AS SELECT bid, branches.balance, t.balance AS tellers, a.balance AS accounts, "
    "coalesce(h.balance, 0) AS history FROM branches "
    "JOIN (SELECT bid, sum(balance) AS balance FROM tellers GROUP BY bid) t USING (bid) "
    "JOIN (SELECT bid, sum(balance) AS balance FROM accounts GROUP BY bid) a USING (bid) "
    "LEFT JOIN (SELECT bid, sum(delta) AS balance FROM history GROUP BY bid) h USING (bid)",
    "CREATE MATERIALIZED VIEW unequal AS SELECT * FROM sums "
    "WHERE balance <> tellers OR balance <> accounts OR balance <> history",
)
_TOTALS = (
    "SELECT (SELECT sum(balance) FROM branches), (SELECT sum(balance) FROM tellers), "
    "(SELECT sum(balance) FROM accounts), (SELECT coalesce(sum(delta), 0) FROM history)"
)
_DEFINITIONS = (
    "ALTER TABLE accounts ADD COLUMN IF NOT EXISTS added int DEFAULT 7",
    "ALTER TABLE accounts DROP COLUMN IF EXISTS added",
    "ALTER TABLE tellers ADD COLUMN IF NOT EXISTS added text",
    "ALTER TABLE tellers DROP COLUMN IF EXISTS added",
    "CREATE INDEX IF NOT EXISTS by_teller ON history (tid)",
    "DROP INDEX IF EXISTS by_teller",
    "VACUUM FULL tellers",
    "CLUSTER accounts USING accounts_pkey",
    "ALTER TABLE unread RENAME COLUMN text TO words; ALTER TABLE unread RENAME COLUMN words TO text",
    "TRUNCATE unread",
    "ALTER PUBLICATION bank ADD TABLE unread; ALTER PUBLICATION bank DROP TABLE unread",
    "ALTER TABLE branches ALTER COLUMN filler SET STORAGE EXTERNAL",
    "ALTER TABLE branches ALTER COLUMN filler SET STORAGE EXTENDED",
    "ANALYZE",
)
"""None of these changes what is read of the tables: the history's columns stay, as tables of all that it has are made meanwhile.  Two in one
string are one transaction."""


class Bank:
    """The server, and the runtime that follows it."""

    def __init__(self, server: Listening, runtime: Runtime) -> None:
        self._server, self._runtime = server, runtime
        with self.connect() as db:
            db.execute(_TABLES.encode())
        runtime.run(
            f"CREATE SECRET pw AS '{PASSWORD}'",
            f"CREATE CONNECTION pg TO POSTGRES (HOST '127.0.0.1', PORT {server.port}, DATABASE postgres, "
            f"USER {USER}, PASSWORD SECRET pw)",
            f"CREATE SOURCE bank FROM POSTGRES CONNECTION pg (PUBLICATION 'bank') FOR TABLES ({', '.join(TABLES)})",
            *_VIEWS,
        )

    def connect(self) -> Db:
        return psycopg.connect(self._server.uri, autocommit=True)

    def add_table(self, name: str) -> None:
        """One more that reads the history, while it is written."""
        self._runtime.eventually(
            lambda: self._ran(f"CREATE TABLE {name} FROM SOURCE bank (REFERENCE history)")
        )

    def drop_table(self, name: str) -> None:
        self._runtime.eventually(lambda: self._ran(f"DROP TABLE IF EXISTS {name}"))

    def _ran(self, statement: str) -> bool:
        try:
            self._runtime.run(statement)
        except psycopg.errors.DuplicateTable:
            return True  # it was made, and the answer was lost with the process that was killed
        return True

    def check(self, *histories: str) -> None:
        """All tables are there as they are upstream, and so are the views."""
        with self.connect() as db:
            for table, here in [
                *((table, table) for table in TABLES),
                *(("history", name) for name in histories),
            ]:
                names = [name for (name,) in self._runtime.eventually(lambda h=here: self._columns(h))]  # type: ignore[misc]
                query = f"SELECT {', '.join(names)} FROM {{}} ORDER BY {', '.join(names[:2])}"
                wanted = db.execute(query.format(table).encode()).fetchall()
                self._runtime.eventually(
                    lambda h=here, q=query, w=wanted: self._runtime.run(q.format(h)) == w
                )  # type: ignore[misc]
            (totals,) = db.execute(_TOTALS.encode()).fetchall()
        assert self._runtime.run(_TOTALS) == [totals]
        sums = self._runtime.run("SELECT sum(balance), sum(tellers), sum(accounts), sum(history) FROM sums")
        assert sums == [totals]
        assert self._runtime.run("SELECT * FROM unequal") == []

    def _columns(self, table: str) -> list[Row]:
        return self._runtime.run(
            f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}' ORDER BY ordinal_position"
        )


class Work:
    """Writers, whoever alters tables, and readers, until the block is left.  What a reader sees wrong is raised there."""

    def __init__(self, bank: Bank, runtime: Runtime, seed: int) -> None:
        self._bank, self._runtime, self._seed = bank, runtime, seed
        self._stop = threading.Event()
        self._wrong: list[BaseException] = []
        self.committed = self.seen = self.defined = 0

    @contextmanager
    def going_on(self) -> Iterator[None]:
        self._stop.clear()
        self._seed += 1000
        actions: list[Callable[[], None]] = [
            partial(self._write, Random(self._seed + i)) for i in range(WRITERS)
        ]
        actions += [partial(self._define, Random(self._seed + WRITERS)), self._read, self._subscribe]
        with ExitStack() as stack:
            for action in actions:
                thread = threading.Thread(target=self._until_stopped, args=(action,))
                thread.start()
                stack.callback(thread.join)
            stack.callback(self._stop.set)
            yield
        if self._wrong:
            raise self._wrong[0]

    def _until_stopped(self, action: Callable[[], None]) -> None:
        """Whoever is cut off, or loses to another one, begins again."""
        while not self._stop.is_set():
            try:
                action()
            except psycopg.Error as error:
                if _is_wrong(error):
                    self._wrong.append(error)
                    return
                self._stop.wait(0.1)
            except BaseException as error:
                self._wrong.append(error)
                return

    def _write(self, random: Random) -> None:
        with self._bank.connect() as db:
            while not self._stop.wait(random.random() * 0.04):
                with db.transaction():
                    self._transaction(db, random)
                self.committed += 1

    def _transaction(self, db: Db, random: Random) -> None:
        teller = random.randrange(TELLERS) + 1
        branch = teller % BRANCHES + 1
        many = random.random() < 0.02
        accounts = [(random.randrange(ACCOUNTS // BRANCHES) * BRANCHES + branch - 1) or ACCOUNTS]
        if many:
            accounts = [a or ACCOUNTS for a in range(branch - 1, ACCOUNTS, BRANCHES)]
        delta = random.randrange(-500, 500)
        # Locks are taken in one order.
        db.execute(
            "UPDATE branches SET balance = balance + %s WHERE bid = %s", (delta * len(accounts), branch)
        )
        if random.random() < 0.2:
            with db.transaction(force_rollback=True):
                db.execute("UPDATE tellers SET balance = 0 WHERE tid = %s", (teller,))
        db.execute(
            "UPDATE tellers SET balance = balance + %s WHERE tid = %s", (delta * len(accounts), teller)
        )
        db.execute("UPDATE accounts SET balance = balance + %s WHERE aid = ANY(%s)", (delta, accounts))
        db.execute(
            "INSERT INTO history (tid, bid, aid, delta) SELECT %s, %s, unnest(%s::int[]), %s",
            (teller, branch, accounts, delta),
        )
        db.execute("INSERT INTO unread (text) VALUES (repeat('u', 100))")
        match random.randrange(30):
            case 0:  # the past of a branch becomes one row
                db.execute(
                    "WITH gone AS (DELETE FROM history WHERE bid = %s RETURNING delta) "
                    "INSERT INTO history (bid, delta) SELECT %s, sum(delta) FROM gone",
                    (branch, branch),
                )
            case 1:  # an account is closed and opened under its number
                db.execute(
                    "WITH gone AS (DELETE FROM accounts WHERE aid = %s RETURNING bid, balance, filler) "
                    "SELECT set_config('bank.balance', balance::text, true) FROM gone",
                    (accounts[0],),
                )
                db.execute(
                    "INSERT INTO accounts VALUES (%s, %s, current_setting('bank.balance')::bigint, 'again')",
                    (accounts[0], branch),
                )
            case 2:
                raise psycopg.Rollback

    def _define(self, random: Random) -> None:
        with self._bank.connect() as db:
            db.execute("SET lock_timeout = '500ms'")
            while not self._stop.wait(random.random()):
                db.execute(random.choice(_DEFINITIONS).encode())
                self.defined += 1

    def _read(self) -> None:
        with self._runtime.connect() as db:
            while not self._stop.wait(0.05):
                (totals,) = db.execute(_TOTALS.encode()).fetchall()
                assert len({total or 0 for total in totals}) == 1, f"a transaction is seen in part: {totals}"
                assert db.execute("SELECT * FROM unequal").fetchall() == []
                self.seen += 1

    def _subscribe(self) -> None:
        """At no time at all there is a row."""
        with self._runtime.connect() as db, db.transaction():
            db.execute("DECLARE c CURSOR FOR SUBSCRIBE unequal")
            while not self._stop.is_set():
                assert db.execute("FETCH ALL c WITH (timeout = '500ms')").fetchall() == []


_CUT_OFF = ("08", "53", "55", "57", "40", "XX")
"""Classes of SQLSTATEs of whoever is cut off, or loses: also to VACUUM FULL and its like."""


def _is_wrong(error: psycopg.Error) -> bool:
    return error.sqlstate is not None and not error.sqlstate.startswith(_CUT_OFF)
