"""A table that changes at random, what is computed of it, and what all of it holds at a time."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import psycopg
from inprocess import rows

Db = psycopg.Connection[tuple[Any, ...]]
Moment = tuple[int, list[list[tuple[Any, ...]]]]
"""A time, and what each of some queries answers then."""


def define(db: Db, columns: str = "") -> None:
    """The table `t` (k, a, and `columns`), a materialized view `m`, and an indexed view `v`; their history is kept."""
    db.execute(f"CREATE TABLE t (k int NOT NULL, a int{columns}) WITH (RETAIN HISTORY FOR '1 hour')")
    db.execute(
        "CREATE MATERIALIZED VIEW m WITH (RETAIN HISTORY FOR '1 hour') AS"
        " SELECT k, count(*) AS n, sum(a) AS s FROM t GROUP BY k"
    )
    db.execute("CREATE VIEW v AS SELECT k, count(DISTINCT a) AS n FROM t GROUP BY k")
    db.execute("CREATE INDEX v_k ON v (k)")


def write(db: Db, random: Random, assignments: str = "") -> None:
    """One change of `t`; an update does `assignments` besides."""
    match random.randrange(4):
        case 0 | 1:
            for _ in range(random.randrange(1, 4)):
                values = (random.randrange(6), random.randrange(30))
                db.execute("INSERT INTO t (k, a) VALUES (%s, %s)", values)
        case 2:
            db.execute(f"UPDATE t SET a = a + 1{assignments} WHERE k = %s", (random.randrange(6),))
        case _:
            db.execute("DELETE FROM t WHERE a %% 5 = %s", (random.randrange(5),))


def seen(db: Db, queries: Sequence[str]) -> Moment:
    """What the queries answer at one time."""
    with db.transaction():
        contents = [rows(db, query) for query in queries]
        [(time,)] = rows(db, "SELECT mz_now()::bigint")
    return time, contents
