"""Retry: attempts at something whose failure may pass, with growing pauses between them.

    Backoff      the policy: how long the pauses are, and when attempts end
    Pauses       one series of pauses under a policy; `reset` after a success
    retry        runs an operation in the calling thread until it succeeds, the policy ends, or nobody wants it
    Timing       where time, chance and pauses come from; tests give their own

Pause n is drawn evenly from [1 - jitter, 1 + jitter] times min(first_s * 2**n, longest_s).  An attempt that would begin
after the deadline is not made.  `retry` blocks its thread, so it must not be called on an event loop: a task takes the
length of a pause from `Pauses` and awaits it.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from .interrupt import check_interrupt

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Backoff:
    """`attempts` counts all, the first included; `deadline_s` is from the first pause's request on, or from `since` of Pauses."""

    first_s: float
    longest_s: float
    jitter: float = 0.5
    attempts: int | None = None
    deadline_s: float | None = None


class Timing(Protocol):
    def monotonic(self) -> float:
        """Seconds; only differences mean anything."""

    def random(self) -> float:
        """Evenly distributed in [0, 1)."""

    def wait(self, seconds: float) -> bool:
        """Pauses; True, at once, when no further attempt is wanted."""


class ThreadTiming:
    """Real time.  A pause ends when `stop` is set, when `wanted` says no more, and by the interrupt of the work around it."""

    def __init__(
        self, stop: threading.Event | None = None, wanted: Callable[[], bool] = lambda: True
    ) -> None:
        self._stop = stop or threading.Event()
        self._wanted = wanted

    def monotonic(self) -> float:
        return time.monotonic()

    def random(self) -> float:
        return _RANDOM.random()

    def wait(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while self._wanted() and not self._stop.is_set():
            check_interrupt()
            if (left := end - time.monotonic()) <= 0:
                return False
            self._stop.wait(min(left, _CHECK_INTERVAL_S))
        return True


_RANDOM = random.Random()
_CHECK_INTERVAL_S = 0.1
THREAD = ThreadTiming()


class ManualTiming:
    """Time that pauses alone move on; `pauses` are those that were asked for.  With `wanted`, that many are waited for."""

    def __init__(self, wanted: int | None = None) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self._wanted = wanted

    def monotonic(self) -> float:
        return self.now

    def random(self) -> float:
        return 0.5

    def wait(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        self.now += seconds
        return self._wanted is not None and len(self.pauses) > self._wanted


class Pauses:
    """`since` is the time (of `timing`) from which the deadline counts: by default that of the construction or of the
    last `reset`."""

    def __init__(self, backoff: Backoff, timing: Timing = THREAD, since: float | None = None) -> None:
        self._backoff = backoff
        self._timing = timing
        self._count = 0
        self._since = timing.monotonic() if since is None else since

    @property
    def failures(self) -> int:
        """How many pauses were asked for since the last `reset`."""
        return self._count

    def endless(self) -> float:
        """Seconds until the next attempt, whatever the policy says about the end."""
        policy = self._backoff
        self._count += 1
        # 2**1000 is more than any cap, and still a float.
        whole = min(policy.first_s * 2.0 ** min(self._count - 1, 1000), policy.longest_s)
        return whole * (1 + policy.jitter * (2 * self._timing.random() - 1))

    def next(self) -> float | None:
        """Seconds until the next attempt; None: there is none."""
        policy = self._backoff
        pause = self.endless()
        if policy.attempts is not None and self._count >= policy.attempts:
            return None
        if (
            policy.deadline_s is not None
            and self._timing.monotonic() + pause > self._since + policy.deadline_s
        ):
            return None
        return pause

    def reset(self) -> None:
        """It has succeeded: the next failure is the first of a new series."""
        self._count = 0
        self._since = self._timing.monotonic()


def retry(
    operation: Callable[[], T],
    may_pass: Callable[[Exception], bool],
    backoff: Backoff,
    timing: Timing = THREAD,
    on_failure: Callable[[Exception], None] | None = None,
    since: float | None = None,
) -> T:
    """What `operation` returns.  Its last error, when that may not pass, the policy ends or no attempt is wanted any more.

    `on_failure` is called with each error after which there is a pause.
    """
    pauses = Pauses(backoff, timing, since)
    while True:
        try:
            return operation()
        except Exception as error:
            pause = pauses.next() if may_pass(error) else None
            if pause is None:
                raise
            if on_failure is not None:
                on_failure(error)
            if timing.wait(pause):
                raise


def first_only(action: Callable[[Exception], None]) -> Callable[[Exception], None]:
    """`action` for the first failure of a series only: a log says once what is waited for."""
    seen = False

    def once(error: Exception) -> None:
        nonlocal seen
        if not seen:
            seen = True
            action(error)

    return once
