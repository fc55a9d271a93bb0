"""What an append costs, by the database that consensus is kept in.

```
one row after 100 | many batches   ──> wall time of one      in one transaction each, with its fsync
one writer | 8 processes racing    ──> appends per second    on one shard, each at its upper, the losers again
```

SQLite's file and PostgreSQL's folder (a server of its own, with the usual settings) are in one temporary directory.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from threading import BrokenBarrierError
from typing import Any

import numpy as np
from ptvc.persist.client import Appended, Write
from ptvc.persist.stores import open_consensus
from ptvc.persist.write import write_parts
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from rich.table import Table

from .measure import load
from .postgres import postgres
from .report import new_table, shows
from .storage import SCHEMA, SHARD, Store, rows_of

DATABASES = ("SQLite", "PostgreSQL")
PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class AppendCost:
    """Median milliseconds of an append of one row to a shard of `history` batches."""

    database: str
    history: int
    median_ms: float
    load_1min: float


@dataclass(frozen=True, slots=True)
class AppendRate:
    """Acknowledged appends of one row per second, of all `writers` together; `lost` races per append."""

    database: str
    writers: int
    per_second: float
    lost: float
    load_1min: float


def run_append_cost(
    histories: Sequence[int], database: str = "SQLite", repeats: int = 100
) -> list[AppendCost]:
    """Median milliseconds of an append of one row after that many batches, none of them merged.

    Each history is a store of its own, and they are appended to in turns.
    """
    with _directory() as directory, _served(directory, database) as url, ExitStack() as stack:
        stores: dict[int, Store] = {}
        took: dict[int, list[float]] = {}
        for history in histories:
            stores[history] = store = Store(directory, open_consensus(url(f"h{history}")))
            took[history] = []
            stack.callback(store.consensus.close)
            while store.time < history:
                store.append(_one_row(store.time))
        for _ in range(repeats):
            for history, store in stores.items():
                row = _one_row(store.time)
                begin = time.perf_counter()
                store.append(row)
                took[history].append(time.perf_counter() - begin)
        return [AppendCost(database, history, median(took[history]) * 1000, load()) for history in histories]


def run_append_rate(database: str, writers: int, appends: int) -> AppendRate:
    """`writers` processes append to one shard until it has that many batches, each of which one of them has won."""
    context = multiprocessing.get_context("spawn")
    with _directory() as directory, _served(directory, database) as place:
        url = place("race")
        Store(directory, open_consensus(url)).consensus.close()
        begin = context.Barrier(writers + 1)
        results: Any = context.Queue()
        processes = [
            context.Process(target=_race, args=(url, directory, f"writer-{number}", appends, begin, results))
            for number in range(writers)
        ]
        for process in processes:
            process.start()
        try:
            begin.wait(PATIENCE_S)
            started = time.perf_counter()
            counts = [results.get(timeout=PATIENCE_S) for _ in processes]
            took = time.perf_counter() - started
        finally:
            for process in processes:
                process.join(PATIENCE_S)
                process.kill()
    won, lost = (sum(numbers) for numbers in zip(*counts, strict=True))
    assert won == appends, f"{won} appends were acknowledged, and {appends} are there"
    return AppendRate(database, writers, appends / took, lost / appends, load())


def _race(url: str, directory: Path, name: str, goal: int, begin: Any, results: Any) -> None:
    store = Store(directory, open_consensus(url))
    try:
        begin.wait(PATIENCE_S)
    except BrokenBarrierError:
        return
    at, won, lost = 0, 0, 0
    while at < goal:
        parts = write_parts(store.blob, SHARD, SCHEMA, Delta(_one_row(at), NO_ERRORS), writer=name)
        outcome = store.client.append({SHARD: Write(at, at + 1, parts)}, writer=name)
        if isinstance(outcome, Appended):
            at, won = at + 1, won + 1
        else:
            at, lost = outcome.current[SHARD], lost + 1
    results.put((won, lost))
    store.consensus.close()


@contextmanager
def _directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ptvc-appends-") as directory:
        Path(directory).chmod(0o755)  # as root, PostgreSQL runs as a user of its own, which must get there
        yield Path(directory)


@contextmanager
def _served(directory: Path, database: str) -> Iterator[Callable[[str], str]]:
    """The URL of a consensus of that name, which is not there yet."""
    if database == "SQLite":
        yield lambda name: f"sqlite://{directory}/{name}.sqlite"
        return
    with postgres() as server:
        yield server.url


def _one_row(at: int) -> Batch:
    return rows_of(np.array([at]), np.array([at]), at, 1)


@shows(AppendCost)
def _appends_table(results: list[AppendCost]) -> Table:
    table = new_table("An append of one row", "database", "batches before", "ms (median)", "load")
    for r in results:
        table.add_row(r.database, f"{r.history:,}", f"{r.median_ms:.3f}", f"{r.load_1min:.1f}")
    return table


@shows(AppendRate)
def _rates_table(results: list[AppendRate]) -> Table:
    table = new_table("Appends of one row", "database", "writers", "per second", "lost races of each", "load")
    for r in results:
        table.add_row(
            r.database, f"{r.writers}", f"{r.per_second:,.0f}", f"{r.lost:.2f}", f"{r.load_1min:.1f}"
        )
    return table
