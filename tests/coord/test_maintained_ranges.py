"""Views over ranges, maintained through inserts, updates and deletes, hold what PostgreSQL answers; errors come and go.

The settings spill, compact and take checkpoints of state as often as they can.
"""

from __future__ import annotations

from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import FAST, running

VIEWS = {
    "grouped": "SELECT r, count(*) AS n, min(id) AS least FROM t GROUP BY r",
    "distinct_days": "SELECT DISTINCT d FROM t",
    "joined": "SELECT a.id AS one, b.id AS other FROM t a JOIN t b ON a.r = b.r AND a.id < b.id",
    "outer_joined": "SELECT a.id, p.v FROM t a LEFT JOIN p ON a.d = p.d",
    "filtered": "SELECT id, r * '[2,6)' AS cut, lower(d) AS since FROM t WHERE r @> 3 OR d && '[2024-01-03,2024-01-05]'",
    "contained": "SELECT t.r, sum(p.v) AS total FROM t JOIN p ON t.r @> p.v GROUP BY t.r",
    "topped": "SELECT * FROM (SELECT id, r, row_number() OVER (ORDER BY r DESC NULLS LAST, id) AS n FROM t) x WHERE n <= 3",
    "common": "SELECT id % 3 AS k, range_intersect_agg(r) AS r, range_intersect_agg(d) AS d FROM t GROUP BY 1",
    "running": "SELECT id, range_intersect_agg(r) OVER (PARTITION BY id % 5 ORDER BY id) AS r FROM t",
    "several": "SELECT r, count(DISTINCT d) AS n, array_agg(id ORDER BY d, id) AS ids FROM t GROUP BY r",
}


def ranges(random: Random) -> tuple[str | None, str | None]:
    low = random.choice(["", str(random.randrange(4))])
    high = random.choice(["", str(4 + random.randrange(4))])
    days = f"[2024-01-0{1 + random.randrange(4)},2024-01-0{5 + random.randrange(2)}{random.choice('])')}"
    number = f"{random.choice('[(')}{low},{high}{random.choice('])')}"
    return random.choice([number, number, "empty", None]), random.choice([days, days, "empty", "(,)", None])


def changes(random: Random, count: int) -> list[tuple[str, tuple[Any, ...]]]:
    made: list[tuple[str, tuple[Any, ...]]] = []
    for number in range(count):
        r, d = ranges(random)
        kind = random.random()
        if kind < 0.5:
            made.append(("INSERT INTO t VALUES (%s, %s, %s)", (number, r, d)))
        elif kind < 0.65:
            made.append(("UPDATE t SET r = %s WHERE id %% 7 = %s", (r, random.randrange(7))))
        elif kind < 0.75:
            made.append(("UPDATE t SET d = d * %s WHERE r @> %s::int", (d, random.randrange(8))))
        elif kind < 0.85:
            made.append(("DELETE FROM t WHERE r && %s AND id %% 3 = 0", (r,)))
        else:
            made.append(("INSERT INTO p VALUES (%s, %s)", (d, random.randrange(8))))
    return made


def answers(connection: psycopg.Connection[Any], sql: str) -> list[str]:
    return sorted(str(row) for row in connection.execute(sql).fetchall())  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [1, 2])
def test_views_hold_what_queries_answer(oracle: psycopg.Connection[Any], seed: int) -> None:
    random = Random(seed)
    oracle.execute("DROP TABLE IF EXISTS t, p")
    with running(FAST) as runtime, runtime.connect() as connection:
        for side in (oracle, connection):
            side.execute("CREATE TABLE t (id int, r int4range, d daterange)")
            side.execute("CREATE TABLE p (d daterange, v int)")
        for name, sql in VIEWS.items():
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {sql}")  # type: ignore[arg-type]
        for number, (sql, values) in enumerate(changes(random, 60)):
            for side in (oracle, connection):
                side.execute(sql, values)  # type: ignore[arg-type]
            if number % 12 == 11:
                for name, sql in VIEWS.items():
                    assert answers(connection, f"SELECT * FROM {name}") == answers(oracle, sql), (
                        name,
                        number,
                    )
    oracle.execute("DROP TABLE t, p")


def test_an_error_is_gone_with_its_row() -> None:
    with running() as runtime, runtime.connect() as connection:
        connection.execute("CREATE TABLE t (id int, a int4range, b int4range)")
        connection.execute("CREATE MATERIALIZED VIEW v AS SELECT id, a + b AS whole FROM t")
        connection.execute("INSERT INTO t VALUES (1, '[1,3)', '[3,5)'), (2, '[1,2)', '[4,5)')")
        with pytest.raises(
            psycopg.errors.DataException, match="result of range union would not be contiguous"
        ):
            connection.execute("SELECT * FROM v")
        connection.execute("UPDATE t SET b = '[2,5)' WHERE id = 2")
        assert connection.execute("SELECT id, whole::text FROM v ORDER BY id").fetchall() == [
            (1, "[1,5)"),
            (2, "[1,5)"),
        ]
