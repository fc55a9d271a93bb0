"""ALTER CLUSTER that asks for replicas of another shape: the new ones come up beside the old, and readers do not notice."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import psycopg
import pytest
from inprocess import FAST, WAIT_S, InProcess, eventually, rows, running
from ptvc.coord.controller.replicas import ReplicaClient
from ptvc.coord.controller.rescaling import hand_overs
from ptvc.replica.protocol import ReplicaWaits

MOST_S = 1.0


@pytest.fixture
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        fill(runtime)
        yield runtime


VIEWS = {
    "sums": "SELECT k, sum(v) AS s, count(*) AS n FROM t GROUP BY k",
    "newest": "SELECT DISTINCT ON (k) k, v FROM t ORDER BY k, v DESC",
}


def fill(runtime: InProcess) -> None:
    runtime.query("CREATE CLUSTER c")
    with runtime.connect() as db:
        db.execute("CREATE TABLE t (k int, v int)")
        db.execute("INSERT INTO t SELECT v % 50, v FROM generate_series(1, 2000) AS v")
        db.execute("SET cluster = c")
        for name, query in VIEWS.items():
            db.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}".encode())
        db.execute("CREATE INDEX by_k ON sums (k)")
    eventually(lambda: hydrated(runtime) == 3)


def hydrated(runtime: InProcess) -> int:
    """How many objects are, on replicas of the cluster."""
    replicas = runtime.coordinator.controller.clusters.of("c")
    return sum(len(replica.hydrated) for replica in replicas)


def names(runtime: InProcess) -> list[str]:
    return [replica.name for replica in runtime.coordinator.controller.clusters if replica.cluster == "c"]


def handed_over(runtime: InProcess, workers: int) -> bool:
    """Whether all that there is in the cluster is of so many workers, and up."""
    replicas = [r for r in runtime.coordinator.controller.clusters if r.cluster == "c"]
    return all(r.options.workers == workers and r.connected.is_set() for r in replicas)


def check(runtime: InProcess) -> None:
    with runtime.connect() as db:
        for name, query in VIEWS.items():
            found, expected = (Counter(rows(db, text)) for text in (f"SELECT * FROM {name}", query))
            assert found == expected, name


class Reader:
    """Writes a row to key 7 and looks its sum up, ten times a second: what is read is what was written.  `longest` is how long a read took."""

    def __init__(self, runtime: InProcess) -> None:
        self._runtime = runtime
        self._stop = threading.Event()
        self._failure: BaseException | None = None
        self.longest = 0.0
        self.reads = 0

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        thread = threading.Thread(target=self._run)
        thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            thread.join()
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            with self._runtime.connect() as db:
                db.execute("SET cluster = c")
                ((expected,),) = rows(db, "SELECT sum(v) FROM t WHERE k = 7")
                while not self._stop.is_set():
                    db.execute("INSERT INTO t VALUES (7, 1)")
                    expected += 1
                    for query in (
                        "SELECT s FROM sums WHERE k = 7",
                        "SELECT sum(s) FROM sums WHERE k % 50 = 7",
                    ):
                        began = monotonic()
                        assert rows(db, query) == [(expected,)]
                        self.longest = max(self.longest, monotonic() - began)
                    self.reads += 1
                    sleep(0.1)
        except BaseException as error:
            self._failure = error


def test_readers_go_on_while_the_new_ones_come_up(runtime: InProcess) -> None:
    driver = runtime.driver
    for workers in (2, 3, 1):
        with Reader(runtime).reading() as reader:
            eventually(lambda r=reader: r.reads > 2)
            driver.replicas_may_start.clear()
            runtime.query(f"ALTER CLUSTER c SET (WORKERS {workers})")
            before = reader.reads
            sleep(1.5)
            driver.replicas_may_start.set()
            eventually(lambda n=workers: handed_over(runtime, n))
            after = reader.reads
            eventually(lambda r=reader, n=after: r.reads > n + 3)
            assert after - before > 4
        assert reader.longest < MOST_S
        check(runtime)


def test_the_last_alteration_counts(runtime: InProcess) -> None:
    runtime.driver.replicas_may_start.clear()
    for workers, there in ((2, ["r1", "r2"]), (3, ["r1", "r3"]), (4, ["r1", "r2"])):
        runtime.query(f"ALTER CLUSTER c SET (WORKERS {workers})")
        assert sorted(names(runtime)) == there
        check(runtime)
    runtime.query("ALTER CLUSTER c SET (WORKERS 1)")  # as it is
    assert names(runtime) == ["r1"]
    runtime.query("ALTER CLUSTER c SET (WORKERS 2, REPLICATION FACTOR 2)")
    assert names(runtime)[0] == "r1"
    assert len(names(runtime)) == 3
    runtime.driver.replicas_may_start.set()
    eventually(lambda: handed_over(runtime, 2))
    assert len(names(runtime)) == 2
    check(runtime)


def test_clusters_are_dropped_and_swapped_meanwhile(runtime: InProcess) -> None:
    runtime.query("CREATE CLUSTER d (WORKERS 3)")
    runtime.driver.replicas_may_start.clear()
    runtime.query("ALTER CLUSTER c SET (WORKERS 2)")
    runtime.query("CREATE CLUSTER gone")
    runtime.query("ALTER CLUSTER gone SET (WORKERS 2)")
    runtime.query("ALTER CLUSTER c SWAP WITH d")
    check(runtime)
    runtime.query("DROP CLUSTER gone")
    runtime.driver.replicas_may_start.set()
    eventually(lambda: shapes(runtime) == {"quickstart": {1}, "c": {3}, "d": {2}})
    check(runtime)
    runtime.query("ALTER CLUSTER d SWAP WITH c")
    runtime.query("SET cluster = c")
    assert runtime.query("SELECT n FROM sums WHERE k = 7") == [(40,)]
    runtime.driver.replicas_may_start.clear()
    runtime.query("ALTER CLUSTER c SET (WORKERS 3)")
    runtime.query("DROP CLUSTER c CASCADE")
    assert "c" not in shapes(runtime)


def shapes(runtime: InProcess) -> dict[str, set[int]]:
    """The workers of the replicas of each cluster."""
    found: dict[str, set[int]] = {}
    for replica in runtime.coordinator.controller.clusters:
        found.setdefault(replica.cluster, set()).add(replica.options.workers)
    return found


def test_without_room_the_old_one_ends_first() -> None:
    with running(replace(FAST, replica_slots=3)) as runtime:
        runtime.query("CREATE CLUSTER spare")
        fill(runtime)
        with runtime.connect() as db:
            said: list[str | None] = []
            db.add_notice_handler(lambda notice: said.append(notice.message_primary))
            db.execute("ALTER CLUSTER c SET (WORKERS 2)")
            assert [text for text in said if "no room for more than 3 replicas" in (text or "")] == said != []
            assert names(runtime) == ["r2"]
            check(runtime)
            assert tails(runtime) == [0, 0, 0]
        runtime.query("DROP CLUSTER spare")
        runtime.driver.replicas_may_start.clear()
        runtime.query("ALTER CLUSTER c SET (WORKERS 3)")
        assert names(runtime) == ["r2", "r1"]
        runtime.query("CREATE CLUSTER other")  # which needs the room
        assert names(runtime) == ["r1"]
        runtime.driver.replicas_may_start.set()
        check(runtime)
        eventually(lambda: handed_over(runtime, 3))


def tails(runtime: InProcess) -> list[int]:
    """How many rows of their inputs the objects have read when they began."""
    (replica,) = runtime.coordinator.controller.clusters.of("c")
    eventually(lambda: len(replica.hydrated) == 3)
    return [hydrated.rows for hydrated in replica.hydrated.values()]


@pytest.mark.parametrize("ending", [InProcess.stop, InProcess.abandon])
def test_a_restart_meanwhile_begins_with_the_new_options(
    runtime: InProcess, ending: Callable[[InProcess], None]
) -> None:
    for workers in (2, 1, 3):
        runtime.driver.replicas_may_start.clear()
        runtime.query(f"ALTER CLUSTER c SET (WORKERS {workers})")
        assert len(names(runtime)) == 2
        ending(runtime)
        runtime.start()
        assert len(names(runtime)) == 1
        check(runtime)
        eventually(lambda n=workers: handed_over(runtime, n))
        assert sum(tails(runtime)) < 100, "they have gone on from the checkpoints"
        eventually(lambda: folders(runtime) == set(names(runtime)))
        runtime.query("INSERT INTO t VALUES (7, 1)")


def folders(runtime: InProcess) -> set[str]:
    """Whose state is there, of any object of the cluster."""
    ids = {id_ for r in runtime.coordinator.controller.clusters.of("c") for id_ in r.hydrated}
    found = (path for id_ in ids for path in (runtime.directory / "state" / id_).iterdir())
    return {path.name for path in found}


@pytest.mark.parametrize("victim", ["r1", "r2"])
def test_either_dies_meanwhile(runtime: InProcess, victim: str) -> None:
    for workers in (2, 3):
        with Reader(runtime).reading() as reader:
            eventually(lambda r=reader: r.reads > 1)
            runtime.query(f"ALTER CLUSTER c SET (WORKERS {workers})")
            for _ in range(3):
                reads = reader.reads
                if victim in names(runtime):
                    with suppress(KeyError, StopIteration):  # it has not dialled in yet, or has gone
                        runtime.kill_replica("c", victim)
                eventually(lambda r=reader, n=reads: r.reads > n)
            eventually(lambda n=workers: handed_over(runtime, n))
        check(runtime)


def test_what_is_created_and_dropped_meanwhile(runtime: InProcess) -> None:
    runtime.driver.replicas_may_start.clear()
    runtime.query("ALTER CLUSTER c SET (WORKERS 2)")
    query = "SELECT v % 3 AS m, max(k) AS k FROM t GROUP BY v % 3"
    runtime.query(f"CREATE MATERIALIZED VIEW late IN CLUSTER c AS {query}")
    runtime.query("DROP INDEX by_k")
    assert sorted(runtime.query("SELECT * FROM late")) == sorted(runtime.query(query))
    runtime.driver.replicas_may_start.set()
    eventually(lambda: handed_over(runtime, 2))
    (replica,) = runtime.coordinator.controller.clusters.of("c")
    assert len(replica.hydrated) == 3
    assert sorted(runtime.query("SELECT * FROM late")) == sorted(runtime.query(query))
    check(runtime)


def test_a_subscription_goes_on(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("SET cluster = c")
        db.execute("BEGIN")
        db.execute("DECLARE s CURSOR FOR SUBSCRIBE (SELECT count(*) AS n FROM t) WITH (SNAPSHOT = true)")
        told: Counter[int] = Counter()

        def comes_to(n: int) -> bool:
            for _, diff, value in rows(db, "FETCH ALL s WITH (timeout = '100ms')"):
                told[value] += diff
            return +told == Counter([n])

        eventually(lambda: comes_to(2000))
        for workers, n in ((2, 2001), (1, 2002)):
            runtime.query(f"ALTER CLUSTER c SET (WORKERS {workers})")
            eventually(lambda w=workers: handed_over(runtime, w))
            runtime.query("INSERT INTO t VALUES (1, 1)")
            eventually(lambda m=n: comes_to(m))


def test_sources_and_sinks_move_once(runtime: InProcess, tmp_path: Path) -> None:
    lines, out = tmp_path / "in.jsonl", tmp_path / "out"
    lines.write_text('{"a": 0}\n')
    runtime.query(f"CREATE SOURCE s (a int) IN CLUSTER c FROM FILE '{lines}' FORMAT JSON")
    runtime.query(f"CREATE SINK k IN CLUSTER c FROM s INTO FILE '{out}' FORMAT JSON ENVELOPE DEBEZIUM")
    count = 1

    def add() -> None:
        nonlocal count
        with lines.open("a") as file:
            file.write(f'{{"a": {count}}}\n')
        count += 1

    def written() -> list[str]:
        return [line for file in sorted(out.glob("*.jsonl")) for line in file.read_text().splitlines()]

    for workers in (2, 1, 3):
        add()
        runtime.query(f"ALTER CLUSTER c SET (WORKERS {workers})")
        while not handed_over(runtime, workers):
            add()
            sleep(0.02)
        add()
        eventually(lambda: runtime.query("SELECT a FROM s ORDER BY a") == [(i,) for i in range(count)])
    eventually(lambda: len(written()) >= count)
    assert sorted(json.loads(line)["after"]["a"] for line in written()) == list(range(count))


def test_one_that_cannot_start_leaves_the_old_one(runtime: InProcess) -> None:
    runtime.driver.replicas_may_start.clear()
    runtime.query("ALTER CLUSTER c SET (WORKERS 2)")
    (old, new) = runtime.coordinator.controller.clusters.of("c")
    eventually(lambda: runtime.driver.started[-1].replica == new.id)  # the driver hears of it in its turn
    epoch = runtime.driver.started[-1].epoch
    waits = ReplicaWaits(new.id, epoch, False, "no executor has 2 cores free for it")
    runtime.call(lambda: new.waits(waits))
    reason = "SELECT reason FROM mz_internal.mz_cluster_replica_statuses WHERE replica_id = %s"
    ((said,),) = runtime.query(reason, (new.id,))
    assert "no executor has 2 cores free for it" in said
    runtime.query("INSERT INTO t VALUES (7, 1)")
    check(runtime)
    assert old.connected.is_set()
    runtime.driver.replicas_may_start.set()
    eventually(lambda: handed_over(runtime, 2))


def test_waiting_until_ready(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute(
            "ALTER CLUSTER c SET (WORKERS 2) WITH (WAIT UNTIL READY (TIMEOUT = '60s', ON TIMEOUT = ROLLBACK))"
        )
        assert [r.options.workers for r in runtime.coordinator.controller.clusters.of("c")] == [2]
        db.execute(
            "ALTER CLUSTER c SET (MEMORY LIMIT '1GB') WITH (WAIT FOR '60s')"
        )  # there is nothing to wait for
        runtime.driver.replicas_may_start.clear()
        for waiting in ("WAIT FOR '100ms'", "WAIT UNTIL READY (TIMEOUT '100ms', ON TIMEOUT ROLLBACK)"):
            with pytest.raises(
                psycopg.Error, match=r"were not ready within 0\.1 s: it is as it was"
            ) as error:
                db.execute(f"ALTER CLUSTER c SET (WORKERS 3) WITH ({waiting})".encode())
            assert error.value.sqlstate == "57014"
            assert runtime.coordinator.catalog.cluster_options("c").workers == 2
            assert names(runtime) == ["r2"]
        said: list[str | None] = []
        db.add_notice_handler(lambda notice: said.append(notice.message_primary))
        db.execute("ALTER CLUSTER c RESET (WORKERS) WITH (WAIT UNTIL READY (TIMEOUT '100ms'))")
        assert "were not ready within 0.1 s: the others have ended" in (said[-1] or "")
        assert names(runtime) == ["r1"]
        runtime.driver.replicas_may_start.set()
        eventually(lambda: handed_over(runtime, 1))
        for wrong in (
            "UNTIL READY (ON TIMEOUT COMMIT)",
            "UNTIL READY (TIMEOUT '1s', ON TIMEOUT STAY)",
            "FOR 3",
        ):
            with pytest.raises(psycopg.errors.SyntaxError):
                db.execute(f"ALTER CLUSTER c SET (WORKERS 3) WITH (WAIT {wrong})".encode())
        check(runtime)


READY = "WITH (WAIT UNTIL READY (TIMEOUT '{}', ON TIMEOUT ROLLBACK))"


@contextmanager
def waiting(runtime: InProcess, alteration: str, timeout: str) -> Iterator[list[psycopg.Error | None]]:
    """While a statement waits for new replicas; what it has ended with, behind."""
    ended: list[psycopg.Error | None] = []

    def run() -> None:
        try:
            runtime.query(f"{alteration} {READY.format(timeout)}")
            ended.append(None)
        except psycopg.Error as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    eventually(lambda: len(names(runtime)) > 1)
    yield ended
    thread.join(WAIT_S)


@pytest.mark.parametrize(
    ("other", "sqlstate"),
    [
        ("ALTER CLUSTER c SET (WORKERS 3)", "55000"),
        ("ALTER CLUSTER c RESET (WORKERS)", "55000"),
        ("DROP CLUSTER c CASCADE", "42704"),
    ],
)
def test_who_waits_for_what_will_never_be_is_told(runtime: InProcess, other: str, sqlstate: str) -> None:
    runtime.driver.replicas_may_start.clear()
    with waiting(runtime, "ALTER CLUSTER c SET (WORKERS 2)", "60s") as ended:
        runtime.query(other)
        eventually(lambda: ended)
    assert ended[0] is not None
    assert ended[0].sqlstate == sqlstate
    runtime.driver.replicas_may_start.set()


def test_who_waits_waits_on_when_other_options_change(runtime: InProcess) -> None:
    runtime.driver.replicas_may_start.clear()
    with waiting(runtime, "ALTER CLUSTER c SET (WORKERS 2)", "60s") as ended:
        runtime.query("ALTER CLUSTER c SET (MEMORY LIMIT '1GB')")
        sleep(0.3)
        assert ended == []
        runtime.driver.replicas_may_start.set()
    assert ended == [None]
    assert handed_over(runtime, 2)
    runtime.driver.replicas_may_start.clear()
    with waiting(runtime, "ALTER CLUSTER c SET (WORKERS 3)", "2s") as ended:
        runtime.query("ALTER CLUSTER c SET (MEMORY LIMIT '2GB')")
    assert ended[0] is not None
    assert ended[0].sqlstate == "57014"
    options = runtime.coordinator.catalog.cluster_options("c")
    assert (options.workers, options.memory_limit) == (2, 2 << 30), "what it has not altered stays"
    runtime.driver.replicas_may_start.set()


def test_one_that_has_answered_nothing_yet_does_not_take_over(
    runtime: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first query waits until there is a process for it."""
    asked, may_answer = threading.Event(), threading.Event()
    answers = hand_overs.answers

    async def slow(replica: ReplicaClient) -> bool:
        asked.set()
        return may_answer.is_set() and await answers(replica)

    monkeypatch.setattr(hand_overs, "answers", slow)
    runtime.query("ALTER CLUSTER c SET (WORKERS 2)")
    assert asked.wait(WAIT_S)
    check(runtime)
    assert names(runtime) == ["r1", "r2"]
    may_answer.set()
    eventually(lambda: names(runtime) == ["r2"])
    check(runtime)
