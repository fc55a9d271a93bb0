"""random() and gen_random_uuid(): drawn for each row, at each execution."""

from __future__ import annotations

from typing import Any
from uuid import RFC_4122, UUID

import psycopg
import pytest
from inprocess import rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]


def test_each_execution_draws_anew(db: Db) -> None:
    drawn = set()
    for _ in range(4):
        for prepare in (False, True):
            row = db.execute("SELECT random(), random(), random() + %s", (1,), prepare=prepare).fetchone()
            assert row is not None
            assert 0 <= row[0] < 1
            assert 1 <= row[2] < 2
            drawn |= {row[0], row[1], row[2] - 1}
    assert len(drawn) == 24


def test_rows_of_values_have_their_own(db: Db) -> None:
    db.execute("CREATE TABLE t (id uuid PRIMARY KEY, a int)")
    for _ in range(2):
        db.execute("INSERT INTO t VALUES (gen_random_uuid(), 1), (gen_random_uuid(), 2), (uuidv4(), 3)")
    db.execute("INSERT INTO t SELECT gen_random_uuid(), %s", (4,))
    ids = [row[0] for row in rows(db, "SELECT id FROM t")]
    assert len(set(ids)) == 7
    assert all(isinstance(id_, UUID) and id_.version == 4 for id_ in ids)


def test_each_row_has_its_own(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute(
        "INSERT INTO t SELECT i % 10 FROM generate_series(1, 1000) AS i"
    )  # a hundred rows of each value
    for query in (
        "SELECT random() FROM t",
        "SELECT random() FROM t ORDER BY a",
        "SELECT gen_random_uuid() FROM t",
        "SELECT uuid_generate_v4() FROM t",
        "SELECT x.random FROM (SELECT random() FROM t) AS x",
        "SELECT random() FROM generate_series(1, 1000)",
        "SELECT random(), generate_series(1, 1000)",
        "SELECT CASE WHEN a >= 0 THEN random() END FROM t",
        "SELECT random() + max(b) FROM generate_series(1, 1000) AS b GROUP BY b",
        "SELECT random() FROM t UNION ALL SELECT random() FROM t LIMIT 1000",
    ):
        assert len({row[0] for row in rows(db, query)}) == 1000, query
        first, second = (
            rows(db, f"SELECT min(x::text), max(x::text) FROM ({query}) AS q (x)"),
            rows(db, query),
        )
        assert first[0][0] < first[0][1]
        assert len(second) == 1000
    both = rows(db, "SELECT random(), random() FROM t")
    assert len({value for row in both for value in row}) == 2000


def test_a_filter_over_what_is_drawn_sees_what_is_shown(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t SELECT i % 10 FROM generate_series(1, 1000) AS i")
    few = rows(db, "SELECT r FROM (SELECT random() AS r FROM t) AS x WHERE r < 0.3 AND r + 0 < 0.3")
    assert 200 < len(few) < 400
    assert all(row[0] < 0.3 for row in few)
    assert 200 < len(rows(db, "SELECT a FROM t WHERE random() < 0.3")) < 400
    twice = rows(
        db, "WITH x AS (SELECT a, random() AS r FROM t) SELECT p.r, q.r FROM x AS p JOIN x AS q USING (r)"
    )
    assert len(twice) == 1000
    copies = rows(db, "SELECT r, r, r + 0 FROM (SELECT random() AS r FROM t) AS x")
    assert all(row[0] == row[1] == row[2] for row in copies)
    ordered = [row[0] for row in rows(db, "SELECT random() FROM t ORDER BY random()")]
    assert ordered == sorted(ordered)
    ordered = [row[0] for row in rows(db, "SELECT random() AS r FROM t QUALIFY r < 0.3 ORDER BY 1")]
    assert 200 < len(ordered) < 400
    assert ordered == sorted(ordered)
    assert max(ordered) < 0.3
    for key in ("1", "d", "floor(random() * 10)"):
        groups = rows(db, f"SELECT floor(random() * 10) AS d, count(*) FROM t GROUP BY {key} ORDER BY 1")
        assert [row[0] for row in groups] == list(range(10))
        assert sum(row[1] for row in groups) == 1000


def test_an_order_that_is_drawn(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t SELECT generate_series(1, 100)")
    orders = {tuple(row[0] for row in rows(db, "SELECT a FROM t ORDER BY random()")) for _ in range(3)}
    assert len(orders) == 3
    assert all(sorted(order) == list(range(1, 101)) for order in orders)
    assert len({tuple(rows(db, "SELECT a FROM t ORDER BY random() LIMIT 5")) for _ in range(3)}) == 3


def test_an_uncorrelated_subquery_draws_once(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t VALUES (1), (2), (2)")
    assert len({row[0] for row in rows(db, "SELECT (SELECT random()) FROM t")}) == 1
    assert len({row[0] for row in rows(db, "SELECT r FROM t, random() AS r")}) == 1


def test_values_are_uniform(db: Db) -> None:
    (found,) = rows(
        db,
        "SELECT count(*), min(r), max(r), avg(r), count(DISTINCT floor(r * 1000)) "
        "FROM (SELECT random() AS r FROM generate_series(1, 100000)) AS x",
    )
    assert found[0] == 100000
    assert 0 <= found[1] < 0.001 < 0.999 < found[2] < 1
    assert abs(found[3] - 0.5) < 0.01
    assert found[4] == 1000
    assert all(
        row[0].version == 4 and row[0].variant == RFC_4122
        for row in rows(db, "SELECT gen_random_uuid() FROM generate_series(1, 100)")
    )


def test_writes_draw_for_each_row(db: Db) -> None:
    db.execute("CREATE TABLE t (a int, r float8)")
    db.execute("INSERT INTO t SELECT i, random() FROM generate_series(1, 100) AS i")
    assert rows(db, "SELECT count(DISTINCT r) FROM t") == [(100,)]
    db.execute("UPDATE t SET r = 1 + random()")
    assert rows(db, "SELECT count(DISTINCT r) FROM t WHERE r BETWEEN 1 AND 2") == [(100,)]
    db.execute("CREATE TABLE u AS SELECT a, random() AS r, gen_random_uuid() AS id FROM t")
    assert rows(db, "SELECT count(DISTINCT r), count(DISTINCT id) FROM u") == [(100, 100)]
    db.execute("DELETE FROM t WHERE random() < 0.5")
    assert 20 < len(rows(db, "SELECT a FROM t")) < 80


def test_defaults_draw_for_each_row(db: Db) -> None:
    db.execute(
        "CREATE TABLE t (id uuid DEFAULT gen_random_uuid() PRIMARY KEY, a int, b float8 DEFAULT random() + 1)"
    )
    db.execute("INSERT INTO t (a) VALUES (1), (2), (3)")
    db.execute("INSERT INTO t (a, id) VALUES (4, DEFAULT), (5, DEFAULT)")
    db.execute("INSERT INTO t (a) SELECT 6 FROM generate_series(1, 100)")
    db.execute("INSERT INTO t DEFAULT VALUES")
    db.execute("INSERT INTO t (a) VALUES (%s)", (7,), prepare=True)
    db.execute("INSERT INTO t (a) VALUES (%s)", (8,), prepare=True)
    with db.cursor().copy("COPY t (a) FROM STDIN") as copy:
        for _ in range(100):
            copy.write_row((9,))
    assert rows(db, "SELECT count(DISTINCT id), count(DISTINCT b) FROM t") == [(208, 208)]
    assert [row[0] for row in rows(db, "SELECT a FROM t WHERE a < 6 ORDER BY a")] == [1, 2, 3, 4, 5]
    db.execute("UPDATE t SET b = DEFAULT")
    assert rows(db, "SELECT count(DISTINCT b) FROM t WHERE b >= 1 AND b < 2") == [(208,)]
    shown = "SELECT column_default FROM information_schema.columns WHERE table_name = 't' AND column_name IN ('id', 'b')"
    assert sorted(rows(db, shown)) == [("(random() + '1.0')",), ("gen_random_uuid()",)]


def test_a_plain_view_draws_at_each_read(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t VALUES (1), (1), (2)")
    db.execute("CREATE VIEW v AS SELECT a, random() AS r, gen_random_uuid() AS id FROM t")
    db.execute("CREATE VIEW w AS SELECT x.r AS r, y.r AS s FROM v AS x CROSS JOIN v AS y")
    seen = set()
    for prepare in (False, True, True):
        found = db.execute("SELECT r, id FROM v", prepare=prepare).fetchall()
        seen |= {value for row in found for value in row}
    assert len(seen) == 18
    pairs = rows(db, "SELECT r, s FROM w")
    assert len({row[0] for row in pairs} | {row[1] for row in pairs}) == 6
    assert len(pairs) == 9


def test_what_is_refused(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE VIEW v AS SELECT a, random() AS r FROM t")
    for refused in (
        "INSERT INTO t VALUES (1) RETURNING random()",
        "SELECT a, (SELECT random() + a) FROM t",
        "SELECT 1 FROM t JOIN t AS u ON t.a = u.a AND random() < 0.5",
        "SELECT random(1, 2)",
        "CREATE MATERIALIZED VIEW w AS SELECT gen_random_uuid()",
        "CREATE MATERIALIZED VIEW w AS SELECT random() FROM t",
        "CREATE MATERIALIZED VIEW w AS SELECT * FROM v",
        "CREATE INDEX ON v (a)",
        "CREATE DEFAULT INDEX ON v",
        "SUBSCRIBE v",
        "SUBSCRIBE (SELECT random() FROM t)",
        "CREATE TABLE u (a int CHECK (a > random()))",
        "CREATE INDEX ON t ((a + random()))",
        "ALTER TABLE t ADD COLUMN b float8 DEFAULT random()",
    ):
        with pytest.raises(errors.FeatureNotSupported):
            db.execute(refused)  # type: ignore[call-overload]
    with pytest.raises(errors.UndefinedFunction):
        db.execute("SELECT gen_random_uuid(1)")
