"""The way from one worker to another on another machine: TLS over TCP, as a socket that does not block.

What is written is sealed at once, and leaves as the other end has room; what has come is opened as it is read.  So there may be something to
read of which the socket does not tell (`buffered`), and something to write that was taken already (`unsent`).
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Any

from ..protocol.tls_stream import TlsStream

_PIECE = 1 << 18


class TlsWire(TlsStream):
    """A `TlsStream` whose handshakes block, and nothing after `settle`.  One thread uses it, but for `keep_alive`."""

    _sealed = memoryview(b"")

    def settle(self) -> None:
        """From now on what would block raises BlockingIOError."""
        self._plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._plain.setblocking(False)

    def fileno(self) -> int:
        return self._plain.fileno()

    @property
    def buffered(self) -> bool:
        """Whether something has come that was not read, be it a part of what cannot be opened yet."""
        return bool(self._tls.pending() or self._incoming.pending)

    @property
    def unsent(self) -> bool:
        """Whether something that was written has not left: `sendmsg` of nothing goes on."""
        return len(self._sealed) > 0

    def recv(self, size: int) -> bytes:
        view = memoryview(bytearray(size))
        return bytes(view[: self.recv_into(view)])

    def recv_into(self, view: memoryview) -> int:
        """Up to so many bytes, as of a socket: 0 at the end."""
        while True:
            with self._lock:
                try:
                    buffer: Any = view  # of any kind, whatever is said of it
                    count: Any = self._tls.read(len(view), buffer)
                    return int(count)
                except ssl.SSLWantReadError:
                    pass
                except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                    return 0
                self._take(self._plain.recv(_PIECE))

    def sendmsg(self, pieces: Sequence[memoryview]) -> int:
        """How many bytes were taken.  Raises BlockingIOError when there is no room for any."""
        with self._lock:
            if not self._sent():
                raise BlockingIOError
            taken = 0
            for piece in pieces:
                for at in range(0, len(piece), _PIECE):
                    some = piece[at : at + _PIECE]
                    self._tls.write(some)
                    taken += len(some)
                    if self._outgoing.pending >= _PIECE and not self._sent():
                        return taken
            self._sent()
            return taken

    def keep_alive(self, message: bytes, unless: Callable[[], object]) -> None:
        """Says that this end is there, from any thread, `unless` a message is only half written.  Where there is no room the other end has
        enough to read.  Raises OSError when it is gone."""
        with self._lock:
            if self._sent() and not unless():
                self._tls.write(message)
                self._sent()

    def _sent(self) -> bool:
        """Whether all that was sealed has left by now."""
        while True:
            if not self._sealed:
                self._sealed = memoryview(self._outgoing.read())
                if not self._sealed:
                    return True
            try:
                self._sealed = self._sealed[self._plain.send(self._sealed) :]
            except BlockingIOError:
                return False
