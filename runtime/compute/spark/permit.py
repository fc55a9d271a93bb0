"""A permit: a file that is there as long as a job's tasks may run.

```
driver: granted() ── file ──> tasks: working_under() ── a thread looks every 50 ms ── interrupt ── check_interrupt() raises
cancel: withdraw() ── no file
```

Spark tells a Python worker nothing.  It lets the worker of a cancelled task compute for up to 4 s, and then kills it.
Where the tasks are on the driver's machine, a file reaches them all; where they are not, it is left at that.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...interrupt import Interrupt, interruptible

LOOK_S = 0.05


@contextmanager
def granted(permit: Path) -> Iterator[None]:
    """The permit is there inside, unless it is withdrawn meanwhile."""
    permit.parent.mkdir(parents=True, exist_ok=True)
    permit.touch()
    try:
        yield
    finally:
        withdraw(permit)


def withdraw(permit: Path) -> None:
    """The tasks end at their next check, if there are any."""
    permit.unlink(missing_ok=True)


@contextmanager
def working_under(permit: Path, interrupt: Interrupt | None = None) -> Iterator[None]:
    """Work inside is interrupted soon after the permit has gone; by `interrupt`, which somebody else may set too."""
    interrupt, ended = interrupt or Interrupt(), threading.Event()
    if not permit.exists():
        interrupt.set()

    def watch() -> None:
        while not ended.wait(LOOK_S):
            if not permit.exists():
                interrupt.set()
                return

    watcher = threading.Thread(target=watch, name=f"watch of {permit.name}", daemon=True)
    watcher.start()
    try:
        with interruptible(interrupt):
            yield
    finally:
        ended.set()
        watcher.join()
