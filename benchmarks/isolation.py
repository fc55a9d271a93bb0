"""What a query that runs away costs others, and how soon it is gone.

```
one client    ── SELECT count(*) FROM m WHERE length(repeat('x', 20000) || a) > 5 ──> cancelled after a while
another       ── reads of a view, one after the other, before and meanwhile
```

The reads are a look-up by an index, which the thread that steps views answers, the same behind an INSERT that it must
show, so that the view is stepped between, and one-off queries, which processes of their own do.  Every answer is compared
with what it must be.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count as counter
from typing import Any

import psycopg
from psycopg.errors import QueryCanceled
from rich.table import Table

from .hydration import await_hydrated
from .measure import Latencies, load, tree_cpu_seconds, tree_private_mib
from .report import ms, new_table, shows, three
from .runtime import RuntimeFailed, served

SMALL_ROWS = 1_000
WARM_UP = 10
SETTLE_S = 1.0
"""So long after its beginning the query is at its worst."""

GONE_S = 0.2
"""The time that a cancelled query has to be gone."""

AFTER_S = 1.0
"""What it still takes is measured for so long."""

SAMPLE_S = 0.01

RUNAWAY = "SELECT count(*) FROM m WHERE length(repeat('x', 20000) || a) > 5"

Connect = Callable[[], psycopg.Connection[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A kind of read: while nothing else goes on, and beside a query that runs away (None: not measured)."""

    read: str
    idle: Latencies
    beside: Latencies | None
    load_1min: float


@dataclass(frozen=True, slots=True)
class RunawayResult:
    """`most_mib`: memory of all processes of the runtime beyond what they had before.  `cancel_ms`: cancelled to the error at
    the client.  `after_percent`: of a core, what the runtime takes in the second that begins GONE_S after the cancel, and
    `after_mib` what it has then beyond what it had before."""

    rows: int
    most_mib: float
    cancel_ms: float
    after_percent: float
    after_mib: float
    load_1min: float


def run_isolation(rows: int, count: int) -> list[ReadResult | RunawayResult]:
    with served() as runtime:
        return measure_isolation(runtime.connect, runtime.pid, rows, count)


def measure_isolation(connect: Connect, pid: int, rows: int, count: int) -> list[ReadResult | RunawayResult]:
    """Of the runtime whose first process is `pid`."""
    with connect() as connection, connect() as victim:
        _objects(connection, rows)
        written = counter(1)

        def insert() -> None:
            connection.execute("INSERT INTO written VALUES (7)")
            _expect(connection, "SELECT n FROM by_value WHERE value = 7", next(written))

        reads: dict[str, Callable[[], None]] = {
            "look-up by an index": lambda: _expect(
                connection, f"SELECT n FROM by_class WHERE class = {SMALL_ROWS // 2}", 1
            ),
            "INSERT, then the look-up that shows it": insert,
            "one-off, 1,000 rows": lambda: _expect(connection, "SELECT count(*) FROM small", SMALL_ROWS),
            f"one-off, {rows:,} rows": lambda: _expect(connection, "SELECT count(*) FROM m", rows),
        }
        idle = {name: _timed(read, count) for name, read in reads.items()}
        beside, runaway = _beside(victim, pid, reads, rows, count)
        return [*(ReadResult(name, idle[name], beside.get(name), load()) for name in reads), runaway]


def _objects(connection: psycopg.Connection[tuple[Any, ...]], rows: int) -> None:
    for name, many in (("m", rows), ("small", SMALL_ROWS)):
        connection.execute(f"CREATE TABLE {name} (id bigint NOT NULL, class int, a text)")  # type: ignore[arg-type]
        with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:  # type: ignore[arg-type]
            copy.write("".join(f"{i}\t{i % SMALL_ROWS}\tname {i}\n" for i in range(many)))
    connection.execute(
        "CREATE MATERIALIZED VIEW by_class AS SELECT class, count(*) AS n FROM small GROUP BY class"
    )
    connection.execute("CREATE TABLE written (value int)")
    connection.execute(
        "CREATE MATERIALIZED VIEW by_value AS SELECT value, count(*) AS n FROM written GROUP BY value"
    )
    for view, column in (("by_class", "class"), ("by_value", "value")):
        connection.execute(f"CREATE INDEX {view}_index ON {view} ({column})")  # type: ignore[arg-type]
        await_hydrated(connection, f"{view}_index")


def _expect(connection: psycopg.Connection[tuple[Any, ...]], query: str, wanted: int) -> None:
    found = connection.execute(query).fetchall()  # type: ignore[arg-type]
    if found != [(wanted,)]:
        raise RuntimeFailed(f"the answer of {query} is {found}, not {wanted}")


def _timed(read: Callable[[], None], count: int) -> Latencies:
    for _ in range(min(WARM_UP, count)):
        read()
    seconds = []
    for _ in range(count):
        started = time.perf_counter()
        read()
        seconds.append(time.perf_counter() - started)
    return Latencies.of(seconds)


class _Peak:
    """The most memory that the processes below `pid` have together, sampled by a thread."""

    def __init__(self, pid: int) -> None:
        self.before = self.most = tree_private_mib(pid)
        self._pid = pid
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._done.wait(SAMPLE_S):
            self.most = max(self.most, tree_private_mib(self._pid))

    def stop(self) -> None:
        self._done.set()
        self._thread.join()


def _beside(
    victim: psycopg.Connection[tuple[Any, ...]],
    pid: int,
    reads: dict[str, Callable[[], None]],
    rows: int,
    count: int,
) -> tuple[dict[str, Latencies], RunawayResult]:
    """Reads while the query runs, again and again where it ends by itself; then it is cancelled."""
    ended: list[float] = []
    running = threading.Event()

    def run_away() -> None:
        try:
            while True:
                running.set()
                victim.execute(RUNAWAY)  # type: ignore[arg-type]
        except QueryCanceled:
            ended.append(time.perf_counter())

    peak = _Peak(pid)
    thread = threading.Thread(target=run_away, daemon=True)
    thread.start()
    running.wait()
    time.sleep(SETTLE_S)
    found = {name: _timed(read, count) for name, read in reads.items()}
    cancelled = time.perf_counter()
    victim.cancel_safe()
    time.sleep(GONE_S)
    held, cpu = tree_private_mib(pid), tree_cpu_seconds(pid)
    time.sleep(AFTER_S)
    cpu = (tree_cpu_seconds(pid) - cpu) / AFTER_S
    thread.join(120)
    peak.stop()
    if not ended:
        raise RuntimeFailed("the query was not cancelled")
    return found, RunawayResult(
        rows,
        peak.most - peak.before,
        (ended[0] - cancelled) * 1e3,
        cpu * 100,
        held - peak.before,
        load(),
    )


@shows(ReadResult)
def _reads_table(results: list[ReadResult]) -> Table:
    table = new_table(
        "Reads, and beside a query that runs away (milliseconds)",
        *("read", "median", "p99", "max", "beside: median", "p99", "max", "ratio", "load"),
    )
    for r in results:
        ratio = "-" if r.beside is None else f"{r.beside.median_ms / r.idle.median_ms:.2f}"
        table.add_row(r.read, *three(r.idle), *three(r.beside), ratio, f"{r.load_1min:.1f}")
    return table


@shows(RunawayResult)
def _runaways_table(results: list[RunawayResult]) -> Table:
    table = new_table(
        "The query that runs away",
        *("rows", "most MiB", "cancel to error ms", "CPU afterwards %", "MiB afterwards", "load"),
    )
    for w in results:
        table.add_row(
            *(f"{w.rows:,}", f"{w.most_mib:,.0f}", ms(w.cancel_ms)),
            *(f"{w.after_percent:.0f}", f"{w.after_mib:,.0f}", f"{w.load_1min:.1f}"),
        )
    return table
