"""Views that are released: their first version, the next one staged beside it, and a reader who polls meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from inprocess import InProcess, rows

DB = psycopg.Connection[tuple[Any, ...]]


def fill(db: DB) -> None:
    """Version 0 of two views, of what is over them, and of a view and a materialized view that are exchanged by their names."""
    db.execute("CREATE TABLE t (a int NOT NULL)")
    db.execute("INSERT INTO t SELECT i FROM generate_series(1, 50) AS g(i)")
    db.execute("CREATE MATERIALIZED VIEW x AS SELECT a, 0 AS v FROM t")
    db.execute("CREATE MATERIALIZED VIEW y AS SELECT a, 0 AS v FROM t WHERE a % 2 = 0")
    db.execute("CREATE MATERIALIZED VIEW d AS SELECT x.a, x.v, y.v AS w FROM x JOIN y ON x.a = y.a")
    db.execute("CREATE INDEX x_a ON x (a)")
    db.execute("CREATE VIEW p AS SELECT a, 0 AS v FROM t")
    db.execute("CREATE MATERIALIZED VIEW q AS SELECT a, 0 AS v FROM t")


def stage(db: DB, version: int) -> None:
    db.execute(f"CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT a, {version} AS v FROM t")
    db.execute(
        f"CREATE REPLACEMENT MATERIALIZED VIEW y_next FOR y AS SELECT a, {version} AS v FROM t WHERE a % 2 = 0"
    )
    db.execute(f"CREATE VIEW p_next AS SELECT a, {version} AS v FROM t")
    db.execute(f"CREATE MATERIALIZED VIEW q_next AS SELECT a, {version} AS v FROM t")


@contextmanager
def reading(
    runtime: InProcess, readers: int, read: Callable[[DB], None], forgiven: tuple[type[Exception], ...] = ()
) -> Iterator[list[Any]]:
    """`read` again and again meanwhile; gives what it raised, but for what is `forgiven`."""
    stop, failures = threading.Event(), list[Any]()

    def run() -> None:
        with runtime.connect() as mine:
            while not stop.is_set():
                try:
                    read(mine)
                except forgiven:
                    continue
                except Exception as error:
                    failures.append(error)
                    return

    threads = [threading.Thread(target=run, daemon=True) for _ in range(readers)]
    for thread in threads:
        thread.start()
    try:
        yield failures
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()


def stage_chain(db: DB, factor: int) -> None:
    """Two replacements, one over the other, and new objects over both."""
    db.execute(f"CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT a, {factor} * a AS v FROM t")
    db.execute(
        "CREATE REPLACEMENT MATERIALIZED VIEW y_next FOR y AS SELECT a, v + 1 AS v FROM x_next WHERE a % 2 = 0"
    )
    db.execute("CREATE VIEW w AS SELECT a, v FROM x_next WHERE a > 5")
    db.execute("CREATE MATERIALIZED VIEW e AS SELECT count(*) AS n, sum(w.v) AS s, max(w.a) AS m FROM w")
    db.execute(
        "CREATE MATERIALIZED VIEW f AS SELECT x.a, x.v, y.v AS u FROM x_next AS x JOIN y_next AS y ON x.a = y.a"
    )
    db.execute("CREATE INDEX f_a ON f (a)")
    db.execute("CREATE INDEX w_a ON w (a)")
    db.execute("CREATE INDEX x_next_v ON x_next (v)")
    db.execute("CREATE MATERIALIZED VIEW g AS SELECT f.a, x.v FROM f JOIN x_next AS x ON x.v = f.v")


CHAIN = [
    "ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next",
    "ALTER MATERIALIZED VIEW y APPLY REPLACEMENT y_next",
]


STAGED = ["x", "y", "x_next", "y_next", "e", "f", "g", "f_a", "w_a", "x_next_v"]


def check_chain(db: DB, factor: int, x: str = "x", y: str = "y") -> None:
    def same(found: str, wanted: str) -> None:
        assert rows(db, f"{found} ORDER BY 1") == rows(db, f"{wanted} ORDER BY 1")

    same(f"SELECT a, v FROM {x}", f"SELECT a, {factor} * a FROM t")
    same(f"SELECT a, v FROM {y}", f"SELECT a, {factor} * a + 1 FROM t WHERE a % 2 = 0")
    same("SELECT a, v FROM w", f"SELECT a, {factor} * a FROM t WHERE a > 5")
    same("SELECT n, s, m FROM e", f"SELECT count(*), sum({factor} * a), max(a) FROM t WHERE a > 5")
    same("SELECT a, v, u FROM f", f"SELECT a, {factor} * a, {factor} * a + 1 FROM t WHERE a % 2 = 0")
    same("SELECT a, v FROM g", f"SELECT a, {factor} * a FROM t WHERE a % 2 = 0")
    for a in (6, 8):
        same(f"SELECT v FROM w WHERE a = {a}", f"SELECT {factor} * a FROM t WHERE a = {a}")
        same(f"SELECT u FROM f WHERE a = {a}", f"SELECT {factor} * a + 1 FROM t WHERE a = {a}")
        same(f"SELECT a FROM {x} WHERE v = {factor * a}", f"SELECT a FROM t WHERE a = {a}")


def names(db: DB) -> list[str]:
    found = rows(
        db,
        "SELECT o.name FROM mz_catalog.mz_objects o JOIN mz_catalog.mz_schemas s ON s.id = o.schema_id"
        " WHERE o.id LIKE 'u%' AND s.name = current_schema() ORDER BY o.name",
    )
    return [name for (name,) in found]
