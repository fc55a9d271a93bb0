"""TLS over a blocking socket that one thread reads while others write.

`ssl.SSLSocket` is not made for that: a thread that waits for bytes would keep the others from writing.  Here a lock is held for what
OpenSSL computes, and never for what the network does.
"""

from __future__ import annotations

import io
import select
import socket
import ssl
import threading
from contextlib import suppress
from typing import Any, Literal

from .connection import SILENCE_S

_PIECE = 1 << 18


class TlsStream(io.RawIOBase):
    """The client's side of a connected socket, or the server's.  As a file it is what the peer sends."""

    def __init__(self, plain: socket.socket, context: ssl.SSLContext, *, server_side: bool = False) -> None:
        """Does the handshake.  Raises OSError, of which ssl.SSLError is one."""
        self._plain = plain
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._lock = threading.Lock()
        # Held while the socket is used in one direction: it is closed under both, so that its number is not another's meanwhile.
        self._sending = threading.Lock()
        self._receiving = threading.Lock()
        self._silence_s: float | None = None
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=server_side)
        while True:
            try:
                self._tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self._plain.sendall(self._outgoing.read())
                self._take(self._plain.recv(_PIECE))
        self._plain.sendall(self._outgoing.read())

    @property
    def certificate(self) -> bytes:
        """That the peer has shown, in DER."""
        found = self._tls.getpeercert(binary_form=True)
        assert found is not None
        return found

    def watch(self) -> None:
        """From now on the end of a peer that just falls silent is noticed, and there is no other limit of time."""
        self._plain.settimeout(None)
        self._silence_s = SILENCE_S

    def _take(self, data: bytes) -> None:
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()

    def sendall(self, data: bytes | memoryview) -> None:
        view = memoryview(data)
        with self._sending:
            for at in range(0, len(view), _PIECE):
                with self._lock:
                    self._tls.write(view[at : at + _PIECE])
                    sealed = self._outgoing.read()
                self._plain.sendall(sealed)

    def recv(self, size: int) -> bytes:
        """Up to so many bytes; none at the end.  Raises TimeoutError when nothing has come for too long."""
        while True:
            with self._lock:
                try:
                    return self._tls.read(size)
                except ssl.SSLWantReadError:
                    pass
                except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                    return b""
            with self._receiving:
                if self._silence_s is not None and not _readable(self._plain, self._silence_s):
                    raise TimeoutError(f"nothing has come for {self._silence_s:.0f} s")
                data = self._plain.recv(_PIECE)
            with self._lock:
                self._take(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        data = self.recv(len(view))
        view[: len(data)] = data
        return len(data)

    def makefile(self, mode: Literal["rb"], buffering: int) -> io.BufferedReader:
        """As that of a socket."""
        return io.BufferedReader(self, buffering)

    def shutdown(self, how: int) -> None:
        self._plain.shutdown(how)

    def close(self) -> None:
        with suppress(OSError):  # nobody is there, or it is closed already
            self._plain.shutdown(socket.SHUT_RDWR)  # wakes who uses it
        with self._sending, self._receiving:
            self._plain.close()
        super().close()


def _readable(plain: socket.socket, seconds: float) -> bool:
    waiting = select.poll()
    waiting.register(plain, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))
