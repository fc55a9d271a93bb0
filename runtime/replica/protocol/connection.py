"""The stream that messages cross: a 4-byte big-endian length, then the pickled message."""

from __future__ import annotations

import asyncio
import operator
import pickle
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

Message = Any


_HEADER = struct.Struct(">I")
_LARGE = 1 << 16


class _Pieces(list[bytes]):
    """What a pickler writes: bytes of _LARGE or more as the very objects that they are in the message, arrays of numpy, which it gives
    as buffers then, as their bytes."""

    def write(self, piece: bytes | pickle.PickleBuffer) -> None:
        self.append(piece if isinstance(piece, bytes) else bytes(piece.raw()))


def encode(message: Message) -> list[bytes]:
    """The message as it crosses the stream, in pieces: what is large in it is not copied."""
    pieces = _Pieces()
    _Pickler(pieces, protocol=5).dump(message)
    out = [_HEADER.pack(sum(map(len, pieces)))]
    for piece in pieces:
        if len(piece) < _LARGE and len(out[-1]) < _LARGE:
            out[-1] += piece
        else:
            out.append(piece)
    return out


class _Pickler(pickle.Pickler):
    """Dataclasses as calls of their class: their own way asks each object for the names of its fields."""

    def reducer_override(self, value: Any) -> Any:
        cls: Any = type(value)
        values = _values_of(cls)
        return NotImplemented if values is None else (cls, values(value))


@cache
def _values_of(cls: Any) -> Callable[[Any], tuple[Any, ...]] | None:
    """What gives the arguments with which the class makes an equal object; None: it is pickled in its own way."""
    if not is_dataclass(cls) or hasattr(cls, "__post_init__"):
        return None
    names = [field.name for field in fields(cls)]
    if not all(field.init and not field.kw_only for field in fields(cls)):
        return None
    if len(names) < 2:
        return lambda value: tuple(getattr(value, name) for name in names)
    return operator.attrgetter(*names)


class Connection:
    """The end of the stream that a replica or the driver holds: blocking, `send` from any thread."""

    def __init__(self, to: str | socket.socket) -> None:
        """`to` is the address of the other end, or a socket that is connected to it."""
        self._socket = _dialled(to) if isinstance(to, str) else to
        self._reader = self._socket.makefile("rb", buffering=1 << 20)
        self._lock = threading.Lock()

    def send(self, message: Message) -> None:
        """Raises ConnectionError when the other end is gone, or this one was closed."""
        self.send_encoded(encode(message))

    def send_encoded(self, pieces: Iterable[bytes | memoryview]) -> None:
        """A whole message, as `encode` gives it."""
        with self._lock:
            try:
                for piece in pieces:
                    self._socket.sendall(piece)
            except OSError as error:
                raise ConnectionAbortedError(f"the connection is closed: {error}") from error

    def receive(self) -> Message | None:
        """The next message; None once the other end is gone.  One thread receives, to the end."""
        try:
            header = self._reader.read(_HEADER.size)
            length = _HEADER.unpack(header)[0] if len(header) == _HEADER.size else 0
            payload = self._reader.read(length)
        except (ConnectionError, ValueError):  # lost, or closed by another thread
            length, payload = 0, b""
        if length == 0 or len(payload) < length:
            self._reader.close()
            return None
        return pickle.loads(payload)

    def close(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the peer closed first
        finally:
            self._socket.close()


def _dialled(address: str) -> socket.socket:
    dialled = socket.socket(socket.AF_UNIX)
    try:
        dialled.connect(address)
    except OSError:
        dialled.close()
        raise
    return dialled


class Outbox:
    """The coordinator's side of `Connection.send`: messages leave in their order, and none holds the event loop.

    What is large, and all that comes after it, leaves in pieces of _LARGE bytes, each as soon as the other end has taken
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
            if not self._waiting and len(piece) <= _LARGE:
                self.writer.write(piece)
                continue
            view = memoryview(piece)
            self._waiting.extend(view[at : at + _LARGE] for at in range(0, len(view), _LARGE))
        if self._waiting and not self._emptying:
            self._emptying = True
            self._run(self._empty())

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
        except ConnectionError:  # who receives from the other end sees it, too
            self._waiting.clear()
        finally:
            self._emptying = False


async def receive(reader: asyncio.StreamReader) -> Message | None:
    """The coordinator's side of `Connection.receive`."""
    try:
        (length,) = _HEADER.unpack(await reader.readexactly(_HEADER.size))
        payload = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return pickle.loads(payload)
