"""mz_internal.mz_source_status_history and mz_sink_status_history: what the statuses were before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
from inprocess import InProcess, eventually, rows

Db = psycopg.Connection[tuple[Any, ...]]


def history(db: Db, kind: str) -> list[tuple[Any, ...]]:
    """The statuses of the object of that kind, and whether each says why; the oldest first."""
    return rows(
        db,
        f"SELECT h.status, h.error IS NOT NULL FROM mz_internal.mz_{kind}_status_history h"
        f" JOIN mz_objects o ON o.id = h.{kind}_id ORDER BY occurred_at, status DESC",
    )


def test_a_sink_that_stalls_and_goes_on(fresh: InProcess, tmp_path: Path) -> None:
    with fresh.connect() as db:
        db.execute("CREATE TABLE t (k int, v int)")
        db.execute("CREATE MATERIALIZED VIEW bad AS SELECT k, v / k AS v FROM t")
        db.execute(f"CREATE SINK feed FROM bad INTO FILE '{tmp_path / 'out'}' FORMAT JSON ENVELOPE NONE")  # type: ignore[arg-type]
        eventually(lambda: history(db, "sink")[-1:] == [("running", False)])
        db.execute("INSERT INTO t VALUES (0, 5)")
        eventually(lambda: history(db, "sink")[-1] == ("stalled", True))
        db.execute("CREATE MATERIALIZED VIEW good AS SELECT k, v FROM t")
        db.execute("ALTER SINK feed SET FROM good")
        eventually(
            lambda: history(db, "sink")[-3:] == [("stalled", True), ("starting", False), ("running", False)]
        )
        (latest,) = rows(db, "SELECT last_status_change_at FROM mz_internal.mz_sink_statuses")
        (newest,) = rows(db, "SELECT max(occurred_at) FROM mz_internal.mz_sink_status_history")
        assert latest == newest
        db.execute("DROP SINK feed")
        assert history(db, "sink") == []


def test_a_source_whose_files_do_not_fit(fresh: InProcess, tmp_path: Path) -> None:
    files = tmp_path / "in"
    files.mkdir()
    (files / "a.csv").write_text("id\n1\n2\n")
    with fresh.connect() as db:
        db.execute(f"CREATE SOURCE s (id int) FROM FILE '{files}' FORMAT CSV ENVELOPE NONE")  # type: ignore[arg-type]
        eventually(lambda: history(db, "source")[-1:] == [("running", False)])
        (files / "a.csv").write_text("id\n1\n")  # shorter than what was read of it
        eventually(lambda: history(db, "source")[-2:] == [("running", False), ("stalled", True)])
