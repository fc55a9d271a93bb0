"""ICEBERG sources of whole runtimes: what a view over one shows, whatever is killed meanwhile."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import psycopg
import pyarrow as pa
import pytest
from inprocess import InProcess, eventually, rows
from storage.sink.iceberg.support import catalog_values, opened

from .support import ACCOUNTS, move_accounts, source_status
from .test_delta_sources import A_ROW, EVERY_TYPE
from .test_iceberg_sinks import connect


def test_what_a_sink_writes_is_read(fresh: InProcess, tmp_path: Path) -> None:
    """Every type there and back; changes, too."""
    with fresh.connect() as db:
        connect(db, tmp_path)
        table = "ICEBERG CATALOG CONNECTION lake (NAMESPACE 'n', TABLE 'out'"
        db.execute(f"CREATE TABLE t (k int, {EVERY_TYPE})".encode())
        db.execute(f"INSERT INTO t SELECT 1, {A_ROW.replace('0044-03-15 BC', '1944-03-15')}".encode())
        db.execute("INSERT INTO t (k) VALUES (2)")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
        db.execute(
            f"CREATE SINK s FROM m INTO {table}) KEY (k) NOT ENFORCED MODE UPSERT WITH (COMMIT INTERVAL '1s')".encode()
        )
        db.execute(f"CREATE SOURCE back (k int, {EVERY_TYPE}) FROM {table}, SCAN INTERVAL '100ms')".encode())

        def same() -> bool:
            wanted = Counter(map(repr, rows(db, "SELECT m::text FROM m")))
            return Counter(map(repr, rows(db, "SELECT back::text FROM back"))) == wanted

        eventually(same)
        db.execute("UPDATE t SET i4 = 5, n = NULL WHERE k = 1")
        db.execute("DELETE FROM t WHERE k = 2")
        db.execute("INSERT INTO t (k, t) SELECT g, g::text FROM generate_series(10, 30) g")
        eventually(same)
        assert source_status(db, "back") == ("running", None)
        shown = rows(db, "SHOW CREATE SOURCE back")[0][1]
        assert shown.endswith(
            "FROM ICEBERG CATALOG CONNECTION public.lake (NAMESPACE = 'n', TABLE = 'out', SCAN INTERVAL = '100ms')"
        ), shown
        with pytest.raises(psycopg.Error, match="depend"):
            db.execute("DROP CONNECTION lake")
        for wrong, message in (
            ("CONNECTION lake (NAMESPACE 'n')", "option TABLE must be given"),
            ("CONNECTION lake (NAMESPACE 'n', TABLE 'a.b')", "are not the names of a namespace"),
            ("CONNECTION lake (NAMESPACE 'n', TABLE 'a', TABLE 'b')", "conflicting or redundant options"),
            (
                "CONNECTION lake (NAMESPACE 'n', TABLE 'a', SCAN INTERVAL '1ms')",
                "SCAN INTERVAL must be between",
            ),
            ("CONNECTION nope (NAMESPACE 'n', TABLE 'a')", "does not exist"),
        ):
            with pytest.raises(psycopg.Error, match=message):
                db.execute(f"CREATE SOURCE s2 (id int) FROM ICEBERG CATALOG {wrong}".encode())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_each_snapshot_is_seen_whole_whatever_is_killed(fresh: InProcess, tmp_path: Path, seed: int) -> None:
    """Money moves between accounts: nobody ever sees a sum that no snapshot of the table has."""
    names = ["account", "balance"]
    with opened(catalog_values(tmp_path)) as catalog, fresh.connect() as db:
        connect(db, tmp_path)
        catalog.create_namespace("n")
        schema = pa.schema([(name, pa.int64()) for name in names])
        table = catalog.create_table(("n", "t"), schema)

        def write(balances: list[tuple[int, int]], overwrite: bool) -> None:
            found = pa.table(
                [pa.array(column, pa.int64()) for column in zip(*balances, strict=True)], schema=schema
            )
            if overwrite:
                table.overwrite(found)
            else:
                table.upsert(found, ["account"])

        table.append(pa.table([list(range(ACCOUNTS)), [100] * ACCOUNTS], schema=schema))
        db.execute(
            "CREATE SOURCE accounts (account bigint, balance bigint) FROM ICEBERG CATALOG CONNECTION lake "
            "(NAMESPACE 'n', TABLE 't', SCAN INTERVAL '100ms')"
        )
        seen = move_accounts(fresh, Random(seed), write)
        with fresh.connect() as again:
            wanted = sorted(tuple(row.values()) for row in table.scan().to_arrow().select(names).to_pylist())
            eventually(lambda: rows(again, "SELECT * FROM accounts ORDER BY 1") == wanted)
    assert seen <= {(ACCOUNTS, 100 * ACCOUNTS), (0, None)}, seen
