"""Queries that leave parts of a table unread say the same as ones that read them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, running

PARTS = 5
ROWS = 4_000
"""In each part: too many to be kept inline."""

Row = tuple[int, int | None, str, date, datetime, Decimal, float]
FIRST_DAY = date(2024, 1, 1)


def row(number: int) -> Row:
    small = number // 1_000
    return (
        number,
        None if small % 7 == 3 else small,
        f"{small:04d}",
        FIRST_DAY + timedelta(days=small),
        datetime(2024, 1, 1) + timedelta(minutes=number),
        Decimal(small) / 4,
        small / 2,
    )


FILLER = "x" * 400
"""So that what is copied at once is no passing part, which is soon merged with the others."""
ALL = [row(number) for number in range(PARTS * ROWS)]


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as r:
        with r.connect() as db:
            db.execute(
                "CREATE TABLE t (id int, small bigint, word text, day date, at timestamp, amount numeric(10, 2), f real, filler text)"
            )
            for start in range(0, len(ALL), ROWS):
                with db.cursor().copy("COPY t FROM STDIN") as copy:
                    for values in ALL[start : start + ROWS]:
                        copy.write_row((*values, FILLER))
        yield r


def selected(runtime: InProcess, query: str) -> tuple[int, int]:
    """(parts, parts that are read)"""
    ((_, _, _, parts, read),) = runtime.query(f"EXPLAIN FILTER PUSHDOWN FOR {query}")
    return int(parts), int(read)


LAST = PARTS * ROWS - 1
DAY = FIRST_DAY + timedelta(days=19)
MOMENT = datetime(2024, 1, 1) + timedelta(minutes=100)


@pytest.mark.parametrize(
    ("condition", "read", "holds"),
    [
        ("id = 7", 1, lambda r: r[0] == 7),
        ("7 = id", 1, lambda r: r[0] == 7),
        (f"id > {LAST}", 0, lambda r: False),
        (f"{LAST} <= id", 1, lambda r: r[0] == LAST),
        ("id IN (1, 2, NULL)", 1, lambda r: r[0] in (1, 2)),
        ("id = ANY ('{1,19999}')", 5, lambda r: r[0] in (1, 19999)),
        ("id BETWEEN 5000 AND 6000 AND word <> '0005'", 1, lambda r: 6000 <= r[0] <= 6000),
        ("id = 5000000000", 0, lambda r: False),
        ("small IS NULL AND id < 4000", 1, lambda r: r[1] is None and r[0] < 4000),
        ("word = '0019'", 1, lambda r: r[2] == "0019"),
        ("word >= '9'", 0, lambda r: False),
        (f"day = '{DAY}'", 1, lambda r: r[3] == DAY),
        (f"at < '{MOMENT}'", 1, lambda r: r[4] < MOMENT),
        ("amount > 4.625", 1, lambda r: r[5] > Decimal("4.625")),
        ("amount = 1", 2, lambda r: r[5] == 1),
        ("f = 0.5", 1, lambda r: r[6] == 0.5),
        ("id < 10 OR id > 19990", 5, lambda r: r[0] < 10 or r[0] > 19990),
        ("id + 0 < 10", 5, lambda r: r[0] < 10),
    ],
)  # fmt: skip
def test_rows_are_those_of_the_condition(
    runtime: InProcess, condition: str, read: int, holds: Callable[[Row], bool]
) -> None:
    query = f"SELECT id FROM t WHERE {condition}"
    assert sorted(id_ for (id_,) in runtime.query(query)) == [r[0] for r in ALL if holds(r)]
    parts, found = selected(runtime, query)
    assert parts == PARTS
    assert found <= max(read, 0) if read < PARTS else found == PARTS


def test_an_input_in_two_places_is_read_for_both(runtime: InProcess) -> None:
    query = "SELECT a.id, b.id FROM t a JOIN t b ON a.id + 16000 = b.id WHERE a.id < 3 AND b.id > 15000"
    assert sorted(runtime.query(query)) == [(n, n + 16_000) for n in range(3)]
    assert selected(runtime, query) == (PARTS, 3)
    whole = "SELECT count(*) FROM t a LEFT JOIN t b ON a.id + 16000 = b.id AND b.id > 15000"
    assert runtime.query(whole) == [(len(ALL),)]
    assert selected(runtime, whole) == (PARTS, PARTS)


def test_an_error_is_found_wherever_it_is(runtime: InProcess) -> None:
    assert runtime.query("SELECT count(*) FROM t WHERE id < 10 AND 100 / (id + 1) > 50") == [(1,)]
    assert selected(runtime, "SELECT id FROM t WHERE id < 10 AND 1 / (id - 19999) = 0") == (PARTS, PARTS)
    with pytest.raises(psycopg.errors.DivisionByZero):
        runtime.query("SELECT id FROM t WHERE 1 / (id - 19999) = 0 AND id > 10")


def test_what_a_block_has_written_counts(runtime: InProcess) -> None:
    with runtime.connect() as db, db.transaction(force_rollback=True):
        db.execute("INSERT INTO t (id) SELECT generate_series(30000, 39999)")
        db.execute("DELETE FROM t WHERE id IN (3, 30001)")
        assert db.execute("SELECT count(*) FROM t WHERE id > 29999").fetchall() == [(9_999,)]
        assert db.execute("SELECT id FROM t WHERE id BETWEEN 2 AND 4 ORDER BY id").fetchall() == [(2,), (4,)]


def test_random_conditions(runtime: InProcess) -> None:
    random = Random(5)
    columns: list[tuple[str, int, Callable[[int], Any]]] = [
        ("id", 0, lambda n: n),
        ("small", 1, lambda n: n // 1_000),
        ("word", 2, lambda n: f"{n // 1_000:04d}"),
        ("day", 3, lambda n: FIRST_DAY + timedelta(days=n // 1_000)),
        ("amount", 5, lambda n: Decimal(n // 500) / 8),
    ]
    tests: dict[str, Callable[[Any, Any], bool]] = {
        "=": lambda a, b: a == b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
    with runtime.connect() as db:
        for _ in range(60):
            chosen = [
                (*random.choice(columns), random.choice(list(tests)), random.randrange(-2_000, LAST + 2_000))
                for _ in range(random.randint(1, 2))
            ]
            text = " AND ".join(f"{name} {test} '{make(n)}'" for name, _, make, test, n in chosen)
            expected = sum(
                all(r[at] is not None and tests[test](r[at], make(n)) for _, at, make, test, n in chosen)
                for r in ALL
            )
            assert db.execute(f"SELECT count(*) FROM t WHERE {text}").fetchall() == [(expected,)], text
