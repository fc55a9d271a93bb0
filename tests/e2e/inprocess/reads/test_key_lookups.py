"""Statements that find rows of a large table by its primary key, or a unique one: the same as if all rows were read."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, LiteralString

import psycopg
import pytest
from inprocess import InProcess, running
from ptvc.coord.controller.replicas import ReplicaClient
from ptvc.coord.query.keyed_rows import KeyedRows
from ptvc.persist import write
from ptvc.replica.look_ups import stored_rows
from ptvc.replica.protocol import LookedUp, LookUp, LookUpStored

ROWS = 12_000
"""Some parts: too many rows to be read whole where one is asked for."""

Row = tuple[int, str, int, str]


def row(number: int) -> Row:
    return number, f"word {number % 50}", number // 50, f"{number}" * 8


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as r:
        with r.connect() as db:
            db.execute(
                "CREATE TABLE t (id int PRIMARY KEY, word text, n bigint, filler text, UNIQUE (word, n))"
            )
            for start in range(0, ROWS, 6_000):
                with db.cursor().copy("COPY t FROM STDIN") as copy:
                    for number in range(start, start + 6_000):
                        copy.write_row(row(number))
        yield r


def key_files(runtime: InProcess) -> set[str]:
    return {path.name for path in Path(runtime.directory, "columns").glob("*.key-*")}


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("id = 7", {7}),
        ("7 = id::bigint AND n >= 0", {7}),
        ("id = 7 AND word = 'word 8'", set()),
        ("id IN (1, 11999, 50000, NULL)", {1, 11_999}),
        ("id = ANY ('{5, 6, 6}')", {5, 6}),
        ("word = 'word 3' AND n = 2", {103}),
        ("word IN ('word 3', 'word 4') AND n IN (2, 239)", {103, 104, 11_953, 11_954}),
        ("id = 3 OR id = 4", {3, 4}),
        ("id = 3 OR n = 4", {3, *range(200, 250)}),
        ("id = 5000000000", set()),
        ("id IS NULL", set()),
        ("id = NULL", set()),
    ],
)
def test_select(runtime: InProcess, condition: str, wanted: set[int]) -> None:
    found = runtime.query(f"SELECT * FROM t WHERE {condition}")
    assert sorted(found) == [row(number) for number in sorted(wanted)]
    assert runtime.query(f"SELECT count(*) FROM t WHERE {condition}") == [(len(wanted),)]


def only_large_blobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written from now on is not decoded by replicas themselves."""
    monkeypatch.setattr(stored_rows, "SMALL_BYTES", 0)
    monkeypatch.setattr(write, "PACKED_MAX_BYTES", 0)
    monkeypatch.setattr(write, "PASSING_MAX_BYTES", 0)


def test_parts_are_searched(runtime: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    only_large_blobs(monkeypatch)
    runtime.query("CREATE TABLE searched (id int PRIMARY KEY, word text, n bigint, filler text)")
    runtime.query("INSERT INTO searched SELECT * FROM t")
    runtime.query("SELECT word FROM searched WHERE id = 70")
    before = key_files(runtime)
    assert before
    runtime.query("SELECT word FROM searched WHERE n = 70")
    runtime.query("SELECT word FROM searched WHERE n = 70 AND id > 5")
    runtime.query(
        "SELECT a.word FROM searched a JOIN searched b ON a.n = b.n WHERE a.id = 7 AND b.word = 'x'"
    )
    assert key_files(runtime) == before
    assert runtime.query(
        "SELECT a.id, b.id FROM searched a JOIN (SELECT * FROM searched WHERE id = 57) b ON a.n = b.n WHERE a.id = 58"
    ) == [(58, 57)]


def test_errors_are_those_of_the_rows_that_are_asked_for(runtime: InProcess) -> None:
    assert runtime.query("SELECT 1 / (n - 3) FROM t WHERE id = 200") == [(1,)]
    with pytest.raises(psycopg.errors.DivisionByZero):
        runtime.query("SELECT 1 / (n - 3) FROM t WHERE id = 199")


@pytest.mark.parametrize("seed", range(3))
def test_changes_by_key(runtime: InProcess, seed: int) -> None:
    """Against a dictionary: what a block has written itself counts, too."""
    random = Random(seed)
    table = f"changes_{seed}"
    with runtime.connect() as db:
        db.execute(f"CREATE TABLE {table} (id int PRIMARY KEY, word text, n bigint, filler text)")
        db.execute(f"INSERT INTO {table} SELECT * FROM t")
        rows = {number: row(number) for number in range(ROWS)}
        for _ in range(12):
            before = dict(rows)
            db.execute("BEGIN")
            for _ in range(random.randint(1, 4)):
                keys = [random.randrange(ROWS + 50) for _ in range(random.randint(1, 4))]
                match random.randrange(4):
                    case 0:
                        count = db.execute(f"DELETE FROM {table} WHERE id = ANY (%s)", (keys,)).rowcount
                        assert count == sum(rows.pop(key, None) is not None for key in set(keys))
                    case 1:
                        new = random.randrange(1000)
                        db.execute(f"UPDATE {table} SET n = %s WHERE id = %s", (new, keys[0]))
                        if keys[0] in rows:
                            rows[keys[0]] = (*rows[keys[0]][:2], new, rows[keys[0]][3])
                    case 2:
                        db.execute(
                            f"INSERT INTO {table} VALUES (%s, 'new', 1, '') ON CONFLICT (id) DO UPDATE SET n = -1",
                            (keys[0],),
                        )
                        old = rows.get(keys[0])
                        rows[keys[0]] = (keys[0], "new", 1, "") if old is None else (*old[:2], -1, old[3])
                    case _:
                        found = db.execute(f"SELECT * FROM {table} WHERE id = ANY (%s)", (keys,)).fetchall()
                        assert sorted(found) == sorted(rows[key] for key in set(keys) if key in rows)
            if random.random() < 0.3:
                db.execute("ROLLBACK")
                rows = before
            else:
                db.execute("COMMIT")
        assert sorted(db.execute(f"SELECT * FROM {table}").fetchall()) == sorted(rows.values())


def test_a_column_that_was_rolled_back_leaves_nothing(runtime: InProcess) -> None:
    with runtime.connect() as db:
        for kept, value in ((False, 5), (True, 6)):
            db.execute("BEGIN")
            db.execute(f"ALTER TABLE t ADD COLUMN more int DEFAULT {value}")
            assert db.execute("SELECT count(*) FROM t WHERE more = %s", (value,)).fetchall() == [(ROWS,)]
            db.execute("COMMIT" if kept else "ROLLBACK")
        assert db.execute("SELECT DISTINCT more FROM t").fetchall() == [(6,)]
        db.execute("ALTER TABLE t DROP COLUMN more")


def test_columns_come_and_go(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE altered (gone text, id int PRIMARY KEY, word text, n bigint, filler text)")
        db.execute("INSERT INTO altered SELECT filler, * FROM t")
        db.execute("ALTER TABLE altered DROP COLUMN gone")
        assert db.execute("SELECT word FROM altered WHERE id = 7").fetchall() == [("word 7",)]
        db.execute("ALTER TABLE altered ADD COLUMN kind int DEFAULT 3")
        db.execute("ALTER TABLE altered ADD CONSTRAINT both_of UNIQUE (n, word, kind)")
        query = "SELECT id FROM altered WHERE kind = %s AND word = 'word 7' AND n = 2"
        assert db.execute(query, (3,)).fetchall() == [(107,)]
        assert db.execute(query, (4,)).fetchall() == []


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each look-up in stored rows was answered with rows."""
    seen: list[bool] = []
    look_up = ReplicaClient.look_up

    def watched(
        self: ReplicaClient,
        asked: Callable[[int], LookUp | LookUpStored],
        answered: Callable[[LookedUp | None], None],
    ) -> None:
        def noted(answer: LookedUp | None) -> None:
            seen.append(answer is not None and answer.rows is not None)
            answered(answer)

        look_up(self, asked, noted)

    monkeypatch.setattr(ReplicaClient, "look_up", watched)
    return seen


def test_replicas_decode_small_blobs_for_any_number_of_keys(runtime: InProcess, answers: list[bool]) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE small (id int PRIMARY KEY, word text, n bigint, filler text)")
        db.execute("INSERT INTO small SELECT * FROM t")
        assert db.execute("SELECT word FROM small WHERE id = 7").fetchall() == [("word 7",)]
        assert answers == [True]
        keys = list(range(0, 2 * ROWS, 3))
        query = "SELECT count(*), sum(id) FROM small WHERE id = ANY (%s)"
        there = [key for key in keys if key < ROWS]
        assert db.execute(query, (keys,)).fetchall() == [(len(there), sum(there))]
        assert db.execute("SELECT count(*) FROM small WHERE id = ANY (%s)", (keys,)).fetchall() == [
            (len(there),)
        ]
        early = sum(key < 5_000 for key in there)
        query = "DELETE FROM small WHERE id = ANY (%s) AND n < 100"
        assert db.execute(query, (keys,)).rowcount == early
        assert db.execute("DELETE FROM small WHERE id = ANY (%s)", (keys,)).rowcount == len(there) - early
        assert answers == [True] * 5
        assert db.execute("SELECT count(*) FROM small").fetchall() == [(ROWS - len(there),)]


def test_replicas_look_up_what_was_decoded_once(
    runtime: InProcess, answers: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    only_large_blobs(monkeypatch)
    with runtime.connect() as db:
        db.execute("CREATE TABLE asked (id int PRIMARY KEY, word text, n bigint, filler text)")
        db.execute("INSERT INTO asked SELECT * FROM t")
        db.execute("SELECT word FROM asked WHERE id = 7")
        assert answers == [False], "it was not decoded yet"
        for key in range(5):
            found = db.execute("SELECT word FROM asked WHERE id = %s", (key,)).fetchall()
            assert found == [(row(key)[1],)]
        assert db.execute("SELECT upper(word) FROM asked WHERE id IN (3, 7)").fetchall() == [
            ("WORD 3",),
            ("WORD 7",),
        ]
        assert answers == [False, *[True] * 6]
        del answers[:]
        db.execute("SELECT * FROM asked WHERE id = 7")
        assert db.execute("UPDATE asked SET n = n + 1 WHERE id = 8 RETURNING n").fetchall() == [(1,)]
        assert db.execute("DELETE FROM asked WHERE id = 9 RETURNING word").fetchall() == [("word 9",)]
        assert db.execute("SELECT id, n FROM asked WHERE id IN (8, 9)").fetchall() == [(8, 1)]
        assert answers == [False, True, True, True]
        del answers[:]
        db.execute("BEGIN")
        db.execute("UPDATE asked SET n = 70 WHERE id = 8")
        assert db.execute("SELECT n FROM asked WHERE id = %s", (8,)).fetchall() == [(70,)]
        db.execute("ROLLBACK")
        assert db.execute("SELECT n FROM asked WHERE id = %s", (8,)).fetchall() == [(1,)]
        assert db.execute(
            "SELECT a.word, b.word FROM asked a, t b WHERE a.id = 1 AND b.id = 2 AND a.n = b.n"
        ).fetchall() == [("word 1", "word 2")]
        assert all(answers)
        assert len(answers) == 5


def test_errors_of_few_rows_are_said_as_ever(runtime: InProcess) -> None:
    with runtime.connect() as db:
        for _ in range(2):
            with pytest.raises(psycopg.errors.DivisionByZero) as raised:
                db.execute("SELECT 1 / (n - n) FROM t WHERE id = 7")
            assert raised.value.diag.message_detail == 'The query reads "public.t".'


def test_a_column_that_was_added_and_one_that_was_dropped(runtime: InProcess) -> None:
    """Look-ups of a statement that was prepared before."""
    with runtime.connect() as db:
        db.prepare_threshold = 0
        db.execute("CREATE TABLE shaped (id int PRIMARY KEY, a text, b text)")
        db.execute("INSERT INTO shaped SELECT n, 'a' || n, 'b' || n FROM generate_series(1, 9000) n")
        for _ in range(3):
            assert db.execute("SELECT b FROM shaped WHERE id = %s", (5,)).fetchall() == [("b5",)]
        db.execute("ALTER TABLE shaped ADD COLUMN c int DEFAULT 7")
        db.execute("INSERT INTO shaped VALUES (-1, 'a', 'b', 8)")
        for key, wanted in ((5, 7), (-1, 8), (5, 7), (-1, 8)):
            assert db.execute("SELECT c FROM shaped WHERE id = %s", (key,)).fetchall() == [(wanted,)]
        db.execute("ALTER TABLE shaped DROP COLUMN a")
        for key, wanted in ((5, ("b5", 7)), (-1, ("b", 8)), (5, ("b5", 7))):
            assert db.execute("SELECT b, c FROM shaped WHERE id = %s", (key,)).fetchall() == [wanted]
        db.execute("TRUNCATE shaped")
        assert db.execute("SELECT b, c FROM shaped WHERE id = %s", (5,)).fetchall() == []
        db.execute("DROP TABLE shaped")
        with pytest.raises(psycopg.errors.UndefinedTable):
            db.execute("SELECT b, c FROM shaped WHERE id = %s", (5,))


def test_a_block_reads_as_of_its_first_read(runtime: InProcess) -> None:
    """By keys, too, whatever others write and whatever is merged meanwhile."""
    with runtime.connect() as db, runtime.connect() as other:
        db.execute("CREATE TABLE steady (id int PRIMARY KEY, v int)")
        db.execute("INSERT INTO steady SELECT n, 0 FROM generate_series(1, 9000) n")
        db.execute("SELECT v FROM steady WHERE id = %s", (1,))
        db.execute("BEGIN")
        assert db.execute("SELECT v FROM steady WHERE id = %s", (1,)).fetchall() == [(0,)]
        for value in range(1, 40):
            other.execute("UPDATE steady SET v = %s WHERE id IN (1, 2)", (value,))
            assert other.execute("SELECT v FROM steady WHERE id = %s", (1,)).fetchall() == [(value,)]
            assert db.execute("SELECT id, v FROM steady WHERE id = %s", (2,)).fetchall() == [(2, 0)]
        db.execute("COMMIT")
        assert db.execute("SELECT v FROM steady WHERE id = %s", (2,)).fetchall() == [(39,)]


@pytest.mark.parametrize("count", [1_000, 1_001, 8_192, 11_000])
def test_many_keys(runtime: InProcess, count: int) -> None:
    with runtime.connect() as db:
        keys = list(range(count))
        assert db.execute("SELECT count(*), sum(id) FROM t WHERE id = ANY (%s)", (keys,)).fetchall() == [
            (count, sum(keys))
        ]
        db.execute("BEGIN")
        assert db.execute("DELETE FROM t WHERE id = ANY (%s)", (keys,)).rowcount == count
        assert db.execute("SELECT count(*) FROM t WHERE id = ANY (%s)", (keys,)).fetchall() == [(0,)]
        db.execute("ROLLBACK")


@pytest.mark.parametrize(
    ("statement", "columns", "wanted"),
    [
        ("ALTER TABLE waiting ADD COLUMN c int DEFAULT 3", "*", [(7, "a7", "b7")]),
        ("ALTER TABLE waiting DROP COLUMN a", "id, b", [(7, "b7")]),
        ("ALTER TABLE waiting DROP COLUMN a", "id, a", psycopg.errors.UndefinedColumn),
        ("ALTER TABLE waiting DROP COLUMN a", "*", psycopg.errors.FeatureNotSupported),
        ("INSERT INTO waiting VALUES (10000, 'a', 'b')", "*", [(7, "a7", "b7")]),
    ],
)
def test_what_changes_while_a_look_up_fails(
    runtime: InProcess,
    monkeypatch: pytest.MonkeyPatch,
    statement: LiteralString,
    columns: LiteralString,
    wanted: list[tuple[Any, ...]] | type[psycopg.Error],
) -> None:
    """The query that is asked instead is over the table as it is then."""
    begun, changed = threading.Event(), threading.Event()

    async def nothing(*_: object) -> None:
        begun.set()
        while not changed.is_set():
            await asyncio.sleep(0.005)

    with runtime.connect() as db, runtime.connect() as other, ThreadPoolExecutor(1) as thread:
        db.execute("DROP TABLE IF EXISTS waiting")
        db.execute("CREATE TABLE waiting (id int PRIMARY KEY, a text, b text)")
        db.execute("INSERT INTO waiting SELECT n, 'a' || n, 'b' || n FROM generate_series(1, 9000) n")
        with monkeypatch.context() as patched:
            patched.setattr(KeyedRows, "evaluated", nothing)
            query = f"SELECT {columns} FROM waiting WHERE id = 7"
            found = thread.submit(lambda: db.execute(query).fetchall())
            assert begun.wait(30)
            other.execute(statement)
            changed.set()
            if isinstance(wanted, list):
                assert found.result(30) == wanted
            else:
                with pytest.raises(wanted):
                    found.result(30)
