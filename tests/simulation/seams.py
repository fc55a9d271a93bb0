"""Where the coordinator is given what is simulated instead of what is real."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from threading import Thread
from typing import Any, TypeVar
from unittest import mock

from ptvc import retry
from ptvc.coord import coordinator
from ptvc.coord.controller import checkpoints
from ptvc.coord.thread_pool import ThreadPool, _Task
from ptvc.persist.location import Location
from ptvc.persist.stores import Stores
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


class _Supervisor(Supervisor):
    """Starts no threads."""

    def thread(self, name: str, work: Callable[[], None]) -> Thread:
        return _NeverStarted(target=work, name=name, daemon=True)


@contextmanager
def simulated(open_stores: Callable[[], tuple[Any, Any]]) -> Iterator[None]:
    """While the block runs, coordinators open these stores, and plan on the simulated loop."""

    def opened(*_: object) -> Stores:
        consensus, blob = open_stores()
        return Stores(Location(), consensus, blob)

    with (
        mock.patch.object(coordinator, "open_stores", opened),
        mock.patch.object(coordinator, "Supervisor", _Supervisor),
        mock.patch.object(ThreadPool, "run", _run),
        mock.patch.object(retry, "_RANDOM", Random(0)),
        mock.patch.object(checkpoints, "ThreadPoolExecutor", _AtOnce),
        mock.patch.object(checkpoint, "monotonic", _loop_time),
    ):
        yield
