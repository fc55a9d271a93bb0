"""Where the coordinator listens for the driver and for replicas."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnixAddress:
    """A socket of this machine, which only its owner may open."""

    path: str


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """Behind TLS; `certificate` is the SHA-256 of that which the listener shows, in DER."""

    host: str
    port: int
    certificate: bytes


ControlAddress = UnixAddress | TcpAddress
