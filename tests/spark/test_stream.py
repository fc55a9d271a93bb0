"""The changelog as a stream without a JVM: planned, read, committed and started again as Spark does it, beside a runtime
that goes on and merges."""

from __future__ import annotations

import json
import pickle
import traceback
from collections import Counter
from collections.abc import Iterator
from random import Random
from time import sleep
from typing import Any

import pytest
from inprocess import InProcess, eventually, hydrated, running
from ptvc.clock import SystemClock
from ptvc.config import Settings
from ptvc.errors import InvalidParameter, ObjectNotReady, PtvcError, UndefinedTable, Unsupported
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.location import open_blob
from ptvc.spark.changelog import ChangesPartition
from ptvc.spark.source import PtvcSource
from ptvc.spark.stream import ChangesReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes

SETTINGS = Settings(tick_ms=50, compaction_interval_ms=50, retain_history_ms=50)
"""What nobody holds is merged away at once."""

Told = Counter[tuple[Any, ...]]


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running(SETTINGS) as runtime:
        yield runtime


class Query:
    """What Spark does with a stream: offsets are logged before a batch is planned, and again when it is done."""

    def __init__(self, runtime: InProcess, relation: str, **options: object) -> None:
        given = {"path": str(runtime.directory), "relation": relation}
        self._source = PtvcSource(given | {key: str(value) for key, value in options.items()})
        self.offsets: list[str] = []
        self.committed = 0
        self.told: Told = Counter()
        self.batches: list[Told] = []
        self.reader = self._reader()

    def _reader(self) -> ChangesReader:
        reader = pickle.loads(pickle.dumps(self._source.streamReader(self._source.schema())))
        assert isinstance(reader, ChangesReader)
        return reader

    def restart(self) -> None:
        """As after a crash of the driver: a batch that was begun is made again."""
        self.reader.stop()
        self.reader = self._reader()
        if self.committed < len(self.offsets):
            self.finish()

    def begin(self) -> bool:
        """Logs the end of a next batch, if there is one: of the first one always."""
        start = self.offsets[-1] if self.offsets else json.dumps(self.reader.initialOffset())
        if not self.offsets:
            self.first = start
        end = json.dumps(self.reader.latestOffset(json.loads(start), self.reader.getDefaultReadLimit()))
        if self.offsets and end == start:
            return False
        self.offsets.append(end)
        return True

    def read(self) -> Told:
        """The batch that is logged last."""
        if len(self.offsets) > 1:
            start = self.offsets[-2]
        else:
            start = getattr(self, "first", "") or json.dumps(self.reader.initialOffset())
        partitions = self.reader.partitions(json.loads(start), json.loads(self.offsets[-1]))
        found: Told = Counter()
        worker = pickle.loads(pickle.dumps(self.reader))
        for partition in partitions:
            for batch in worker.read(pickle.loads(pickle.dumps(partition))):
                for *row, time, diff in zip(*batch.to_pydict().values(), strict=True):
                    found[*row, time] += diff
        return Counter({key: diff for key, diff in found.items() if diff})

    def finish(self, *, crash: bool = False) -> None:
        """With `crash` the batch is noted as done, and the source does not hear of it."""
        found = self.read()
        self.batches.append(found)
        for key, diff in found.items():
            assert key not in self.told, "a change is told once"
            self.told[key] = diff
        self.committed = len(self.offsets)
        if crash:
            self.restart()
        else:
            self.reader.commit(json.loads(self.offsets[-1]))

    def run(self) -> None:
        """Until nothing is left."""
        if self.committed < len(self.offsets):
            self.finish()
        while self.begin():
            self.finish()

    def at(self, time: int) -> Told:
        found: Told = Counter()
        for (*row, when), diff in self.told.items():
            if when <= time:
                found[tuple(row)] += diff
        return Counter({row: count for row, count in found.items() if count})

    @property
    def upper(self) -> int:
        return int(json.loads(self.offsets[-1])["upper"])


def change(db: Any, random: Random, table: str) -> None:
    match random.randrange(4):
        case 0 | 1:
            values = ", ".join(f"({random.randrange(9)}, '{random.choice('abc')}')" for _ in range(5))
            db.execute(f"INSERT INTO {table} VALUES {values}")
        case 2:
            db.execute(f"UPDATE {table} SET v = 'u' WHERE k = %s", (random.randrange(9),))
        case _:
            db.execute(f"DELETE FROM {table} WHERE k = %s", (random.randrange(9),))


def contents(db: Any, *relations: str) -> tuple[int, list[Told]]:
    """A time, and what the relations hold then."""
    with db.transaction():
        (time,) = db.execute("SELECT mz_now()::text").fetchone()
        return int(time), [Counter(db.execute(f"SELECT * FROM {name}").fetchall()) for name in relations]


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 20))])
def test_the_stream_is_the_changelog_wherever_it_is_started_again(runtime: InProcess, seed: int) -> None:
    random = Random(seed)
    table, view = f"log{seed}", f"log_counts{seed}"
    with runtime.connect() as db:
        db.execute(f"CREATE TABLE {table} (k int, v text)")
        db.execute(f"CREATE MATERIALIZED VIEW {view} AS SELECT v, count(*) AS n FROM {table} GROUP BY v")
        while not hydrated(db, view):
            pass
        db.execute(f"INSERT INTO {table} VALUES (0, 'a')")
        db.execute(f"SELECT * FROM {view}").fetchall()
        small = {"partition_bytes": 200, "max_bytes": 300}
        queries = [
            Query(runtime, table, starting="snapshot"),
            Query(runtime, table, starting="snapshot", **small),
            Query(runtime, f"public.{view}", starting="snapshot", **small),
        ]
        seen = []
        for _ in range(25):
            for _ in range(random.randrange(3)):
                change(db, random, table)
            seen.append(contents(db, table, view))
            for query in queries:
                for _ in range(random.randrange(3)):
                    if random.random() < 0.4:
                        query.restart()
                    if query.begin() and random.random() < 0.5:
                        query.finish() if random.random() < 0.5 else query.read()
                    if query.committed < len(query.offsets):
                        # A batch is done before the next one is begun.
                        query.finish(
                            crash=random.random() < 0.3
                        ) if random.random() < 0.5 else query.restart()

        def complete() -> bool:
            for query in queries:
                query.run()
            return [query.at(query.upper) for query in queries] == [seen[-1][1][i] for i in (0, 0, 1)]

        eventually(complete)
    for query, place in zip(queries, (0, 0, 1), strict=True):
        begin = json.loads(query.offsets[0])["begin"]
        for time, found in seen:
            if time >= begin:
                assert query.at(time) == found[place]
        query.reader.stop()
    assert len(queries[1].batches) > 3


def test_a_first_batch_that_failed_is_the_same_again(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE first_batch (k int)")
    runtime.query("INSERT INTO first_batch VALUES (1), (1), (2)")
    query = Query(runtime, "first_batch", starting="snapshot")
    runtime.query("DELETE FROM first_batch WHERE k = 2")
    assert query.begin()
    expected = query.read()
    runtime.query("INSERT INTO first_batch VALUES (3)")
    del query.first  # Spark asks for another begin, which is later
    query.restart()
    assert query.batches == [expected]
    query.run()
    assert query.at(query.upper) == Counter({(1,): 2, (3,): 1})
    holders = leases(runtime)
    assert json.loads(query.offsets[0])["holder"] in holders
    query.reader.stop()
    assert leases(runtime) == holders, "what a stopped query has still to tell is kept"


def leases(runtime: InProcess) -> set[str]:
    consensus = SqliteConsensus(runtime.directory / "consensus.sqlite")
    try:
        return {hold.holder for hold in consensus.leases() if hold.holder.startswith("spark-stream")}
    finally:
        consensus.close()


def test_from_a_time_and_from_now_on(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE timed (k int) WITH (RETAIN HISTORY FOR '1h')")
        before, _ = contents(db, "timed")
        db.execute("INSERT INTO timed VALUES (1)")
        db.execute("INSERT INTO timed VALUES (2)")
        after, _ = contents(db, "timed")
        whole = Query(runtime, "timed", starting=before)
        latest = Query(runtime, "timed", starting="latest")
        assert latest.reader.initialOffset() == latest.reader.initialOffset()
        latest.run()
        db.execute("INSERT INTO timed VALUES (3)")
        db.execute("DELETE FROM timed WHERE k = 1")
        behind = Query(runtime, "timed", starting=after + 1)
    for query in (whole, latest, behind):
        query.run()
        query.reader.stop()
    assert latest.told == behind.told
    assert sorted((row[0], diff) for row, diff in latest.told.items()) == [(1, -1), (3, 1)]
    assert whole.at(whole.upper) == Counter([(2,), (3,)])
    assert sorted((row[0], diff) for row, diff in whole.told.items()) == [(1, -1), (1, 1), (2, 1), (3, 1)]


def test_from_a_time_that_is_still_to_come(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE future (k int)")
        db.execute("INSERT INTO future VALUES (1)")
        now, _ = contents(db, "future")
        query = Query(runtime, "future", starting=now + 1_000)
        query.run()
        assert query.batches == [Counter()]
        db.execute("INSERT INTO future VALUES (2)")
        query.restart()
        query.run()
        assert not query.told
        sleep(1)
        db.execute("INSERT INTO future VALUES (3)")
        query.run()
        assert [row[0] for row in query.told] == [3]
        query.reader.stop()


def test_a_table_that_is_empty_so_far(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE empty_so_far (k int)")
    for starting in ("latest", "snapshot", 0):
        query = Query(runtime, "empty_so_far", starting=starting)
        query.run()
        assert query.batches == [Counter()]
        runtime.query("INSERT INTO empty_so_far VALUES (1)")
        query.restart()
        query.run()
        assert query.at(query.upper) == Counter([(1,)])
        query.reader.stop()
        runtime.query("DROP TABLE empty_so_far")
        runtime.query("CREATE TABLE empty_so_far (k int)")


def test_available_now_ends_and_limits_hold(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE bounded (k int)")
    for k in range(6):
        runtime.query(f"INSERT INTO bounded VALUES ({k})")
    query = Query(runtime, "bounded", starting="snapshot", max_bytes=1)
    assert query.reader.getDefaultReadLimit() == ReadMaxBytes(1)
    assert query.begin()
    query.finish()
    for k in range(6, 12):
        runtime.query(f"INSERT INTO bounded VALUES ({k})")
    query.reader.prepareForTriggerAvailableNow()
    runtime.query("INSERT INTO bounded VALUES (99)")
    query.run()
    assert query.at(query.upper) == Counter((k,) for k in range(12))
    assert len(query.batches) >= 4
    query.restart()
    last = json.loads(query.offsets[-1])
    assert query.reader.latestOffset(last, ReadAllAvailable())["upper"] > last["upper"]
    assert query.reader.reportLatestOffset()["upper"] > last["upper"]
    query.reader.stop()


def test_limits_hold_for_what_was_merged(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE merged (k int)")
    runtime.query("INSERT INTO merged VALUES (-1)")
    query = Query(runtime, "merged", starting="snapshot", max_bytes=1500)
    assert query.begin()
    query.finish()
    for k in range(64):
        runtime.query(f"INSERT INTO merged VALUES ({k})")
    consensus = SqliteConsensus(runtime.directory / "consensus.sqlite")
    try:
        persist = PersistClient(consensus, open_blob(f"file://{runtime.directory}/blobs"), SystemClock())
        shard = json.loads(query.offsets[-1])["shard"]

        def parts() -> int:
            state = persist.state(shard)
            return len(persist.updates(shard, query.upper, state.upper))

        eventually(lambda: parts() < 12)
    finally:
        consensus.close()
    query.run()
    assert query.at(query.upper) == Counter((k,) for k in range(-1, 64))
    assert len(query.batches) > 3
    assert max(map(len, query.batches)) < 40
    query.reader.stop()


def test_history_that_is_gone_is_an_error_that_says_from_when_on_it_is_there(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE forgotten (k int)")
    runtime.query("INSERT INTO forgotten VALUES (1)")
    query = Query(runtime, "forgotten", starting="snapshot")
    query.run()
    query.reader.stop()
    consensus = SqliteConsensus(runtime.directory / "consensus.sqlite")
    try:
        persist = PersistClient(consensus, open_blob(f"file://{runtime.directory}/blobs"), SystemClock())
        last = json.loads(query.offsets[-1])
        persist.drop_hold(last["shard"], last["holder"])  # as its lease has expired
        for k in range(5):
            runtime.query(f"INSERT INTO forgotten VALUES ({k})")
        eventually(lambda: persist.state(last["shard"]).since >= last["upper"])
    finally:
        consensus.close()
    query.restart()
    with pytest.raises(ObjectNotReady, match=r"not there any more: its history begins at [0-9]+") as caught:
        query.begin()
    assert "RETAIN HISTORY" in "".join(traceback.format_exception(caught.value))
    with pytest.raises(ObjectNotReady, match="not there any more"):
        Query(runtime, "forgotten", starting=5).begin()
    assert last["holder"] not in leases(runtime)


def test_errors_are_raised_before_a_batch_is_logged_and_it_goes_on_once_they_are_gone(
    runtime: InProcess,
) -> None:
    runtime.query("CREATE TABLE divided (k int, v int)")
    runtime.query("CREATE MATERIALIZED VIEW quotient AS SELECT k, 10 / v AS q FROM divided")
    with runtime.connect() as db:
        while not hydrated(db, "quotient"):
            pass
    runtime.query("INSERT INTO divided VALUES (1, 5)")
    runtime.query("SELECT * FROM quotient")
    query = Query(runtime, "quotient", starting="snapshot", max_bytes=1)
    eventually(query.begin)
    query.finish()
    runtime.query("INSERT INTO divided VALUES (2, 2), (3, 0)")

    def fails() -> bool:
        try:
            query.begin()
        except PtvcError as error:
            return error.sqlstate == "22012"
        return False

    eventually(fails)
    query.restart()
    eventually(fails)
    assert len(query.offsets) == 1
    kept = leases(runtime)
    with pytest.raises(PtvcError, match="division by zero"):
        Query(runtime, "quotient", starting="latest").begin()
    assert leases(runtime) == kept
    runtime.query("INSERT INTO divided VALUES (4, 10)")
    runtime.query("DELETE FROM divided WHERE k = 3")
    eventually(lambda: not fails())
    eventually(lambda: query.run() or len(query.at(query.upper)) == 3)
    assert query.at(query.upper) == Counter([(1, 2), (2, 5), (4, 1)])
    query.reader.stop()


def test_definitions_that_change_under_a_query(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE defined (a int, b text)")
    runtime.query("INSERT INTO defined VALUES (1, 'x')")
    query = Query(runtime, "defined", starting="snapshot")
    query.run()
    runtime.query("ALTER TABLE defined ADD COLUMN c int DEFAULT 7")
    runtime.query("INSERT INTO defined VALUES (2, 'y', 8)")
    query.run()
    assert query.at(query.upper) == Counter([(1, "x"), (2, "y")])
    runtime.query("ALTER TABLE defined DROP COLUMN b")
    runtime.query("INSERT INTO defined VALUES (3, 9)")
    with pytest.raises(ObjectNotReady, match=r'column "b" of "public\.defined" was dropped'):
        query.begin()
    last = query.offsets[-1]
    query.reader.stop()
    again = Query(runtime, "defined", starting="snapshot")
    again.offsets, again.committed = [last], 1
    again.run()
    assert [row[:2] for row in again.told] == [(3, 9)]
    runtime.query("DROP TABLE defined")
    with pytest.raises(UndefinedTable, match="was dropped"):
        again.begin()
    again.reader.stop()
    runtime.query("CREATE TABLE defined (a int, c int)")
    other = Query(runtime, "defined", starting="latest")
    other.offsets, other.committed = [last], 1
    with pytest.raises(ObjectNotReady, match="another one than the query has followed"):
        other.begin()
    other.reader.stop()


def test_many_parts_of_blobs_are_read_in_parallel(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE wide (k bigint, v text)")
    runtime.query("INSERT INTO wide SELECT g, repeat(md5(g::text), 2) FROM generate_series(1, 5000) g")
    query = Query(runtime, "wide", starting="snapshot", partition_bytes=200_000)
    runtime.query("DELETE FROM wide WHERE k % 2 = 0")
    runtime.query("INSERT INTO wide SELECT g, 'new' FROM generate_series(5001, 9000) g")
    assert query.begin()
    start, end = json.loads(query.first), json.loads(query.offsets[-1])
    planned = query.reader.partitions(start, end)
    assert {type(partition) for partition in planned} == {ChangesPartition}
    assert sum(partition.contents for partition in planned if isinstance(partition, ChangesPartition)) > 1
    assert query.reader.partitions(end, end) == []
    query.finish()
    found = query.at(query.upper)
    assert found.total() == 6500
    assert {row[0] for row in found} == {*range(1, 5000, 2), *range(5001, 9001)}
    query.reader.stop()


def test_changes_of_some_time_as_a_frame(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("CREATE TABLE framed (k int, v text) WITH (RETAIN HISTORY FOR '1h')")
        start, _ = contents(db, "framed")
        db.execute("INSERT INTO framed SELECT g, md5(g::text) FROM generate_series(1, 4000) g")
        middle, _ = contents(db, "framed")
        db.execute("DELETE FROM framed WHERE k > 10")
        end, _ = contents(db, "framed")
        db.execute("INSERT INTO framed VALUES (0, 'x')")

    def read(**options: object) -> Counter[tuple[int, int]]:
        given = {"path": str(runtime.directory), "relation": "framed"}
        source = PtvcSource(given | {key: str(value) for key, value in options.items()})
        reader = pickle.loads(pickle.dumps(source.reader(source.schema())))
        found: Counter[tuple[int, int]] = Counter()
        for partition in reader.partitions():
            for batch in reader.read(pickle.loads(pickle.dumps(partition))):
                found.update(
                    zip(batch.column("k").to_pylist(), batch.column("_diff").to_pylist(), strict=True)
                )
        return found

    kept = leases(runtime)
    come = Counter((k, 1) for k in range(1, 4001))
    gone = Counter((k, -1) for k in range(11, 4001))
    assert read(starting=start, as_of=middle) == come
    assert read(starting=start, as_of=end, partition_bytes=50_000) == come + gone
    assert read(starting=middle + 1, as_of=end, lease=1) == gone
    assert read(starting=end + 1) == Counter([(0, 1)])
    assert leases(runtime) - kept, "blobs are kept by leases"
    kept = leases(runtime)
    assert read(starting=end + 1, as_of=end + 1) == Counter()
    assert read(starting=4_102_444_800_000) == Counter()
    assert leases(runtime) == kept
    with pytest.raises(ObjectNotReady, match="not there any more"):
        read(starting=5)
    with pytest.raises(ObjectNotReady, match="not readable at"):
        read(starting=start, as_of=4_102_444_800_000)


def test_what_is_refused(runtime: InProcess) -> None:
    path = {"path": str(runtime.directory)}
    runtime.query("CREATE TABLE taken (_time int)")
    with pytest.raises(Unsupported, match='column "_time"'):
        PtvcSource({**path, "relation": "taken", "starting": "latest"}).schema()
    plain = PtvcSource({**path, "relation": "taken"})
    with pytest.raises(InvalidParameter, match="needs to know where it begins") as caught:
        plain.streamReader(plain.schema())
    assert "HINT: Give option" in "".join(traceback.format_exception(caught.value))
    stream = PtvcSource({**path, "relation": "taken", "starting": "latest"})
    with pytest.raises(InvalidParameter, match=r"starting latest is for spark\.readStream"):
        stream.reader(plain.schema())
    stream = PtvcSource({**path, "relation": "taken", "starting": "5", "as_of": "5"})
    with pytest.raises(InvalidParameter, match=r"as_of is an option of spark\.read"):
        stream.streamReader(plain.schema())
    with pytest.raises(InvalidParameter, match=r"max_bytes is an option of spark\.readStream"):
        PtvcSource({**path, "relation": "taken", "starting": "5", "max_bytes": "5"}).reader(plain.schema())
    with pytest.raises(InvalidParameter, match='starting "soon" is no time'):
        PtvcSource({**path, "relation": "taken", "starting": "soon"}).schema()
    runtime.query("CREATE TABLE fine (k int)")
    reader = PtvcSource({**path, "relation": "fine", "starting": "latest"}).streamReader(plain.schema())
    with pytest.raises(InvalidParameter, match="columns are not those"):
        reader.initialOffset()
    query = Query(runtime, "fine", starting="latest")
    assert query.begin()
    with pytest.raises(InvalidParameter, match="offsets of version 2"):
        query.reader.latestOffset({**json.loads(query.first), "version": 2}, ReadAllAvailable())
    query.reader.stop()
