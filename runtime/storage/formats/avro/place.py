"""A place in one payload, read value by value: what a payload comes to if it cannot be read beside its neighbours.

This is the definition that reading in columns agrees with.  It takes exactly what the specification allows, and says what is wrong.
"""

from __future__ import annotations

import struct


class Malformed(Exception):
    """A payload is not as its schemas say: `reason`, within the field `path`."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path

    def within(self, field: str) -> Malformed:
        return Malformed(self.reason, f"{field}.{self.path}" if self.path else field)

    def __str__(self) -> str:
        return f'field "{self.path}": {self.reason}' if self.path else self.reason


class Place:
    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self.at = 0

    def take(self, size: int) -> bytes:
        left = len(self._payload) - self.at
        if not 0 <= size <= left:
            raise Malformed(f"a value of {size} bytes where {left} are left")
        self.at += size
        return self._payload[self.at - size : self.at]

    def number(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            (byte,) = self.take(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
        else:
            raise Malformed("an integer of more than ten bytes")
        if value >> 64:
            raise Malformed("an integer of more than 64 bits")
        return (value >> 1) ^ -(value & 1)

    def sized(self) -> bytes:
        return self.take(self.number())

    def text(self) -> str:
        found = self.sized()
        try:
            return found.decode()
        except UnicodeDecodeError as error:
            raise Malformed(
                f'invalid byte sequence for encoding "UTF8": 0x{found[error.start]:02x}'
            ) from None

    def float32(self) -> float:
        return float(struct.unpack("<f", self.take(4))[0])

    def float64(self) -> float:
        return float(struct.unpack("<d", self.take(8))[0])

    def finish(self) -> None:
        if left := len(self._payload) - self.at:
            raise Malformed(f"{left} bytes follow its value")
