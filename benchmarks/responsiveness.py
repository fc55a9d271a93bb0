"""How long clients wait for the coordinator while others ask much of it.

```
loads      ── definitions | a literal of 32 MB | COPY of 1M rows | ORDER BY over 5M rows | small writes | consensus is away
              one after the other, then all
a prober   ── SELECT 1, again and again, from a process of its own
```

Consensus is in a PostgreSQL, which stands still for 20 s: writes and definitions wait for it meanwhile.  The longest that the
event loop stood still comes from the runtime's watchdog, which logs what it saw (`ptvc.watchdog`).
"""

from __future__ import annotations

import multiprocessing
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

import psycopg
from rich.table import Table

from .measure import Latencies, load
from .postgres import postgres
from .report import new_table, shows, three
from .runtime import RuntimeFailed, served

PROBE_EVERY_S = 0.005
LITERAL_BYTES = 32 << 20
COPIED_ROWS = 1_000_000
WRITERS = 4

OUTAGE_S = 20.0

_STALL = re.compile(
    r"the event loop stood still for (\d+) ms, of which it computed \d+ ms, waited (\d+) ms for a core"
)

Connect = Callable[[], psycopg.Connection[tuple[Any, ...]]]
Load = Callable[[psycopg.Connection[tuple[Any, ...]]], None]


@dataclass(frozen=True, slots=True)
class ResponsivenessResult:
    """`stalls`: times above 50 ms that the watchdog has seen, and the longest of them in milliseconds (0: none);
    `longest_held_ms`: likewise, without what the loop's thread waited for a core that other threads and programs had."""

    load: str
    seconds: float
    probe: Latencies
    stalls: int
    longest_stall_ms: float
    longest_held_ms: float
    load_1min: float


def run_responsiveness(rows: int, seconds: float) -> list[ResponsivenessResult]:
    with postgres() as server, served(consensus=server.url("ptvc")) as runtime:

        def outage() -> None:
            with server.frozen():
                time.sleep(OUTAGE_S)

        return measure_responsiveness(runtime.connect, runtime.port, runtime.log, rows, seconds, outage)


def measure_responsiveness(
    connect: Connect, port: int, log: Path, rows: int, seconds: float, outage: Callable[[], None]
) -> list[ResponsivenessResult]:
    """Each load by itself for so many seconds, or once if it takes longer; then all together."""
    with connect() as connection:
        connection.execute("CREATE TABLE sorted (a bigint, b bigint)")
        connection.execute(
            f"INSERT INTO sorted SELECT i, (i::bigint * 7919) % 1000003 FROM generate_series(1, {rows}) AS g (i)"  # type: ignore[arg-type]
        )
        for table in ("copied", "written"):
            connection.execute(f"CREATE TABLE {table} (a bigint, b text)")  # type: ignore[arg-type]
    literal = "x" * LITERAL_BYTES
    lines = "".join(f"{i}\tname {i}\n" for i in range(min(rows, COPIED_ROWS)))
    loads: dict[str, list[Load]] = {
        "nothing": [lambda connection: time.sleep(seconds)],
        "definitions": [_define],
        "a literal of 32 MB": [lambda connection: _expect_length(connection, literal)],
        f"COPY of {min(rows, COPIED_ROWS):,} rows": [lambda connection: _copy(connection, lines)],
        f"ORDER BY over {rows:,} rows": [_sort],
        "small writes": [_write] * WRITERS,
        "consensus is away": [lambda connection: outage()],
    }
    loads["all of it"] = [work for found in loads.values() for work in found]
    return [_measured(name, found, connect, port, log, seconds) for name, found in loads.items()]


def _measured(
    name: str, loads: list[Load], connect: Connect, port: int, log: Path, seconds: float
) -> ResponsivenessResult:
    failures: list[BaseException] = []
    end = time.monotonic() + seconds

    def work(of: Load) -> None:
        try:
            with connect() as connection:
                while True:
                    of(connection)
                    if time.monotonic() >= end:
                        return
        except BaseException as error:
            failures.append(error)

    before = len(_stalls(log))
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    prober = multiprocessing.get_context("spawn").Process(target=_probe, args=(port, theirs), daemon=True)
    prober.start()
    ours.recv()  # it has its connection
    started = time.monotonic()
    threads = [threading.Thread(target=work, args=(one,), daemon=True) for one in loads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    ours.send("stop")
    latencies = ours.recv()
    prober.join()
    if failures:
        raise RuntimeFailed(f"{name}: {failures[0]!r}")
    stalls = _stalls(log)[before:]
    longest = max((stall for stall, _ in stalls), default=0.0)
    held = max((stall - waited for stall, waited in stalls), default=0.0)
    return ResponsivenessResult(
        name, took, Latencies.of(latencies), len(stalls), longest, max(held, 0.0), load()
    )


def _probe(port: int, pipe: Pipe) -> None:
    """In a process of its own, so that nothing of the loads' clients is in the figures."""
    seconds: list[float] = []
    with psycopg.connect(
        host="127.0.0.1", port=port, user="ptvc", dbname="ptvc", autocommit=True
    ) as connection:
        connection.execute("SELECT 1")
        pipe.send("ready")
        while not seconds or not pipe.poll(PROBE_EVERY_S):
            begun = time.perf_counter()
            connection.execute("SELECT 1")
            seconds.append(time.perf_counter() - begun)
    pipe.send(seconds)


def _stalls(log: Path) -> list[tuple[float, float]]:
    """What the watchdog has logged: how long, and how long of it for want of a core, in milliseconds."""
    return [(float(stall), float(waited)) for stall, waited in _STALL.findall(log.read_text())]


# -- loads --


def _define(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    connection.execute("CREATE TABLE made (a int, b text)")
    connection.execute("ALTER TABLE made ADD COLUMN c int DEFAULT 1")
    connection.execute("CREATE MATERIALIZED VIEW defined AS SELECT b, count(*) AS n FROM made GROUP BY b")
    connection.execute("CREATE INDEX defined_b ON defined (b)")
    connection.execute("DROP TABLE made CASCADE")


def _expect_length(connection: psycopg.Connection[tuple[Any, ...]], literal: str) -> None:
    found = connection.execute(f"SELECT length('{literal}')").fetchall()  # type: ignore[arg-type]
    if found != [(len(literal),)]:
        raise RuntimeFailed(f"the length of the literal is {found}")


def _copy(connection: psycopg.Connection[tuple[Any, ...]], lines: str) -> None:
    with connection.cursor().copy("COPY copied FROM STDIN") as copy:
        copy.write(lines)
    connection.execute("TRUNCATE copied")


def _sort(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    """All rows are ordered, and a few taken."""
    with connection.transaction(), connection.cursor(name="ordered") as cursor:
        cursor.execute("SELECT a, b FROM sorted ORDER BY b, a")
        if len(cursor.fetchmany(10)) != 10:
            raise RuntimeFailed("rows are missing")


def _write(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    connection.execute("INSERT INTO written (a, b) VALUES (1, 'x'), (2, 'y')")


@shows(ResponsivenessResult)
def _responsiveness_table(results: list[ResponsivenessResult]) -> Table:
    table = new_table(
        "SELECT 1 while others work, and what held the loop (milliseconds)",
        *("load", "seconds", "median", "p99", "max", "stalls", "longest", "with a core", "machine"),
    )
    for r in results:
        table.add_row(
            *(r.load, f"{r.seconds:.1f}", *three(r.probe), str(r.stalls)),
            *(f"{r.longest_stall_ms:.0f}", f"{r.longest_held_ms:.0f}", f"{r.load_1min:.1f}"),
        )
    return table
