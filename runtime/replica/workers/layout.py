"""On which machine each worker of a replica is, by their numbers.

```
WORKERS 5, WORKERS PER MACHINE 2:    machine 0: workers 0, 1    machine 1: workers 2, 3    machine 2: worker 4
```

Worker 0 leads, and machine 0 is where it is.  Of two workers on different machines the one of the higher number dials.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...config import MOST_WORKERS


@dataclass(frozen=True, slots=True)
class Layout:
    """So many `workers`, and at most `per_machine` of them on one machine."""

    workers: int
    per_machine: int = MOST_WORKERS

    @property
    def machines(self) -> int:
        return -(-self.workers // self.per_machine)

    @property
    def is_spread(self) -> bool:
        return self.machines > 1

    def machine_of(self, worker: int) -> int:
        return worker // self.per_machine

    def on(self, machine: int) -> range:
        """The workers of that machine."""
        first = machine * self.per_machine
        return range(first, min(first + self.per_machine, self.workers))

    def dialed_by(self, worker: int) -> range:
        """Those on other machines that the worker dials."""
        return range(self.on(self.machine_of(worker)).start)

    def dialing(self, worker: int) -> range:
        """Those on other machines that dial the worker."""
        return range(self.on(self.machine_of(worker)).stop, self.workers)
