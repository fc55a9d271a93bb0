"""Stream sockets in memory: bytes arrive in order, each write after a latency of its own."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from typing import Any, Protocol

from ptvc.replica.protocol import CHALLENGE_BYTES, PROOF_BYTES, Dialing, Message, decode, encode

_HEADER = struct.Struct(">I")
_APART_S = 1e-9
"""Between two arrivals: timers of one moment have no order."""


class Peer(Protocol):
    """The end of a connection that is not the coordinator's."""

    def received(self, message: Message) -> None: ...

    def closed(self) -> None: ...


class SimulatedServer:
    """What `asyncio.start_unix_server` returns."""

    def __init__(self, loop: asyncio.AbstractEventLoop, factory: Any, latency: Callable[[], float]) -> None:
        self._loop = loop
        self._factory = factory
        self._latency = latency
        self._open = True

    def dial(self, peer: Peer, dialing: Dialing) -> Wire:
        """Raises ConnectionRefusedError when nobody listens any more."""
        if not self._open:
            raise ConnectionRefusedError
        return Wire(self._loop, self._factory(), peer, dialing, self._latency)

    def close(self) -> None:
        self._open = False

    def is_serving(self) -> bool:
        return self._open

    async def wait_closed(self) -> None:
        return


class Wire(asyncio.Transport):
    """Both ends of a connection: the coordinator's is the transport, the peer's are `send` and `hang_up`.  What the peer says before the
    handshake has ended leaves after it."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        protocol: Any,
        peer: Peer,
        dialing: Dialing,
        latency: Callable[[], float],
    ) -> None:
        super().__init__()
        self._loop = loop
        self._protocol = protocol
        self._peer = peer
        self._latency = latency
        self._outward = self._inward = 0.0  # when the last byte under way arrives
        self._buffer = b""
        self._dialing: Dialing | None = dialing
        self._asked = False
        self._early: list[Message] = []
        self._closing = False
        self._ended = False
        self._paused = False
        self._unread: list[bytes] = []
        protocol.connection_made(self)

    # -- the coordinator's end --

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol

    def get_protocol(self) -> Any:
        return self._protocol

    def write(self, data: Any) -> None:
        if not self._closing:
            self._outward = max(self._outward + _APART_S, self._loop.time() + self._latency())
            self._loop.call_at(self._outward, self._arrived, bytes(data))

    def _arrived(self, data: bytes) -> None:
        if self._ended:
            return
        self._buffer += data
        if self._dialing is not None and not self._admitted(self._dialing):
            return
        while len(self._buffer) >= _HEADER.size:
            (length,) = _HEADER.unpack_from(self._buffer)
            if len(self._buffer) < _HEADER.size + length:
                return
            message = decode(self._buffer[_HEADER.size : _HEADER.size + length])
            self._buffer = self._buffer[_HEADER.size + length :]
            self._peer.received(message)

    def _admitted(self, dialing: Dialing) -> bool:
        """Goes on with the handshake; whether it has ended."""
        size = PROOF_BYTES if self._asked else CHALLENGE_BYTES
        if len(self._buffer) < size:
            return False
        said, self._buffer = self._buffer[:size], self._buffer[size:]
        if not self._asked:
            self._asked = True
            self._leave(dialing.answer(said))
            return False
        dialing.check(said)
        self._dialing = None
        for message in self._early:
            self.send(message)
        return True

    def is_closing(self) -> bool:
        return self._closing

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._loop.call_soon(self._protocol.connection_lost, None)
            self._loop.call_later(self._latency(), self._hung_up)

    abort = close

    def _hung_up(self) -> None:
        if not self._ended:
            self._ended = True
            self._peer.closed()

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        unread, self._unread = self._unread, []
        for data in unread:
            self._read(data)

    def is_reading(self) -> bool:
        return not self._paused

    # -- the peer's end --

    def send(self, message: Message) -> None:
        if self._dialing is not None:
            self._early.append(message)
        elif not self._ended:
            self._leave(b"".join(encode(message)))

    def _leave(self, data: bytes) -> None:
        self._inward = max(self._inward + _APART_S, self._loop.time() + self._latency())
        self._loop.call_at(self._inward, self._read, data)

    def hang_up(self) -> None:
        """The peer's process ends; what it has sent before arrives."""
        if not self._ended:
            self._ended = True
            self._inward = max(self._inward + _APART_S, self._loop.time() + self._latency())
            self._loop.call_at(self._inward, self._eof)

    def _read(self, data: bytes) -> None:
        if self._closing:
            return
        if self._paused:
            self._unread.append(data)
        else:
            self._protocol.data_received(data)

    def _eof(self) -> None:
        if not self._closing:
            self._protocol.eof_received()
            self.close()
