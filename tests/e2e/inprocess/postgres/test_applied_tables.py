"""ALTER TABLE ... APPLY of a table of a POSTGRES source that is written upstream meanwhile: views over it show what they show over one that is
not altered, at each time, whatever is killed."""

from __future__ import annotations

from random import Random
from threading import Event, Thread

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from servers.postgres_listening import Listening

from .support import Db, connect

VIEW = "SELECT n, count(*) AS c, min(id) AS first FROM {} WHERE n > 4 AND kind IS NOT NULL GROUP BY n"


def change(where: str, seed: int, done: Event) -> None:
    random = Random(seed)
    with psycopg.connect(where, autocommit=True) as db:
        while not done.wait(random.random() * 0.02):
            id_, n = random.randrange(40), random.randrange(10)
            match random.randrange(3):
                case 0:
                    db.execute("DELETE FROM t WHERE id = %s", (id_,))
                case 1:
                    db.execute(
                        "INSERT INTO t VALUES (%s, %s, 'y', %s) ON CONFLICT (id) DO UPDATE SET n = excluded.n",
                        (id_, n, f"trace {n}"),
                    )
                case _:
                    kind = random.choice(["x", None])
                    db.execute("UPDATE t SET kind = %s, trace = 'more' WHERE id >= %s", (kind, id_))


def both(db: Db) -> tuple[object, object]:
    """What the view shows over either table, as of one time."""
    with db.transaction():
        db.execute("SELECT * FROM untouched")  # the block's time
        (time,) = rows(db, "SELECT mz_now()::text::bigint")[0]
    first, second = (rows(db, f"SELECT * FROM v_{name} ORDER BY n AS OF {time}") for name in ("t", "kept"))
    return first, second


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(4))
def test_a_view_shows_the_same_over_a_table_that_is_altered(
    fresh: InProcess, server: Listening, database: str, seed: int
) -> None:
    random, done = Random(seed), Event()
    where = psycopg.conninfo.make_conninfo(server.uri, dbname=database)
    with psycopg.connect(where, autocommit=True) as upstream:
        for statement in (
            "SET ROLE ann",
            "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, kind text, trace text NOT NULL)",
            "ALTER TABLE t REPLICA IDENTITY FULL",
            "INSERT INTO t SELECT g, g % 10, 'y', 'trace' FROM generate_series(1, 30) g",
            "CREATE PUBLICATION p FOR TABLE t",
            "RESET ROLE",
        ):
            upstream.execute(statement.encode())
        with fresh.connect() as db:
            connect(db, server.port, database)
            db.execute(b"CREATE TABLE untouched (n int)")
            db.execute(b"CREATE SOURCE s FROM POSTGRES CONNECTION pg (PUBLICATION 'p')")
            for name in ("t", "kept"):
                db.execute(f"CREATE TABLE {name} FROM SOURCE s (REFERENCE t)".encode())
                history = "WITH (RETAIN HISTORY FOR '60s')"
                db.execute(f"CREATE MATERIALIZED VIEW v_{name} {history} AS {VIEW.format(name)}".encode())
            ready = "SELECT count(*) FROM mz_internal.mz_source_statistics JOIN mz_tables USING (id) WHERE snapshot_committed"
            eventually(lambda: rows(db, ready) == [(2,)])
        changer = Thread(target=change, args=(where, seed, done))
        changer.start()
        try:
            for step in range(6):
                with fresh.connect() as db:
                    if step == 2:
                        db.execute(b"ALTER TABLE kept APPLY")
                    for _ in range(random.randrange(1, 6)):
                        shown, kept = both(db)
                        assert kept == shown
                match random.randrange(3):
                    case 0:
                        fresh.kill_replica()
                    case 1:
                        fresh.abandon()
                        fresh.start()
                    case _:
                        pass
        finally:
            done.set()
            changer.join()
        with fresh.connect() as db:
            there = rows(upstream, "SELECT * FROM t ORDER BY id")
            eventually(lambda: rows(db, "SELECT * FROM t ORDER BY id") == there)
            wanted = [(id_, n, kind) for id_, n, kind, _ in there if n > 4 and kind is not None]
            eventually(lambda: rows(db, "SELECT * FROM kept ORDER BY id") == wanted)
            ((sql,),) = [row[1:] for row in rows(db, "SHOW CREATE TABLE kept")]
            assert "(kind IS NOT NULL)" in sql
            assert sql.endswith(" WITH (EXCLUDE COLUMNS (trace))")
            db.execute(sql.replace("TABLE public.kept", "TABLE again").encode())
            eventually(lambda: rows(db, "SELECT * FROM again ORDER BY id") == wanted)
