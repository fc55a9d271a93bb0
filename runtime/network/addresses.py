"""Addresses that a process listens on, and those that clients have: which are this machine's own, and which are one client's."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os

from ..errors import PtvcError


def bind_error(error: OSError, host: str, port: int) -> PtvcError:
    hints = {
        errno.EADDRINUSE: f"Another process listens on port {port}: stop it, or give another port (0 picks a free one).",
        errno.EACCES: "Ports below 1024 need privileges: give a higher port.",
        errno.EADDRNOTAVAIL: "Give an address of this machine, such as 127.0.0.1.",
    }
    number = error.errno if error.errno is not None else 0
    reason = os.strerror(number) if number > 0 else str(error)
    return PtvcError(
        f"cannot listen on {host}:{port}: {reason}",
        sqlstate="08006",
        hint=hints.get(number, "Check the address that the server should listen on."),
    )


def no_port(port: int) -> PtvcError:
    return PtvcError(f"port {port} is not a port", sqlstate="22023", hint="Give a number from 0 to 65535.")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address, or comes from it."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def network_of(host: str | None) -> str:
    """What tells clients apart: an address of IPv4, of IPv6 the first 64 bits, as a client may have all that begin with them.
    Empty of a client that has no address."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return host or ""
    if isinstance(address, ipaddress.IPv6Address):
        if (mapped := address.ipv4_mapped) is not None:
            return str(mapped)
        return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))
    return str(address)


def network_of_peer(transport: asyncio.BaseTransport) -> str:
    """`network_of` who is at the other end; empty on a Unix socket."""
    peer = transport.get_extra_info("peername")
    return network_of(peer[0] if isinstance(peer, tuple) and peer else None)


def from_here(host: str) -> str:
    """The address at which a process of this machine reaches who listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
