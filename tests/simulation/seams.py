"""Where the coordinator is given what is simulated instead of what is real."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from unittest import mock

from ptvc.coord import coordinator, run_in_thread
from ptvc.persist.location import Location
from ptvc.persist.stores import Stores
from ptvc.supervision import Supervisor

from .loop import SimulatedLoop


class _Worker:
    """A thread of `ptvc.coord.run_in_thread` that runs on the loop."""

    def __init__(self) -> None:
        self.tasks = self
        self.thread = Thread()  # never started, so nothing is raised in it

    def put(self, task: Callable[[], None] | None) -> None:
        loop = asyncio.get_running_loop()
        if task is not None:
            assert isinstance(loop, SimulatedLoop)
            loop.run_in_thread(task)


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
        mock.patch.object(run_in_thread, "_free_worker", _Worker),
        mock.patch.object(run_in_thread, "MAX_IDLE", 0),
    ):
        yield
