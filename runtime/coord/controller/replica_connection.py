"""One connection of a replica: what it says, in the order in which it does, and who deals with it.

```
Append, Checkpointed ─── Outputs         Ingest ─── Ingests          SinkProgress ─── SinkFrontiers
StepJob ─── StepJobs                     ReadShares ─── SourceJobs          PeekRows, PeekFailed ─── Answers          LookedUp ─── LookUps
Hydrated, Status ─── Statuses            StateLost, SinkBehind ─── Installer
```
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass

from ...errors import PtvcError
from ...replica.protocol import (
    Append,
    Checkpointed,
    DataflowStatistics,
    Hydrated,
    Incoming,
    Ingest,
    IngestProgress,
    LookedUp,
    MachineSilent,
    Message,
    PeekFailed,
    PeekRows,
    ProtocolError,
    ReadShares,
    ReplicaProcesses,
    SinkBehind,
    SinkProgress,
    StateLost,
    Status,
    StepJob,
)
from ..storage.collections import Failure
from ..storage.storage import Storage
from .clusters import Clusters
from .ingests import Ingests
from .installation import Installation
from .installer import Installer
from .output_commits import Outputs
from .replicas import SUBSCRIPTION, ReplicaClient
from .sink_frontiers import SinkFrontiers
from .source_jobs import SourceJobs
from .statuses import Statuses
from .step_jobs import StepJobs

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReplicaConnection:
    """`spawn` runs something to its end beside, whatever becomes of the connection."""

    replica: ReplicaClient
    incoming: Incoming
    writer: asyncio.StreamWriter
    outputs: Outputs
    ingests: Ingests
    clusters: Clusters
    installation: Installation
    installer: Installer
    storage: Storage
    sinks: SinkFrontiers
    statuses: Statuses
    steps: StepJobs
    reads: SourceJobs
    spawn: Callable[[Coroutine[None, None, None]], asyncio.Task[None]]

    async def run(self) -> None:
        """Until the replica goes away, or has another connection."""
        committer = self.spawn(self.outputs.run())
        try:
            while (message := await self.incoming.receive()) is not None and self.replica.owns(self.writer):
                if isinstance(message, Append | Checkpointed):
                    await self.outputs.put(message)
                elif isinstance(message, LookedUp):
                    self.replica.looked_up(message)
                elif isinstance(message, PeekRows | PeekFailed):
                    await self.replica.answered(message)
                else:
                    self._handle(message)
        finally:
            committer.cancel()

    def _handle(self, message: Message) -> None:
        replica = self.replica
        match message:
            case StepJob():
                self.steps.start(replica, message)
            case ReadShares():
                self.reads.start(replica, message)
            case StateLost(id=id_, reason=reason):
                self.installer.install_without_state(replica, id_, reason)
            case Ingest():
                self.spawn(self._ingest(message))
            case IngestProgress():
                self.ingests.progressed(message)
            case Hydrated():
                self.installation.hydrated(replica, message)
            case Status(state="failed"):
                self._failed(message)
            case Status(id=id_, state=state, reason=reason):
                if state == "stalled":
                    self.storage.release(replica.id, id_)
                self.statuses.set(id_, state, reason)
            case SinkProgress():
                self.sinks.moved(message)
                self.storage.release(replica.id, message.id)  # what it reads from here on, it can read anew
            case SinkBehind(id=id_):
                self.installer.install_again(replica, id_)
            case DataflowStatistics(id=id_):
                if id_ in replica.installed:  # it may have been dropped meanwhile
                    replica.statistics[id_] = message
            case ReplicaProcesses(workers=processes):
                replica.processes = processes
            case MachineSilent(machine=machine):
                replica.silent = (machine,)
            case _:
                raise ProtocolError(f"a replica does not say {type(message).__name__}")

    async def _ingest(self, message: Ingest) -> None:
        with self.reads.committing(self.replica, message):
            await self.ingests.append(message)

    def _failed(self, status: Status) -> None:
        """The replica has given the object up; the object has failed when no other replica maintains it either."""
        replica, id_, reason = self.replica, status.id, status.reason
        if id_.startswith(SUBSCRIPTION):
            error = PtvcError(
                f"the subscription is not maintained any more: {reason}",
                sqlstate=status.sqlstate or "XX000",
                hint=status.hint,
            )
            replica.fail_tail(id_, error)
            return
        replica.failed.add(id_)
        self.steps.cancel(replica, id_)
        self.reads.cancel(replica, id_)
        self.storage.release(replica.id, id_)
        self.outputs.checkpoints.loan_read(id_, replica.name)
        logger.warning("%s failed on replica %s: %s", id_, replica.id, reason)
        if self.clusters.failed(replica.cluster, id_):
            failure = None
            if status.sqlstate is not None:
                failure = Failure(reason or "", status.sqlstate, status.hint)
            self.statuses.set(id_, "failed", reason, failure)
