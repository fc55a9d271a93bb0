"""POSTGRES sources and sinks end to end, over a server that is there: `wal_level = logical`, and a role that may replicate and make
schemas and publications.  What comes is compared with what there is; that is not timed."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import conninfo

from ..measure import FreshnessResult, Latencies, load
from ..runtime import RuntimeFailed, ServedRuntime, await_true, served
from .results import ReplicationResult
from .timed import OF_TABLE, Row, timed

UPDATES = 10
"""Statements, one after the other, which together update every row once."""
Db = psycopg.Connection[Row]
_TIMEOUT_S = 600.0
_POLL_S = 0.02


def run_backlogs(upstream: str, rows: int) -> Iterator[ReplicationResult]:
    """A table's contents, then transactions of two fifths as many rows each: inserts, updates, deletes."""
    with _schema(upstream) as (there, schema), served() as runtime, runtime.connect() as db:
        _table(there, schema, "k bigint PRIMARY KEY, name text, price numeric(12,2), at timestamptz")
        there.execute(f"INSERT INTO t {_rows(1, rows)}".encode())
        _connect(db, upstream)

        def wanted() -> Row | None:
            return there.execute(OF_TABLE.encode()).fetchone()

        yield timed(runtime, db, wanted, "contents", rows, lambda: _follow(db, schema))
        part = rows * 2 // 5
        for what, statement, changed in (
            ("inserts", f"INSERT INTO t {_rows(rows + 1, rows + part)}", part),
            ("updates", f"UPDATE t SET price = price + 1 WHERE k <= {part}", part),
            ("deletes", f"DELETE FROM t WHERE k > {rows}", part),
        ):
            there.execute(statement.encode())
            yield timed(runtime, db, wanted, f"behind {what}", changed)
        _leave(db, there)


def run_freshness(upstream: str, rate: int, seconds: int) -> FreshnessResult:
    """From when a transaction of two rows is committed until both are in a subscription to a view."""
    with _schema(upstream) as (there, schema), served() as runtime, runtime.connect() as db:
        _table(there, schema, "n bigint, part int")
        _connect(db, upstream)
        _follow(db, schema)
        db.execute("CREATE MATERIALIZED VIEW v AS SELECT n, count(*) AS parts FROM t GROUP BY n")
        await_true(lambda: db.execute("SELECT count(*) FROM v").fetchone() == (0,), "the view is there")
        sent = [0.0] * (rate * seconds)
        seen: dict[int, float] = {}
        reader = threading.Thread(target=_read, args=(runtime, len(sent), seen), daemon=True)
        reader.start()
        time.sleep(1)
        begin, warm, cpu = time.perf_counter(), range(len(sent) // 5, len(sent)), 0.0
        for number in range(len(sent)):
            if number == warm.start:
                cpu = runtime.cpu_seconds()
            if (wait := begin + number / rate - time.perf_counter()) > 0:
                time.sleep(wait)
            there.execute("INSERT INTO t VALUES (%s, 1), (%s, 2)", (number, number), prepare=True)
            sent[number] = time.perf_counter()
        reader.join(60)
        if len(seen) != len(sent):
            raise RuntimeFailed(f"{len(seen)} of {len(sent)} transactions have come to the view")
        _leave(db, there)
        latencies = Latencies.of([seen[n] - sent[n] for n in warm], runtime.cpu_seconds() - cpu)
        return FreshnessResult("postgres", rate, latencies, load())


def _read(runtime: ServedRuntime, count: int, seen: dict[int, float]) -> None:
    with runtime.connect() as db:
        for _, _, number, parts in db.cursor().stream("SUBSCRIBE v"):
            if parts != 2:
                raise RuntimeFailed(f"a transaction is seen in part: {parts} of 2 rows")
            seen[number] = time.perf_counter()
            if len(seen) == count:
                return


def run_sink(upstream: str, rows: int) -> Iterator[ReplicationResult]:
    """A view's contents into a table that is made there, then updates of all of its rows."""
    with _schema(upstream) as (there, schema), served() as runtime, runtime.connect() as db:
        _connect(db, upstream)
        db.execute("CREATE TABLE s (k bigint NOT NULL, name text, price numeric(12,2), at timestamptz)")
        db.execute("CREATE MATERIALIZED VIEW t AS SELECT * FROM s WHERE k >= 0")
        db.execute(f"INSERT INTO s {_rows(1, rows)}".encode())
        await_true(lambda: db.execute("SELECT count(*) FROM t").fetchone() == (rows,), "the view is there")
        sink = f"CREATE SINK x FROM t INTO POSTGRES CONNECTION pg (TABLE {schema}.t) KEY (k) ENVELOPE UPSERT"
        for what, statements in (
            ("sink: contents", [sink]),
            (
                "sink: updates",
                [f"UPDATE s SET price = price + 1 WHERE k % {UPDATES} = {n}" for n in range(UPDATES)],
            ),
        ):
            begin, cpu = time.perf_counter(), runtime.cpu_seconds()
            for statement in statements:
                db.execute(statement.encode())
            await_true(lambda: _is_written(db, there), f"{what} are there", _TIMEOUT_S, _POLL_S)
            seconds, cpu = time.perf_counter() - begin, runtime.cpu_seconds() - cpu
            yield ReplicationResult(what, rows, seconds, cpu, load())
        db.execute("DROP SINK x")


def _leave(db: Db, there: Db) -> None:
    """The slot goes with its source, in the background."""
    (slot,) = db.execute("SELECT replication_slot FROM mz_catalog.mz_postgres_sources").fetchone() or ("",)
    db.execute("DROP SOURCE s CASCADE")
    query = "SELECT count(*) FROM pg_replication_slots WHERE slot_name = %s"
    await_true(lambda: there.execute(query, (slot,)).fetchone() == (0,), "the slot is dropped")


def _is_written(db: Db, there: Db) -> bool:
    if there.execute("SELECT to_regclass('t') IS NULL").fetchone() == (True,):
        return False
    query = b"SELECT count(*), sum(k), sum(price) FROM t"
    return there.execute(query).fetchone() == db.execute(query).fetchone()


@contextmanager
def _schema(upstream: str) -> Iterator[tuple[Db, str]]:
    """A session in a schema of its own, which is dropped with its publication."""
    name = f"ptvc_bench_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(upstream, autocommit=True) as there:
        there.execute(f"CREATE SCHEMA {name}".encode())
        there.execute(f"SET search_path = {name}".encode())
        try:
            yield there, name
        finally:
            there.execute(f"DROP PUBLICATION IF EXISTS {name}".encode())
            there.execute(f"DROP SCHEMA {name} CASCADE".encode())


def _table(there: Db, schema: str, columns: str) -> None:
    """One that is published, as its schema is called."""
    there.execute(f"CREATE TABLE t ({columns})".encode())
    there.execute("ALTER TABLE t REPLICA IDENTITY FULL")
    there.execute(f"CREATE PUBLICATION {schema} FOR TABLE t".encode())


def _rows(first: int, last: int) -> str:
    return (
        "SELECT i, 'customer ' || i, i * 0.25, timestamptz '2026-01-01 UTC' + i * interval '1 second' "
        f"FROM generate_series({first}, {last}) g (i)"
    )


def _connect(db: Db, upstream: str) -> None:
    given = conninfo.conninfo_to_dict(upstream)
    db.execute(f"CREATE SECRET pw AS '{given.get('password', '')}'".encode())
    options = (
        f"HOST '{given['host']}', PORT {given['port']}, DATABASE '{given['dbname']}', USER '{given['user']}'"
    )
    db.execute(f"CREATE CONNECTION pg TO POSTGRES ({options}, PASSWORD SECRET pw)".encode())


def _follow(db: Db, schema: str) -> None:
    db.execute(
        f"CREATE SOURCE s FROM POSTGRES CONNECTION pg (PUBLICATION '{schema}') FOR TABLES ({schema}.t)".encode()
    )
