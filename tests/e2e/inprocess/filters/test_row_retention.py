"""RETAIN ROWS of sources in a whole runtime: what is too old is not stored, or goes, and nobody misses anything."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]


def run(db: Db, sql: str) -> None:
    db.execute(sql.encode())


def csv(*ages: tuple[int, float | None]) -> str:
    """Lines of an id and the time of so many seconds ago."""
    now = datetime.now(UTC)
    return "".join(
        f"{id_},{'' if age is None else (now - timedelta(seconds=age)).isoformat()}\n" for id_, age in ages
    )


def test_rows_go_when_they_are_too_old_and_late_ones_do_not_come(fresh: InProcess, tmp_path: Path) -> None:
    file = tmp_path / "1.csv"
    file.write_text(csv((1, 1000), (2, 0), (3, None), (4, -3600), (2, 0)))
    with fresh.connect() as db:
        kept = "WITH (RETAIN ROWS FOR '3000ms' BY at)"
        run(
            db,
            f"CREATE SOURCE s (id int, at timestamptz) FROM FILE '{file}' FORMAT CSV WITHOUT HEADER {kept}",
        )
        run(db, "CREATE MATERIALIZED VIEW v AS SELECT id, count(*) AS n, max(at) AS top FROM s GROUP BY id")
        statistics = "SELECT updates_committed, updates_filtered FROM mz_internal.mz_source_statistics"
        eventually(lambda: rows(db, statistics) == [(3, 2)])
        eventually(lambda: rows(db, "SELECT id, n FROM v") == [(4, 1)])
        assert rows(db, "SELECT id FROM s") == [(4,)]
        (shown,) = rows(db, "SHOW CREATE SOURCE s")
        assert shown[1].endswith(kept)
        plan = "\n".join(line for (line,) in rows(db, "EXPLAIN PHYSICAL PLAN FOR MATERIALIZED VIEW v"))
        assert "monotonic" not in plan
    fresh.abandon()
    with file.open("a") as more:
        more.write(csv((5, 0), (6, 100)))
    fresh.start()
    with fresh.connect() as db:
        eventually(lambda: (5,) in rows(db, "SELECT id FROM s"))
        eventually(lambda: rows(db, "SELECT id, n FROM v") == [(4, 1)])
        assert rows(db, "SHOW CREATE SOURCE s") == [shown]
        run(db, "DROP SOURCE s CASCADE")


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(6))
def test_a_reader_of_the_last_while_misses_nothing_whatever_is_killed(fresh: InProcess, seed: int) -> None:
    """Two tables of one source have the same at one time, but for what is too old."""
    random = Random(seed)
    while_ = "INTERVAL '2 seconds'"
    with fresh.connect() as db:
        run(db, "CREATE SOURCE market FROM LOAD GENERATOR AUCTION (TICK INTERVAL '7ms')")
        run(db, "CREATE TABLE every FROM SOURCE market (REFERENCE bids)")
        run(
            db,
            "CREATE TABLE kept FROM SOURCE market (REFERENCE bids) WITH (RETAIN ROWS FOR '2s' BY bid_time)",
        )
        for name in ("every", "kept"):
            run(
                db,
                f"CREATE MATERIALIZED VIEW last_{name} AS SELECT id FROM {name} WHERE mz_now() <= bid_time + {while_}",
            )
        ready = "SELECT bool_and(snapshot_committed) FROM mz_internal.mz_source_statistics"
        eventually(lambda: rows(db, ready) == [(True,)])
    missing = "(SELECT id FROM last_every EXCEPT ALL SELECT id FROM last_kept)"
    more = "(SELECT id FROM last_kept EXCEPT ALL SELECT id FROM last_every)"
    twice = "(SELECT id FROM kept EXCEPT ALL SELECT id FROM every)"
    for _ in range(6):
        with fresh.connect() as db:
            for _ in range(random.randrange(1, 8)):
                assert rows(db, f"{missing} UNION ALL {more} UNION ALL {twice}") == []
        match random.randrange(3):
            case 0:
                fresh.kill_replica()
            case 1:
                fresh.abandon()
                fresh.start()
            case _:
                pass
    with fresh.connect() as db:
        oldest = "SELECT (SELECT min(id) FROM kept) > (SELECT min(id) FROM every)"
        eventually(lambda: rows(db, oldest) == [(True,)])
        assert rows(db, f"{missing} UNION ALL {more} UNION ALL {twice}") == []
        old = "SELECT count(*) FROM kept WHERE mz_now() > bid_time + INTERVAL '20 seconds'"
        eventually(lambda: rows(db, old) == [(0,)])


@pytest.mark.parametrize(
    ("sql", "error", "message"),
    [
        ("{head} WITH (RETAIN ROWS FOR '1h' BY n)", errors.DatatypeMismatch, "retained by a timestamp"),
        ("{head} WITH (RETAIN ROWS FOR '1h' BY m)", errors.UndefinedColumn, "does not exist, or is excluded"),
        (
            "{head} WITH (RETAIN ROWS FOR '1h' BY at, EXCLUDE COLUMNS (at))",
            errors.UndefinedColumn,
            "is excluded",
        ),
        ("{head} WITH (RETAIN ROWS FOR '1ms' BY at)", errors.InvalidParameterValue, "at least a second"),
        ("{head} WITH (RETAIN ROWS FOR '1h')", errors.SyntaxError, "syntax error"),
        (
            "{head} WITH (RETAIN ROWS FOR '1h' BY at, RETAIN ROWS FOR '2h' BY at)",
            errors.SyntaxError,
            "conflicting or redundant options",
        ),
        (
            "{head} KEY (n) ENVELOPE UPSERT WITH (RETAIN ROWS FOR '1h' BY at)",
            errors.FeatureNotSupported,
            "changed and taken back upstream",
        ),
        (
            "CREATE SOURCE s FROM LOAD GENERATOR CLOCK WITH (RETAIN ROWS FOR '1h' BY time)",
            errors.FeatureNotSupported,
            "changed and taken back upstream",
        ),
        (
            "CREATE SOURCE s FROM LOAD GENERATOR AUCTION WITH (RETAIN ROWS FOR '1h' BY time)",
            errors.FeatureNotSupported,
            "RETAIN ROWS of a source without rows",
        ),
    ],
)
def test_what_cannot_be_retained_so(
    db: Db, tmp_path: Path, sql: str, error: type[psycopg.Error], message: str
) -> None:
    with pytest.raises(error, match=message):
        run(db, sql.format(head=f"CREATE SOURCE s (n int, at timestamp) FROM FILE '{tmp_path}' FORMAT JSON"))
