"""`ptvc serve`: the composition root.  Builds the coordinator and its listener, says that it is ready, and stops both.

A directory belongs to one process at a time: a lock file says so at once, and the epoch in consensus decides in the end.
`runtime.json` in the directory tells clients on this machine where the runtime listens.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
import signal
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO

from .clock import SystemClock
from .config import Settings
from .coord.coordinator import Coordinator
from .errors import PtvcError
from .pgwire.listener import Limits
from .pgwire.listener import serve as listen

logger = logging.getLogger(__name__)

RUNTIME_FILE = "runtime.json"
LOCK_FILE = "lock"


@dataclass(frozen=True, slots=True)
class RuntimeInfo:
    """What `runtime.json` holds while a runtime serves the directory."""

    host: str
    port: int
    pid: int
    version: str

    @classmethod
    def read(cls, directory: Path) -> RuntimeInfo | None:
        """The runtime that serves the directory; None when there is none."""
        try:
            info = cls(**json.loads((directory / RUNTIME_FILE).read_text()))
        except (FileNotFoundError, json.JSONDecodeError, TypeError):
            return None
        return info if is_locked(directory) else None

    def write(self, directory: Path) -> None:
        path = directory / RUNTIME_FILE
        temporary = path.with_suffix(".tmp")
        temporary.write_text(
            json.dumps({"host": self.host, "port": self.port, "pid": self.pid, "version": self.version})
        )
        temporary.replace(path)


def installed_version() -> str:
    return version("dbt-ptvc")


def is_locked(directory: Path) -> bool:
    """Whether a living process serves the directory."""
    try:
        with (directory / LOCK_FILE).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def lock(directory: Path) -> IO[bytes]:
    """Takes the directory for this process; the lock goes with the process."""
    directory.mkdir(parents=True, exist_ok=True)
    file = (directory / LOCK_FILE).open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        info = RuntimeInfo.read(directory)
        where = f" (process {info.pid}, port {info.port})" if info is not None else ""
        raise PtvcError(
            f"{directory} is served by another runtime already{where}",
            sqlstate="55006",
            hint=f"Stop it with: ptvc down --path {directory}",
        ) from None
    return file


async def run(directory: Path, host: str, port: int, settings: Settings) -> None:
    """Serves until SIGINT or SIGTERM; prints one line when clients may connect."""
    directory = directory.resolve()
    held = lock(directory)
    (directory / "log").mkdir(exist_ok=True)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopping.set)

    def fenced() -> None:
        logger.error("another coordinator has taken over %s: this one stops", directory)
        stopping.set()

    coordinator = Coordinator(directory, settings, SystemClock(), fenced)
    await coordinator.start()
    try:
        limits = Limits(max_connections=settings.max_connections)
        listener = await listen(host, port, coordinator, limits=limits)
        try:
            RuntimeInfo(host, listener.port, os.getpid(), installed_version()).write(directory)
            print(
                f"ptvc {installed_version()} is ready: psql -h {host} -p {listener.port} -U ptvc ptvc", flush=True
            )
            await stopping.wait()
            logger.info("stopping")
        finally:
            (directory / RUNTIME_FILE).unlink(missing_ok=True)
            await listener.close()
    finally:
        await coordinator.stop()
        held.close()
