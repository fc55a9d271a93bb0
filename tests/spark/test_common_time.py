"""One time for several relations, some of which have not changed for long, beside a runtime that keeps little history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from time import sleep
from typing import Any

import ptvc.spark
import pytest
from inprocess import InProcess, eventually, hydrated, running
from ptvc.config import Settings
from ptvc.coord.catalog.items import MaterializedView, Table
from ptvc.errors import InvalidParameter, ObjectNotReady, PtvcError, UndefinedTable, WrongObjectType
from ptvc.spark.source import PtvcSource

SETTINGS = Settings(tick_ms=50, compaction_interval_ms=50, retain_history_ms=50)

Contents = Counter[tuple[Any, ...]]


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running(SETTINGS) as runtime:
        yield runtime


def load(runtime: InProcess, relation: str, as_of: int) -> Contents:
    asked = PtvcSource({"path": str(runtime.directory), "relation": relation, "as_of": str(as_of)})
    reader = asked.reader(asked.schema())
    found: Contents = Counter()
    for partition in reader.partitions():
        for batch in reader.read(partition):
            found.update(zip(*batch.to_pydict().values(), strict=True))
    return found


def latest(runtime: InProcess, *relations: str, lease: int = 60) -> int:
    """Views may be behind what is retained of the others, for a moment."""
    found = []

    def there() -> bool:
        try:
            found.append(ptvc.spark.latest(*relations, path=str(runtime.directory), lease=lease))
        except ObjectNotReady as error:
            if "no time at which all" in error.message:
                return False
            raise
        return True

    eventually(there)
    return found[0]


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 4))])
def test_what_is_read_together_was_there_together(runtime: InProcess, seed: int) -> None:
    random = Random(seed)
    names = ("idle", "busy", "idle_counts", "busy_counts", "joined")
    relations = tuple(f"{name}{seed}" for name in names)
    idle, busy, idle_counts, busy_counts, joined = relations
    seen: list[tuple[Contents, ...]] = []
    with runtime.connect() as db:
        for table, view in ((idle, idle_counts), (busy, busy_counts)):
            db.execute(f"CREATE TABLE {table} (k int)")
            db.execute(f"INSERT INTO {table} VALUES (0)")
            db.execute(f"CREATE MATERIALIZED VIEW {view} AS SELECT k, count(*) AS n FROM {table} GROUP BY k")
        db.execute(
            f"CREATE MATERIALIZED VIEW {joined} AS SELECT i.k, i.n, b.n AS m FROM {idle_counts} i, {busy_counts} b"
        )
        while not hydrated(db, idle_counts, busy_counts, joined):
            pass

        def note() -> None:
            with db.transaction():
                seen.append(tuple(Counter(db.execute(f"SELECT * FROM {r}").fetchall()) for r in relations))

        last, noted = -1, -1
        for _ in range(12):
            for _ in range(random.randrange(1, 4)):
                table = idle if random.random() < 0.1 else busy
                if random.random() < 0.3:
                    db.execute(f"DELETE FROM {table} WHERE k = %s", (random.randrange(4),))
                else:
                    db.execute(f"INSERT INTO {table} VALUES (%s)", (random.randrange(4),))
                note()
            if random.random() < 0.5:
                sleep(random.random() / 5)
            time = latest(runtime, *relations)
            assert time >= last
            last = time
            for _ in range(random.randrange(3)):
                db.execute(f"INSERT INTO {busy} VALUES (7)")
                note()
            found = tuple(load(runtime, relation, time) for relation in relations)
            noted = max(place for place, contents in enumerate(seen) if contents == found)
        eventually(lambda: load(runtime, joined, latest(runtime, *relations)) == seen[-1][-1])
        assert noted >= 0
        tables = latest(runtime, idle, busy)
        assert (load(runtime, idle, tables), load(runtime, busy, tables)) == seen[-1][:2]


def test_it_stays_readable_for_the_lease(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE moving (k int)")
    runtime.query("CREATE TABLE resting (k int)")
    runtime.query("CREATE TABLE never (k int)")
    runtime.query("INSERT INTO resting VALUES (1)")
    for k in range(5):
        runtime.query(f"INSERT INTO moving VALUES ({k})")
    time = latest(runtime, "moving", "resting", "never")
    for k in range(20):
        runtime.query(f"INSERT INTO moving VALUES ({k})")
        runtime.query("UPDATE resting SET k = k + 1")
        runtime.query("INSERT INTO never VALUES (1)")
    sleep(0.3)
    assert load(runtime, "moving", time) == Counter((k,) for k in range(5))
    assert load(runtime, "resting", time) == Counter([(1,)])
    assert load(runtime, "never", time) == Counter()
    with pytest.raises(ObjectNotReady, match="not readable at"):
        load(runtime, "moving", time + 10_000_000)


def test_a_view_that_reads_the_time_is_complete_as_far_as_it_is_durable(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE events (k int, until bigint)")
    runtime.query("CREATE TABLE elsewhere (k int) WITH (RETAIN HISTORY FOR '1h')")
    runtime.query("INSERT INTO events VALUES (1, 9000000000000)")
    runtime.query("INSERT INTO elsewhere VALUES (1)")
    runtime.query("CREATE MATERIALIZED VIEW current AS SELECT k FROM events WHERE mz_now() < until")
    with runtime.connect() as db:
        while not hydrated(db, "current"):
            pass
    runtime.query("SELECT * FROM current")
    eventually(lambda: load(runtime, "current", latest(runtime, "current")) == Counter([(1,)]))
    before = latest(runtime, "current")
    runtime.query("INSERT INTO elsewhere VALUES (2)")
    both = latest(runtime, "current", "elsewhere")
    assert both >= before
    assert latest(runtime, "elsewhere") > both or load(runtime, "elsewhere", both) == Counter([(1,), (2,)])


def test_what_is_refused(runtime: InProcess) -> None:
    path = str(runtime.directory)
    with pytest.raises(InvalidParameter, match="no relation is named"):
        ptvc.spark.latest(path=path)
    with pytest.raises(UndefinedTable):
        ptvc.spark.latest("nothing", path=path)
    runtime.query("CREATE VIEW plain AS SELECT 1 AS one")
    with pytest.raises(WrongObjectType):
        ptvc.spark.latest("plain", path=path)
    with pytest.raises(PtvcError, match="no option"):
        ptvc.spark.latest("plain", path=path, colour="red")


def test_nobody_writes_any_more(runtime: InProcess) -> None:
    runtime.query("CREATE TABLE quiet (k int)")
    runtime.query("INSERT INTO quiet VALUES (1)")
    runtime.query("CREATE MATERIALIZED VIEW large AS SELECT k FROM quiet WHERE k > 100")
    eventually(lambda: readable(runtime, "large"))
    catalog, persist = runtime.coordinator.catalog, runtime.persist
    table, view = (catalog.find("public", name) for name in ("quiet", "large"))
    assert isinstance(table, Table)
    assert isinstance(view, MaterializedView)
    written, seen = table.shard, view.shard

    def beyond() -> bool:
        """Whether the view is durable up to a time at which nobody has written."""
        runtime.query("INSERT INTO quiet VALUES (2)")
        eventually(lambda: persist.state(seen).upper >= persist.state(written).upper)
        return persist.state(seen).upper > persist.state(written).upper

    eventually(beyond)
    eventually(lambda: persist.state(seen).since >= persist.state(written).upper)
    time = latest(runtime, "quiet", "large")
    assert set(load(runtime, "quiet", time)) == {(1,), (2,)}
    assert not load(runtime, "large", time)


def readable(runtime: InProcess, relation: str) -> bool:
    """Whether the relation is hydrated, be it without rows, as persist says it."""
    try:
        ptvc.spark.latest(relation, path=str(runtime.directory), lease=1)
    except ObjectNotReady:
        return False
    return True
