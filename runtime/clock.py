"""Where time comes from.  Nothing else in the runtime reads a clock, so that tests drive it."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    def now_ms(self) -> int:
        """Wall time: milliseconds since the Unix epoch.  May jump."""

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back; only differences mean anything."""


_MONOTONIC: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        # Where there is a clock that goes on while the machine sleeps, waking up is no jump of the wall time.
        return time.clock_gettime(_MONOTONIC)


class ManualClock:
    """A clock that stands still until a test moves it."""

    def __init__(self, now_ms: int = 1_000_000) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def monotonic(self) -> float:
        return self._now_ms / 1000

    def advance(self, milliseconds: int) -> None:
        self._now_ms += milliseconds
