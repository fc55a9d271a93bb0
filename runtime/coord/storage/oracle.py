"""The timestamp oracle: the one source of times, in milliseconds.

Times are unique and increase.  `write_time` is greater than every time read or written before; the caller closes it
once its write is durable.  `closed` is the frontier up to which nothing can be written any more, so that
`read_time = closed - 1` sees every acknowledged write: that is strict serializability.

A successor begins above the durable *mark*, so no time beyond the mark is ever read or acknowledged:

```
 ... closed ............ mark ............ wall time
     reads are here      what is durable   a write may be here: the mark rises in the write's own transaction
```

While something changes that is to be seen as a whole, reads may be held before the time of the change, and time goes on for all
who compute (`hold_reads`):

```
 ... read_time | held ............ closed
                 what is known already, and nobody may see yet
```

Nothing here waits: the mark is raised by the group commit, together with what it writes or, when nothing is written, ahead
of time (`wanted_mark`).  While the store cannot be written, time goes on up to the mark, and reads go on at it.

The clock may jump: back, and time ticks by 1 ms until the clock has caught up; forward by more than MAX_JUMP_MS, and the
jump is refused with an alarm, likewise.
"""

from __future__ import annotations

import logging

from ...clock import Clock

MARK_AHEAD_MS = 3_000
MARK_SPARE_MS = 1_500
"""The mark is raised before less than this is left of it, so that a raise may take so long and delay nothing."""
MAX_JUMP_MS = 10_000

logger = logging.getLogger(__name__)


class Oracle:
    """`mark` is durable: what the predecessor has reserved."""

    def __init__(self, clock: Clock, mark: int) -> None:
        self._clock = clock
        self._mark = mark
        # The successor of another process takes the wall time as it finds it; jumps are judged from here on.
        self._last = max(mark, clock.now_ms())
        self._last_clock = clock.now_ms()
        self._last_monotonic = clock.monotonic()
        self._alarmed = False
        self._open: set[int] = set()
        self._closed = self._last + 1
        self._held: int | None = None

    @property
    def closed(self) -> int:
        """No write below this time is outstanding or will ever be made, by this process or a successor."""
        return min(min(self._open, default=self._closed), self._mark + 1)

    @property
    def read_time(self) -> int:
        closed = self.closed
        return (closed if self._held is None else min(closed, self._held)) - 1

    @property
    def mark(self) -> int:
        """What is reserved, durably: a successor's times are above it."""
        return self._mark

    def write_time(self) -> int:
        """A new time, open until `close` is called with it.  If it is beyond the mark, what is written at it raises that."""
        time = max(self._last + 1, self._now(), self._closed)
        self._last = time
        self._open.add(time)
        return time

    def close(self, time: int) -> None:
        """The write at `time` is durable (or was given up)."""
        self._open.discard(time)
        self._closed = max(self._closed, time + 1)

    def hold_reads(self, time: int) -> None:
        """No read begins at `time` or later until `release_reads`: so no write at it or later may be acknowledged."""
        self._held = time

    def release_reads(self) -> None:
        self._held = None

    def tick(self) -> int:
        """Moves time on when nothing is written; returns `closed`."""
        if not self._open:
            self.close(self.write_time())
        return self.closed

    def wanted_mark(self) -> int | None:
        """What the mark should be raised to now; None while enough of it is left."""
        ahead = max(self._last, self._clock_ms())
        return ahead + MARK_AHEAD_MS if self._mark < ahead + MARK_SPARE_MS else None

    def mark_raised(self, mark: int) -> None:
        """The mark is durable."""
        self._mark = max(self._mark, mark)

    def _clock_ms(self) -> int:
        """Wall time, if it may be taken; see `_now`."""
        now = self._clock.now_ms()
        return now if now - self._last <= MAX_JUMP_MS else self._last

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
