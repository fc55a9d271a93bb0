"""Processes: the driver says what it runs on, and starts and stops replicas.  Who dials in has said who it is in the handshake."""

from __future__ import annotations

from dataclasses import dataclass, field

from .addresses import TcpAddress, UnixAddress


@dataclass(frozen=True, slots=True)
class DriverHello:
    """The driver's first message."""

    pid: int
    spark_version: str
    master: str


@dataclass(frozen=True, slots=True)
class StartReplica:
    """To the driver: run a resident task for this replica, which dials `address`, and proves there that it knows `secret`; `epoch` fences
    older attempts.  The replica is `workers` processes."""

    replica: str
    epoch: int
    address: UnixAddress | TcpAddress
    secret: bytes = field(repr=False)
    workers: int = 1


@dataclass(frozen=True, slots=True)
class StopReplica:
    replica: str


def replica_writer(replica: str, epoch: int, attempt: int) -> str:
    """The name under which a replica's attempt writes blobs."""
    return f"replica-{replica}-{epoch}-{attempt}"
