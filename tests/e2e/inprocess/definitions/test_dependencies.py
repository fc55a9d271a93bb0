"""What objects rest on, directly and not; their whole names; sessions; time zones."""

from __future__ import annotations

from typing import Any

import psycopg
from inprocess import rows

Session = psycopg.Connection[tuple[Any, ...]]

NAMED = (
    "SELECT o.name, r.name FROM mz_internal.{} d JOIN mz_catalog.mz_objects o ON o.id = d.object_id"
    " JOIN mz_catalog.mz_objects r ON r.id = d.{} WHERE o.schema_name = '{}' ORDER BY 1, 2"
)


def test_what_rests_on_what(db: Session, schema: str) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE VIEW v AS SELECT a FROM t")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT a FROM v")
    db.execute("CREATE MATERIALIZED VIEW n AS SELECT m.a FROM m JOIN v USING (a)")
    db.execute("CREATE INDEX i ON v (a)")
    direct = [("i", "v"), ("m", "v"), ("n", "m"), ("n", "v"), ("v", "t")]
    assert rows(db, NAMED.format("mz_object_dependencies", "referenced_object_id", schema)) == direct
    transitive = [*direct, ("i", "t"), ("m", "t"), ("n", "t")]
    found = rows(db, NAMED.format("mz_object_transitive_dependencies", "referenced_object_id", schema))
    assert found == sorted(transitive)
    maintained = [("i", "t"), ("m", "t"), ("n", "m"), ("n", "t")]
    for relation in ("mz_compute_dependencies", "mz_materialization_dependencies"):
        assert rows(db, NAMED.format(relation, "dependency_id", schema)) == maintained
    whole = "SELECT name, object_type, database_name FROM mz_internal.mz_object_fully_qualified_names WHERE schema_name = %s"
    assert ("m", "materialized-view", "ptvc") in rows(db, whole, [schema])


def test_columns_that_views_read(db: Session, schema: str) -> None:
    db.execute("CREATE TABLE t (a int, b int, c int, d int)")
    db.execute("CREATE VIEW v AS SELECT a FROM t WHERE c > 0")
    db.execute("CREATE VIEW w AS SELECT v.a AS x, t.d FROM v JOIN t ON t.b = v.a")
    usage = (
        "SELECT view_name, table_name, column_name FROM information_schema.view_column_usage"
        " WHERE view_schema = %s ORDER BY 1, 2, 3"
    )
    assert rows(db, usage, [schema]) == [
        ("v", "t", "a"),
        ("v", "t", "c"),
        ("w", "t", "b"),
        ("w", "t", "d"),
        ("w", "v", "a"),
    ]


def test_privileges_on_columns_are_those_on_relations(db: Session, schema: str) -> None:
    db.execute("CREATE ROLE counter")
    db.execute("CREATE TABLE t (a int, b int)")
    db.execute("GRANT SELECT, DELETE ON t TO counter")
    granted = (
        "SELECT column_name, privilege_type, is_grantable FROM information_schema.column_privileges"
        " WHERE table_schema = %s AND grantee = 'counter' ORDER BY 1"
    )
    assert rows(db, granted, [schema]) == [("a", "SELECT", "NO"), ("b", "SELECT", "NO")]


def test_sessions(db: Session) -> None:
    backends = "SELECT numbackends = (SELECT count(*) FROM pg_stat_activity) FROM pg_stat_database"
    assert rows(db, backends) == [(True,)]
    mine = (
        "SELECT r.name, s.client_ip, s.connected_at <= now() FROM mz_internal.mz_sessions s"
        " JOIN mz_catalog.mz_roles r ON r.id = s.role_id WHERE s.connection_id = pg_backend_pid()"
    )
    assert rows(db, mine) == [("ptvc", "127.0.0.1", True)]


def test_time_zones(db: Session) -> None:
    fixed = "SELECT abbrev, utc_offset::text, is_dst FROM pg_timezone_names WHERE name = 'Asia/Kolkata'"
    assert rows(db, fixed) == [("IST", "05:30:00", False)]
    behind = "SELECT utc_offset < INTERVAL '0' FROM pg_timezone_names WHERE name = 'America/New_York'"
    assert rows(db, behind) == [(True,)]
    counts = "SELECT (SELECT count(*) FROM pg_timezone_names) = (SELECT count(*) FROM mz_catalog.mz_timezone_names)"
    assert rows(db, counts) == [(True,)]


def test_what_tools_ask_of_the_session(db: Session) -> None:
    assert rows(db, "SELECT mz_is_superuser(), has_role('ptvc', 'ptvc', 'USAGE')") == [(True, True)]
    version = "SELECT mz_version_num() = (major * 1000 + minor) * 100 + patch FROM (SELECT"
    parts = ", ".join(
        f"split_part(ltrim(split_part(mz_version(), ' ', 1), 'v'), '.', {n})::int AS {name}"
        for n, name in enumerate(("major", "minor", "patch"), 1)
    )
    assert rows(db, f"{version} {parts}) v") == [(True,)]
