"""Functions that act on the server, by SQL: set_config, pg_sleep, pg_cancel_backend, advisory locks; and idle sessions."""

from __future__ import annotations

import threading
import time
from typing import Any

import psycopg
import pytest
from inprocess import InProcess
from psycopg import errors

Db = psycopg.Connection[Any]


def value(db: Db, sql: str, *parameters: Any) -> Any:
    row = db.execute(sql, parameters).fetchone()  # type: ignore[arg-type]
    assert row is not None
    return row[0]


def test_set_config(db: Db) -> None:
    assert value(db, "SELECT set_config('application_name', 'mine', false)") == "mine"
    assert value(db, "SHOW application_name") == "mine"
    assert value(db, "SELECT pg_catalog.set_config('search_path', %s, false)", "a, b") == "a, b"
    assert value(db, "SHOW search_path") == "a, b"
    with db.transaction():
        assert value(db, "SELECT set_config('application_name', 'inner', true)") == "inner"
    assert value(db, "SHOW application_name") == "mine"
    with pytest.raises(errors.InvalidParameterValue):
        db.execute("SELECT set_config('jit', 'perhaps', false)")
    with pytest.raises(errors.NullValueNotAllowed):
        db.execute("SELECT set_config(NULL, 'x', false)")


def test_all_settings_are_shown_with_what_they_are(db: Db) -> None:
    db.execute("SET my.own = 'x'")
    shown = {name: (setting, description) for name, setting, description in db.execute("SHOW ALL")}
    assert shown["my.own"] == ("x", "")
    described = dict(db.execute("SELECT name, short_desc FROM pg_settings").fetchall())
    assert {name: description for name, (_, description) in shown.items() if name in described} == described


def test_no_constraint_is_deferrable(db: Db) -> None:
    for when in ("DEFERRED", "IMMEDIATE"):
        with db.transaction():
            assert db.execute(f"SET CONSTRAINTS ALL {when}".encode()).statusmessage == "SET CONSTRAINTS"
    with pytest.raises(errors.FeatureNotSupported, match="none is deferrable"):
        db.execute("SET CONSTRAINTS t_pkey DEFERRED")


def test_a_function_is_called_for_each_row(db: Db) -> None:
    rows = db.execute(
        "SELECT a AS key, set_config('my.' || a, b, false), b FROM (VALUES ('x', '1'), ('y', '2')) AS t (a, b) ORDER BY a"
    ).fetchall()
    assert rows == [("x", "1", "1"), ("y", "2", "2")]
    assert [value(db, f"SHOW my.{name}") for name in "xy"] == ["1", "2"]  # type: ignore[str-bytes-safe]
    # What pgAdmin and others begin with.
    assert (
        value(
            db,
            "SELECT set_config('bytea_output', 'hex', false) FROM pg_catalog.pg_settings WHERE name = 'bytea_output'",
        )
        == "hex"
    )
    assert db.execute("SELECT set_config('my.z', '1', false) WHERE false").fetchall() == []
    with pytest.raises(errors.UndefinedObject):
        db.execute("SHOW my.z")


def test_result_columns(db: Db) -> None:
    cursor = db.execute("SELECT 1 AS one, pg_sleep(0), pg_try_advisory_xact_lock(1, 2) AS taken")
    assert cursor.description is not None
    assert [column.name for column in cursor.description] == ["one", "pg_sleep", "taken"]
    assert cursor.fetchall() == [(1, "", True)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT upper(set_config('a.b', 'c', false))",
        "SELECT count(*) FROM (SELECT pg_sleep(0)) AS t",
        "CREATE VIEW sleepy AS SELECT pg_sleep(1)",
        "SELECT 1 WHERE pg_try_advisory_lock(1)",
        "SELECT DISTINCT pg_sleep(0)",
    ],
)
def test_elsewhere_they_are_refused(db: Db, sql: str) -> None:
    with pytest.raises(errors.FeatureNotSupported):
        db.execute(sql)  # type: ignore[arg-type]


def test_a_sleep_is_cancelled(db: Db) -> None:
    begun = time.monotonic()
    db.execute("SET statement_timeout = 200")
    with pytest.raises(errors.QueryCanceled):
        db.execute("SELECT pg_sleep(30)")
    assert time.monotonic() - begun < 10


def test_backends(db: Db, runtime: InProcess) -> None:
    assert value(db, "SELECT pg_backend_pid()") == db.info.backend_pid
    with runtime.connect() as other:
        pid = other.info.backend_pid
        assert value(db, "SELECT count(*) FROM pg_stat_activity WHERE pid = %s", pid) == 1
        failed: list[BaseException] = []

        def sleep() -> None:
            try:
                other.execute("SELECT pg_sleep(30)")
            except psycopg.Error as error:
                failed.append(error)

        thread = threading.Thread(target=sleep)
        thread.start()
        while not failed:
            assert value(db, "SELECT pg_cancel_backend(%s)", pid) is True
            thread.join(0.05)
        thread.join()
        assert isinstance(failed[0], errors.QueryCanceled)
        assert value(db, "SELECT pg_terminate_backend(%s)", pid) is True
        with pytest.raises(psycopg.OperationalError):
            other.execute("SELECT 1")
    assert value(db, "SELECT pg_cancel_backend(1)") is False


def test_advisory_locks(db: Db, runtime: InProcess) -> None:
    with runtime.connect() as other:
        db.execute("SELECT pg_advisory_lock(7)")
        assert value(other, "SELECT pg_try_advisory_lock(7)") is False
        other.execute("SET lock_timeout = 100")
        with pytest.raises(errors.LockNotAvailable):
            other.execute("SELECT pg_advisory_lock(7)")
        assert value(db, "SELECT pg_advisory_unlock(7)") is True
        assert value(db, "SELECT pg_advisory_unlock(7)") is False
        with other.transaction():
            other.execute("SELECT pg_advisory_xact_lock(7)")
            assert value(db, "SELECT pg_try_advisory_lock(7)") is False
        assert value(db, "SELECT pg_try_advisory_lock(7)") is True
    with runtime.connect() as third:
        third.execute("SELECT pg_advisory_lock(8)")
    deadline = time.monotonic() + 10
    while not value(db, "SELECT pg_try_advisory_lock(8)"):
        assert time.monotonic() < deadline, "the lock of a session that has gone"


def test_idle_sessions_end(runtime: InProcess) -> None:
    connection = runtime.connect()
    connection.execute("SET idle_in_transaction_session_timeout = 200")
    time.sleep(0.5)
    connection.execute("SELECT 1")  # idle, but not in a transaction
    connection.execute("BEGIN")
    time.sleep(0.6)
    with pytest.raises(errors.IdleInTransactionSessionTimeout):
        connection.execute("SELECT 1")
    other = runtime.connect()
    other.execute("SET idle_session_timeout = '200ms'")
    time.sleep(0.6)
    with pytest.raises(errors.IdleSessionTimeout):
        other.execute("SELECT 1")


def test_client_min_messages(db: Db) -> None:
    seen: list[str | None] = []
    db.add_notice_handler(lambda notice: seen.append(notice.message_primary))
    db.execute("DROP TABLE IF EXISTS nothing_of_that_name")
    assert len(seen) == 1
    db.execute("SET client_min_messages = warning")
    db.execute("DROP TABLE IF EXISTS nothing_of_that_name")
    assert len(seen) == 1
    db.execute("SET LOCAL application_name = 'x'")
    assert len(seen) == 2
    db.execute("SET client_min_messages = error")
    db.execute("SET LOCAL application_name = 'x'")
    assert len(seen) == 2
