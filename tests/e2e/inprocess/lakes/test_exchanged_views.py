"""Sinks into lakes that are given views of other columns: what readers of the tables see, whatever is killed meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest
from deltalake import DeltaTable
from inprocess import InProcess, eventually, rows
from storage.sink.delta.support import place

from .support import Db, perhaps_kill, status
from .test_iceberg_sinks import connect, table

Read = Callable[[], Counter[tuple[Any, ...]]]
OLD = "SELECT k, sum(v)::int AS total, min(v) AS least FROM t GROUP BY k"
NEW = "SELECT sum(v)::bigint AS total, count(*) AS n, k FROM t GROUP BY k"


@pytest.fixture(params=["iceberg", "delta"])
def lake(request: pytest.FixtureRequest, fresh: InProcess, tmp_path: Path) -> tuple[str, Read]:
    """What stands behind INTO, and what the table has, by its columns in order."""
    if request.param == "iceberg":
        with fresh.connect() as db:
            connect(db, tmp_path)

        def read() -> Counter[tuple[Any, ...]]:
            there = table(tmp_path)
            found = [] if there is None else there.scan().to_arrow().to_pylist()
            return Counter(tuple(row.values()) for row in found)

        return "ICEBERG CATALOG CONNECTION lake (NAMESPACE 'n', TABLE 'out')", read

    def read_delta() -> Counter[tuple[Any, ...]]:
        there = DeltaTable.is_deltatable(uri)
        found = DeltaTable(uri).to_pyarrow_table().to_pylist() if there else []
        return Counter(tuple(row.values()) for row in found)

    uri = place(tmp_path)
    return f"DELTA (URI '{uri}')", read_delta


def make(db: Db, into: str, mode: str = "KEY (k) NOT ENFORCED MODE UPSERT") -> None:
    db.execute("CREATE TABLE t (k int, v int)")
    db.execute("INSERT INTO t SELECT i % 5, i FROM generate_series(1, 20) i")
    db.execute(f"CREATE MATERIALIZED VIEW old AS {OLD}".encode())
    db.execute(f"CREATE MATERIALIZED VIEW new AS {NEW}".encode())
    db.execute(f"CREATE SINK s FROM old INTO {into} {mode} WITH (COMMIT INTERVAL '1s')".encode())


def test_a_table_follows_a_view_of_other_columns(fresh: InProcess, lake: tuple[str, Read]) -> None:
    into, read = lake
    with fresh.connect() as db:
        make(db, into)
        eventually(lambda: read() == Counter(rows(db, "SELECT * FROM old")))
        db.execute("ALTER SINK s SET FROM new")
        wanted = "SELECT k, total, NULL, n FROM new"
        eventually(lambda: read() == Counter(rows(db, wanted)))
        db.execute("INSERT INTO t VALUES (1, 2000000000), (1, 2000000000), (9, 9)")
        db.execute("DELETE FROM t WHERE k = 2")
        eventually(lambda: read() == Counter(rows(db, wanted)))
        assert status(db) == ("running", None)
        shown = rows(db, "SHOW CREATE SINK s")[0][1]
        assert "KEY (k) MODE UPSERT" in shown, shown
        db.execute("CREATE MATERIALIZED VIEW other AS SELECT k, 'x' AS least FROM t GROUP BY k")
        db.execute("CREATE MATERIALIZED VIEW keyless AS SELECT v AS total FROM t")

        def refused(view: str) -> str:
            with pytest.raises(psycopg.Error) as raised:
                db.execute(f"ALTER SINK s SET FROM {view}".encode())
            assert raised.value.sqlstate in ("42P16", "55000")
            return str(raised.value)

        eventually(lambda: 'column "least" is of type text instead of integer' in refused("other"))
        assert 'sink "s" cannot read "keyless": column "k" of its key is not there' in refused("keyless")
        db.execute("DROP MATERIALIZED VIEW old")
        fresh.abandon()
        fresh.start()
    with fresh.connect() as db:
        db.execute("INSERT INTO t VALUES (8, 8)")
        eventually(lambda: read() == Counter(rows(db, wanted)))
        with pytest.raises(psycopg.Error, match='column "least" is of type text instead of integer'):
            db.execute("ALTER SINK s SET FROM other")  # the table has it still


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["KEY (k) NOT ENFORCED MODE UPSERT", "MODE APPEND"])
@pytest.mark.parametrize("seed", range(5))
def test_each_exchange_is_seen_once_whatever_is_killed(
    fresh: InProcess, lake: tuple[str, Read], seed: int, mode: str
) -> None:
    """To and fro, between views with the same types, as a log of Delta Lake keeps those."""
    into, read = lake
    random = Random(seed)
    with fresh.connect() as db:
        make(db, into, mode)
        db.execute("CREATE MATERIALIZED VIEW narrow AS SELECT k, max(v) AS most FROM t GROUP BY k")
    views = {"old": "k, total, least, NULL", "narrow": "k, NULL, NULL, most"}
    now = "old"
    for _ in range(4):
        with fresh.connect() as db:
            for _ in range(random.randrange(3)):
                db.execute("INSERT INTO t VALUES (%s, %s)", (random.randrange(8), random.randrange(100)))
            if random.random() < 0.7:
                now = "narrow" if now == "old" else "old"
                eventually(partial(_altered, db, f"ALTER SINK s SET FROM {now}"))
        perhaps_kill(fresh, random)
    with fresh.connect() as db:
        eventually(lambda: _altered(db, "ALTER SINK s SET FROM narrow"))
        wanted = Counter(rows(db, f"SELECT {views['narrow']} FROM narrow"))
        eventually(lambda: _summed(read(), mode) == wanted)


def _altered(db: Db, statement: str) -> bool:
    """False: what was read before is not written yet."""
    try:
        db.execute(statement.encode())
    except psycopg.errors.ObjectNotInPrerequisiteState:
        return False
    return True


def _summed(found: Counter[tuple[Any, ...]], mode: str) -> Counter[tuple[Any, ...]]:
    """Of a log: the rows that come of it, by the columns of the relation.  Before the first exchange the last one is not there."""
    if mode != "MODE APPEND":
        return found
    sums: Counter[tuple[Any, ...]] = Counter()
    for (k, total, least, _, diff, *more), count in found.items():
        sums[k, total, least, more[0] if more else None] += diff * count
    return Counter({row: count for row, count in sums.items() if count})
