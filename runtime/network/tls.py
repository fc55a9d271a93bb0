"""TLS of one connection, apart from its socket: bytes of the peer to plain ones, and back."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

FIRST_BYTE = 0x16
"""Of a connection that begins with TLS: the type of a handshake's record."""
_READ_BYTES = 1 << 18


class TlsConnection:
    """The server's side.  What it has to say to the peer is taken with `to_send`, after each call."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self.established = False
        self.ended = False
        """The peer has said that it sends no more."""

    def received(self, data: bytes) -> bytes:
        """Plain bytes that are whole now.  Raises ssl.SSLError where the peer does not keep to the protocol, or is not trusted."""
        self._incoming.write(data)
        plain: list[bytes] = []
        try:
            if not self.established:
                self._object.do_handshake()
                self.established = True
            while piece := self._object.read(_READ_BYTES):
                plain.append(piece)
            self.ended = True
        except ssl.SSLWantReadError:
            pass
        return b"".join(plain)

    def sealed(self, data: bytes) -> bytes:
        """As it goes to the peer; before the handshake's end nothing does."""
        if self.established:
            self._object.write(data)
        return self.to_send()

    def to_send(self) -> bytes:
        return self._outgoing.read()

    def farewell(self) -> bytes:
        """What tells the peer that no more comes, so that it knows that nothing was cut off."""
        if self.established:
            with suppress(ssl.SSLError):  # the peer's own is not waited for
                self._object.unwrap()
        return self.to_send()

    @property
    def protocol(self) -> str | None:
        """That both have agreed upon (ALPN)."""
        return self._object.selected_alpn_protocol()

    @property
    def version(self) -> str | None:
        return self._object.version()

    @property
    def cipher(self) -> tuple[str, int] | None:
        """Its name, and the bits of its key."""
        found = self._object.cipher()
        return None if found is None else (found[0], found[2])

    @property
    def client(self) -> ClientCertificate | None:
        """That an authority which is trusted has signed; None: the client has shown none."""
        found: Any = self._object.getpeercert()
        if not found:
            return None
        subject = _names(found["subject"])
        common = [value for kind, value in subject if kind == "commonName"]
        return ClientCertificate(
            common[0] if len(common) == 1 else None,
            _in_one_line(subject),
            int(found["serialNumber"], 16),
            _in_one_line(_names(found["issuer"])),
        )


@dataclass(frozen=True, slots=True)
class ClientCertificate:
    """`common_name` is None where there is none, or where there are several.  `subject` and `issuer` are written `/CN=ann/O=us`."""

    common_name: str | None
    subject: str
    serial: int
    issuer: str


def _names(found: Any) -> list[tuple[str, str]]:
    return [(str(kind), str(value)) for part in found for kind, value in part]


def _in_one_line(names: Iterable[tuple[str, str]]) -> str:
    return "".join(f"/{_SHORT.get(kind, kind)}={value}" for kind, value in names)


_SHORT = {
    "commonName": "CN",
    "organizationName": "O",
    "organizationalUnitName": "OU",
    "countryName": "C",
    "stateOrProvinceName": "ST",
    "localityName": "L",
}
