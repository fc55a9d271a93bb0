"""The limit on the memory of a replica's dataflows: what does not fit is moved to files, and what then does not fit fails.

```
too much held ── buffers ── all state to mapped files, by the merge thread ── still too much ── the largest dataflow fails
```

What counts is what a dataflow holds between steps: its state in memory, and the updates that wait to be taken in; and what
waits in buffers, to be written by sinks and as outputs.  Buffers let go first of what can be read again.
Pages of mapped files do not count: the operating system takes them back when it needs them.  What a step needs while it
runs follows what it takes in, so a dataflow whose waiting updates alone are beyond the limit is not stepped but fails.
A failure ends one dataflow; the others go on with what it has held.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Protocol, TypeVar

from ..errors import MemoryLimitExceeded

CHECK_INTERVAL_S = 1.0
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


class MemoryLimit:
    """`limit` in bytes, for all dataflows and buffers together; None is none."""

    def __init__(self) -> None:
        self.limit: int | None = None
        self.buffers: Sequence[Buffer] = ()
        self._checked = 0.0

    def admit(self, waiting: int) -> None:
        """Raises MemoryLimitExceeded when the bytes that a step is to take in are too much for it."""
        if self.limit is not None and waiting > self.limit:
            raise MemoryLimitExceeded(
                f"it has {_size(waiting)} of changes to take in at once, and the memory limit of its cluster is "
                f"{_size(self.limit)}",
                hint=_REMEDY,
            )

    def check(self, holders: Sequence[H]) -> tuple[H, MemoryLimitExceeded] | None:
        """Once in a while: begins to move state to files when there is too much of it in memory; when that is done
        and did not help, the holder that is to fail, and why."""
        if self.limit is None or monotonic() - self._checked < CHECK_INTERVAL_S:
            return None
        if self._held(holders) > self.limit:
            for buffer in self.buffers:
                buffer.shed()
        if self._held(holders) > self.limit and sum(h.spill() for h in holders) > 0:
            self._checked = monotonic()
            return None  # under way: to be looked at again
        if (held := self._held(holders)) <= self.limit:
            self._checked = monotonic()
            return None
        largest = max((h for h in holders if not h.failed), key=lambda h: h.nbytes, default=None)
        if largest is None:
            self._checked = monotonic()
            return None
        return largest, MemoryLimitExceeded(
            f"it holds {_size(largest.nbytes)} in memory, all that its cluster maintains {_size(held)}, and the memory "
            f"limit of the cluster is {_size(self.limit)}",
            hint=_REMEDY,
        )

    def _held(self, holders: Sequence[Holder]) -> int:
        dataflows = sum(holder.nbytes for holder in holders if not holder.failed)
        return dataflows + sum(buffer.nbytes for buffer in self.buffers)


def _size(count: int) -> str:
    for unit, least in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if count >= least:
            return f"{count / least:.1f} {unit}"
    return f"{count} bytes"
