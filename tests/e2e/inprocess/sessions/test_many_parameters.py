"""`IN ($1, ..., $n)` as object-relational mappers write it: the answer of the same list of literals, and about its time."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from time import process_time
from typing import Any
from uuid import UUID

import psycopg
import pytest

MANY = 40
Session = psycopg.Connection[tuple[Any, ...]]
MIDNIGHT = date(2026, 1, 1)


def among(column: str, count: int, word: str = "IN") -> str:
    return f"SELECT count(*) FROM t WHERE {column} {word} ({', '.join(['%s'] * count)})"


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("n", list(range(MANY)), 20),
        ("n", [number * 2_000_000_000 for number in range(MANY)], 0),
        ("n", [Decimal(number) for number in range(MANY)], 20),
        ("n", [float(number) for number in range(MANY)], 20),
        ("b", list(range(MANY)), 20),
        ("t", [f"text {number}" for number in range(MANY)], 20),
        ("d", [MIDNIGHT + timedelta(number) for number in range(MANY)], 20),
        ("u", [UUID(int=number) for number in range(MANY)], 20),
        ("x", [float(number) for number in range(MANY)], 20),
        ("p", [Decimal(number) for number in range(MANY)], 20),
    ],
)
@pytest.mark.parametrize("extra", [(), (None,)])
@pytest.mark.parametrize("prepare", [False, True])
def test_types(
    db: Session, column: str, values: list[Any], expected: int, extra: tuple[None, ...], prepare: bool
) -> None:
    db.execute(
        "CREATE TABLE t AS SELECT g AS n, g::bigint AS b, 'text ' || g AS t, DATE '2026-01-01' + g AS d,"
        " lpad(to_hex(g), 32, '0')::uuid AS u, g::float8 AS x, g::numeric AS p FROM generate_series(20, 59) AS g"
    )
    given = [*values, *extra]
    for _ in range(2 if prepare else 1):  # the second time the plan is there
        found = db.execute(among(column, len(given)), given, prepare=prepare).fetchone()
        left = db.execute(among(column, len(given), "NOT IN"), given, prepare=prepare).fetchone()
        assert found == (expected,)
        assert left == (0 if extra else 40 - expected,)


def test_they_cost_what_literals_cost(db: Session) -> None:
    db.execute("CREATE TABLE t AS SELECT g AS n FROM generate_series(1, 100) AS g")
    given = list(range(20_000))
    begin = process_time()
    assert db.execute(among("n", len(given)), given).fetchone() == (100,)
    assert process_time() - begin < 6  # of the whole runtime, which is in this process; it was 16
