"""Requests and answers of routes that take a body whole, bounded in size and in time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence

from starlette.types import Receive, Send

from ..coord.webhooks.delivery import Refused, unavailable

RETRY_AFTER_S = 1

Headers = Sequence[tuple[bytes, bytes]]
"""Names in lower case, in the order in which they came."""


class ClientGone(Exception):
    """It has closed its connection before the body was there."""


class BodyReader:
    """`seconds` are for a whole body to arrive."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._reading: set[asyncio.Timeout] = set()
        self.stopping = False

    def stop(self) -> None:
        """What has not arrived by now is not waited for."""
        self.stopping = True
        now = asyncio.get_running_loop().time()
        for reading in self._reading:
            reading.reschedule(now)

    async def read(self, headers: Headers, receive: Receive, most: int, hold: Callable[[int], None]) -> bytes:
        """The body; `hold` hears of each piece before it is kept.  Raises Refused, and ClientGone."""
        _refuse_what_is_known(headers, most)
        pieces: list[bytes] = []
        total = 0
        limit = asyncio.timeout(self._seconds)
        self._reading.add(limit)
        try:
            async with limit:
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientGone
                    piece: bytes = message["body"]
                    total += len(piece)
                    if total > most:
                        raise _too_long(most)
                    hold(len(piece))
                    pieces.append(piece)
                    more = message["more_body"]
        except TimeoutError:
            if self.stopping:
                raise unavailable("the runtime is stopping", "57P01") from None
            raise Refused(408, f"the body did not arrive within {self._seconds:g} s", "57014") from None
        finally:
            self._reading.discard(limit)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _refuse_what_is_known(headers: Headers, most: int) -> None:
    """By its head."""
    for name, value in headers:
        if name == b"content-length" and int(value) > most:  # the parser has seen to it that it is a number
            raise _too_long(most)
        if name == b"content-encoding" and value.strip().lower() not in (b"", b"identity"):
            raise Refused(
                415,
                "a Content-Encoding is not supported",
                "0A000",
                hint="Send the body as it is.",
            )


def _too_long(most: int) -> Refused:
    return Refused(
        413,
        f"the body has more than {most} bytes",
        "54000",
        hint="The setting webhook_max_body_bytes is the limit.",
    )


async def accept(send: Send) -> None:
    """200, and nothing to say."""
    await _answer(send, 200, [], b"")


async def say(send: Send, text: str) -> None:
    """200, and a line of text."""
    await _answer(send, 200, [(b"content-type", b"text/plain; charset=utf-8")], f"{text}\n".encode())


async def refuse(send: Send, headers: Headers, refused: Refused, *others: tuple[bytes, bytes]) -> None:
    """`others` are headers of the answer."""
    error = {"message": refused.message, "code": refused.sqlstate}
    if refused.hint is not None:
        error["hint"] = refused.hint
    more = [(b"content-type", b"application/json"), *others]
    if refused.passes:
        more.append((b"retry-after", str(RETRY_AFTER_S).encode()))
    if refused.status == 408 or any(name == b"expect" for name, _ in headers):
        more.append((b"connection", b"close"))  # what of the body has not come does not come any more
    await _answer(send, refused.status, more, json.dumps({"error": error}).encode())


async def _answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})
