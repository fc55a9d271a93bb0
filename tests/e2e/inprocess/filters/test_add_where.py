"""ALTER SOURCE ... ADD WHERE: what does not pass goes at one time, what comes is judged, and nothing is lost or twice."""

from __future__ import annotations

from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]


def run(db: Db, sql: str) -> None:
    db.execute(sql.encode())


def count(db: Db) -> int | None:
    """Of rows; None while one is in error."""
    try:
        return len(rows(db, "SELECT * FROM s"))
    except errors.InvalidTextRepresentation:
        return None


def test_rows_by_key_go_and_stay_away(fresh: InProcess, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("".join(f"{n},{n % 5},{n}\n" for n in range(50)) + "60,x,1\n")
    with fresh.connect() as db:
        head = f"CREATE SOURCE s (id int, kind int, n int) FROM FILE '{tmp_path}' FORMAT CSV WITHOUT HEADER KEY (id) ENVELOPE UPSERT"
        run(db, f"{head} WHERE (n <> 7) WITH (EXCLUDE COLUMNS (n))")
        run(db, "CREATE MATERIALIZED VIEW v AS SELECT id FROM s WHERE kind = 2")
        committed = "SELECT snapshot_committed FROM mz_internal.mz_source_statistics"
        eventually(lambda: rows(db, committed) == [(True,)])
        (tmp_path / "2.csv").write_text("60,2,7\n")  # it takes the error back
        eventually(lambda: count(db) == 49)
        before = rows(db, "SELECT * FROM v ORDER BY 1")
        notices: list[str] = []
        db.add_notice_handler(lambda notice: notices.append(notice.message_primary or ""))
        run(db, "ALTER SOURCE s ADD WHERE (kind IN (2, 3))")
        assert notices == ["30 rows were taken back"]
        assert sorted(rows(db, "SELECT DISTINCT kind FROM s")) == [(2,), (3,)]
        assert rows(db, "SELECT * FROM v ORDER BY 1") == before
        (shown,) = rows(db, "SHOW CREATE SOURCE s")
        assert " WHERE ((n <> 7) AND (kind IN (2, 3))) WITH " in shown[1]
        (tmp_path / "3.csv").write_text("0,2,0\n2,1,2\n3,3,7\n")
        now = sorted({*before, (0,)} - {(2,)})
        eventually(lambda: rows(db, "SELECT * FROM v ORDER BY 1") == now)
        assert (3, 3) not in rows(db, "SELECT * FROM s")
    fresh.abandon()
    (tmp_path / "4.csv").write_text("0,1,0\n3,3,0\n")
    fresh.start()
    with fresh.connect() as db:
        eventually(lambda: rows(db, "SELECT * FROM v ORDER BY 1") == sorted({*now} - {(0,)}))
        assert (3, 3) in rows(db, "SELECT * FROM s")
        assert rows(db, "SHOW CREATE SOURCE s") == [shown]


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(6))
def test_a_table_is_narrowed_while_it_is_written(fresh: InProcess, seed: int) -> None:
    """At each time it has, of what the table beside it has, all or what passes; whatever is killed."""
    random, done = Random(seed), Event()
    with fresh.connect() as db:
        run(db, "CREATE SOURCE market FROM LOAD GENERATOR AUCTION (TICK INTERVAL '3ms', UP TO 1000)")
        run(db, "CREATE TABLE every FROM SOURCE market (REFERENCE bids)")
        run(db, "CREATE TABLE kept FROM SOURCE market (REFERENCE bids)")
        for name in ("every", "kept"):
            run(
                db,
                f"CREATE MATERIALIZED VIEW sums_{name} AS SELECT sum(id) AS s, count(*) AS n FROM {name} WHERE amount > 50",
            )
        ready = "SELECT bool_and(snapshot_committed) FROM mz_internal.mz_source_statistics"
        eventually(lambda: rows(db, ready) == [(True,)])

    def narrow() -> None:
        done.wait(random.random())
        with fresh.connect() as db:
            run(db, "ALTER TABLE kept ADD WHERE (amount > 20)")

    thread = Thread(target=narrow)
    thread.start()
    wrong = "SELECT * FROM sums_every EXCEPT ALL SELECT * FROM sums_kept"
    beside = "(SELECT * FROM kept EXCEPT ALL SELECT * FROM every)"
    missing = "(SELECT * FROM every WHERE amount > 20 EXCEPT ALL SELECT * FROM kept)"
    try:
        with fresh.connect() as db:
            while thread.is_alive():
                assert rows(db, wrong) == []
                assert rows(db, f"{beside} UNION ALL {missing}") == []
    finally:
        done.set()
        thread.join()
    for _ in range(4):
        match random.randrange(3):
            case 0:
                fresh.kill_replica()
            case 1:
                fresh.abandon()
                fresh.start()
            case _:
                pass
        with fresh.connect() as db:
            assert rows(db, wrong) == []
            assert rows(db, f"{beside} UNION ALL {missing}") == []
            assert rows(db, "SELECT count(*) FROM kept WHERE amount <= 20") == [(0,)]
    with fresh.connect() as db:
        eventually(lambda: rows(db, "SELECT count(*) FROM every") == [(900,)])
        eventually(
            lambda: (
                rows(db, f"{wrong} UNION ALL SELECT count(*), 0 FROM {missing} x HAVING count(*) > 0") == []
            )
        )
        ((sql,),) = [row[1:] for row in rows(db, "SHOW CREATE TABLE kept")]
        assert sql.endswith("(REFERENCE auction.bids) WHERE (amount > 20)")


def test_who_is_altered_instead_is_told(db: Db, tmp_path: Path) -> None:
    run(db, f"CREATE SOURCE s (n int, at timestamptz) FROM FILE '{tmp_path}' FORMAT CSV WITHOUT HEADER")
    run(db, "CREATE SOURCE market FROM LOAD GENERATOR AUCTION")
    run(db, 'CREATE TABLE "Bids" FROM SOURCE market (REFERENCE bids)')
    for sql, hint in (
        ('ALTER SOURCE "Bids" APPLY', 'ALTER TABLE "Bids" APPLY.'),
        ('ALTER SOURCE "Bids" ADD WHERE (true)', 'ALTER TABLE "Bids" ADD WHERE (condition).'),
        ("ALTER SOURCE market APPLY", "ALTER TABLE ... APPLY."),
        ("ALTER SOURCE s ADD WHERE (at > now())", "RETAIN ROWS FOR"),
        ("ALTER SOURCE s ADD WHERE (at > mz_now())", "RETAIN ROWS FOR"),
    ):
        with pytest.raises(psycopg.Error) as refused:
            run(db, sql)
        assert hint in (refused.value.diag.message_hint or "")


def test_what_cannot_be_added(db: Db, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("1\n0\n")
    run(db, f"CREATE SOURCE s (n int) FROM FILE '{tmp_path}' FORMAT CSV WITHOUT HEADER")
    eventually(lambda: len(rows(db, "SELECT * FROM s")) == 2)
    run(db, "CREATE TABLE t (a int)")
    run(db, "CREATE SOURCE market FROM LOAD GENERATOR AUCTION")
    run(db, "CREATE SOURCE hook FROM WEBHOOK BODY FORMAT JSON")
    for sql, error, message in (
        ("ALTER SOURCE s ADD WHERE (1 / n > 0)", errors.DivisionByZero, "division by zero"),
        ("ALTER SOURCE s ADD WHERE (m > 0)", errors.UndefinedColumn, "does not exist"),
        ("ALTER SOURCE s DROP WHERE", errors.FeatureNotSupported, "is not there any more"),
        (
            "ALTER TABLE t DROP WHERE",
            errors.FeatureNotSupported,
            "CREATE TABLE ... FROM SOURCE without the clause",
        ),
        ("ALTER TABLE t ADD WHERE (a > 0)", errors.WrongObjectType, "no table of a source"),
        ("ALTER SOURCE market ADD WHERE (true)", errors.WrongObjectType, "no source with rows"),
        ("ALTER SOURCE hook ADD WHERE (true)", errors.FeatureNotSupported, "WEBHOOK"),
        ("ALTER SOURCE nothing ADD WHERE (true)", errors.UndefinedTable, "nothing"),
    ):
        with pytest.raises(error, match=message):
            run(db, sql)
    run(db, "ALTER SOURCE IF EXISTS nothing ADD WHERE (true)")
    with pytest.raises(errors.FeatureNotSupported, match="block"), db.transaction():
        run(db, "ALTER SOURCE s ADD WHERE (n > 0)")
    run(db, "CREATE MATERIALIZED VIEW top AS SELECT max(n) AS n FROM s")
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match="others rely on it to lose none"):
        run(db, "ALTER SOURCE s ADD WHERE (n > 0)")
    run(db, "ALTER SOURCE s ADD WHERE (n >= 0)")
    run(db, "DROP MATERIALIZED VIEW top")
    run(db, "ALTER SOURCE s ADD WHERE (n > 0)")
    assert rows(db, "SELECT * FROM s") == [(1,)]
    (shown,) = rows(db, "SHOW CREATE SOURCE s")
    assert shown[1].endswith("WHERE ((n >= 0) AND (n > 0))")
