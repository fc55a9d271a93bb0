"""WHERE of tables of POSTGRES sources: at each time they have what a view shows over the table without, whatever is killed."""

from __future__ import annotations

from random import Random
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from servers.postgres_listening import Listening

from .support import Db, connect

CONDITIONS = (
    "n > 5 AND kind <> 'x'",
    "12 / n > 2",
    "kind IS NULL OR 10 / (n - 1) > 1",
    "id % 3 = 0 AND length(kind) = 1",
)


def change(where: str, seed: int, done: Event) -> None:
    random = Random(seed)
    with psycopg.connect(where, autocommit=True) as db:
        while not done.wait(random.random() * 0.02):
            with db.transaction(force_rollback=random.random() < 0.2):
                db.execute(
                    b"SELECT pg_advisory_xact_lock(1)"
                )  # two that change many rows would wait for each other
                for _ in range(random.randrange(1, 6)):
                    id_, kind = random.randrange(40), random.choice(["x", "y", None])
                    match random.randrange(3):
                        case 0:
                            db.execute("DELETE FROM t WHERE id = %s", (id_,))
                        case 1:
                            n = random.randrange(10)
                            db.execute(
                                "INSERT INTO t VALUES (%s, %s, %s) ON CONFLICT (id) DO UPDATE SET n = excluded.n",
                                (id_, n, kind),
                            )
                        case _:
                            db.execute("UPDATE t SET kind = %s, n = n + 1 WHERE id >= %s", (kind, id_))


def answer(db: Db, sql: str) -> list[tuple[Any, ...]] | str:
    """The rows, or the SQLSTATE that the query fails with."""
    try:
        return rows(db, sql)
    except psycopg.errors.DivisionByZero:
        return "22012"


def both(db: Db, condition: str) -> tuple[Any, Any]:
    """What the view shows, and what the table has, as of one time."""
    with db.transaction():
        db.execute("SELECT * FROM untouched")  # the block's time
        (time,) = rows(db, "SELECT mz_now()::text::bigint")[0]
    at = f"AS OF {time}"
    return (
        answer(db, f"SELECT * FROM t WHERE {condition} ORDER BY id, n {at}"),
        answer(db, f"SELECT * FROM kept ORDER BY id, n {at}"),
    )


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(8))
def test_a_filtered_table_is_what_a_view_shows_whatever_is_killed(
    fresh: InProcess, server: Listening, database: str, seed: int
) -> None:
    random, done = Random(seed), Event()
    condition = CONDITIONS[seed % len(CONDITIONS)]
    where = psycopg.conninfo.make_conninfo(server.uri, dbname=database)
    with psycopg.connect(where, autocommit=True) as upstream:
        for statement in (
            "SET ROLE ann",
            "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, kind text)",
            "ALTER TABLE t REPLICA IDENTITY FULL",
            "INSERT INTO t SELECT g, g % 10, 'y' FROM generate_series(1, 30) g",
            "CREATE PUBLICATION p FOR TABLE t",
            "RESET ROLE",
        ):
            upstream.execute(statement.encode())
        with fresh.connect() as db:
            connect(db, server.port, database)
            for statement in (
                "CREATE TABLE untouched (n int)",
                "CREATE SOURCE s FROM POSTGRES CONNECTION pg (PUBLICATION 'p')",
                "CREATE TABLE t FROM SOURCE s (REFERENCE t)",
                f"CREATE TABLE kept FROM SOURCE s (REFERENCE t) WHERE ({condition}) WITH (RETAIN HISTORY FOR '60s')",
                "ALTER TABLE t SET (RETAIN HISTORY FOR '60s')",
                "ALTER TABLE untouched SET (RETAIN HISTORY FOR '60s')",
            ):
                db.execute(statement.encode())
            ready = "SELECT count(*) FROM mz_internal.mz_source_statistics JOIN mz_tables USING (id) WHERE snapshot_committed"
            eventually(lambda: rows(db, ready) == [(2,)])
        changers = [Thread(target=change, args=(where, 10 * seed + i, done)) for i in range(2)]
        for changer in changers:
            changer.start()
        try:
            for _ in range(8):
                with fresh.connect() as db:
                    for _ in range(random.randrange(1, 6)):
                        shown, kept = both(db, condition)
                        assert kept == shown
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
            for changer in changers:
                changer.join()
        upstream.execute(b"DELETE FROM t WHERE id = 1")
        upstream.execute(b"INSERT INTO t VALUES (1, 6, 'y')")
        with fresh.connect() as db:
            there = rows(upstream, "SELECT * FROM t ORDER BY id, n")
            eventually(lambda: rows(db, "SELECT * FROM t ORDER BY id, n") == there)
            shown, kept = both(db, condition)
            assert kept == shown
            try:
                assert kept == rows(upstream, f"SELECT * FROM t WHERE {condition} ORDER BY id, n")
            except psycopg.errors.DivisionByZero:
                assert kept == "22012"
            ((sql,),) = [row[1:] for row in rows(db, "SHOW CREATE TABLE kept")]
            assert f"(REFERENCE public.t) WHERE ({condition}) WITH" in sql
