"""Messages between two workers beside the steps: over a pair of sockets, or a TLS stream, that nothing else uses."""

from __future__ import annotations

import pickle
import select
import socket
import struct
import threading
from time import monotonic
from typing import Any

from .tls_wire import TlsWire

_LENGTH = struct.Struct("=Q")
"""Of the pickle that follows."""
_READ_BYTES = 1 << 13
_LOOK_S = 0.1


class MessageStream:
    """Messages over a socket, or to another machine, each received once, whenever its bytes come: what has come of one stays when it is not
    waited for any more, and so does what has come behind it.  Raises EOFError once the other end is gone, and TimeoutError."""

    def __init__(self, stream: socket.socket | TlsWire, ending: threading.Event) -> None:
        """Nothing is waited for any more once `ending` is set."""
        if isinstance(stream, TlsWire):
            stream.settle()
        else:
            stream.setblocking(False)
        self._stream = stream
        self._ending = ending
        self._came = bytearray()

    def send(self, message: object, deadline: float | None = None) -> None:
        body = pickle.dumps(message, protocol=5)
        left, stream = memoryview(_LENGTH.pack(len(body)) + body), self._stream
        while len(left) or (isinstance(stream, TlsWire) and stream.unsent):
            try:
                left = left[stream.sendmsg([left]) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)

    def receive(self, deadline: float | None = None) -> Any:
        """The next message."""
        self._fill(_LENGTH.size, deadline)
        (length,) = _LENGTH.unpack_from(self._came)
        end = _LENGTH.size + length
        self._fill(end, deadline)
        came, self._came = self._came, self._came[end:]
        return pickle.loads(memoryview(came)[_LENGTH.size : end])

    def _fill(self, length: int, deadline: float | None) -> None:
        while len(self._came) < length:
            try:
                piece = self._stream.recv(max(_READ_BYTES, length - len(self._came)))
            except BlockingIOError:
                self._wait(select.POLLIN, deadline)
                continue
            if not piece:
                raise EOFError
            self._came += piece

    def _wait(self, event: int, deadline: float | None) -> None:
        poll = select.poll()
        poll.register(self._stream, event)
        while not poll.poll(None if deadline is None else 1e3 * max(min(deadline - monotonic(), _LOOK_S), 0)):
            if self._ending.is_set():
                raise EOFError
            if deadline is not None and monotonic() >= deadline:
                raise TimeoutError

    def close(self) -> None:
        self._stream.close()
