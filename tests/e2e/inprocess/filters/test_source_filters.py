"""WHERE of sources in a whole runtime: what is kept, what is said of it, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]


def run(db: Db, sql: str) -> None:
    db.execute(sql.encode())


def lines(*records: str) -> str:
    return "".join(f"{record}\n" for record in records)


def answer(db: Db, sql: str) -> list[tuple[Any, ...]] | str:
    """The rows, or what the query fails with."""
    try:
        return sorted(rows(db, sql), key=repr)
    except psycopg.Error as error:
        return f"{error.sqlstate} {error.diag.message_primary}"


def statistics(db: Db, name: str, columns: str) -> tuple[Any, ...]:
    (found,) = rows(
        db,
        f"SELECT {columns} FROM mz_internal.mz_source_statistics x JOIN mz_objects o USING (id) "
        "JOIN mz_schemas c ON c.id = o.schema_id WHERE o.name = %s AND c.name = current_schema()",
        (name,),
    )
    return found


def test_rows_that_do_not_pass_are_not_stored(db: Db, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_text(lines("id,kind,n", "1,a,10", "2,b,20", "3,a,", "4,a,40"))
    run(
        db,
        f"CREATE SOURCE s (id int, kind text, n int) FROM FILE '{file}' FORMAT CSV WHERE (kind = 'a' AND n > 5)",
    )
    eventually(lambda: answer(db, "SELECT * FROM s") == [(1, "a", 10), (4, "a", 40)])
    columns = "records, updates_committed, updates_filtered"
    eventually(lambda: statistics(db, "s", columns) == (4, 2, 2))


def test_the_definition_is_shown_as_it_was_written(db: Db, tmp_path: Path) -> None:
    for name, more, beside in (
        ("f", "FORMAT JSON KEY (id) ENVELOPE UPSERT", ""),
        ("g", "FORMAT JSON", " WITH (RETAIN HISTORY FOR '60000ms')"),
    ):
        where = "WHERE (id > 1 -- and so on\n AND (n IS NULL))"
        run(db, f"CREATE SOURCE {name} (id int, n int) FROM FILE '{tmp_path}' {more} {where}{beside}")
        (shown,) = rows(db, f"SHOW CREATE SOURCE {name}")
        assert shown[1].count(where) == 1
        assert shown[1].endswith(where + beside)
        run(db, f"DROP SOURCE {name}")
        run(db, shown[1])
        assert rows(db, f"SHOW CREATE SOURCE {name}") == [shown]


def test_by_key_a_row_goes_when_the_next_one_does_not_pass(db: Db, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(lines('{"id": 1, "n": 1}', '{"id": 2, "n": 0}', '{"id": 3, "n": 3}'))
    run(
        db,
        f"CREATE SOURCE s (id int, n int) FROM FILE '{file}' FORMAT JSON KEY (id) ENVELOPE UPSERT WHERE (6 / n > 1)",
    )
    failed = '22012 source "s", WHERE: division by zero'
    eventually(lambda: answer(db, "SELECT * FROM s") == failed)
    with file.open("a") as more:
        more.write(lines('{"id": 2, "n": 2}', '{"id": 1, "n": 10}'))
    eventually(lambda: answer(db, "SELECT * FROM s") == [(2, 2), (3, 3)])
    with file.open("a") as more:
        more.write(lines('{"id": 3}', '{"id": 2, "n": 0}', '{"id": 1, "n": 1}'))
    eventually(lambda: answer(db, "SELECT * FROM s") == failed)
    with file.open("a") as more:
        more.write(lines('{"id": 2, "n": 100}'))
    eventually(lambda: answer(db, "SELECT * FROM s") == [(1, 1)])


def test_what_cannot_be_judged_is_a_dead_letter_where_there_are_some(db: Db, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(lines('{"n": 1}', '{"n": 0}', "junk", '{"n": 100}'))
    run(
        db,
        f"CREATE SOURCE s (n int) FROM FILE '{file}' FORMAT JSON WHERE (6 / n > 1) WITH (ON ERROR = DEAD LETTER)",
    )
    letters = "SELECT line, reason FROM s_dead_letters ORDER BY line"
    wanted = [
        (2, 'source "s", WHERE: division by zero'),
        (3, 'source "s", file "in.jsonl", line 3: invalid input syntax for type json: junk'),
    ]
    eventually(lambda: answer(db, letters) == wanted)
    assert answer(db, "SELECT * FROM s") == [(1,)]
    run(
        db,
        """ALTER SOURCE s REPLAY DEAD LETTERS SET payload = convert_to('{"n": 2}', 'UTF8') WHERE line = 3""",
    )
    assert answer(db, "SELECT * FROM s") == [(1,), (2,)]
    run(db, """ALTER SOURCE s REPLAY DEAD LETTERS SET payload = convert_to('{"n": 50}', 'UTF8')""")
    assert answer(db, letters) == []
    assert answer(db, "SELECT * FROM s") == [(1,), (2,)]


def test_tables_of_a_source_have_each_its_own(db: Db) -> None:
    run(db, "CREATE SOURCE market FROM LOAD GENERATOR AUCTION (TICK INTERVAL '1ms', UP TO 200)")
    run(db, "CREATE TABLE bids FROM SOURCE market (REFERENCE bids)")
    run(
        db,
        "CREATE TABLE few FROM SOURCE market (REFERENCE bids) WHERE (amount % 10 = 3) WITH (RETAIN HISTORY FOR '1h')",
    )
    run(db, "CREATE TABLE p FROM SOURCE market (REFERENCE mz_progress)")
    eventually(lambda: answer(db, 'SELECT "offset" FROM p') == [("200",)])
    assert len(rows(db, "SELECT * FROM bids")) == 180
    wanted = answer(db, "SELECT * FROM bids WHERE amount % 10 = 3")
    assert 0 < len(wanted) < 180
    assert answer(db, "SELECT * FROM few") == wanted
    (shown,) = rows(db, "SHOW CREATE TABLE few")
    assert "(REFERENCE auction.bids) WHERE (amount % 10 = 3) WITH (RETAIN" in shown[1]
    staged = "updates_staged, updates_committed, updates_filtered"
    assert statistics(db, "few", staged) == (len(wanted), len(wanted), 180 - len(wanted))


def test_generators_that_are_relations(db: Db) -> None:
    run(
        db,
        "CREATE SOURCE c FROM LOAD GENERATOR COUNTER (TICK INTERVAL '1ms', MAX CARDINALITY 10) WHERE (counter % 3 = 0)",
    )
    run(
        db,
        "CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n, min(counter % 3) AS m, max(counter) AS top FROM c",
    )
    eventually(lambda: (rows(db, "SELECT top FROM v")[0][0] or 0) > 100)
    ((count, rest, _),) = rows(db, "SELECT * FROM v")
    assert (count in (3, 4), rest) == (True, 0)
    run(db, "CREATE SOURCE k FROM LOAD GENERATOR KEY VALUE (KEYS 100, TICK INTERVAL '1s') WHERE (key < 7)")
    eventually(lambda: rows(db, "SELECT count(*) FROM k") == [(7,)])


def test_the_filter_outlives_a_restart(fresh: InProcess, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(lines('{"id": 1, "n": 1}', '{"id": 2, "n": 2}', '{"id": 3, "n": 0}'))
    with fresh.connect() as db:
        run(
            db,
            f"CREATE SOURCE s (id int, n int) FROM FILE '{file}' FORMAT JSON KEY (id) ENVELOPE UPSERT WHERE (4 / n > 2)",
        )
        eventually(lambda: answer(db, "SELECT * FROM s") == '22012 source "s", WHERE: division by zero')
    fresh.abandon()
    with file.open("a") as more:
        more.write(lines('{"id": 3, "n": 9}', '{"id": 2, "n": 1}', '{"id": 1, "n": 4}'))
    fresh.start()
    with fresh.connect() as db:
        eventually(lambda: answer(db, "SELECT * FROM s") == [(2, 1)])


@pytest.mark.parametrize(
    ("condition", "error", "message"),
    [
        ("m > 1", errors.UndefinedColumn, 'column "m" does not exist'),
        ("n", errors.DatatypeMismatch, "argument of WHERE must be type boolean"),
        ("n > (SELECT 1)", errors.FeatureNotSupported, "subqueries"),
        ("count(*) > 1", errors.GroupingError, "aggregate functions are not allowed in WHERE"),
        ("row_number() OVER () > 1", errors.WindowingError, "window functions are not allowed in WHERE"),
        ("mz_now() > n", errors.FeatureNotSupported, "a row is judged once"),
        ("mz_now() > n", errors.FeatureNotSupported, "RETAIN ROWS FOR 'duration' BY column"),
        ("now() > '2020-01-01'", errors.FeatureNotSupported, "not allowed in the WHERE of a source"),
        ("random() < 0.5", errors.FeatureNotSupported, "not allowed in the WHERE of a source"),
        ("current_user = 'x'", errors.FeatureNotSupported, "not allowed in the WHERE of a source"),
        ("twice(n) > 2", errors.FeatureNotSupported, "functions and types that were created"),
        ("n > $1", errors.UndefinedParameter, "there is no parameter"),
    ],
)
def test_what_is_no_function_of_the_row_is_refused(
    db: Db, tmp_path: Path, condition: str, error: type[psycopg.Error], message: str
) -> None:
    run(db, "CREATE FUNCTION twice(n int) RETURNS int LANGUAGE sql IMMUTABLE RETURN n * 2")
    with pytest.raises(error, match=message):
        run(db, f"CREATE SOURCE s (n int) FROM FILE '{tmp_path}' FORMAT JSON WHERE ({condition})")
    run(db, f"CREATE SOURCE s (n int) FROM FILE '{tmp_path}' FORMAT JSON")


def test_what_depends_on_the_zone_of_the_session_is_refused(db: Db, tmp_path: Path) -> None:
    head = f"CREATE SOURCE s (at timestamptz) FROM FILE '{tmp_path}' FORMAT JSON WHERE"
    run(db, "SET TIME ZONE 'Europe/Berlin'")
    for condition in ("at > '2024-01-01'", "at::date > '2024-01-01'"):
        with pytest.raises(errors.FeatureNotSupported, match="session's time zone"):
            run(db, f"{head} ({condition})")
    run(db, f"{head} (at > '2024-01-01 00:00+00')")


def test_what_has_no_rows_has_no_where(db: Db) -> None:
    with pytest.raises(errors.FeatureNotSupported, match="WHERE of a source without rows"):
        run(db, "CREATE SOURCE m FROM LOAD GENERATOR AUCTION FOR ALL TABLES WHERE (true)")
    run(db, "CREATE SOURCE m FROM LOAD GENERATOR AUCTION")
    with pytest.raises(errors.FeatureNotSupported, match="WHERE of the position of a source"):
        run(db, 'CREATE TABLE p FROM SOURCE m (REFERENCE mz_progress) WHERE ("offset" > 1)')
    with pytest.raises(errors.SyntaxError):
        run(db, "CREATE TABLE t FROM SOURCE m (REFERENCE bids) WHERE amount > 1")


def test_columns_that_are_excluded_are_asked_and_not_kept(db: Db, tmp_path: Path) -> None:
    """Also of a file whose columns are found by their places, and of rows by key."""
    (tmp_path / "1.csv").write_text(lines("1,a,10,x", "2,b,20,y", "1,a,30,z"))
    columns = f"(id int, kind text, n int, t text) FROM FILE '{tmp_path}' FORMAT CSV WITHOUT HEADER"
    kept = "WHERE (kind = 'a' AND n > 0) WITH (EXCLUDE COLUMNS (n, kind))"
    run(db, f"CREATE SOURCE s {columns} {kept}")
    run(db, f"CREATE SOURCE k {columns} KEY (id) ENVELOPE UPSERT {kept}")
    eventually(lambda: answer(db, "SELECT * FROM s") == [(1, "x"), (1, "z")])
    eventually(lambda: answer(db, "SELECT * FROM k") == [(1, "z")])
    for name in "sk":
        (shown,) = rows(db, f"SHOW CREATE SOURCE {name}")
        assert shown[1].endswith(kept.replace("n, kind", "kind, n"))
        run(db, f"DROP SOURCE {name}")
        run(db, shown[1])
        assert rows(db, f"SHOW CREATE SOURCE {name}") == [shown]
    eventually(lambda: answer(db, "SELECT id, t FROM k") == [(1, "z")])
    (tmp_path / "2.csv").write_text(lines("1,b,5,gone", "3,a,x,wrong"))
    eventually(lambda: 'column "n": invalid input' in answer(db, "SELECT * FROM k"))
    (tmp_path / "3.csv").write_text(lines("3,a,1,right"))
    eventually(lambda: answer(db, "SELECT * FROM k") == [(3, "right")])


def test_dead_letters_of_a_source_without_some_columns(db: Db, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        lines('{"id": 1, "n": 1, "secret": 7}', '{"id": 2, "n": "x"}', '{"id": 3, "n": 0}')
    )
    run(
        db,
        f"CREATE SOURCE s (n int, secret int, id int) FROM FILE '{tmp_path}' FORMAT JSON WHERE (1 / n = 1) "
        "WITH (ON ERROR = DEAD LETTER, EXCLUDE COLUMNS (n, secret))",
    )
    eventually(lambda: answer(db, "SELECT line FROM s_dead_letters") == [(2,), (3,)])
    assert answer(db, "SELECT * FROM s") == [(1,)]
    run(
        db,
        """ALTER SOURCE s REPLAY DEAD LETTERS SET payload = convert_to('{"id": 5, "n": 1}', 'UTF8') WHERE line = 3""",
    )
    run(db, """ALTER SOURCE s REPLAY DEAD LETTERS SET payload = convert_to('{"id": 6, "n": 2}', 'UTF8')""")
    assert answer(db, "SELECT * FROM s") == [(1,), (5,)]
    assert answer(db, "SELECT * FROM s_dead_letters") == []


def test_tables_and_generators_without_some_columns(db: Db) -> None:
    run(db, "CREATE SOURCE market FROM LOAD GENERATOR AUCTION (TICK INTERVAL '1ms', UP TO 100)")
    run(db, "CREATE TABLE bids FROM SOURCE market (REFERENCE bids)")
    run(
        db,
        "CREATE TABLE few FROM SOURCE market (REFERENCE bids) WHERE (amount > 50) WITH (EXCLUDE COLUMNS (amount, buyer))",
    )
    run(
        db,
        "CREATE SOURCE kv FROM LOAD GENERATOR KEY VALUE (KEYS 10, VALUE SIZE 8) WITH (EXCLUDE COLUMNS (value))",
    )
    eventually(lambda: len(answer(db, "SELECT * FROM bids")) == 90)
    wanted = answer(db, "SELECT id, auction_id, bid_time FROM bids WHERE amount > 50")
    eventually(lambda: answer(db, "SELECT id, auction_id, bid_time FROM few") == wanted)
    assert answer(db, "SELECT * FROM few") == wanted
    (shown,) = rows(db, "SHOW CREATE TABLE few")
    assert shown[1].endswith("WHERE (amount > 50) WITH (EXCLUDE COLUMNS (buyer, amount))")
    eventually(lambda: answer(db, "SELECT count(*), min(key) FROM kv") == [(10, "0")])
    with pytest.raises(errors.UndefinedColumn):
        run(db, "SELECT value FROM kv")


@pytest.mark.parametrize(
    ("sql", "error", "message"),
    [
        (
            "{head} KEY (id) ENVELOPE UPSERT WITH (EXCLUDE COLUMNS (id))",
            errors.FeatureNotSupported,
            "known by it",
        ),
        ("{head} WITH (EXCLUDE COLUMNS (m))", errors.UndefinedColumn, '"m" of "s" does not exist'),
        ("{head} WITH (EXCLUDE COLUMNS (n, n))", errors.DuplicateColumn, '"n" is given more than once'),
        ("{head} WITH (EXCLUDE COLUMNS (n, id))", errors.FeatureNotSupported, "no columns are left"),
        ("{head} WITH (EXCLUDE COLUMNS = 3)", errors.SyntaxError, "EXCLUDE COLUMNS takes a list"),
        (
            "CREATE SOURCE s FROM LOAD GENERATOR TPCH WITH (EXCLUDE COLUMNS (n))",
            errors.FeatureNotSupported,
            "without rows",
        ),
    ],
)
def test_columns_that_cannot_be_excluded(
    db: Db, tmp_path: Path, sql: str, error: type[psycopg.Error], message: str
) -> None:
    with pytest.raises(error, match=message):
        run(db, sql.format(head=f"CREATE SOURCE s (id int, n int) FROM FILE '{tmp_path}' FORMAT JSON"))
