"""Sources of several tables in a runtime: all tables as of one position, at every time, whatever is killed."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from time import monotonic, sleep
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from ptvc.replica.ingest import _RunningSource
from ptvc.storage.source.generator import tpch
from ptvc.storage.source.generator.kinds import KINDS
from ptvc.storage.source.generator.options import GeneratorOptions

Session = psycopg.Connection[tuple[Any, ...]]

TPCH = GeneratorOptions("tpch", scale_factor=0.0002, seed=5)
ORDERS = "CREATE SOURCE h FROM LOAD GENERATOR TPCH (SCALE FACTOR 0.0002, SEED 5, TICK INTERVAL '10ms')"
TORN = {
    "no_lines": "SELECT o_orderkey FROM orders LEFT JOIN lineitem ON l_orderkey = o_orderkey WHERE l_orderkey IS NULL",
    "no_order": "SELECT l_orderkey FROM lineitem LEFT JOIN orders ON l_orderkey = o_orderkey WHERE o_orderkey IS NULL",
    "other_total": "SELECT o_orderkey FROM orders JOIN lineitem ON l_orderkey = o_orderkey GROUP BY o_orderkey, o_totalprice"
    " HAVING trunc(sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), 2) <> o_totalprice",
}
"""What there must not be at any time."""


def generated(options: GeneratorOptions, table: str, tick: int) -> Counter[tuple[Any, ...]]:
    """The table's rows after a tick, made again."""
    found: Counter[tuple[Any, ...]] = Counter()
    for piece in KINDS[options.kind].make(options).contents(frozenset([table]), tick, 0):
        found.update(zip(*(column.to_pylist() for column in piece[table]), strict=True))
    return found


def position(db: Session) -> int:
    """-1 before the first commit."""
    return int(rows(db, 'SELECT coalesce(max("offset")::bigint, -1) FROM progress')[0][0])


def check_exact(db: Session, *tables: str) -> int:
    """The tables are what the generator makes for the position beside them, read at one time.  Returns that."""
    with db.transaction():
        tick = position(db)
        for table in tables:
            assert Counter(rows(db, f"SELECT * FROM {table}")) == generated(TPCH, table, tick), (table, tick)
    return tick


def beyond(db: Session, tick: int) -> bool:
    return position(db) > tick


def test_views_over_two_tables_see_whole_ticks(db: Session) -> None:
    db.execute(f"{ORDERS} FOR TABLES (orders, lineitem) EXPOSE PROGRESS AS progress".encode())
    for name, query in TORN.items():
        db.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
    db.execute("CREATE MATERIALIZED VIEW lines AS SELECT count(*) AS n FROM lineitem")
    eventually(lambda: rows(db, "SELECT n > 0 FROM lines") == [(True,)])
    first, until = position(db), monotonic() + 4
    while monotonic() < until:
        for name, query in TORN.items():
            assert rows(db, f"SELECT * FROM {name}") == [], name
            assert rows(db, query) == [], name
    assert position(db) > first + 50
    check_exact(db, "orders", "lineitem")


def test_bids_refer_to_auctions_that_are_there(db: Session) -> None:
    db.execute("CREATE SOURCE a FROM LOAD GENERATOR AUCTION (TICK INTERVAL '5ms', SEED 1) FOR ALL TABLES")
    torn = {
        "lost_bids": "SELECT b.id FROM bids b LEFT JOIN auctions a ON a.id = b.auction_id WHERE a.id IS NULL",
        "late_bids": "SELECT b.id FROM bids b JOIN auctions a ON a.id = b.auction_id WHERE b.bid_time >= a.end_time",
        "lost_accounts": "SELECT x.id FROM accounts x LEFT JOIN organizations o ON o.id = x.org_id WHERE o.id IS NULL",
    }
    for name, query in torn.items():
        db.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
    until = monotonic() + 3
    while monotonic() < until:
        for name in torn:
            assert rows(db, f"SELECT * FROM {name}") == [], name
    [(bids, auctions)] = rows(db, "SELECT (SELECT count(*) FROM bids), (SELECT count(*) FROM auctions)")
    assert bids > 100
    assert auctions == -(-(bids + auctions) // 10)


def test_tables_come_and_go_while_the_source_runs(db: Session) -> None:
    db.execute(f"{ORDERS} EXPOSE PROGRESS AS progress".encode())
    db.execute("CREATE TABLE orders FROM SOURCE h (REFERENCE tpch.orders)")
    eventually(lambda: beyond(db, 20))
    db.execute("CREATE TABLE lineitem FROM SOURCE h (REFERENCE lineitem)")
    db.execute("CREATE TABLE again FROM SOURCE h (REFERENCE orders)")
    eventually(lambda: rows(db, "SELECT count(*) FROM again") == [(300,)])
    tick = check_exact(db, "orders", "lineitem")
    assert rows(db, "SELECT * FROM again EXCEPT ALL SELECT * FROM orders") == []
    db.execute("DROP TABLE orders")
    eventually(lambda: beyond(db, tick + 20))
    check_exact(db, "lineitem")
    db.execute("CREATE TABLE orders FROM SOURCE h (REFERENCE orders)")
    eventually(lambda: rows(db, "SELECT count(*) FROM orders") == [(300,)])
    assert check_exact(db, "orders", "lineitem") > tick
    with pytest.raises(psycopg.errors.DependentObjectsStillExist, match="cannot drop source h"):
        db.execute("DROP SOURCE h")
    db.execute("DROP SOURCE h CASCADE")
    assert (
        rows(db, "SELECT name FROM mz_tables WHERE name IN ('orders', 'lineitem', 'again', 'progress')") == []
    )


def test_several_sources_at_once(db: Session) -> None:
    db.execute(f"{ORDERS} FOR ALL TABLES EXPOSE PROGRESS AS progress".encode())
    db.execute(
        "CREATE SOURCE m FROM LOAD GENERATOR MARKETING (TICK INTERVAL '5ms') FOR TABLES (leads AS l, coupons)"
    )
    db.execute(
        "CREATE SOURCE k FROM LOAD GENERATOR KEY VALUE (KEYS 50, VALUE SIZE 3, TICK INTERVAL '5ms') EXPOSE PROGRESS AS p"
    )
    db.execute("CREATE SOURCE c FROM LOAD GENERATOR CLOCK (TICK INTERVAL '5ms')")
    eventually(lambda: beyond(db, 30))
    check_exact(db, "region", "nation", "part", "partsupp", "supplier", "customer", "orders", "lineitem")
    eventually(lambda: rows(db, "SELECT count(*) FROM l WHERE converted_at IS NOT NULL")[0][0] > 3)
    assert rows(db, "SELECT id FROM coupons EXCEPT ALL SELECT id FROM l") == []
    assert rows(db, "SELECT count(*), count(DISTINCT key), max(octet_length(value)) FROM k") == [(50, 50, 3)]
    assert rows(db, 'SELECT count(*), min("offset"::text::int) > 0 FROM p') == [(1, True)]
    [(before,)] = rows(db, "SELECT time FROM c")
    eventually(lambda: rows(db, "SELECT time FROM c")[0][0] > before)


def test_a_table_of_a_source_is_written_by_it_alone(db: Session) -> None:
    db.execute("CREATE SOURCE h FROM LOAD GENERATOR TPCH (SCALE FACTOR 0.0002) FOR TABLES (region)")
    for statement in (
        "INSERT INTO region VALUES (7, 'x', 'y')",
        "UPDATE region SET r_name = 'x'",
        "DELETE FROM region",
        "TRUNCATE region",
        "COPY region FROM STDIN",
        "MERGE INTO region r USING region s ON false WHEN NOT MATCHED THEN INSERT VALUES (1, 'x', 'y')",
        "ALTER TABLE region ADD COLUMN x int",
        "ALTER TABLE region RENAME COLUMN r_name TO x",
        "ALTER TABLE region ADD PRIMARY KEY (r_regionkey)",
        "SELECT * FROM h",
        "CREATE VIEW v AS SELECT * FROM h",
        "CREATE INDEX ON h (x)",
        "CREATE TABLE t FROM SOURCE region (REFERENCE orders)",
        "CREATE SINK s FROM h INTO FILE '/nowhere' FORMAT JSON ENVELOPE NONE",
    ):
        with pytest.raises(psycopg.errors.WrongObjectType):
            db.execute(statement.encode())
    db.execute("CREATE INDEX ON region (r_regionkey)")
    db.execute("COMMENT ON TABLE region IS 'of the world'")
    db.execute("COMMENT ON COLUMN region.r_name IS 'in capitals'")
    db.execute("CREATE ROLE reader")
    db.execute("GRANT SELECT ON region TO reader")
    db.execute("ALTER TABLE region RENAME TO regions")
    db.execute("ALTER SOURCE h RENAME TO generator")
    eventually(lambda: rows(db, "SELECT count(*) FROM regions") == [(5,)])
    [(_, sql)] = rows(db, "SHOW CREATE TABLE regions")
    schema = rows(db, "SELECT current_schema")[0][0]
    assert sql == f"CREATE TABLE {schema}.regions FROM SOURCE {schema}.generator (REFERENCE tpch.region)"
    assert rows(
        db, "SELECT obj_description('regions'::regclass), has_table_privilege('reader', 'regions', 'SELECT')"
    ) == [("of the world", True)]
    db.execute("DROP TABLE regions")
    db.execute(sql.encode())
    eventually(lambda: rows(db, "SELECT count(*) FROM regions") == [(5,)])
    db.execute("DROP TABLE regions")
    db.execute("DROP ROLE reader")
    db.execute("DROP SOURCE generator")


@pytest.mark.parametrize(
    ("statement", "state"),
    [
        ("CREATE SOURCE x FROM LOAD GENERATOR NOTHING", "0A000"),
        ("CREATE SOURCE x FROM LOAD GENERATOR AUCTION (KEYS 5)", "0A000"),
        ("CREATE SOURCE x FROM LOAD GENERATOR TPCH (SCALE FACTOR 0)", "22023"),
        ("CREATE SOURCE x FROM LOAD GENERATOR TPCH (SCALE FACTOR 'much')", "22023"),
        ("CREATE SOURCE x FROM LOAD GENERATOR CLOCK (TICK INTERVAL '0s')", "22023"),
        ("CREATE SOURCE x FROM LOAD GENERATOR AUCTION (AS OF 5, UP TO 4)", "22023"),
        ("CREATE SOURCE x FROM LOAD GENERATOR KEY VALUE (KEYS 5, PARTITIONS 2)", "22023"),
        ("CREATE SOURCE x FROM LOAD GENERATOR KEY VALUE (KEYS 4, PARTITIONS 2, BATCH SIZE 3)", "22023"),
        ("CREATE SOURCE x FROM LOAD GENERATOR KEY VALUE (TRANSACTIONAL SNAPSHOT 3)", "22023"),
        ("CREATE SOURCE x FROM LOAD GENERATOR CLOCK FOR ALL TABLES", "0A000"),
        ("CREATE SOURCE x FROM LOAD GENERATOR COUNTER FOR ALL TABLES", "0A000"),
        ("CREATE SOURCE x (a int) FROM LOAD GENERATOR AUCTION", "42601"),
        ("CREATE SOURCE x FROM LOAD GENERATOR AUCTION FOR TABLES (orders)", "42P01"),
        ("CREATE SOURCE x FROM LOAD GENERATOR AUCTION FOR TABLES (bids, auctions AS bids)", "42P07"),
        ("CREATE SOURCE x FROM LOAD GENERATOR AUCTION FOR TABLES (taken)", "42P01"),
        ("CREATE SOURCE x FROM LOAD GENERATOR AUCTION FOR TABLES (bids AS taken)", "42P07"),
        ("CREATE SOURCE x FROM LOAD GENERATOR AUCTION WITH (RETAIN HISTORY FOR '1s')", "0A000"),
        ("CREATE TABLE x FROM SOURCE nothing (REFERENCE bids)", "42P01"),
        ("BEGIN; CREATE TABLE x FROM SOURCE s (REFERENCE bids)", "0A000"),
        ("CREATE TABLE x FROM SOURCE s (REFERENCE tpch.bids)", "42P01"),
        ("CREATE TABLE x FROM SOURCE s (REFERENCE auction.mz_progress)", "42P01"),
        ("CREATE TABLE x FROM SOURCE taken (REFERENCE bids)", "42809"),
        ("CREATE TABLE pg_temp.x FROM SOURCE s (REFERENCE bids)", "0A000"),
        ("CREATE TEMP TABLE x FROM SOURCE s (REFERENCE bids)", "42601"),
        ("CREATE TABLE x FROM SOURCE s", "42601"),
        ("ALTER SOURCE s SET (RETAIN HISTORY FOR '1s')", "42809"),
        ("COMMENT ON COLUMN s.id IS 'x'", "42809"),
    ],
)
def test_what_is_refused(db: Session, statement: str, state: str) -> None:
    db.execute("CREATE TABLE taken (a int)")
    db.execute("CREATE SOURCE s FROM LOAD GENERATOR AUCTION")
    with pytest.raises(psycopg.Error) as caught:
        db.execute(statement.encode())
    assert caught.value.sqlstate == state, caught.value
    db.execute("ROLLBACK")
    assert rows(db, "SELECT name FROM mz_sources WHERE name = 'x'") == []


def test_what_is_told_of_sources(db: Session) -> None:
    db.execute(f"{ORDERS} FOR TABLES (orders, region)".encode())
    db.execute("CREATE SOURCE c FROM LOAD GENERATOR CLOCK")
    offered = rows(
        db,
        "SELECT r.namespace, r.name, array_length(r.columns, 1) FROM mz_internal.mz_source_references r"
        " JOIN mz_sources s ON s.id = r.source_id JOIN mz_schemas n ON n.id = s.schema_id WHERE n.name = current_schema ORDER BY 2",
    )
    assert offered == [("tpch", name, len(schema)) for name, schema in sorted(tpch.TABLES.items())]
    wanted = (
        "SELECT o.name, s.updates_committed, s.snapshot_records_known, s.snapshot_records_staged, s.snapshot_committed,"
        " s.messages_received, s.bytes_received, s.offset_known, s.offset_committed, s.rehydration_latency"
        " FROM mz_internal.mz_source_statistics s JOIN mz_objects o ON o.id = s.id JOIN mz_schemas n ON n.id = o.schema_id"
        " WHERE n.name = current_schema"
    )

    def known() -> dict[str, tuple[Any, ...]]:
        return {name: rest for name, *rest in rows(db, wanted)}

    eventually(lambda: known().keys() == {"h", "orders", "region", "c"} and known()["h"][6] > 5)
    found = known()
    committed, *snapshot, _, _, _, _, _ = found["orders"]
    assert snapshot == [300, 300, True]
    assert found["region"] == [5, 5, 5, True, None, None, None, None, None]
    messages, nbytes, offset_known, offset_committed, latency = found["h"][4:]
    assert committed == 300 + 2 * offset_committed
    assert messages >= committed + 5
    assert nbytes > 10_000
    assert offset_known >= offset_committed
    assert latency is None
    assert rows(
        db,
        "SELECT s.name, s.type, s.status, s.error FROM mz_internal.mz_source_statuses s JOIN mz_sources o ON o.id = s.id"
        " JOIN mz_schemas n ON n.id = o.schema_id WHERE n.name = current_schema ORDER BY 1",
    ) == [("c", "clock", "running", None), ("h", "tpch", "running", None)]


CRASHES = ["between parts", "before the commit", "behind the commit", "the replica"]


@pytest.mark.parametrize("where", CRASHES)
def test_a_crash_between_any_steps(fresh: InProcess, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of the contents of two tables, which come in pieces; and later, between two ticks."""
    monkeypatch.setattr(tpch, "PIECE", 100)
    with fresh.connect() as db:
        db.execute(f"{ORDERS} EXPOSE PROGRESS AS progress".encode())
    eventually(lambda: fresh.query("SELECT count(*) FROM progress") == [(1,)])
    _crash(fresh, where, monkeypatch, "CREATE TABLE orders FROM SOURCE h (REFERENCE orders)")
    with fresh.connect() as db:
        db.execute("CREATE TABLE lineitem FROM SOURCE h (REFERENCE lineitem)")
        eventually(lambda: rows(db, "SELECT count(*) FROM orders") == [(300,)])
        eventually(lambda: rows(db, "SELECT count(*) > 300 FROM lineitem") == [(True,)])
        tick = check_exact(db, "orders", "lineitem")
    _crash(fresh, where, monkeypatch)
    with fresh.connect() as db:
        eventually(lambda: beyond(db, tick + 20))
        check_exact(db, "orders", "lineitem")


def _crash(
    runtime: InProcess, where: str, monkeypatch: pytest.MonkeyPatch, statement: str | None = None
) -> None:
    """Has the runtime die at the source's next step of that kind, or its replica, and start again."""
    there = threading.Event()
    # Of this runtime alone: the module's, whose sources stand, writes on.  And of the source alone, which says until when its writes are
    # valid: the audit log, which writes here too, would hold its lock for ever, and the end of the runtime waits for that.
    commits = runtime.coordinator.storage._commit
    write, written = commits.write, _RunningSource._written

    async def hang() -> None:
        there.set()
        await asyncio.Event().wait()

    async def before(*arguments: Any, **more: Any) -> Any:
        if "valid" in more:
            await hang()
        return await write(*arguments, **more)

    async def after(*arguments: Any, **more: Any) -> Any:
        outcome = await write(*arguments, **more)
        if "valid" in more:
            await hang()
        return outcome

    def between(self: Any, *arguments: Any) -> Any:
        parts = written(self, *arguments)
        there.set()
        sleep(0.2)
        return parts

    with monkeypatch.context() as patch:
        match where:
            case "before the commit":
                patch.setattr(commits, "write", before)
            case "behind the commit":
                patch.setattr(commits, "write", after)
            case _:
                patch.setattr(_RunningSource, "_written", between)
        if statement is not None:
            runtime.query(statement)
        assert there.wait(60)
        if where == "the replica":
            runtime.kill_replica()
            return
        runtime.abandon()
    runtime.start()
