"""What is simulated and cannot be given to the coordinator as an argument, as its storage, clock, supervisor and driver are: threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from threading import Thread
from typing import TypeVar
from unittest import mock

from ptvc import retry
from ptvc.coord.controller import checkpoints
from ptvc.coord.thread_pool import ThreadPool, _Task
from ptvc.replica import checkpoint
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


class _AtOnce:
    """Instead of the thread that removes files, which nothing waits for."""

    def __init__(self, *_: object) -> None: ...

    def submit(self, work: Callable[..., object], *args: object, **more: object) -> None:
        work(*args, **more)

    def shutdown(self) -> None: ...


def _loop_time() -> float:
    return asyncio.get_running_loop().time()


class _NeverStarted(Thread):
    def start(self) -> None:
        """What the watchdog measures stands still here."""

    def join(self, timeout: float | None = None) -> None:
        """It has not begun."""


class ThreadlessSupervisor(Supervisor):
    """Starts no threads."""

    def thread(self, name: str, work: Callable[[], None]) -> Thread:
        return _NeverStarted(target=work, name=name, daemon=True)


@contextmanager
def planned_on_the_loop() -> Iterator[None]:
    """While the block runs, statements are planned, and constants evaluated, on the simulated loop; files are removed there, too,
    and pauses and checkpoints go by its time and by chance that is the same in every run."""
    with (
        mock.patch.object(ThreadPool, "run", _run),
        mock.patch.object(retry, "_RANDOM", Random(0)),
        mock.patch.object(checkpoints, "ThreadPoolExecutor", _AtOnce),
        mock.patch.object(checkpoint, "monotonic", _loop_time),
    ):
        yield
