"""Addresses that a process listens on: which are this machine's own, and what it says where one cannot be had."""

from __future__ import annotations

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


def from_here(host: str) -> str:
    """The address at which a process of this machine reaches who listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
