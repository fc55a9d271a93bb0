"""Where the driver and the replicas connect: a Unix socket always, and an address of the network where replicas are elsewhere.

```
accepted ── handshake: both know the secret ── served: messages
              └── no, or not within HANDSHAKE_S: closed; nothing was decoded
```
"""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from time import monotonic

from ...directory import CONTROL_SOCKET, PRIVATE_UMASK
from ...errors import PtvcError
from ...network.addresses import bind_error
from ...replica.protocol import (
    DRIVER,
    HANDSHAKE_S,
    HEAD_BYTES,
    KEEPALIVE_S,
    SILENCE_S,
    Admission,
    ControlAddress,
    Hello,
    Incoming,
    Outbox,
    ProtocolError,
    TcpAddress,
    UnixAddress,
)
from ...supervision import OnFailure

logger = logging.getLogger(__name__)

MAX_SOCKET_PATH = 100
MOST_STRANGERS = 100
"""So many connections may be at their handshake at once; one more is closed."""
LOG_EVERY_S = 10.0
"""How often the log hears of strangers, whose number is theirs to choose."""
SHUTDOWN_S = 1.0
"""So long the end of TLS is waited for."""

SecretOf = Callable[[Hello], bytes | None]
Serve = Callable[[Hello, Incoming, Outbox], Awaitable[None]]
Spawn = Callable[[Coroutine[None, None, None]], asyncio.Task[None]]


class ControlListener:
    """`secret_of` is what who dials has to know, None if it is nobody that was started here.  A connection is open as long as `serve`
    runs.  `network` is a host and a port beside the Unix socket, behind TLS, where replicas come in."""

    def __init__(
        self,
        directory: Path,
        network: tuple[str, int] | None,
        secret_of: SecretOf,
        serve: Serve,
        spawn: Spawn,
        on_failure: OnFailure,
    ) -> None:
        self._directory = directory
        self._network = network
        self._secret_of = secret_of
        self._serve = serve
        self._spawn = spawn
        self._on_failure = on_failure
        self._servers: list[asyncio.Server] = []
        self._strangers = 0
        self._logged_at = -LOG_EVERY_S
        self._unlogged = 0
        self.for_replicas: ControlAddress
        """Set by `open`."""

    async def open(self) -> str:
        """Listens; returns the path of the Unix socket.  Raises PtvcError where that of the network cannot be had."""
        path = _socket_path(self._directory)
        path.unlink(missing_ok=True)
        old_mask = os.umask(PRIVATE_UMASK)
        try:
            self._servers.append(await asyncio.start_unix_server(partial(self._connected, None), str(path)))
        finally:
            os.umask(old_mask)
        self.for_replicas = UnixAddress(str(path))
        if self._network is not None:
            self.for_replicas = await self._open_network(*self._network)
        return str(path)

    async def _open_network(self, host: str, port: int) -> TcpAddress:
        # Takes its time to be imported, and most do without.
        from ...network.self_signed import self_signed

        shown = self_signed(self._directory)
        try:
            server = await asyncio.start_server(
                partial(self._connected, shown.fingerprint),
                host,
                port,
                ssl=shown.context,
                ssl_handshake_timeout=HANDSHAKE_S,
                ssl_shutdown_timeout=SHUTDOWN_S,
            )
        except OSError as error:
            raise bind_error(error, host, port) from error
        self._servers.append(server)
        port = server.sockets[0].getsockname()[1]
        logger.info("replicas come in at %s:%d", host, port)
        return TcpAddress(host, port, shown.fingerprint)

    def close(self) -> None:
        for server in self._servers:
            server.close()

    async def _connected(
        self, certificate: bytes | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """`certificate` is the hash of what was shown; None: nothing was, on the Unix socket."""
        watching = None
        try:
            hello = await self._admitted(certificate, reader, writer)
            if hello is None:
                return
            incoming, outbox = Incoming(reader), Outbox(writer, self._spawn)
            if certificate is not None:
                watching = self._spawn(_watch(hello, incoming, outbox))
            await self._serve(hello, incoming, outbox)
        except asyncio.CancelledError:
            return  # the coordinator is stopping
        except PtvcError as error:  # the peer starts anew from what is durable
            logger.warning("a control connection ends: %s", error)
        except Exception as error:
            self._on_failure("control connection", error)
        finally:
            if watching is not None:
                watching.cancel()
            writer.close()

    async def _admitted(
        self, certificate: bytes | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Hello | None:
        """Who it is; None: nobody who may come in."""
        if self._strangers >= MOST_STRANGERS:
            self._turned_away("too many connect at once")
            return None
        self._strangers += 1
        try:
            async with asyncio.timeout(HANDSHAKE_S):
                admission = Admission(certificate or b"")
                writer.write(admission.challenge)
                rest = admission.rest(await reader.readexactly(HEAD_BYTES))
                hello, proof = admission.admit(
                    await reader.readexactly(rest), partial(self._secret, certificate is not None)
                )
                writer.write(proof)
                return hello
        except (ProtocolError, asyncio.IncompleteReadError, OSError) as error:  # TimeoutError is one
            self._turned_away(str(error) or "it says nothing")
            return None
        finally:
            self._strangers -= 1

    def _secret(self, from_network: bool, hello: Hello) -> bytes | None:
        """The driver is on this machine."""
        return None if from_network and hello.name == DRIVER else self._secret_of(hello)

    def _turned_away(self, reason: str) -> None:
        now = monotonic()
        if now - self._logged_at < LOG_EVERY_S:
            self._unlogged += 1
            return
        more = f", and {self._unlogged} others before" if self._unlogged else ""
        logger.warning("a control connection is turned away: %s%s", reason, more)
        self._logged_at, self._unlogged = now, 0


async def _watch(hello: Hello, incoming: Incoming, outbox: Outbox) -> None:
    """Lets a peer on another machine know that this one is there, and ends the connection when it falls silent itself."""
    time = asyncio.get_running_loop().time
    while True:
        await asyncio.sleep(KEEPALIVE_S)
        if incoming.waits_since is not None and time() - incoming.waits_since > SILENCE_S:
            logger.warning("nothing has come from replica %s for %d s", hello.name, SILENCE_S)
            outbox.writer.transport.abort()
            return
        outbox.keep_alive()


def _socket_path(directory: Path) -> Path:
    """In the environment's directory, unless that is too deep for the address of a Unix socket."""
    path = directory / CONTROL_SOCKET
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        return path
    return Path(tempfile.mkdtemp(prefix="ptvc-")) / CONTROL_SOCKET
