"""The watchdog of an event loop: how long callbacks wait for it, and what holds it when they wait long.

A thread asks the loop for an answer at a steady pace.  An answer that does not come within `LONG_S` is a *stall*, and all
clients of a process wait through it, so in the coordinator there should be none.  It is logged with

- how long the loop's thread computed, and how long it waited for a core: the rest it waited for the interpreter's lock or
  for the system;
- what it was executing;
- how long the garbage collector ran, which stops all threads;
- what the other thread executed that computed most meanwhile: it may have kept the lock.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from types import CodeType, FrameType

logger = logging.getLogger(__name__)

PERIOD_S = 0.1
LONG_S = 0.05
"""What is longer is noticed by people who wait for many small queries."""

FRAMES = 12


@dataclass(frozen=True, slots=True)
class Usage:
    """Of a thread so far: seconds on a core, and seconds in which it could have computed and had none; 0 where the system
    does not say."""

    computed_s: float = 0.0
    waited_s: float = 0.0

    @classmethod
    def of(cls, native_id: int | None) -> Usage:
        try:
            with open(f"/proc/self/task/{native_id}/schedstat", "rb") as file:
                computed, waited, _ = file.read().split()
        except OSError:
            return cls()
        return cls(int(computed) / 1e9, int(waited) / 1e9)

    def since(self, earlier: Usage) -> Usage:
        return Usage(self.computed_s - earlier.computed_s, self.waited_s - earlier.waited_s)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a thread was executing, from the outermost call inwards, and what it had used by then."""

    calls: list[tuple[CodeType, int]]
    usage: Usage

    @classmethod
    def of(cls, frame: FrameType | None, native_id: int | None) -> _Seen:
        calls: list[tuple[CodeType, int]] = []
        while frame is not None and len(calls) < FRAMES:
            calls.append((frame.f_code, frame.f_lineno))
            frame = frame.f_back
        return cls(calls[::-1], Usage.of(native_id))

    def stack(self) -> str:
        found = [traceback.FrameSummary(code.co_filename, line, code.co_name) for code, line in self.calls]
        return "".join(traceback.format_list(found))


class Watchdog:
    """Of the loop of the current thread.  `worst_s` and `stalls` are those since `reset`."""

    def __init__(self, period_s: float = PERIOD_S, long_s: float = LONG_S) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.current_thread()
        self._period_s = period_s
        self._long_s = long_s
        self._stopped = threading.Event()
        self._collected_s = 0.0
        self._collecting_since = 0.0
        self.worst_s = 0.0
        self.stalls = 0

    def run(self) -> None:
        """Until `stop`; in a thread of its own."""
        gc.callbacks.append(self._collects)
        try:
            while not self._stopped.wait(self._period_s) and self._look():
                pass
        finally:
            gc.callbacks.remove(self._collects)

    def stop(self) -> None:
        self._stopped.set()

    def reset(self) -> None:
        self.worst_s, self.stalls = 0.0, 0

    def _look(self) -> bool:
        """Asks the loop once; False when it will never answer."""
        answered = threading.Event()
        collected, before = self._collected_s, Usage.of(self._thread.native_id)
        asked = perf_counter()
        if not self._ask(answered.set):
            return False
        if answered.wait(self._long_s):
            self.worst_s = max(self.worst_s, perf_counter() - asked)
            return True
        seen = self._threads()
        while not answered.wait(self._period_s):
            if self._stopped.is_set() or self._loop.is_closed():
                return False
        seconds = perf_counter() - asked
        self.worst_s = max(self.worst_s, seconds)
        self.stalls += 1
        logger.warning(
            "%s",
            _described(
                seconds,
                Usage.of(self._thread.native_id).since(before),
                self._collected_s - collected,
                self._thread,
                seen,
            ),
        )
        return True

    def _ask(self, answer: Callable[[], None]) -> bool:
        """Whether the loop will answer: it is not closed."""
        try:
            self._loop.call_soon_threadsafe(answer)
        except RuntimeError:
            return False
        return True

    def _threads(self) -> dict[threading.Thread, _Seen]:
        """All but this one."""
        frames = sys._current_frames()
        others = (thread for thread in threading.enumerate() if thread is not threading.current_thread())
        return {thread: _Seen.of(frames.get(thread.ident or 0), thread.native_id) for thread in others}

    def _collects(self, phase: str, info: dict[str, int]) -> None:
        """One thread at a time collects, and it has the interpreter's lock."""
        if phase == "start":
            self._collecting_since = perf_counter()
        else:
            self._collected_s += perf_counter() - self._collecting_since


def _described(
    seconds: float,
    usage: Usage,
    collected_s: float,
    thread: threading.Thread,
    seen: Mapping[threading.Thread, _Seen],
) -> str:
    text = (
        f"the event loop stood still for {seconds * 1000:.0f} ms, of which it computed {usage.computed_s * 1000:.0f} ms, "
        f"waited {usage.waited_s * 1000:.0f} ms for a core, and {collected_s * 1000:.0f} ms went to the garbage "
        f"collector, in:\n{seen[thread].stack() if thread in seen else 'a thread that has ended'}"
    )
    others = {
        other: Usage.of(other.native_id).since(then.usage)
        for other, then in seen.items()
        if other is not thread
    }
    busiest = max(others, key=lambda other: others[other].computed_s, default=None)
    if busiest is not None and others[busiest].computed_s > 0:
        text += (
            f"meanwhile thread {busiest.name} computed {others[busiest].computed_s * 1000:.0f} ms and waited "
            f"{others[busiest].waited_s * 1000:.0f} ms for a core, in:\n{seen[busiest].stack()}"
        )
    return text
