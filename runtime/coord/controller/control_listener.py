"""Where the driver and the replicas connect: a Unix socket always, and an address of the network where replicas are elsewhere.

```
accepted ── TLS, if from the network ── handshake: both know the secret ── served: messages
   └── no, not within HANDSHAKE_S, or made way for a newer one: closed; nothing was decoded
```

From the moment at which it is accepted, a connection that has proved nothing is one of at most MOST_STRANGERS.
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
from typing import TYPE_CHECKING

from ...directory import CONTROL_SOCKET, PRIVATE_UMASK
from ...errors import PtvcError
from ...network.addresses import bind_error, network_of_peer
from ...network.places import Waiting
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

if TYPE_CHECKING:
    from ...network.self_signed import SelfSigned

logger = logging.getLogger(__name__)

MAX_SOCKET_PATH = 100
MOST_STRANGERS = 200
"""So many connections may have proved nothing at once; one more ends another one."""
MOST_OF_ONE = 100
"""So many of them may be of one address."""
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
        most_strangers: int = MOST_STRANGERS,
        most_of_one: int = MOST_OF_ONE,
    ) -> None:
        self._directory = directory
        self._network = network
        self._secret_of = secret_of
        self._serve = serve
        self._spawn = spawn
        self._on_failure = on_failure
        self._servers: list[asyncio.Server] = []
        self._strangers: Waiting[_Stranger] = Waiting(most_strangers, most_of_one)
        self._tasks: set[asyncio.Task[None]] = set()
        self._logged_at = -LOG_EVERY_S
        self._unlogged = 0
        self.for_replicas: ControlAddress
        """Set by `open`."""

    async def open(self) -> str:
        """Listens; returns the path of the Unix socket.  Raises PtvcError where that of the network cannot be had."""
        path = _socket_path(self._directory)
        path.unlink(missing_ok=True)
        loop = asyncio.get_running_loop()
        old_mask = os.umask(PRIVATE_UMASK)
        try:
            self._servers.append(await loop.create_unix_server(partial(_Accepted, self._accepted), str(path)))
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
            # Not `ssl=`: asyncio would tell of a connection only when its TLS handshake has ended.
            server = await asyncio.get_running_loop().create_server(
                partial(_Accepted, partial(self._accepted, shown=shown)), host, port
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

    def _accepted(self, transport: asyncio.Transport, shown: SelfSigned | None = None) -> None:
        """`shown` is the certificate; None: on the Unix socket, without TLS."""
        stranger = _Stranger(transport, shown)
        oldest = self._strangers.add(stranger, network_of_peer(transport))
        if oldest is not None:
            oldest.make_way()
        task = asyncio.get_running_loop().create_task(self._run(stranger))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, stranger: _Stranger) -> None:
        """The whole life of a connection; every way out closes it."""
        try:
            hello = await self._admitted(stranger)
            if hello is not None:
                await self._serve_one(
                    hello, stranger.reader, stranger.writer, watched=stranger.shown is not None
                )
        except asyncio.CancelledError:
            return  # the coordinator is stopping
        except PtvcError as error:  # the peer starts anew from what is durable
            # Its text alone: a record that is kept would keep, by the traceback, all of the connection.
            logger.warning("a control connection ends: %s", str(error))
        except Exception as error:
            self._on_failure("control connection", error)

    async def _serve_one(
        self, hello: Hello, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, watched: bool
    ) -> None:
        incoming, outbox = Incoming(reader), Outbox(writer, self._spawn)
        watching = self._spawn(_watch(hello, incoming, outbox)) if watched else None
        try:
            await self._serve(hello, incoming, outbox)
        finally:
            if watching is not None:
                watching.cancel()
            writer.close()

    async def _admitted(self, stranger: _Stranger) -> Hello | None:
        """Who it is; None: nobody who may come in, and the connection has ended."""
        hello = None
        try:
            async with asyncio.timeout(HANDSHAKE_S):
                hello = await stranger.hello(self._secret)
        except (ProtocolError, asyncio.IncompleteReadError, OSError) as error:  # TimeoutError is one
            self._turned_away(
                "too many connect at once" if stranger.made_way else str(error) or "it says nothing"
            )
        finally:
            self._strangers.remove(stranger)
            if hello is None:
                stranger.transport.abort()  # at once: it holds a file, and is not counted any more
        return hello

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


class _Accepted(asyncio.Protocol):
    """Hands on a connection before anything is read from it."""

    def __init__(self, accepted: Callable[[asyncio.Transport], None]) -> None:
        self._accepted = accepted

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()  # what comes is for TLS, or for the streams
        self._accepted(transport)


class _Stranger:
    """A connection that has proved nothing yet.  `reader` and `writer` are there once `hello` has returned."""

    def __init__(self, transport: asyncio.Transport, shown: SelfSigned | None) -> None:
        self.transport = transport
        self.shown = shown
        self.made_way = False
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    def make_way(self) -> None:
        """Ends it, for a newer one."""
        self.made_way = True
        self.transport.abort()

    async def hello(self, secret_of: Callable[[bool, Hello], bytes | None]) -> Hello:
        """Who it is.  Raises ProtocolError of somebody who does not know the secret, IncompleteReadError or OSError when it goes."""
        self._check_there()
        await self._open()
        admission = Admission(b"" if self.shown is None else self.shown.fingerprint)
        self.writer.write(admission.challenge)
        rest = admission.rest(await self.reader.readexactly(HEAD_BYTES))
        hello, proof = admission.admit(
            await self.reader.readexactly(rest), partial(secret_of, self.shown is not None)
        )
        self._check_there()
        self.writer.write(proof)
        return hello

    def _check_there(self) -> None:
        if self.made_way:
            raise ConnectionAbortedError("it has made way for another one")

    async def _open(self) -> None:
        """The streams, behind TLS where a certificate is shown."""
        loop = asyncio.get_running_loop()
        self.reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(self.reader)
        if self.shown is None:
            self.transport.set_protocol(protocol)
        else:
            tls = await loop.start_tls(
                self.transport,
                protocol,
                self.shown.context,
                server_side=True,
                ssl_handshake_timeout=HANDSHAKE_S,
                ssl_shutdown_timeout=SHUTDOWN_S,
            )
            if tls is None:
                raise ConnectionAbortedError("it has gone during the handshake of TLS")
            self.transport = tls
        protocol.connection_made(self.transport)
        self.writer = asyncio.StreamWriter(self.transport, protocol, self.reader, loop)
        if self.shown is None:
            self.transport.resume_reading()


async def _watch(hello: Hello, incoming: Incoming, outbox: Outbox) -> None:
    """Lets a peer on another machine know that this one is there, and ends the connection when it falls silent itself."""
    time = asyncio.get_running_loop().time
    while True:
        await asyncio.sleep(KEEPALIVE_S)
        if incoming.waits_since is not None and time() - incoming.waits_since > SILENCE_S:
            logger.warning("nothing has come from replica %s for %d s", hello.name, SILENCE_S)
            incoming.fell_silent = True
            outbox.writer.transport.abort()
            return
        outbox.keep_alive()


def _socket_path(directory: Path) -> Path:
    """In the environment's directory, unless that is too deep for the address of a Unix socket."""
    path = directory / CONTROL_SOCKET
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        return path
    return Path(tempfile.mkdtemp(prefix="ptvc-")) / CONTROL_SOCKET
