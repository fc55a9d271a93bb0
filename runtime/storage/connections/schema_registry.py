"""A schema registry: requests over HTTP or HTTPS, by the standard library.

A redirection is not followed: it could lead where a connection may not.
"""

from __future__ import annotations

import base64
import json
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from time import monotonic
from urllib.parse import urlsplit

from .addresses import Addresses, shown
from .failures import ConnectionFailed, Step, scrubbed
from .secret_files import secret_files
from .values import Values

_MOST_BYTES = 64 << 20
_JSON = "application/vnd.schemaregistry.v1+json"
_ACCEPT = f"{_JSON}, application/json"


@dataclass(frozen=True, slots=True)
class Settings:
    """`context` None: without TLS."""

    host: str
    port: int
    path: str
    context: ssl.SSLContext | None
    headers: dict[str, str] = field(repr=False)

    @property
    def where(self) -> str:
        return f"{'http' if self.context is None else 'https'}://{shown(self.host, self.port)}{self.path}"


def settings(values: Values) -> Settings:
    """What requests are made with; ConnectionFailed for a certificate or a key that is none."""
    url = urlsplit(values.required("URL"))
    assert url.hostname is not None
    secure = url.scheme == "https"
    headers = {"Accept": _ACCEPT, "User-Agent": "ptvc"}
    if (user := values.text("USERNAME")) is not None:
        pair = f"{user}:{values.text('PASSWORD') or ''}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    return Settings(
        url.hostname,
        url.port or (443 if secure else 80),
        url.path.rstrip("/"),
        tls_context(values) if secure else None,
        headers,
    )


def tls_context(values: Values) -> ssl.SSLContext:
    """TLS that checks the other side's certificate and name, against the connection's authority or else the system's."""
    context = ssl.create_default_context()
    authority = values.text("SSL CERTIFICATE AUTHORITY")
    certificate, key = values.bytes("SSL CERTIFICATE"), values.bytes("SSL KEY")
    option = "SSL CERTIFICATE AUTHORITY"
    try:
        if authority is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.load_verify_locations(cadata=authority)
        if certificate is not None and key is not None:
            option = "SSL CERTIFICATE or SSL KEY"
            with secret_files() as files:
                context.load_cert_chain(files.path(certificate), files.path(key), password="")
    except (ssl.SSLError, ValueError, OSError):
        raise ConnectionFailed(
            Step.TLS, f"option {option} cannot be used: it is not what it should be, in PEM form"
        ) from None
    return context


class _Pinned(HTTPConnection):
    """Connects to the address that was checked."""

    address = ""

    def connect(self) -> None:
        self.sock = socket.create_connection((self.address, self.port), self.timeout)


class _PinnedTls(_Pinned):
    def __init__(self, host: str, port: int, timeout: float, context: ssl.SSLContext) -> None:
        super().__init__(host, port, timeout=timeout)
        self._context = context

    def connect(self) -> None:
        super().connect()
        self.sock = self._context.wrap_socket(self.sock, server_hostname=self.host)


@dataclass(frozen=True, slots=True)
class Request:
    """`body` is an object of JSON."""

    path: str
    method: str = "GET"
    body: Mapping[str, object] | None = None


def send(found: Settings, address: str, request: Request, deadline: float) -> tuple[int, bytes]:
    """The status and the body of an answer.  Raises OSError and HTTPException."""
    left = max(deadline - monotonic(), 0.001)
    client: _Pinned
    if found.context is None:
        client = _Pinned(found.host, found.port, timeout=left)
    else:
        client = _PinnedTls(found.host, found.port, left, found.context)
    client.address = address
    body, headers = None, found.headers
    if request.body is not None:
        body, headers = json.dumps(request.body), {**headers, "Content-Type": _JSON}
    try:
        client.request(request.method, f"{found.path}{request.path}", body, headers)
        answer = client.getresponse()
        return answer.status, answer.read(_MOST_BYTES)
    finally:
        client.close()


def ask(values: Values, addresses: Addresses, request: Request, deadline: float) -> tuple[int, bytes]:
    """The status and the body of an answer, whatever they say; raises ConnectionFailed where there is none."""
    found = settings(values)
    address = addresses.reachable(found.host, found.port, deadline)
    what = unreachable(found)
    try:
        return send(found, address, request, deadline)
    except ssl.SSLCertVerificationError as error:
        raise ConnectionFailed(
            Step.TLS,
            f"{what}: its certificate is not accepted",
            detail=scrubbed(error.verify_message, values.secrets.values()),
            hint="SSL CERTIFICATE AUTHORITY names whose certificates are.",
        ) from None
    except ssl.SSLError as error:
        raise ConnectionFailed(
            Step.TLS, f"{what}: TLS does not come about", detail=error.reason or None
        ) from None
    except TimeoutError:
        raise ConnectionFailed(Step.CONNECTION, f"{what}: it does not answer in time") from None
    except (OSError, HTTPException) as error:
        raise ConnectionFailed(
            Step.ANSWER,
            f"{what}: it does not answer as HTTP does",
            detail=scrubbed(str(error), values.secrets.values()) or None,
        ) from None


def unreachable(found: Settings) -> str:
    return f"cannot connect to the schema registry at {found.where}"


def validate(values: Values, addresses: Addresses, deadline: float) -> None:
    """Asks for the subjects; raises ConnectionFailed."""
    status, body = ask(values, addresses, Request("/subjects"), deadline)
    what = unreachable(settings(values))
    check_status(status, what)
    try:
        subjects = json.loads(body)
    except ValueError:
        subjects = None
    if not isinstance(subjects, list):
        raise ConnectionFailed(Step.ANSWER, f"{what}: what it answers is no list of subjects")


def check_status(status: int, what: str) -> None:
    """Raises ConnectionFailed for anything but 200."""
    if status in (401, 403):
        raise ConnectionFailed(Step.AUTHENTICATION, f"{what}: authentication failed (HTTP status {status})")
    if status != 200:
        hint = "A redirection is not followed: name where it leads." if 300 <= status < 400 else None
        raise ConnectionFailed(Step.ANSWER, f"{what}: it answers with HTTP status {status}", hint=hint)
