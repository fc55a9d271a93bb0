"""pg_stat_activity: what each session does, since when, and for whose eyes."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows

Session = psycopg.Connection[tuple[Any, ...]]


def activity(db: Session, pid: int, columns: str) -> tuple[Any, ...]:
    [row] = rows(db, f"SELECT {columns} FROM pg_stat_activity WHERE pid = {pid}")
    return row


def test_what_a_session_does(db: Session, other: Session) -> None:
    pid = other.info.backend_pid
    other.execute("SELECT 1 AS first")
    state = "state, query, wait_event, xact_start IS NULL, client_addr, client_port > 0"
    assert activity(db, pid, state) == ("idle", "SELECT 1 AS first", "ClientRead", True, "127.0.0.1", True)
    mine = activity(db, db.info.backend_pid, "state, query, wait_event, backend_start <= query_start")
    assert mine[0] == "active"
    assert mine[1].startswith("SELECT state, query")
    assert mine[2:] == (None, True)

    other.autocommit = False
    other.execute("SELECT 2")
    assert activity(db, pid, "state, query, xact_start <= query_start") == (
        "idle in transaction",
        "SELECT 2",
        True,
    )
    with pytest.raises(psycopg.Error):
        other.execute("SELECT 1/0")
    assert activity(db, pid, "state, query") == ("idle in transaction (aborted)", "SELECT 1/0")
    other.rollback()
    other.autocommit = True
    other.execute("SELECT 3; SELECT 4")
    assert activity(db, pid, "state, query, xact_start") == ("idle", "SELECT 3; SELECT 4", None)


def test_a_statement_that_runs_is_found_and_ended(db: Session, other: Session) -> None:
    pid = other.info.backend_pid
    other.pgconn.send_query(b"SELECT pg_sleep(60)")
    eventually(lambda: activity(db, pid, "state, query") == ("active", "SELECT pg_sleep(60)"))
    db.execute(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%%sleep(60)' AND state = 'active'"
    )
    eventually(lambda: activity(db, pid, "state")[0] == "idle")
    while other.pgconn.get_result() is not None:
        pass


def test_secrets_and_other_roles_texts_are_not_shown(db: Session, other: Session, runtime: InProcess) -> None:
    other.execute("CREATE SECRET of_activity AS 'opensesame'")
    assert "opensesame" not in activity(db, other.info.backend_pid, "query")[0]
    db.execute("CREATE ROLE looker LOGIN")
    with runtime.connect(user="looker") as looker:
        assert activity(looker, db.info.backend_pid, "state, query") == (None, "<insufficient privilege>")
        own = activity(looker, looker.info.backend_pid, "state, query")
        assert own[0] == "active"
        assert "pg_stat_activity" in own[1]
