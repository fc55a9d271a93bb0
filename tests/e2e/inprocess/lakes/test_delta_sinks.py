"""DELTA sinks of whole runtimes: what a reader of the table sees, whatever is killed meanwhile."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest
from deltalake import DeltaTable
from inprocess import InProcess, eventually, rows
from storage.sink.delta.support import duckdb_rows, place

from .support import ACCOUNTS, make_balances, move_money, status


def found(uri: str) -> list[tuple[Any, ...]] | None:
    return sorted(duckdb_rows(DeltaTable(uri)), key=repr) if DeltaTable.is_deltatable(uri) else None


def test_a_table_follows_a_view(fresh: InProcess, tmp_path: Path) -> None:
    uri = place(tmp_path)
    with fresh.connect() as db:
        db.execute("CREATE TABLE t (k int, v numeric(10, 2), at timestamp, u uuid, tags text[], n smallint)")
        db.execute(
            """INSERT INTO t VALUES (1, 1.50, '2026-01-01 00:00:00', '00000000-0000-0000-0000-000000000001', '{a,NULL}', 7),
            (2, NULL, NULL, NULL, NULL, NULL)"""
        )
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
        into = f"INTO DELTA (URI = '{uri}')"
        db.execute(
            f"CREATE SINK s FROM m {into} KEY (k) NOT ENFORCED MODE UPSERT WITH (COMMIT INTERVAL = '1s')".encode()
        )

        def same() -> bool:
            return found(uri) == sorted(rows(db, "SELECT k, v, at, u::text, tags, n FROM m"), key=repr)

        eventually(same)
        db.execute("UPDATE t SET v = 3 WHERE k = 1")
        db.execute("DELETE FROM t WHERE k = 2")
        db.execute("INSERT INTO t (k) SELECT * FROM generate_series(10, 20)")
        eventually(same)
        assert status(db) == ("running", None)
        shown = rows(db, "SHOW CREATE SINK s")[0][1]
        assert shown.endswith(f"{into} KEY (k) MODE UPSERT WITH (COMMIT INTERVAL = '1000 ms')"), shown
        for wrong, message in (
            (f"{into} MODE APPEND", "writes to table .* already"),
            ("INTO DELTA (URI = 'nowhere') MODE APPEND", "is no place of a table"),
            ("INTO DELTA (URI = 's3://bucket/x') MODE APPEND", "needs USING AWS CONNECTION"),
            (f"INTO DELTA (URI = '{fresh.directory}/x') MODE APPEND", "in the runtime's own directory"),
            ("INTO DELTA (URI = '/x', PARTITION BY (day(at))) MODE APPEND", "has no partitions by day"),
        ):
            with pytest.raises(psycopg.Error, match=message):
                db.execute(f"CREATE SINK s2 FROM m {wrong}".encode())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_each_version_has_whole_transactions_whatever_is_killed(
    fresh: InProcess, tmp_path: Path, seed: int
) -> None:
    """Money moves between accounts: no version of the table has a sum of balances that never was."""
    uri = place(tmp_path)
    with fresh.connect() as db:
        make_balances(db)
        db.execute(
            f"CREATE SINK s FROM balances INTO DELTA (URI = '{uri}') KEY (account) NOT ENFORCED MODE UPSERT "
            "WITH (COMMIT INTERVAL = '1s')".encode()
        )
    move_money(fresh, Random(seed))
    with fresh.connect() as db:
        wanted = rows(db, "SELECT account, balance FROM balances ORDER BY 1")
        eventually(lambda: sorted(found(uri) or ()) == wanted)
    for version in range(DeltaTable(uri).version() + 1):
        seen = duckdb_rows(DeltaTable(uri, version=version))
        assert (len(seen), sum(balance for _, balance in seen)) in [(0, 0), (ACCOUNTS, 100 * ACCOUNTS)]
