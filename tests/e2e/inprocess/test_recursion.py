"""Recursive views through the whole runtime: they follow their inputs, fail while a row does, and end when dropped."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, rows, running
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]

REACH = "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT b FROM edges JOIN r ON a = n) SELECT n FROM r"
COSTS = (
    "WITH MUTUALLY RECURSIVE best(n int, cost bigint) AS (SELECT n, min(cost) FROM ("
    "SELECT 1 AS n, 0::bigint AS cost UNION ALL SELECT e.b, best.cost + e.cost FROM best JOIN edges e ON e.a = best.n) q"
    " GROUP BY n) SELECT n, cost FROM best"
)


def test_recursive_views_follow_their_inputs(db: Db) -> None:
    db.execute("CREATE TABLE edges (a int, b int, cost int)")
    db.execute("INSERT INTO edges VALUES (1, 2, 5), (2, 3, 5), (3, 2, 1), (1, 4, 1), (4, 3, 1)")
    db.execute(f"CREATE MATERIALIZED VIEW reach AS {REACH}")
    db.execute(f"CREATE VIEW costs AS {COSTS}")
    db.execute("CREATE DEFAULT INDEX ON costs")
    db.execute("CREATE MATERIALIZED VIEW far AS SELECT max(n) AS n FROM reach")

    def check(nodes: list[int], costs: list[tuple[int, int]]) -> None:
        for query in ("SELECT n FROM reach ORDER BY n", f"SELECT n FROM ({REACH}) q ORDER BY n"):
            assert rows(db, query) == [(n,) for n in nodes]
        for query in ("SELECT * FROM costs ORDER BY n", f"SELECT * FROM ({COSTS}) q ORDER BY n"):
            assert rows(db, query) == costs
        assert rows(db, "SELECT n FROM far") == [(max(nodes),)]

    check([1, 2, 3, 4], [(1, 0), (2, 3), (3, 2), (4, 1)])
    db.execute("DELETE FROM edges WHERE a = 4")
    check([1, 2, 3, 4], [(1, 0), (2, 5), (3, 10), (4, 1)])
    db.execute("DELETE FROM edges WHERE a = 1 AND b = 2")
    check([1, 4], [(1, 0), (4, 1)])
    db.execute("INSERT INTO edges VALUES (4, 9, 2), (9, 9, 1)")
    check([1, 4, 9], [(1, 0), (4, 1), (9, 3)])


def test_a_view_in_error_at_its_limit_reads_again(db: Db) -> None:
    db.execute("CREATE TABLE edges (a int, b int)")
    db.execute("INSERT INTO edges VALUES (1, 2), (2, 3)")
    db.execute(
        "CREATE MATERIALIZED VIEW m AS WITH MUTUALLY RECURSIVE (ERROR AT RECURSION LIMIT 4)"
        " r(n int) AS (SELECT 1 UNION SELECT b FROM edges JOIN r ON a = n) SELECT n FROM r"
    )
    assert len(rows(db, "SELECT n FROM m")) == 3
    db.execute("INSERT INTO edges VALUES (3, 4), (4, 5)")
    with pytest.raises(errors.ProgramLimitExceeded, match="limit of 4 iterations"):
        db.execute("SELECT n FROM m")
    db.execute("DELETE FROM edges WHERE a = 3")
    assert len(rows(db, "SELECT n FROM m")) == 3


ENDLESS = (
    "WITH RECURSIVE r(n) AS (SELECT a FROM t UNION ALL SELECT (n + 1) % 1000 FROM r) SELECT count(*) FROM r"
)


def test_a_query_without_end_can_be_canceled(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t VALUES (1)")
    db.execute("SET statement_timeout = '500ms'")
    with pytest.raises(errors.QueryCanceled):
        db.execute(ENDLESS)
    db.execute("SET statement_timeout = '10s'")
    assert rows(db, "SELECT count(*) FROM t x, t y") == [(1,)]  # the thread that computes is free again


def test_a_view_without_end_can_be_dropped(runtime: InProcess, db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute(f"CREATE MATERIALIZED VIEW endless AS {ENDLESS}")
    db.execute("CREATE MATERIALIZED VIEW plain AS SELECT count(*) AS n FROM t")
    eventually(lambda: rows(db, "SELECT n FROM plain") == [(0,)])
    db.execute("INSERT INTO t VALUES (1)")
    db.execute("DROP MATERIALIZED VIEW endless")
    db.execute("SET statement_timeout = '20s'")
    assert rows(db, "SELECT n FROM plain") == [(1,)]  # in the same replica, which goes on


def test_what_is_recursive_is_no_job_however_large() -> None:
    """Here everything would be a job, and no job can run: there is no Spark."""
    with running(replace(FAST, job_min_rows=0, query_job_min_rows=0)) as runtime, runtime.connect() as db:
        db.execute("CREATE TABLE edges (a int, b int)")
        db.execute("INSERT INTO edges VALUES (1, 2), (2, 3), (5, 6)")
        db.execute(f"CREATE MATERIALIZED VIEW reach AS {REACH}")
        plan = "\n".join(line for (line,) in rows(db, f"EXPLAIN PHYSICAL PLAN FOR {REACH}"))
        assert "never a Spark job" in plan
        assert rows(db, REACH + " ORDER BY n") == [(1,), (2,), (3,)]
        [(id_, job)] = rows(
            db,
            "SELECT h.object_id, h.spark_job_id FROM mz_internal.mz_hydration_statuses h"
            " JOIN mz_catalog.mz_materialized_views m ON m.id = h.object_id WHERE m.name = 'reach' AND h.hydrated",
        )
        assert (id_ is not None, job) == (True, None)


def test_a_recursive_view_goes_on_after_its_replica_died(fresh: InProcess) -> None:
    """From a checkpoint if there is one: the iterations of its state are part of that."""
    rng = random.Random(4)
    with fresh.connect() as db:
        db.execute("CREATE TABLE edges (a int, b int)")
        db.execute(f"CREATE MATERIALIZED VIEW reach AS {REACH}")
        for round_ in range(12):
            for _ in range(4):
                db.execute("INSERT INTO edges VALUES (%s, %s)", (rng.randrange(1, 9), rng.randrange(1, 9)))
            db.execute("DELETE FROM edges WHERE a = %s", (rng.randrange(1, 9),))
            if round_ % 4 == 2:
                eventually(lambda: rows(db, "SELECT count(*) FROM reach"))
                fresh.kill_replica()
            assert rows(db, "SELECT n FROM reach ORDER BY n") == rows(db, f"{REACH} ORDER BY n")
