"""What is at which path: webhooks, and two answers for whoever watches the process.

| path | answers |
|---|---|
| `POST /api/webhook/<database>/<schema>/<name>` | 200 when what the request says is durable; else what is wrong with it |
| `GET /api/livez` | 200: the process answers |
| `GET /api/readyz` | 200 while what is posted can become durable, 503 otherwise |
"""

from __future__ import annotations

import logging
import secrets
from urllib.parse import unquote_to_bytes

from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from ..coord.webhooks.delivery import Delivery, Refused, unavailable, unknown
from ..coord.webhooks.webhooks import Webhooks
from ..expr.tree.relation import GlobalId
from .bodies import BodyReader, ClientGone, Headers, accept, refuse, say

logger = logging.getLogger(__name__)

_WEBHOOK = "/api/webhook/"
_READING = (b"GET", b"HEAD")


class Routes:
    """`seconds` are for a body to arrive."""

    def __init__(self, webhooks: Webhooks, seconds: float) -> None:
        self._webhooks = webhooks
        self._bodies = BodyReader(seconds)
        posted = _Only((b"POST",), _Posted(webhooks, self._bodies))
        self.application: ASGIApp = Router(
            [
                Route(_WEBHOOK + "{place:path}", posted),
                Route("/api/livez", _Only(_READING, _alive)),
                Route("/api/readyz", _Only(_READING, self._ready)),
            ],
            redirect_slashes=False,
            default=_nothing,
        )

    def stop(self) -> None:
        """Requests are refused from now on, those as well whose bodies are on their way."""
        self._bodies.stop()

    async def _ready(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._bodies.stopping or not self._webhooks.ready:
            await refuse(send, scope["headers"], unavailable("the runtime is stopping", "57P01"))
        else:
            await say(send, "ready")


async def _alive(scope: Scope, receive: Receive, send: Send) -> None:
    await say(send, "alive")


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    await refuse(send, scope["headers"], Refused(404, "there is nothing at this path", "42P01"))


class _Only:
    """Refuses other methods than those of the endpoint."""

    def __init__(self, methods: tuple[bytes, ...], endpoint: ASGIApp) -> None:
        self._methods = frozenset(method.decode() for method in methods)
        self._allowed = b", ".join(methods)
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in self._methods:
            await self._endpoint(scope, receive, send)
        else:
            refused = Refused(405, f"{scope['method']} is not taken here", "0A000")
            await refuse(send, scope["headers"], refused, (b"allow", self._allowed))


class _Posted:
    """Of webhooks there are many, so it is without what starlette has around a function."""

    def __init__(self, webhooks: Webhooks, bodies: BodyReader) -> None:
        self._webhooks = webhooks
        self._bodies = bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = scope["headers"]
        try:
            with self._webhooks.place(), self._webhooks.holding() as hold:
                source = self._source(scope)
                body = await self._bodies.read(headers, receive, self._webhooks.most_bytes, hold)
                named = tuple((name.decode("ascii"), value) for name, value in headers)
                await self._webhooks.receive(source, Delivery(named, body))
        except Refused as refused:
            await refuse(send, headers, refused)
        except ClientGone:
            pass
        except Exception:
            reference = secrets.token_hex(6)
            logger.exception("internal error %s", reference)
            await refuse(send, headers, Refused(500, f"internal error (reference {reference})", "XX000"))
        else:
            await accept(send)

    def _source(self, scope: Scope) -> GlobalId:
        """A name may have any character in it, so the path is cut before its escapes are resolved."""
        raw: bytes = scope["raw_path"]
        try:
            parts = [unquote_to_bytes(part).decode() for part in raw[len(_WEBHOOK) :].split(b"/")]
        except UnicodeDecodeError:
            parts = []
        if len(parts) != 3:
            raise unknown(scope["path"])
        return self._webhooks.find(*parts)
