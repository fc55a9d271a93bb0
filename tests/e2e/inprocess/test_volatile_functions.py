"""random() and gen_random_uuid(): drawn once for each call that is written, at each execution."""

from __future__ import annotations

from typing import Any
from uuid import UUID

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


def test_what_would_be_drawn_for_each_row_is_refused(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    for refused in (
        "SELECT random() FROM t",
        "SELECT random(), generate_series(1, 3)",
        "SELECT generate_series(1, 3), random()",
        "SELECT * FROM t WHERE random() < 0.5",
        "UPDATE t SET a = 10 * random()",
        "DELETE FROM t WHERE random() < 0.5",
        "INSERT INTO t VALUES (1) RETURNING random()",
        "INSERT INTO t SELECT 10 * random() FROM t",
        "SELECT a, (SELECT random() + a) FROM t",
        "SELECT random(1, 2)",
        "CREATE VIEW v AS SELECT random()",
        "CREATE MATERIALIZED VIEW v AS SELECT gen_random_uuid()",
        "CREATE TABLE u (id uuid DEFAULT gen_random_uuid())",
        "CREATE TABLE u (a int CHECK (a > random()))",
        "CREATE INDEX ON t ((a + random()))",
    ):
        with pytest.raises(errors.FeatureNotSupported):
            db.execute(refused)  # type: ignore[call-overload]
    with pytest.raises(errors.UndefinedFunction):
        db.execute("SELECT gen_random_uuid(1)")
