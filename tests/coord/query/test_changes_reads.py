"""CHANGES against what the relations held at each time, beside merges, and against SUBSCRIBE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, running
from ptvc.config import Settings

SETTINGS = Settings(tick_ms=50, compaction_interval_ms=50, retain_history_ms=50)


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running(SETTINGS) as runtime:
        yield runtime


@pytest.fixture
def db(runtime: InProcess) -> Iterator[psycopg.Connection[Any]]:
    with runtime.connect() as connection:
        yield connection


def contents(db: psycopg.Connection[Any], *relations: str) -> tuple[int, list[Counter[Any]]]:
    """A time, and what the relations hold then."""
    with db.transaction():
        ((time,),) = db.execute("SELECT mz_now()::text").fetchall()
        return int(time), [Counter(db.execute(f"SELECT * FROM {name}").fetchall()) for name in relations]


def refused(db: psycopg.Connection[Any], sql: str, parameters: Any = None) -> psycopg.Error:
    with pytest.raises(psycopg.Error) as caught:
        db.execute(sql, parameters)
    return caught.value


def test_what_was_held_and_what_has_changed_is_what_is_held(db: psycopg.Connection[Any]) -> None:
    random = Random(3)
    db.execute("CREATE TABLE log (k int, v text) WITH (RETAIN HISTORY FOR '1h')")
    db.execute(
        "CREATE MATERIALIZED VIEW log_counts WITH (RETAIN HISTORY FOR '1h')"
        " AS SELECT v, count(*) AS n FROM log GROUP BY v"
    )
    while not hydrated(db, "log_counts"):
        pass
    seen = []
    for _ in range(30):
        match random.randrange(4):
            case 0 | 1:
                values = ", ".join(f"({random.randrange(9)}, '{random.choice('abc')}')" for _ in range(5))
                db.execute(f"INSERT INTO log VALUES {values}")
            case 2:
                db.execute("UPDATE log SET v = 'u' WHERE k = %s", (random.randrange(9),))
            case _:
                db.execute("DELETE FROM log WHERE k = %s", (random.randrange(9),))
        seen.append(contents(db, "log", "log_counts"))
    for _ in range(12):
        (begin, before), (end, after) = sorted(random.sample(seen, 2), key=lambda item: item[0])
        for place, relation in enumerate(("log", "log_counts")):
            told = db.execute(
                f"SELECT * FROM CHANGES({relation} BETWEEN {begin + 1} AND {end}) AS c"
            ).fetchall()
            assert len(set(told)) == len(told)
            assert all(begin < row[-2] <= end and row[-1] for row in told)
            found = Counter(before[place])
            for *row, _, diff in told:
                found[tuple(row)] += diff
            assert {row: n for row, n in found.items() if n} == after[place]
            as_of = db.execute(
                f"SELECT * FROM CHANGES({relation}) WHERE mz_timestamp > {begin} AS OF {end}"
            ).fetchall()
            assert sorted(as_of) == sorted(told)
            subscribed = db.execute(
                f"SUBSCRIBE {relation} WITH (SNAPSHOT = false) AS OF {begin} UP TO {end + 1}"
            ).fetchall()
            assert sorted((*row, time, diff) for time, diff, *row in subscribed) == sorted(told)


def test_joined_aggregated_and_with_parameters(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE prices (item text, price int) WITH (RETAIN HISTORY FOR '1h')")
    start, _ = contents(db, "prices")
    db.execute("INSERT INTO prices VALUES ('a', 1), ('b', 2)")
    middle, _ = contents(db, "prices")
    db.execute("UPDATE prices SET price = 5 WHERE item = 'a'")
    both = "SELECT item, price, mz_diff FROM CHANGES(prices BETWEEN %s AND mz_now()) c ORDER BY mz_timestamp, 1, 2"
    expected = [("a", 1, 1), ("b", 2, 1), ("a", 1, -1), ("a", 5, 1)]
    assert db.execute(both, (start + 1,)).fetchall() == expected
    assert db.execute(both, (start + 1,), prepare=True).fetchall() == expected
    assert db.execute(both, (middle + 1,), prepare=True).fetchall() == expected[2:]
    assert db.execute(
        f"SELECT p.price, count(c.mz_diff) FROM prices p LEFT JOIN CHANGES(prices BETWEEN {middle + 1} AND {middle + 1_000_000})"
        " AS c (name) ON c.name = p.item GROUP BY p.price ORDER BY 1"
    ).fetchall() == [(2, 0), (5, 2)]
    assert db.execute(
        f"SELECT count(*) FROM CHANGES(prices BETWEEN {start} AND {middle}) x, CHANGES(prices BETWEEN {middle + 1} AND now()) y"
    ).fetchall() == [(4,)]
    assert db.execute(
        "SELECT item FROM CHANGES(public.prices BETWEEN now() - INTERVAL '1 minute' AND now()) WHERE price = 2"
    ).fetchall() == [("b",)]
    assert db.execute("SELECT * FROM CHANGES(prices BETWEEN 9 AND 5)").fetchall() == []
    db.execute("CREATE TABLE kept (item text, at bigint)")
    db.execute(
        f"INSERT INTO kept SELECT item, mz_timestamp FROM CHANGES(prices BETWEEN {start} AND {middle})"
    )
    assert db.execute("SELECT count(*), count(DISTINCT at) FROM kept").fetchall() == [(2, 1)]
    assert "Changes" in str(db.execute("EXPLAIN SELECT * FROM CHANGES(prices)").fetchall())
    assert db.execute("EXPLAIN ANALYZE SELECT * FROM CHANGES(prices)").fetchall()
    assert db.execute("EXPLAIN TIMESTAMP FOR SELECT * FROM CHANGES(prices)").fetchall()
    assert db.execute("EXPLAIN FILTER PUSHDOWN FOR SELECT * FROM CHANGES(prices)").fetchall() == []


def test_prepared_statements_cursors_and_blocks(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE growing (k int) WITH (RETAIN HISTORY FOR '1h')")
    start, _ = contents(db, "growing")
    query = f"SELECT k FROM CHANGES(growing BETWEEN {start} AND now()) ORDER BY k"
    for k in range(4):
        db.execute("INSERT INTO growing VALUES (%s)", (k,))
        assert db.execute(query, prepare=True).fetchall() == [(i,) for i in range(k + 1)]
        assert len(db.execute("SELECT * FROM CHANGES(growing)", prepare=True).fetchall()) == k + 1
    with db.transaction():
        before = db.execute(query).fetchall()
        db.execute("INSERT INTO growing VALUES (9)")
        assert db.execute(query).fetchall() == before, "what the block has written has no time yet"
        db.execute(f"DECLARE c CURSOR FOR {query}")
        assert db.execute("FETCH ALL c").fetchall() == before
    with db.cursor() as cursor, cursor.copy(f"COPY ({query}) TO STDOUT") as copy:
        assert sorted(copy.rows()) == [("0",), ("1",), ("2",), ("3",), ("9",)]
    db.execute(f"CREATE TABLE log_of_growing AS {query}")
    assert db.execute("SELECT count(*) FROM log_of_growing").fetchall() == [(5,)]
    db.execute(f"DELETE FROM growing WHERE k IN ({query})")
    assert db.execute("SELECT count(*) FROM growing").fetchall() == [(0,)]


def test_columns_added_and_dropped(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE altered (a int, b text) WITH (RETAIN HISTORY FOR '1h')")
    start, _ = contents(db, "altered")
    db.execute("INSERT INTO altered VALUES (1, 'x'), (1, 'y')")
    db.execute("ALTER TABLE altered DROP COLUMN b")
    db.execute("ALTER TABLE altered ADD COLUMN c int DEFAULT 7")
    db.execute("INSERT INTO altered VALUES (2, 8)")
    told = db.execute(
        f"SELECT a, c, mz_diff FROM CHANGES(altered BETWEEN {start} AND now()) ORDER BY a"
    ).fetchall()
    assert told == [(1, 7, 2), (2, 8, 1)]


def test_history_that_is_gone(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE forgetful (k int)")
    start, _ = contents(db, "forgetful")
    for k in range(5):
        db.execute("INSERT INTO forgetful VALUES (%s)", (k,))
    query = f"SELECT * FROM CHANGES(forgetful BETWEEN {start} AND now())"

    def failure() -> psycopg.Error | None:
        try:
            db.execute(query)
        except psycopg.errors.ObjectNotInPrerequisiteState as error:
            return error
        return None

    eventually(failure)
    error = failure()
    assert error is not None
    assert 'the changes of "public.forgetful" from' in str(error)
    assert "Those behind" in (error.diag.message_detail or "")
    assert "RETAIN HISTORY" in (error.diag.message_hint or "")
    eventually(lambda: len(db.execute("SELECT * FROM CHANGES(forgetful)").fetchall()) < 5)


def test_errors_at_any_of_the_times(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE divided (k int, v int)")
    db.execute(
        "CREATE MATERIALIZED VIEW quotients WITH (RETAIN HISTORY FOR '1h') AS SELECT k, 10 / v AS q FROM divided"
    )
    while not hydrated(db, "quotients"):
        pass
    start, _ = contents(db, "quotients")
    db.execute("INSERT INTO divided VALUES (1, 5)")
    before, _ = contents(db, "quotients")
    db.execute("INSERT INTO divided VALUES (2, 0)")
    assert refused(db, "SELECT * FROM quotients").sqlstate == "22012"
    during, _ = contents(db, "divided")
    db.execute("DELETE FROM divided WHERE v = 0")
    after, _ = contents(db, "quotients")
    db.execute("INSERT INTO divided VALUES (3, 2)")
    told = f"SELECT k, q, mz_diff FROM CHANGES(quotients BETWEEN {{}} AND {{}})"  # noqa: F541
    assert db.execute(told.format(start, before)).fetchall() == [(1, 2, 1)]
    assert db.execute(told.format(after + 1, "now()")).fetchall() == [(3, 5, 1)]
    assert refused(db, told.format(start, "now()")).sqlstate == "22012"
    assert refused(db, told.format(during + 1, "now()")).sqlstate == "22012"


def test_more_than_memory_should_hold(db: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    db.execute("CREATE TABLE many (k int) WITH (RETAIN HISTORY FOR '1h')")
    db.execute("INSERT INTO many SELECT * FROM generate_series(1, 100)")
    assert db.execute("SELECT count(*) FROM CHANGES(many)").fetchall() == [(100,)]
    monkeypatch.setattr("ptvc.coord.query.changes_reads.MOST_ROWS", 99)
    error = refused(db, "SELECT count(*) FROM CHANGES(many)")
    assert error.sqlstate == "53200"
    assert "reads 100 rows and changes" in str(error)


def test_what_is_refused(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE t (k int)")
    db.execute("CREATE VIEW plain AS SELECT k FROM t")
    assert refused(db, "CREATE VIEW v AS SELECT * FROM CHANGES(t)").sqlstate == "0A000"
    assert refused(db, "CREATE MATERIALIZED VIEW v AS SELECT * FROM CHANGES(t)").sqlstate == "0A000"
    assert refused(db, "SUBSCRIBE (SELECT * FROM CHANGES(t))").sqlstate == "0A000"
    assert refused(db, "SELECT * FROM CHANGES(plain)").sqlstate == "42809"
    assert refused(db, "SELECT * FROM CHANGES(mz_catalog.mz_objects)").sqlstate == "42809"
    assert refused(db, "WITH t2 AS (SELECT 1) SELECT * FROM CHANGES(t2)").sqlstate == "42809"
    assert refused(db, "SELECT * FROM CHANGES(nothing)").sqlstate == "42P01"
    assert refused(db, "SELECT * FROM CHANGES(t BETWEEN 'x' AND now())").sqlstate == "22007"
    assert refused(db, "SELECT * FROM CHANGES(t BETWEEN NULL AND now())").sqlstate == "22004"
    assert refused(db, "SELECT * FROM CHANGES(t, 5)").sqlstate == "42601"
