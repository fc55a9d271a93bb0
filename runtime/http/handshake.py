"""A connection of HTTPS until its TLS handshake is done: it holds a place and has a deadline, as it has behind it.

```
connected ── Handshake: place, deadline ── done ── the protocol of HTTP, which takes a place of its own
```
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable

from ..network.addresses import network_of_peer
from ..network.places import Places

HANDSHAKE_S = 10.0
FAREWELL_S = 5.0
"""So long a client may take to say that it has heard the end."""


class Handshakes:
    """Those under way.  `context` gives what is shown now."""

    def __init__(self, context: Callable[[], ssl.SSLContext], places: Places, seconds: float) -> None:
        self.context = context
        self.places = places
        self.seconds = min(seconds, HANDSHAKE_S)
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, handshake: Handshake, transport: asyncio.Transport) -> None:
        task = asyncio.get_running_loop().create_task(handshake.run(transport))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def __len__(self) -> int:
        return len(self._tasks)

    def cancel(self) -> None:
        """They end, and so do their connections."""
        for task in self._tasks:
            task.cancel()


class Handshake(asyncio.Protocol):
    """`make` makes what speaks HTTP behind it."""

    def __init__(self, handshakes: Handshakes, make: Callable[[], asyncio.Protocol]) -> None:
        self._handshakes = handshakes
        self._make = make

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Nothing can be said to who finds no place, as TLS has not begun."""
        assert isinstance(transport, asyncio.Transport)
        if self._handshakes.places.take(network_of_peer(transport)):
            transport.pause_reading()  # what comes is for TLS
            self._handshakes.run(self, transport)
        else:
            transport.abort()

    async def run(self, transport: asyncio.Transport) -> None:
        """The handshake, and what it leads to."""
        network = network_of_peer(transport)
        early = _Early()
        loop = asyncio.get_running_loop()
        try:
            tls = await loop.start_tls(
                transport,
                early,
                self._handshakes.context(),
                server_side=True,
                ssl_handshake_timeout=self._handshakes.seconds,
                ssl_shutdown_timeout=FAREWELL_S,
            )
        except OSError:  # of TLS, of the socket, or the time is over: the connection is closed
            return
        except asyncio.CancelledError:
            transport.abort()
            raise
        finally:
            self._handshakes.places.free(network)
        if tls is None or early.lost:
            return
        protocol = self._make()
        tls.set_protocol(protocol)
        protocol.connection_made(tls)
        if early.received:
            protocol.data_received(bytes(early.received))
        if early.ended:
            protocol.eof_received()


class _Early(asyncio.Protocol):
    """What comes with the end of the handshake, before HTTP has heard of the connection."""

    def __init__(self) -> None:
        self.received = bytearray()
        self.ended = False
        self.lost = False

    def data_received(self, data: bytes) -> None:
        self.received += data

    def eof_received(self) -> None:
        self.ended = True

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
