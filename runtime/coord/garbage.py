"""When the garbage collector looks at all objects: the statements being planned are let to end first.

Python collects cycles in the youngest objects often, which takes less than a millisecond, and in all of them whenever a
quarter was added, in whatever thread that happens.  All threads stand still meanwhile.  A statement of some MB makes
millions of objects while it is planned, none of them in a cycle, and each of several full collections looks at all of them:
100 ms, at which other clients wait.  So a full collection is a task of the event loop here, between statements.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable
from time import monotonic, perf_counter

from .thread_pool import PLANNING

PERIOD_S = 1.0
DUE = 20
"""So many collections of the younger objects, 7,000 new ones at least each, make a full one due."""

PATIENCE_S = 60.0
"""So long it waits for statements that are being planned."""

SHARE = 50
"""At most one part of so many of the time goes to it."""


class GarbageCollection:
    """Full collections of this process, from `run` on."""

    def __init__(self, busy: Callable[[], bool] = lambda: PLANNING.busy > 0) -> None:
        self._busy = busy
        self._not_before = 0.0
        self._due_since: float | None = None

    async def run(self) -> None:
        """Until it is cancelled."""
        young, middle, old = gc.get_threshold()
        gc.set_threshold(young, middle, sys.maxsize >> 32)
        try:
            while True:
                await asyncio.sleep(PERIOD_S)
                self.look()
        finally:
            gc.set_threshold(young, middle, old)

    def look(self) -> bool:
        """Collects if it is time to; whether it has."""
        now = monotonic()
        if gc.get_count()[2] < DUE or now < self._not_before:
            return False
        if self._due_since is None:
            self._due_since = now
        if self._busy() and now - self._due_since < PATIENCE_S:
            return False
        started = perf_counter()
        gc.collect()
        self._not_before = monotonic() + SHARE * (perf_counter() - started)
        self._due_since = None
        return True
