"""How long a step takes with more workers than this machine has cores, and over slower wires: a simulation with measured parts.

A step goes from the parts of its inputs to those of its output.  All workers run in this process, one after the other, each with a
clock of its own.  What a worker computes, encodes and decodes advances its clock by the CPU time that it took here; a message arrives a
wire's delay after it was sent.  So neither the number of cores nor other programs matter; what is left out is what workers share:
memory's bandwidth, and caches.
"""

from __future__ import annotations

import gc
import heapq
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from statistics import median

import numpy as np
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.merge import merge_worker
from ptvc.compute.partitioned.broadcast import few_of
from ptvc.compute.partitioned.messages import Install, Message
from ptvc.compute.partitioned.one_step import LEADER
from ptvc.compute.partitioned.placement import Division
from ptvc.compute.partitioned.workers import Leader, Member
from ptvc.compute.plan import DataflowPlan
from ptvc.persist.blob.base import Blob
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica.workers.part_store import PartStore
from ptvc.replica.workers.team import DividedDataflow
from ptvc.replica.workers.wires import decoded, encoded
from rich.table import Table

from ..engine import repeats
from ..report import new_table, shows
from ..workloads import ORDERS, WORKLOADS, Data
from .stored_steps import WRITER, Committed, StoredSteps

SOCKET_S = 20e-6
"""What is left of half a round trip over a pair of Unix sockets when encoding and decoding are taken off."""

LINK_S = 1e-3
WORKERS = (2, 4, 16, 64)
WARM_UP = 2


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """Milliseconds: medians.  `one_process` is CPU time, `socket` and `link` until the step is over, by wires of SOCKET_S and of LINK_S."""

    workload: str
    base_rows: int
    rows: int
    workers: int
    one_process_ms: float
    socket_ms: float
    link_ms: float
    nbytes: int


@dataclass(slots=True)
class _Clocks:
    """The time at each worker, and the messages on their way."""

    delay_s: float
    at: list[float]
    on_way: list[tuple[float, int, int, int, list[memoryview]]] = field(default_factory=list)
    nbytes: int = 0
    _numbers: count[int] = field(default_factory=count)
    _since: float = 0.0
    _working: int = LEADER

    def work(self, worker: int, do: Callable[[], object]) -> None:
        """Whatever is done advances the worker's clock."""
        self.begin(worker)
        do()
        self.pause()

    def begin(self, worker: int) -> None:
        """What is done from now on is the worker's."""
        self._working, self._since = worker, time.thread_time()

    def pause(self) -> None:
        """What was done since is on the worker's clock."""
        now = time.thread_time()
        self.at[self._working] += now - self._since
        self._since = now

    def send(self, sender: int, receiver: int, message: Message) -> None:
        pieces = encoded(message)
        self.nbytes += sum(map(len, pieces))
        self.pause()
        heapq.heappush(
            self.on_way, (self.at[sender] + self.delay_s, next(self._numbers), sender, receiver, pieces)
        )


@dataclass(slots=True)
class _Wires:
    here: int
    clocks: _Clocks
    messages: int = 0
    nbytes: int = 0
    waited_s: float = 0.0

    def send(self, worker: int, message: Message) -> None:
        self.messages += 1
        self.clocks.send(self.here, worker, message)

    def flush(self) -> None:
        """It is on its way."""


class _Simulated:
    """A team, as a `DividedDataflow` has it, and the dataflow of a workload."""

    def __init__(
        self, plan: DataflowPlan, blob: Blob, workers: int, delay_s: float, few: tuple[int, ...]
    ) -> None:
        self.clocks = _Clocks(delay_s, [0.0] * workers)
        self.workers = workers
        store = PartStore(blob, WRITER)
        self.leader = Leader(workers, _Wires(LEADER, self.clocks), store)
        self._members = [
            Member(here, workers, _Wires(here, self.clocks), store) for here in range(1, workers)
        ]
        self._steps = StoredSteps(plan, blob)
        self._dataflow = DividedDataflow(self, plan, 0, few=few)  # type: ignore[arg-type]

    def install(self, division: Division, as_of: int, *, arranged: bool) -> int:
        self.leader.install(Install(1, division, as_of, arranged))
        return 1

    def step(self, inputs: Committed, time_: int) -> float:
        """Seconds from its beginning until its output is written."""
        clocks = self.clocks
        began = max(clocks.at)
        clocks.at = [began] * self.workers
        clocks.work(LEADER, lambda: self._steps.in_several(self._dataflow, inputs, time_))
        return clocks.at[LEADER] - began

    def pump(self) -> None:
        """In the middle of what the leader does."""
        clocks = self.clocks
        clocks.pause()
        while not self.leader.is_over:
            arrival, _, sender, receiver, pieces = heapq.heappop(clocks.on_way)
            clocks.at[receiver] = max(clocks.at[receiver], arrival)
            clocks.work(receiver, lambda r=receiver, s=sender, p=pieces: self._receive(r, s, p))  # type: ignore[misc]
        clocks.begin(LEADER)

    def _receive(self, receiver: int, sender: int, pieces: list[memoryview]) -> None:
        message = decoded(b"".join(pieces))
        (self.leader if receiver == LEADER else self._members[receiver - 1]).receive(sender, message)


def run_critical_paths(
    names: Sequence[str], base_rows: int, sizes: Sequence[int], scale: float = 1.0
) -> list[CriticalPath]:
    results = []
    for name in names:
        for workers in WORKERS:
            gc.collect()
            gc.disable()  # it would look through the objects of all workers, on the account of one
            try:
                results += _run(name, base_rows, sizes, workers, scale)
            finally:
                gc.enable()
    return results


def _run(name: str, base_rows: int, sizes: Sequence[int], workers: int, scale: float) -> list[CriticalPath]:
    plan, blob = WORKLOADS[name].plan(), MemoryBlob()
    data, steps = Data(WORKLOADS[name], base_rows), StoredSteps(plan, blob)
    whole, rows_of_base = Dataflow(plan, 0), data.base(0)
    few = few_of([len(rows_of_base[id_]) for id_ in plan.imports])
    divided_ = {delay: _Simulated(plan, blob, workers, delay, few) for delay in (SOCKET_S, LINK_S)}
    base = steps.committed(rows_of_base, passing=False)
    steps.in_one(whole, base, 0)
    for simulated in divided_.values():
        simulated.step(base, 0)
    merge_worker().drain()
    results, at = [], 0
    for rows in (size for size in sizes if size <= base_rows):
        number = max(repeats(rows, scale) // 4, 4)
        taken: dict[float | None, list[float]] = {None: [], SOCKET_S: [], LINK_S: []}
        sent = divided_[SOCKET_S].clocks.nbytes
        for _ in range(number + WARM_UP):
            at += 1
            change = steps.committed({ORDERS: data.change(rows, at)})
            began = time.thread_time()
            steps.in_one(whole, change, at)
            taken[None].append(time.thread_time() - began)
            for delay, simulated in divided_.items():
                taken[delay].append(simulated.step(change, at))
        nbytes = (divided_[SOCKET_S].clocks.nbytes - sent) // (number + WARM_UP)
        one, socket, link = (float(np.round(median(some[WARM_UP:]) * 1e3, 3)) for some in taken.values())
        results.append(CriticalPath(name, base_rows, rows, workers, one, socket, link, nbytes))
    return results


@shows(CriticalPath)
def _critical_paths_table(results: list[CriticalPath]) -> Table:
    table = new_table(
        "Steps by a model: measured CPU time of each worker, simulated wires (milliseconds)",
        *("workload", "base", "change", "workers", "one process", "socket", "gain", "1 ms link", "bytes"),
    )
    for r in results:
        table.add_row(
            r.workload,
            f"{r.base_rows:,}",
            f"{r.rows:,}",
            str(r.workers),
            f"{r.one_process_ms:.2f}",
            f"{r.socket_ms:.2f}",
            f"{r.one_process_ms / r.socket_ms:.2f}",
            f"{r.link_ms:.2f}",
            f"{r.nbytes:,}",
        )
    return table
