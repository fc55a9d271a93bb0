"""What a query takes is its own affair: others are answered, and it is gone once it is cancelled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from time import monotonic

import psycopg
import pytest
from inprocess import FAST, WAIT_S, InProcess, eventually, rows, running
from ptvc.coord.controller.replicas import ReplicaClient

ROWS = 60_000
BUDGET_MB = 128


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running(replace(FAST, query_memory_limit_mb=BUDGET_MB)) as runtime:
        with runtime.connect() as db:
            db.execute("CREATE TABLE t (a int)")
            db.execute(f"INSERT INTO t SELECT * FROM generate_series(1, {ROWS})")
            db.execute("CREATE MATERIALIZED VIEW n AS SELECT count(*) AS n FROM t")
        yield runtime


ENDLESS = (
    "WITH MUTUALLY RECURSIVE r (a int) AS (SELECT a FROM t UNION SELECT a + 1 FROM r) SELECT count(*) FROM r"
)


def replica(runtime: InProcess) -> ReplicaClient:
    return next(iter(runtime.coordinator.controller.clusters))


def test_a_query_that_is_under_way_delays_no_other(runtime: InProcess) -> None:
    ended: list[str | None] = []
    with runtime.connect() as db, runtime.connect() as other:

        def run() -> None:
            with pytest.raises(psycopg.errors.QueryCanceled) as error:
                db.execute(ENDLESS)
            ended.append(error.value.sqlstate)

        thread = threading.Thread(target=run)
        thread.start()
        eventually(lambda: replica(runtime)._peeks)
        assert rows(other, "SELECT n FROM n") == [(ROWS,)]
        assert rows(other, "SELECT count(*) FROM t") == [(ROWS,)]
        assert ended == []
        db.cancel_safe()
        thread.join(WAIT_S)
        assert ended == ["57014"]
        assert rows(db, "SELECT count(*) FROM t") == [(ROWS,)]


def test_large_values_on_the_way_do_not_add_up(runtime: InProcess) -> None:
    """1.2 GB all together: in the memory that a query may have, only some at a time."""
    assert runtime.query("SELECT count(*) FROM t WHERE length(repeat('x', 20000) || a) > 5") == [(ROWS,)]


def test_a_query_over_its_budget_fails_alone(runtime: InProcess) -> None:
    with runtime.connect() as db:
        with pytest.raises(psycopg.errors.OutOfMemory) as error:
            db.execute("SELECT repeat('x', 20000) || a FROM t")
        assert f"the limit is {BUDGET_MB}.0 MB" in str(error.value)
        assert "query_memory_limit_mb" in (error.value.diag.message_hint or "")
        assert rows(db, "SELECT n FROM n") == [(ROWS,)]


def test_a_client_that_goes_away_takes_its_query_along(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("SET statement_timeout = '200ms'")
        before = monotonic()
        with pytest.raises(psycopg.errors.QueryCanceled):
            db.execute(ENDLESS)
        assert monotonic() - before < 20
    eventually(lambda: not replica(runtime)._peeks)
