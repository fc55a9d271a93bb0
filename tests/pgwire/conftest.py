"""A listener in a thread of its own, so that blocking clients can talk to it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

import pytest
from ptvc.network.ports import bind
from ptvc.pgwire.listener import Limits, Listener, PasswordLookup, serve
from ptvc.pgwire.listener import Trust as Trust

from .fake import Store

T = TypeVar("T")
DEFAULTS = Limits()
WAIT_S = 60.0
"""For what comes at once, unless it never does: as long as the slowest machine could need."""


class Server:
    """`store` is what its sessions share; `run` executes a coroutine on its loop."""

    def __init__(self, limits: Limits, passwords: PasswordLookup | None, tls: dict[str, Any]) -> None:
        self.store = Store()
        self.loop = asyncio.new_event_loop()
        self.unhandled: list[dict[str, Any]] = []
        self.loop.set_exception_handler(lambda _, context: self.unhandled.append(context))
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        more = tls if passwords is None else {"passwords": passwords, **tls}
        self.listener: Listener = self.run(
            serve(
                bind("127.0.0.1", 0),
                self.store,
                is_superuser=lambda user: user == "ptvc",
                limits=limits,
                fake_salt_key=b"k" * 32,
                **more,
            )
        )
        self.port = self.listener.port

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(2 * WAIT_S)

    @property
    def dsn(self) -> str:
        return f"host=127.0.0.1 port={self.port} user=ann dbname=ptvc"

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait, on the server's loop, until something has come about; fail after `WAIT_S`."""

        async def poll() -> None:
            async with asyncio.timeout(WAIT_S):
                while not condition():
                    await asyncio.sleep(0.005)

        self.run(poll())

    def close(self) -> None:
        self.run(self.listener.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(WAIT_S)
        self.loop.close()
        assert self.unhandled == []


@pytest.fixture
def make_server() -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def make(limits: Limits = DEFAULTS, passwords: PasswordLookup | None = None, **tls: Any) -> Server:
        servers.append(Server(limits, passwords, tls))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Server:
    return make_server()
