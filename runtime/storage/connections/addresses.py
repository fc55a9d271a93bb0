"""Where a connection may lead: names are resolved, addresses checked, ports tried.

Addresses that belong to the machine itself in clouds (link-local ones, where credentials are handed out to whoever asks) are refused,
whatever name leads there and however the address is written.  A client is given the address that was checked wherever it takes one,
so that the name cannot mean another one a moment later.
"""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from time import monotonic

from ...interrupt import check_interrupt
from .failures import ConnectionFailed, Step

_LINK_LOCAL = (ip_network("169.254.0.0/16"), ip_network("fe80::/10"))
_METADATA = (ip_address("fd00:ec2::254"),)
_TRANSLATED = ip_network("64:ff9b::/96")
"""IPv4 addresses in IPv6 (NAT64): the last 32 bits."""

Address = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class Addresses:
    """`link_local`: those addresses are allowed."""

    link_local: bool = False

    def reachable(self, host: str, port: int, deadline: float) -> str:
        """An address of the host at which the port accepts a connection, which is closed again.  Raises ConnectionFailed."""
        found = self.resolve(host, port)
        failure: OSError | None = None
        for address in found:
            check_interrupt()
            left = deadline - monotonic()
            if left <= 0:
                failure = TimeoutError()
                break
            try:
                socket.create_connection((address, port), timeout=left).close()
            except OSError as error:
                failure = error
            else:
                return address
        assert failure is not None, "a name that resolves has addresses"
        raise ConnectionFailed(
            Step.CONNECTION,
            f"cannot connect to {shown(host, port)}: {_reason(failure)}",
            detail=f"{host} is {', '.join(found)}." if found != [host] else None,
        )

    def resolve(self, host: str, port: int) -> list[str]:
        """The addresses of the host, all of them allowed."""
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no name"
            raise ConnectionFailed(
                Step.RESOLUTION, f'cannot resolve the name of host "{host}": {reason}'
            ) from None
        found = list(dict.fromkeys(str(info[4][0]) for info in infos))
        for address in found:
            self.check(address, host)
        return found

    def check(self, address: str, host: str) -> None:
        """Raises for one that is not allowed."""
        if not self.link_local and _is_refused(ip_address(address.partition("%")[0])):
            shown_address = "" if address == host else f", which is {address}"
            raise ConnectionFailed(
                Step.POLICY,
                f'connections to "{host}"{shown_address}, are not allowed'
                if shown_address
                else f'connections to "{host}" are not allowed',
                detail="Link-local addresses, where clouds hand out credentials, are refused.",
                hint="ptvc serve --set allow_link_local_connections=1 allows them.",
            )


def shown(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _is_refused(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _TRANSLATED:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return _is_refused(inner)
    return address in _METADATA or any(address in network for network in _LINK_LOCAL)


def _reason(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "it does not answer in time"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    if error.errno in (errno.EHOSTUNREACH, errno.ENETUNREACH):
        return "there is no way to it"
    return error.strerror or type(error).__name__
