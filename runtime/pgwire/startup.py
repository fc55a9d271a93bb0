"""The handshake: from the first byte to who is asking for what.

SSLRequest and GSSENCRequest are answered `N`; a CancelRequest ends here; a StartupMessage yields a `Startup`.  All of
it, the password included, happens within one deadline, which the caller sets.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import PtvcError, Unsupported
from . import codec
from .codec import Body, FrontendKind, ProtocolViolation
from .contract import PasswordLookup, Trust
from .scram import MECHANISM, ScramServer, fake_secret
from .wire import Wire

STARTUP_LIMIT = 10_000
"""Bytes of a startup packet, as in PostgreSQL."""
CANCEL_CODE = 80877102
SSL_CODE = 80877103
GSSENC_CODE = 80877104
MAJOR = 3
MINOR = 0


@dataclass(frozen=True, slots=True)
class CancelRequest:
    pid: int
    secret: int


@dataclass(frozen=True, slots=True)
class Startup:
    user: str
    database: str
    options: Mapping[str, str]


async def read_startup(wire: Wire) -> Startup | CancelRequest:
    """The client's opening.  Raises PtvcError, to be sent as FATAL."""
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
            wire.send(b"N")
            await wire.flush()
            continue
        return _startup(wire, code, Body(body[4:]))


def _startup(wire: Wire, code: int, body: Body) -> Startup:
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
    return Startup(user, database, settings)


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


async def authenticate(wire: Wire, user: str, passwords: PasswordLookup, fake_key: bytes) -> None:
    """Ask for the password, if the user has one.  Raises PtvcError (28P01) when it is wrong."""
    secret = await passwords(user)
    if isinstance(secret, Trust):
        return
    server = ScramServer(user, secret or fake_secret(user, fake_key))
    wire.send(codec.authentication_sasl([MECHANISM]))
    await wire.flush()
    body = Body(await _password_message(wire))
    mechanism = body.string()
    if mechanism != MECHANISM:
        raise ProtocolViolation("client selected an invalid SASL authentication mechanism")
    size = body.int32()
    if size < 0:
        raise ProtocolViolation("malformed SCRAM message")
    first = body.take(size)
    body.end()
    wire.send(codec.authentication_sasl_continue(server.first(first)))
    await wire.flush()
    wire.send(codec.authentication_sasl_final(server.final(await _password_message(wire))))


async def _password_message(wire: Wire) -> bytes:
    kind, body = await wire.read_message(codec.SMALL_MESSAGE)
    if kind != FrontendKind.PASSWORD:
        raise ProtocolViolation(f"expected SASL response, got message type {kind}")
    return bytes(body)
