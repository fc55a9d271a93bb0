"""The coordinator's end of the driver: the process that owns the Spark session, and its connection while it has one."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from ...errors import ReplicaLost
from ...replica.protocol import DriverHello, DriverWelcome, Message, Outbox
from .driver_process import Driver, Launch, OnExit

logger = logging.getLogger(__name__)


class DriverClient:
    """`launch` makes the driver, which comes back by itself when it ends; `on_exit` hears of that."""

    def __init__(self, launch: Launch, directory: Path, on_exit: OnExit) -> None:
        self._launch = launch
        self._directory = directory
        self._on_exit = on_exit
        self._driver: Driver | None = None
        self._outbox: Outbox | None = None

    def start(self, address: str) -> None:
        """Starts the driver, which will dial the control socket at `address`."""
        self._driver = self._launch(address, self._directory, self._on_exit)
        self._driver.start()

    @property
    def secret(self) -> bytes | None:
        """What the driver that was started here knows; None: there is none."""
        return None if self._driver is None else self._driver.secret

    def hang_up(self) -> None:
        """The driver leaves when its connection is closed."""
        if self._outbox is not None:
            self._outbox.close()

    async def stop(self) -> None:
        if self._driver is not None:
            await self._driver.stop()

    def attach(self, hello: DriverHello, outbox: Outbox, welcome: DriverWelcome) -> None:
        """It has dialled in, and is told what it has to know first."""
        logger.info("Spark %s is up: %s, driver pid %d", hello.spark_version, hello.master, hello.pid)
        self._outbox = outbox
        outbox.send(welcome)
        assert self._driver is not None
        self._driver.healthy()

    def detach(self, writer: asyncio.StreamWriter) -> None:
        """The connection has ended."""
        if self._outbox is not None and self._outbox.writer is writer:
            self._outbox = None

    def send(self, message: Message) -> None:
        """Raises ReplicaLost when there is no driver."""
        if self._outbox is None:
            raise ReplicaLost("Spark is not running")
        self._outbox.send(message)

    def tell(self, message: Message) -> None:
        """Sends a message that a new driver gets anyway when it connects; without a driver, nothing."""
        if self._outbox is not None:
            self._outbox.send(message)
