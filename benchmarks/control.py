"""What the control protocol costs where messages are small: look-ups, and steps of one row.

Runtimes of the same machine, one a way, take turns: replicas that come in by the Unix socket, replicas that come in over
TLS, and, where a checkout is named, that older code.  Nothing but the replica's connection differs between the first two.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count as counter
from pathlib import Path
from statistics import median
from typing import Any

import psycopg
from rich.table import Table

from .hydration import await_hydrated
from .measure import Latencies, load
from .report import ms, new_table, shows, three
from .runtime import RuntimeFailed, ServedRuntime, served

ROWS = 50_000
LOOK_UPS = 200
STEPS = 20
"""Of one turn."""

_NEW = 1_000_000


@dataclass(frozen=True, slots=True)
class ControlResult:
    """`to_first`: the median over the rounds of this way's median beside the first way's, of wall and of CPU time."""

    way: str
    what: str
    latencies: Latencies
    to_first: float
    cpu_to_first: float
    load_1min: float


class _Way:
    """One runtime, with what its turns took: per kind, a list of seconds for each turn, and the CPU time of each."""

    def __init__(
        self, name: str, runtime: ServedRuntime, connection: psycopg.Connection[tuple[Any, ...]]
    ) -> None:
        self.name, self._runtime, self._connection = name, runtime, connection
        self.seconds: dict[str, list[list[float]]] = {"look-up": [], "step of 1 row": []}
        self.cpu: dict[str, list[float]] = {what: [] for what in self.seconds}
        self._keys = counter()
        connection.prepare_threshold = 0
        connection.execute("CREATE TABLE points (id bigint NOT NULL, name text)")
        connection.execute(
            f"INSERT INTO points SELECT i, 'name ' || i FROM generate_series(0, {ROWS - 1}) AS i"
        )
        connection.execute("CREATE INDEX points_by_id ON points (id)")
        connection.execute(
            "CREATE MATERIALIZED VIEW counted AS SELECT id % 10 AS class, count(*) AS n FROM points GROUP BY 1"
        )
        connection.execute("CREATE INDEX counted_by_class ON counted (class)")
        await_hydrated(connection, "points_by_id")
        await_hydrated(connection, "counted_by_class")

    def turn(self) -> None:
        for what, run, times in (("look-up", self._look_up, LOOK_UPS), ("step of 1 row", self._step, STEPS)):
            cpu, seconds = self._runtime.cpu_seconds(), []
            for _ in range(times):
                started = time.perf_counter()
                run(next(self._keys))
                seconds.append(time.perf_counter() - started)
            self.seconds[what].append(seconds)
            self.cpu[what].append((self._runtime.cpu_seconds() - cpu) / times)

    def forget(self) -> None:
        for what in self.seconds:
            self.seconds[what], self.cpu[what] = [], []

    def _look_up(self, turn: int) -> None:
        key = turn * 7_919 % ROWS
        if (
            found := self._connection.execute("SELECT name FROM points WHERE id = %s", (key,)).fetchall()
        ) != [(f"name {key}",)]:
            raise RuntimeFailed(f"point {key} is {found}")

    def _step(self, turn: int) -> None:
        """An INSERT, then a read that waits until the view has it."""
        self._connection.execute("INSERT INTO points VALUES (%s, 'new')", (_NEW + turn,))
        self._connection.execute("SELECT n FROM counted WHERE class = 3").fetchall()


def run_control(rounds: int, before: Path | None) -> list[ControlResult]:
    """`before`: a checkout of older code, which is the first way then."""
    asked: list[tuple[str, Sequence[str], Path | None]] = [
        ("Unix socket", (), None),
        ("TCP, TLS", ("control_listen=127.0.0.1:0",), None),
    ]
    if before is not None:
        asked.insert(0, (f"Unix socket, {before.name}", (), before))
    with ExitStack() as stack:
        ways = []
        for name, settings, checkout in asked:
            runtime = stack.enter_context(served(settings, checkout=checkout))
            ways.append(_Way(name, runtime, stack.enter_context(runtime.connect())))
        for way in ways:
            way.turn()  # warms up
            way.forget()
        for turn in range(rounds):
            for way in ways if turn % 2 else reversed(ways):
                way.turn()
        return [_result(way, ways[0], what) for what in ways[0].seconds for way in ways]


def _result(way: _Way, first: _Way, what: str) -> ControlResult:
    ratios = [
        median(mine) / median(firsts)
        for mine, firsts in zip(way.seconds[what], first.seconds[what], strict=True)
    ]
    every = [second for turn in way.seconds[what] for second in turn]
    cpu = sum(way.cpu[what]) / len(way.cpu[what])
    latencies = Latencies.of(every, cpu * len(every))
    return ControlResult(
        way.name, what, latencies, median(ratios), cpu / (sum(first.cpu[what]) / len(first.cpu[what])), load()
    )


@shows(ControlResult)
def _control_table(results: list[ControlResult]) -> Table:
    table = new_table(
        "Replicas' connection (milliseconds)",
        *("way", "what", "median", "p99", "max", "CPU each", "to the first", "CPU to it", "load"),
    )
    for r in results:
        ratios = (f"{r.to_first:.3f}", f"{r.cpu_to_first:.3f}", f"{r.load_1min:.1f}")
        table.add_row(r.way, r.what, *three(r.latencies), ms(r.latencies.cpu_ms), *ratios)
    return table
