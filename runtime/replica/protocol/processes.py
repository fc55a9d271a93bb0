"""Who is there: replicas and the driver say hello when they dial in; the driver starts and stops replicas."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReplicaHello:
    replica: str
    epoch: int
    attempt: int
    pid: int


@dataclass(frozen=True, slots=True)
class DriverHello:
    pid: int
    spark_version: str
    master: str


@dataclass(frozen=True, slots=True)
class StartReplica:
    """To the driver: run a resident task for this replica; `epoch` fences older attempts."""

    replica: str
    epoch: int


@dataclass(frozen=True, slots=True)
class StopReplica:
    replica: str


def replica_writer(replica: str, epoch: int, attempt: int) -> str:
    """The name under which a replica's attempt writes blobs."""
    return f"replica-{replica}-{epoch}-{attempt}"
