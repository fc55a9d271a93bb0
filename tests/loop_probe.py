"""How long the event loop of a runtime is held: a task that ticks every 5 ms and remembers the longest gap."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, process_time

from inprocess import InProcess
from ptvc.watchdog import Usage

TICK_S = 0.005


class LoopProbe:
    """`held_s` is the longest gap between two ticks, less what the machine gave to others: the time for which the loop's
    thread waited for a core, that for which a virtual machine had none, and at most the processor time that the process
    used.  `resident` is the most memory seen, in bytes."""

    def __init__(self) -> None:
        self.held_s = 0.0
        self.resident = 0
        self.ticks = 0
        self._stopping = False

    async def run(self) -> None:
        thread = threading.get_native_id()
        wall, processor, own, stolen = perf_counter(), process_time(), Usage.of(thread), stolen_s()
        while not self._stopping:
            await asyncio.sleep(TICK_S)
            now, used, owned, taken = perf_counter(), process_time(), Usage.of(thread), stolen_s()
            gap = now - wall - TICK_S - owned.since(own).waited_s - (taken - stolen)
            self.held_s = max(self.held_s, min(gap, used - processor))
            self.resident = max(self.resident, resident_bytes())
            self.ticks += 1
            wall, processor, own, stolen = now, used, owned, taken

    def stop(self) -> None:
        self._stopping = True


def stolen_s() -> float:
    """Seconds in which cores of this virtual machine had work and its host gave them to others."""
    with open("/proc/stat", "rb") as file:
        return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


def resident_bytes() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def probed(runtime: InProcess) -> Iterator[LoopProbe]:
    """The probe runs on the runtime's loop as long as the body."""
    probe = LoopProbe()
    loop = runtime._loop
    assert loop is not None
    running = asyncio.run_coroutine_threadsafe(probe.run(), loop)
    try:
        yield probe
    finally:
        probe.stop()
        running.result(60.0)
    assert probe.ticks
