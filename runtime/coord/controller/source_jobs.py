"""What a source is to read at once, if it is much, as a Spark job: asked for by its replica, run, answered, and committed as what the
replica has read itself.

```
replica: ReadShares ──> job: tasks write parts ──> SharesRead ──> replica: Ingest, with the parts and the position ──> commit
```

A job ends with the replica's connection, and with the source.  When it fails, the source reads by itself, and says what is wrong.
What a job has written is kept until the replica's commit is settled; if that does not come, it is garbage.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...replica.protocol import Ingest, JobFinished, ReadShares, RunTasks, SharesRead, job_writer
from ...storage.share_reading import WrittenShare
from ...supervision import Supervisor
from .jobs import Jobs
from .replicas import ReplicaClient

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Read:
    """`settled` is set when the replica has answered what the job has read, by a commit or otherwise."""

    task: asyncio.Task[None] | None = None
    settled: asyncio.Event = field(default_factory=asyncio.Event)


class SourceJobs:
    """Everything here runs on the coordinator's event loop.  `blobs` is their URL."""

    def __init__(self, jobs: Jobs, blobs: str, supervisor: Supervisor) -> None:
        self._jobs = jobs
        self._blobs = blobs
        self._supervisor = supervisor
        self._reads: dict[tuple[str, GlobalId], _Read] = {}

    def start(self, replica: ReplicaClient, message: ReadShares) -> None:
        """Begins the job, unless the source has been dropped, or installed anew; returns at once."""
        if replica.sources.get(message.id) != message.installation:
            return
        self.cancel(replica, message.id)
        key = replica.id, message.id
        read = self._reads[key] = _Read()
        read.task = task = self._supervisor.run(f"read of {message.id}", self._run(replica, message, read))
        replica.tasks.add(task)  # which are cancelled when it goes away

        def done(ended: asyncio.Task[None]) -> None:
            replica.tasks.discard(ended)
            if self._reads.get(key) is read:
                del self._reads[key]

        task.add_done_callback(done)

    def cancel(self, replica: ReplicaClient, id: GlobalId) -> None:
        """The source is not on the replica any more."""
        read = self._reads.pop((replica.id, id), None)
        if read is not None and read.task is not None:
            read.task.cancel()

    @contextmanager
    def committing(self, replica: ReplicaClient, message: Ingest) -> Iterator[None]:
        """Inside, what the replica has read is committed: what a job has written for it is kept so long, and no longer."""
        read = self._reads.get((replica.id, message.id))
        try:
            if message.job_id is None:
                yield
            else:
                with self._jobs.settling(message.job_id):
                    yield
        finally:
            if read is not None:
                read.settled.set()

    async def _run(self, replica: ReplicaClient, message: ReadShares, read: _Read) -> None:
        def make(job_id: int) -> RunTasks:
            work = replace(message.reader, blobs=self._blobs, writer=job_writer(job_id))
            return RunTasks(job_id, replica.cluster, work, message.shares)

        async def handed_over(finished: JobFinished) -> None:
            written = tuple(result for result in finished.results if isinstance(result, WrittenShare))
            logger.info("Spark job %d has read %d shares of %s", finished.job_id, len(written), message.id)
            replica.send(SharesRead(message.id, message.installation, finished.job_id, written))
            await read.settled.wait()

        try:
            await self._jobs.run(make, "source", message.id, handed_over)
            return
        except PtvcError as error:
            logger.warning("source %s reads by itself: %s", message.id, error.message)
            reason = error.message
        except Exception as error:  # the source must not wait for an answer that never comes
            logger.exception("a job that reads for source %s failed", message.id)
            reason = f"internal error: {error!r}"
        replica.send(SharesRead(message.id, message.installation, error=reason))
