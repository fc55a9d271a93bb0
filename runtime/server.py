"""`ptvc serve`: the composition root.  Builds the coordinator and its listener, says that it is ready, and stops both.

See `directory` for who serves a directory, and how clients find it.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from pathlib import Path

from .clock import SystemClock
from .config import SWITCH_INTERVAL_S, Settings
from .coord.coordinator import Coordinator
from .directory import PRIVATE_UMASK, RUNTIME_FILE, RuntimeInfo, installed_version, lock
from .errors import Fenced
from .persist.location import Location
from .pgwire.listener import Limits
from .pgwire.listener import serve as listen
from .pgwire.passwords import of_roles
from .sql.warm_up import warm_up

logger = logging.getLogger(__name__)


async def run(directory: Path, host: str, port: int, settings: Settings, location: Location) -> None:
    """Serves until SIGINT or SIGTERM; prints one line when clients may connect."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    os.umask(PRIVATE_UMASK)  # and that of all processes that are started from here
    directory = directory.resolve()
    held = lock(directory)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)

    lost = asyncio.Event()

    def fenced() -> None:
        logger.error("another coordinator has taken over %s: this one stops", directory)
        lost.set()
        stopping.set()

    coordinator = Coordinator(directory, settings, SystemClock(), fenced, location=location)
    await coordinator.start()
    try:
        limits = Limits(max_connections=settings.max_connections)
        listener = await listen(host, port, coordinator, passwords=of_roles(coordinator), limits=limits)
        try:
            RuntimeInfo(host, listener.port, os.getpid(), installed_version()).write(directory)
            print(
                f"ptvc {installed_version()} is ready: psql -h {host} -p {listener.port} -U ptvc ptvc",
                flush=True,
            )
            warm = loop.run_in_executor(None, _settle)
            await stopping.wait()
            await warm
            logger.info("stopping")
        finally:
            (directory / RUNTIME_FILE).unlink(missing_ok=True)
            await listener.close()
    finally:
        await coordinator.stop()
        held.close()
    if lost.is_set():
        raise Fenced(f"another coordinator has taken over {directory}", hint="This process has stopped.")


def _settle() -> None:
    """What is imported and made by the first statements stays: the garbage collector need not look at it again, which
    takes 100 ms each time and would stop whatever statement it falls into."""
    warm_up()
    gc.collect()
    gc.freeze()
