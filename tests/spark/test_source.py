"""The data source without a JVM: planned and read as Spark does it, beside a runtime that goes on."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from inprocess import InProcess, eventually, running
from ptvc.clock import SystemClock
from ptvc.config import Settings
from ptvc.errors import (
    DataError,
    InvalidParameter,
    ObjectNotReady,
    PtvcError,
    UndefinedTable,
    WrongObjectType,
)
from ptvc.persist import write
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.location import open_blob
from ptvc.spark.options import parse_options
from ptvc.spark.source import PtvcSource, SnapshotPartition, small_table
from pyspark.sql.datasource import EqualTo, Filter, GreaterThan, In

SETTINGS = Settings(tick_ms=50, compaction_interval_ms=100, retain_history_ms=60_000)


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running(SETTINGS) as runtime:
        yield runtime


def source(runtime: InProcess, relation: str, **options: object) -> PtvcSource:
    given = {"path": str(runtime.directory), "relation": relation, **{k: str(v) for k, v in options.items()}}
    return PtvcSource(given)


def load(runtime: InProcess, relation: str, *filters: Filter, **options: object) -> list[dict[str, Any]]:
    """The rows, in no order; filters are pushed, and not evaluated."""
    asked = source(runtime, relation, **options)
    reader = asked.reader(asked.schema())
    assert list(reader.pushFilters(list(filters))) == list(filters)
    found = []
    for partition in reader.partitions():
        for batch in reader.read(pickle.loads(pickle.dumps(partition))):
            found += batch.to_pylist()
    return found


def rows(found: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row.values()) for row in found)


def test_many_times_of_a_table_and_a_view(runtime: InProcess) -> None:
    random = Random(1)
    with runtime.connect() as db:
        db.execute("CREATE TABLE changing (k int, v text)")
        db.execute("CREATE MATERIALIZED VIEW counts AS SELECT v, count(*) FROM changing GROUP BY v")
        seen = []
        for _ in range(25):
            match random.randrange(4):
                case 0 | 1:
                    values = ", ".join(f"({random.randrange(9)}, '{random.choice('abc')}')" for _ in range(5))
                    db.execute(f"INSERT INTO changing VALUES {values}")
                case 2:
                    db.execute("UPDATE changing SET v = 'u' WHERE k = %s", (random.randrange(9),))
                case _:
                    db.execute("DELETE FROM changing WHERE k = %s", (random.randrange(9),))
            with db.transaction():
                (time,) = db.execute("SELECT mz_now()::text").fetchone() or ("",)
                seen.append(
                    (
                        int(time),
                        Counter(db.execute("SELECT * FROM changing").fetchall()),
                        Counter(db.execute("SELECT * FROM counts").fetchall()),
                    )
                )
    for time, table, view in random.sample(seen, 10):
        assert rows(load(runtime, "public.changing", as_of=time)) == table
        assert rows(load(runtime, "ptvc.public.counts", as_of=time, partition_bytes=1_000)) == view
    assert rows(load(runtime, "changing")) == seen[-1][1]


def test_values_of_every_type(runtime: InProcess) -> None:
    runtime.query(
        "CREATE TABLE every (b boolean, i2 smallint, i8 bigint, f real, n numeric(10, 2), m numeric, t varchar(5),"
        " d date, ts timestamp, tz timestamptz, by bytea, u uuid, ti time, iv interval, j jsonb, r int4range,"
        " a int[], ia interval[], na numeric(5, 1)[], c char(3), js json, u2 uint2, u4 uint4, u8 uint8)"
    )
    runtime.query(
        "INSERT INTO every VALUES (true, 1, 2, 'NaN', 1.5, 12345678901234567890123456789012.25, 'text', '2026-01-01',"
        " '2026-01-01 10:00', '2026-01-01 10:00+02', '\\x0102', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '24:00',"
        " '1 mon 2 hours', '{\"a\":  1}', '[1,5]', '{1,NULL}', '{1 day,NULL}', '{}', 'x', '[1 ]', 65535, 4294967295,"
        " 18446744073709551615)"
    )
    runtime.query("INSERT INTO every (i2) VALUES (7), (7)")
    runtime.query("INSERT INTO every (i2, d) VALUES (8, '0044-03-15 BC')")
    asked = source(runtime, "every", partition_bytes=1_000)
    reader = asked.reader(asked.schema())
    batches = [batch for partition in reader.partitions() for batch in reader.read(partition)]
    table = pa.Table.from_batches(batches)
    # Python has no year before 1: the date is compared as Spark has it, in days.
    days = {day for batch in batches for day in batch.column("d").view(pa.int32()).to_pylist()}
    assert days == {None, 20_454, -735_160}
    found = table.drop_columns(["d"]).to_pylist()
    assert sorted(row["i2"] for row in found) == [1, 7, 7, 8]
    assert all(
        value is None for row in found if row["i2"] == 7 for name, value in row.items() if name != "i2"
    )
    (full,) = (row for row in found if row["i2"] == 1)
    assert str(full.pop("f")) == "nan"
    assert full == {
        "b": True,
        "i2": 1,
        "i8": 2,
        "n": Decimal("1.50"),
        "m": "12345678901234567890123456789012.25",
        "t": "text",
        "ts": datetime(2026, 1, 1, 10),
        "tz": datetime(2026, 1, 1, 8, tzinfo=UTC),
        "by": b"\x01\x02",
        "u": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "ti": "24:00:00",
        "iv": "1 mon 02:00:00",
        "j": '{"a": 1}',
        "r": "[1,6)",
        "a": [1, None],
        "ia": ["1 day", None],
        "na": [],
        "c": "x  ",
        "js": "[1 ]",
        "u2": 2**16 - 1,
        "u4": 2**32 - 1,
        "u8": Decimal(2**64 - 1),
    }


def test_infinite_values_are_refused(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE endless (d date, t timestamptz[])")
    runtime.query("INSERT INTO endless VALUES ('infinity', NULL)")
    with pytest.raises(DataError, match="infinite date"):
        load(runtime, "endless")
    runtime.query("UPDATE endless SET d = '2026-01-01', t = '{-infinity}'")
    with pytest.raises(DataError, match="infinite timestamp"):
        load(runtime, "endless")
    runtime.query("UPDATE endless SET t = '{2026-01-01}'")
    (row,) = load(runtime, "endless")
    assert row == {"d": date(2026, 1, 1), "t": [datetime(2026, 1, 1, tzinfo=UTC)]}


def test_columns_added_and_dropped(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE altered (a int, b text, c numeric(4, 1))")
    runtime.query("INSERT INTO altered VALUES (1, 'x', 1.5), (1, 'y', 1.5)")
    runtime.query("ALTER TABLE altered DROP COLUMN b")
    runtime.query("ALTER TABLE altered ADD COLUMN d int DEFAULT 5")
    runtime.query("INSERT INTO altered VALUES (2, 2.5, NULL)")
    expected = Counter({(1, Decimal("1.5"), 5): 2, (2, Decimal("2.5"), None): 1})
    assert rows(load(runtime, "altered")) == expected
    assert rows(load(runtime, "altered", GreaterThan(("d",), 1), partition_bytes=1_000)) == expected


def test_errors_raise_whatever_the_filter(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE divisors (k int, v int)")
    runtime.query("CREATE MATERIALIZED VIEW quotients AS SELECT k, 10 / v AS q FROM divisors")
    runtime.query("INSERT INTO divisors VALUES (1, 5), (2, 0)")

    def sqlstate() -> str | None:
        try:
            load(runtime, "quotients", EqualTo(("k",), 1))
        except PtvcError as error:
            return error.sqlstate
        return None

    eventually(lambda: sqlstate() == "22012")
    runtime.query("DELETE FROM divisors WHERE v = 0")
    eventually(lambda: sqlstate() is None)
    assert rows(load(runtime, "quotients")) == Counter([(1, 2)])


def test_filters_leave_parts_unread_under_a_lease(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE large (k bigint, v text)")
    # Above the size of what is kept inline.
    runtime.query("INSERT INTO large SELECT g, repeat(md5(g::text), 20) FROM generate_series(1, 5000) g")
    runtime.query("INSERT INTO large SELECT g, repeat(md5(g::text), 20) FROM generate_series(8001, 9000) g")
    asked = source(runtime, "large", lease=1)
    reader = asked.reader(asked.schema())
    reader.pushFilters([In(("k",), (8500, 8600))])
    (partition,) = reader.partitions()
    assert isinstance(partition, SnapshotPartition)
    assert sum(part.rows for part in partition.piece.rest) == 1000
    assert partition.lease is not None
    consensus = SqliteConsensus(runtime.directory / "consensus.sqlite")
    try:
        persist = PersistClient(consensus, open_blob(partition.blobs), SystemClock())
        holders = {hold.holder for hold in consensus.leases()}
        assert partition.lease.holder in holders
        found = [row for batch in reader.read(partition) for row in batch.to_pylist()]
        assert len(found) == 1000
        persist.drop_hold(partition.piece.rest[0].shard, partition.lease.holder)
        with pytest.raises(ObjectNotReady, match="lease has expired"):
            list(reader.read(partition))
    finally:
        consensus.close()


def test_what_is_inline_needs_no_lease(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE little (k int)")
    runtime.query("INSERT INTO little VALUES (1)")
    asked = source(runtime, "little")
    (partition,) = asked.reader(asked.schema()).partitions()
    assert isinstance(partition, SnapshotPartition)
    assert partition.lease is None
    assert partition.piece.rest[0].nbytes < write.INLINE_MAX_BYTES


def test_a_small_relation_is_read_in_one_piece(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE small (k int, v text)")
    assert _small(runtime, "small", 1_000) == Counter()
    runtime.query("INSERT INTO small SELECT n, repeat('v', 100) FROM generate_series(1, 50) n")
    runtime.query("INSERT INTO small VALUES (50, repeat('v', 100))")
    runtime.query("DELETE FROM small WHERE k <= 10")
    everything = rows(load(runtime, "small"))
    assert everything[50, "v" * 100] == 2
    assert _small(runtime, "small", 1 << 20) == everything
    assert _small(runtime, "small", 1_000) is None


def test_a_row_that_is_there_many_times_is_not_small(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE many (k int)")
    runtime.query("INSERT INTO many SELECT 1 FROM generate_series(1, 300000)")
    runtime.query("CREATE MATERIALIZED VIEW alike AS SELECT k FROM many")
    eventually(lambda: len(load(runtime, "alike")) == 300_000)
    assert _small(runtime, "alike", 100_000) is None


def test_a_small_relation_leaves_no_lease(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE held (k int)")
    runtime.query("INSERT INTO held SELECT generate_series(1, 20000)")
    options = parse_options({"path": str(runtime.directory), "relation": "held"})
    consensus = SqliteConsensus(runtime.directory / "consensus.sqlite")
    try:
        before = {hold.holder for hold in consensus.leases()}
        assert small_table(options, 1 << 20) is not None
        assert small_table(options, 1_000) is None
        after = {hold.holder for hold in consensus.leases()}
    finally:
        consensus.close()
    assert not [holder for holder in after - before if holder.startswith("spark-")]


def _small(runtime: InProcess, relation: str, most_bytes: int) -> Counter[tuple[Any, ...]] | None:
    found = small_table(parse_options({"path": str(runtime.directory), "relation": relation}), most_bytes)
    return None if found is None else rows(found[1].to_pylist())


def test_names_and_times_that_are_not_there(runtime: InProcess) -> None:
    runtime.query('CREATE SCHEMA "Other"')
    runtime.query('CREATE TABLE "Other"."My.Table" (k int)')
    runtime.query("CREATE VIEW plain AS SELECT 1 AS one")
    assert load(runtime, '"Other"."My.Table"') == []
    with pytest.raises(UndefinedTable, match=r'"other.my"'):
        load(runtime, "Other.My")
    with pytest.raises(WrongObjectType, match="stores no rows"):
        load(runtime, "plain")
    with pytest.raises(ObjectNotReady, match="holds nothing yet"):
        load(runtime, '"Other"."My.Table"', as_of=4_102_444_800_000)
    runtime.query('INSERT INTO "Other"."My.Table" VALUES (1)')
    assert load(runtime, '"Other"."My.Table"') == [{"k": 1}]
    with pytest.raises(ObjectNotReady, match=r"not readable at 4102444800000: it is from [0-9]+ to [0-9]+"):
        load(runtime, '"Other"."My.Table"', as_of="2100-01-01 02:00+02")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "."}, "no name of a relation"),
        ({"path": ".", "relation": "a."}, "no name of a relation"),
        ({"path": ".", "relation": "other.public.t"}, "another database"),
        ({"path": ".", "relation": "t", "as_of": "soon"}, "is no time"),
        ({"path": ".", "relation": "t", "lease": "0"}, "no positive number"),
        ({"path": ".", "relation": "t", "colour": "red"}, "no option"),
        ({"relation": "t", "consensus": "sqlite:///x"}, "not named"),
    ],
)
def test_options_that_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        parse_options(options)


def test_a_stopped_environment_is_read_by_its_urls() -> None:
    with running(SETTINGS) as runtime:
        runtime.query("CREATE TABLE t (k int)")
        runtime.query("INSERT INTO t VALUES (1), (2)")
        runtime.stop()
        asked = PtvcSource(
            {
                "consensus": f"sqlite://{runtime.directory}/consensus.sqlite",
                "blob": f"file://{runtime.directory}/blobs",
                "relation": "t",
            }
        )
        reader = asked.reader(asked.schema())
        found = [row for p in reader.partitions() for b in reader.read(p) for row in b.to_pylist()]
        assert sorted(row["k"] for row in found) == [1, 2]
        runtime.start()
