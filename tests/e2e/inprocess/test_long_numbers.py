"""Numbers of thousands of digits, wherever a client may write them: a value or PostgreSQL's error, of one row or statement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import eventually, rows

Session = psycopg.Connection[tuple[Any, ...]]

ONE = "0" * 5000 + "1"
LARGE = "9" * 5000


@pytest.mark.parametrize("type_", ["int", "bigint", "smallint", "oid", "uint4", "numeric", "numeric(10,2)"])
def test_casts(db: Session, type_: str) -> None:
    for made in (f"'{ONE}'::{type_}", f"(repeat('0', 5000) || '1')::{type_}"):
        assert db.execute(f"SELECT {made} = 1").fetchone() == (True,)  # type: ignore[arg-type]
    for made in (f"'{LARGE}'::{type_}", f"repeat('9', 5000)::{type_}"):
        with pytest.raises(psycopg.errors.NumericValueOutOfRange):
            db.execute(f"SELECT {made}")  # type: ignore[arg-type]


def test_copy_parameters_and_settings(db: Session) -> None:
    db.execute("CREATE TABLE t (a int)")
    with db.cursor().copy("COPY t FROM STDIN") as copy:
        copy.write(ONE + "\n")
    db.execute("INSERT INTO t VALUES (%s::text::int)", (ONE,))
    assert rows(db, "SELECT a, count(*) FROM t GROUP BY a") == [(1, 2)]
    with pytest.raises(psycopg.errors.NumericValueOutOfRange), db.cursor().copy("COPY t FROM STDIN") as copy:
        copy.write(LARGE + "\n")
    with pytest.raises(psycopg.errors.NumericValueOutOfRange):
        db.execute("INSERT INTO t VALUES (%s::text::int)", (LARGE,))
    db.execute(f"SET statement_timeout = '{ONE}s'")  # type: ignore[arg-type]
    assert db.execute("SHOW statement_timeout").fetchone() == ("1s",)
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        db.execute(f"SET statement_timeout = '{LARGE}s'")  # type: ignore[arg-type]


def test_a_row_fails_no_view(db: Session) -> None:
    db.execute("CREATE TABLE t (k int, a text)")
    db.execute("CREATE MATERIALIZED VIEW v AS SELECT k, a::int AS b FROM t")
    db.execute("INSERT INTO t VALUES (1, '5'), (2, repeat('0', 5000) || '1')")
    assert sorted(rows(db, "SELECT * FROM v")) == [(1, 5), (2, 1)]
    db.execute("INSERT INTO t VALUES (3, repeat('9', 5000))")
    with pytest.raises(psycopg.errors.NumericValueOutOfRange):
        rows(db, "SELECT * FROM v")
    db.execute("DELETE FROM t WHERE k = 3")
    assert sorted(rows(db, "SELECT * FROM v")) == [(1, 5), (2, 1)]


def test_a_record_fails_no_source(db: Session, tmp_path: Path) -> None:
    records = [{"k": 1, "n": 5}, {"k": 3, "n": ONE}, {"k": 4, "n": 6}]
    (tmp_path / "a.json").write_text("".join(json.dumps(record) + "\n" for record in records))
    db.execute(
        f"CREATE SOURCE s (k int, n int) FROM FILE '{tmp_path}' FORMAT JSON ENVELOPE NONE"  # type: ignore[arg-type]
    )
    eventually(lambda: sorted(rows(db, "SELECT * FROM s")) == [(1, 5), (3, 1), (4, 6)])
    with (tmp_path / "b.json").open("w") as file:
        file.write(f'{{"k": 2, "n": {LARGE}}}\n')

    def failed() -> str | None:
        try:
            rows(db, "SELECT * FROM s")
        except psycopg.Error as error:
            return error.sqlstate
        return None

    eventually(lambda: failed() is not None)
    assert failed() == "22003"
    found = rows(db, "SELECT status FROM mz_internal.mz_source_statuses WHERE name = 's'")
    assert found != [("failed",)]
