"""Dialing the coordinator: a stream to where it listens, and the handshake on it."""

from __future__ import annotations

import hashlib
import hmac
import socket
import ssl
from typing import TYPE_CHECKING

from .addresses import ControlAddress, TcpAddress
from .connection import Connection
from .handshake import CHALLENGE_BYTES, HANDSHAKE_S, PROOF_BYTES, Dialing, Hello, Refused

if TYPE_CHECKING:
    from .tls_stream import TlsStream


def dial(address: ControlAddress, hello: Hello, secret: bytes) -> Connection:
    """A connection on which both ends have proven that they know the secret.  Raises Refused where the coordinator does not
    take this for who it says it is, another OSError where there is none, ProtocolError where it is of another version."""
    if isinstance(address, TcpAddress):
        return Connection(_over_tls(address, hello, secret), keepalive=True)
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


def _over_tls(address: TcpAddress, hello: Hello, secret: bytes) -> TlsStream:
    # Only who is on another machine needs it.
    from .tls_stream import TlsStream

    plain = socket.create_connection((address.host, address.port), HANDSHAKE_S)
    try:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = TlsStream(plain, _context())
        shown = hashlib.sha256(stream.certificate).digest()
        if not hmac.compare_digest(shown, address.certificate):
            raise Refused(f"{address.host}:{address.port} does not show the coordinator's certificate")
        _shake_hands(stream, Dialing(hello, secret, shown))
        stream.watch()
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
    stream.sendall(dialing.answer(_exactly(stream, CHALLENGE_BYTES)))
    dialing.check(_exactly(stream, PROOF_BYTES))


def _exactly(stream: socket.socket | TlsStream, size: int) -> bytes:
    data = b""
    while len(data) < size:
        try:
            piece = stream.recv(size - len(data))
        except TimeoutError:
            raise Refused("the coordinator says nothing") from None
        if not piece:
            raise Refused("the coordinator has closed the connection")
        data += piece
    return data
