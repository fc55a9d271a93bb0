"""The connection that a session serves, as other sessions see it: its number, and how it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal


def _nothing() -> None:
    """There is no connection."""


@dataclass(frozen=True, slots=True)
class Encryption:
    """`bits` are of the cipher's key; the last three are of the client's certificate, None where it has shown none."""

    version: str | None
    cipher: str | None
    bits: int | None
    client_dn: str | None = None
    client_serial: Decimal | None = None
    issuer_dn: str | None = None


@dataclass(frozen=True, slots=True)
class Backend:
    """`cancel` ends the statement that runs, `terminate` the connection as well; both may be called at any time.  `address` is the
    client's, with its port; None where it has none.  `encryption` is None where anybody between could read along.  `method` is how
    the client has proved who it is."""

    pid: int = 0
    cancel: Callable[[], None] = _nothing
    terminate: Callable[[], None] = _nothing
    address: tuple[str, int] | None = None
    encryption: Encryption | None = None
    method: str = "trust"


DETACHED = Backend()
"""Of a session without a connection."""
