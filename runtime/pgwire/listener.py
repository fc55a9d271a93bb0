"""The listener: accepts connections, opens their sessions, and ends both.

Before a client has proved who it is, it holds a socket, one small buffer, and a deadline.  There are at most `max_opening` such
connections, and `max_opening_per_address` of one client: one more ends the oldest of the client that has most of them, so that those
which never go on keep nobody out.

Places are counted: at most `max_connections` sessions, the last `reserved_connections` of them for superusers, so that an
operator still gets in when an application has taken all others; of one client at most `max_per_address`, but for superusers.  Cancel
requests need no place.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal

from ..coord.backend import Backend, Encryption
from ..errors import PtvcError
from ..network.addresses import network_of
from ..network.attempts import Attempts
from ..network.certificates import Certificates
from ..network.places import Places, Waiting
from ..network.ports import BACKLOG, BoundPort
from ..network.tls import TlsConnection
from . import codec
from .contract import PasswordLookup, SessionFactory, SessionLike, TokenRole, Trust
from .protocol import Connection, internal_error
from .scram import AuthenticationFailed, ScramSecret
from .startup import Access, CancelRequest, Startup, authenticate, read_startup
from .wire import ClientGone, FramingError, Terminated, Wire

log = logging.getLogger("ptvc.pgwire")

__all__ = [
    "Access",
    "Limits",
    "Listener",
    "PasswordLookup",
    "ScramSecret",
    "SessionFactory",
    "SessionLike",
    "Trust",
    "serve",
]


@dataclass(frozen=True, slots=True)
class Limits:
    """`startup_seconds` 0 is any time, and `max_per_address` and `max_opening_per_address` 0 any number.  `max_opening` bounds connections
    that are still in the handshake, and `opening_bytes` what each of them may send; `max_message_bytes` one message, and so one set of
    parameters, one piece of COPY data; `max_statement_bytes` one statement, or all those of one message.  `failed_login_seconds` is
    what `Attempts` begins with."""

    max_connections: int = 1000
    reserved_connections: int = 3
    max_per_address: int = 0
    max_opening: int = 256
    max_opening_per_address: int = 128
    opening_bytes: int = 1 << 18
    failed_login_seconds: float = 0.5
    startup_seconds: float = 60.0
    shutdown_seconds: float = 5.0
    max_message_bytes: int = 256 << 20
    max_statement_bytes: int = 64 << 20


async def trust_everyone(user: str) -> Trust:
    return Trust()


Refused = Callable[[str, str | None, str], None]
"""Is given the name, the address and the SQLSTATE."""


def nobody_hears(user: str, address: str | None, sqlstate: str) -> None:
    pass


def no_superuser(user: str) -> bool:
    return False


async def serve(
    place: BoundPort,
    factory: SessionFactory,
    *,
    passwords: PasswordLookup = trust_everyone,
    is_superuser: Callable[[str], bool] = no_superuser,
    limits: Limits = Limits(),
    fake_salt_key: bytes | None = None,
    certificates: Certificates | None = None,
    tls_only: bool = False,
    insecure: bool = False,
    token_role: TokenRole | None = None,
    on_refused: Refused = nobody_hears,
) -> Listener:
    """Listen there.  Raises PtvcError when that cannot be.

    `on_refused` hears of logins that were, from the moment on at which a client has said who it is.  `fake_salt_key` should be the same in every run, so that a restart does not tell unknown users from known ones; the rest is as
    in `Access`.
    """
    attempts = Attempts(limits.failed_login_seconds)
    key = fake_salt_key or secrets.token_bytes(32)
    access = Access(passwords, key, certificates, tls_only, insecure, attempts, token_role)
    listener = Listener(factory, access, is_superuser, limits, on_refused)
    await listener.start(place)
    return listener


class Listener:
    """Made by `serve`.  `port` is the real one."""

    def __init__(
        self,
        factory: SessionFactory,
        access: Access,
        is_superuser: Callable[[str], bool],
        limits: Limits,
        on_refused: Refused = nobody_hears,
    ) -> None:
        self._factory = factory
        self._access = access
        self._is_superuser = is_superuser
        self._limits = limits
        self._on_refused = on_refused
        self._servers: list[asyncio.Server] = []
        self._tasks: dict[asyncio.Task[None], Wire] = {}
        self._connections: dict[tuple[int, int], Connection] = {}
        self._places = Places(limits.max_connections, limits.max_per_address)
        self._opening: Waiting[Wire] = Waiting(limits.max_opening, limits.max_opening_per_address)
        self._next_pid = os.getpid() & 0x3FFFFFFF
        self.port = 0

    @property
    def sessions(self) -> int:
        """Connections that have a session."""
        return self._places.taken

    async def start(self, place: BoundPort) -> None:
        loop = asyncio.get_running_loop()
        place.listen()
        for bound in place.sockets:
            self._servers.append(await loop.create_server(self._new_wire, sock=bound, backlog=BACKLOG))
        self.port = place.port

    def _new_wire(self) -> Wire:
        return Wire(self._accept, self._limits.max_message_bytes, self._limits.max_statement_bytes)

    def _accept(self, wire: Wire) -> None:
        oldest = self._opening.add(wire, _network(wire))
        if oldest is not None:
            oldest.send(
                codec.error_response(_full("sorry, too many clients are connecting"), severity="FATAL")
            )
            oldest.close()
        wire.allowance = self._limits.opening_bytes
        task = asyncio.get_running_loop().create_task(self._run(wire))
        self._tasks[task] = wire
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            internal_error(error)

    async def close(self) -> None:
        """Refuse new clients, cancel running statements, tell every client (57P01), close."""
        if not self._servers:
            return
        for server in self._servers:
            server.close()
        for connection in self._connections.values():
            connection.cancel()
        for wire in self._tasks.values():
            wire.terminate()
        if self._tasks:
            _, late = await asyncio.wait(list(self._tasks), timeout=self._limits.shutdown_seconds)
            for task in late:
                self._tasks[task].abort()
                task.cancel()
            if late:
                await asyncio.wait(late)
        for server in self._servers:
            await server.wait_closed()
        self._servers.clear()

    # --- one connection ------------------------------------------------------------------------------------------

    async def _run(self, wire: Wire) -> None:
        """The whole life of a connection; every way out closes the socket and the session."""
        try:
            await self._converse(wire)
        except ClientGone:
            pass
        except Terminated:
            shutdown = PtvcError(
                "terminating connection due to administrator command",
                sqlstate="57P01",
            )
            wire.send(codec.error_response(shutdown, severity="FATAL"))
        except PtvcError as error:
            wire.send(codec.error_response(error, severity="FATAL"))
        except Exception as exception:
            wire.send(codec.error_response(internal_error(exception), severity="FATAL"))
        finally:
            wire.close()

    async def _converse(self, wire: Wire) -> None:
        try:
            opened = await self._open(wire)
            if opened is None:
                return
            startup, method = opened
            with self._telling(wire, startup.user):
                self._take_place(wire, startup.user)
        finally:
            self._opening.remove(wire)
        wire.allowance = None
        try:
            await self._serve(wire, startup, method)
        finally:
            self._places.free(_network(wire))

    async def _open(self, wire: Wire) -> tuple[Startup, str] | None:
        """The handshake: who it is, and how that was proved; None when it was a cancel request."""
        try:
            async with asyncio.timeout(self._limits.startup_seconds or None):
                startup = await read_startup(wire, self._access)
                if isinstance(startup, CancelRequest):
                    connection = self._connections.get((startup.pid, startup.secret))
                    if connection is not None:
                        connection.cancel()
                    return None
                try:
                    with self._telling(wire, startup.user):
                        return startup, await authenticate(wire, startup, self._access)
                except AuthenticationFailed:
                    # It has been told already: who leaves now has failed all the same.
                    if wait := self._access.attempts.refusal_wait_s(_network(wire)):
                        await wire.pause(wait)
                    raise
        except TimeoutError:
            raise FramingError(
                "canceling authentication due to timeout",
                hint=f"A connection must be set up within {self._limits.startup_seconds:g} s.",
            ) from None

    @contextmanager
    def _telling(self, wire: Wire, user: str) -> Iterator[None]:
        """Whoever wants to know hears of a login that is refused, by the SQLSTATE."""
        try:
            yield
        except (ClientGone, Terminated):
            raise
        except PtvcError as error:
            self._on_refused(user, None if wire.peer is None else wire.peer[0], error.sqlstate)
            raise

    def _take_place(self, wire: Wire, user: str) -> None:
        network, superuser = _network(wire), self._is_superuser(user)
        free = self._limits.max_connections - self._places.taken
        if free <= 0:
            raise _full("sorry, too many clients already")
        if free <= self._limits.reserved_connections and not superuser:
            raise _full("remaining connection slots are reserved for roles with the SUPERUSER attribute")
        if not self._places.take(network, beyond=superuser):
            raise _full(f"too many connections from {network or 'this client'}")

    async def _serve(self, wire: Wire, startup: Startup, method: str) -> None:
        self._next_pid = self._next_pid % 0x7FFFFFFF + 1
        key = (self._next_pid, secrets.randbits(32))

        def cancel() -> None:
            if (connection := self._connections.get(key)) is not None:
                connection.cancel()

        def terminate() -> None:
            cancel()
            wire.terminate()

        backend = Backend(self._next_pid, cancel, terminate, wire.peer, _encryption(wire.tls), method)
        with self._telling(wire, startup.user):
            session = await self._factory.open(startup.user, startup.database, startup.options, backend)
        connection = Connection(wire, session)
        self._connections[key] = connection
        wire.on_gone = connection.cancel
        try:
            wire.send(codec.AUTHENTICATION_OK)
            for name, value in session.parameter_status().items():
                wire.send(codec.parameter_status(name, value))
            wire.send(codec.backend_key_data(*key))
            for notice in session.pop_notices():
                wire.send(codec.notice_response(notice))
            wire.send(codec.ready_for_query(session.transaction_status))
            await wire.flush()
            await connection.run()
        finally:
            del self._connections[key]
            await session.close()


def _network(wire: Wire) -> str:
    return network_of(None if wire.peer is None else wire.peer[0])


def _encryption(tls: TlsConnection | None) -> Encryption | None:
    if tls is None:
        return None
    cipher, bits = tls.cipher or (None, None)
    if (client := tls.client) is None:
        return Encryption(tls.version, cipher, bits)
    return Encryption(tls.version, cipher, bits, client.subject, Decimal(client.serial), client.issuer)


def _full(message: str) -> PtvcError:
    return PtvcError(
        message, sqlstate="53300", hint="Close connections that are idle, or raise the limit of connections."
    )
