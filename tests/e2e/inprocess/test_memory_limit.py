"""MEMORY LIMIT of a cluster, from outside."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, rows, running
from ptvc.coord.controller import installer
from ptvc.retry import Backoff

from .test_checkpoints import series

ROWS = 9_000


def sizes(runtime: InProcess, name: str) -> tuple[int, int]:
    """Bytes in memory and in mapped files."""
    found = runtime.query(
        "SELECT s.memory_bytes, s.mapped_bytes FROM mz_internal.mz_dataflow_state s JOIN mz_catalog.mz_objects o"
        f" ON o.id = s.object_id WHERE o.name = '{name}'"
    )
    return (found[0][0], found[0][1]) if found else (0, 0)


def test_a_limit_ends_what_does_not_fit_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installer, "BACKOFF", Backoff(0.1, 0.1))
    with running(replace(FAST, spill_rows=1_000_000)) as runtime, runtime.connect() as db:
        db.execute("CREATE CLUSTER tight (MEMORY LIMIT = '100 kB')")
        db.execute("CREATE TABLE t (k int, v int)")
        db.execute(f"INSERT INTO t SELECT k, k FROM ({series(ROWS)}) AS s")
        db.execute("CREATE TABLE small (k int)")
        db.execute("CREATE MATERIALIZED VIEW fits IN CLUSTER tight AS SELECT count(*) AS n FROM small")
        db.execute("CREATE MATERIALIZED VIEW large IN CLUSTER tight AS SELECT DISTINCT k, v FROM t")
        db.execute("CREATE MATERIALIZED VIEW reader AS SELECT count(*) AS n FROM large")
        for name in ("large", "reader"):
            with pytest.raises(psycopg.errors.OutOfMemory) as error:
                db.execute(f"SELECT * FROM {name}")
            assert '"large"' in str(error.value)
            assert "the memory limit of its cluster is 100.0 kB" in str(error.value)
            assert "ALTER CLUSTER" in (error.value.diag.message_hint or "")
        db.execute("INSERT INTO small VALUES (1)")
        assert rows(db, "SELECT n FROM fits") == [(1,)]
        db.execute("ALTER CLUSTER tight SET (MEMORY LIMIT = '10MB')")
        assert rows(db, "SELECT count(*) FROM large") == [(ROWS,)]
        hydrated = "SELECT count(*) FROM mz_internal.mz_hydration_statuses WHERE hydrated"
        eventually(lambda: rows(db, hydrated) == [(3,)])
        assert rows(db, "SELECT n FROM reader") == [(ROWS,)]


def test_state_that_does_not_fit_is_moved_to_files() -> None:
    with running(replace(FAST, spill_rows=1_000_000)) as runtime, runtime.connect() as db:
        db.execute("CREATE TABLE t (k int, v int)")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT DISTINCT k, v FROM t")
        for _ in range(2):
            db.execute(f"INSERT INTO t SELECT k, k FROM ({series(ROWS)}) AS s")
        assert rows(db, "SELECT count(*) FROM m") == [(ROWS,)]
        eventually(lambda: sizes(runtime, "m")[0] > 100_000)
        db.execute("ALTER CLUSTER quickstart SET (MEMORY LIMIT = '100kB')")
        eventually(lambda: sizes(runtime, "m")[1] > 100_000 and sizes(runtime, "m")[0] < 100_000)
        db.execute("DELETE FROM t WHERE k < 10")
        assert rows(db, "SELECT count(*) FROM m") == [(ROWS - 10,)]


@pytest.mark.parametrize("value", ["'12 parsecs'", "'-1'", "'MB'", "true"])
def test_what_is_no_size_is_refused(value: str) -> None:
    with (
        running() as runtime,
        runtime.connect() as db,
        pytest.raises(psycopg.Error, match="MEMORY LIMIT must be"),
    ):
        db.execute(f"CREATE CLUSTER c (MEMORY LIMIT = {value})")
