"""The timestamp oracle: the one source of times, in milliseconds.

Times are unique and increase.  `write_time` is greater than every time read or written before; the caller closes it
once its write is durable.  `closed` is the frontier up to which nothing can be written any more, so that
`read_time = closed - 1` sees every acknowledged write: that is strict serializability.

Durability costs nothing per allocation: a mark in consensus is kept up to a second ahead, and a successor starts above
it.  The clock may jump: back, and time ticks by 1 ms until the clock has caught up; forward by more than MAX_JUMP_MS,
and the jump is refused with an alarm, likewise.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from ...clock import Clock

MARK_AHEAD_MS = 1_000
MAX_JUMP_MS = 10_000

logger = logging.getLogger(__name__)


class Oracle:
    """`raise_mark` must be durable when it returns; `mark` is what the predecessor reserved."""

    def __init__(self, clock: Clock, mark: int, raise_mark: Callable[[int], None]) -> None:
        self._clock = clock
        self._raise_mark = raise_mark
        self._mark = mark
        # The successor of another process takes the wall time as it finds it; jumps are judged from here on.
        self._last = max(mark, clock.now_ms())
        self._last_clock = clock.now_ms()
        self._last_monotonic = clock.monotonic()
        self._alarmed = False
        self._open: set[int] = set()
        self._closed = self._last + 1
        self._reserve(self._last)

    @property
    def closed(self) -> int:
        """No write below this time is outstanding or will ever be made."""
        return min(self._open, default=self._closed)

    @property
    def read_time(self) -> int:
        return self.closed - 1

    @property
    def mark(self) -> int:
        return self._mark

    def write_time(self) -> int:
        """A new time, open until `close` is called with it."""
        time = max(self._last + 1, self._now(), self._closed)
        self._reserve(time)
        self._last = time
        self._open.add(time)
        return time

    def close(self, time: int) -> None:
        """The write at `time` is durable (or was given up)."""
        self._open.discard(time)
        self._closed = max(self._closed, time + 1)

    def tick(self) -> int:
        """Moves time on when nothing is written; returns `closed`."""
        if not self._open:
            self.close(self.write_time())
        return self.closed

    def _reserve(self, time: int) -> None:
        if time >= self._mark:
            # Durable first: if that fails, no time beyond the old mark is given out.
            self._raise_mark(time + MARK_AHEAD_MS)
            self._mark = time + MARK_AHEAD_MS

    def _now(self) -> int:
        """Wall time, unless it has jumped ahead of what the monotonic clock says has passed."""
        now, monotonic = self._clock.now_ms(), self._clock.monotonic()
        passed = int((monotonic - self._last_monotonic) * 1000)
        # A clock that comes back from a jump backwards only returns to where time is already.
        jump = now - max(self._last_clock + passed, self._last)
        if jump > MAX_JUMP_MS:
            if not self._alarmed:
                logger.warning(
                    "the clock jumped forward by %d ms: timestamps tick by 1 ms until it is back within %d ms",
                    jump,
                    MAX_JUMP_MS,
                )
            self._alarmed = True
            return self._last + 1
        self._alarmed = False
        self._last_clock, self._last_monotonic = now, monotonic
        return now
