"""Plain views and defaults that leave the time, or something of the session, to each execution."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]

MAINTAINED = (
    "CREATE MATERIALIZED VIEW m AS SELECT * FROM {}",
    "CREATE MATERIALIZED VIEW m AS SELECT count(*) FROM (SELECT 1 FROM {}) AS x",
    "CREATE INDEX ON {} (a)",
    "CREATE DEFAULT INDEX ON {}",
    "SUBSCRIBE {}",
    "SUBSCRIBE (SELECT a FROM {})",
)


def test_a_view_reads_the_transactions_time(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t VALUES (1)")
    db.execute(
        "CREATE VIEW v AS SELECT a, now() AS n, current_timestamp AS c, current_date AS d, localtimestamp AS l FROM t"
    )
    db.execute("CREATE VIEW over_v AS SELECT n, now() AS m FROM v")
    same = "SELECT n = now() AND c = now() AND d = current_date AND l = localtimestamp FROM v"
    seen: set[datetime] = set()
    for prepare in (False, True, True, True):
        assert db.execute(same, prepare=prepare).fetchall() == [(True,)]
        (row,) = db.execute("SELECT n, m FROM over_v", prepare=prepare).fetchall()
        assert row[0] == row[1]
        seen.add(row[0])
    assert len(seen) == 4
    with db.transaction():
        assert len({row[0] for _ in range(3) for row in rows(db, "SELECT n FROM v")}) == 1
    assert rows(db, "SELECT n = now() FROM v AS OF now()") == [(True,)]


def test_statements_of_a_block_have_times_of_their_own(db: Db) -> None:
    with db.transaction():
        for function in ("statement_timestamp()", "clock_timestamp()"):
            first = rows(db, f"SELECT {function}, now()")[0]
            rows(db, "SELECT pg_sleep(0.01)")
            second = rows(db, f"SELECT {function}, now()")[0]
            assert first[0] < second[0]
            assert first[1] == second[1] <= first[0]


def test_a_filter_by_the_time(db: Db) -> None:
    db.execute("CREATE TABLE t (a int, at timestamptz)")
    db.execute("CREATE VIEW past AS SELECT a FROM t WHERE at < now() OR at IS NULL")
    db.execute("INSERT INTO t VALUES (1, now() - interval '1 day'), (2, now() + interval '1 day'), (3, NULL)")
    assert rows(db, "SELECT a FROM past ORDER BY a") == [(1,), (3,)]
    with db.transaction():
        db.execute("INSERT INTO t VALUES (4, now() - interval '1 hour')")
        assert rows(db, "SELECT a FROM past ORDER BY a") == [(1,), (3,), (4,)]


def test_the_session_of_the_reader(db: Db, runtime: InProcess, schema: str) -> None:
    db.execute(
        "CREATE VIEW v AS SELECT current_user::text AS u, pg_backend_pid() AS p, current_schema()::text AS s"
    )
    assert rows(db, "SELECT u, s, p = pg_backend_pid() FROM v") == [("ptvc", schema, True)]
    with runtime.connect() as other:
        assert rows(other, f"SELECT s, p = pg_backend_pid() FROM {schema}.v") == [("public", True)]


def test_what_is_maintained_over_such_a_view_is_refused(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE VIEW v AS SELECT a, now() AS n FROM t")
    db.execute("CREATE VIEW w AS SELECT a FROM v")
    db.execute("CREATE VIEW x AS SELECT a, current_user AS u FROM t")
    for view in ("v", "x"):
        for statement in MAINTAINED:
            with pytest.raises(errors.FeatureNotSupported, match=f'view "{view}" calls') as raised:
                db.execute(statement.format(view))  # type: ignore[arg-type]
            assert "mz_now()" in (raised.value.diag.message_hint or "")
    db.execute("CREATE MATERIALIZED VIEW ok AS SELECT * FROM w")  # which has nothing of what is left open
    db.execute("CREATE VIEW plain AS SELECT a FROM t")
    db.execute("CREATE INDEX ON plain (a)")
    with pytest.raises(errors.DependentObjectsStillExist):
        db.execute("CREATE OR REPLACE VIEW plain AS SELECT a FROM t WHERE now() IS NOT NULL")
    with pytest.raises(errors.WrongObjectType, match="cannot create a sink from view"):
        db.execute("CREATE SINK s FROM v INTO FILE '/tmp/x' FORMAT JSON ENVELOPE NONE")


def test_such_views_outlive_a_restart(fresh: InProcess) -> None:
    with fresh.connect() as db:
        db.execute("CREATE TABLE t (a int, at timestamptz DEFAULT now(), r float8 DEFAULT random())")
        db.execute("CREATE VIEW v AS SELECT a, now() AS n, random() AS r, current_user AS u FROM t")
        shown = rows(db, "SELECT view_definition FROM information_schema.views WHERE table_name = 'v'")
    fresh.stop()
    fresh.start()
    with fresh.connect() as db:
        db.execute("INSERT INTO t (a) VALUES (1), (2)")
        assert rows(db, "SELECT n = now(), u FROM v") == [(True, "ptvc")] * 2
        assert rows(db, "SELECT count(DISTINCT r), count(DISTINCT at) FROM t") == [(2, 1)]
        assert (
            rows(db, "SELECT view_definition FROM information_schema.views WHERE table_name = 'v'") == shown
        )


def test_a_default_is_the_time_of_the_write(db: Db) -> None:
    db.execute(
        "CREATE TABLE t (a int, at timestamptz DEFAULT now(), d date DEFAULT current_date, u text DEFAULT current_user)"
    )
    for prepare in (False, True, True):
        db.execute("INSERT INTO t (a) VALUES (%s)", (1,), prepare=prepare)
    assert rows(db, "SELECT count(DISTINCT at), bool_and(d = at::date), max(u) FROM t") == [(3, True, "ptvc")]
    db.execute("DELETE FROM t")
    with db.transaction():
        db.execute("INSERT INTO t (a) VALUES (1), (2)")
        db.execute("INSERT INTO t SELECT 3")
        db.execute("INSERT INTO t (a, at) VALUES (4, DEFAULT)")
        with db.cursor().copy("COPY t (a) FROM STDIN") as copy:
            copy.write_row((5,))
        db.execute("UPDATE t SET at = DEFAULT WHERE a = 1")
        db.execute(
            "MERGE INTO t USING (VALUES (6)) AS s (b) ON t.a = s.b WHEN NOT MATCHED THEN INSERT (a) VALUES (b)"
        )
        assert rows(db, "SELECT count(*), bool_and(at = now()) FROM t") == [(6, True)]
    db.execute("ALTER TABLE t ADD COLUMN since timestamptz DEFAULT now()")
    assert rows(db, "SELECT count(DISTINCT since), bool_and(since < now()) FROM t") == [(1, True)]
    db.execute("INSERT INTO t (a) VALUES (7)")
    assert rows(db, "SELECT count(DISTINCT since) FROM t") == [(2,)]
    shown = (
        "SELECT column_default FROM information_schema.columns WHERE table_name = 't' AND column_name = 'at'"
    )
    assert rows(db, shown) == [("now()",)]
