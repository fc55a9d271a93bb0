"""ICEBERG sinks of whole runtimes: what a reader of the table sees, whatever is killed meanwhile."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from ptvc.storage.lake.catalogs import open_catalog, table_of
from pyiceberg.table import Table
from storage.sink.iceberg.support import catalog_values, duckdb_rows

from .support import ACCOUNTS, Db, make_balances, move_money, status


def connect(db: Db, directory: Path) -> None:
    """Makes the connection `lake`."""
    options = catalog_values(directory).options.values
    given = ", ".join(f"{name} = '{value}'" for name, value in options.items())
    db.execute(f"CREATE CONNECTION lake TO ICEBERG CATALOG ({given})".encode())


def table(directory: Path) -> Table | None:
    catalog = open_catalog(catalog_values(directory), None, monotonic() + 10)
    try:
        return table_of(catalog, ("n", "out"))
    finally:
        catalog.close()


def found(directory: Path) -> list[tuple[Any, ...]] | None:
    there = table(directory)
    return None if there is None else sorted(duckdb_rows(there), key=repr)


def test_a_table_follows_a_view(fresh: InProcess, tmp_path: Path) -> None:
    with fresh.connect() as db:
        connect(db, tmp_path)
        db.execute("VALIDATE CONNECTION lake")
        db.execute(
            "CREATE TABLE t (k int, v numeric(10, 2), at timestamptz, u uuid, tags text[], n smallint)"
        )
        db.execute(
            """INSERT INTO t VALUES (1, 1.50, '2026-01-01 00:00:00+00', '00000000-0000-0000-0000-000000000001', '{a,NULL}', 7),
            (2, NULL, NULL, NULL, NULL, NULL)"""
        )
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
        into = "INTO ICEBERG CATALOG CONNECTION lake (NAMESPACE = 'n', TABLE = 'out', PARTITION BY (bucket(2, k)))"
        db.execute(
            f"CREATE SINK s FROM m {into} KEY (k) NOT ENFORCED MODE UPSERT WITH (COMMIT INTERVAL = '1s')".encode()
        )
        compared = "SELECT k, v, at AT TIME ZONE 'UTC', u::text, tags, n FROM m"

        def same() -> bool:
            return [
                (k, v, None if at is None else at.replace(tzinfo=None), *rest)
                for k, v, at, *rest in found(tmp_path) or ()
            ] == sorted(rows(db, compared), key=repr)

        eventually(same)
        db.execute("UPDATE t SET v = 3 WHERE k = 1")
        db.execute("DELETE FROM t WHERE k = 2")
        db.execute("INSERT INTO t (k) SELECT * FROM generate_series(10, 20)")
        eventually(same)
        assert status(db) == ("running", None)
        shown = rows(db, "SHOW CREATE SINK s")[0][1]
        assert shown.endswith(
            "INTO ICEBERG CATALOG CONNECTION public.lake (NAMESPACE = 'n', TABLE = 'out', PARTITION BY (bucket(2, k))) "
            "KEY (k) MODE UPSERT WITH (COMMIT INTERVAL = '1000 ms')"
        ), shown
        with pytest.raises(psycopg.Error, match="writes to table"):
            db.execute(f"CREATE SINK s2 FROM m {into} MODE APPEND".encode())
        db.execute("INSERT INTO t (k, n) VALUES (1, 2)")
        eventually(lambda: status(db)[0] == "stalled")
        db.execute("DELETE FROM t WHERE n = 2")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_each_commit_has_whole_transactions_whatever_is_killed(
    fresh: InProcess, tmp_path: Path, seed: int
) -> None:
    """Money moves between accounts: no snapshot of the table has a sum of balances that never was."""
    with fresh.connect() as db:
        connect(db, tmp_path)
        make_balances(db)
        db.execute(
            "CREATE SINK s FROM balances INTO ICEBERG CATALOG CONNECTION lake (NAMESPACE = 'n', TABLE = 'out') "
            "KEY (account) NOT ENFORCED MODE UPSERT WITH (COMMIT INTERVAL = '1s')"
        )
    move_money(fresh, Random(seed))
    with fresh.connect() as db:
        wanted = rows(db, "SELECT account, balance FROM balances ORDER BY 1")
        eventually(lambda: sorted(found(tmp_path) or ()) == wanted)
    there = table(tmp_path)
    assert there is not None
    for snapshot in there.snapshots():
        seen = duckdb_rows(there, snapshot.snapshot_id)
        assert (len(seen), sum(balance for _, balance in seen)) in [(0, 0), (ACCOUNTS, 100 * ACCOUNTS)]
