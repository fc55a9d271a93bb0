"""uvicorn's protocol with the bounds that a port needs which strangers reach: connections, the size of a head and of what stands
between chunks, the time it takes.

```
connected ──> head ──> request under way ──> answered ──> head of the next ...
           deadline    (the body's is the route's)      deadline, or idle: `timeout_keep_alive`
```

Whose request is not under way gives its place up where others want one.

What is no request is told so behind the answers to the requests before it, which were whole, and may have been stored.

The parser is llhttp, which is strict about what has two meanings: a body with two lengths, a length and chunks, or chunks within
something else is refused.  It knows no coding but chunks, and takes a body in others within chunks for one in chunks alone: the coding
is looked at here (RFC 9112, 6.1).  Headers behind a chunked body are dropped: what is checked is what came before it.  A request of
HTTP/1.1 names one host (RFC 9112, 3.2); which one it names decides nothing here.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from ..network.addresses import network_of_peer
from ..network.places import YieldingPlaces

HEAD_BYTES = 16 << 10
"""A head of more is refused; of one that is read at once, up to twice as many may be."""

BODY_PIECE_BYTES = 64 << 10
"""So much of a body is parsed at once."""
CHUNK_BYTES = 32
"""A chunk may bring so many bytes with its own: its size, two ends of lines.  What is more of all (extensions, and headers behind the
body) is bounded as a head is."""

_HOST = re.compile(rb"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?")


def _refusal(status: bytes, message: str, sqlstate: str, more: Sequence[bytes] = ()) -> bytes:
    """An answer that ends the connection."""
    body = json.dumps({"error": {"message": message, "code": sqlstate}}).encode()
    length = b"content-length: %d" % len(body)
    lines = b"HTTP/1.1 " + status, b"content-type: application/json", length, b"connection: close", *more
    return b"\r\n".join((*lines, b"", body))


_FULL = _refusal(b"503 Service Unavailable", "too many connections", "53300", (b"retry-after: 1",))
_LONG_HEAD = _refusal(
    b"431 Request Header Fields Too Large", f"the headers have more than {HEAD_BYTES} bytes", "54000"
)
_LONG_CHUNKS = _refusal(
    b"431 Request Header Fields Too Large",
    f"extensions of chunks and headers behind the body have more than {HEAD_BYTES} bytes",
    "54000",
)
_NO_REQUEST = _refusal(b"400 Bad Request", "what came is no request of HTTP", "08P01")
_NO_HOST = _refusal(b"400 Bad Request", "a request of HTTP/1.1 names one host", "08P01")
_NO_VERSION = _refusal(b"505 HTTP Version Not Supported", "HTTP/1.1 is spoken here, and 1.0", "0A000")
_NO_LENGTH = _refusal(
    b"400 Bad Request", "nothing says how long the body is: its last coding is not chunked", "08P01"
)
_CHUNKS_OF_OLD = _refusal(b"400 Bad Request", "a request of HTTP/1.0 has no Transfer-Encoding", "08P01")
_NO_CODING = _refusal(b"501 Not Implemented", "no Transfer-Encoding but chunked is supported", "0A000")


@dataclass(frozen=True, slots=True)
class Bounds:
    """`seconds` are for a head to arrive, and for what is left of a body that was refused; `connections_of_one` are of one address, 0
    is any number."""

    connections: int
    seconds: float
    connections_of_one: int = 0

    def places(self) -> YieldingPlaces:
        return YieldingPlaces(self.connections, self.connections_of_one)


class BoundedProtocol(HttpToolsProtocol):
    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        bounds: Bounds,
        places: YieldingPlaces,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._bounds = bounds
        self._places = places
        self._place: str | None = None  # the network that has taken one
        self._deadline: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._in_head = True
        self._in_body = False
        self._messages = 0  # that have begun
        self._extra_bytes = 0  # of the body's, those that are not its contents
        self._started: Any = None  # the request that is answered, or was last
        self._last_words: bytes | None = None  # what is to be said behind the answers that are due
        self._fault = _NO_REQUEST
        self._half_closed = False  # by the client

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
        self._leave()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Who sends nothing more, as `nc -N`, hears the answers to what came whole; TLS ends as a whole."""
        due = self.cycle is not None and not self.cycle.response_complete and not self._in_body
        self._half_closed = due and self.transport.get_extra_info("sslcontext") is None
        return self._half_closed

    def give_way(self) -> None:
        self._leave()
        self.transport.abort()

    def _leave(self) -> None:
        """Its place is free, if it has one."""
        self._places.busy(self)
        if self._place is not None:
            self._places.free(self._place)
            self._place = None

    def data_received(self, data: bytes) -> None:
        """A request that offers another protocol is one of this: the parser, which would read no body of it, is given it once more
        without the offer."""
        start = 0
        while start < len(data) and self._last_words is None and not self.transport.is_closing():
            end = min(start + (HEAD_BYTES if self._in_head else BODY_PIECE_BYTES), len(data))
            message, in_body = self._messages, self._in_body
            self._parse(data[start:end])
            if self._in_head:
                self._head_bytes += end - start
                if self._head_bytes > HEAD_BYTES:
                    self._refuse(_LONG_HEAD)
            elif in_body and self._in_body and message == self._messages:
                self._extra_bytes += end - start
                if self._extra_bytes > HEAD_BYTES:
                    self._refuse(_LONG_CHUNKS)
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
            self._refuse(self._fault)

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
        self._in_head, self._in_body = True, False
        self._messages += 1

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._offers:
            return
        if (fault := _fault_of(self.parser.get_http_version(), self.headers)) is not None:
            self._fault = fault
            raise httptools.HttpParserError("not a head")
        super().on_headers_complete()
        self._in_head, self._head_bytes = False, 0
        self._in_body, self._extra_bytes = True, 0

    def on_chunk_header(self) -> None:
        self._extra_bytes -= CHUNK_BYTES

    def on_body(self, body: bytes) -> None:
        self._extra_bytes -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._offers:
            super().on_message_complete()
            self._in_body = False

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._started = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.timeout_keep_alive_task is None or self.transport.is_closing():
            return
        # No other request is behind it.
        if self._last_words is not None:
            self._say(self._last_words)
        elif self._half_closed:
            self.transport.close()
        else:
            self._waits()

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
            self._waits()

    def _waits(self) -> None:
        if self._place is not None:
            self._places.idle(self, self._place)

    def _arrived(self) -> None:
        self._places.busy(self)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _late(self) -> None:
        self._deadline = None
        self.transport.abort()

    def _refuse(self, response: bytes) -> None:
        """The last words of the connection, behind the answers to the requests that came whole."""
        if self._in_body and self.pipeline:
            self.pipeline.popleft()  # its body does not come to an end
            self.cycle = self.pipeline[0][0] if self.pipeline else self._started
        elif self._in_body and self._started.response_complete:
            self.transport.close()  # it was answered already
            return
        elif self._in_body or self._started is None or self._started.response_complete:
            self._say(response)
            return
        self._last_words = response
        self.flow.pause_reading()

    def _say(self, response: bytes) -> None:
        self.transport.write(response)
        self.transport.close()


def _fault_of(version: str, headers: Sequence[tuple[bytes, bytes]]) -> bytes | None:
    """What is said to a request with that head, if it is not one to go on with."""
    if version not in ("1.0", "1.1"):
        return _NO_VERSION
    hosts = [value for name, value in headers if name == b"host"]
    if not int(version == "1.1") <= len(hosts) <= 1 or not all(map(_HOST.fullmatch, hosts)):
        return _NO_HOST
    told = [value for name, value in headers if name == b"transfer-encoding"]
    if not told:
        return None
    codings = [coding for part in b",".join(told).split(b",") if (coding := part.strip(b" \t").lower())]
    if version == "1.0":
        return _CHUNKS_OF_OLD
    if codings[-1:] != [b"chunked"]:
        return _NO_LENGTH
    return None if len(codings) == 1 else _NO_CODING
