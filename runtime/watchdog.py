"""The watchdog of an event loop: how long callbacks wait for it, and what holds it when they wait long.

A thread asks the loop for an answer at a steady pace.  An answer that does not come within `LONG_S` is a *stall*: what the
loop's thread is executing just then is logged, and how long it lasted.  All clients of a process wait through a stall, so
in the coordinator there should be none.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import traceback
from collections.abc import Callable
from time import perf_counter

logger = logging.getLogger(__name__)

PERIOD_S = 0.1
LONG_S = 0.05
"""What is longer is noticed by people who wait for many small queries."""


class Watchdog:
    """Of the loop of the current thread.  `worst_s` and `stalls` are those since `reset`."""

    def __init__(self, period_s: float = PERIOD_S, long_s: float = LONG_S) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread_id = threading.get_ident()
        self._period_s = period_s
        self._long_s = long_s
        self._stopped = threading.Event()
        self.worst_s = 0.0
        self.stalls = 0

    def run(self) -> None:
        """Until `stop`; in a thread of its own."""
        while not self._stopped.wait(self._period_s):
            answered = threading.Event()
            asked = perf_counter()
            if not self._ask(answered.set):
                return
            stack = ""
            if not answered.wait(self._long_s):
                stack = self._stack()
                while not answered.wait(self._period_s):
                    if self._stopped.is_set() or self._loop.is_closed():
                        return
            self._note(perf_counter() - asked, stack)

    def stop(self) -> None:
        self._stopped.set()

    def reset(self) -> None:
        self.worst_s, self.stalls = 0.0, 0

    def _ask(self, answer: Callable[[], None]) -> bool:
        """Whether the loop will answer: it is not closed."""
        try:
            self._loop.call_soon_threadsafe(answer)
        except RuntimeError:
            return False
        return True

    def _note(self, seconds: float, stack: str) -> None:
        self.worst_s = max(self.worst_s, seconds)
        if stack:
            self.stalls += 1
            logger.warning("the event loop stood still for %.0f ms in:\n%s", seconds * 1000, stack)

    def _stack(self) -> str:
        frame = sys._current_frames().get(self._thread_id)
        return (
            "".join(traceback.format_stack(frame, limit=12))
            if frame is not None
            else "a thread that has ended"
        )
