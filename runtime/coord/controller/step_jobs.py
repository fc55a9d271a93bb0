"""Large steps of installed dataflows as Spark jobs: asked for by a replica, run, and answered.

The replica has written what the job needs, and takes over what it leaves: nothing is committed here.  A job ends with
the replica's connection, and with the dataflow; when it fails, the replica makes the step itself.
"""

from __future__ import annotations

import asyncio
import logging

from ...config import Settings
from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...replica.protocol import RunJob, StepEnded, StepJob
from ...supervision import Supervisor
from .jobs import Jobs
from .replicas import ReplicaClient

logger = logging.getLogger(__name__)


class StepJobs:
    """Everything here runs on the coordinator's event loop."""

    def __init__(self, jobs: Jobs, settings: Settings, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._jobs = jobs
        self._settings = settings
        self._running: dict[tuple[str, GlobalId], asyncio.Task[None]] = {}

    def start(self, replica: ReplicaClient, message: StepJob) -> None:
        """Begins the job, unless the dataflow has been dropped or has failed; returns at once."""
        if message.id not in replica.installed or message.id in replica.failed:
            return
        self.cancel(replica, message.id)
        task = self._supervisor.run(f"step of {message.id}", self._run(replica, message))
        key = replica.id, message.id
        self._running[key] = task
        replica.tasks.add(task)  # which are cancelled when it goes away

        def done(ended: asyncio.Task[None]) -> None:
            replica.tasks.discard(ended)
            if self._running.get(key) is ended:
                del self._running[key]

        task.add_done_callback(done)

    def cancel(self, replica: ReplicaClient, id: GlobalId) -> None:
        """The dataflow is not on the replica any more."""
        if (task := self._running.pop((replica.id, id), None)) is not None:
            task.cancel()

    async def _run(self, replica: ReplicaClient, message: StepJob) -> None:
        def make(job_id: int) -> RunJob:
            return RunJob(
                job_id=job_id,
                pool=replica.cluster,
                plan=message.plan,
                as_of=message.step.lower,
                imports=(),
                output_shard=None,
                index_key=(),
                answer_bytes=None,
                directory=message.directory,
                partitions=self._settings.job_partitions,
                step=message.step,
            )

        try:
            finished = await self._jobs.run(make, "step", message.id)
            ended = StepEnded(message.id, message.number, finished.state, finished.errors)
        except PtvcError as error:
            logger.warning("the replica makes a large step of %s itself: %s", message.id, error.message)
            ended = StepEnded(message.id, message.number, error=error.message)
        except Exception as error:  # the dataflow must not wait for an answer that never comes
            logger.exception("a large step of %s failed", message.id)
            ended = StepEnded(message.id, message.number, error=f"internal error: {error!r}")
        replica.send(ended)
