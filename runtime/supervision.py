"""Supervision: every long-lived task and thread of a process has a name and an owner, and none ends unseen.

A `Supervisor` is the owner.  What it runs may raise what its caller is prepared for; any other exception, and the end
of what must never end, is a *failure*: it is logged with its stack, and `on_failure` stops the process, which is then
started anew from what is durable.  A process that went on without one of its parts would answer some requests and let
others wait for ever.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

OnFailure = Callable[[str, BaseException], None]
"""Gets the name of the part that failed, and its exception.  May be called from any thread."""


class Ended(RuntimeError):
    """A part that must run as long as its process has returned."""


class Supervisor:
    """`on_failure` is called for the first failure only."""

    def __init__(self, on_failure: OnFailure) -> None:
        self._on_failure = on_failure
        self._tasks: set[asyncio.Task[Any]] = set()
        self._stopping = False
        self.failure: BaseException | None = None

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Runs `work` as long as the process: its end, other than by cancellation, is a failure."""
        return self._supervised(name, work, endless=True)

    def run(self, name: str, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Runs `work` to its end, which may be awaited or not; an exception is a failure."""
        return self._supervised(name, work, endless=False)

    def thread(self, name: str, work: Callable[[], None]) -> threading.Thread:
        """A daemon thread that runs `work`; an exception is a failure.  Not started yet."""

        def supervised() -> None:
            try:
                work()
            except BaseException as error:
                self.fail(name, error)

        return threading.Thread(target=supervised, name=name, daemon=True)

    def fail(self, name: str, error: BaseException) -> None:
        """The part `name` cannot go on, so neither can the process."""
        if self._stopping or self.failure is not None:
            logger.error("%s failed, too: %r", name, error)
            return
        self.failure = error
        logger.critical("%s failed: this process stops", name, exc_info=error)
        self._on_failure(name, error)

    async def stop(self) -> None:
        """Cancels every task, and returns when all have ended."""
        self._stopping = True
        current = asyncio.current_task()
        tasks = [task for task in self._tasks if task is not current]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError, Exception):
                await task

    def _supervised(self, name: str, work: Coroutine[Any, Any, T], *, endless: bool) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)

        def ended(task: asyncio.Task[T]) -> None:
            self._tasks.discard(task)
            if task.cancelled():
                return
            if (error := task.exception()) is not None:
                self.fail(name, error)
            elif endless and not self._stopping:
                self.fail(name, Ended(f"{name} has ended"))

        task.add_done_callback(ended)
        return task


NICENESS = 5
"""Who waits for a step, a look-up or a commit comes first, where there are fewer cores than threads at work: one that tidies up gets
a quarter of the time that another one gets."""


def step_aside() -> None:
    """Lowers the priority of the calling thread.  Only Linux knows one of a thread."""
    if sys.platform == "linux":
        os.nice(NICENESS)
