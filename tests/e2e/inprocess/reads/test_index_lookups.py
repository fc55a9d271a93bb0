"""Look-ups through an index, at a time that it has reached, do not wait for steps of dataflows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from time import monotonic, sleep
from typing import Any

import psycopg
import pytest
from inprocess import WAIT_S, InProcess, hydrated, running
from ptvc.config import Settings
from ptvc.replica.dataflows import Dataflows
from ptvc.replica.protocol import Message


def test_a_block_looks_up_while_a_step_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    with running(Settings()) as runtime, runtime.connect() as connection:
        connection.execute("CREATE TABLE t (id bigint, name text)")
        connection.execute("INSERT INTO t SELECT g, 'name ' || g FROM generate_series(1, 100) AS g")
        connection.execute("CREATE INDEX t_by_id ON t (id)")
        _await_look_up(runtime)
        connection.execute("BEGIN; SET LOCAL statement_timeout = '20s'")
        assert _name(connection, 1) == "name 1"  # from now on the time is fixed
        held, go_on = threading.Event(), threading.Event()
        step = Dataflows.step

        def slow(dataflows: Dataflows) -> Iterator[Message]:
            held.set()
            assert go_on.wait(WAIT_S)
            return step(dataflows)

        monkeypatch.setattr(Dataflows, "step", slow)
        try:
            assert held.wait(WAIT_S)
            for id_ in (7, 100):
                assert _name(connection, id_) == f"name {id_}"
            assert not go_on.is_set()
        finally:
            go_on.set()


def _name(connection: psycopg.Connection[Any], id_: int) -> str:
    ((name,),) = connection.execute("SELECT name FROM t WHERE id = %s", (id_,)).fetchall()
    assert isinstance(name, str)
    return name


def _await_look_up(runtime: InProcess) -> None:
    """Until the index answers."""
    deadline = monotonic() + WAIT_S
    while "Answered from index" not in str(
        runtime.query("EXPLAIN PHYSICAL PLAN FOR SELECT name FROM t WHERE id = 7")
    ):
        assert monotonic() < deadline
        sleep(0.01)


def test_many_clients_look_up_while_rows_change(runtime: InProcess, db: psycopg.Connection[Any]) -> None:
    """Each gets the rows of its own key, and none that is older than what was there when it asked."""
    ((schema,),) = db.execute("SELECT current_schema()").fetchall()
    db.execute("CREATE TABLE t (id bigint, version int, other text)")
    db.execute("CREATE INDEX t_by_id ON t (id)")
    db.execute("INSERT INTO t SELECT g, 0, 'x' || g FROM generate_series(0, 19) AS g")
    versions = [0] * 20
    done = threading.Event()
    wrong: list[object] = []
    answered = [0] * 6

    def ask(number: int) -> None:
        random = Random(number)
        with runtime.connect(prepare_threshold=0 if number % 2 else None) as client:
            client.execute("SELECT set_config('search_path', %s, false)", (schema,))
            while not done.is_set():
                key = random.randrange(-1, 20)
                least = versions[key] if key >= 0 else 0
                found = client.execute("SELECT version, other FROM t WHERE id = %s", (key,)).fetchall()
                if key < 0:
                    ok = found == []
                else:
                    ok = len(found) == 1 and found[0][1] == f"x{key}" and found[0][0] >= least
                if not ok:
                    wrong.append((key, least, found))
                answered[number] += 1

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(answered))]
    for thread in threads:
        thread.start()
    random = Random(7)
    for version in range(1, 60):
        key = random.randrange(20)
        db.execute("UPDATE t SET version = %s WHERE id = %s", (version, key))
        versions[key] = version
    done.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert min(answered) > 5


def test_a_prepared_look_up(db: psycopg.Connection[Any], other: psycopg.Connection[Any]) -> None:
    """Whatever comes between two executions, the answer is that of now."""
    db.prepare_threshold = 0
    db.execute("CREATE TABLE t (id bigint NOT NULL, name text)")
    db.execute("CREATE INDEX t_by_id ON t (id)")
    db.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two'), (2, 'two'), (3, NULL)")
    hydrated(db, "t_by_id")

    def names(id_: object) -> list[object]:
        return sorted((name for (name,) in db.execute(query, (id_,)).fetchall()), key=str)

    query = "SELECT name FROM t WHERE id = %s::bigint"
    for _ in range(3):
        assert [names(id_) for id_ in (1, 2, 3, 4, None)] == [["one"], ["two", "two"], [None], [], []]
    with db.transaction():
        assert names(1) == ["one"]
        other.execute("UPDATE t SET name = 'eins' WHERE id = 1")
        assert names(1) == ["one"]
        db.execute("INSERT INTO t VALUES (1, 'mine')")
        assert names(1) == ["mine", "one"]
        db.execute("ROLLBACK")
        db.execute("BEGIN")
    assert names(1) == ["eins"]
    db.execute("DROP INDEX t_by_id")
    assert names(1) == ["eins"]
    db.execute("CREATE INDEX t_by_id ON t (id)")
    hydrated(db, "t_by_id")
    assert names(1) == ["eins"]
    other.execute("ALTER TABLE t ADD COLUMN extra int DEFAULT 5")
    assert names(1) == ["eins"]
    other.execute("DROP TABLE t")
    other.execute("CREATE TABLE t (id bigint, name text)")
    assert names(1) == []
    other.execute("DROP TABLE t")
    with pytest.raises(psycopg.errors.UndefinedTable):
        names(1)


def test_a_look_up_that_is_not_allowed_any_more(db: psycopg.Connection[Any], runtime: InProcess) -> None:
    ((schema,),) = db.execute("SELECT current_schema()").fetchall()
    db.execute("CREATE TABLE t (id bigint)")
    db.execute("CREATE INDEX t_by_id ON t (id)")
    db.execute("INSERT INTO t VALUES (1)")
    hydrated(db, "t_by_id")
    db.execute("CREATE ROLE reader_of_t")
    try:
        db.execute(f"GRANT USAGE ON SCHEMA {schema} TO reader_of_t")  # type: ignore[arg-type]
        db.execute("GRANT SELECT ON t TO reader_of_t")
        db.prepare_threshold = 0
        query = "SELECT id FROM t WHERE id = %s"
        for _ in range(3):
            assert db.execute(query, (1,)).fetchall() == [(1,)]
        db.execute("SET ROLE reader_of_t")
        for _ in range(3):
            assert db.execute(query, (1,)).fetchall() == [(1,)]
        db.execute("RESET ROLE")
        db.execute("REVOKE SELECT ON t FROM reader_of_t")
        db.execute("SET ROLE reader_of_t")
        for _ in range(2):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(query, (1,))
        db.execute("RESET ROLE")
        assert db.execute(query, (1,)).fetchall() == [(1,)]
    finally:
        db.execute("RESET ROLE")
        db.execute(f"REVOKE ALL ON SCHEMA {schema} FROM reader_of_t")  # type: ignore[arg-type]
        db.execute("DROP ROLE reader_of_t")


def test_a_look_up_in_what_is_in_error(db: psycopg.Connection[Any]) -> None:
    db.prepare_threshold = 0
    db.execute("CREATE TABLE t (id bigint, divisor int)")
    db.execute("CREATE VIEW v AS SELECT id, 1 / divisor AS share FROM t")
    db.execute("CREATE INDEX v_by_id ON v (id)")
    db.execute("INSERT INTO t VALUES (1, 1)")
    hydrated(db, "v_by_id")
    query = "SELECT share FROM v WHERE id = %s::bigint"
    for _ in range(3):
        assert db.execute(query, (1,)).fetchall() == [(1,)]
    db.execute("INSERT INTO t VALUES (2, 0)")
    for _ in range(2):
        with pytest.raises(psycopg.errors.DivisionByZero):
            db.execute(query, (1,))
    db.execute("DELETE FROM t WHERE divisor = 0")
    assert db.execute(query, (1,)).fetchall() == [(1,)]


def test_a_look_up_when_the_replica_dies(db: psycopg.Connection[Any], runtime: InProcess) -> None:
    db.prepare_threshold = 0
    db.execute("CREATE TABLE t (id bigint)")
    db.execute("CREATE INDEX t_by_id ON t (id)")
    db.execute("INSERT INTO t VALUES (1)")
    hydrated(db, "t_by_id")
    for _ in range(3):
        assert db.execute("SELECT id FROM t WHERE id = %s", (1,)).fetchall() == [(1,)]
        runtime.kill_replica()


def test_a_value_in_the_text_that_is_none_of_its_type(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE t (day date, n int)")
    db.execute("CREATE INDEX t_by_day ON t (day)")
    db.execute("INSERT INTO t VALUES ('2026-11-24', 1)")
    hydrated(db, "t_by_day")
    for day in range(20, 25):
        found = db.execute(f"SELECT n FROM t WHERE day = '2026-11-{day}'").fetchall()  # type: ignore[arg-type]
        assert found == ([(1,)] if day == 24 else [])
    for _ in range(2):
        with pytest.raises(psycopg.errors.InvalidDatetimeFormat):
            db.execute("SELECT n FROM t WHERE day = 'no day'")
    assert db.execute("SELECT n FROM t WHERE day = '2026-11-24'").fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("uuid", ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'00000000-0000-0000-0000-000000000000'"]),
        ("text", ["'a'", "''", "'ä'"]),
        ("varchar(5)", ["'a'", "'ab'"]),
        ("bytea", ["'\\x00ff'", "''"]),
        ("date", ["'2026-11-24'", "'infinity'", "'5874897-12-31'", "'4713-01-01 BC'"]),
        ("timestamp", ["'2026-11-24 01:02:03.456789'", "'-infinity'", "'12345-12-31'"]),
        ("timestamptz", ["'2026-11-24 01:02:03.456789+05'", "'infinity'"]),
        ("bool", ["true", "false"]),
        ("smallint", ["1", "'-32768'"]),
        ("numeric", ["1.50", "0"]),
        ("float8", ["1.5", "'NaN'", "'-0'"]),
        ("interval", ["'1 day'", "'24 hours'"]),
    ],
)
def test_keys_of_every_type(db: psycopg.Connection[Any], type_: str, values: list[str]) -> None:
    """By an index and without one, as parameters and in the text, for the first time and again."""
    db.execute(f"CREATE TABLE t (id {type_}, n int)")  # type: ignore[arg-type]
    rows = ", ".join(f"({value}, {n})" for n, value in enumerate(values))
    db.execute(f"INSERT INTO t VALUES {rows}")  # type: ignore[arg-type]
    db.prepare_threshold = 0
    asked = []
    for value in values:
        ((text,),) = db.execute(f"SELECT {value}::{type_}::text").fetchall()  # type: ignore[arg-type]
        asked += [
            (f"SELECT n FROM t WHERE id = {value}", ()),
            (f"SELECT n FROM t WHERE id = %s::{type_}", (text,)),
        ]
    wanted = [sorted(db.execute(query, values).fetchall()) for query, values in asked]  # type: ignore[arg-type]
    assert all(wanted)
    db.execute("CREATE INDEX t_by_id ON t (id)")
    hydrated(db, "t_by_id")
    for _ in range(3):
        assert [sorted(db.execute(query, values).fetchall()) for query, values in asked] == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
def test_a_block_looks_up_what_it_has_written(
    db: psycopg.Connection[Any], other: psycopg.Connection[Any], seed: int
) -> None:
    """Two tables of the same rows, one with an index: a block changes and reads both in the same way, while others change them."""
    random = Random(seed)
    db.prepare_threshold = other.prepare_threshold = 0
    for name in ("indexed", "plain"):
        db.execute(f"CREATE TABLE {name} (id bigint, n int, gone int, name text)")  # type: ignore[arg-type]
        db.execute(f"INSERT INTO {name} SELECT g % 7, g % 3, 0, 'x' FROM generate_series(1, 60) AS g")  # type: ignore[arg-type]
        if seed % 2:
            db.execute(f"ALTER TABLE {name} DROP COLUMN gone")  # type: ignore[arg-type]
            db.execute(f"ALTER TABLE {name} ADD COLUMN later int DEFAULT 4")  # type: ignore[arg-type]
    db.execute("CREATE INDEX indexed_by_id ON indexed (id)")
    db.execute("CREATE VIEW seen AS SELECT id, n FROM indexed WHERE n > 0")
    db.execute("CREATE INDEX seen_by_id ON seen (id)")
    hydrated(db, "indexed_by_id")
    hydrated(db, "seen_by_id")
    for _ in range(8):
        db.execute("BEGIN")
        for _ in range(10):
            key, n = random.randrange(8), random.randrange(4)
            change, values = random.choice(
                [
                    ("INSERT INTO {} (id, n) VALUES (%s, %s)", (key, n)),
                    ("DELETE FROM {} WHERE id = %s AND n = %s", (key, n)),
                    ("UPDATE {} SET n = %s WHERE id = %s", (n, key)),
                    ("UPDATE {} SET id = %s WHERE id = %s", ((key + n) % 8, key)),
                ]
            )
            if random.random() < 0.5:
                counts = {db.execute(change.format(name), values).rowcount for name in ("indexed", "plain")}
                assert len(counts) == 1
            elif random.random() < 0.3:
                for name in ("indexed", "plain"):
                    other.execute(f"INSERT INTO {name} (id, n) VALUES (%s, %s)", (key, n))  # type: ignore[arg-type]
            query, values = random.choice(
                [
                    ("SELECT * FROM {} WHERE id = %s", (key,)),
                    ("SELECT n FROM {} WHERE id = %s", (key,)),
                    ("SELECT name, n FROM {} WHERE id IN (%s, %s)", (key, n)),
                    ("SELECT n + 1 FROM {} WHERE id = %s AND n <> %s", (key, n)),
                    ("SELECT id, n FROM (SELECT id, n FROM {} WHERE n > 0) AS seen WHERE id = %s", (key,)),
                ]
            )
            indexed, plain = (
                sorted(db.execute(query.format(name), values).fetchall(), key=str)
                for name in ("indexed", "plain")
            )
            assert indexed == plain
            viewed = db.execute("SELECT n FROM seen WHERE id = %s", (key,)).fetchall()
            wanted = db.execute("SELECT n FROM plain WHERE id = %s AND n > 0", (key,)).fetchall()
            assert sorted(viewed) == sorted(wanted)
        with suppress(
            psycopg.errors.SerializationFailure
        ):  # others have written as well: then it is rolled back
            db.execute(random.choice(("ROLLBACK", "COMMIT")))
