"""Indexes of clusters whose replicas are several processes: who looks rows up hears what is there, whichever worker has it."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows, running
from ptvc.replica import main as main_module
from ptvc.replica.protocol import LookedUp

Db = psycopg.Connection[tuple[Any, ...]]

SMALL = 40
TABLE = "CREATE TABLE t (id int NOT NULL, k int, name text, price numeric(10, 2), big bigint)"
INDEXES = (
    "CREATE INDEX t_k ON t (k)",
    "CREATE INDEX t_name ON t (name)",
    "CREATE INDEX t_upper ON t (upper(name), k)",
    "CREATE INDEX t_price ON t (price)",
    "CREATE VIEW v AS SELECT name, count(*) AS n, max(id) AS last FROM t GROUP BY name",
    "CREATE INDEX v_n ON v (n)",
)


@pytest.fixture(params=[1, 2, 3, 7])
def workers(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def runtime(workers: int) -> Iterator[InProcess]:
    with running() as runtime:
        runtime.query(f"CREATE CLUSTER divided (WORKERS {workers})")
        yield runtime


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> Counter[bool]:
    """How many look-ups were answered beside the steps, and how many were not."""
    counts: Counter[bool] = Counter()
    looking_up = main_module.looked_up

    def counted(*arguments: Any) -> LookedUp:
        answer = looking_up(*arguments)
        counts[answer.rows is not None] += 1
        return answer

    monkeypatch.setattr(main_module, "looked_up", counted)
    return counts


def members(runtime: InProcess) -> list[int]:
    (replica,) = runtime.coordinator.controller.clusters.of("divided")
    return list(runtime.driver.members.get(replica.id, ()))


def handed_over(runtime: InProcess, workers: int) -> bool:
    """Whether the replica is one of so many workers, and those of another number are gone."""
    replicas = runtime.coordinator.controller.clusters.of("divided")
    return len(replicas) == 1 and len(members(runtime)) == workers - 1


def create(db: Db, rows_: int = 300) -> None:
    db.execute(TABLE)
    insert(db, Random(1), rows_)
    db.execute("SET cluster = divided")
    for statement in INDEXES:
        db.execute(statement.encode())
    eventually(lambda: hydrated(db, "t_k", "t_name", "t_upper", "t_price", "v_n"))


def insert(db: Db, random: Random, count: int) -> None:
    values = [
        (
            random.randrange(10_000),
            random.choice((None, *range(SMALL))),
            random.choice((None, "", *(f"Name {i}" for i in range(SMALL)))),
            random.choice((None, "1.50", "-2.00", "7")),
            random.randrange(SMALL),
        )
        for _ in range(count)
    ]
    with db.cursor() as cursor, cursor.copy("COPY t FROM STDIN") as copy:
        for value in values:
            copy.write_row(value)


def change(db: Db, random: Random) -> None:
    match random.randrange(3):
        case 0:
            insert(db, random, random.choice((1, 30)))
        case 1:
            db.execute("UPDATE t SET name = 'new', k = k + 1 WHERE id %% 7 = %s", (random.randrange(7),))
        case _:
            db.execute("DELETE FROM t WHERE id %% 11 = %s", (random.randrange(11),))


def questions(random: Random) -> list[str]:
    """Conditions by one key or by several, of types of their own and of others."""
    k, name = random.randrange(SMALL), f"Name {random.randrange(SMALL)}"
    some = ", ".join(str(random.randrange(SMALL)) for _ in range(9))
    return [
        f"SELECT * FROM t WHERE k = {k}",
        f"SELECT id FROM t WHERE k = {k}::bigint",
        f"SELECT id, name FROM t WHERE k IN ({some})",
        "SELECT * FROM t WHERE k = 1000000",
        "SELECT * FROM t WHERE k IS NULL",
        "SELECT * FROM t WHERE k = NULL",
        f"SELECT * FROM t WHERE name = '{name}'",
        "SELECT id FROM t WHERE name = ''",
        f"SELECT id FROM t WHERE upper(name) = '{name.upper()}' AND k = {k}",
        "SELECT id FROM t WHERE price = 1.5",
        "SELECT id FROM t WHERE price = 7",
        f"SELECT * FROM v WHERE n = {random.randrange(12)}",
        "SELECT count(*), sum(last) FROM v",
        "SELECT t.id, v.n FROM t JOIN v ON t.name = v.name WHERE t.k < 5",
        f"SELECT id FROM t WHERE k = ANY (ARRAY(SELECT generate_series({k}, {k + 1500})))",
    ]


def check(db: Db, random: Random) -> None:
    """What a cluster without indexes computes from the table is what the index has."""
    view = "(SELECT name, count(*) AS n, max(id) AS last FROM t GROUP BY name) AS v"
    for question in questions(random):
        found = Counter(rows(db, question))
        db.execute("SET cluster = quickstart")
        expected = Counter(
            rows(db, question.replace("FROM v", f"FROM {view}").replace("JOIN v", f"JOIN {view}"))
        )
        db.execute("SET cluster = divided")
        assert found == expected, question


def test_questions_are_answered_as_without_an_index(runtime: InProcess, answered: Counter[bool]) -> None:
    random = Random(5)
    with runtime.connect() as db:
        create(db)
        check(db, random)
        for _ in range(5):
            change(db, random)
            check(db, random)
        assert answered[True] > 30
        assert answered[False] <= answered[True] // 10, "others are for the step thread"


@pytest.mark.parametrize("workers", [2, 3], indirect=True)
def test_many_clients_look_up_while_rows_come(runtime: InProcess) -> None:
    """Each reads its own writes, from whichever worker."""
    with runtime.connect() as db:
        create(db)
        wrong: list[object] = []

        def client(number: int) -> None:
            with runtime.connect() as mine:
                mine.execute("SET cluster = divided")
                for i in range(12):
                    key = 1_000 * number + i
                    mine.execute("INSERT INTO t VALUES (%s, %s, %s)", (key, key, f"client {number}"))
                    if rows(mine, f"SELECT id FROM t WHERE k = {key}") != [(key,)]:
                        wrong.append(key)
                    found = rows(mine, f"SELECT count(*) FROM t WHERE name = 'client {number}'")
                    if found != [(i + 1,)]:
                        wrong.append((number, found))

        clients = [threading.Thread(target=client, args=(number,)) for number in range(1, 5)]
        for thread in clients:
            thread.start()
        for thread in clients:
            thread.join()
        assert not wrong


@pytest.mark.parametrize("workers", [3], indirect=True)
def test_look_ups_go_on_when_a_worker_is_killed(runtime: InProcess) -> None:
    """By keys of its own and of others, and of all rows: they wait for the replica to be back."""
    random = Random(9)
    with runtime.connect() as db:
        create(db)
        expected = Counter(rows(db, "SELECT k, id FROM t"))
        by_key: dict[object, Counter[object]] = {}
        for (k, id_), n in expected.items():
            by_key.setdefault(k, Counter())[id_] += n
        for _ in range(3):
            before = members(runtime)
            os.kill(random.choice(before), signal.SIGKILL)
            for k in random.sample(range(SMALL), 10):
                assert Counter(id_ for (id_,) in rows(db, f"SELECT id FROM t WHERE k = {k}")) == by_key[k]
            assert Counter(rows(db, "SELECT k, id FROM t")) == expected
            eventually(lambda: len(members(runtime)) == 2 and set(members(runtime)).isdisjoint(before))  # noqa: B023
        check(db, random)


@pytest.mark.parametrize("workers", [2, 3], indirect=True)
def test_an_error_is_told_to_whoever_looks_up(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (id int, k int)")
        db.execute("INSERT INTO t SELECT i, i FROM generate_series(1, 100) AS i")
        db.execute("SET cluster = divided")
        db.execute("CREATE VIEW shares AS SELECT id, k, 1000 / k AS share FROM t")
        db.execute("CREATE INDEX by_id ON shares (id)")
        assert rows(db, "SELECT share FROM shares WHERE id = 10") == [(100,)]
        db.execute("INSERT INTO t VALUES (0, 0)")
        for id_ in range(1, 9):
            with pytest.raises(psycopg.errors.DivisionByZero):
                db.execute(f"SELECT share FROM shares WHERE id = {id_}".encode())
        with pytest.raises(psycopg.errors.DivisionByZero):
            db.execute("SELECT sum(share) FROM shares")
        db.execute("DELETE FROM t WHERE k = 0")
        assert rows(db, "SELECT share FROM shares WHERE id = 10") == [(100,)]


@pytest.mark.parametrize("workers", [2, 3], indirect=True)
def test_earlier_times_are_answered_as_they_were(runtime: InProcess) -> None:
    random = Random(11)
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (id int NOT NULL, k int) WITH (RETAIN HISTORY FOR '1 hour')")
        db.execute("SET cluster = divided")
        db.execute("CREATE VIEW counts AS SELECT k, count(*) AS n, sum(id) AS s FROM t GROUP BY k")
        db.execute("CREATE INDEX counts_n ON counts (n) WITH (RETAIN HISTORY FOR '1 hour')")
        moments = []
        for _ in range(6):
            for _ in range(20):
                db.execute("INSERT INTO t VALUES (%s, %s)", (random.randrange(100), random.randrange(12)))
            db.execute("DELETE FROM t WHERE id %% 9 = %s", (random.randrange(9),))
            with db.transaction():
                seen = [
                    Counter(rows(db, q)) for q in ("SELECT * FROM counts", "SELECT * FROM counts WHERE n = 2")
                ]
                ((time,),) = rows(db, "SELECT mz_now()::bigint")
            moments.append((time, seen))
        for time, (everything, of_key) in moments:
            assert Counter(rows(db, f"SELECT * FROM counts AS OF {time}")) == everything
            assert Counter(rows(db, f"SELECT * FROM counts WHERE n = 2 AS OF {time}")) == of_key
        assert any(of_key for _, (_, of_key) in moments)


@pytest.mark.parametrize("workers", [1], indirect=True)
def test_a_view_that_was_made_to_share_an_index_holds_the_rows_itself(runtime: InProcess) -> None:
    query = "SELECT t.id, n.name FROM t JOIN names n ON n.k = t.k"
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (id int NOT NULL, k int)")
        db.execute("CREATE TABLE names (k int, name text)")
        db.execute("INSERT INTO names SELECT k, 'name ' || k FROM generate_series(0, 50) AS k")
        db.execute("INSERT INTO t SELECT i, i % 60 FROM generate_series(0, 999) AS i")
        db.execute("SET cluster = divided")
        db.execute("CREATE INDEX names_k ON names (k)")
        db.execute("CREATE INDEX t_k ON t (k)")
        db.execute(f"CREATE MATERIALIZED VIEW named AS {query}".encode())
        assert "by index public.names_k" in str(rows(db, "EXPLAIN PHYSICAL PLAN FOR MATERIALIZED VIEW named"))

        def agrees() -> None:
            db.execute("INSERT INTO t VALUES (1000, 7), (1001, 8)")
            db.execute("UPDATE names SET name = 'other ' || name WHERE k = 7")
            found = Counter(rows(db, "SELECT * FROM named"))
            db.execute("SET cluster = quickstart")
            assert found == Counter(rows(db, query))
            db.execute("SET cluster = divided")

        agrees()
        for workers in (3, 2, 1):
            db.execute(f"ALTER CLUSTER divided SET (WORKERS {workers})".encode())
            eventually(lambda: handed_over(runtime, workers))  # noqa: B023
            agrees()
            assert rows(db, "SELECT count(*) FROM t WHERE k = 7") == rows(
                db, "SELECT count(*) FROM t WHERE k + 0 = 7"
            )


@pytest.mark.parametrize("workers", [2], indirect=True)
def test_all_rows_of_a_large_index_come_from_files_of_all_workers(runtime: InProcess) -> None:
    count = 300_000
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (id int NOT NULL, k int)")
        db.execute(f"INSERT INTO t SELECT i, i % 1000 FROM generate_series(0, {count - 1}) AS i")
        db.execute("SET cluster = divided")
        db.execute("CREATE INDEX t_id ON t (id)")
        eventually(lambda: hydrated(db, "t_id"))
        mapped = (
            "SELECT count(*) FROM mz_internal.mz_dataflow_workers w JOIN mz_catalog.mz_objects o ON o.id = w.object_id"
            " WHERE o.name = 't_id' AND w.mapped_bytes > 0"
        )
        eventually(lambda: rows(db, mapped) == [(2,)])
        for gone in (0, 5, 6):
            db.execute(f"DELETE FROM t WHERE k = {gone}")
            ((found, total),) = rows(db, "SELECT count(*), sum(id::bigint) FROM t")
            db.execute("SET cluster = quickstart")
            assert rows(db, "SELECT count(*), sum(id::bigint) FROM t") == [(found, total)]
            db.execute("SET cluster = divided")
        assert found == count - 3 * count // 1000


@pytest.mark.parametrize("workers", [2, 3], indirect=True)
def test_what_each_worker_holds_is_shown(runtime: InProcess, workers: int) -> None:
    held = (
        "SELECT w.state_rows FROM mz_internal.mz_dataflow_workers w JOIN mz_catalog.mz_objects o ON o.id = w.object_id"
        " WHERE o.name = 't_id'"
    )
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (id int NOT NULL, k int)")
        db.execute("INSERT INTO t SELECT i, i % 1000 FROM generate_series(0, 29999) AS i")
        db.execute("SET cluster = divided")
        db.execute("CREATE INDEX t_id ON t (id)")
        eventually(lambda: len(rows(db, held)) == workers and sum(n for (n,) in rows(db, held)) == 30_000)
        counts = [n for (n,) in rows(db, held)]
        assert max(counts) < 1.1 * min(counts)
        lines = [line for (line,) in db.execute("EXPLAIN PHYSICAL PLAN FOR INDEX t_id").fetchall()]
        assert lines[0] == f"Divided among {workers} workers: public.t by hash(#0)"
        assert lines[2] == "  each worker holds a range of the index by hash(#2)"
        analyzed = [line for (line,) in db.execute("EXPLAIN ANALYZE MEMORY FOR INDEX t_id").fetchall()]
        assert sum("worker" in line for line in analyzed) == workers
