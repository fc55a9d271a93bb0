"""Ports that a runtime will listen on: bound before anything else is begun, so that one that is taken is told at once.

```
bound: nobody else gets it, and who connects is refused ── listening: who connects is heard
```
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import MutableMapping
from dataclasses import dataclass, replace
from typing import Self

from .addresses import bind_error, no_port
from .exposure import Exposure

PORT = "PTVC_PORT_BEFORE"
HTTP_PORT = "PTVC_HTTP_PORT_BEFORE"
"""Environment variables: where the process listened before it was started anew, and listens again."""
BACKLOG = 512
_NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""A name may have an address of IPv6 where there is no IPv6."""


@dataclass(frozen=True, slots=True)
class BoundPort:
    """A socket for each address of the host, all of one port, which is the real one."""

    host: str
    port: int
    sockets: tuple[socket.socket, ...]

    def listen(self) -> None:
        """Raises PtvcError, where another process has bound it as well, and was quicker."""
        try:
            for bound in self.sockets:
                bound.listen(BACKLOG)
        except OSError as error:
            self.close()
            raise bind_error(error, self.host, self.port) from error

    def close(self) -> None:
        for bound in self.sockets:
            bound.close()


def bind(host: str, port: int) -> BoundPort:
    """0 picks a free port.  Raises PtvcError when the address cannot be had."""
    if not 0 <= port <= 65535:
        raise no_port(port)
    sockets: list[socket.socket] = []
    elsewhere: OSError | None = None
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, address in dict.fromkeys(found):
            chosen = sockets[0].getsockname()[1] if sockets else port
            try:
                sockets.append(_socket(family, (address[0], chosen, *address[2:])))
            except OSError as error:
                if error.errno not in _NOT_HERE:
                    raise
                elsewhere = error
        if elsewhere is not None and not sockets:
            raise elsewhere
    except OSError as error:
        for opened in sockets:
            opened.close()
        raise bind_error(error, host, port) from error
    return BoundPort(host, sockets[0].getsockname()[1], tuple(sockets))


def _socket(family: int, address: tuple[str | int, ...]) -> socket.socket:
    # asyncio sends small pieces at once (TCP_NODELAY) by sockets that say that they are TCP's, as those accepted here then do.
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        opened.bind(address)
    except OSError:
        opened.close()
        raise
    opened.setblocking(False)
    return opened


@dataclass(frozen=True, slots=True)
class Ports:
    """Those of a runtime; `http` None: there is no HTTP."""

    postgres: BoundPort
    http: BoundPort | None

    @classmethod
    def bind(
        cls,
        exposure: Exposure,
        control: tuple[str, int] | None = None,
        variables: MutableMapping[str, str] = os.environ,
    ) -> Self:
        """Of a process that was started anew, where it listened before.  The port of replicas, `control`, is looked at, and bound again by who listens
        there.  Raises PtvcError."""
        port, http_port = int(variables.pop(PORT, exposure.port)), exposure.http_port
        before = variables.pop(HTTP_PORT, None)
        if http_port is not None and before is not None:
            http_port = int(before)
        postgres = bind(exposure.host, port)
        http = None
        try:
            http = None if http_port is None else bind(exposure.host, http_port)
            if control is not None:
                bind(*control).close()
        except BaseException:
            cls(postgres, http).close()
            raise
        return cls(postgres, http)

    def of(self, exposure: Exposure) -> Exposure:
        """With the real numbers."""
        return replace(
            exposure, port=self.postgres.port, http_port=None if self.http is None else self.http.port
        )

    def close(self) -> None:
        self.postgres.close()
        if self.http is not None:
            self.http.close()
