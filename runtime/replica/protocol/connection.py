"""The stream that messages cross: a 4-byte big-endian length, then the message as `codec` has it."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from typing import TYPE_CHECKING

from . import codec
from .codec import LARGE, MAX_BYTES, Message, decode
from .values import ProtocolError

if TYPE_CHECKING:
    from .tls_stream import TlsStream

KEEPALIVE_S = 1.0
"""How often a peer on another machine says that it is there, by a message of no length."""
SILENCE_S = 10.0
"""Such a peer of which nothing has come for so long is taken for dead."""
_HEADER = struct.Struct(">I")
KEEPALIVE = _HEADER.pack(0)
_PIECE = 1 << 20


def encode(message: Message) -> list[bytes]:
    """The message as it crosses the stream, in pieces: what is large in it is not copied."""
    first, *rest = codec.encode(message)
    return [_HEADER.pack(len(first) + sum(map(len, rest))) + first, *rest]


def _length(header: bytes) -> int:
    (length,) = _HEADER.unpack(header)
    if length > MAX_BYTES:
        raise ProtocolError(f"a message of {length} bytes is more than the protocol allows")
    return int(length)


class Connection:
    """The end of the stream that a replica or the driver holds: blocking, `send` from any thread."""

    def __init__(self, stream: socket.socket | TlsStream, keepalive: bool = False) -> None:
        """`keepalive`: the other end hears every second that this one is there."""
        self._stream = stream
        self._reader = stream.makefile("rb", buffering=1 << 20)
        self._lock = threading.Lock()
        self._closed = threading.Event()
        if keepalive:
            threading.Thread(target=self._keep_alive, name="keepalive", daemon=True).start()

    def send(self, message: Message) -> None:
        """Raises ConnectionError when the other end is gone, or this one was closed."""
        self.send_encoded(encode(message))

    def send_encoded(self, pieces: Iterable[bytes | memoryview]) -> None:
        """A whole message, as `encode` gives it."""
        with self._lock:
            try:
                for piece in pieces:
                    self._stream.sendall(piece)
            except OSError as error:
                raise ConnectionAbortedError(f"the connection is closed: {error}") from error

    def receive(self) -> Message | None:
        """The next message; None once the other end is gone.  One thread receives, to the end.  Raises ProtocolError."""
        payload = self._read()
        if payload is None:
            self._reader.close()
            return None
        return decode(payload)

    def end(self) -> None:
        """By the thread that receives, which does so no more."""
        self.close()
        self._reader.close()

    def _read(self) -> bytes | None:
        try:
            length = 0
            while length == 0:
                header = self._reader.read(_HEADER.size)
                if len(header) < _HEADER.size:
                    return None
                length = _length(header)
            payload = self._reader.read(length)
        except (OSError, ValueError):  # lost, silent, or closed by another thread
            return None
        return payload if len(payload) == length else None

    def _keep_alive(self) -> None:
        while not self._closed.wait(KEEPALIVE_S):
            # Where somebody sends, the other end hears enough.
            if self._lock.acquire(blocking=False):
                try:
                    self._stream.sendall(KEEPALIVE)
                except OSError:
                    return  # who receives sees it, too
                finally:
                    self._lock.release()

    def close(self) -> None:
        self._closed.set()
        try:
            self._stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the peer closed first
        finally:
            self._stream.close()


class Outbox:
    """The coordinator's side of `Connection.send`: messages leave in their order, and none holds the event loop.

    What is large, and all that comes after it, leaves in pieces of LARGE bytes, each as soon as the other end has taken
    those before; `run` is what runs that work.
    """

    def __init__(
        self, writer: asyncio.StreamWriter, run: Callable[[Coroutine[None, None, None]], object]
    ) -> None:
        self.writer = writer
        self._run = run
        self._waiting: deque[memoryview] = deque()
        self._emptying = False

    def send(self, message: Message) -> None:
        self.send_encoded(encode(message))

    def send_encoded(self, pieces: Iterable[bytes]) -> None:
        """A whole message, as `encode` gives it."""
        for piece in pieces:
            if not self._waiting and len(piece) <= LARGE:
                self.writer.write(piece)
                continue
            view = memoryview(piece)
            self._waiting.extend(view[at : at + LARGE] for at in range(0, len(view), LARGE))
        if self._waiting and not self._emptying:
            self._emptying = True
            self._run(self._empty())

    def keep_alive(self) -> None:
        """Lets the other end know that this one is there."""
        if not self._waiting:
            self.writer.write(KEEPALIVE)

    def close(self) -> None:
        """Ends the connection; what waits is dropped."""
        self._waiting.clear()
        self.writer.close()

    async def _empty(self) -> None:
        try:
            while self._waiting:
                await self.writer.drain()
                if self._waiting:  # it may have been closed meanwhile
                    self.writer.write(self._waiting.popleft())
        except OSError:  # who receives from the other end sees it, too
            self._waiting.clear()
        finally:
            self._emptying = False


class Incoming:
    """The coordinator's side of `Connection.receive`.  `waits_since` is when it began to wait for what comes next, in the event loop's
    time; None: it does not wait, and the other end may be kept from sending.  `fell_silent`: nothing came for too long, and the connection
    was ended."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._time = asyncio.get_running_loop().time
        self.waits_since: float | None = None
        self.fell_silent = False

    async def receive(self) -> Message | None:
        """The next message; None once the other end is gone.  Raises ProtocolError."""
        try:
            payload = await self._read()
        except (asyncio.IncompleteReadError, OSError):  # of TLS, too, that has been tampered with
            return None
        finally:
            self.waits_since = None
        return decode(payload)

    async def _read(self) -> bytes:
        length = 0
        while length == 0:
            self.waits_since = self._time()
            length = _length(await self._reader.readexactly(_HEADER.size))
        pieces = []
        while length > 0:  # a long one may take its time, as long as something comes
            self.waits_since = self._time()
            pieces.append(await self._reader.readexactly(min(length, _PIECE)))
            length -= _PIECE
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)
