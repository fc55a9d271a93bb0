"""Dead letters of FILE sources in a whole runtime: what becomes of a record in error, and of the table that it goes to."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors

from .letters import Db, create, letters, lines


def test_records_in_error_go_to_a_table_beside_the_rows(db: Db, file: Path) -> None:
    create(db, file)
    db.execute("CREATE MATERIALIZED VIEW bad AS SELECT file, count(*) AS n FROM s_dead_letters GROUP BY file")
    eventually(lambda: rows(db, "SELECT * FROM bad") == [(file.name, 3)])
    assert rows(db, "SELECT * FROM s ORDER BY id") == [(1, None), (2, 3)]
    assert rows(db, "SELECT * FROM s_dead_letters ORDER BY line") == letters(file)
    with file.open("a") as more:
        more.write(lines('{"id": 4}', "more junk"))
    eventually(lambda: rows(db, "SELECT * FROM bad") == [(file.name, 4)])
    assert rows(db, "SELECT id FROM s ORDER BY id") == [(1,), (2,), (4,)]
    assert rows(db, "SELECT line, payload FROM s_dead_letters WHERE line > 5") == [(7, b"more junk")]
    statistics = (
        "SELECT records, errors, dead_letters FROM mz_internal.mz_source_statistics x "
        "JOIN mz_objects o USING (id) JOIN mz_schemas c ON c.id = o.schema_id "
        "WHERE o.name = 's' AND c.name = current_schema()"
    )
    eventually(lambda: rows(db, statistics) == [(7, 0, 4)])


def test_csv_with_a_header_may_name_the_table(db: Db, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text(lines("n,id", "3,1", "x,2", "1,2,3", '"y'))
    create(db, file, "WITH (HEADER = true) DEAD LETTERS AS rejected", format="CSV")
    eventually(lambda: rows(db, "SELECT count(*) FROM rejected") == [(3,)])
    assert rows(db, "SELECT * FROM s") == [(1, 3)]
    assert rows(db, "SELECT line, payload FROM rejected ORDER BY line") == [
        (3, b"x,2"),
        (4, b"1,2,3"),
        (5, b'"y'),
    ]


@pytest.mark.parametrize("bad", ["2,4\r9", "2,4\r7,8"])
@pytest.mark.parametrize("lines_before", [0, 200_000])
def test_a_carriage_return_is_an_error_of_its_line_alone(
    db: Db, tmp_path: Path, bad: str, lines_before: int
) -> None:
    file = tmp_path / "in.csv"
    many = "".join(f"{number},0\n" for number in range(10, 10 + lines_before))
    file.write_text(many + lines("1,3", bad, "3,5", "4,6"), newline="")
    create(db, file, "WITHOUT HEADER", format="CSV")
    good = [(1, 3), (3, 5), (4, 6)]
    eventually(lambda: rows(db, "SELECT * FROM s WHERE id < 10 ORDER BY id") == good)
    assert rows(db, "SELECT count(*) FROM s") == [(3 + lines_before,)]
    place = f'file "in.csv", line {lines_before + 2}: unquoted carriage return found in data'
    assert rows(db, "SELECT line, payload, reason FROM s_dead_letters") == [
        (lines_before + 2, bad.encode(), f'source "s", {place}')
    ]
    db.execute(f"CREATE SOURCE strict (id int, n int) FROM FILE '{file}' FORMAT CSV WITHOUT HEADER".encode())

    found: list[tuple[str | None, bool]] = []

    def fails() -> bool:
        try:
            db.execute("SELECT * FROM strict")
        except psycopg.Error as error:
            found.append((error.sqlstate, f'source "strict", {place}' in str(error)))
        return bool(found)

    eventually(fails)
    assert found == [("22P04", True)]


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"id,n\r\rx\n1,3\n", "unquoted carriage return found in data"),
        (b"PAR1\x15\x04\r\x00\xff\n\x00PAR1\n", 'invalid byte sequence for encoding "UTF8"'),
    ],
)
def test_a_header_that_is_none_stalls_the_source_until_it_is_one(
    db: Db, tmp_path: Path, content: bytes, wrong: str
) -> None:
    file = tmp_path / "in.csv"
    file.write_bytes(content)
    create(db, file, "WITH HEADER", format="CSV")
    status = (
        "SELECT status, error FROM mz_internal.mz_source_statuses WHERE name = 's' AND status = 'stalled'"
    )
    reason = f'file "in.csv", line 1: the header cannot be read: {wrong}'
    eventually(lambda: any(reason in error for _, error in rows(db, status)))
    file.write_bytes(b"id,n\r\n1,3\r\n")
    eventually(lambda: rows(db, "SELECT * FROM s") == [(1, 3)])


def test_without_the_option_a_record_in_error_is_an_error_of_the_source(db: Db, file: Path) -> None:
    db.execute(f"CREATE SOURCE s (id int NOT NULL, n int) FROM FILE '{file}' FORMAT JSON".encode())

    def fails() -> bool:
        try:
            db.execute("SELECT * FROM s")
        except psycopg.Error as error:
            return 'source "s", file "in.jsonl", line' in str(error)
        return False

    eventually(fails)
    with pytest.raises(errors.UndefinedTable):
        db.execute("SELECT * FROM s_dead_letters")


def test_the_table_goes_with_its_source_and_not_before(db: Db, file: Path) -> None:
    create(db, file)
    with pytest.raises(errors.DependentObjectsStillExist, match="because source s requires it"):
        db.execute("DROP TABLE s_dead_letters CASCADE")
    with pytest.raises(errors.WrongObjectType):
        db.execute("DELETE FROM s_dead_letters")
    db.execute("CREATE VIEW v AS SELECT * FROM s_dead_letters")
    with pytest.raises(errors.DependentObjectsStillExist, match="other objects depend on it"):
        db.execute("DROP SOURCE s")
    db.execute("DROP VIEW v")
    db.execute("DROP SOURCE s")
    assert rows(db, "SELECT name FROM mz_objects WHERE name = 's_dead_letters'") == []


def test_what_is_shown_makes_the_same_source_again(db: Db, schema: str, file: Path) -> None:
    create(db, file, 'DEAD LETTERS AS "Rejected"')
    ((_, statement),) = rows(db, "SHOW CREATE SOURCE s")
    shown = f'FORMAT JSON ENVELOPE NONE DEAD LETTERS AS {schema}."Rejected" WITH (ON ERROR = DEAD LETTER)'
    assert shown in statement
    db.execute("DROP SOURCE s")
    db.execute(statement)
    eventually(lambda: rows(db, 'SELECT * FROM "Rejected" ORDER BY line') == letters(file))
    assert ("Rejected",) in [(name,) for name, *_ in rows(db, "SHOW TABLES")]


@pytest.mark.parametrize(
    ("clauses", "message"),
    [
        (
            "FILE '/x' FORMAT JSON KEY (id) ENVELOPE UPSERT WITH (ON ERROR = DEAD LETTER)",
            "with ENVELOPE UPSERT is not",
        ),
        ("FILE '/x' FORMAT PARQUET WITH (ON ERROR = DEAD LETTER)", "of FORMAT PARQUET is not supported"),
        ("FILE '/x' FORMAT JSON DEAD LETTERS AS d", "DEAD LETTERS AS needs"),
        ("FILE '/x' FORMAT JSON WITH (ON ERROR = SKIP)", "ON ERROR = SKIP is nothing"),
    ],
)
def test_what_is_refused(db: Db, clauses: str, message: str) -> None:
    with pytest.raises(psycopg.Error, match=message) as raised:
        db.execute(f"CREATE SOURCE s (id int) FROM {clauses}".encode())
    assert raised.value.sqlstate in ("0A000", "42601")


def test_generators_have_none(db: Db) -> None:
    with pytest.raises(errors.FeatureNotSupported, match="nothing is decoded"):
        db.execute("CREATE SOURCE s FROM LOAD GENERATOR COUNTER WITH (ON ERROR = DEAD LETTER)")


def test_a_restart_goes_on_behind_both(fresh: InProcess, file: Path) -> None:
    with fresh.connect() as db:
        create(db, file)
        eventually(lambda: rows(db, "SELECT count(*) FROM s_dead_letters") == [(3,)])
    fresh.stop()
    with file.open("a") as more:
        more.write(lines("junk again", '{"id": 3}'))
    fresh.start()
    eventually(lambda: fresh.query("SELECT id FROM s ORDER BY id") == [(1,), (2,), (3,)])
    assert fresh.query("SELECT line FROM s_dead_letters ORDER BY line") == [(2,), (4,), (5,), (6,)]


def test_the_table_goes_where_its_source_goes(db: Db, schema: str, file: Path) -> None:
    where = (
        "SELECT o.schema_name, o.name, s.name FROM mz_internal.mz_dead_letters d JOIN mz_objects o ON o.id = d.id "
        f"JOIN mz_objects s ON s.id = d.source_id WHERE s.schema_name LIKE '{schema}%' ORDER BY s.name"
    )
    create(db, file)
    create(db, file, "DEAD LETTERS AS other", name="t")
    db.execute(f"CREATE SCHEMA {schema}_next".encode())
    try:
        db.execute(f"ALTER SOURCE s SET SCHEMA {schema}_next".encode())
        db.execute("ALTER SOURCE t RENAME TO u")
        db.execute(f"ALTER SOURCE {schema}_next.s RENAME TO r".encode())
        assert rows(db, where) == [
            (f"{schema}_next", "r_dead_letters", "r"),
            (schema, "other", "u"),
        ]
        eventually(lambda: rows(db, f"SELECT count(*) FROM {schema}_next.r_dead_letters") == [(3,)])
        db.execute("CREATE TABLE r_dead_letters ()")
        with pytest.raises(errors.DuplicateTable, match='relation "r_dead_letters" already exists'):
            db.execute(f"ALTER SOURCE {schema}_next.r SET SCHEMA {schema}".encode())
    finally:
        db.execute(f"DROP SCHEMA {schema}_next CASCADE".encode())
