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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from .config import DEFAULT_HOST, Settings
from .directory import PRIVATE_UMASK, new_secret


@dataclass(frozen=True, slots=True)
class Begun:
    """A driver's process, and the secret that it has read from its standard input: nobody else sees that, as they would an argument, nor has what it
    starts, as it would a variable of its environment."""

    process: subprocess.Popen[bytes]
    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class DriverCommand:
    """A driver that dials the control socket at `address`; `blobs` is their URL, `memory` the heap of its JVM.  It is this process's:
    it ends with it.  Executors reach it at `host`, and `properties` is the file of Spark's own settings (empty: none)."""

    address: str
    directory: Path
    blobs: str
    master: str
    memory: str
    host: str = DEFAULT_HOST
    properties: str = ""

    @classmethod
    def of(cls, settings: Settings, address: str, directory: Path, blobs: str) -> DriverCommand:
        reached = settings.control_address if settings.on_cluster else None
        return cls(
            address,
            directory,
            blobs,
            settings.master,
            settings.spark_driver_memory,
            DEFAULT_HOST if reached is None else reached[0],
            settings.spark_properties_file,
        )

    @property
    def log(self) -> Path:
        return self.directory / "log" / "driver.log"

    @property
    def words(self) -> list[str]:
        coordinator = str(os.getpid())
        arguments = [coordinator, self.address, str(self.directory), self.blobs, self.master, self.memory]
        return [sys.executable, "-P", "-m", "ptvc.replica.driver", *arguments, self.host, self.properties]

    def begin(self) -> Begun:
        """Raises OSError."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            # Its own process group, so that a Ctrl-C at the terminal reaches the coordinator alone.
            process = subprocess.Popen(
                self.words,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                umask=PRIVATE_UMASK,
            )
        secret = new_secret()
        assert process.stdin is not None
        with suppress(BrokenPipeError), process.stdin as stdin:  # it has ended; who waits for it sees that
            stdin.write(secret)
        return Begun(process, secret)


class BegunDriver:
    """A driver that runs before there is a coordinator, which takes it; at the end of the block it is killed unless it was taken."""

    def __init__(self, command: DriverCommand) -> None:
        self._command = command
        self._begun: Begun | None = None

    def __enter__(self) -> Self:
        with suppress(OSError):  # the coordinator tries again, and says what is wrong
            self._begun = self._command.begin()
        return self

    def take(self, command: DriverCommand) -> Begun | None:
        """Once, and for the same command only."""
        if command != self._command:
            return None
        begun, self._begun = self._begun, None
        return begun

    def __exit__(self, *_: object) -> None:
        if self._begun is not None:
            os.killpg(self._begun.process.pid, signal.SIGKILL)
            self._begun.process.wait()
