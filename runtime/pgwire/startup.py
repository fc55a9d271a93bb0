"""The handshake: from the first byte to who is asking for what.

An SSLRequest is answered `S` where there is a certificate, and TLS follows; else it is answered `N`, as a GSSENCRequest is.  A
connection may begin with TLS as well, without a request: then the client must name the protocol.  A CancelRequest ends here; a
StartupMessage yields a `Startup`.  All of it, the password included, happens within one deadline, which the caller sets.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import PtvcError, Unsupported
from ..expr.text.boolean_words import boolean_word
from ..network.addresses import is_loopback, network_of
from ..network.attempts import Attempts
from ..network.certificates import POSTGRES_PROTOCOL, Certificates, Shown
from ..network.tls import FIRST_BYTE
from ..network.tokens import BadToken
from . import codec
from .codec import Body, FrontendKind, ProtocolViolation
from .contract import PasswordLookup, TokenRole, Trust
from .scram import MECHANISM, MECHANISM_PLUS, AuthenticationFailed, ScramSecret, ScramServer, fake_secret
from .wire import Wire

STARTUP_LIMIT = 10_000
"""Bytes of a startup packet, as in PostgreSQL."""
CANCEL_CODE = 80877102
SSL_CODE = 80877103
GSSENC_CODE = 80877104
TOKEN_OPTION = "oidc_auth_enabled"
"""The option of a client that gives a token as its password."""
MAJOR = 3
MINOR = 0


@dataclass(frozen=True, slots=True)
class Access:
    """What a client must do to come in.  With `tls_only` nothing is heard of one that does not speak TLS; a role without a password
    comes from this machine only, or by a certificate, unless `insecure`.  `fake_key` makes the salts of unknown users; `attempts` are
    the logins that have failed, and `token_role` says whose a token is; None: no tokens are taken."""

    passwords: PasswordLookup
    fake_key: bytes
    certificates: Certificates | None = None
    tls_only: bool = False
    insecure: bool = False
    attempts: Attempts = field(default_factory=Attempts)
    token_role: TokenRole | None = None


@dataclass(frozen=True, slots=True)
class CancelRequest:
    pid: int
    secret: int


@dataclass(frozen=True, slots=True)
class Startup:
    """`shown` is the certificate that the client was shown, if it speaks TLS; `by_token`: it has a token in place of a password."""

    user: str
    database: str
    options: Mapping[str, str]
    shown: Shown | None = None
    by_token: bool = False


async def read_startup(wire: Wire, access: Access) -> Startup | CancelRequest:
    """The client's opening.  Raises PtvcError, to be sent as FATAL."""
    shown: Shown | None = None
    if access.certificates is not None and await wire.first_byte() == FIRST_BYTE:
        shown = access.certificates.shown
        tls = await wire.begin_tls(shown.postgres)
        if tls.protocol != POSTGRES_PROTOCOL:
            raise ProtocolViolation(
                "received direct SSL connection request without ALPN protocol negotiation extension"
            )
    refused: set[int] = set()
    while True:
        body = await wire.read_startup(STARTUP_LIMIT)
        (code,) = struct.unpack_from("!I", body)
        if code == CANCEL_CODE:
            if len(body) != 12:
                raise ProtocolViolation("invalid length of startup packet")
            return CancelRequest(*struct.unpack_from("!II", body, 4))
        if code in (SSL_CODE, GSSENC_CODE) and code not in refused and len(body) == 4:
            # A client that was refused must not have gone on as if it had been accepted.
            if wire.has_input():
                raise ProtocolViolation("received unencrypted data after SSL request")
            refused.add(code)
            accepts = code == SSL_CODE and shown is None and access.certificates is not None
            wire.send(b"S" if accepts else b"N")
            await wire.flush()
            if accepts and access.certificates is not None:
                shown = access.certificates.shown
                await wire.begin_tls(shown.postgres)
            continue
        if access.tls_only and shown is None:
            raise PtvcError(
                "this server is spoken to by TLS only",
                sqlstate="28000",
                hint="Connect with sslmode=verify-full, or require.",
            )
        return _startup(wire, code, Body(body[4:]), shown)


def _startup(wire: Wire, code: int, body: Body, shown: Shown | None) -> Startup:
    major, minor = code >> 16, code & 0xFFFF
    if major != MAJOR:
        raise Unsupported(
            f"unsupported frontend protocol {major}.{minor}: server supports {MAJOR}.{MINOR} to {MAJOR}.{MINOR}"
        )
    options: dict[str, str] = {}
    while (name := body.string()) != "":
        options[name] = body.string()
    body.end()
    unknown = [name for name in options if name.startswith("_pq_.")]
    if minor > MINOR or unknown:
        wire.send(codec.negotiate_protocol_version(MAJOR << 16 | MINOR, unknown))
    for name in unknown:
        del options[name]
    user = options.pop("user", "")
    if not user:
        raise PtvcError("no PostgreSQL user name specified in startup packet", sqlstate="28000")
    database = options.pop("database", "") or user
    if options.pop("replication", "false").lower() not in ("false", "off", "no", "0"):
        raise Unsupported("replication connections are not supported", hint="Connect without replication.")
    settings = _command_line(options.pop("options", ""))
    settings.update((name.lower(), value) for name, value in options.items())
    return Startup(user, database, settings, shown, _switched(settings.pop(TOKEN_OPTION, "off")))


def _switched(text: str) -> bool:
    found = boolean_word(text)
    if found is None:
        raise ProtocolViolation(f'parameter "{TOKEN_OPTION}" requires a Boolean value', sqlstate="22023")
    return found


def _command_line(text: str) -> dict[str, str]:
    """Settings in the `options` parameter: `-c name=value`, `-cname=value`, `--name=value`; `\\` escapes."""
    words = [re.sub(r"\\(.)", r"\1", word) for word in re.findall(r"(?:\\.|[^\s\\])+", text)]
    settings: dict[str, str] = {}
    while words:
        word = words.pop(0)
        if word == "-c" and words:
            word = words.pop(0)
        elif word.startswith(("-c", "--")):
            word = word[2:]
        else:
            raise ProtocolViolation(
                f"invalid command-line argument for server process: {word}", sqlstate="42601"
            )
        name, equals, value = word.partition("=")
        if not equals:
            raise ProtocolViolation(f"-c {name} requires a value", sqlstate="42601")
        settings[name.lower().replace("-", "_")] = value
    return settings


async def authenticate(wire: Wire, startup: Startup, access: Access) -> str:
    """Lets in who has a certificate of the role; else asks for a token, if the client says that it has one, or for the password, if the
    role has one.  Raises PtvcError (28P01) when it is wrong.  Returns how it was proved."""
    user, shown = startup.user, startup.shown
    if shown is not None and wire.tls is not None:
        client = wire.tls.client
        if (
            client is not None
            and client.common_name is not None
            and shown.role_of(client.common_name) == user
        ):
            return "certificate"
    secret = None if startup.by_token else await access.passwords(user)
    if isinstance(secret, Trust):
        if access.insecure or wire.peer is None or is_loopback(wire.peer[0]):
            return "trust"
        secret = None
    network = network_of(None if wire.peer is None else wire.peer[0])
    if wait := access.attempts.wait_s(network, user):
        await wire.pause(wait)
    try:
        if startup.by_token:
            await _show_token(wire, startup, access)
        else:
            await _prove_password(wire, startup, secret or fake_secret(user, access.fake_key))
    except AuthenticationFailed:
        access.attempts.failed(network, user)
        raise
    access.attempts.succeeded(network, user)
    return "token" if startup.by_token else "password"


async def _prove_password(wire: Wire, startup: Startup, secret: ScramSecret) -> None:
    """By SCRAM, bound to the connection where both can."""
    shown = startup.shown
    end_point = None if shown is None else shown.end_point
    server = ScramServer(startup.user, secret, end_point)
    mechanisms = [MECHANISM] if end_point is None else [MECHANISM_PLUS, MECHANISM]
    wire.send(codec.authentication_sasl(mechanisms))
    await wire.flush()
    body = Body(await _password_message(wire))
    mechanism = body.string()
    if mechanism not in mechanisms:
        raise ProtocolViolation("client selected an invalid SASL authentication mechanism")
    size = body.int32()
    if size < 0:
        raise ProtocolViolation("malformed SCRAM message")
    first = body.take(size)
    body.end()
    wire.send(codec.authentication_sasl_continue(server.first(first, binds=mechanism == MECHANISM_PLUS)))
    await wire.flush()
    wire.send(codec.authentication_sasl_final(server.final(await _password_message(wire))))


async def _show_token(wire: Wire, startup: Startup, access: Access) -> None:
    """The token is sent as it is, so only inside of TLS."""
    if access.token_role is None or startup.shown is None:
        none = access.token_role is None
        raise PtvcError(
            "this server takes no tokens" if none else "tokens are taken inside of TLS only",
            sqlstate="28000",
            hint=f"Connect without {TOKEN_OPTION}." if none else "Connect with sslmode=verify-full.",
        )
    wire.send(codec.AUTHENTICATION_CLEARTEXT_PASSWORD)
    await wire.flush()
    body = Body(await _password_message(wire))
    token = body.string()
    body.end()
    try:
        if await access.token_role(token) != startup.user:
            raise BadToken("it is another user's")
    except BadToken as error:
        raise AuthenticationFailed(
            f'token authentication failed for user "{startup.user}"', detail=f"Of the token: {error.message}."
        ) from None


async def _password_message(wire: Wire) -> bytes:
    kind, body = await wire.read_message(codec.SMALL_MESSAGE)
    if kind != FrontendKind.PASSWORD:
        raise ProtocolViolation(f"expected SASL response, got message type {kind}")
    return bytes(body)
