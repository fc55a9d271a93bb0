"""What is at which path: webhooks, and two answers for whoever watches the process.

| path | answers |
|---|---|
| `POST /api/webhook/<database>/<schema>/<name>` | 200 when what the request says is durable; else what is wrong with it |
| `GET /api/livez` | 200: the process answers |
| `GET /api/readyz` | 200 while what is posted can become durable, 503 otherwise |
"""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from ..coord.webhooks.delivery import Delivery, Refused, unknown
from ..coord.webhooks.webhooks import Webhooks
from ..expr.tree.relation import GlobalId
from .bodies import BodyReader, ClientGone, Headers, accept, refuse

_WEBHOOK = "/api/webhook/"


class Routes:
    """`seconds` are for a body to arrive."""

    def __init__(self, webhooks: Webhooks, seconds: float) -> None:
        self._webhooks = webhooks
        self._bodies = BodyReader(seconds)
        self.application: ASGIApp = Router(
            [
                Route(_WEBHOOK + "{place:path}", _Posted(webhooks, self._bodies), methods=["POST"]),
                Route("/api/livez", _alive, methods=["GET"]),
                Route("/api/readyz", self._ready, methods=["GET"]),
            ],
            redirect_slashes=False,
        )

    def stop(self) -> None:
        """Requests are refused from now on, those as well whose bodies are on their way."""
        self._bodies.stop()

    async def _ready(self, request: Request) -> Response:
        if self._bodies.stopping or not self._webhooks.ready:
            return PlainTextResponse("stopping\n", 503)
        return PlainTextResponse("ready\n")


async def _alive(request: Request) -> Response:
    return PlainTextResponse("alive\n")


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
