"""The control socket, to which the driver and the replicas connect and identify themselves.

Messages are pickled, so access to the socket allows running code: only its owner has it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from ...directory import CONTROL_SOCKET, PRIVATE_UMASK
from ...errors import PtvcError
from ...replica.protocol import DriverHello, ReplicaHello, receive
from ...supervision import OnFailure

logger = logging.getLogger(__name__)

MAX_SOCKET_PATH = 100

ServeDriver = Callable[[DriverHello, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
ServeReplica = Callable[[ReplicaHello, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class ControlSocket:
    """A connection is open as long as the task that serves it runs."""

    def __init__(
        self, directory: Path, serve_driver: ServeDriver, serve_replica: ServeReplica, on_failure: OnFailure
    ) -> None:
        self._on_failure = on_failure
        self._directory = directory
        self._serve_driver = serve_driver
        self._serve_replica = serve_replica
        self._server: asyncio.Server | None = None

    async def open(self) -> str:
        """Listens; returns the address."""
        address = _socket_path(self._directory)
        address.unlink(missing_ok=True)
        old_mask = os.umask(PRIVATE_UMASK)  # access to the socket allows running code
        try:
            self._server = await asyncio.start_unix_server(self._connected, str(address))
        finally:
            os.umask(old_mask)
        return str(address)

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            match await receive(reader):
                case DriverHello() as hello:
                    await self._serve_driver(hello, reader, writer)
                case ReplicaHello() as hello:
                    await self._serve_replica(hello, reader, writer)
                case _:
                    logger.warning("a process on the control socket did not say who it is")
        except asyncio.CancelledError:
            return  # the coordinator is stopping
        except PtvcError as error:  # the peer starts anew from what is durable
            logger.warning("a connection on the control socket ends: %s", error)
        except Exception as error:
            self._on_failure("control socket", error)
        finally:
            writer.close()


def _socket_path(directory: Path) -> Path:
    """In the environment's directory, unless that is too deep for the address of a Unix socket."""
    path = directory / CONTROL_SOCKET
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        return path
    return Path(tempfile.mkdtemp(prefix="ptvc-")) / CONTROL_SOCKET
