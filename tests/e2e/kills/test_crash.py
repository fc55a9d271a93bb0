"""Kill -9 of every process of a runtime, one after the other, under load.

After each: no acknowledged write is lost, nothing is there twice, every view is what its query says, a source holds its
file's lines, tables of a generator what it makes for one position, a sink's files hold each change once; and it is back within seconds, with no process left over.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import psycopg
import pytest
from ptvc.storage.source.generator.kinds import KINDS
from ptvc.storage.source.generator.options import GeneratorOptions

from ..conftest import running
from ..runtime_process import Runtime, alive

pytestmark = pytest.mark.slow

BACK_WITHIN_S = 120.0  # a machine may be busy; a quiet one takes some 10 s where the JVM has to start
GONE_WITHIN_S = 120.0
VIEWS = {
    "per_customer": "SELECT customer, count(*) AS orders, sum(amount) AS amount FROM orders GROUP BY customer",
    "named": "SELECT o.id, c.name, o.amount FROM orders o JOIN customers c ON c.id = o.customer",
    "extremes": "SELECT customer % 3 AS part, min(amount) AS least, max(amount) AS most FROM orders GROUP BY 1",
    "overview": "SELECT count(*) AS customers, sum(orders) AS orders, max(amount) AS most FROM per_customer",
    "lines": "SELECT kind, count(*) AS lines, sum(n) AS total FROM events GROUP BY kind",
}


class Load:
    """A client that inserts and deletes all the time, and a process that appends to a file that is read as a source.

    `inserted` and `deleted` are what was acknowledged; of what is in `unknown` (an id) the reply was lost.
    """

    def __init__(self, runtime: Runtime, file: Path) -> None:
        self._runtime = runtime
        self._file = file
        self.inserted: set[int] = set()
        self.deleted: set[int] = set()
        self.unknown: set[int] = set()
        self.lines = 0
        self._next = 0
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Load:
        self._stop.clear()
        self._threads = [threading.Thread(target=self._write), threading.Thread(target=self._append)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _write(self) -> None:
        while not self._stop.is_set():
            try:
                with self._runtime.connect() as connection:
                    while not self._stop.is_set():
                        self._statement(connection)
            except psycopg.Error:
                self._stop.wait(0.05)  # the coordinator is away

    def _statement(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        first = self._next
        self._next += 3
        ids = set(range(first, first + 3))
        gone = {first - 30} & self.inserted
        try:
            self.unknown |= ids
            values = ", ".join(f"({i}, {i % 17}, {i * 7 % 1000})" for i in sorted(ids))
            connection.execute(f"INSERT INTO orders VALUES {values}".encode())
            self.unknown -= ids
            self.inserted |= ids
            for id_ in gone:
                self.unknown.add(id_)
                connection.execute(f"DELETE FROM orders WHERE id = {id_}".encode())
                self.unknown.discard(id_)
                self.deleted.add(id_)
        finally:
            self._stop.wait(0.01)

    def _append(self) -> None:
        while not self._stop.wait(0.02):
            with self._file.open("a") as file:
                for _ in range(5):
                    file.write(json.dumps({"n": self.lines, "kind": f"kind {self.lines % 4}"}) + "\n")
                    self.lines += 1


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with running(
        "job_min_rows=150", "checkpoint_rows=20", "checkpoint_interval_ms=200", "spill_rows=50"
    ) as runtime:
        events = runtime.directory.parent / "events.jsonl"
        events.write_text("")
        runtime.run(
            "CREATE TABLE orders (id int NOT NULL, customer int NOT NULL, amount int NOT NULL)",
            "CREATE TABLE customers (id int NOT NULL, name text NOT NULL)",
            f"INSERT INTO customers VALUES {', '.join(f'({i}, $${i}$$)' for i in range(12))}",
            f"CREATE SOURCE events (n int, kind text) FROM FILE '{events}' FORMAT JSON",
            "CREATE SOURCE tpch FROM LOAD GENERATOR TPCH (SCALE FACTOR 0.0002, TICK INTERVAL '20ms')"
            " FOR TABLES (orders AS tpch_orders, lineitem) EXPOSE PROGRESS AS tpch_progress",
            *(f"CREATE MATERIALIZED VIEW {name} AS {query}" for name, query in VIEWS.items()),
            f"CREATE SINK changes FROM per_customer INTO FILE '{runtime.directory.parent / 'sink'}' FORMAT JSON ENVELOPE NONE",
        )
        runtime.eventually(lambda: runtime.run("SELECT * FROM overview"))
        yield runtime


@pytest.fixture(scope="module")
def load(runtime: Runtime) -> Load:
    return Load(runtime, runtime.directory.parent / "events.jsonl")


def seconds_until_back(runtime: Runtime) -> float:
    """From now until a write made now is seen in a view of a view."""
    begun = monotonic()

    def seen() -> bool:
        # Strict serializability: the read waits until the view holds every write before it.
        [(orders,)] = runtime.run("SELECT orders FROM overview")
        [(written,)] = runtime.run("SELECT count(*) FROM orders")
        return bool(orders is not None and written >= orders)

    runtime.eventually(seen, BACK_WITHIN_S)
    return monotonic() - begun


def check_everything(runtime: Runtime, load: Load) -> None:
    rows = runtime.eventually(lambda: runtime.run("SELECT id FROM orders"))
    ids = Counter(id_ for (id_,) in rows)
    assert set(ids.values()) == {1}, "nothing is there twice"
    lost = load.inserted - load.deleted - load.unknown - set(ids)
    assert not lost, f"acknowledged and lost: {sorted(lost)}"
    back = (load.deleted - load.unknown) & set(ids)
    assert not back, f"deleted and there again: {sorted(back)}"
    assert set(ids) <= load.inserted | load.unknown

    def read_all() -> bool:
        return runtime.run("SELECT count(*), count(DISTINCT n), max(n) FROM events") == [
            (load.lines, load.lines, load.lines - 1)
        ]

    runtime.eventually(read_all)
    for name, query in VIEWS.items():
        assert runtime.eventually(lambda name=name: runtime.rows(f"SELECT * FROM {name}")) == runtime.rows(
            query
        ), name
    check_sink(runtime)
    check_generated(runtime)


def check_generated(runtime: Runtime) -> None:
    """Both tables of the generator are what it makes, as of the one position, all of them read at one time."""
    read = (
        'SELECT \'tick\' AS "of", "offset"::text AS "row" FROM tpch_progress'
        " UNION ALL SELECT 'orders', o_orderkey || ' ' || o_totalprice || ' ' || o_comment FROM tpch_orders"
        " UNION ALL SELECT 'lineitem', l_orderkey || ' ' || l_linenumber || ' ' || l_comment FROM lineitem"
    )
    found: dict[str, Counter[str]] = {}
    for table, row in runtime.eventually(lambda: runtime.run(read)):
        found.setdefault(table, Counter())[row] += 1
    [tick] = found["tick"]
    generator = KINDS["tpch"].make(GeneratorOptions("tpch", scale_factor=0.0002))
    for table, shown in (("orders", (0, 3, 8)), ("lineitem", (0, 3, 15))):
        wanted: Counter[str] = Counter()
        for rows in generator.contents(frozenset([table]), int(tick), 0):
            columns = [rows[table][place].to_pylist() for place in shown]
            wanted.update(" ".join(map(str, row)) for row in zip(*columns, strict=True))
        assert found[table] == wanted, f"{table} at tick {tick}"


def check_sink(runtime: Runtime) -> None:
    wanted = runtime.rows("SELECT customer, orders, amount FROM per_customer")

    def complete() -> bool:
        return sink_contents(runtime.directory.parent / "sink") == wanted

    runtime.eventually(complete)


def sink_contents(directory: Path) -> list[tuple[object, ...]]:
    """What the files up to the manifest's upper add up to.  At no time may a row be there twice or less than never."""
    upper = json.loads((directory / "manifest.json").read_text())["upper"]
    changes: dict[int, list[tuple[tuple[object, ...], int]]] = {}
    for path in sorted(directory.glob("*.jsonl")):
        if int(path.name[:20]) >= upper:
            continue
        for line in path.read_text().splitlines():
            record = json.loads(line)
            row = (record["customer"], record["orders"], record["amount"])
            changes.setdefault(int(record["mz_timestamp"]), []).append((row, record["mz_diff"]))
    contents: Counter[tuple[object, ...]] = Counter()
    for time in sorted(changes):
        for row, diff in changes[time]:
            contents[row] += diff
        assert set(contents.values()) <= {0, 1}, f"a change is missing or doubled at {time}"
    return sorted((row for row, count in contents.items() if count), key=repr)


def kill(pids: set[int]) -> None:
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def wait_until_gone(runtime: Runtime, pids: set[int]) -> float:
    begun = monotonic()
    runtime.eventually(lambda: not alive(pids), GONE_WITHIN_S)
    return monotonic() - begun


@pytest.mark.parametrize("victim", ["worker", "driver", "jvm", "worker again"])
def test_a_part_of_the_engine_is_killed(runtime: Runtime, load: Load, victim: str) -> None:
    with load:
        threading.Event().wait(1.0)
        children = runtime.children()
        [(worker,)] = runtime.run("SELECT process_id FROM mz_internal.mz_cluster_replica_statuses")
        assert worker in children["worker"]
        if "worker" in victim:
            kill({worker})
            below = {worker}
        else:
            kill(children[victim])
            below = children["jvm"] | children["daemon"] | children["worker"] | children[victim]
        back = seconds_until_back(runtime)
        gone = wait_until_gone(runtime, below)
        threading.Event().wait(0.5)
    check_everything(runtime, load)
    print(f"{victim}: back after {back:.1f} s, processes gone after {gone:.1f} s")


@pytest.mark.parametrize("round", [1, 2])
def test_the_coordinator_is_killed(runtime: Runtime, load: Load, round: int) -> None:
    with load:
        threading.Event().wait(1.0)
        children = runtime.children()
        below = set().union(*children.values())
        runtime.kill()
        runtime.start()
        back = seconds_until_back(runtime)
        gone = wait_until_gone(runtime, below)
        threading.Event().wait(0.5)
    check_everything(runtime, load)
    print(f"coordinator: back after {back:.1f} s, the old processes gone after {gone:.1f} s")


def test_nothing_is_left_after_a_stop(runtime: Runtime, load: Load) -> None:
    everything = runtime.everything()
    assert len(everything) >= 5
    runtime.stop()
    assert not alive(everything)
    runtime.start()
    check_everything(runtime, load)
