"""ORDER BY and LIMIT over many rows: the query process sends what is shown, and it is the right part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, running
from ptvc.coord.query import peeks
from ptvc.repr.batch import from_ipc

ROWS = 5_000


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running(FAST) as runtime, runtime.connect() as connection:
        connection.execute("CREATE TABLE t (a int, b text, c float8)")
        connection.execute(
            "INSERT INTO t SELECT g, CASE WHEN g % 7 > 0 THEN 'b' || g % 5 END, g / 10.0"
            f" FROM generate_series(1, {ROWS}) AS g"
        )
        yield runtime


@pytest.fixture
def db(runtime: InProcess) -> Iterator[psycopg.Connection[Any]]:
    with runtime.connect() as connection:
        yield connection


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each message of an answer had."""
    counts: list[int] = []

    def counted(payload: bytes) -> Any:
        batch = from_ipc(payload)
        counts.append(len(batch))
        return batch

    monkeypatch.setattr(peeks, "from_ipc", counted)
    return counts


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("SELECT a FROM t ORDER BY a LIMIT 3", [1, 2, 3]),
        ("SELECT a FROM t ORDER BY a DESC LIMIT 2 OFFSET 3", [ROWS - 3, ROWS - 4]),
        ("SELECT a FROM t ORDER BY b NULLS FIRST, a LIMIT 2", [7, 14]),
        ("SELECT a FROM t ORDER BY b DESC NULLS LAST, c DESC LIMIT 2", [4_999, 4_994]),
        ("SELECT a FROM t ORDER BY lower(b) DESC NULLS LAST, a LIMIT 2", [4, 9]),
        ("SELECT a FROM t WHERE a > 4000 ORDER BY -a OFFSET 2 LIMIT 2", [4_998, 4_997]),
        ("SELECT max(a) FROM t GROUP BY b ORDER BY 1 DESC LIMIT 2", [5_000, 4_999]),
    ],
)
def test_the_first_in_order(
    db: psycopg.Connection[Any], sent: list[int], sql: str, wanted: list[int]
) -> None:
    assert [row[0] for row in db.execute(sql.encode()).fetchall()] == wanted
    assert sum(sent) <= 5


@pytest.mark.parametrize(
    "relation", ["t", "(SELECT a FROM t WHERE c > 0) AS x", "(SELECT a + 0 AS a FROM t) AS x"]
)
@pytest.mark.parametrize(("limit", "offset"), [(10, 0), (0, 0), (10, ROWS - 4), (3, ROWS + 1)])
def test_any_rows(
    db: psycopg.Connection[Any], sent: list[int], relation: str, limit: int, offset: int
) -> None:
    sql = f"SELECT a FROM {relation} LIMIT {limit} OFFSET {offset}"
    found = [row[0] for row in db.execute(sql.encode()).fetchall()]
    assert len(found) == len(set(found)) == max(min(limit, ROWS - offset), 0)
    assert all(1 <= a <= ROWS for a in found)
    assert sum(sent) <= min(limit + offset, ROWS)
