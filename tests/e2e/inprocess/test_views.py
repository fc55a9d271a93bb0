"""Maintained views: fresh, consistent with each other, exact; through indexes and across clusters."""

from __future__ import annotations

import random
import threading
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]


def test_a_read_sees_every_acknowledged_write(db: Db, other: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT a % 3 AS k, count(*) AS n FROM t GROUP BY a % 3")
    db.execute("CREATE MATERIALIZED VIEW mm AS SELECT sum(n) AS n FROM m")
    for i in range(25):
        db.execute("INSERT INTO t VALUES (%s)", (i,))
        assert rows(other, "SELECT n FROM mm") == [(i + 1,)]


def test_views_are_consistent_with_each_other(runtime: InProcess, db: Db, schema: str) -> None:
    """Every write adds 2 rows whose sum is 0: no reader may ever see anything else."""
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE MATERIALIZED VIEW counts AS SELECT count(*) AS n FROM t")
    db.execute("CREATE MATERIALIZED VIEW sums AS SELECT coalesce(sum(a), 0) AS s FROM t")
    db.execute("CREATE MATERIALIZED VIEW tops AS SELECT a FROM t ORDER BY a DESC LIMIT 1")
    failures: list[BaseException] = []

    def write(sign: int) -> None:
        try:
            with runtime.connect(options=f"-c search_path={schema}") as session:
                for i in range(30):
                    session.execute("INSERT INTO t VALUES (%s), (%s)", (sign * i, -sign * i))
        except BaseException as error:
            failures.append(error)

    writers = [threading.Thread(target=write, args=(sign,)) for sign in (1, -1)]
    for writer in writers:
        writer.start()
    last = 0
    while any(writer.is_alive() for writer in writers):
        [(n, s, raw)] = rows(db, "SELECT counts.n, sums.s, (SELECT count(*) FROM t) FROM counts, sums")
        assert (n % 2, s, raw) == (0, 0, n)
        assert n >= last
        last = n
        db.execute("BEGIN")
        [(first,)] = rows(db, "SELECT n FROM counts")
        assert rows(db, "SELECT count(*) FROM t") == [(first,)]
        assert rows(db, "SELECT s FROM sums") == [(0,)]
        db.execute("COMMIT")
    assert failures == []
    assert rows(db, "SELECT * FROM counts") == [(120,)]
    assert rows(db, "SELECT * FROM tops") == [(29,)]


@pytest.mark.parametrize("indexed", [False, True])
def test_errors_appear_and_go(db: Db, indexed: bool) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT sum(10 / a) AS s FROM t")
    db.execute("CREATE MATERIALIZED VIEW mm AS SELECT s + 1 AS s FROM m")
    if indexed:
        db.execute("CREATE INDEX mi ON m (s)")
        db.execute("CREATE INDEX mmi ON mm (s)")
    db.execute("INSERT INTO t VALUES (1), (2)")
    assert rows(db, "SELECT s FROM mm") == [(16,)]
    db.execute("INSERT INTO t VALUES (0), (0)")
    for view in ("m", "mm"):
        with pytest.raises(errors.DivisionByZero):
            db.execute(f"SELECT s FROM {view}")
    db.execute("INSERT INTO t VALUES (5)")
    with pytest.raises(errors.DivisionByZero):
        db.execute("SELECT s FROM mm")
    db.execute("DELETE FROM t WHERE a = 0")
    assert rows(db, "SELECT s FROM m") == [(17,)]
    assert rows(db, "SELECT s FROM mm") == [(18,)]


def test_several_clusters(runtime: InProcess, db: Db, schema: str) -> None:
    for name in ("a", "b"):
        db.execute(f"CREATE CLUSTER {schema}_{name}")
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t VALUES (1)")
    db.execute(
        f"CREATE MATERIALIZED VIEW ma IN CLUSTER {schema}_a AS SELECT a, count(*) AS n FROM t GROUP BY a"
    )
    db.execute(f"CREATE MATERIALIZED VIEW mb IN CLUSTER {schema}_b AS SELECT sum(n) AS n FROM ma")
    db.execute("CREATE MATERIALIZED VIEW mc AS SELECT n + 0 AS n FROM mb")
    for i in range(10):
        db.execute("INSERT INTO t VALUES (%s)", (i % 3,))
        db.execute(f"SET cluster = {schema}_{'ab'[i % 2]}")
        assert rows(db, "SELECT n FROM mc") == [(i + 2,)]
    db.execute("RESET cluster")
    runtime.kill_replica(f"{schema}_a")
    db.execute("INSERT INTO t VALUES (1)")
    runtime.kill_replica(f"{schema}_b")
    db.execute("INSERT INTO t VALUES (7)")
    assert rows(db, "SELECT n FROM mc") == [(13,)]
    assert rows(db, "SELECT a, n FROM ma ORDER BY a") == rows(
        db, "SELECT a, count(*) FROM t GROUP BY a ORDER BY a"
    )
    for name in ("a", "b"):
        db.execute(f"DROP CLUSTER {schema}_{name} CASCADE")


def test_indexes_answer_as_the_plain_query_does(db: Db) -> None:
    rng = random.Random(7)
    db.execute("CREATE TABLE t (k int, g text, x bigint)")
    db.execute("CREATE VIEW v AS SELECT g, count(*) AS n, sum(x) AS s FROM t GROUP BY g")
    for name, on in (("t_k", "t (k)"), ("t_gk", "t (g, k)"), ("v_g", "v (g)")):
        db.execute(f"CREATE INDEX {name} ON {on}")
    for _ in range(6):
        values = ", ".join(
            f"({rng.randrange(8)}, {rng.choice(['NULL', repr('a'), repr('b'), repr('')])}, {rng.randrange(100)})"
            for _ in range(20)
        )
        db.execute(f"INSERT INTO t VALUES {values}")
        db.execute("DELETE FROM t WHERE x < 20 AND k = %s", (rng.randrange(8),))
        eventually(lambda: hydrated(db, "t_k", "t_gk", "v_g"))
        # Own writes in a block rule out the index: the same query is answered by the plain way.
        for query in (
            "SELECT * FROM t WHERE k = 3",
            "SELECT x, g FROM t WHERE k = 3 AND x > 30",
            "SELECT * FROM t WHERE g = 'a' AND k = 5",
            "SELECT * FROM t WHERE k = 1 AND g = ''",
            "SELECT * FROM t WHERE g = 'a'",
            "SELECT * FROM t",
            "SELECT k + 1 FROM t WHERE x > 50",
            "SELECT * FROM v",
            "SELECT * FROM v WHERE g = 'b'",
            "SELECT n FROM v WHERE g IS NULL",
            "SELECT * FROM t WHERE k = NULL",
            "SELECT * FROM t WHERE k = 3 OR k = 4",
        ):
            indexed = sorted(rows(db, query), key=repr)
            plain = rows(
                db,
                query.replace(
                    "FROM t", "FROM (SELECT * FROM t UNION ALL SELECT * FROM t WHERE false) t"
                ).replace(
                    "FROM v",
                    "FROM (SELECT g, count(*) AS n, sum(x) AS s FROM"
                    " (SELECT * FROM t UNION ALL SELECT * FROM t WHERE false) t GROUP BY g) v",
                ),
            )
            assert indexed == sorted(plain, key=repr), query


def test_an_index_takes_part_in_strict_serializability(db: Db, other: Db) -> None:
    db.execute("CREATE TABLE t (k int, x int)")
    db.execute("CREATE INDEX i ON t (k)")
    eventually(lambda: hydrated(db, "i"))
    for i in range(20):
        db.execute("INSERT INTO t VALUES (1, %s)", (i,))
        assert rows(other, "SELECT count(*) FROM (SELECT x FROM t WHERE k = 1) q") == [(i + 1,)]
        assert len(rows(other, "SELECT x FROM t WHERE k = 1")) == i + 1
    db.execute("DROP INDEX i")
    assert len(rows(db, "SELECT x FROM t WHERE k = 1")) == 20


def test_random_changes_against_recomputation(runtime: InProcess, db: Db) -> None:
    rng = random.Random(11)
    db.execute("CREATE TABLE a (k int, x int)")
    db.execute("CREATE TABLE b (k int, y text)")
    queries = {
        "joined": "SELECT a.k, a.x, b.y FROM a JOIN b ON a.k = b.k",
        "lefts": "SELECT a.k, b.y FROM a LEFT JOIN b ON a.k = b.k",
        "groups": "SELECT b.y, count(*) AS n, sum(a.x) AS s, max(a.x) AS m FROM a, b WHERE a.k = b.k GROUP BY b.y",
        "tops": "SELECT DISTINCT ON (k) k, x FROM a ORDER BY k, x DESC",
        "distinct_k": "SELECT DISTINCT k FROM a",
        "missing": "SELECT k FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k)",
        "unions": "SELECT k FROM a UNION SELECT k FROM b",
    }
    for name, query in queries.items():
        db.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}")
    for step in range(25):
        match rng.randrange(6):
            case 0 | 1:
                db.execute("INSERT INTO a VALUES (%s, %s), (%s, %s)", [rng.randrange(6) for _ in range(4)])
            case 2:
                db.execute("INSERT INTO b VALUES (%s, %s)", (rng.randrange(6), rng.choice(["p", "q", None])))
            case 3:
                db.execute("DELETE FROM a WHERE k = %s AND x = %s", (rng.randrange(6), rng.randrange(6)))
            case 4:
                db.execute("UPDATE b SET k = k + 1 WHERE k = %s", (rng.randrange(6),))
            case 5:
                if step % 2:
                    runtime.kill_replica()
        db.execute("BEGIN")
        for name, query in queries.items():
            assert sorted(rows(db, f"SELECT * FROM {name}"), key=repr) == sorted(rows(db, query), key=repr), (
                name
            )
        db.execute("COMMIT")


def test_an_asserted_null_is_an_error_until_its_row_is_gone(db: Db) -> None:
    db.execute("CREATE TABLE t (a int, b text)")
    db.execute("CREATE MATERIALIZED VIEW m WITH (ASSERT NOT NULL b) AS SELECT a, b FROM t")
    db.execute("INSERT INTO t VALUES (1, 'x'), (2, NULL)")
    with pytest.raises(errors.NotNullViolation, match='column "b" must not be null'):
        rows(db, "SELECT * FROM m")
    db.execute("DELETE FROM t WHERE b IS NULL")
    assert rows(db, "SELECT * FROM m") == [(1, "x")]
    shown = "SELECT attnotnull FROM pg_attribute WHERE attname = 'b' AND attrelid = 'm'::regclass"
    assert rows(db, shown) == [(True,)]
