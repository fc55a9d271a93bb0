"""The limit on the memory of a replica's dataflows: what does not fit is moved to files, and what then does not fit fails.

```
too much held ── buffers ── all state to mapped files, by the merge thread ── still too much ── the largest dataflow fails
```

What counts is what a dataflow holds between steps: its state in memory, and the updates that wait to be taken in; and what
waits in buffers, to be written by sinks and as outputs.  Buffers let go first of what can be read again.
Pages of mapped files do not count: the operating system takes them back when it needs them.  What a step needs while it
runs follows what it takes in, so a dataflow whose waiting updates alone are beyond the limit is not stepped but fails.  A join
may make many more: its step fails when the process has a quarter of the machine's memory more than the limit.
A failure ends one dataflow; the others go on with what it has held.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Protocol, TypeVar

from ..errors import MemoryLimitExceeded
from ..memory import machine_memory, resident_memory, size

CHECK_INTERVAL_S = 1.0
DATAFLOWS_PART = 2
STEP_PART = 4
QUERY_PART = 4
"""Half of the machine's memory is for dataflows, a quarter more for what a step makes while it runs, a quarter for a query, unless
somebody has said otherwise."""

LEAST_QUERY = 64 << 20
_REMEDY = "Raise it: ALTER CLUSTER ... SET (MEMORY LIMIT '...'), or move the object to another cluster."


class Holder(Protocol):
    """A dataflow, as far as memory goes."""

    failed: bool

    @property
    def nbytes(self) -> int:
        """Bytes in memory: of state, and of updates that wait."""

    @property
    def waiting(self) -> int:
        """Bytes of updates that wait."""

    def spill(self) -> bool:
        """Asks for state to be moved to files; False when no more can be."""


class Buffer(Protocol):
    """What a replica holds beside its dataflows."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""

    def shed(self) -> int:
        """Lets go of what can be had again; returns its bytes."""


H = TypeVar("H", bound=Holder)


def dataflows_limit(given: int | None) -> int | None:
    """Bytes for all dataflows of a replica together (None: any amount), of what `LimitMemory` says."""
    if given is None:
        return machine_memory() // DATAFLOWS_PART
    return given or None


def query_limit(given: int | None, dataflows: int | None) -> int:
    """Bytes for a query, of what `LimitMemory` says.  In a cluster with a limit of its own that is less, as much as that;
    but no less than what the query of a few rows takes."""
    if given:
        return given
    part = machine_memory() // QUERY_PART
    return max(min(part, dataflows) if dataflows else part, LEAST_QUERY)


class MemoryLimit:
    """`limit` in bytes, for all dataflows and buffers together; None is none.  `one_process`: all of them are in this one."""

    def __init__(self, *, one_process: bool = True) -> None:
        self.limit: int | None = None
        self._one_process = one_process
        self.buffers: Sequence[Buffer] = ()
        self._checked = 0.0

    @property
    def during_step(self) -> int | None:
        """Bytes that the process may have in the middle of a step."""
        return None if self.limit is None else self.limit + machine_memory() // STEP_PART

    def admit(self, waiting: int) -> None:
        """Raises MemoryLimitExceeded when the bytes that a step is to take in are too much for it."""
        if self.limit is not None and waiting > self.limit:
            raise MemoryLimitExceeded(
                f"it has {size(waiting)} of changes to take in at once, and the memory limit of its cluster is "
                f"{size(self.limit)}",
                hint=_REMEDY,
            )

    def check(self, holders: Sequence[H]) -> tuple[H, MemoryLimitExceeded] | None:
        """Once in a while: begins to move state to files when there is too much of it in memory; when that is done
        and did not help, the holder that is to fail, and why."""
        if self.limit is None or monotonic() - self._checked < CHECK_INTERVAL_S:
            return None
        resident = resident_memory() if self._one_process else None
        if resident is not None and resident <= self.limit:
            self._checked = (
                monotonic()
            )  # all of the process is less: nobody need add up what a thousand dataflows hold
            return None
        if self._held(holders) > self.limit:
            for buffer in self.buffers:
                buffer.shed()
        if self._held(holders) > self.limit and sum(h.spill() for h in holders) > 0:
            self._checked = monotonic()
            return None  # under way: to be looked at again
        held = self._held(holders)
        if held <= self.limit or _state(holders) <= self.limit:
            # What is beyond it is on its way to the store: no dataflow that ends would make it less.
            self._checked = monotonic()
            return None
        largest = max((h for h in holders if not h.failed), key=lambda h: h.nbytes, default=None)
        if largest is None:
            self._checked = monotonic()
            return None
        return largest, MemoryLimitExceeded(
            f"it holds {size(largest.nbytes)} in memory, all that its cluster maintains {size(held)}, and the memory "
            f"limit of the cluster is {size(self.limit)}",
            hint=_REMEDY,
        )

    def _held(self, holders: Sequence[Holder]) -> int:
        return _state(holders) + sum(buffer.nbytes for buffer in self.buffers)


def _state(holders: Sequence[Holder]) -> int:
    return sum(holder.nbytes for holder in holders if not holder.failed)
