"""DELTA sources of whole runtimes: what a view over one shows, whatever is killed meanwhile."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from random import Random

import psycopg
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from inprocess import InProcess, eventually, rows
from storage.sink.delta.support import place

from .support import ACCOUNTS, move_accounts, source_status

EVERY_TYPE = (
    "b bool, i2 smallint, i4 int, i8 bigint, u2 uint2, u4 uint4, u8 uint8, f4 real, f8 double precision, n numeric(12, 3), "
    "t text, vc varchar(5), ch char(4), j json, jb jsonb, u uuid, ti time, iv interval, d date, ts timestamp, tz timestamptz, "
    "by bytea, a text[], ai int[], o oid"
)
A_ROW = (
    "true, -7::smallint, 70000, 1::bigint << 40, '65535'::uint2, '4294967295'::uint4, '18446744073709551615'::uint8, 1.5::real, "
    "'NaN'::double precision, 123456789.125::numeric(12, 3), 'ä', 'abcde'::varchar(5), 'ab'::char(4), '{\"a\":  1}'::json, "
    "'{\"b\": 1.50}'::jsonb, '00000000-0000-0000-0000-000000000001'::uuid, '12:34:56.789'::time, '1 mon 2 days 03:00'::interval, "
    "'0044-03-15 BC'::date, '2026-01-01 00:00:00.000001'::timestamp, '2026-01-01 00:00:00+02'::timestamptz, '\\x00ff'::bytea, "
    "ARRAY['x', NULL], ARRAY[1, 2], 4294967295::oid"
)


def test_what_a_sink_writes_is_read(fresh: InProcess, tmp_path: Path) -> None:
    """Every type there and back; changes, too."""
    uri = place(tmp_path)
    with fresh.connect() as db:
        db.execute(f"CREATE TABLE t (k int, {EVERY_TYPE})".encode())
        db.execute(f"INSERT INTO t SELECT 1, {A_ROW}".encode())
        db.execute("INSERT INTO t (k) VALUES (2)")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM t")
        db.execute(
            f"CREATE SINK s FROM m INTO DELTA (URI '{uri}') KEY (k) NOT ENFORCED MODE UPSERT WITH (COMMIT INTERVAL '1s')".encode()
        )
        db.execute(
            f"CREATE SOURCE back (k int, {EVERY_TYPE}) FROM DELTA (URI '{uri}', SCAN INTERVAL '100ms')".encode()
        )

        def same() -> bool:
            wanted = Counter(map(repr, rows(db, "SELECT m::text FROM m")))
            return Counter(map(repr, rows(db, "SELECT back::text FROM back"))) == wanted

        eventually(same)
        assert rows(db, "SELECT count(*) FROM back") == [(2,)]
        db.execute("UPDATE t SET i4 = 5, n = NULL WHERE k = 1")
        db.execute("DELETE FROM t WHERE k = 2")
        db.execute("INSERT INTO t (k, t) SELECT g, g::text FROM generate_series(10, 30) g")
        eventually(same)
        assert source_status(db, "back") == ("running", None)
        shown = rows(db, "SHOW CREATE SOURCE back")[0][1]
        assert shown.endswith(f"FROM DELTA (URI = '{uri}', SCAN INTERVAL = '100ms')"), shown


def test_what_is_kept_of_a_table(fresh: InProcess, tmp_path: Path) -> None:
    """WHERE, columns that are not kept, rows in error, statistics, and what is refused."""
    uri = place(tmp_path)
    first = pa.table(
        {"id": [1, 2, 3], "city": ["x", "y", "x"], "n": ["1", "2", "oops"], "more": [[1], [2], [3]]}
    )
    write_deltalake(uri, first, partition_by=["city"])
    with fresh.connect() as db:
        given = f"FROM DELTA (URI '{uri}', SCAN INTERVAL '100ms')"
        db.execute(
            f"CREATE SOURCE s (id bigint, city text) {given} WHERE (city = 'x') WITH (EXCLUDE COLUMNS (city))".encode()
        )
        eventually(lambda: rows(db, "SELECT id FROM s ORDER BY 1") == [(1,), (3,)])
        DeltaTable(uri).update(updates={"id": "id + 10"}, predicate="id < 3")
        eventually(lambda: rows(db, "SELECT id FROM s ORDER BY 1") == [(3,), (11,)])
        shown = rows(db, "SHOW CREATE SOURCE s")[0][1]
        assert shown.endswith("WHERE (city = 'x') WITH (EXCLUDE COLUMNS (city))"), shown
        statistics = (
            "SELECT snapshot_committed, updates_committed, updates_filtered, snapshot_records_known, offset_committed, lag_bytes "
            "FROM mz_internal.mz_source_statistics JOIN mz_sources USING (id) WHERE name = 's'"
        )
        eventually(lambda: rows(db, statistics) == [(True, 4, 3, 3, 1, 0)])
        db.execute(f"CREATE SOURCE bad (id bigint, n varchar(2)) {given}".encode())

        def in_error() -> bool:
            try:
                rows(db, "SELECT * FROM bad")
            except psycopg.Error as error:
                where = r'source "bad", file "city=x/[^"]*", row \d+: column "n": '
                return re.search(where + "value too long for type character varying", str(error)) is not None
            return False

        eventually(lambda: source_status(db, "bad")[0] == "running" and in_error())
        DeltaTable(uri).delete("id = 3")
        eventually(lambda: not in_error() and len(rows(db, "SELECT * FROM bad")) == 2)
        db.execute("ALTER SOURCE bad ADD WHERE (id > 11)")
        assert rows(db, "SELECT * FROM bad") == [(12, "2")]
        db.execute(f"CREATE SOURCE other (id bigint, nope int) {given}".encode())
        eventually(lambda: source_status(db, "other")[0] == "stalled")
        assert 'column "nope" of table' in source_status(db, "other")[1]
        for wrong, message in (
            (f"s2 {given}", "needs a list of columns"),
            ("s2 (id int) FROM DELTA (URI 'nowhere')", "is no place of a table"),
            ("s2 (id int) FROM DELTA (SCAN INTERVAL '1s')", "option URI must be given"),
            ("s2 (id int) FROM DELTA (URI '/x', NAME 'y')", 'option "NAME" is not supported'),
            ("s2 (id int) FROM DELTA (URI 's3://bucket/x')", "needs USING AWS CONNECTION"),
            (f"s2 (id int) FROM DELTA (URI '{fresh.directory}/x')", "in the runtime's own directory"),
            (f"s2 (id int4range) {given}", "cannot be read from a table of a lake"),
            (f"s2 (id jsonb[]) {given}", "cannot be read from a table of a lake"),
            (f"s2 (at timestamp) {given} WITH (RETAIN ROWS FOR '1 day' BY at)", "taken back upstream"),
            (f"s2 (id int) {given} WITH (ON ERROR = DEAD LETTER)", "DEAD LETTER"),
            (f"s2 (id int PRIMARY KEY) {given}", "a key without ENVELOPE UPSERT"),
        ):
            with pytest.raises(psycopg.Error, match=message):
                db.execute(f"CREATE SOURCE {wrong}".encode())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_each_version_is_seen_whole_whatever_is_killed(fresh: InProcess, tmp_path: Path, seed: int) -> None:
    """Money moves between accounts: nobody ever sees a sum that no version of the table has."""
    uri = place(tmp_path)
    names = ["account", "balance"]

    def write(balances: list[tuple[int, int]], overwrite: bool) -> None:
        found = pa.table([pa.array(column, pa.int64()) for column in zip(*balances, strict=True)], names)
        if overwrite:
            write_deltalake(uri, found, mode="overwrite")
            return
        merge = DeltaTable(uri).merge(found, "t.account = s.account", source_alias="s", target_alias="t")
        merge.when_matched_update({"balance": "s.balance"}).execute()

    write([(account, 100) for account in range(ACCOUNTS)], True)
    with fresh.connect() as db:
        db.execute(
            f"CREATE SOURCE accounts (account bigint, balance bigint) FROM DELTA (URI '{uri}', SCAN INTERVAL '100ms')".encode()
        )
    seen = move_accounts(fresh, Random(seed), write)
    with fresh.connect() as db:
        wanted = sorted(
            tuple(row.values()) for row in DeltaTable(uri).to_pyarrow_table().select(names).to_pylist()
        )
        eventually(lambda: rows(db, "SELECT * FROM accounts ORDER BY 1") == wanted)
    assert seen <= {(ACCOUNTS, 100 * ACCOUNTS), (0, None)}, seen
