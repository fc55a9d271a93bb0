"""Threads for computations that would hold up the event loop: planning a statement, evaluating constants, sorting a result.

```
await pool.run(work) ──> queue ──> one of a few threads: interruptible(interrupt): work() ──> the result, on the loop
        │ cancelled: interrupt.set()                              └── check_interrupt() raises
```

A computation is a pure function of what it is given.  Whoever awaits it may be cancelled at any moment, and then goes on at
once; the computation ends at its next `check_interrupt`, or does not begin if it still waits for a thread.  There are
never more threads than the pool's size, so that many clients with large statements take turns.

A computation that does not come by `check_interrupt` keeps its thread.  After STUCK_S the log says so and another thread takes
its place (MOST_STUCK of a pool at most): others do not wait for what nobody waits for any more.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar
from weakref import WeakSet

from ..expr.columns.value_size import limited_values
from ..interrupt import Interrupt, interruptible

T = TypeVar("T")

logger = logging.getLogger(__name__)

STUCK_S = 5.0
MOST_STUCK = 8


@dataclass(slots=True, eq=False)
class _Task:
    work: Callable[[], Any]
    done: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop
    interrupt: Interrupt = field(default_factory=Interrupt)
    thread: Thread | None = None
    """What computes it now."""
    replaced: bool = False
    """Another thread has taken the place of the one that computes it."""

    def run(self) -> None:
        if self.interrupt.error is not None:
            return
        result: Any = None
        failure: BaseException | None = None
        try:
            with interruptible(self.interrupt), limited_values():
                result = self.work()
        except BaseException as error:  # the awaiting task raises it
            failure = error
        with suppress(RuntimeError):  # the loop was closed
            self.loop.call_soon_threadsafe(self._settle, result, failure)

    def _settle(self, result: Any, failure: BaseException | None) -> None:
        if self.done.done():
            return
        if failure is None:
            self.done.set_result(result)
        else:
            self.done.set_exception(failure)


class ThreadPool:
    """At most `size` threads, started when they are needed; none ends before the process does."""

    def __init__(self, name: str, size: int) -> None:
        self._name = name
        self._size = size
        self._begin()
        _pools.add(self)

    def _begin(self) -> None:
        self._tasks: SimpleQueue[_Task] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads = 0
        self._numbers = count(1)
        self.stuck = 0
        """Threads that were replaced and compute still."""
        self.busy = 0
        """Threads that compute now."""
        self._counting = threading.Lock()

    async def run(self, work: Callable[[], T]) -> T:
        """What `work()` returns or raises."""
        task = self._submit(work)
        try:
            return await task.done  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            task.interrupt.set()
            task.loop.call_later(STUCK_S, self._replace, task)
            raise

    def release(self, free: Callable[[], None]) -> None:
        """Runs `free()`, which gives memory back to the system; nobody waits for it."""
        self._submit(free)

    def _submit(self, work: Callable[[], Any]) -> _Task:
        loop = asyncio.get_running_loop()
        task = _Task(work, loop.create_future(), loop)
        self._tasks.put(task)
        if not self._idle.acquire(blocking=False):
            self._start_thread()
        return task

    def _replace(self, task: _Task) -> None:
        """Starts another thread if one computes the task still, which was cancelled."""
        with self._counting:
            if task.thread is None or self.stuck == MOST_STUCK:
                return
            logger.warning(
                "%s does not stop computing what was cancelled %g s ago", task.thread.name, STUCK_S
            )
            task.replaced = True
            self.stuck += 1
            self._threads -= 1
        if not self._tasks.empty():
            self._start_thread()

    def _start_thread(self) -> None:
        with self._counting:
            if self._threads == self._size:
                return
            self._threads += 1
        Thread(target=self._serve, name=f"{self._name} {next(self._numbers)}", daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                task = self._tasks.get_nowait()
            except Empty:
                self._idle.release()
                task = self._tasks.get()
            self._begun(task)
            try:
                task.run()
            finally:
                self._ended(task)
            if task.replaced:
                return
            del task  # what it held is not kept until the next one comes

    def _begun(self, task: _Task) -> None:
        with self._counting:
            task.thread = threading.current_thread()
            self.busy += 1

    def _ended(self, task: _Task) -> None:
        with self._counting:
            task.thread = None
            self.busy -= 1
            self.stuck -= task.replaced


_pools: WeakSet[ThreadPool] = WeakSet()


def _begin_anew() -> None:
    """A forked process has none of the threads."""
    for pool in _pools:
        pool._begin()


os.register_at_fork(after_in_child=_begin_anew)

PLANNING = ThreadPool("planning", 4)
"""Text to plans; nothing here waits for anything."""

EVALUATION = ThreadPool("evaluation", 8)
"""Constant queries, which may call functions of users, and whole results: sorted, decoded, read from blobs."""

CONNECTING = ThreadPool("connecting", 4)
"""What waits for the outside: connections that are tried, each until its own deadline."""

FEW_ROWS = 1_000
"""What is computed over fewer rows takes less time than to hand it to another thread and back."""


SOME_ROWS = 10_000
"""The same of what is some kernels over one column, or two."""


async def over_rows(count: int, work: Callable[[], T], few: int = FEW_ROWS) -> T:
    """What `work()`, a computation over so many rows, returns or raises: here if they are few, else in another thread."""
    return work() if count <= few else await EVALUATION.run(work)


def release_rows(count: int, free: Callable[[], None]) -> None:
    """Runs `free()`, which frees so many rows: here if they are few, else in another thread, without waiting for it."""
    if count <= FEW_ROWS:
        free()
    else:
        EVALUATION.release(free)
