"""A client by hand: sends any bytes, reads messages back."""

from __future__ import annotations

import socket
import struct


def message(kind: bytes, body: bytes = b"") -> bytes:
    return kind + struct.pack("!i", len(body) + 4) + body


def startup(version: int = 196608, **options: str) -> bytes:
    body = struct.pack("!i", version)
    body += b"".join(k.encode() + b"\0" + v.encode() + b"\0" for k, v in options.items()) + b"\0"
    return struct.pack("!i", len(body) + 4) + body


def parse(sql: str, name: str = "", oids: tuple[int, ...] = ()) -> bytes:
    body = name.encode() + b"\0" + sql.encode() + b"\0"
    return message(b"P", body + struct.pack(f"!h{len(oids)}i", len(oids), *oids))


def bind(portal: str = "", statement: str = "", values: tuple[bytes, ...] = (), format_: int = 0) -> bytes:
    body = portal.encode() + b"\0" + statement.encode() + b"\0" + struct.pack("!hh", 1, 0)
    body += struct.pack("!h", len(values)) + b"".join(struct.pack("!i", len(v)) + v for v in values)
    return message(b"B", body + struct.pack("!hh", 1, format_))


def execute(portal: str = "", limit: int = 0) -> bytes:
    return message(b"E", portal.encode() + b"\0" + struct.pack("!i", limit))


SYNC = message(b"S")


class Raw:
    """Reads are bounded by a time-out, so a server that hangs fails the test."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._buffer = b""

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def hello(self) -> Raw:
        self.send(startup(user="ann", database="ptvc"))
        assert self.until(b"Z")[-1] == (b"Z", b"I")
        return self

    def take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError
            self._buffer += data
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def read(self) -> tuple[bytes, bytes]:
        head = self.take(5)
        return head[:1], self.take(struct.unpack("!i", head[1:])[0] - 4)

    def until(self, kind: bytes) -> list[tuple[bytes, bytes]]:
        messages = [self.read()]
        while messages[-1][0] != kind:
            messages.append(self.read())
        return messages

    def kinds(self, kind: bytes = b"Z") -> str:
        return b"".join(k for k, _ in self.until(kind)).decode()

    def error(self) -> dict[str, str]:
        kind, body = self.read()
        assert kind == b"E", (kind, body)
        return fields(body)

    def closed(self) -> bool:
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionResetError:
            pass
        return True


def fields(body: bytes) -> dict[str, str]:
    return {part[:1].decode(): part[1:].decode() for part in body.split(b"\0") if part}
