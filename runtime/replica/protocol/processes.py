"""Processes: the driver says what it runs on, starts and stops replicas, and why one does not run.  Who dials in has said who it is in the handshake."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...compute.partitioned.totals import WorkerStatistics
from ...compute.shared_files import SharedRoot
from ...config import MOST_WORKERS
from .addresses import TcpAddress, UnixAddress


@dataclass(frozen=True, slots=True)
class DriverHello:
    """The driver's first message."""

    pid: int
    spark_version: str
    master: str


@dataclass(frozen=True, slots=True)
class DriverWelcome:
    """The first message to the driver: where it, and what it starts, find the environment's files."""

    files: SharedRoot


@dataclass(frozen=True, slots=True)
class StartReplica:
    """To the driver: run a resident task for this replica, which takes so many `cores` of an executor, dials `address`, and proves there that
    it knows `secret`; `epoch` fences older attempts.  The replica is `workers` processes, at most `per_machine` of them on one machine: with more
    it takes so many cores of an executor on each."""

    replica: str
    epoch: int
    cores: int
    address: UnixAddress | TcpAddress
    secret: bytes = field(repr=False)
    workers: int = 1
    per_machine: int = MOST_WORKERS


@dataclass(frozen=True, slots=True)
class StopReplica:
    """To the driver: end it.  If it is started again, then rather not on the machines that it has `left`, by their numbers."""

    replica: str
    left: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class MachineSilent:
    """From a replica on several machines, before it ends: nothing comes from workers on that one, by its number."""

    machine: int


@dataclass(frozen=True, slots=True)
class ReplicaProcesses:
    """What the workers of the replica are, in their order: that which leads is the first, or the only one."""

    workers: tuple[WorkerStatistics, ...]


@dataclass(frozen=True, slots=True)
class ReplicaWaits:
    """From the driver: why no task of this replica, started as `epoch`, runs.  `failed`: Spark has given it up, and it is submitted again; otherwise
    it has been waiting for an executor for long."""

    replica: str
    epoch: int
    failed: bool
    reason: str


def replica_writer(replica: str, epoch: int, attempt: int) -> str:
    """The name under which a replica's attempt writes blobs."""
    return f"replica-{replica}-{epoch}-{attempt}"
