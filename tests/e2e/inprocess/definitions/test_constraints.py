"""Constraints, ON CONFLICT and MERGE through a whole runtime: concurrency, restarts, bulk loads, hash collisions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import psycopg
import pytest
from inprocess import InProcess, rows, running
from psycopg import errors
from ptvc.coord.dml import key_lookup, upserts
from ptvc.coord.storage import unique_keys
from ptvc.repr.buffers import Words
from ptvc.repr.hash import hash_columns


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


@pytest.fixture
def db(runtime: InProcess) -> Iterator[psycopg.Connection[Any]]:
    with runtime.connect() as connection:
        connection.execute("CREATE SCHEMA c")
        connection.execute("SET search_path = c")
        yield connection
        connection.execute("DROP SCHEMA c CASCADE")


def test_errors_say_what_is_wrong(db: psycopg.Connection[Any]) -> None:
    db.execute(
        "CREATE TABLE t (a int PRIMARY KEY, b text, c int CHECK (c > 0), UNIQUE NULLS NOT DISTINCT (b, c))"
    )
    db.execute("INSERT INTO t VALUES (1, 'x', 1), (2, NULL, 2)")
    for sql, message, detail in [
        ("INSERT INTO t VALUES (1, 'y', 5)",
         'duplicate key value violates unique constraint "t_pkey"', "Key (a)=(1) already exists."),
        ("INSERT INTO t VALUES (3, NULL, 2)",
         'duplicate key value violates unique constraint "t_b_c_key"', "Key (b, c)=(null, 2) already exists."),
        ("UPDATE t SET c = -1 WHERE a = 2",
         'new row for relation "t" violates check constraint "t_c_check"', "Failing row contains (2, null, -1)."),
        ("INSERT INTO t (b, c) VALUES (repeat('ab', 40), 1)",
         'null value in column "a" of relation "t" violates not-null constraint',
         f"Failing row contains (null, {'ab' * 32}..., 1)."),
    ]:  # fmt: skip
        with pytest.raises(psycopg.Error) as error:
            db.execute(sql)  # type: ignore[arg-type]
        assert (error.value.diag.message_primary, error.value.diag.message_detail) == (message, detail)


def test_of_two_blocks_that_insert_a_key_one_wins(runtime: InProcess, db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE t (a int PRIMARY KEY, b text)")
    with runtime.connect() as other:
        db.execute("BEGIN")
        db.execute("INSERT INTO t VALUES (1, 'first'), (2, 'first')")
        other.execute("INSERT INTO c.t VALUES (2, 'second')")
        with pytest.raises(errors.UniqueViolation):
            db.execute("COMMIT")
        db.execute("BEGIN")
        db.execute("DELETE FROM t WHERE a = 2")
        db.execute("INSERT INTO t VALUES (2, 'mine')")
        db.execute("COMMIT")
    assert rows(db, "SELECT * FROM t") == [(2, "mine")]


def test_concurrent_inserts_of_the_same_keys(runtime: InProcess, db: psycopg.Connection[Any]) -> None:
    """Every key is inserted by several sessions at once: exactly one has it; upserts lose nothing."""
    db.execute("CREATE TABLE t (a int PRIMARY KEY, owner int)")
    db.execute("CREATE TABLE n (a int PRIMARY KEY, count int)")
    won: list[tuple[int, int]] = []

    def work(owner: int) -> None:
        random = Random(owner)
        with runtime.connect() as connection:
            for key in random.sample(range(12), 12):
                try:
                    connection.execute("INSERT INTO c.t VALUES (%s, %s)", (key, owner))
                    won.append((key, owner))
                except errors.UniqueViolation:
                    pass
                connection.execute(
                    "INSERT INTO c.n VALUES (%s, 1) ON CONFLICT (a) DO UPDATE SET count = n.count + 1",
                    (key % 3,),
                )

    threads = [threading.Thread(target=work, args=(owner,)) for owner in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == sorted(rows(db, "SELECT * FROM t"))
    assert len(won) == 12
    assert rows(db, "SELECT * FROM n ORDER BY a") == [(0, 16), (1, 16), (2, 16)]


def test_keys_hold_after_a_restart() -> None:
    with running() as runtime:
        runtime.query("CREATE TABLE t (a int, b text UNIQUE, PRIMARY KEY (a), CHECK (a <> 13))")
        runtime.query("INSERT INTO t SELECT i, i::text FROM generate_series(100, 5000) i")
        runtime.query("DELETE FROM t WHERE a = 200")
        runtime.stop()
        runtime.start()
        for values in ("(4999, 'x')", "(1, '3000')"):
            with pytest.raises(errors.UniqueViolation):
                runtime.query(f"INSERT INTO t VALUES {values}")
        with pytest.raises(errors.CheckViolation):
            runtime.query("INSERT INTO t VALUES (13, 'x')")
        runtime.query("INSERT INTO t VALUES (200, '200')")
        assert runtime.query("SELECT count(*), count(DISTINCT a) FROM t") == [(4901, 4901)]


def test_copy_is_checked(db: psycopg.Connection[Any]) -> None:
    db.execute("CREATE TABLE t (a int PRIMARY KEY, b int CHECK (b < 1000000))")

    def copy(values: range) -> None:
        with db.cursor().copy("COPY t FROM STDIN") as copy:
            copy.write("".join(f"{i}\t{i}\n" for i in values))

    copy(range(100_000))
    for values, error in [
        (range(99_999, 150_000), errors.UniqueViolation),
        (range(999_990, 1_000_010), errors.CheckViolation),
    ]:
        with pytest.raises(error):
            copy(values)
    copy(range(100_000, 120_000))
    assert rows(db, "SELECT count(*), max(a) FROM t") == [(120_000, 119_999)]


def test_a_lookup_uses_an_index_on_the_key(db: psycopg.Connection[Any]) -> None:
    """Also with keys that a literal cannot stand for, and with more keys than are looked up by literals."""
    db.execute("CREATE TABLE t (a date PRIMARY KEY, b int)")
    db.execute("CREATE INDEX t_a ON t (a)")
    db.execute("INSERT INTO t SELECT '2000-01-01'::date + i, i FROM generate_series(1, 3000) i")
    upsert = "INSERT INTO t {} ON CONFLICT (a) DO UPDATE SET b = -excluded.b"
    assert db.execute(upsert.format("SELECT * FROM t WHERE b <= 2000")).rowcount == 2000  # type: ignore[arg-type]
    assert db.execute(upsert.format("VALUES ('2000-01-02', 7)")).rowcount == 1  # type: ignore[arg-type]
    assert rows(db, "SELECT sum(b), count(*) FROM t") == [
        (-7 - sum(range(2, 2001)) + sum(range(2001, 3001)), 3000)
    ]


@pytest.fixture
def colliding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Key hashes of three values only."""

    def hashed(columns: Any, length: int) -> Words:
        return hash_columns(columns, length) % np.uint64(3)

    for module in (unique_keys, key_lookup, upserts):
        monkeypatch.setattr(module, "hash_columns", hashed)


@pytest.mark.usefixtures("colliding")
@pytest.mark.parametrize("seed", range(3))
def test_collisions_of_hashes_change_nothing(db: psycopg.Connection[Any], seed: int) -> None:
    random = Random(seed)
    db.execute("CREATE TABLE t (a int PRIMARY KEY, b int UNIQUE)")
    model: dict[int, int | None] = {}
    for _ in range(40):
        a, b = random.randrange(12), random.choice([None, *range(12)])
        taken = b is not None and any(value == b and key != a for key, value in model.items())
        kind = random.choice(("insert", "nothing", "update", "delete"))
        if kind == "delete":
            db.execute("DELETE FROM t WHERE a = %s", (a,))
            model.pop(a, None)
            continue
        clause = {
            "insert": "",
            "nothing": "ON CONFLICT DO NOTHING",
            "update": "ON CONFLICT (a) DO UPDATE SET b = excluded.b",
        }
        sql = f"INSERT INTO t VALUES (%s, %s) {clause[kind]}"
        refused = taken or (a in model and kind != "update")
        if refused and kind != "nothing":
            with pytest.raises(errors.UniqueViolation):
                db.execute(sql, (a, b))  # type: ignore[arg-type]
        else:
            db.execute(sql, (a, b))  # type: ignore[arg-type]
            if not refused:
                model[a] = b
    assert dict(rows(db, "SELECT a, b FROM t")) == model


@pytest.mark.slow
@pytest.mark.parametrize(
    ("type_", "written", "again"),
    [
        ("interval", "n || ' mon'", "n * 30 || ' days'"),
        ("jsonb", "n || '.0'", "n || '.00'"),
        ("jsonb[]", "array[(n || '.0')::jsonb]::text", "array[n::text::jsonb]::text"),
        ("float8[]", "array[-0.0::float8 * n, n]::text", "array[0, n]::text"),
        ("numeric", "n || '.0'", "n || '.000'"),
        ("uuid", "lpad(to_hex(n), 32, '0')", "upper(lpad(to_hex(n), 32, '0'))"),
    ],
)
def test_more_keys_than_are_looked_for_as_literals(
    db: psycopg.Connection[Any], type_: str, written: str, again: str
) -> None:
    """Values that are equal and written differently are one key, however many of them a statement brings."""
    db.execute(f"CREATE TABLE t (k {type_} UNIQUE, v int)")
    series = f"FROM generate_series(1, {key_lookup.FEW_KEYS + 200}) AS n"
    values = f"SELECT ({written})::{type_}, n {series}"
    others = f"SELECT ({again})::{type_}, -n {series}"
    db.execute(f"INSERT INTO t {values}")
    with pytest.raises(errors.UniqueViolation):
        db.execute(f"INSERT INTO t {others}")
    assert db.execute(f"INSERT INTO t {others} ON CONFLICT DO NOTHING").rowcount == 0
    changed = db.execute(f"INSERT INTO t {others} ON CONFLICT (k) DO UPDATE SET v = excluded.v")
    assert changed.rowcount == key_lookup.FEW_KEYS + 200
    assert rows(db, "SELECT count(*), count(*) FILTER (WHERE v < 0) FROM t") == [(changed.rowcount,) * 2]
