"""ALTER SOURCE ... APPLY: what EXPLAIN SOURCE offers is left out, at one time, and no reader sees a difference."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]

COLUMNS = "(id int NOT NULL, kind text NOT NULL, n int, trace text, note text NOT NULL)"


def run(db: Db, sql: str) -> None:
    db.execute(sql.encode())


def explained(db: Db, name: str) -> list[str]:
    return [line for (line,) in rows(db, f"EXPLAIN SOURCE {name}")]


def told(db: Db, sql: str) -> list[str]:
    """What the statement gives notice of."""
    notices: list[str] = []

    def note(notice: psycopg.errors.Diagnostic) -> None:
        notices.append(notice.message_primary or "")

    db.add_notice_handler(note)
    try:
        run(db, sql)
    finally:
        db.remove_notice_handler(note)
    return notices


def csv(first: int, last: int) -> str:
    return "".join(f"{n},{'abc'[n % 3]},{n % 7},trace {n},note {n}\n" for n in range(first, last))


def file_source(db: Db, path: Path, end: str = "") -> None:
    run(db, f"CREATE SOURCE s {COLUMNS} FROM FILE '{path}' FORMAT CSV WITHOUT HEADER {end}")


def test_all_that_is_offered_is_left_out(fresh: InProcess, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text(csv(0, 90))
    with fresh.connect() as db:
        file_source(db, tmp_path)
        eventually(lambda: rows(db, "SELECT count(*) FROM s") == [(90,)])
        run(db, "CREATE MATERIALIZED VIEW v AS SELECT id, n FROM s WHERE kind = 'a' AND n > 1")
        run(db, "CREATE VIEW p AS SELECT n, id FROM s WHERE kind IN ('a')")
        run(db, "CREATE INDEX i ON p (n)")
        before = [rows(db, f"SELECT * FROM {name} ORDER BY 1, 2") for name in ("v", "p")]
        found = explained(db, "s")
        assert found[3:5] == ["All want only: (kind = 'a')", "Nobody looks at: trace, note"]
        at = found.index("ALTER SOURCE public.s APPLY would leave out:")
        assert found[at + 1].startswith("  FILTER: WHERE ((kind = 'a')), 60 rows, about ")
        assert found[at + 2].startswith("  COLUMNS: EXCLUDE COLUMNS (trace, note), no rows, about ")
        assert len(found) == at + 3
        assert told(db, "ALTER SOURCE s APPLY") == [
            "from now on: WHERE ((kind = 'a'))",
            "from now on: EXCLUDE COLUMNS (trace, note)",
            "60 rows were taken back",
        ]
        assert sorted(rows(db, "SELECT * FROM s")) == [(n, "a", n % 7) for n in range(0, 90, 3)]
        assert [rows(db, f"SELECT * FROM {name} ORDER BY 1, 2") for name in ("v", "p")] == before
        with pytest.raises(errors.UndefinedColumn, match="trace"):
            run(db, "SELECT trace FROM s")
        (shown,) = rows(db, "SHOW CREATE SOURCE s")
        assert COLUMNS.replace("int", "integer") in shown[1]
        assert " WHERE ((kind = 'a')) WITH (EXCLUDE COLUMNS (trace, note))" in shown[1]
        left = explained(db, "s")
        assert left[-1] == (
            "Left out since it was created: WHERE ((kind = 'a')); EXCLUDE COLUMNS (trace, note)"
        )
        assert told(db, "ALTER SOURCE s APPLY") == ["there is nothing to leave out"]
        # What comes is kept so; what is defined later sees the source as it is defined.
        (tmp_path / "2.csv").write_text(csv(90, 120))
        run(db, "CREATE MATERIALIZED VIEW later AS SELECT * FROM s")
        run(db, "CREATE INDEX whole ON s (n)")
        kept = [(n, "a", n % 7) for n in range(0, 120, 3)]
        eventually(lambda: sorted(rows(db, "SELECT * FROM later")) == kept)
        assert sorted(rows(db, "SELECT id FROM s WHERE n = 3")) == [(n,) for n, _, m in kept if m == 3]
        with pytest.raises(errors.FeatureNotSupported, match="of which columns were dropped"):
            run(db, f"CREATE SINK k FROM s INTO FILE '{tmp_path}/_out' FORMAT JSON ENVELOPE DEBEZIUM")
    fresh.abandon()
    (tmp_path / "3.csv").write_text(csv(120, 150))
    fresh.start()
    with fresh.connect() as db:
        kept = [(n, "a", n % 7) for n in range(0, 150, 3)]
        eventually(lambda: sorted(rows(db, "SELECT * FROM later")) == kept)
        assert sorted(rows(db, "SELECT * FROM s")) == kept
        assert rows(db, "SHOW CREATE SOURCE s") == [shown]
        # What SHOW CREATE says is such a source.
        again = shown[1].replace("CREATE SOURCE public.s", "CREATE SOURCE again")
        run(db, again)
        eventually(lambda: sorted(rows(db, "SELECT * FROM again")) == kept)


def test_rows_by_key_stay_known_by_it(fresh: InProcess, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text(csv(0, 30))
    with fresh.connect() as db:
        file_source(db, tmp_path, "KEY (kind, id) ENVELOPE UPSERT")
        run(db, "CREATE MATERIALIZED VIEW v AS SELECT n, count(*) AS c FROM s GROUP BY n")
        eventually(lambda: rows(db, "SELECT sum(c) FROM v") == [(30,)])
        assert told(db, "ALTER SOURCE s APPLY (COLUMNS)") == [
            "from now on: EXCLUDE COLUMNS (trace, note)",
            "0 rows were taken back",
            "not applicable: COLUMNS: id: rows are known by it",
            "not applicable: COLUMNS: kind: rows are known by it",
        ]
        (shown,) = rows(db, "SHOW CREATE SOURCE s")
        assert " KEY (kind, id) ENVELOPE UPSERT" in shown[1]
    fresh.kill_replica()
    # One row by its key changes, one goes, one comes: what was stored with the columns is what goes.
    (tmp_path / "2.csv").write_text("3,a,100,x,y\n4,b,,,\n100,a,1,x,y\n")
    with fresh.connect() as db:
        kept = {(n, "abc"[n % 3], n % 7) for n in range(30)} - {(3, "a", 3), (4, "b", 4)}
        kept |= {(3, "a", 100), (100, "a", 1)}
        eventually(lambda: {row for row in rows(db, "SELECT * FROM s") if row[2] is not None} == kept)
        assert len(rows(db, "SELECT * FROM s")) == len({row[:2] for row in rows(db, "SELECT * FROM s")})


def test_columns_that_a_definition_names_stay(db: Db, schema: str, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text(csv(0, 9))
    file_source(db, tmp_path)
    eventually(lambda: rows(db, "SELECT count(*) FROM s") == [(9,)])
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match="nothing that is maintained reads"):
        run(db, "ALTER SOURCE s APPLY")
    run(db, "CREATE VIEW everything AS SELECT * FROM s")
    run(db, "CREATE MATERIALIZED VIEW v AS SELECT id FROM everything WHERE kind = 'a' AND 10 / n > 1")
    found = explained(db, "s")
    assert "  COLUMNS: trace: it is named by " + f"{schema}.everything" in found
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match="nothing of what is asked for"):
        run(db, "ALTER SOURCE s APPLY (COLUMNS)")
    assert told(db, "ALTER SOURCE s APPLY")[:2] == [
        "from now on: WHERE ((kind = 'a'))",
        "6 rows were taken back",
    ]
    run(db, "DROP VIEW everything CASCADE")
    run(db, "CREATE MATERIALIZED VIEW v AS SELECT id FROM s")
    run(db, "CREATE INDEX i ON s (id)")
    assert "Each column is looked at" in explained(db, "s")


def test_a_condition_beside_what_may_fail_stays(db: Db, schema: str, tmp_path: Path) -> None:
    """Where it is NULL, the view tells of the error: without the row it would not."""
    (tmp_path / "1.csv").write_text(",a\n1,b\n")
    run(db, f"CREATE SOURCE s (n int, kind text) FROM FILE '{tmp_path}' FORMAT CSV WITHOUT HEADER")
    run(db, "CREATE MATERIALIZED VIEW v AS SELECT n FROM s WHERE n > 0 AND 1 / length(kind) > 0")
    found = explained(db, "s")
    assert "All want only: (n > 0)" in found
    assert f"  FILTER: (n > 0): where it is NULL, {schema}.v may tell of an error" in found
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match="nothing of what is asked for"):
        run(db, "ALTER SOURCE s APPLY (FILTER)")


def test_the_longest_while_is_retained(fresh: InProcess, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    ages = (0, 1800, 4000, 90_000, 400_000)
    lines = [f"{n},{(now - timedelta(seconds=age)).isoformat()},x\n" for n, age in enumerate(ages)]
    (tmp_path / "1.csv").write_text("".join([*lines, "9,,x\n"]))
    with fresh.connect() as db:
        run(
            db,
            f"CREATE SOURCE s (id int, at timestamptz, t text) FROM FILE '{tmp_path}' FORMAT CSV WITHOUT HEADER",
        )
        eventually(lambda: rows(db, "SELECT count(*) FROM s") == [(6,)])
        run(db, "CREATE MATERIALIZED VIEW hour AS SELECT id FROM s WHERE mz_now() <= at + INTERVAL '1 hour'")
        run(
            db,
            "CREATE MATERIALIZED VIEW day AS SELECT count(*) AS n FROM s WHERE at + INTERVAL '1 day' > mz_now() AND mz_now() >= at",
        )
        found = explained(db, "s")
        assert any(
            line.startswith("  RETENTION: RETAIN ROWS FOR '86400000ms' BY at, 3 rows, about ")
            for line in found
        ), found
        run(
            db,
            "CREATE MATERIALIZED VIEW top AS SELECT max(id) AS id FROM s WHERE mz_now() <= at + INTERVAL '2 hours'",
        )
        assert told(db, "ALTER SOURCE s APPLY") == [
            "from now on: EXCLUDE COLUMNS (t)",
            "from now on: RETAIN ROWS FOR '86400000ms' BY at",
            "3 rows were taken back",
        ]
        assert sorted(rows(db, "SELECT id FROM s")) == [(0,), (1,), (2,)]
        assert sorted(rows(db, "SELECT id FROM hour")) == [(0,), (1,)]
        (shown,) = rows(db, "SHOW CREATE SOURCE s")
        assert shown[1].endswith("WITH (EXCLUDE COLUMNS (t), RETAIN ROWS FOR '86400000ms' BY at)")
        run(db, "DROP MATERIALIZED VIEW day")
        assert told(db, "ALTER SOURCE s APPLY (RETENTION)")[:2] == [
            "from now on: RETAIN ROWS FOR '7200000ms' BY at",
            "0 rows were taken back",
        ]


def test_retention_is_not_for_what_is_relied_on_or_changed(db: Db, schema: str, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text(f"1,{datetime.now(UTC).isoformat()}\n")
    columns = "(id int, at timestamptz)"
    run(db, f"CREATE SOURCE s {columns} FROM FILE '{tmp_path}' FORMAT CSV WITHOUT HEADER")
    run(
        db,
        f"CREATE SOURCE k {columns} FROM FILE '{tmp_path}' FORMAT CSV WITHOUT HEADER KEY (id) ENVELOPE UPSERT",
    )
    for name in ("s", "k"):
        run(
            db,
            f"CREATE MATERIALIZED VIEW {name}_v AS SELECT id FROM {name} WHERE mz_now() <= at + INTERVAL '1 hour'",
        )
    offered = "  RETENTION: RETAIN ROWS FOR '3600000ms' BY at"
    assert f"{offered}: its rows are changed and taken back upstream" in explained(db, "k")
    run(db, "CREATE MATERIALIZED VIEW first AS SELECT min(id) AS id FROM s")
    assert not any(line.startswith("  RETENTION") for line in explained(db, "s"))


def test_what_cannot_be_applied(db: Db) -> None:
    run(db, "CREATE TABLE t (a int)")
    run(db, "CREATE SOURCE market FROM LOAD GENERATOR AUCTION")
    run(db, "CREATE SOURCE hook FROM WEBHOOK BODY FORMAT JSON")
    run(db, "CREATE SOURCE s FROM LOAD GENERATOR COUNTER")
    for sql, error, message in (
        ("ALTER TABLE t APPLY", errors.WrongObjectType, "no table of a source"),
        ("ALTER SOURCE market APPLY", errors.WrongObjectType, "no source with rows"),
        ("ALTER SOURCE hook APPLY", errors.FeatureNotSupported, "WEBHOOK"),
        ("ALTER SOURCE nothing APPLY", errors.UndefinedTable, "nothing"),
        ("ALTER SOURCE s APPLY (everything)", errors.SyntaxError, "everything"),
        ("ALTER SOURCE s UNAPPLY", errors.FeatureNotSupported, "is not there any more"),
    ):
        with pytest.raises(error, match=message):
            run(db, sql)
    run(db, "ALTER SOURCE IF EXISTS nothing APPLY (FILTER, COLUMNS)")
    with pytest.raises(errors.FeatureNotSupported, match="block"), db.transaction():
        run(db, "ALTER SOURCE s APPLY")


def six_read_by_id(db: Db, folder: Path) -> None:
    """Six rows, of which the only view looks at one column."""
    (folder / "1.csv").write_text(csv(0, 6))
    file_source(db, folder)
    run(db, "CREATE MATERIALIZED VIEW v AS SELECT id FROM s")
    eventually(lambda: rows(db, "SELECT count(*) FROM v") == [(6,)])


def test_who_looks_at_what_goes_is_told(db: Db, other: Db, tmp_path: Path) -> None:
    six_read_by_id(db, tmp_path)
    run(other, "BEGIN")
    run(other, "DECLARE looking CURSOR FOR SUBSCRIBE (SELECT id, trace FROM s)")
    assert len(rows(other, "FETCH 6 looking")) == 6
    run(db, "ALTER SOURCE s APPLY (COLUMNS)")
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match="was altered after"):
        rows(other, "FETCH 1 looking WITH (timeout = '20s')")
    run(other, "ROLLBACK")


def test_who_looks_at_the_rest_goes_on(db: Db, other: Db, tmp_path: Path) -> None:
    six_read_by_id(db, tmp_path)
    run(other, "BEGIN")
    run(other, "DECLARE keys CURSOR FOR SUBSCRIBE (SELECT id FROM s)")
    assert len(rows(other, "FETCH 6 keys")) == 6
    run(db, "ALTER SOURCE s APPLY (COLUMNS)")
    (tmp_path / "2.csv").write_text(csv(6, 7))
    assert [row[-1] for row in rows(other, "FETCH 1 keys WITH (timeout = '60s')")] == [6]
    run(other, "ROLLBACK")
