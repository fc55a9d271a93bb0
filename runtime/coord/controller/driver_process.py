"""The driver as the coordinator's child: started, watched, and started again when it dies."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from ...config import Settings
from ...driver_start import BegunDriver, DriverCommand
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

    def is_it(self, pid: int) -> bool:
        """Whether that is its process: one of another coordinator may have found the socket."""

    async def stop(self) -> None:
        """Returns when it has ended, with all that it started; its connection is closed by then."""


class Launch(Protocol):
    """Makes a driver for the control socket at `address`, not started."""

    def __call__(self, address: str, directory: Path, on_exit: OnExit) -> Driver: ...


class DriverProcess:
    """Keeps one driver process alive: it is started again whenever it ends, in growing intervals.

    The first one may have been begun before.
    """

    def __init__(
        self,
        command: DriverCommand,
        on_exit: OnExit,
        supervisor: Supervisor,
        begun: BegunDriver | None = None,
    ) -> None:
        self._command = command
        self._begun = begun
        self._supervisor = supervisor
        self._on_exit = on_exit
        self._was_up = False
        self._failed_starts = 0
        self._process: _Process | None = None
        self._pauses = Pauses(BACKOFF)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = self._supervisor.start("driver", self._supervise())

    def healthy(self) -> None:
        """It has dialled in: the next failure is a new one."""
        self._pauses.reset()
        self._was_up = True
        self._failed_starts = 0

    def is_it(self, pid: int) -> bool:
        return self._process is not None and self._process.pid == pid

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
                hint=f"It is tried again all the time; the driver's log is {self._command.log}.",
            )
            if not self._was_up and code > 0:  # by itself: nobody has killed it
                self._failed_starts += 1
            self._on_exit(failure if self._failed_starts >= HOPELESS_AFTER else None)
            await asyncio.sleep(self._pauses.endless())

    async def _run(self) -> tuple[int, str]:
        """Runs it to its end: its status, and the last that it has written."""
        log = self._command.log
        start = log.stat().st_size if log.exists() else 0
        begun = None if self._begun is None else self._begun.take(self._command)
        self._process = _Process(begun or self._command.begin())
        return await self._process.ended(), _last_line(log, start)

    async def stop(self) -> None:
        """Ends the driver and all that it started."""
        if self._task is not None:
            self._task.cancel()
        if self._process is None:
            return
        try:
            # Its connection is closed: it is leaving.  One that has none yet would look for it.
            await asyncio.wait_for(self._process.ended(), STOP_TIMEOUT_S if self._was_up else 0)
        except TimeoutError:
            self._process.kill()
            await self._process.ended()


class _Process:
    """A process that is waited for by a thread, as it may have been begun before there was an event loop."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._code: asyncio.Future[int] = self._loop.create_future()
        threading.Thread(target=self._wait, name="driver", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _wait(self) -> None:
        code = self._process.wait()
        with suppress(RuntimeError):  # the loop has gone, and nobody asks
            self._loop.call_soon_threadsafe(self._code.set_result, code)

    async def ended(self) -> int:
        """Its status, once it has ended."""
        return await asyncio.shield(self._code)

    def kill(self) -> None:
        """With all that it has started."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)


def launching(
    settings: Settings, blobs: str, supervisor: Supervisor, begun: BegunDriver | None = None
) -> Launch:
    """Drivers that are processes of their own, which run Spark."""

    def launch(address: str, directory: Path, on_exit: OnExit) -> Driver:
        return DriverProcess(
            DriverCommand.of(settings, address, directory, blobs), on_exit, supervisor, begun
        )

    return launch


def _last_line(log: Path, start: int) -> str:
    with log.open("rb") as file:
        file.seek(start)
        lines = [line for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else "no output"
