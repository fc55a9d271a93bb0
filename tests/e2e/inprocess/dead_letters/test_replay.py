"""ALTER SOURCE ... REPLAY DEAD LETTERS of FILE sources in a whole runtime."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors

from .letters import Db, create, letters, lines


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
