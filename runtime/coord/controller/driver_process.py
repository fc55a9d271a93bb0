"""The driver as the coordinator's child: started, watched, and started again when it dies."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Protocol

from ...config import Settings
from ...driver_start import Begun, BegunDriver, DriverCommand
from ...errors import PtvcError, ReplicaUnavailable
from ...retry import Backoff, Pauses
from ...supervision import Supervisor

logger = logging.getLogger(__name__)

HOPELESS_AFTER = 3
"""So many failures to start in a row are told to queries; before, and when something else has ended it, they wait."""
BACKOFF = Backoff(first_s=0.2, longest_s=30.0)
STOP_TIMEOUT_S = 15.0
LEAVE_S = 3.0
"""So long what the driver has started may take to end after it; then it is killed."""
_LOOK_S = 0.02
CANNOT_RUN = 126
"""The status of a command that the system cannot run, as a shell gives it."""


OnExit = Callable[[PtvcError | None], None]
"""Hears of the end of a driver: None when it will be back soon, otherwise why it cannot be started."""


class Driver(Protocol):
    """The driver's process, as the controller sees it; it is started again when it ends."""

    def start(self) -> None: ...

    def healthy(self) -> None:
        """It has dialled in."""

    @property
    def secret(self) -> bytes | None:
        """What its process knows, and no other: one of another coordinator may have found the socket.  None: there is no process."""

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

    @property
    def secret(self) -> bytes | None:
        return None if self._process is None else self._process.secret

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
    """A process that leads a group, and the group: ended when both are.

    A thread waits for it, as it may have been begun before there was an event loop.
    """

    def __init__(self, begun: Begun) -> None:
        self._process = begun.process
        self.secret = begun.secret
        self._loop = asyncio.get_running_loop()
        self._code: asyncio.Future[int] = self._loop.create_future()
        threading.Thread(target=self._wait, name="driver", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _wait(self) -> None:
        code = self._process.wait()
        self._end_group()
        with suppress(RuntimeError):  # the loop has gone, and nobody asks
            self._loop.call_soon_threadsafe(self._code.set_result, code)

    def _end_group(self) -> None:
        """A JVM and its executors end when they miss the driver, and have time for that: they remove their files.  The number of a
        group is not given away while it has members."""
        with suppress(ProcessLookupError, PermissionError):  # no member, or on a Mac none that runs
            self._await_group()
            os.killpg(self.pid, signal.SIGKILL)
            self._await_group()

    def _await_group(self) -> None:
        """For a bounded time, as nobody may ask for the status of its members.  Raises ProcessLookupError when it has none."""
        deadline = monotonic() + LEAVE_S
        while monotonic() < deadline:
            os.killpg(self.pid, 0)
            sleep(_LOOK_S)

    async def ended(self) -> int:
        """Its status, once it has ended."""
        return await asyncio.shield(self._code)

    def kill(self) -> None:
        """With all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


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
