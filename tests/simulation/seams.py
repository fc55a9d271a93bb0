"""Where the coordinator is given what is simulated instead of what is real."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from unittest import mock

from ptvc.coord import coordinator
from ptvc.coord.thread_pool import ThreadPool
from ptvc.persist.location import Location
from ptvc.persist.stores import Stores
from ptvc.supervision import Supervisor

from .loop import SimulatedLoop


def _start_thread(pool: ThreadPool) -> None:
    """The computation that was just put into the queue runs on the loop, at some later moment."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimulatedLoop)
    loop.run_in_thread(pool._tasks.get_nowait().run)


class _Supervisor(Supervisor):
    """Starts no threads: what the watchdog measures stands still here."""

    def thread(self, name: str, work: Callable[[], None]) -> Thread:
        return mock.create_autospec(Thread, instance=True)


@contextmanager
def simulated(open_stores: Callable[[], tuple[Any, Any]]) -> Iterator[None]:
    """While the block runs, coordinators open these stores, and plan on the simulated loop."""

    def opened(*_: object) -> Stores:
        consensus, blob = open_stores()
        return Stores(Location(), consensus, blob)

    with (
        mock.patch.object(coordinator, "open_stores", opened),
        mock.patch.object(coordinator, "Supervisor", _Supervisor),
        mock.patch.object(ThreadPool, "_start_thread", _start_thread),
    ):
        yield
