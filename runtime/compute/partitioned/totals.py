"""What each worker of a replica has done in steps, and what it holds.

It is counted where it happens and told when somebody asks: a step reads a clock and the counters of the wires at its beginning and at its
end, and sends nothing for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Protocol

from ...memory import resident_memory
from ..spine import Spine


class Counted(Protocol):
    """Ways to others that count: the messages that were sent and their bytes as they cross, and the seconds in which nothing was done but to
    wait for one, or for room."""

    messages: int
    nbytes: int
    waited_s: float


@dataclass(frozen=True, slots=True)
class PartStatistics:
    """What a worker has done for a dataflow in the steps that it had to do with, since it has the dataflow, and what of its state is there.

    `rows_received` came from other workers; of a step's time the worker has waited for these for `waiting_s`, and has not for `busy_s`.
    `memory_bytes` are those in memory, `mapped_bytes` those of mapped files."""

    steps: int
    rows_received: int
    messages_sent: int
    bytes_sent: int
    busy_s: float
    waiting_s: float
    state_rows: int
    memory_bytes: int
    mapped_bytes: int


@dataclass(frozen=True, slots=True)
class WorkerStatistics:
    """A worker's process: what it has used since it began, for whatever, and sent to other workers; `memory_bytes` are in pages of no file
    (None: the system does not say).  `machine` is the address of that which it is on; None: the coordinator's."""

    process_id: int
    cpu_s: float
    memory_bytes: int | None
    messages_sent: int
    bytes_sent: int
    machine: str | None = None


def of_this_process(wires: Counted | None, machine: str | None = None) -> WorkerStatistics:
    """Without `wires` there is nobody to send anything to."""
    sent = (0, 0) if wires is None else (wires.messages, wires.nbytes)
    return WorkerStatistics(os.getpid(), process_time(), resident_memory(), *sent, machine)


@dataclass(slots=True)
class Totals:
    """As in `PartStatistics`, for the worker to count in."""

    steps: int = 0
    rows_received: int = 0
    messages_sent: int = 0
    bytes_sent: int = 0
    busy_s: float = 0.0
    waiting_s: float = 0.0

    def with_state(self, spines: Iterable[Spine]) -> PartStatistics:
        held = list(spines)
        return PartStatistics(
            self.steps,
            self.rows_received,
            self.messages_sent,
            self.bytes_sent,
            self.busy_s,
            self.waiting_s,
            sum(spine.rows for spine in held),
            sum(spine.nbytes for spine in held),
            sum(spine.mapped_nbytes for spine in held),
        )


class Meter:
    """Measures a step, from when it is made until it is added to the totals of its dataflow.  One that is given up is not added: its
    dataflow is gone."""

    __slots__ = ("_begun", "_messages", "_nbytes", "_waited_s", "_wires")

    def __init__(self, wires: Counted) -> None:
        self._wires = wires
        self._messages, self._nbytes, self._waited_s = wires.messages, wires.nbytes, wires.waited_s
        self._begun = perf_counter()

    def add_to(self, totals: Totals) -> None:
        wires, took = self._wires, perf_counter() - self._begun
        waited = wires.waited_s - self._waited_s
        totals.steps += 1
        totals.messages_sent += wires.messages - self._messages
        totals.bytes_sent += wires.nbytes - self._nbytes
        totals.busy_s += took - waited
        totals.waiting_s += waited
