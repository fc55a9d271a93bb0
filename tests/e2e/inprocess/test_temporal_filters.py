"""Views with `mz_now()` in a whole runtime: rows come and go as time passes, though nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, running
from ptvc.clock import ManualClock

START = 1_700_000_000_000
SECOND = 1_000
HOUR = 3_600_000


@pytest.fixture(scope="module")
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture(scope="module")
def runtime(clock: ManualClock) -> Iterator[InProcess]:
    with running(clock=clock) as runtime:
        yield runtime


@pytest.fixture
def connection(runtime: InProcess) -> Iterator[psycopg.Connection[Any]]:
    with runtime.connect() as connection:
        connection.execute("CREATE SCHEMA now")
        connection.execute("SET search_path = now")
        yield connection
        connection.execute("DROP SCHEMA now CASCADE")


def ids(connection: psycopg.Connection[Any], query: str) -> list[Any]:
    return sorted(row[0] for row in connection.execute(query))  # type: ignore[arg-type]


def now(connection: psycopg.Connection[Any]) -> int:
    (found,) = connection.execute("SELECT mz_now()::bigint").fetchone() or (None,)
    assert isinstance(found, int)
    return found


def test_rows_expire_and_appear_by_the_clock_alone(
    connection: psycopg.Connection[Any], clock: ManualClock, runtime: InProcess
) -> None:
    connection.execute("CREATE TABLE t (id int, begins bigint, ends bigint)")
    base = clock.now_ms()
    connection.execute(
        f"INSERT INTO t VALUES (1, {base}, {base + HOUR}), (2, {base + HOUR}, NULL), "
        f"(3, {base + HOUR}, {base + 3 * HOUR}), (4, {base - HOUR}, {base - 1})"
    )
    where = "mz_now() >= begins AND mz_now() < ends"
    connection.execute(f"CREATE MATERIALIZED VIEW live AS SELECT id FROM t WHERE {where}")
    connection.execute(f"CREATE VIEW also AS SELECT id FROM t WHERE {where}")
    connection.execute("CREATE VIEW twice AS SELECT id FROM also")
    connection.execute("CREATE DEFAULT INDEX ON twice")
    connection.execute("CREATE MATERIALIZED VIEW n AS SELECT count(*) FROM live")
    everything = ("live", "also", "twice", f"(SELECT id FROM t WHERE {where}) q")

    def all_show(wanted: list[int]) -> bool:
        counted = connection.execute("SELECT * FROM n").fetchall() == [(len(wanted),)]
        return counted and all(ids(connection, f"SELECT id FROM {name}") == wanted for name in everything)

    eventually(lambda: all_show([1]))
    clock.advance(HOUR + SECOND)
    eventually(lambda: all_show([3]))
    connection.execute(f"INSERT INTO t VALUES (5, 0, {base + 2 * HOUR})")
    assert all_show([3, 5])
    clock.advance(HOUR)
    eventually(lambda: all_show([3]))
    connection.execute("DELETE FROM t WHERE id = 3")
    assert all_show([])
    runtime.kill_replica()
    connection.execute(f"UPDATE t SET begins = {base + 4 * HOUR}, ends = {base + 5 * HOUR} WHERE id = 1")
    clock.advance(2 * HOUR)
    eventually(lambda: all_show([1]))
    clock.advance(HOUR)
    eventually(lambda: all_show([]))


def test_bounds_of_every_type(connection: psycopg.Connection[Any], clock: ManualClock) -> None:
    connection.execute("CREATE TABLE b (id int, i int, n numeric(20, 3), t timestamp, z timestamptz, d date)")
    soon = "TIMESTAMP '2030-01-01 00:00:00'"
    connection.execute(
        f"INSERT INTO b VALUES (1, 5, 5.5, {soon}, {soon} , '2030-01-01'), "
        "(2, 6, 99999999999999.5, '1999-01-01', '1999-01-01', '1999-01-01'), (3, NULL, NULL, NULL, NULL, NULL)"
    )
    for column, later in (("i", []), ("n", [2]), ("t", [1]), ("z", [1]), ("d", [1])):
        for operator, mirrored, wanted in (
            ("<", ">", later),
            (">=", "<=", [x for x in (1, 2) if x not in later]),
        ):
            connection.execute(
                f"CREATE MATERIALIZED VIEW v AS SELECT id FROM b WHERE {column} {mirrored} mz_now()"  # type: ignore[arg-type]
            )
            once = f"SELECT id FROM b WHERE mz_now() {operator} {column}"
            assert ids(connection, once) == wanted, (column, operator)
            assert ids(connection, "SELECT id FROM v") == wanted, (column, operator)
            connection.execute("DROP MATERIALIZED VIEW v")


def test_the_time_of_a_query(connection: psycopg.Connection[Any], clock: ManualClock) -> None:
    first, second = now(connection), now(connection)
    assert clock.now_ms() - SECOND <= first <= second <= clock.now_ms() + HOUR
    shown = connection.execute(
        "SELECT mz_now()::bigint, mz_now()::timestamptz, extract(epoch FROM mz_now()::timestamp)"
    )
    (at, instant, seconds) = shown.fetchone() or (0, None, None)
    assert int(instant.timestamp() * 1000) == at == int(seconds * 1000)
    with connection.transaction():
        assert now(connection) == now(connection), "a block reads at one time"
    connection.execute("CREATE TABLE written (at bigint)")
    connection.execute("INSERT INTO written SELECT mz_now()")
    connection.execute("INSERT INTO written VALUES (mz_now() - 1)")
    connection.execute("DELETE FROM written WHERE mz_now() < at")
    assert len(ids(connection, "SELECT at FROM written")) == 2
    with pytest.raises(psycopg.Error) as caught:
        connection.execute("INSERT INTO written VALUES (1) RETURNING mz_now()")
    assert caught.value.sqlstate == "0A000"


REFUSED = [
    "SELECT mz_now() FROM t",
    "SELECT id FROM t WHERE mz_now() - 5 > begins",
    "SELECT id FROM t WHERE mz_now() < ends OR id = 1",
    "SELECT id FROM t WHERE NOT mz_now() < ends",
    "SELECT id FROM t WHERE mz_now() <> ends",
    "SELECT id FROM t WHERE mz_now() IN (1, 2)",
    "SELECT id, count(*) FROM t GROUP BY id, mz_now()",
    "SELECT a.id FROM t a LEFT JOIN t b ON a.id = b.id AND mz_now() < a.ends + b.ends",
    "SELECT CASE WHEN mz_now() < ends THEN 1 END FROM t",
    "SELECT sum(ends) FILTER (WHERE mz_now() < ends) FROM t",
]


@pytest.mark.parametrize("query", REFUSED)
def test_other_uses_in_what_is_maintained_are_refused(
    connection: psycopg.Connection[Any], query: str
) -> None:
    connection.execute("CREATE TABLE t (id int, begins bigint, ends bigint)")
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(f"CREATE MATERIALIZED VIEW v AS {query}")  # type: ignore[arg-type]
    assert caught.value.sqlstate == "0A000"
    assert "Compare mz_now() with an expression" in (caught.value.diag.message_hint or "")
    connection.execute(f"CREATE VIEW v AS {query}")  # type: ignore[arg-type]
    connection.execute("SELECT * FROM v")
    with pytest.raises(psycopg.Error) as caught:
        connection.execute("CREATE DEFAULT INDEX ON v")
    assert caught.value.sqlstate == "0A000"


def test_now_is_refused_with_a_hint(connection: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.Error) as caught:
        connection.execute("CREATE MATERIALIZED VIEW v AS SELECT 1 WHERE now() > '2020-01-01'")
    assert caught.value.sqlstate == "0A000"
    assert "mz_now()" in (caught.value.diag.message_hint or "")


def test_a_filter_in_having_joins_and_subqueries(
    connection: psycopg.Connection[Any], clock: ManualClock
) -> None:
    base = now(connection)
    connection.execute("CREATE TABLE t (id int, ends bigint)")
    connection.execute("CREATE TABLE u (id int, more bigint)")
    connection.execute(f"INSERT INTO t VALUES (1, {base + HOUR}), (1, {base + 2 * HOUR}), (2, {base + HOUR})")
    connection.execute(f"INSERT INTO u VALUES (1, {HOUR}), (2, 0)")
    queries = [
        "SELECT id FROM t GROUP BY id HAVING mz_now() < max(ends)",
        "SELECT t.id FROM t JOIN u ON t.id = u.id AND mz_now() < t.ends + u.more",
        "SELECT u.id FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.id = u.id AND mz_now() < t.ends)",
        "SELECT u.id FROM u WHERE id NOT IN (SELECT id FROM t WHERE mz_now() < t.ends)",
        f"SELECT id FROM t WHERE mz_now() BETWEEN ends AND ends + {HOUR // 2}",
        "SELECT DISTINCT id FROM (SELECT id, ends FROM t UNION ALL SELECT id, more FROM u) q WHERE mz_now() <= ends",
        "SELECT id FROM t WHERE mz_now() < ends ORDER BY ends DESC, id LIMIT 1",
        "SELECT count(*) AS id FROM t WHERE mz_now() < ends",
    ]
    for i, query in enumerate(queries):
        connection.execute(f"CREATE MATERIALIZED VIEW v{i} AS {query}")  # type: ignore[arg-type]
    seen = set()
    for _ in range(7):
        with connection.transaction():
            found = [ids(connection, query) for query in queries]
            kept = [ids(connection, f"SELECT id FROM v{i}") for i in range(len(queries))]
        assert kept == found
        seen.add(repr(kept))
        clock.advance(HOUR // 2)
        before = now(connection)
        eventually(
            lambda before=before: (
                now(connection) > before + SECOND or now(connection) >= clock.now_ms() - SECOND
            )
        )
    assert len(seen) > 3
