"""uvicorn's protocol with the bounds that a port needs which strangers reach: connections, the size of a head, the time it takes.

```
connected ──> head ──> request under way ──> answered ──> head of the next ...
           deadline    (the body's is the route's)      deadline, or idle: `timeout_keep_alive`
```

The parser is llhttp, which is strict about what has two meanings: a body with two lengths, or a length and chunks, is refused.
Headers behind a chunked body are dropped: what is checked is what came before it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from ..network.addresses import network_of_peer
from ..network.places import Places

HEAD_BYTES = 16 << 10
"""A head of more is refused; of one that is read at once, up to twice as many may be."""

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
)
_LONG_HEAD = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Bounds:
    """`seconds` are for a head to arrive, and for what is left of a body that was refused; `connections_of_one` are of one address, 0
    is any number."""

    connections: int
    seconds: float
    connections_of_one: int = 0

    def places(self) -> Places:
        return Places(self.connections, self.connections_of_one)


class BoundedProtocol(HttpToolsProtocol):
    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        bounds: Bounds,
        places: Places,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._bounds = bounds
        self._places = places
        self._place: str | None = None  # the network that has taken one
        self._deadline: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._in_head = True

    # --- the connection ---

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        network = network_of_peer(transport)
        if self._places.take(network):
            self._place = network
            self._expect()
        else:
            self._refuse(_FULL)

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        if self._place is not None:
            self._places.free(self._place)
            self._place = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A request that offers another protocol is one of this: the parser, which would read no body of it, is given it once more
        without the offer."""
        start = 0
        while start < len(data) and not self.transport.is_closing():
            end = min(start + HEAD_BYTES, len(data)) if self._in_head else len(data)
            self._parse(data[start:end])
            if self._in_head:
                self._head_bytes += end - start
                if self._head_bytes > HEAD_BYTES:
                    self._refuse(_LONG_HEAD)
            start = end
        if self.cycle is None or self.cycle.response_complete:
            self._expect()
        else:
            self._arrived()

    def _parse(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        rest = memoryview(data)
        try:
            while len(rest):
                try:
                    self.parser.feed_data(rest)
                    return
                except httptools.HttpParserUpgrade as offered:
                    if not self._offers:
                        raise httptools.HttpParserError("there is no tunnel here") from None
                    rest = rest[offered.args[0] :]
                    self._begin_anew()
        except httptools.HttpParserError:
            self.send_400_response("Invalid HTTP request received.")

    def _begin_anew(self) -> None:
        """Another parser has the head of the request, without the offer."""
        asked = self.parser.get_method(), self.url, self.parser.get_http_version().encode()
        head = [b"%s %s HTTP/%s\r\n" % asked]
        head += [b"%s: %s\r\n" % header for header in self.headers if header[0] != b"upgrade"]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn's
        self.parser.feed_data(b"".join(head) + b"\r\n")

    # --- the parser's calls ---

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._offers:
            return
        super().on_headers_complete()
        self._in_head, self._head_bytes = False, 0

    def on_message_complete(self) -> None:
        if not self._offers:
            super().on_message_complete()

    @property
    def _offers(self) -> bool:
        """Whether the request is to be parsed once more."""
        upgrades: bool = self.parser.should_upgrade()
        return upgrades and self.parser.get_method() != b"CONNECT"

    # --- time ---

    def _expect(self) -> None:
        """A head, or what is left of a body, has to come."""
        if self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self._bounds.seconds, self._late)

    def _arrived(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _late(self) -> None:
        self._deadline = None
        self.transport.abort()

    def _refuse(self, response: bytes) -> None:
        self.transport.write(response)
        self.transport.close()
