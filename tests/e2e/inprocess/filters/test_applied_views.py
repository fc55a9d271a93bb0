"""ALTER TABLE ... APPLY under random views, while the source is written and read, and whatever is killed: no view's contents differ at any
time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]
Contents = Counter[tuple[Any, ...]] | str

_COLUMNS = ("id", "buyer", "auction_id", "amount", "bid_time")
_PLAIN = (
    "amount > 30",
    "amount IN (10, 20, 30, 40, 50, 60)",
    "NOT (auction_id % 3 = 0)",
    "(amount < 60 OR auction_id > 5)",
    "auction_id IS DISTINCT FROM 4",
    "amount BETWEEN 20 AND 90",
)
_WHILES = (
    "mz_now() <= bid_time + INTERVAL '1 second'",
    "bid_time + INTERVAL '2 seconds' > mz_now()",
    "mz_now() < bid_time + INTERVAL '1 second'",
)
_FAILING = "100 / (amount - 77) > 1"


def run(db: Db, sql: str) -> None:
    db.execute(sql.encode())


def random_view(random: Random, shared: list[str]) -> str:
    """A query over `{}` that has the `shared` conditions, and some of its own."""
    own = random.sample([*_PLAIN, *_WHILES, _FAILING], random.randrange(3))
    where = " AND ".join(dict.fromkeys([*shared, *own])) or "true"
    read = random.sample(_COLUMNS[:4], random.randrange(1, 4))
    columns = ", ".join(read)
    match random.randrange(5):
        case 0:
            return f"SELECT {columns} FROM {{0}} WHERE {where}"
        case 1:
            return f"SELECT {columns}, count(*) AS c FROM {{0}} WHERE {where} GROUP BY {columns}"
        case 2:
            return (
                f"SELECT DISTINCT l.auction_id FROM (SELECT auction_id, id FROM {{0}} WHERE {where}) l "
                f"JOIN (SELECT auction_id, amount FROM {{0}} WHERE {where}) r ON l.auction_id = r.amount % 11"
            )
        case 3:
            return (
                f"SELECT {read[0]} FROM {{0}} WHERE {where} ORDER BY {columns} LIMIT {random.randrange(1, 9)}"
            )
        case _:
            return f"SELECT auction_id % 4 AS a, sum(amount) AS s, max(id) AS top FROM {{0}} WHERE {where} GROUP BY 1"


def contents(db: Db, sql: str) -> Contents:
    """The rows, or the SQLSTATE that the query fails with."""
    try:
        return Counter(rows(db, sql))
    except errors.DivisionByZero as error:
        return error.sqlstate or ""


def read_time(db: Db) -> int:
    with db.transaction():
        db.execute("SELECT * FROM untouched")  # the block's time
        time: int = rows(db, "SELECT mz_now()::text::bigint")[0][0]
    return time


def pairs(db: Db, count: int) -> Iterator[tuple[Contents, Contents]]:
    """What each view shows over the table that is altered and the one that is not, as of one time."""
    time = read_time(db)
    for number in range(count):
        kept, every = (
            contents(db, f"SELECT * FROM {name}_{number} AS OF {time}") for name in ("kept", "every")
        )
        yield kept, every


class Follower(Thread):
    """Folds a subscription to a view, by the times at which it is known."""

    def __init__(self, runtime: InProcess, view: str) -> None:
        super().__init__(daemon=True)
        self._runtime, self._view = runtime, view
        self._told: list[tuple[int, int, tuple[Any, ...]]] = []
        self._wanted: int | None = None
        self.found: Contents | None = None
        self.error: psycopg.Error | None = None
        self.ended = Event()

    def run(self) -> None:
        with self._runtime.connect() as db:
            try:
                for row in db.cursor().stream(f"SUBSCRIBE {self._view} WITH (PROGRESS)".encode()):
                    if self._take(row):
                        break
            except errors.DivisionByZero as error:
                self.found = error.sqlstate
            except psycopg.Error as error:
                self.error = error
            finally:
                self.ended.set()

    def _take(self, row: tuple[Any, ...]) -> bool:
        """Whether that was all that is wanted."""
        time, progressed, diff, *values = row
        if self._wanted is not None and int(time) > self._wanted:
            found: Counter[tuple[Any, ...]] = Counter()
            for told, change, values in self._told:
                if told <= self._wanted:
                    found[tuple(values)] += change
            self.found = +found
            return True
        if not progressed:
            self._told.append((int(time), int(diff), tuple(values)))
        return False

    def at(self, time: int) -> Contents | None:
        """What has been told of up to that time, which is not past yet."""
        self._wanted = time
        assert self.ended.wait(60)
        assert self.error is None, self.error
        return self.found


def alter(runtime: InProcess) -> None:
    with runtime.connect() as db:
        run(db, "ALTER TABLE kept APPLY")


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(12))
def test_no_view_shows_a_difference(fresh: InProcess, seed: int) -> None:
    """Two tables of one source have the same at each time, and one of them is altered."""
    random = Random(seed)
    shared = random.sample(_PLAIN, random.randrange(3)) + random.sample(_WHILES, random.randrange(2))
    views = [random_view(random, shared) for _ in range(random.randrange(1, 4))]
    with fresh.connect() as db:
        run(db, "CREATE TABLE untouched (a int)")
        run(db, "CREATE SOURCE market FROM LOAD GENERATOR AUCTION (TICK INTERVAL '5ms')")
        for name in ("every", "kept"):
            run(db, f"CREATE TABLE {name} FROM SOURCE market (REFERENCE bids)")
            for number, view in enumerate(views):
                run(
                    db,
                    f"CREATE MATERIALIZED VIEW {name}_{number} WITH (RETAIN HISTORY FOR '1h') AS {view.format(name)}",
                )
        ready = "SELECT count(*) FROM mz_internal.mz_source_statistics JOIN mz_tables USING (id) WHERE snapshot_committed"
        eventually(lambda: rows(db, ready) == [(2,)])
        follower = Follower(fresh, "kept_0")
        follower.start()
        for step in range(8):
            thread = None
            if step in (2, 5):
                thread = Thread(target=alter, args=(fresh,))
                thread.start()
            if step == 4 and random.random() < 0.5:
                fresh.kill_replica()
            while True:
                for kept, every in pairs(db, len(views)):
                    assert kept == every, views
                if thread is None or not thread.is_alive():
                    break
        ahead = read_time(db) + 300
        found = follower.at(ahead)
        (definition,) = rows(db, "SHOW CREATE TABLE kept")
        run(db, f"CREATE MATERIALIZED VIEW again AS {views[0].format('kept')}")
        for kept, every in pairs(db, len(views)):
            assert kept == every, views
        assert found == contents(db, f"SELECT * FROM kept_0 AS OF {ahead}"), views
    fresh.abandon()
    fresh.start()
    with fresh.connect() as db:
        assert rows(db, "SHOW CREATE TABLE kept") == [definition]
        for _ in range(3):
            for kept, every in pairs(db, len(views)):
                assert kept == every, (views, definition)
