"""Look-ups by key in an index in one process and in several, in turns, as the thread makes them that reads a replica's messages: while
nothing else goes on, and beside steps of another dataflow."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count

import numpy as np
import pyarrow as pa
from ptvc.compute.lower import lower
from ptvc.compute.shared_files import MACHINE
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.persist.blob.file import FileBlob
from ptvc.replica.installed import Installed
from ptvc.replica.look_ups.answers import looked_up
from ptvc.replica.protocol import IndexOutput, InstallDataflow, LookUp
from ptvc.replica.workers.member import Start
from ptvc.replica.workers.team import DividedDataflow, Team
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT
from rich.table import Table

from ..engine import WrongAnswer
from ..measure import Latencies, load
from ..report import new_table, shows
from .stored_steps import WRITER

SCHEMA = Schema((Column("id", INT8), Column("name", TEXT)))
SIZES = (1, 10, 100)
LOOK_UPS = 2_000
IN_TURN = 20
STEP_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class LookUpCost:
    """One look-up by so many `keys`; `busy`: beside steps of another dataflow of all workers."""

    workers: int
    rows: int
    keys: int
    busy: bool
    whole: Latencies
    divided: Latencies
    load_1min: float


def run_look_ups(workers: int, rows: int, scale: float) -> list[LookUpCost]:
    """Raises WrongAnswer when a row is missing."""
    results = []
    with (
        tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder,
        closing(Team(workers, Start(FileBlob(folder), MACHINE, WRITER, {}))) as team,
    ):
        ways = {"whole": _index(rows, None), "divided": _index(rows, team)}
        for busy in (False, True):
            for keys in SIZES:
                with _stepping(team) if busy else nullcontext():
                    taken = _measured(ways, rows, keys, max(int(LOOK_UPS * scale), IN_TURN))
                whole, divided = (Latencies.of(taken[way]) for way in ways)
                results.append(LookUpCost(workers, rows, keys, busy, whole, divided, load()))
    return results


def _index(rows: int, team: Team | None) -> Installed:
    plan = lower(r.Map(r.Get("t", SCHEMA), (ColumnRef(0, INT8),), ("key0",)))
    command = InstallDataflow("i", plan, 0, (), IndexOutput((2,)))
    installed = Installed.made(command, FileBlob(tempfile.gettempdir()), 0.0, team)
    assert installed.index is not None
    installed.index.begin(0)
    ids = pa.array(np.arange(rows))
    names = pa.array(np.char.add("name ", np.arange(rows).astype(str)))
    batch = Batch((ids, names), np.zeros(rows, np.uint64), np.ones(rows, np.int64))
    stepped = installed.step({"t": Delta(batch, NO_ERRORS)}, 1, is_read=False)
    installed.index.insert(stepped.delta, 1)
    return installed


def _measured(ways: dict[str, Installed], rows: int, keys: int, times: int) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {way: [] for way in ways}
    random = np.random.default_rng(1)
    while len(taken["whole"]) < times:
        for way, installed in ways.items():
            index = installed.index
            assert index is not None
            for _ in range(IN_TURN):
                asked = LookUp(1, "i", (random.integers(0, rows, keys).tolist(),), (0, 1), 0)
                started = time.perf_counter()
                answer = looked_up(asked, lambda _, index=index: index)  # type: ignore[misc]
                taken[way].append(time.perf_counter() - started)
                if answer.counts != (1,) * keys:
                    raise WrongAnswer(f"{keys} keys, {way}")
    return taken


@contextmanager
def _stepping(team: Team) -> Iterator[None]:
    """Steps follow one another meanwhile, as the step thread makes them."""
    key = (ColumnRef(0, INT8),)
    number = r.Aggregate("count", None, INT8, "n", nullable=False)
    dataflow = DividedDataflow(team, lower(r.Reduce(r.Get("t", SCHEMA), key, ("k",), (number,))), 0)
    names = pa.array(["x"] * STEP_ROWS)
    done = threading.Event()

    def step() -> None:
        for at in count():
            if done.is_set():
                return
            ids = pa.array(np.arange(at, at + STEP_ROWS) * 7_919 % 100_003)
            batch = Batch((ids, names), np.full(STEP_ROWS, at, np.uint64), np.ones(STEP_ROWS, np.int64))
            dataflow.step({"t": Delta(batch, NO_ERRORS)}, at, at + 1)

    thread = threading.Thread(target=step)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        dataflow.close()


@shows(LookUpCost)
def _look_ups_table(results: list[LookUpCost]) -> Table:
    table = new_table(
        "A look-up in an index (microseconds: least, median, p99)",
        *("workers", "rows", "keys", "steps beside", "one process", "", "", "divided", "", "", "load"),
    )
    for result in results:
        times = [
            f"{ms * 1e3:,.0f}"
            for way in (result.whole, result.divided)
            for ms in (way.least_ms, way.median_ms, way.p99_ms)
        ]
        of = (f"{result.workers}", f"{result.rows:,}", f"{result.keys}", "yes" if result.busy else "no")
        table.add_row(*of, *times, f"{result.load_1min:.1f}")
    return table
