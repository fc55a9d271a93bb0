"""Dialing: a stream to where the coordinator, or a worker of the same replica, listens, and the handshake on it."""

from __future__ import annotations

import hashlib
import hmac
import socket
import ssl
from typing import TYPE_CHECKING, TypeVar

from .addresses import ControlAddress, TcpAddress
from .connection import Connection
from .handshake import CHALLENGE_BYTES, HANDSHAKE_S, PROOF_BYTES, Dialing, Hello, Refused

if TYPE_CHECKING:
    from .tls_stream import TlsStream

    S = TypeVar("S", bound=TlsStream)


def dial(address: ControlAddress, hello: Hello, secret: bytes) -> Connection:
    """A connection on which both ends have proven that they know the secret.  Raises Refused where the coordinator does not
    take this for who it says it is, another OSError where there is none, ProtocolError where it is of another version."""
    if isinstance(address, TcpAddress):
        # Only who is on another machine needs it.
        from .tls_stream import TlsStream

        secured = dial_tls(address, hello, secret, TlsStream)
        secured.watch()
        return Connection(secured, keepalive=True)
    stream = socket.socket(socket.AF_UNIX)
    try:
        stream.settimeout(HANDSHAKE_S)
        stream.connect(address.path)
        _shake_hands(stream, Dialing(hello, secret))
        stream.settimeout(None)
    except BaseException:
        stream.close()
        raise
    return Connection(stream)


def dial_tls(address: TcpAddress, hello: Hello, secret: bytes, kind: type[S]) -> S:
    """A stream of that kind on which both ends have proven that they know the secret; as `dial`."""
    plain = socket.create_connection((address.host, address.port), HANDSHAKE_S)
    try:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = kind(plain, _context())
        shown = hashlib.sha256(stream.certificate).digest()
        if not hmac.compare_digest(shown, address.certificate):
            raise Refused(f"{address.host}:{address.port} does not show the certificate that it should")
        _shake_hands(stream, Dialing(hello, secret, shown))
    except BaseException:
        plain.close()
        raise
    return stream


def _context() -> ssl.SSLContext:
    """Which authority has signed the certificate does not matter: it is known by its hash."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _shake_hands(stream: socket.socket | TlsStream, dialing: Dialing) -> None:
    stream.sendall(dialing.answer(exactly(stream, CHALLENGE_BYTES)))
    dialing.check(exactly(stream, PROOF_BYTES))


def exactly(stream: socket.socket | TlsStream, size: int) -> bytes:
    """So many bytes of a handshake.  Raises Refused where they do not come."""
    data = b""
    while len(data) < size:
        try:
            piece = stream.recv(size - len(data))
        except TimeoutError:
            raise Refused("the other end says nothing") from None
        if not piece:
            raise Refused("the other end has closed the connection")
        data += piece
    return data
