"""What is simulated and cannot be given to the coordinator as an argument, as its storage, clock, supervisor and driver are: threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TypeVar
from unittest import mock

from ptvc.coord.thread_pool import ThreadPool, _Task
from ptvc.supervision import Supervisor

from .loop import SimulatedLoop

T = TypeVar("T")


async def _run(_: ThreadPool, work: Callable[[], T]) -> T:
    """The computation runs on the loop, at some later moment; threads that the pool may have do not see it."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimulatedLoop)
    task = _Task(work, loop.create_future(), loop)
    loop.run_in_thread(task.run)
    try:
        return await task.done  # type: ignore[no-any-return]
    except asyncio.CancelledError:
        task.interrupt.set()
        raise


class ThreadlessSupervisor(Supervisor):
    """Starts no threads: what the watchdog measures stands still here."""

    def thread(self, name: str, work: Callable[[], None]) -> Thread:
        return mock.create_autospec(Thread, instance=True)


@contextmanager
def planned_on_the_loop() -> Iterator[None]:
    """While the block runs, statements are planned, and constants evaluated, on the simulated loop."""
    with mock.patch.object(ThreadPool, "run", _run):
        yield
