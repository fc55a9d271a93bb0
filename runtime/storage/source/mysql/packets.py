"""Packets of MySQL's protocol, read from a socket many at a time.

packet = length (3 bytes, little-endian), its number (1 byte), so many bytes.  One of 16 MiB less a byte goes on with the next.
"""

from __future__ import annotations

import socket
import ssl
from time import monotonic

from ..directory import SourceStalled

_HEADER = 4
_FULL = 0xFFFFFF
_LEAST, _MOST = 1 << 10, 1 << 18
"""Bytes that are asked for at once."""


class PacketReader:
    """What comes from now on; nobody else reads from the socket meanwhile."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._chunks: list[bytes] = []
        self._held = 0
        self._need = _HEADER
        """Before there are so many bytes there is no packet."""
        self._parts: list[bytes] = []
        """Of a packet that goes on."""
        self._ended: str | None = None
        """Why nothing more is to come."""

    def read(self, most: int, wait_s: float) -> list[bytes]:
        """What packets say: up to some `most` bytes, or none after `wait_s`.  Raises SourceStalled where the connection ends."""
        until = monotonic() + wait_s
        found: list[bytes] = []
        size = 0
        while size < most:
            if self._held < self._need and not self._receive(
                most, max(0.0, until - monotonic()) if not found else 0.0
            ):
                if found or (self._ended is None and monotonic() >= until):
                    break
                if self._ended is not None:  # what came before that was handed out
                    raise SourceStalled(self._ended)
                continue
            if self._held >= self._need:
                before = len(found)
                self._split(found)
                size += sum(map(len, found[before:]))
        return found

    def _receive(self, most: int, wait_s: float) -> bool:
        self._stream.settimeout(wait_s)
        try:
            data = self._stream.recv(min(max(most, _LEAST), _MOST))
        except (TimeoutError, BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError as error:
            self._ended = f"the connection to the server broke: {error}"
            return False
        if not data:
            self._ended = "the server has closed the connection"
            return False
        self._chunks.append(data)
        self._held += len(data)
        return True

    def _split(self, found: list[bytes]) -> None:
        data = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        at, held, need = 0, len(data), _HEADER
        while held - at >= _HEADER:
            length = data[at] | data[at + 1] << 8 | data[at + 2] << 16
            end = at + _HEADER + length
            if end > held:
                need = _HEADER + length
                break
            payload = data[at + _HEADER : end]
            if length == _FULL:
                self._parts.append(payload)
            elif self._parts:
                found.append(b"".join([*self._parts, payload]))
                self._parts = []
            else:
                found.append(payload)
            at = end
        rest = data[at:]
        self._chunks, self._held, self._need = ([rest] if rest else []), len(rest), need
