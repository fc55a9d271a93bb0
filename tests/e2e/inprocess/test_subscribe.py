"""SUBSCRIBE: a snapshot and every change after it, once, in all the ways in which clients ask for them."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import asyncpg
import pytest
from inprocess import InProcess, eventually, hydrated, rows, running
from kept_history import Db, Moment, define, seen, write
from psycopg import errors
from ptvc.coord.query import dataflow_subscription

History = list[Moment]

FOLLOWED = (
    "SELECT k, a FROM t",
    "SELECT k, n, s FROM m",
    "SELECT k, n FROM v",
    "SELECT a + 1 AS b, k FROM t WHERE a % 2 = 0",
    "SELECT t.k, t.a, m.n FROM t JOIN m ON m.k = t.k WHERE t.a > 10",
    "SELECT DISTINCT ON (k) k, a FROM t ORDER BY k, a DESC",
    "SELECT count(*) AS n FROM t",
)


class Follower:
    """Subscriptions to all of FOLLOWED, in cursors of one session: `WITH (PROGRESS)`, and `clauses`."""

    def __init__(self, runtime: InProcess, clauses: str = "", options: str = "PROGRESS") -> None:
        self.db = runtime.connect()
        self.db.execute("BEGIN")
        self.told: list[list[tuple[Any, ...]]] = [[] for _ in FOLLOWED]
        for place, query in enumerate(FOLLOWED):
            self.db.execute(f"DECLARE c{place} CURSOR FOR SUBSCRIBE ({query}) WITH ({options}) {clauses}")

    def follow(self, to: int) -> None:
        """Takes what there is until all up to `to` was told."""
        for place, told in enumerate(self.told):
            while not told or not told[-1][1] or told[-1][0] < to:
                told += rows(self.db, f"FETCH 50 c{place} WITH (TIMEOUT '100ms')")

    def check(self, history: History, base: Counter[Any] | None = None) -> None:
        for place, told in enumerate(self.told):
            times = [time for time, *_ in told]
            assert times == sorted(times)
            progress = -1
            for time, progressed, *_ in told:
                assert time > progress
                progress = time if progressed else progress
            for time, contents in history:
                found: Counter[Any] = Counter()
                for at, progressed, diff, *row in told:
                    if not progressed and at <= time:
                        found[tuple(row)] += diff
                assert +found == Counter(contents[place]), (FOLLOWED[place], time)
                assert all(count >= 0 for count in found.values())

    def close(self) -> None:
        self.db.close()


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(3))
def test_snapshot_and_changes_are_what_is_read(seed: int) -> None:
    """At every time, while maintenance compacts, and a replica dies."""
    random = Random(seed)
    with running() as runtime, runtime.connect() as db:
        define(db)
        eventually(lambda: hydrated(db, "m", "v_k"))
        for _ in range(3):
            write(db, random)
        first = seen(db, FOLLOWED)
        follower = Follower(runtime)
        history = [seen(db, FOLLOWED)]
        for number in range(12):
            write(db, random)
            history.append(seen(db, FOLLOWED))
            if number in (3, 8):
                follower.follow(history[-1][0])
            if number == 5:
                runtime.kill_replica()
        follower.follow(history[-1][0])
        follower.check(history)
        past = Follower(runtime, f"AS OF {first[0]}")
        past.follow(history[-1][0])
        past.check([first, *history])
        for place in range(len(FOLLOWED)):
            told = [
                Counter(
                    row for row in one.told[place] if not row[1] and history[0][0] < row[0] <= history[-1][0]
                )
                for one in (follower, past)
            ]
            assert told[0] == told[1]
        without = Follower(runtime, f"AS OF {first[0]}", "PROGRESS, SNAPSHOT = false")
        without.follow(history[-1][0])
        for place, told in enumerate(without.told):
            whole = [row for row in past.told[place] if not row[1] and first[0] < row[0] <= history[-1][0]]
            assert Counter(row for row in told if not row[1] and row[0] <= history[-1][0]) == Counter(whole)
        for one in (follower, past, without):
            one.close()
        check_by_key(db, [first, *history])
        eventually(lambda: runtime.call(lambda: not runtime.coordinator.storage.reads.followed()))


def check_by_key(db: Db, history: History) -> None:
    """What is told by key is what the relation holds, at every time."""
    span = f"AS OF {history[0][0]} UP TO {history[-1][0] + 1}"
    for place, name in ((1, "m"), (2, "v")):
        told = rows(db, f"SUBSCRIBE {name} ENVELOPE UPSERT (KEY (k)) {span}")
        both = rows(db, f"SUBSCRIBE {name} ENVELOPE DEBEZIUM (KEY (k)) {span}")
        for time, contents in history:
            held: dict[int, tuple[Any, ...]] = {}
            for at, state, key, *values in told:
                if at <= time:
                    held.pop(key, None)
                    held |= {key: (key, *values)} if state == "upsert" else {}
            assert sorted(held.values()) == sorted(contents[place])
        held = {}
        for _, state, key, *values in both:
            before, after = values[: len(values) // 2], values[len(values) // 2 :]
            assert held.get(key, (None,) * len(before)) == tuple(before)
            assert state == ("delete" if after[0] is None else "upsert" if key in held else "insert")
            held.pop(key, None)
            held |= {} if state == "delete" else {key: tuple(after)}


@pytest.fixture
def t(db: Db) -> str:
    db.execute("CREATE TABLE t (k int NOT NULL, a int) WITH (RETAIN HISTORY FOR '1 hour')")
    db.execute("INSERT INTO t VALUES (1, 10), (2, 20)")
    return "t"


def times(db: Db, *statements: str) -> list[int]:
    """Runs statements; the times at which each was visible."""
    found = []
    for statement in statements:
        db.execute(statement)
        found += [time for (time,) in rows(db, "SELECT mz_now()::bigint FROM (SELECT count(*) FROM t) AS x")]
    return found


COLUMNS = [
    ("", ["mz_timestamp", "mz_diff", "k", "a"]),
    ("WITH (PROGRESS)", ["mz_timestamp", "mz_progressed", "mz_diff", "k", "a"]),
    ("ENVELOPE UPSERT (KEY (a))", ["mz_timestamp", "mz_state", "a", "k"]),
    ("ENVELOPE DEBEZIUM (KEY (k))", ["mz_timestamp", "mz_state", "k", "before_a", "after_a"]),
    (
        "WITH (PROGRESS) ENVELOPE DEBEZIUM (KEY (k, a))",
        ["mz_timestamp", "mz_progressed", "mz_state", "k", "a"],
    ),
]


@pytest.mark.parametrize(("form", "columns"), COLUMNS)
def test_columns(db: Db, t: str, form: str, columns: list[str]) -> None:
    form, _, envelope = form.partition("ENVELOPE")
    clause = f"{form} AS OF mz_now() UP TO mz_now() {'ENVELOPE' + envelope if envelope else ''}"
    cursor = db.execute(f"SUBSCRIBE TO t {clause}")
    assert [column.name for column in cursor.description or ()] == columns
    begun = cursor.fetchall()
    assert begun == []  # it ends before its beginning is told
    assert cursor.statusmessage == f"SUBSCRIBE {len(begun)}"


def test_envelopes(db: Db, t: str) -> None:
    [start] = times(db, "INSERT INTO t VALUES (3, 30)")
    ends = times(
        db,
        "UPDATE t SET a = a + 1 WHERE k = 1",
        "DELETE FROM t WHERE k = 2",
        "INSERT INTO t VALUES (3, 31)",
        "INSERT INTO t VALUES (4, 40), (4, 41)",
        "INSERT INTO t VALUES (5, NULL)",
    )
    span = f"AS OF {start} UP TO {ends[-1] + 1}"
    upserts = [row[1:] for row in rows(db, f"SUBSCRIBE t {span} ENVELOPE UPSERT (KEY (k))")]
    assert sorted(upserts[:3]) == [("upsert", 1, 10), ("upsert", 2, 20), ("upsert", 3, 30)]
    assert upserts[3:] == [
        ("upsert", 1, 11),
        ("delete", 2, None),
        ("upsert", 3, 31),
        ("key_violation", 4, None),
        ("upsert", 5, None),
    ]
    changes = [row[1:] for row in rows(db, f"SUBSCRIBE t ENVELOPE DEBEZIUM (KEY (k)) {span}")]
    assert sorted(changes[:3]) == [("insert", 1, None, 10), ("insert", 2, None, 20), ("insert", 3, None, 30)]
    assert changes[3:] == [
        ("upsert", 1, 10, 11),
        ("delete", 2, 20, None),
        ("insert", 3, None, 31),
        ("key_violation", 4, None, None),
        ("insert", 5, None, None),
    ]


def test_order_within_a_timestamp(db: Db, t: str) -> None:
    [start] = times(db, "INSERT INTO t VALUES (3, 30)")
    [end] = times(db, "UPDATE t SET a = a + 1")
    span = f"AS OF {start} UP TO {end + 1}"
    found = [row[1:] for row in rows(db, f"SUBSCRIBE t {span} WITHIN TIMESTAMP ORDER BY k DESC, mz_diff")]
    assert found == [
        *[(1, 3, 30), (1, 2, 20), (1, 1, 10)],
        *[(-1, 3, 30), (1, 3, 31), (-1, 2, 20), (1, 2, 21), (-1, 1, 10), (1, 1, 11)],
    ]
    found = [row[1:] for row in rows(db, f"SUBSCRIBE t WITHIN TIMESTAMP ORDER BY mz_diff DESC, a {span}")]
    assert found[3:] == [(1, 1, 11), (1, 2, 21), (1, 3, 31), (-1, 1, 10), (-1, 2, 20), (-1, 3, 30)]


def test_the_end(db: Db, t: str) -> None:
    """UP TO, in the simple and the extended protocol, in COPY and cursors; what is constant ends by itself."""
    [start] = times(db, "INSERT INTO t VALUES (3, 30)")
    [last] = times(db, "INSERT INTO t VALUES (4, 40)")
    end = last + 1
    db.execute("INSERT INTO t VALUES (5, 50)")  # after `last`, at `end` or later
    for query in ("t", "(SELECT k, sum(a) AS a FROM t GROUP BY k)"):
        statement = f"SUBSCRIBE {query} WITH (SNAPSHOT = false) AS OF {start} UP TO {end}"
        assert [row[1:] for row in rows(db, statement)] == [(1, 4, 40)]
        assert rows(db, statement, ())[0][1:] == (1, 4, 40)
        assert db.execute(statement, prepare=True).statusmessage == "SUBSCRIBE 1"
        with db.cursor().copy(f"COPY ({statement}) TO STDOUT (FORMAT binary)") as copy:
            copy.set_types(["int8", "int8", "int4", "int4" if query == "t" else "int8"])
            assert [row[1:] for row in copy.rows()] == [(1, 4, 40)]
        with db.transaction():
            db.execute(f"DECLARE c CURSOR FOR {statement}")
            assert [row[1:] for row in rows(db, "FETCH ALL c WITH (TIMEOUT = '10s')")] == [(1, 4, 40)]
            assert rows(db, "FETCH c") == []
    assert [row[1:] for row in rows(db, "SUBSCRIBE (SELECT 1 AS a UNION ALL SELECT 1)")] == [(2, 1)]
    assert [row[1:] for row in rows(db, "SUBSCRIBE (SELECT %s::int AS a)", (7,))] == [(1, 7)]
    assert rows(db, "SUBSCRIBE t AS OF mz_now() UP TO mz_now()") == []
    found = rows(db, f"SUBSCRIBE (SELECT k FROM t WHERE a > %s) AS OF {start} UP TO %s", (25, end))
    assert [row[2] for row in found] == [3, 4]


def test_in_a_stream(runtime: InProcess, db: Db, other: Db, t: str) -> None:
    """Rows come when they come, whether or not more follow; the client ends it."""
    for statement in ("SUBSCRIBE t", "SUBSCRIBE (SELECT k, max(a) AS a FROM t GROUP BY k)"):
        stream = other.cursor().stream(statement)
        assert sorted((next(stream)[1:], next(stream)[1:]))[0] == (1, 1, 10)
        other_rows = (
            Counter(row[1:] for row in [next(stream)]) if db.execute("INSERT INTO t VALUES (7, 70)") else 0
        )
        assert other_rows == Counter([(1, 7, 70)])
        other.cancel_safe()
        with pytest.raises(errors.QueryCanceled):
            next(stream)
        db.execute("DELETE FROM t WHERE k = 7")
    eventually(lambda: runtime.call(lambda: not runtime.coordinator.storage.reads.followed()))
    assert rows(other, "SELECT count(*) FROM t") == [(2,)]


def test_a_statement_timeout_is_for_statements_that_end(db: Db, other: Db, t: str) -> None:
    other.execute("SET statement_timeout = '100ms'")
    with other.cursor() as cursor, cursor.copy("COPY (SUBSCRIBE t WITH (SNAPSHOT false)) TO STDOUT") as copy:
        timer = threading.Timer(0.4, lambda: db.execute("INSERT INTO t VALUES (3, 30)"))
        timer.start()
        row = copy.read_row()
        timer.join()
        assert row is not None
        assert row[1:] == ("1", "3", "30")
        other.cancel_safe()
        with pytest.raises(errors.QueryCanceled):
            copy.read_row()


def test_asyncpg(runtime: InProcess, db: Db, schema: str, t: str) -> None:
    async def main() -> None:
        connection = await asyncpg.connect(
            host="127.0.0.1", port=runtime.port, user="ptvc", database="ptvc", ssl=False
        )
        await connection.execute(f"SET search_path = {schema}")
        async with connection.transaction():
            cursor = await connection.cursor("SUBSCRIBE t")
            first = await cursor.fetch(2)
            assert sorted(tuple(row)[1:] for row in first) == [(1, 1, 10), (1, 2, 20)]
            await asyncio.to_thread(db.execute, "INSERT INTO t VALUES (3, 30)")
            row = await cursor.fetchrow()
            assert row is not None
            assert tuple(row)[1:] == (1, 3, 30)
        found = await connection.fetch(
            "SUBSCRIBE (SELECT count(*) AS n FROM t) AS OF mz_now() UP TO mz_now() + 1"
        )
        assert [tuple(row)[1:] for row in found] == [(1, 3)]
        await connection.close()

    asyncio.run(main())


def test_fetch(db: Db, other: Db, t: str) -> None:
    other.execute("BEGIN")
    other.execute("DECLARE c CURSOR FOR SUBSCRIBE t")
    assert len(rows(other, "FETCH 1 c")) == 1
    assert len(rows(other, "FETCH ALL c")) == 1
    assert rows(other, "FETCH ALL FROM c WITH (TIMEOUT = '0s')") == []
    assert rows(other, "FETCH 5 c WITH (TIMEOUT '50ms')") == []
    db.execute("INSERT INTO t VALUES (3, 30), (4, 40), (5, 50)")
    assert len(rows(other, "FETCH 2 c WITH (TIMEOUT = '10s')")) == 2
    assert len(rows(other, "FETCH FORWARD ALL c")) == 1
    for statement in ("MOVE c", "FETCH PRIOR c", "FETCH ABSOLUTE 1 c"):
        other.execute("SAVEPOINT s")
        with pytest.raises(errors.FeatureNotSupported):
            other.execute(statement)
        other.execute("ROLLBACK TO s")
    canceler = threading.Timer(0.2, other.cancel_safe)
    canceler.start()
    with pytest.raises(errors.QueryCanceled):
        other.execute("FETCH c")
    canceler.join()
    other.execute("ROLLBACK")
    with db.transaction(), db.cursor("named") as cursor:
        cursor.execute("SUBSCRIBE t")
        assert len(cursor.fetchmany(5)) == 5
        assert [column.name for column in cursor.description or ()] == ["mz_timestamp", "mz_diff", "k", "a"]


def test_clients_that_go_leave_nothing(runtime: InProcess, schema: str, t: str) -> None:
    replica = runtime.coordinator.controller.clusters.of("quickstart")[0]

    def gone() -> bool:
        return not runtime.coordinator.storage.reads.followed() and not replica._tails

    for statement in ("SUBSCRIBE t", "SUBSCRIBE (SELECT count(*) FROM t)"):
        for way in ("stream", "cursor", "declared"):
            connection = runtime.connect(options=f"-c search_path={schema}")
            if way == "stream":
                stream = connection.cursor().stream(statement)
                next(stream)
            else:
                connection.execute("BEGIN")
                connection.execute(f"DECLARE c CURSOR FOR {statement}")
                if way == "cursor":
                    connection.execute("FETCH c")
            assert not runtime.call(gone)
            connection.close()
            eventually(lambda: runtime.call(gone))


def test_what_is_subscribed_to_is_dropped(db: Db, other: Db) -> None:
    for statement, drop in (
        ("SUBSCRIBE t", "DROP TABLE t"),
        ("SUBSCRIBE m", "DROP MATERIALIZED VIEW m"),
        ("SUBSCRIBE (SELECT count(*) AS n FROM t)", "DROP TABLE t CASCADE"),
        ("SUBSCRIBE t", "ALTER TABLE t DROP COLUMN b"),
    ):
        db.execute("CREATE TABLE t (a int, b int)")
        db.execute("INSERT INTO t VALUES (1, 2)")
        if "m" in statement.split():
            db.execute("CREATE MATERIALIZED VIEW m AS SELECT a FROM t")
        stream = other.cursor().stream(statement)
        next(stream)
        db.execute(drop)
        with pytest.raises((errors.UndefinedTable, errors.ObjectNotInPrerequisiteState)):
            next(stream)
        db.execute("DROP TABLE IF EXISTS t CASCADE")


def test_columns_that_are_added_are_not_told(db: Db, other: Db, t: str) -> None:
    stream = other.cursor().stream("SUBSCRIBE t WITH (SNAPSHOT = false)")
    counts = other.cursor()
    thread_rows: list[tuple[Any, ...]] = []
    reader = threading.Thread(target=lambda: thread_rows.extend(next(stream) for _ in range(2)))
    reader.start()
    eventually(lambda: rows(db, "SELECT 1") == [(1,)])
    db.execute("INSERT INTO t VALUES (3, 30)")
    eventually(lambda: len(thread_rows) >= 0)
    db.execute("ALTER TABLE t ADD COLUMN b int")
    db.execute("INSERT INTO t VALUES (4, 40, 50)")
    reader.join(60)
    assert counts is not None
    assert [row[1:] for row in thread_rows][-1] == (1, 4, 40)


@pytest.mark.parametrize(
    "query", ["m", "(SELECT k, 10 / a AS q FROM t)", "(SELECT k, sum(10 / a) FROM t GROUP BY k)"]
)
def test_an_error_ends_it_at_its_time(db: Db, other: Db, t: str, query: str) -> None:
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT k, 10 / a AS q FROM t")
    stream = other.cursor().stream(f"SUBSCRIBE {query}")
    assert len([next(stream), next(stream)]) == 2
    db.execute("INSERT INTO t VALUES (3, 5)")
    assert next(stream)[1:3] == (1, 3)
    db.execute("INSERT INTO t VALUES (4, 0)")
    with pytest.raises(errors.DivisionByZero):
        next(stream)
    with pytest.raises(errors.DivisionByZero):
        rows(other, f"SUBSCRIBE {query} AS OF mz_now() UP TO mz_now() + 1")
    db.execute("DELETE FROM t WHERE a = 0")
    assert len(rows(other, f"SUBSCRIBE {query} AS OF mz_now() UP TO mz_now() + 1")) == 3


def test_a_view_takes_another_definition(db: Db, other: Db, t: str) -> None:
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT k, a FROM t")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW r FOR m AS SELECT k, a + 1 AS a FROM t")
    followed = (
        "SUBSCRIBE m WITH (PROGRESS)",
        "SUBSCRIBE (SELECT k, count(*) AS n, sum(a) AS s FROM m GROUP BY k) WITH (PROGRESS)",
    )
    other.execute("BEGIN")
    for place, statement in enumerate(followed):
        other.execute(f"DECLARE c{place} CURSOR FOR {statement}")
    told: list[list[tuple[Any, ...]]] = [
        rows(other, f"FETCH 3 c{place} WITH (TIMEOUT = '5s')") for place in range(2)
    ]
    db.execute("INSERT INTO t VALUES (3, 30)")
    db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
    db.execute("INSERT INTO t VALUES (1, 11)")
    contents = (rows(db, "SELECT k, a FROM m"), rows(db, "SELECT k, count(*), sum(a) FROM m GROUP BY k"))
    [(time,)] = rows(db, "SELECT mz_now()::bigint FROM (SELECT count(*) FROM m) AS x")
    for place in range(2):
        while not told[place][-1][1] or told[place][-1][0] <= time:
            told[place] += rows(other, f"FETCH 20 c{place} WITH (TIMEOUT = '100ms')")
        found: Counter[Any] = Counter()
        for _, progressed, diff, *row in told[place]:
            if not progressed:
                found[tuple(row)] += diff
        assert +found == Counter(contents[place])
    other.execute("COMMIT")


def test_time_passes(db: Db, other: Db) -> None:
    """What is told of a temporal filter comes by itself."""
    db.execute("CREATE TABLE e (a int, until bigint)")
    [(now,)] = rows(db, "SELECT mz_now()::bigint")
    db.execute("INSERT INTO e VALUES (1, %s), (2, %s)", (now + 1500, now + 100_000_000))
    stream = other.cursor().stream("SUBSCRIBE (SELECT a FROM e WHERE mz_now() < until)")
    assert {next(stream)[1:], next(stream)[1:]} == {(1, 1), (1, 2)}
    assert next(stream) == (now + 1500, -1, 1)


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("SUBSCRIBE nothing", errors.UndefinedTable),
        ("SUBSCRIBE mz_catalog.mz_objects", errors.FeatureNotSupported),
        ("SUBSCRIBE (SELECT now() FROM t)", errors.FeatureNotSupported),
        ("SUBSCRIBE (SELECT mz_now() FROM t)", errors.FeatureNotSupported),
        ("SUBSCRIBE t WITH (LATENCY = 5)", errors.InvalidParameterValue),
        ("SUBSCRIBE t WITH (SNAPSHOT = 5)", errors.InvalidParameterValue),
        ("SUBSCRIBE t WITH (SNAPSHOT, SNAPSHOT)", errors.SyntaxError),
        ("SUBSCRIBE t ENVELOPE UPSERT", errors.SyntaxError),
        ("SUBSCRIBE t ENVELOPE UPSERT (KEY (z))", errors.UndefinedColumn),
        ("SUBSCRIBE t ENVELOPE UPSERT (KEY (a, a))", errors.InvalidParameterValue),
        ("SUBSCRIBE (SELECT 1 AS a, 2 AS a) ENVELOPE UPSERT (KEY (a))", errors.AmbiguousColumn),
        ("SUBSCRIBE t WITHIN TIMESTAMP ORDER BY z", errors.UndefinedColumn),
        ("SUBSCRIBE t WITHIN TIMESTAMP ORDER BY a + 1", errors.FeatureNotSupported),
        ("SUBSCRIBE t AS OF mz_now() UP TO 5", errors.InvalidParameterValue),
        ("SUBSCRIBE t UP TO", errors.SyntaxError),
        ("SUBSCRIBE (SELECT a FROM t AS OF 5)", errors.SyntaxError),
        ("SUBSCRIBE", errors.SyntaxError),
        ("SUBSCRIBE TO SELECT 1", errors.SyntaxError),
        ("DECLARE c CURSOR WITH HOLD FOR SUBSCRIBE t", errors.FeatureNotSupported),
        ("EXPLAIN SUBSCRIBE t", errors.FeatureNotSupported),
    ],
)
def test_refused(db: Db, statement: str, error: type[Exception]) -> None:
    db.execute("CREATE TABLE t (k int, a int)")
    with pytest.raises(error):
        db.execute(statement)


def test_blocks(db: Db, other: Db, t: str) -> None:
    db.execute("BEGIN")
    assert rows(db, "SELECT count(*) FROM t") == [(2,)]
    other.execute("INSERT INTO t VALUES (3, 30)")
    db.execute("DECLARE c CURSOR FOR SUBSCRIBE t")  # begins where the block reads
    found = rows(db, "FETCH 3 c WITH (TIMEOUT = '10s')")
    assert len({time for time, *_ in found}) == 2
    assert found[-1][1:] == (1, 3, 30)
    db.execute("INSERT INTO t VALUES (4, 40)")
    with pytest.raises(errors.ActiveSqlTransaction):
        db.execute("DECLARE d CURSOR FOR SUBSCRIBE t")
    db.execute("ROLLBACK")


def test_what_nobody_takes_is_not_compacted(runtime: InProcess, db: Db, other: Db) -> None:
    """A slow client of a stored collection: history waits for it in persist."""
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t VALUES (0)")
    other.execute("BEGIN")
    other.execute("DECLARE c CURSOR FOR SUBSCRIBE t")
    for value in range(1, 40):
        db.execute("UPDATE t SET a = %s", (value,))
        if value % 10 == 0:
            runtime.run(_round(runtime))
    found = rows(other, "FETCH 79 c WITH (TIMEOUT = '20s')")
    assert [row[1:] for row in found if row[1] > 0] == [(1, value) for value in range(40)]
    other.execute("COMMIT")


def test_what_nobody_takes_of_a_dataflow_ends_it(
    db: Db, other: Db, t: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataflow_subscription, "MOST_WAITING", 20_000)
    other.execute("BEGIN")
    other.execute("DECLARE c CURSOR FOR SUBSCRIBE (SELECT k, count(*) AS n FROM t GROUP BY k)")
    found = rows(other, "FETCH 2 c WITH (TIMEOUT = '10s')")
    for value in range(100):
        db.execute("INSERT INTO t VALUES (%s, 1)", (value + 10,))
    told: set[int] = {k for _, _, k, _ in found}

    def ended() -> bool:
        try:
            told.update(k for _, _, k, _ in rows(other, "FETCH 100 c WITH (TIMEOUT = '100ms')"))
        except errors.OutOfMemory as error:
            return "does not take the changes" in str(error)
        return False

    eventually(ended)
    assert told == {1, 2, *range(10, 10 + len(told) - 2)}  # without gaps up to there
    other.execute("ROLLBACK")


async def _round(runtime: InProcess) -> None:
    await asyncio.sleep(0.25)


@pytest.fixture(autouse=True)
def nothing_is_left(runtime: InProcess) -> Iterator[None]:
    yield
    eventually(lambda: runtime.call(lambda: not runtime.coordinator.storage.reads.followed()))
