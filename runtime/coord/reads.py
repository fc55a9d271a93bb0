"""Reads under way: nothing that they may still need is compacted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .oracle import Oracle


class ActiveReads:
    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._times: Counter[int] = Counter()

    def since(self) -> int:
        """No read below this time is under way or will begin, but for those AS OF a time that may be gone by then."""
        return min((*self._times, self._oracle.read_time))  # a read may wait for a time that is still to come

    def hold(self, time: int) -> Callable[[], None]:
        """Holds `time` readable until the result is called (once)."""
        self._times[time] += 1

        def release() -> None:
            self._times[time] -= 1
            if not self._times[time]:
                del self._times[time]

        return release

    @contextmanager
    def at(self, time: int) -> Iterator[int]:
        """Holds `time` readable while the block runs."""
        release = self.hold(time)
        try:
            yield time
        finally:
            release()
