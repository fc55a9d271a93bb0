"""Spark jobs as the coordinator sees them: asked of the driver, waited for, cancelled, and shown while they run.

`run` awaits a job; if that task is cancelled, so is the job.  Ended jobs are kept for a while.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count

from ...errors import PtvcError, ReplicaLost, ReplicaUnavailable
from ...expr.tree.relation import GlobalId
from ...replica.protocol import CancelJob, JobFinished, JobProgress, Message, RunJob, RunTasks

logger = logging.getLogger(__name__)

SAY_EVERY_MS = 10_000
"""So often the log says how far a job has come."""

REMEMBERED = 100
"""Ended jobs that are still shown."""


@dataclass(frozen=True, slots=True)
class JobEntry:
    """`kind` is hydration, step, query, compaction, source or export; `object_id` what is hydrated, stepped, compacted or read; `status` running,
    finished, failed or canceled; `said_ms` when the log last said how far it has come.  A compaction is of no cluster."""

    id: int
    kind: str
    cluster: str | None
    object_id: GlobalId | None
    status: str
    started_ms: int
    rows: int
    said_ms: int
    progress: JobProgress | None = None
    seconds: float | None = None
    error: str | None = None

    @property
    def percent(self) -> float:
        """Reading counts for the first level, ended tasks for the others, and where nobody knows how many rows there are."""
        progress = self.progress
        if self.status == "finished":
            return 100.0
        if progress is None or not progress.levels:
            return 0.0
        if not progress.rows:
            return 100.0 * progress.tasks_done / progress.tasks
        width = progress.tasks / progress.levels
        read = min(1.0, progress.rows_read / progress.rows)
        later = max(0.0, progress.tasks_done - width) / width
        return 100.0 * min(read + later, progress.levels) / progress.levels


class Jobs:
    """Everything here runs on the coordinator's event loop.

    `send` delivers a message to the driver and raises ReplicaUnavailable when there is none.
    """

    def __init__(self, epoch: int, send: Callable[[Message], None], now_ms: Callable[[], int]) -> None:
        self._send = send
        self._now_ms = now_ms
        # Unique over all coordinators of the environment: they name the writers of blobs.
        self._ids = count((epoch << 32) + 1)
        self._waiting: dict[int, asyncio.Future[JobFinished]] = {}
        self._unsettled: Counter[int] = Counter()
        self._entries: dict[int, JobEntry] = {}
        self._ended: deque[JobEntry] = deque(maxlen=REMEMBERED)
        self.hydrations: dict[GlobalId, int] = {}
        """The last job that has hydrated each object."""

    async def run(
        self,
        make: Callable[[int], RunJob | RunTasks],
        kind: str,
        object_id: GlobalId | None = None,
        then: Callable[[JobFinished], Awaitable[None]] | None = None,
    ) -> JobFinished:
        """Runs a job, and `then` what makes its output last; raises when either fails.  Cancelled with the task that
        waits for it."""
        job_id = next(self._ids)
        command = make(job_id)
        rows = command.rows
        self._send(command)
        with self.settling(job_id):
            finished = await self._wait(command, kind, object_id, rows)
            if then is not None:
                await then(finished)
            return finished

    @contextmanager
    def settling(self, job_id: int) -> Iterator[None]:
        """What the job has written is kept while something inside makes it last."""
        self._unsettled[job_id] += 1
        try:
            yield
        finally:
            self._unsettled[job_id] -= 1
            if not self._unsettled[job_id]:
                del self._unsettled[job_id]

    async def _wait(
        self, command: RunJob | RunTasks, kind: str, object_id: GlobalId | None, rows: int
    ) -> JobFinished:
        job_id = command.job_id
        future: asyncio.Future[JobFinished] = asyncio.get_running_loop().create_future()
        self._waiting[job_id] = future
        now = self._now_ms()
        self._entries[job_id] = JobEntry(
            job_id, kind, command.pool, object_id, "running", now, rows, said_ms=now
        )
        status, error = "failed", None
        try:
            finished = await future
            error = finished.error
            if error is not None:
                raise PtvcError(f"Spark job {job_id} failed: {error}")
            status = "finished"
            return finished
        except asyncio.CancelledError:
            status = "canceled"
            self._cancel(job_id)
            raise
        except ReplicaUnavailable as lost:
            error = lost.message
            raise
        finally:
            del self._waiting[job_id]
            entry = self._entries.pop(job_id)
            seconds = (self._now_ms() - entry.started_ms) / 1000
            self._ended.append(replace(entry, status=status, seconds=seconds, error=error))

    def _cancel(self, job_id: int) -> None:
        try:
            self._send(CancelJob(job_id))
        except ReplicaUnavailable:
            return  # the driver is gone, and the job with it

    def finished(self, message: JobFinished) -> None:
        if (future := self._waiting.get(message.job_id)) is not None and not future.done():
            future.set_result(message)

    def progressed(self, message: JobProgress) -> None:
        if (entry := self._entries.get(message.job_id)) is None:
            return
        now = self._now_ms()
        says = now - entry.said_ms >= SAY_EVERY_MS
        entry = replace(entry, progress=message, said_ms=now if says else entry.said_ms)
        self._entries[message.job_id] = entry
        if says:
            read, rows = message.rows_read, message.rows
            logger.info(
                "Spark job %d (%s): %.0f %%, %s of %s rows read",
                *(entry.id, entry.kind, entry.percent, f"{read:,}", f"{rows:,}"),
            )

    def driver_ended(self) -> None:
        """No job runs any more."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ReplicaLost("the driver ended while a job was running"))

    def unsettled(self) -> tuple[int, ...]:
        """Jobs whose blobs nothing may refer to yet: they run, or what they wrote is being committed."""
        return tuple(self._unsettled)

    def running_ms(self) -> int:
        """How long the longest of the jobs has been running: what they read may have been replaced since."""
        now = self._now_ms()
        return max((now - entry.started_ms for entry in self._entries.values()), default=0)

    def entries(self) -> Iterator[JobEntry]:
        """The jobs that run, and those that ended last."""
        yield from self._ended
        yield from self._entries.values()

    def of(self, object_id: GlobalId) -> JobEntry | None:
        """The running job that hydrates an object."""
        for entry in self._entries.values():
            if entry.object_id == object_id and entry.kind == "hydration":
                return entry
        return None
