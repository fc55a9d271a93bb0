"""Dead letters of FILE sources in a whole runtime: what becomes of a record in error, and of the table that it goes to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]

BAD = ('{"id": "x"}', "junk", '{"n": 1}')
REASONS = (
    'column "id": invalid input syntax for type integer: "x"',
    "invalid input syntax for type json: junk",
    'column "id": null value in column "id" violates not-null constraint',
)


def create(db: Db, file: Path, more: str = "", name: str = "s", format: str = "JSON") -> None:
    options = "WITH (ON ERROR = DEAD LETTER)"
    db.execute(
        f"CREATE SOURCE {name} (id int NOT NULL, n int) FROM FILE '{file}' FORMAT {format} {more} {options}".encode()
    )


def lines(*records: str) -> str:
    return "".join(f"{record}\n" for record in records)


def letters(file: Path, source: str = "s") -> list[tuple[Any, ...]]:
    places = (2, 4, 5)
    return [
        (file.name, line, bad.encode(), f'source "{source}", file "{file.name}", line {line}: {reason}')
        for line, bad, reason in zip(places, BAD, REASONS, strict=True)
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    path.write_text(lines('{"id": 1}', BAD[0], '{"id": 2, "n": 3}', BAD[1], BAD[2]))
    return path


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


def replay(db: Db, clauses: str = "", source: str = "s") -> str:
    """What the notice says."""
    said: list[str] = []
    db.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
    db.execute(f"ALTER SOURCE {source} REPLAY DEAD LETTERS {clauses}".encode())
    (found,) = said
    return found


def test_replay_moves_what_is_a_record_now(db: Db, file: Path) -> None:
    create(db, file)
    db.execute("CREATE MATERIALIZED VIEW bad AS SELECT count(*) AS n FROM s_dead_letters")
    db.execute("CREATE MATERIALIZED VIEW total AS SELECT count(*) AS n, sum(id) AS ids FROM s")
    eventually(lambda: rows(db, "SELECT * FROM bad") == [(3,)])
    assert replay(db) == "0 dead letters replayed, 3 not decoded"
    assert rows(db, "SELECT * FROM s_dead_letters ORDER BY line") == letters(file)
    repaired = "SET payload = convert_to(replace(convert_from(payload, 'UTF8'), '\"x\"', '7'), 'UTF8') WHERE line < 5"
    assert replay(db, repaired) == "1 dead letter replayed, 1 not decoded"
    assert rows(db, "SELECT id, n FROM s ORDER BY id") == [(1, None), (2, 3), (7, None)]
    assert rows(db, "SELECT * FROM s_dead_letters ORDER BY line") == letters(file)[1:]
    assert rows(db, "SELECT * FROM bad") == [(2,)]
    assert rows(db, "SELECT * FROM total") == [(3, 10)]
    # The reason is renewed, and the payload stays what it was.
    assert replay(db, "SET payload = 'rubbish' WHERE line = 4") == "0 dead letters replayed, 1 not decoded"
    reason = f'source "s", file "{file.name}", line 4: invalid input syntax for type json: rubbish'
    assert rows(db, "SELECT payload, reason FROM s_dead_letters WHERE line = 4") == [(b"junk", reason)]
    assert replay(db, "WHERE false") == "0 dead letters replayed, 0 not decoded"
    both = "SET payload = convert_to('{\"id\": ' || line || '}', 'UTF8')"
    assert replay(db, both) == "2 dead letters replayed, 0 not decoded"
    assert rows(db, "SELECT id FROM s ORDER BY id") == [(1,), (2,), (4,), (5,), (7,)]
    assert rows(db, "SELECT * FROM bad") == [(0,)]
    with file.open("a") as more:
        more.write(lines('{"id": 9}'))
    eventually(lambda: rows(db, "SELECT n FROM total") == [(6,)])


def test_lines_of_csv_are_read_by_the_headers_of_their_files(db: Db, tmp_path: Path) -> None:
    files = tmp_path / "in"
    files.mkdir()
    (files / "a.csv").write_text(lines("id,n", "x,1", "2,3,4", ""))
    (files / "b.csv").write_text(lines("n,extra,id", "y,-,5", "6,-,z"))
    create(db, files, format="CSV")
    eventually(lambda: rows(db, "SELECT count(*) FROM s_dead_letters") == [(4,)])
    digits = "SET payload = translate(payload::text, 'xyz', '789')::bytea"
    with pytest.raises(psycopg.Error):
        replay(db, digits.replace("payload::text", "line"))
    digits = "SET payload = convert_to(translate(convert_from(payload, 'UTF8'), 'xyz', '789'), 'UTF8')"
    assert replay(db, digits) == "3 dead letters replayed, 1 not decoded"
    assert rows(db, "SELECT * FROM s ORDER BY id") == [(5, 8), (7, 1), (9, 6)]
    assert rows(db, "SELECT file, line, payload FROM s_dead_letters") == [("a.csv", 3, b"2,3,4")]
    assert replay(db, "SET payload = E'2,\\n3'") == "0 dead letters replayed, 1 not decoded"
    assert rows(db, "SELECT reason FROM s_dead_letters") == [
        ('source "s", file "a.csv", line 3: a line break within a record',)
    ]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("ALTER SOURCE plain REPLAY DEAD LETTERS", 'source "plain" has no dead letters'),
        ("ALTER SOURCE s_dead_letters REPLAY DEAD LETTERS", '"s_dead_letters" is not a source'),
        (
            "ALTER SOURCE s REPLAY DEAD LETTERS SET reason = ''",
            'column "reason" of a dead letter cannot be set',
        ),
        ("ALTER SOURCE s REPLAY DEAD LETTERS SET other = ''", 'column "other" of relation'),
        ("ALTER SOURCE s REPLAY DEAD LETTERS SET payload = 1", "but expression is of type integer"),
        ("ALTER SOURCE nowhere REPLAY DEAD LETTERS", "does not exist"),
    ],
)
def test_what_a_replay_refuses(db: Db, file: Path, statement: str, message: str) -> None:
    create(db, file)
    db.execute("CREATE SOURCE plain FROM LOAD GENERATOR COUNTER")
    with pytest.raises(psycopg.Error, match=message):
        db.execute(statement.encode())
    db.execute("ALTER SOURCE IF EXISTS nowhere REPLAY DEAD LETTERS")


def test_a_replay_is_a_statement_by_itself(db: Db, file: Path) -> None:
    create(db, file)
    with (
        db.transaction(),
        pytest.raises(errors.FeatureNotSupported, match="cannot run inside a transaction block"),
        db.transaction(),
    ):
        db.execute("ALTER SOURCE s REPLAY DEAD LETTERS")
    db.execute("SET default_transaction_read_only = on")
    with pytest.raises(errors.ReadOnlySqlTransaction):
        db.execute("ALTER SOURCE s REPLAY DEAD LETTERS")


def test_replays_at_the_same_time_take_each_letter_once(db: Db, other: Db, tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text(lines(*(f'{{"id": "x{i}"}}' for i in range(3_000))))
    create(db, file)
    eventually(lambda: rows(db, "SELECT count(*) FROM s_dead_letters") == [(3_000,)])
    repaired = "SET payload = convert_to(replace(convert_from(payload, 'UTF8'), 'x', ''), 'UTF8')"
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda session: replay(session, repaired), (db, other)))
    assert sum(int(text.split()[0]) for text in said) == 3_000
    assert rows(db, "SELECT count(*), count(DISTINCT id), max(id) FROM s") == [(3_000, 3_000, 2_999)]
    assert rows(db, "SELECT count(*) FROM s_dead_letters") == [(0,)]


def test_whose_source_it_is_may_replay(runtime: InProcess, db: Db, schema: str, file: Path) -> None:
    create(db, file)
    db.execute(f"CREATE ROLE {schema}_guest LOGIN".encode())
    db.execute(f"GRANT USAGE ON SCHEMA {schema} TO {schema}_guest".encode())
    db.execute(f"GRANT SELECT ON s_dead_letters TO {schema}_guest".encode())
    with runtime.connect(user=f"{schema}_guest", options=f"-c search_path={schema}") as guest:
        eventually(lambda: rows(guest, "SELECT count(*) FROM s_dead_letters") == [(3,)])
        with pytest.raises(errors.InsufficientPrivilege, match="must be owner of"):
            guest.execute("ALTER SOURCE s REPLAY DEAD LETTERS")
