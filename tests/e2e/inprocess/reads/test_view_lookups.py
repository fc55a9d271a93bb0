"""Rows of a materialized view by the values of its columns: as soon as a replica has computed them, and the same as by any other way."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import WAIT_S, InProcess, eventually, hydrated, running
from ptvc.config import Settings
from ptvc.coord.storage.storage import Storage
from ptvc.replica.look_ups import view_rows
from ptvc.replica.protocol import LookUpView, Peek, Updates

Db = psycopg.Connection[Any]


@pytest.fixture
def runtime() -> Iterator[InProcess]:
    with running(Settings()) as runtime:
        yield runtime


@pytest.fixture
def db(runtime: InProcess) -> Iterator[Db]:
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE t (id int PRIMARY KEY, word text, amount int)")
        connection.execute("INSERT INTO t SELECT n, 'w' || n % 10, n FROM generate_series(1, 100) n")
        connection.execute(
            "CREATE MATERIALIZED VIEW v AS SELECT word, count(*) AS n, sum(amount) AS total, max(id) AS last, avg(amount) AS mean"
            " FROM t GROUP BY word"
        )
        eventually(lambda: hydrated(connection, "v"))
        yield connection


def taken(runtime: InProcess, before: Counter[type]) -> dict[str, int]:
    received = runtime.driver.received
    return {kind.__name__: n for kind in (Peek, LookUpView) if (n := received[kind] - before[kind])}


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("SELECT n, total FROM v WHERE word = 'w3'", [(10, 480)]),
        ("SELECT total, word FROM v WHERE word IN ('w3', 'w4', 'no') ORDER BY 1", [(480, "w3"), (490, "w4")]),
        ("SELECT word FROM v WHERE last = 97 AND word <> 'x'", [("w7",)]),
        ("SELECT word FROM v WHERE last = 97 AND word = 'w6'", []),
        ("SELECT upper(word), total / n FROM v WHERE n = 10 AND last = 93", [("W3", 48)]),
        ("SELECT count(*) FROM v WHERE word = 'w3' OR word = 'w4'", [(2,)]),
        ("SELECT v.total, t.amount FROM v JOIN t ON v.last = t.id WHERE t.id = 93 AND v.word = 'w3'", [(480, 93)]),
        ("SELECT total FROM (SELECT * FROM v) AS inner_v WHERE word = 'w3' LIMIT 1", [(480,)]),
    ],
)  # fmt: skip
def test_the_same_rows(runtime: InProcess, db: Db, query: str, wanted: list[tuple[Any, ...]]) -> None:
    before = Counter(runtime.driver.received)
    found = db.execute(query).fetchall()  # type: ignore[arg-type]
    assert [tuple(int(x) if not isinstance(x, str) else x for x in row) for row in found] == wanted
    assert taken(runtime, before) == {"LookUpView": 1}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT word FROM v WHERE mean = 48",  # equal numbers have several forms
        "SELECT a.word FROM v AS a, v AS b WHERE a.word = 'w3' AND b.word = 'w3'",
        "SELECT word FROM v WHERE n > 1",
        "SELECT v.word FROM v JOIN t USING (word) WHERE word = 'w3'",
    ],
)
def test_what_is_no_look_up(runtime: InProcess, db: Db, query: str) -> None:
    before = Counter(runtime.driver.received)
    assert db.execute(query).fetchall()  # type: ignore[arg-type]
    assert taken(runtime, before) == {"Peek": 1}


def test_rows_are_there_before_they_are_durable(
    runtime: InProcess, db: Db, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a block, prepared, in text, by several columns; a query that is no look-up waits."""
    may_commit = threading.Event()
    append = Storage.append

    async def held(storage: Storage, updates: tuple[Updates, ...]) -> Any:
        while any(update.parts for update in updates) and not may_commit.is_set():
            await asyncio.sleep(0.01)
        return await append(storage, updates)

    monkeypatch.setattr(Storage, "append", held)
    with runtime.connect() as other:
        try:
            for n in range(1, 8):
                db.execute("UPDATE t SET amount = amount + 1 WHERE id = 3")
                query = "SELECT total FROM v WHERE word = %s"
                assert db.execute(query, ("w3",)).fetchall() == [(480 + n,)]
                assert other.execute("SELECT total FROM v WHERE word = 'w3'").fetchall() == [(480 + n,)]
            with db.transaction():
                assert db.execute("SELECT total FROM v WHERE last = 93").fetchall() == [(487,)]
                other.execute("UPDATE t SET amount = 0 WHERE id = 3")
                assert db.execute("SELECT total FROM v WHERE word = 'w3'").fetchall() == [(487,)]
            assert db.execute("SELECT total FROM v WHERE word = 'w3'").fetchall() == [(477,)]
            found: list[Any] = []
            thread = threading.Thread(
                target=lambda: found.extend(other.execute("SELECT sum(total) FROM v").fetchall())
            )
            before = Counter(runtime.driver.received)
            thread.start()
            assert db.execute("SELECT total FROM v WHERE word = 'w4'").fetchall() == [(490,)]
            assert taken(runtime, before) == {"LookUpView": 1}, "the other one still waits"
        finally:
            may_commit.set()
        thread.join(WAIT_S)
        assert found == [(5047,)]


def test_blocks_see_one_state_while_rows_change(
    runtime: InProcess, db: Db, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is looked up agrees, in each block, with the whole view, also across merges and a death of the replica."""
    monkeypatch.setattr(view_rows, "PIECE_ROWS", 8)
    ended = threading.Event()

    def change() -> None:
        random = Random(1)
        with runtime.connect() as writer:
            while not ended.is_set():
                a, b = random.sample(range(1, 101), 2)
                writer.execute(
                    "UPDATE t SET amount = amount + CASE WHEN id = %s THEN 5 ELSE -5 END WHERE id IN (%s, %s)",
                    (a, a, b),
                )

    thread = threading.Thread(target=change)
    thread.start()
    before = Counter(runtime.driver.received)
    try:
        for n in range(60):
            if n == 30:
                runtime.kill_replica()
            with db.transaction():
                looked_up = [
                    db.execute("SELECT word, n, total, last FROM v WHERE word = %s", (f"w{i}",)).fetchone()
                    for i in range(10)
                ]
                assert sorted(looked_up) == sorted(
                    db.execute("SELECT word, n, total, last FROM v").fetchall()
                )  # type: ignore[type-var]
                assert sum(int(row[2]) for row in looked_up if row is not None) == 5050
    finally:
        ended.set()
        thread.join(WAIT_S)
    assert taken(runtime, before)["LookUpView"] > 300


def test_a_view_in_error(runtime: InProcess, db: Db) -> None:
    db.execute("CREATE MATERIALIZED VIEW e AS SELECT id, 100 / amount AS share FROM t")
    eventually(lambda: hydrated(db, "e"))
    assert db.execute("SELECT share FROM e WHERE id = 20").fetchall() == [(5,)]
    db.execute("UPDATE t SET amount = 0 WHERE id = 7")
    for _ in range(3):
        with pytest.raises(psycopg.errors.DivisionByZero):
            db.execute("SELECT share FROM e WHERE id = 20")
    db.execute("UPDATE t SET amount = 1 WHERE id = 7")
    assert db.execute("SELECT share FROM e WHERE id = 7").fetchall() == [(100,)]


def test_views_of_other_clusters_are_read_as_ever(runtime: InProcess, db: Db) -> None:
    db.execute("CREATE CLUSTER beside")
    db.execute("SET cluster = beside")
    before = Counter(runtime.driver.received)
    assert db.execute("SELECT total FROM v WHERE word = 'w3'").fetchall() == [(480,)]
    assert taken(runtime, before) == {"Peek": 1}


def test_a_view_that_is_replaced_or_dropped(db: Db) -> None:
    query = "SELECT total FROM v WHERE word = 'w3'"
    for _ in range(6):  # prepared by now
        assert db.execute(query).fetchall() == [(480,)]
    db.execute(
        "CREATE REPLACEMENT MATERIALIZED VIEW r FOR v AS"
        " SELECT word, count(*) AS n, sum(amount + 1) AS total, max(id) AS last, avg(amount) AS mean FROM t GROUP BY word"
    )
    eventually(lambda: hydrated(db, "r"))
    db.execute("ALTER MATERIALIZED VIEW v APPLY REPLACEMENT r")
    assert db.execute(query).fetchall() == [(490,)]
    db.execute("UPDATE t SET amount = 13 WHERE id = 3")
    assert db.execute(query).fetchall() == [(500,)]
    db.execute("DROP MATERIALIZED VIEW v")
    with pytest.raises(psycopg.errors.UndefinedTable):
        db.execute(query)
