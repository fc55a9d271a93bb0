"""A subscription that goes on AS OF a progress row, without a snapshot, tells what the first one had not told before that row."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import rows
from kept_history import define, write

Db = psycopg.Connection[tuple[Any, ...]]
Told = list[tuple[Any, ...]]

FOLLOWED = (
    "t",
    "(SELECT a + 1 AS b FROM t WHERE k % 2 = 0)",
    "m",
    "(SELECT k, sum(a) AS s FROM t GROUP BY k)",
)


def changes(*told: Told) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for time, progressed, diff, *row in (row for part in told for row in part):
        if not progressed:
            found[(time, *row)] += diff
    return found


def rest(db: Db, relation: str, time: int, end: int) -> Told:
    return rows(db, f"SUBSCRIBE {relation} WITH (PROGRESS, SNAPSHOT = false) AS OF {time} UP TO {end}")


@pytest.mark.parametrize("seed", range(4))
def test_from_every_progress_row(db: Db, other: Db, seed: int) -> None:
    random = Random(seed)
    define(db)
    for _ in range(3):
        write(db, random)
    relation = FOLLOWED[seed]
    other.execute("BEGIN")
    other.execute(f"DECLARE c CURSOR FOR SUBSCRIBE {relation} WITH (PROGRESS)")
    told: Told = []
    for _ in range(25):
        write(db, random)
        if random.random() < 0.6:
            told += rows(
                other, f"FETCH {random.choice((1, 2, 50))} c WITH (TIMEOUT = '{random.choice((0, 60))}ms')"
            )
    [(end,)] = rows(db, "SELECT mz_now()::bigint FROM (SELECT count(*) FROM t) AS x")
    while not told or not told[-1][1] or told[-1][0] < end:
        told += rows(other, "FETCH 50 c WITH (TIMEOUT = '100ms')")
    other.execute("COMMIT")
    whole = changes([row for row in told if row[0] <= end])
    places = [place for place, row in enumerate(told) if row[1] and row[0] <= end]
    assert len(places) > 5
    for place in places:
        time = told[place][0]
        resumed = rest(db, relation, time, end + 1)
        assert resumed[0][:2] == (time, True)
        assert changes(told[:place], resumed) == whole
        # Once more, from a progress row of what was resumed.
        again = random.choice([n for n, row in enumerate(resumed) if row[1]])
        resumed_again = rest(db, relation, resumed[again][0], end + 1)
        assert changes(told[:place], resumed[:again], resumed_again) == whole


def test_what_comes_before_the_first_progress_row_is_not_yet_a_beginning(db: Db) -> None:
    """All of a snapshot stands before it: who has read less starts anew."""
    db.execute("CREATE TABLE t (k int)")
    db.execute("INSERT INTO t SELECT * FROM generate_series(1, 1000)")
    db.execute("BEGIN")
    db.execute("DECLARE c CURSOR FOR SUBSCRIBE t WITH (PROGRESS)")
    told: Told = []
    while not told or not told[-1][1]:
        told += rows(db, "FETCH 100 c")
    places = [place for place, row in enumerate(told) if row[1]]
    assert sum(not row[1] for row in told[: places[0]]) == 1000
    db.execute("COMMIT")
