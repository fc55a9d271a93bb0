"""Ports for servers that come again at the same one: a test kills them, and starts them anew."""

from __future__ import annotations

import socket
from random import Random

LEAST, MOST = 20_000, 32_000
"""Below those that the system hands out to clients (Linux: from 32,768 on): such a port may be taken by somebody's connection while its
server is away, and by that of a client that looks for the server: it is then connected with itself."""


def free_ports(count: int) -> list[int]:
    """Different ones of the loopback, at which nothing listens."""
    random = Random()
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(LEAST, MOST)
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in found:
            found.append(port)
    return found


def free_port() -> int:
    return free_ports(1)[0]
