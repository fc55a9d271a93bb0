"""The driver as the coordinator's child: started, watched, and started again when it dies."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from ...directory import PRIVATE_UMASK
from ...errors import PtvcError, ReplicaUnavailable
from ...retry import Backoff, Pauses
from ...supervision import Supervisor

logger = logging.getLogger(__name__)

HOPELESS_AFTER = 3
"""So many failures to start in a row are told to queries; before, and when something else has ended it, they wait."""
BACKOFF = Backoff(first_s=0.2, longest_s=30.0)
STOP_TIMEOUT_S = 15.0
CANNOT_RUN = 126
"""The status of a command that the system cannot run, as a shell gives it."""


OnExit = Callable[[PtvcError | None], None]
"""Hears of the end of a driver: None when it will be back soon, otherwise why it cannot be started."""


class Driver(Protocol):
    """The driver's process, as the controller sees it; it is started again when it ends."""

    def start(self) -> None: ...

    def healthy(self) -> None:
        """It has dialled in."""

    async def stop(self) -> None:
        """Returns when it has ended, with all that it started; its connection is closed by then."""


class Launch(Protocol):
    """Makes a driver for the control socket at `address`, not started."""

    def __call__(self, address: str, directory: Path, on_exit: OnExit) -> Driver: ...


class DriverProcess:
    """Keeps one driver process alive: it is started again whenever it ends, in growing intervals."""

    def __init__(
        self,
        address: str,
        directory: Path,
        on_exit: OnExit,
        *,
        blobs: str,
        master: str,
        memory: str,
        supervisor: Supervisor,
    ) -> None:
        """`blobs` is their URL."""
        self._supervisor = supervisor
        self._command = [sys.executable, "-P", "-m", "ptvc.replica.driver"]
        self._command += [address, str(directory), blobs, master, memory]
        self._log = directory / "log" / "driver.log"
        self._on_exit = on_exit
        self._was_up = False
        self._failed_starts = 0
        self._process: asyncio.subprocess.Process | None = None
        self._pauses = Pauses(BACKOFF)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._task = self._supervisor.start("driver", self._supervise())

    def healthy(self) -> None:
        """It has dialled in: the next failure is a new one."""
        self._pauses.reset()
        self._was_up = True
        self._failed_starts = 0

    async def _supervise(self) -> None:
        while True:
            self._was_up = False
            try:
                code, reason = await self._run()
            except OSError as error:  # there is no file descriptor, memory or process to be had
                code, reason = CANNOT_RUN, str(error)
            logger.warning("the driver ended with code %s: %s", code, reason)
            failure = ReplicaUnavailable(
                f"Spark cannot be started: {reason}",
                hint=f"It is tried again all the time; the driver's log is {self._log}.",
            )
            if not self._was_up and code > 0:  # by itself: nobody has killed it
                self._failed_starts += 1
            self._on_exit(failure if self._failed_starts >= HOPELESS_AFTER else None)
            await asyncio.sleep(self._pauses.endless())

    async def _run(self) -> tuple[int, str]:
        """Runs it to its end: its status, and the last that it has written."""
        with self._log.open("ab") as log:
            start = log.tell()
            # Its own process group, so that a Ctrl-C at the terminal reaches the coordinator alone.
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                umask=PRIVATE_UMASK,
            )
        return await self._process.wait(), _last_line(self._log, start)

    async def stop(self) -> None:
        """Ends the driver and all that it started."""
        if self._task is not None:
            self._task.cancel()
        process = self._process
        if process is None or process.returncode is not None:
            return
        try:
            await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)  # its connection is closed: it is leaving
        except TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


def _last_line(log: Path, start: int) -> str:
    with log.open("rb") as file:
        file.seek(start)
        lines = [line for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else "no output"
