"""How the driver's process is begun: by the command line first, while the rest of the runtime is imported, and by the coordinator
whenever it has ended.

Little is imported here: Spark takes seconds to start, and so do the modules of the coordinator.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from .config import Settings
from .directory import PRIVATE_UMASK


@dataclass(frozen=True, slots=True)
class DriverCommand:
    """A driver that dials the control socket at `address`; `blobs` is their URL, `memory` the heap of its JVM.  It is this process's:
    it ends with it."""

    address: str
    directory: Path
    blobs: str
    master: str
    memory: str

    @classmethod
    def of(cls, settings: Settings, address: str, directory: Path, blobs: str) -> DriverCommand:
        return cls(address, directory, blobs, settings.master, settings.spark_driver_memory)

    @property
    def log(self) -> Path:
        return self.directory / "log" / "driver.log"

    @property
    def words(self) -> list[str]:
        coordinator = str(os.getpid())
        arguments = [coordinator, self.address, str(self.directory), self.blobs, self.master, self.memory]
        return [sys.executable, "-P", "-m", "ptvc.replica.driver", *arguments]

    def begin(self) -> subprocess.Popen[bytes]:
        """Raises OSError."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            # Its own process group, so that a Ctrl-C at the terminal reaches the coordinator alone.
            return subprocess.Popen(
                self.words,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                umask=PRIVATE_UMASK,
            )


class BegunDriver:
    """A driver that runs before there is a coordinator, which takes it; at the end of the block it is killed unless it was taken."""

    def __init__(self, command: DriverCommand) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with suppress(OSError):  # the coordinator tries again, and says what is wrong
            self._process = self._command.begin()
        return self

    def take(self, command: DriverCommand) -> subprocess.Popen[bytes] | None:
        """Once, and for the same command only."""
        if command != self._command:
            return None
        process, self._process = self._process, None
        return process

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
