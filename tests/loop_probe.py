"""How long the event loop of a runtime is held: a task that ticks every 5 ms and remembers the longest gap."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, process_time

from inprocess import InProcess

TICK_S = 0.005


class LoopProbe:
    """`held_s` is the longest gap between two ticks, less what the machine gave to other processes: at most the processor
    time that this one used meanwhile.  `resident` is the most memory seen, in bytes."""

    def __init__(self) -> None:
        self.held_s = 0.0
        self.resident = 0
        self.ticks = 0
        self._stopping = False

    async def run(self) -> None:
        wall, processor = perf_counter(), process_time()
        while not self._stopping:
            await asyncio.sleep(TICK_S)
            now, used = perf_counter(), process_time()
            self.held_s = max(self.held_s, min(now - wall - TICK_S, used - processor))
            self.resident = max(self.resident, resident_bytes())
            self.ticks += 1
            wall, processor = now, used

    def stop(self) -> None:
        self._stopping = True


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
