"""EXPLAIN SOURCE: what all readers have in common, which is what a WHERE may say without anybody seeing a difference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import eventually, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]


def run(db: Db, sql: str) -> None:
    db.execute(sql.encode())


def explained(db: Db, name: str) -> list[str]:
    return [line for (line,) in rows(db, f"EXPLAIN SOURCE {name}")]


def test_what_all_readers_have_in_common(db: Db, schema: str, tmp_path: Path) -> None:
    records = "".join(f"{n},{'ab'[n % 2]},{n % 7},x,y\n" for n in range(100))
    (tmp_path / "1.csv").write_text(records)
    columns = "(id int, kind text, n int, t text, u text)"
    run(db, f"CREATE SOURCE s {columns} FROM FILE '{tmp_path}' FORMAT CSV WITHOUT HEADER")
    eventually(lambda: rows(db, "SELECT count(*) FROM s") == [(100,)])
    (alone,) = explained(db, "s")
    assert alone.startswith(f"Nothing that is maintained reads {schema}.s: 100 rows, ")
    run(db, "CREATE VIEW a AS SELECT id, n, t FROM s WHERE kind = 'a'")
    run(
        db,
        "CREATE MATERIALIZED VIEW m AS SELECT n, count(*) AS c FROM a WHERE n > 2 AND 10 / n > 0 GROUP BY n",
    )
    run(db, "CREATE VIEW f AS SELECT id FROM s WHERE n > 2 AND id < 50 AND kind = 'a'")
    run(db, "CREATE INDEX i ON f (id)")
    run(
        db,
        "CREATE MATERIALIZED VIEW j AS SELECT l.id FROM s l JOIN s r ON l.id = r.n "
        "WHERE l.kind = 'a' AND l.n > 2 AND r.kind = 'a' AND r.n > 2 AND r.n < 5",
    )
    found = explained(db, "s")
    assert found[:4] == [
        "Read by 3:",
        f"  materialized view {schema}.m",
        f"  index {schema}.i",
        f"  materialized view {schema}.j",
    ]
    assert found[4].startswith("All want only: ")
    conditions = found[4].removeprefix("All want only: ")
    assert sorted(conditions.split(" AND ")) == ["(kind = 'a')", "(n > 2)"]
    assert found[5] == "Nobody looks at: t, u"
    wanted = sum(n % 2 == 0 and n % 7 > 2 for n in range(100))
    assert found[6].startswith("Of 100 rows, ")
    assert found[6].endswith(f" bytes, {wanted} are wanted")
    # A source that has that, and no more, shows everybody the same.
    run(
        db,
        f"CREATE SOURCE less {columns} FROM FILE '{tmp_path}' FORMAT CSV WITHOUT HEADER WHERE ({conditions})",
    )
    eventually(lambda: rows(db, "SELECT count(*) FROM less") == [(wanted,)])
    run(db, f"CREATE SINK k FROM s INTO FILE '{tmp_path}/_out' FORMAT JSON ENVELOPE DEBEZIUM")
    found = explained(db, "s")
    assert f"  sink {schema}.k" in found
    assert found[5:7] == ["There is no condition that all have", "Each column is looked at"]
    assert found[7].endswith(" bytes, 100 are wanted")


def test_of_a_table_of_a_source_and_of_the_last_while(db: Db) -> None:
    run(db, "CREATE SOURCE market FROM LOAD GENERATOR AUCTION (TICK INTERVAL '1ms', UP TO 100)")
    run(db, "CREATE TABLE bids FROM SOURCE market (REFERENCE bids)")
    run(db, "CREATE MATERIALIZED VIEW v AS SELECT id FROM bids WHERE mz_now() <= bid_time + INTERVAL '1 day'")
    eventually(lambda: rows(db, "SELECT count(*) FROM bids") == [(90,)])
    found = explained(db, "bids")
    assert found[2] == "There is no condition that all have"
    assert found[3].startswith("All look at the last while: (mz_now() <= (bid_time + ")
    assert found[5].endswith(" bytes, 90 are wanted")


def test_what_is_no_source_is_refused(db: Db) -> None:
    run(db, "CREATE TABLE t (a int)")
    run(db, "CREATE SOURCE market FROM LOAD GENERATOR AUCTION")
    with pytest.raises(errors.WrongObjectType, match="neither a source nor a table of one"):
        explained(db, "t")
    with pytest.raises(errors.WrongObjectType):
        explained(db, "market")
    with pytest.raises(errors.UndefinedTable):
        explained(db, "nothing")
