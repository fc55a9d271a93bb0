"""Rows without ORDER BY come as people expect them, where nothing needs another order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from inprocess import InProcess, running
from ptvc.config import Settings


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as r:
        yield r


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("VALUES (3), (1), (2), (1)", [3, 1, 2, 1]),
        ("SELECT * FROM generate_series(1, 20)", [*range(1, 21)]),
        ("SELECT g * 2 FROM generate_series(20, 1, -1) g WHERE g % 2 = 0", [*range(40, 0, -4)]),
        ("SELECT unnest(ARRAY[5, 1, 5, 3])", [5, 1, 5, 3]),
        ("SELECT a FROM (VALUES (2), (1)) t(a), generate_series(1, 1)", [2, 1]),
        ("SELECT 7 UNION ALL SELECT 3 UNION ALL SELECT g FROM generate_series(5, 6) g", [7, 3, 5, 6]),
        ('SELECT x FROM jsonb_array_elements_text(\'["b", "a", "c", "a"]\') x', ["b", "a", "c", "a"]),
        ("SELECT regexp_split_to_table('b a c', ' ')", ["b", "a", "c"]),
    ],
)
def test_literals_and_table_functions(runtime: InProcess, query: str, wanted: list[object]) -> None:
    assert [value for (value,) in runtime.query(query)] == wanted


def test_a_table_by_insertion(runtime: InProcess) -> None:
    with runtime.connect() as db:

        def there() -> list[int]:
            return [value for (value,) in db.execute("SELECT a FROM t").fetchall()]

        db.execute("CREATE TABLE t (a int, b text)")
        db.execute("INSERT INTO t VALUES (5, 'x'), (1, 'x'), (4, 'x'), (1, 'y')")
        db.execute("INSERT INTO t VALUES (3, 'x')")
        db.execute("INSERT INTO t SELECT g, 'x' FROM generate_series(10, 13) g")
        assert there() == [5, 1, 4, 1, 3, 10, 11, 12, 13]
        db.execute("DELETE FROM t WHERE a IN (4, 11)")
        assert there() == [5, 1, 1, 3, 10, 12, 13]
        db.execute("UPDATE t SET a = 6 WHERE a = 5")
        assert there() == [1, 1, 3, 10, 12, 13, 6]
        with db.cursor().copy("COPY t FROM STDIN") as copy:
            for number in (30, 20, 40):
                copy.write_row((number, "z"))
        assert there() == [1, 1, 3, 10, 12, 13, 6, 30, 20, 40]
        assert db.execute("SELECT a FROM t WHERE b = 'x' LIMIT 2").fetchall() == [(1,), (3,)]


def test_a_large_table_by_insertion() -> None:
    """Also when its parts have been merged."""
    with (
        running(Settings(tick_ms=50, compaction_interval_ms=100, retain_history_ms=50)) as r,
        r.connect() as db,
    ):
        db.execute("CREATE TABLE t (a int, b text)")
        wanted: list[int] = []
        for start in range(12):
            numbers = [start * 1_000 + (i * 7) % 1_000 for i in range(1_000)]
            wanted += numbers
            with db.cursor().copy("COPY t FROM STDIN") as copy:
                for number in numbers:
                    copy.write_row((number, f"{number}" * 10))
        assert [a for (a,) in db.execute("SELECT a FROM t").fetchall()] == wanted


def test_catalogs(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE wide (z int, y int, x text, a int, m numeric)")
        for query in (
            "SELECT attname FROM pg_attribute WHERE attrelid = 'wide'::regclass AND attnum > 0",
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'wide'",
        ):
            assert [name for (name,) in db.execute(query).fetchall()] == ["z", "y", "x", "a", "m"], query
