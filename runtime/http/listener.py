"""The listener: sockets of its own, uvicorn's server in the runtime's event loop, and an orderly end."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import uvicorn

from ..coord.webhooks.webhooks import Webhooks
from ..network.ports import BACKLOG, BoundPort
from ..supervision import Supervisor
from .handshake import Handshake, Handshakes
from .protocol import BoundedProtocol, Bounds
from .routes import Routes

KEEP_ALIVE_S = 75
SHUTDOWN_S = 5


async def listen(
    place: BoundPort,
    webhooks: Webhooks,
    bounds: Bounds,
    supervisor: Supervisor,
    tls: Callable[[], ssl.SSLContext] | None = None,
) -> HttpListener:
    """Listens there, with `tls`, which gives what is shown now, for HTTPS only.  Raises PtvcError when that cannot be."""
    listener = HttpListener(webhooks, bounds, tls)
    await listener.start(place, supervisor)
    return listener


class _Server(uvicorn.Server):
    """Signals are the runtime's.  `handshakes` are of connections that uvicorn does not know of yet."""

    def __init__(self, config: uvicorn.Config, handshakes: Handshakes | None) -> None:
        super().__init__(config)
        self._handshakes = handshakes

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        if self._handshakes is not None:
            self._handshakes.cancel()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class HttpListener:
    """Made by `listen`.  `port` is the real one."""

    def __init__(
        self, webhooks: Webhooks, bounds: Bounds, tls: Callable[[], ssl.SSLContext] | None = None
    ) -> None:
        self._scheme = "http" if tls is None else "https"
        self._webhooks = webhooks
        self._routes = Routes(webhooks, bounds.seconds)
        self.places = places = bounds.places()
        protocol = partial(BoundedProtocol, bounds=bounds, places=places)
        self.handshakes = None if tls is None else Handshakes(tls, places, bounds.seconds)
        self._config = uvicorn.Config(
            self._routes.application,
            http=cast(Any, protocol if self.handshakes is None else _within_tls(self.handshakes, protocol)),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=SHUTDOWN_S,
        )
        self._config.load()
        # What strangers send is no matter for the log.
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
        self._server = _Server(self._config, self.handshakes)
        self._serving: asyncio.Task[None] | None = None
        self.port = 0

    async def start(self, place: BoundPort, supervisor: Supervisor) -> None:
        place.listen()
        self.port = place.port
        self._serving = supervisor.run("http", self._server.serve(list(place.sockets)))
        while not self._server.started and not self._serving.done():
            await asyncio.sleep(0)
        shown = f"[{place.host}]" if ":" in place.host else place.host
        self._webhooks.listening(f"{self._scheme}://{shown}:{self.port}")

    async def close(self) -> None:
        """Refuses new requests, answers those that are under way, closes."""
        if self._serving is None:
            return
        self._routes.stop()
        self._server.should_exit = True
        await asyncio.wait((self._serving,))
        self._serving = None

    def die(self) -> None:
        """What the operating system does to the sockets of a process that was killed; for tests."""
        for server in self._server.servers:
            server.close()
        for connection in self._server.server_state.connections:
            connection.transport.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def _within_tls(handshakes: Handshakes, make: Callable[..., asyncio.Protocol]) -> Callable[..., Handshake]:
    """What uvicorn makes for each connection: what it would have made comes behind the handshake."""

    def made(**given: Any) -> Handshake:
        return Handshake(handshakes, partial(make, **given))

    return made
