"""Statements as scripts for Materialize write them, where they mean what others say here too."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from inprocess import rows

Session = psycopg.Connection[tuple[Any, ...]]


def test_sizes_of_clusters_mean_nothing_and_say_so(db: Session) -> None:
    said: list[str | None] = []
    db.add_notice_handler(lambda notice: said.append(notice.message_primary))
    db.execute("CREATE CLUSTER sized SIZE '25cc'")
    db.execute("ALTER CLUSTER sized SET (SIZE = '50cc')")
    assert said == [
        f'SIZE "{size}" means nothing here: MEMORY LIMIT bounds a replica' for size in ("25cc", "50cc")
    ]
    assert rows(db, "SHOW CREATE CLUSTER sized")[0][1] == "CREATE CLUSTER sized ()"
    said.clear()
    db.execute("ALTER CLUSTER sized SET (SIZE 2)")
    db.execute("ALTER CLUSTER sized SET (JOB MIN ROWS 7)")
    assert said == ["SIZE 2 means nothing on one machine: MEMORY LIMIT bounds a replica, WORKERS divides it"]
    assert rows(db, "SHOW CREATE CLUSTER sized")[0][1] == "CREATE CLUSTER sized (JOB MIN ROWS 7, SIZE 2)"
    db.execute("DROP CLUSTER sized")


def test_on_one_machine_all_workers_are_there(db: Session) -> None:
    said: list[str | None] = []
    db.add_notice_handler(lambda notice: said.append(notice.message_primary))
    db.execute("CREATE CLUSTER spread (WORKERS 2, WORKERS PER MACHINE = 1)")
    assert said == ["WORKERS PER MACHINE means nothing on one machine: all WORKERS are there"]
    assert rows(db, "SHOW CREATE CLUSTER spread")[0][1] == (
        "CREATE CLUSTER spread (WORKERS 2, WORKERS PER MACHINE 1)"
    )
    db.execute("ALTER CLUSTER spread RESET (WORKERS PER MACHINE)")
    assert rows(db, "SHOW CREATE CLUSTER spread")[0][1] == "CREATE CLUSTER spread (WORKERS 2)"
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="must be an integer of at least 1"):
        db.execute("ALTER CLUSTER spread SET (WORKERS PER MACHINE 0)")
    db.execute("DROP CLUSTER spread")


@pytest.mark.parametrize("level", ["STRICT SERIALIZABLE", "SERIALIZABLE"])
def test_isolation(db: Session, level: str) -> None:
    db.execute(f"BEGIN ISOLATION LEVEL {level}")
    db.execute(f"SET transaction_isolation TO '{level.lower()}'")
    assert rows(db, "SHOW transaction_isolation") == [(level.lower(),)]
    db.execute("COMMIT")


@pytest.mark.parametrize(
    "written", ["SET SCHEMA 'A b'", 'SET SCHEMA = "A b"', 'SET SCHEMA TO "A b"', 'SET LOCAL SCHEMA "A b"']
)
def test_set_schema_is_a_search_path_of_one(db: Session, written: str) -> None:
    with db.transaction():
        db.execute(written)
        assert rows(db, "SHOW search_path") == [('"A b"',)]


def test_memberships_of_one_role(db: Session) -> None:
    db.execute("CREATE ROLE a; CREATE ROLE b; CREATE ROLE c; GRANT a TO b; GRANT b TO c")
    assert [row[:2] for row in rows(db, "SHOW ROLE MEMBERSHIP FOR c")] == [("b", "c")]
    db.execute("DROP ROLE c, b, a")


def test_explain_names_what_it_explains(db: Session) -> None:
    db.execute(
        "CREATE TABLE t (a int); CREATE VIEW v AS SELECT a FROM t; CREATE MATERIALIZED VIEW m AS SELECT a FROM v"
    )
    db.execute("CREATE INDEX i ON v (a)")
    for kind, name in (("VIEW", "v"), ("MATERIALIZED VIEW", "m"), ("INDEX", "i")):
        assert rows(db, f"EXPLAIN {kind} {name}") == rows(db, f"EXPLAIN OPTIMIZED PLAN FOR {kind} {name}")
    plain = rows(db, "EXPLAIN OPTIMIZED PLAN FOR SELECT a + 1 FROM t")
    details = "WITH (arity, join implementations = true, humanized expressions = false)"
    assert rows(db, f"EXPLAIN OPTIMIZED PLAN {details} AS TEXT FOR SELECT a + 1 FROM t") == plain
    assert rows(db, "EXPLAIN WITH x AS (SELECT 1 AS a) SELECT a FROM x") == rows(db, "EXPLAIN SELECT 1 AS a")
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        db.execute("EXPLAIN OPTIMIZED PLAN WITH (colours) FOR SELECT 1")
