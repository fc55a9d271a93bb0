"""mz_audit_events: who came in and who did not, who defined what; that it is durable, bounded, and for superusers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, rows, running

Db = psycopg.Connection[tuple[Any, ...]]
EVENTS = 'SELECT event_type, object_type, details, "user" FROM mz_catalog.mz_audit_events ORDER BY id'


@pytest.fixture
def own() -> Iterator[InProcess]:
    with running(replace(FAST, failed_login_delay_ms=0)) as runtime:
        yield runtime


def connect(runtime: InProcess, user: str = "ptvc", **more: Any) -> Db:
    return psycopg.connect(
        host="127.0.0.1", port=runtime.port, user=user, dbname="ptvc", autocommit=True, **more
    )


def events(runtime: InProcess, *kinds: str) -> list[tuple[str, str, dict[str, Any], str | None]]:
    return [row for row in runtime.query(EVENTS) if not kinds or row[0] in kinds]


def definitions(runtime: InProcess) -> list[tuple[str, str, str | None]]:
    """Without those of sessions: kind, kind of object, and what it is called."""
    found = []
    for kind, object_type, details, user in events(runtime):
        if object_type != "session":
            name = details.get("item") or details.get("name") or details.get("member")
            assert user == "ptvc"
            found.append((kind, object_type, name))
    return found


def test_definitions(own: InProcess) -> None:
    with connect(own) as db:
        for statement in (
            "CREATE TABLE t (a int)",
            "CREATE VIEW v AS SELECT a FROM t",
            "CREATE INDEX i ON t (a)",
            "CREATE SCHEMA s",
            "CREATE TEMPORARY TABLE mine (a int)",
            "CREATE ROLE boss SUPERUSER CREATEDB",
            "CREATE ROLE ann LOGIN PASSWORD 'geheim' IN ROLE boss",
            "ALTER ROLE ann PASSWORD 'geheimer'",
            "ALTER ROLE ann SET statement_timeout = '5s'",
            "GRANT SELECT, INSERT ON t TO ann",
            "REVOKE INSERT ON t FROM ann",
            "REVOKE boss FROM ann",
            "ALTER TABLE t OWNER TO boss",
            "COMMENT ON TABLE t IS 'x'",
            "COMMENT ON COLUMN t.a IS 'x'",
            "CREATE SECRET k AS 'geheim'",
            "ALTER SYSTEM SET statement_timeout = '1h'",
            "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO ann",
            "ALTER SCHEMA s RENAME TO r",
            "DROP VIEW v",
            "DROP TABLE t",
        ):
            db.execute(statement.encode())
    assert definitions(own) == [
        ("create", "table", "t"),
        ("create", "view", "v"),
        ("create", "index", "i"),
        ("create", "schema", "s"),
        ("create", "role", "boss"),
        ("create", "role", "ann"),
        ("grant", "role", "ann"),
        ("alter", "role", "ann"),
        ("alter", "role", "ann"),
        ("grant", "table", "t"),
        ("revoke", "table", "t"),
        ("revoke", "role", "ann"),
        ("alter", "table", "t"),
        ("alter", "index", "i"),
        ("comment", "table", "t"),
        ("comment", "table", "t"),
        ("create", "secret", "k"),
        ("alter", "system", "statement_timeout"),
        ("alter", "default-privileges", None),
        ("alter", "schema", None),
        ("drop", "view", "v"),
        ("drop", "index", "i"),
        ("drop", "table", "t"),
    ]
    shown = json.dumps(events(own), default=str)
    assert "geheim" not in shown
    assert "SCRAM" not in shown
    boss, ann = (details for kind, of, details, _ in events(own, "create") if of == "role")
    assert (boss["superuser"], boss["create_db"], boss.get("password")) == (True, True, None)
    assert (ann.get("superuser"), ann["login"], ann["password"]) == (None, True, "set")
    altered = [details for kind, of, details, _ in events(own, "alter") if of == "role"]
    assert altered[0]["password"] == "set"
    assert altered[1]["settings"] == {"statement_timeout": "5s"}
    assert [details["privileges"] for _, _, details, _ in events(own, "revoke") if "item" in details] == [
        ["ann=a/ptvc"]
    ]


def test_a_block_is_told_of_when_it_commits(own: InProcess) -> None:
    with connect(own) as db:
        db.execute("BEGIN")
        db.execute("CREATE TABLE t (a int)")
        db.execute("INSERT INTO t VALUES (1)")
        assert definitions(own) == []
        db.execute("ROLLBACK")
        with pytest.raises(psycopg.errors.DivisionByZero):
            db.execute("CREATE TABLE u (a int); SELECT 1 / 0")
        assert definitions(own) == []
        db.execute("BEGIN")
        db.execute("CREATE SCHEMA s")
        db.execute("CREATE TABLE s.t (a int)")
        db.execute("COMMIT")
    assert definitions(own) == [("create", "schema", "s"), ("create", "table", "t")]


def test_who_it_was(own: InProcess) -> None:
    with connect(own) as db:
        db.execute("CREATE ROLE ann LOGIN SUPERUSER")
        db.execute("CREATE ROLE boss")
        db.execute("GRANT CREATE ON SCHEMA public TO boss")
    with connect(own, "ann", application_name="tool") as db:
        db.execute("CREATE TABLE one (a int)")
        db.execute("SET ROLE boss")
        db.execute("CREATE TABLE two (a int)")
        pid = db.info.backend_pid
    (first, second) = [(details, user) for _, of, details, user in events(own, "create") if of == "table"]
    assert (first[1], first[0].get("role"), first[0]["pid"]) == ("ann", None, pid)
    assert (second[1], second[0]["role"], second[0]["address"]) == ("ann", "boss", "127.0.0.1")
    logins = [details for kind, _, details, user in events(own, "login", "logout") if user == "ann"]
    assert logins == [
        {
            "pid": pid,
            "method": "trust",
            "address": "127.0.0.1",
            "database": "ptvc",
            "application_name": "tool",
        },
        {"pid": pid, "address": "127.0.0.1"},
    ]


def test_refused_logins(own: InProcess) -> None:
    with connect(own) as db:
        db.execute("CREATE ROLE ann LOGIN PASSWORD 'secret'")
        db.execute("CREATE ROLE group_of_some")
    for _ in range(40):
        with pytest.raises(psycopg.OperationalError):
            connect(own, "ann", password="wr0ng")
    for user, database in (("group_of_some", "ptvc"), ("ptvc", "elsewhere")):
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(host="127.0.0.1", port=own.port, user=user, dbname=database)
    with connect(own, "ann", password="secret"):
        pass

    refused = [(details, user) for _, _, details, user in events(own, "login-refused")]
    assert refused == [
        ({"reason": "28P01", "count": 1, "address": "127.0.0.1"}, "ann"),
        ({"reason": "28000", "count": 1, "address": "127.0.0.1"}, "group_of_some"),
        ({"reason": "3D000", "count": 1, "address": "127.0.0.1"}, "ptvc"),
    ]
    assert [details["method"] for _, _, details, user in events(own, "login") if user == "ann"] == [
        "password"
    ]
    own.stop()  # what was counted is told
    own.start()
    later = [(details, user) for _, _, details, user in events(own, "login-refused")]
    assert later[:3] == refused
    ((counted, user),) = later[3:]
    assert (counted["count"], counted["network"], user) == (39, "127.0.0.1", "ann")
    assert "wr0ng" not in json.dumps(events(own))


def test_superusers_read_it(own: InProcess) -> None:
    with connect(own) as db:
        db.execute("CREATE ROLE ann LOGIN")
        db.execute("CREATE VIEW given AS SELECT count(*) > 0 AS some FROM mz_catalog.mz_audit_events")
        db.execute("GRANT SELECT ON given TO ann")
    with connect(own, "ann") as db:
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="mz_audit_events"):
            db.execute("SELECT * FROM mz_catalog.mz_audit_events")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="mz_audit_events"):
            db.execute("SELECT * FROM (SELECT user FROM mz_catalog.mz_audit_events) AS x")
        assert rows(db, "SELECT * FROM given") == [(True,)]
        assert rows(db, "SELECT has_table_privilege('mz_catalog.mz_audit_events', 'SELECT')") == [(False,)]


def test_it_outlasts_restarts_and_definitions_a_crash(own: InProcess) -> None:
    with connect(own) as db:
        db.execute("CREATE TABLE t (a int)")
    before = events(own)
    own.stop()
    own.start()
    assert events(own)[: len(before)] == before
    with connect(own) as db:
        db.execute("CREATE TABLE u (a int)")
    own.abandon()
    own.start()
    assert definitions(own) == [("create", "table", "t"), ("create", "table", "u")]
    numbers = [number for (number,) in own.query("SELECT id FROM mz_audit_events")]
    assert len(set(numbers)) == len(numbers)


def test_logins_become_durable_by_themselves(own: InProcess) -> None:
    with connect(own, application_name="early"):
        pass
    eventually(lambda: not own.coordinator.audit._waiting)
    own.abandon()
    own.start()
    assert events(own, "login")[0][2]["application_name"] == "early"


def test_of_names_that_clients_make_up_the_beginning_is_kept(own: InProcess) -> None:
    with connect(own, "ann" * 1_000, application_name="tool" * 1_000):
        pass
    ((details, user),) = [(d, user) for _, _, d, user in events(own, "login") if user != "ptvc"]
    assert user == ("ann" * 1_000)[:63]
    assert details["application_name"] == ("tool" * 1_000)[:63]


def test_the_last_ones_are_kept() -> None:
    with running(replace(FAST, audit_log_events=5)) as runtime:
        for number in range(8):
            with connect(runtime) as db:
                db.execute(f"CREATE TABLE t{number} (a int)")
        with connect(runtime) as db:
            db.execute("; ".join(f"CREATE TABLE u{number} (a int)" for number in range(7)))
        eventually(lambda: not runtime.coordinator.audit._waiting)
        audit = runtime.coordinator.audit
        assert [json.loads(event.details)["item"] for event in audit._definitions] == [
            f"u{number}" for number in range(2, 7)
        ]
        assert len(audit._logins) == 5
        kept = [event.number for event in audit.events()]
        runtime.stop()
        runtime.start()
        again = [event.number for event in runtime.coordinator.audit.events()]
        assert [number for number in kept if number in again][:5] == kept[:5]


def test_nothing_is_kept_where_nothing_is_wanted() -> None:
    with running(replace(FAST, audit_log_events=0)) as runtime:
        with connect(runtime) as db:
            db.execute("CREATE TABLE t (a int)")
            db.execute("INSERT INTO t VALUES (1)")
        assert events(runtime) == []
        runtime.stop()
        runtime.start()
        assert events(runtime) == []
        assert runtime.query("SELECT * FROM t") == [(1,)]
