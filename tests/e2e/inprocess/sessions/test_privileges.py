"""Privileges: the same statements by the same roles here and in PostgreSQL, and what only this runtime has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows
from psycopg import errors

from ..side_by_side import compare, script


def test_as_in_postgres(runtime: InProcess, empty_database: str) -> None:
    with runtime.connect() as ours, psycopg.connect(empty_database, autocommit=True) as theirs:
        compare(ours, theirs, script("privileges"))


Db = psycopg.Connection[tuple[Any, ...]]


def error_of(db: Db, sql: str) -> str | None:
    """The message of a statement that is not permitted."""
    try:
        db.execute(sql)  # type: ignore[call-overload]
    except errors.InsufficientPrivilege as error:
        return error.diag.message_primary
    return None


@pytest.fixture
def role(runtime: InProcess, schema: str) -> Iterator[Db]:
    """A session of the role `reader`, which may use the test's schema."""
    runtime.query("CREATE ROLE reader LOGIN")
    runtime.query(f"GRANT USAGE ON SCHEMA {schema} TO reader")
    with runtime.connect(options=f"-c search_path={schema}") as connection:
        connection.execute("SET ROLE reader")
        yield connection
    runtime.query("DROP OWNED BY reader CASCADE")
    runtime.query("DROP ROLE reader")


def test_every_definition_is_checked(db: Db, role: Db, schema: str, tmp_path: Path) -> None:
    db.execute("CREATE TABLE t (a int PRIMARY KEY, b int)")
    db.execute("CREATE VIEW v AS SELECT a FROM t")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT a FROM t")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW r FOR m AS SELECT a FROM t WHERE a > 0")
    db.execute("CREATE INDEX i ON t (b)")
    db.execute("CREATE SOURCE s FROM LOAD GENERATOR COUNTER")
    db.execute(f"CREATE SINK k FROM m INTO FILE '{tmp_path}/k' FORMAT JSON ENVELOPE DEBEZIUM")  # type: ignore[call-overload]
    no_schema = f"permission denied for schema {schema}"
    expected = {
        "CREATE SCHEMA other": "permission denied for database ptvc",
        "CREATE CLUSTER other": "permission denied to create cluster",
        "ALTER CLUSTER quickstart SET (job_min_rows = 1)": "must be owner of cluster quickstart",
        "DROP CLUSTER quickstart": "must be owner of cluster quickstart",
        "CREATE TABLE n (a int)": no_schema,
        "CREATE TABLE n AS SELECT 1 AS a": no_schema,
        "CREATE VIEW n AS SELECT 1 AS a": no_schema,
        "CREATE MATERIALIZED VIEW n AS SELECT 1 AS a": no_schema,
        "CREATE SOURCE n FROM LOAD GENERATOR COUNTER": no_schema,
        "CREATE SOURCE n (a int) FROM FILE '/tmp/x' FORMAT CSV": "permission denied for sources of the server's files",
        "CREATE SOURCE n (a int) FROM DELTA (URI '/tmp/x')": "permission denied for sources of the server's files",
        "CREATE SINK n FROM t INTO DELTA (URI '/tmp/y') MODE APPEND": "permission denied for sinks into the server's files",
        "CREATE SINK n FROM t INTO FILE '/tmp/y' FORMAT JSON ENVELOPE DEBEZIUM": "permission denied for sinks into the server's files",
        "CREATE INDEX n ON t (a)": "must be owner of table t",
        "CREATE OR REPLACE VIEW v AS SELECT a FROM t": no_schema,
        "CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT 1 AS a": no_schema,
        "ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r": "must be owner of materialized view m",
        "ALTER TABLE t ADD COLUMN c int": "must be owner of table t",
        "ALTER TABLE t SET (RETAIN HISTORY FOR '1 day')": "must be owner of table t",
        "ALTER TABLE t SET SCHEMA public": "must be owner of table t",
        "ALTER SINK k SET FROM r": "must be owner of sink k",
        "ALTER SINK k SET CLUSTER quickstart": "must be owner of sink k",
        "ALTER TABLE t RENAME TO u": "must be owner of table t",
        "ALTER MATERIALIZED VIEW m SWAP WITH r": "must be owner of materialized view m",
        "ALTER VIEW v OWNER TO reader": "must be owner of view v",
        "COMMENT ON COLUMN t.a IS 'x'": "must be owner of table t",
        "DROP TABLE t": "must be owner of table t",
        "DROP VIEW v": "must be owner of view v",
        "DROP INDEX i": "must be owner of index i",
        "DROP SOURCE s": "must be owner of source s",
        f"DROP SCHEMA {schema} CASCADE": f"must be owner of schema {schema}",
        f"ALTER SCHEMA {schema} RENAME TO z": f"must be owner of schema {schema}",
        "TRUNCATE t": "permission denied for table t",
        "COPY t FROM STDIN": "permission denied for table t",
        "COPY t TO STDOUT": "permission denied for table t",
        "COPY (SELECT * FROM m) TO STDOUT": "permission denied for materialized view m",
        "COPY (SUBSCRIBE v) TO STDOUT": "permission denied for view v",
        "SUBSCRIBE t": "permission denied for table t",
        "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM s": "permission denied for source s",
        "EXPLAIN SELECT * FROM t": "permission denied for table t",
        "EXPLAIN TIMESTAMP FOR SELECT * FROM t": "permission denied for table t",
        "EXPLAIN FILTER PUSHDOWN FOR SELECT * FROM t": "permission denied for table t",
        "EXPLAIN ANALYZE SELECT * FROM t": "permission denied for table t",
        "EXPLAIN PLAN FOR MATERIALIZED VIEW m": "permission denied for materialized view m",
        "EXPLAIN PLAN FOR INDEX i": "permission denied for table t",
        "SELECT * FROM pg_authid": "permission denied for table pg_authid",
    }
    found = {sql: error_of(role, sql) for sql in expected}
    assert found == expected
    assert rows(db, "SELECT count(*) FROM t") == [(0,)]


def test_a_sink_is_altered_with_what_it_needs(db: Db, role: Db, schema: str, tmp_path: Path) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE TABLE u (a int)")
    db.execute("CREATE CLUSTER kept")
    db.execute(f"CREATE SINK k FROM t INTO FILE '{tmp_path}/k' FORMAT JSON ENVELOPE NONE")  # type: ignore[call-overload]
    db.execute("ALTER SINK k OWNER TO reader")
    assert error_of(role, "ALTER SINK k SET FROM u") == "permission denied for table u"
    assert error_of(role, "ALTER SINK k SET CLUSTER kept") == "permission denied for cluster kept"
    assert error_of(role, "ALTER SINK k SET SCHEMA public") == "permission denied for schema public"
    db.execute("GRANT SELECT ON u TO reader; GRANT CREATE ON CLUSTER kept TO reader")
    role.execute("ALTER SINK k SET FROM u")
    role.execute("ALTER SINK k SET CLUSTER kept")
    db.execute("DROP CLUSTER kept CASCADE")


def test_a_role_with_privileges_works(db: Db, role: Db, schema: str) -> None:
    db.execute("CREATE TABLE t (a int PRIMARY KEY, b int)")
    db.execute("INSERT INTO t VALUES (1, 2)")
    db.execute("CREATE VIEW v AS SELECT b FROM t")
    db.execute(f"GRANT SELECT ON v TO reader; GRANT CREATE ON SCHEMA {schema} TO reader")
    assert rows(role, "SELECT * FROM v") == [(2,)]
    create = "CREATE MATERIALIZED VIEW mine AS SELECT b FROM v"
    assert error_of(role, create) == "permission denied for cluster quickstart"
    db.execute("GRANT CREATE ON CLUSTER quickstart TO reader")
    role.execute(create)  # type: ignore[call-overload]
    role.execute("CREATE INDEX ON mine (b)")
    assert rows(role, "SELECT * FROM mine WHERE b = 2") == [(2,)]
    role.execute("CREATE OR REPLACE MATERIALIZED VIEW mine AS SELECT b + 1 AS b FROM v")
    db.execute("INSERT INTO t VALUES (2, 3)")
    assert rows(role, "SELECT * FROM mine ORDER BY b") == [(3,), (4,)]
    db.execute("REVOKE USAGE ON CLUSTER quickstart FROM PUBLIC")
    assert error_of(role, "SELECT * FROM mine") == "permission denied for cluster quickstart"
    assert rows(role, "SELECT 1") == [(1,)]
    db.execute("GRANT USAGE ON CLUSTER quickstart TO PUBLIC")
    db.execute("REVOKE CREATE ON CLUSTER quickstart FROM reader")
    owners = "SELECT relname, pg_get_userbyid(relowner) FROM pg_class WHERE relname LIKE 'mine%' ORDER BY 1"
    assert rows(db, owners) == [("mine", "reader")]


def test_a_cached_plan_is_checked_each_time(db: Db, role: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("GRANT SELECT ON t TO reader")
    for _ in range(7):  # from the fifth on, psycopg prepares it
        assert rows(role, "SELECT count(*) FROM t WHERE a = %s", (1,)) == [(0,)]
    db.execute("REVOKE SELECT ON t FROM reader")
    with pytest.raises(errors.InsufficientPrivilege):
        rows(role, "SELECT count(*) FROM t WHERE a = %s", (1,))
    role.execute("RESET ROLE")
    assert rows(role, "SELECT count(*) FROM t WHERE a = %s", (1,)) == [(0,)]
    role.execute("SET ROLE reader")
    with pytest.raises(errors.InsufficientPrivilege):
        rows(role, "SELECT count(*) FROM t WHERE a = %s", (1,))


def test_privileges_are_shown(db: Db, role: Db, schema: str) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("GRANT SELECT, INSERT ON t TO reader WITH GRANT OPTION")
    db.execute("GRANT SELECT ON t TO PUBLIC")
    shown = [row[1:] for row in rows(db, "SHOW PRIVILEGES WHERE name = 't'")]
    assert shown == [
        ("PUBLIC", "ptvc", schema, "t", "table", "SELECT"),
        ("reader", "ptvc", schema, "t", "table", "INSERT"),
        ("reader", "ptvc", schema, "t", "table", "SELECT"),
    ]
    assert rows(db, "SELECT relacl FROM pg_class WHERE relname = 't' AND relacl IS NOT NULL") == [
        (["ptvc=arwdDxtm/ptvc", "reader=a*r*/ptvc", "=r/ptvc"],)
    ]
    db.execute("ALTER TABLE t OWNER TO reader")
    assert rows(db, "SELECT relacl FROM pg_class WHERE relname = 't' AND relacl IS NOT NULL") == [
        (["reader=a*r*wdDxtm/reader", "=r/reader"],)
    ]


def test_default_privileges_are_shown(db: Db, schema: str) -> None:
    db.execute("CREATE ROLE team")
    db.execute("CREATE ROLE member IN ROLE team")
    db.execute("CREATE ROLE other")
    db.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT, INSERT ON TABLES TO team")
    db.execute("ALTER DEFAULT PRIVILEGES GRANT USAGE ON CLUSTERS TO other")
    of_tables = [
        ("ptvc", "ptvc", schema, "table", "team", "INSERT"),
        ("ptvc", "ptvc", schema, "table", "team", "SELECT"),
    ]
    of_clusters = [("ptvc", None, None, "cluster", "other", "USAGE")]
    assert rows(db, "SHOW DEFAULT PRIVILEGES") == of_tables + of_clusters
    assert rows(db, "SHOW DEFAULT PRIVILEGES ON TABLES") == of_tables
    assert rows(db, "SHOW DEFAULT PRIVILEGES FOR member") == of_tables
    assert rows(db, "SHOW DEFAULT PRIVILEGES ON TABLES FOR other WHERE grantee <> 'x'") == []
    db.execute("CREATE TABLE t (a int)")
    granted = rows(db, "SHOW PRIVILEGES ON TABLES FOR member WHERE name = 't'")
    assert [row[1:] for row in granted] == [
        ("team", "ptvc", schema, "t", "table", "INSERT"),
        ("team", "ptvc", schema, "t", "table", "SELECT"),
    ]
    with pytest.raises(errors.UndefinedObject):
        db.execute("SHOW DEFAULT PRIVILEGES FOR nobody")
    with pytest.raises(errors.SyntaxError):
        db.execute("SHOW DEFAULT PRIVILEGES ON ROWS")
    assert rows(db, "SHOW NETWORK POLICIES LIKE 'x'") == []
    db.execute("DROP OWNED BY team, other")
    db.execute("DROP ROLE team, member, other")
    assert rows(db, "SHOW DEFAULT PRIVILEGES") == []


def test_default_privileges_as_in_postgres(runtime: InProcess, empty_database: str) -> None:
    with runtime.connect() as ours, psycopg.connect(empty_database, autocommit=True) as theirs:
        compare(ours, theirs, script("default_privileges"))


def test_in_blocks_as_in_postgres(runtime: InProcess, empty_database: str) -> None:
    with runtime.connect() as ours, psycopg.connect(empty_database, autocommit=True) as theirs:
        compare(ours, theirs, script("privileges_in_blocks"))


def test_roles_do_not_change_in_blocks(db: Db) -> None:
    for change in ("CREATE ROLE r", "ALTER ROLE ptvc LOGIN", "DROP ROLE IF EXISTS r", "GRANT ptvc TO ptvc"):
        with pytest.raises(errors.FeatureNotSupported, match="A change of roles cannot run inside"):
            db.execute(f"BEGIN; {change}")  # type: ignore[call-overload]
        db.execute("ROLLBACK")


@pytest.mark.parametrize(
    "definition",
    [
        "GRANT SELECT ON t TO leaver",
        "ALTER TABLE t OWNER TO leaver",
        "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO leaver",
        "GRANT USAGE ON CLUSTER quickstart TO leaver",
    ],
)
def test_a_block_grants_nothing_to_a_role_that_goes(
    runtime: InProcess, db: Db, schema: str, definition: str
) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE ROLE leaver")
    with runtime.connect(options=f"-c search_path={schema}", autocommit=False) as block:
        block.execute(definition)  # type: ignore[call-overload]
        db.execute("DROP ROLE leaver")
        with pytest.raises(errors.SerializationFailure) as failure:
            block.commit()
        assert 'role "leaver" was dropped' in str(failure.value.diag.message_detail)
    db.execute("GRANT SELECT ON t TO PUBLIC")


def test_two_blocks_do_not_grant_over_each_other(runtime: InProcess, db: Db, schema: str) -> None:
    db.execute("CREATE TABLE t (a int)")
    with runtime.connect(options=f"-c search_path={schema}", autocommit=False) as block:
        block.execute("GRANT SELECT ON t TO PUBLIC")
        db.execute("GRANT INSERT ON t TO PUBLIC")
        with pytest.raises(errors.SerializationFailure):
            block.commit()
    assert rows(db, "SELECT relacl::text FROM pg_class WHERE relname = 't' AND relacl IS NOT NULL") == [
        ("{ptvc=arwdDxtm/ptvc,=a/ptvc}",)
    ]
