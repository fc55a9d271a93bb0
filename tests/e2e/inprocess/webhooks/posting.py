"""A client of webhooks, and one that says what it likes on a socket."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Any

from inprocess import InProcess

TIMEOUT_S = 30.0
SHORT = 100


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def error(self) -> dict[str, str]:
        found: dict[str, str] = json.loads(self.body)["error"]
        return found


class Poster:
    """Posts to sources of one schema, over one connection that is kept."""

    def __init__(self, port: int, schema: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
        self._schema = schema

    def __enter__(self) -> Poster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def path(self, name: str) -> str:
        return f"/api/webhook/ptvc/{self._schema}/{name}"

    def post(self, name: str, body: bytes | str = b"", **headers: str) -> Answer:
        """Underscores in names of headers stand for hyphens."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request("POST", self.path(name), body, named)

    def request(
        self, method: str, path: str, body: Any = None, headers: dict[str, Any] | None = None
    ) -> Answer:
        data = body.encode() if isinstance(body, str) else body
        self._connection.request(method, path, data, headers or {})
        return self._answer()

    def post_pieces(self, name: str, pieces: Iterable[bytes]) -> Answer:
        """A body whose length is not said: in chunks."""
        self._connection.request("POST", self.path(name), iter(pieces), encode_chunked=True)
        return self._answer()

    def post_with(self, name: str, body: bytes, headers: Iterable[tuple[str, bytes]]) -> Answer:
        """Headers as they are, of which one may come twice."""
        headers = list(headers)
        named = any(header.lower() == "host" for header, _ in headers)
        self._connection.putrequest("POST", self.path(name), skip_host=named)
        for header, value in headers:
            self._connection.putheader(header, value)
        self._connection.putheader("content-length", str(len(body)))
        self._connection.endheaders(body)
        return self._answer()

    def _answer(self) -> Answer:
        response = self._connection.getresponse()
        return Answer(response.status, response.read(), {k.lower(): v for k, v in response.getheaders()})


class Line:
    """A bare connection."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def send_until_cut(self, piece: bytes, pause_s: float, within_s: float) -> float:
        """Sends the piece again and again, until the other side has closed; the seconds that it took."""
        began = monotonic()
        self._socket.settimeout(pause_s)
        while (passed := monotonic() - began) < within_s:
            try:
                self._socket.sendall(piece)
                if len(piece) < SHORT and not self._socket.recv(1):
                    break  # it waits for an answer, which is the pause
            except TimeoutError:
                continue
            except OSError:
                break
        return passed

    def finish(self) -> None:
        """Nothing more comes from here."""
        self._socket.shutdown(socket.SHUT_WR)

    def read(self) -> bytes:
        """What comes until the other side closes; a connection that is cut ends it, too."""
        found = b""
        while True:
            try:
                piece = self._socket.recv(65536)
            except ConnectionResetError:
                return found
            if not piece:
                return found
            found += piece

    def read_answers(self, count: int) -> list[int]:
        """The statuses of so many answers; what is in their bodies does not look like one."""
        found = b""
        while found.count(b"\r\n\r\n") < count:
            piece = self._socket.recv(65536)
            assert piece, found
            found += piece
        return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+)", found)]

    def close(self) -> None:
        self._socket.close()


@dataclass
class Load:
    """Clients that post one number after the other until they are stopped or cut off; those with keys send again what was
    not answered."""

    port: Callable[[], int]
    name: str
    keyed: bool
    answered: set[str] = field(default_factory=set)
    sent: set[str] = field(default_factory=set)
    stopped: threading.Event = field(default_factory=threading.Event)

    def client(self, place: int, open_: list[str]) -> None:
        """`open_` is what has had no answer."""
        try:
            with Poster(self.port(), "public") as poster:
                while not self.stopped.is_set():
                    body = open_[0] if open_ else f"{place}-{len(self.sent)}"
                    self.sent.add(body)
                    open_[:] = [body]
                    key = {"X_Key": body} if self.keyed else {}
                    if poster.post(self.name, body, **key).status == 200:
                        self.answered.add(body)
                        open_.clear()
        except (OSError, http.client.HTTPException):
            if not self.keyed:
                open_.clear()


def bodies(runtime: InProcess, relation: str) -> list[Any]:
    """In no order."""
    return [body for (body,) in runtime.query(f"SELECT body FROM {relation}")]
