"""Merges that are too large for the coordinator's process, as Spark jobs.

Maintenance offers what it has found; one job at a time is run, as maintenance can wait and queries cannot.  The tasks write new
parts from the old ones, and then those take the place of the batches that were read, as after any merge: if these are
not all there any more, the new parts are dropped.  So a job that fails, is run twice or dies with its driver changes
nothing, and what it leaves is garbage.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass

from ...compute.spark.compaction import compaction_plan
from ...config import Settings
from ...errors import PtvcError, ReplicaUnavailable
from ...expr.tree.relation import GlobalId
from ...persist.client import Merge, PersistClient, ShardId
from ...replica.protocol import Import, JobFinished, RunJob
from ...retry import Backoff, Pauses
from .jobs import Jobs

logger = logging.getLogger(__name__)

BACKOFF = Backoff(first_s=5.0, longest_s=300.0)


@dataclass(frozen=True, slots=True)
class LargeMerge:
    """Batches of the stored collection `id`."""

    id: GlobalId
    merge: Merge


@dataclass(slots=True)
class _Failed:
    """A merge of a shard is tried again `at` (of the loop's clock), and then after the next of `pauses`."""

    pauses: Pauses
    at: float


class CompactionJobs:
    """Everything here runs on the coordinator's event loop; batches are replaced on the thread of maintenance, between its
    merges, and between its collections of garbage, which therefore find all parts that are referred to."""

    def __init__(self, jobs: Jobs, persist: PersistClient, settings: Settings, epoch: int) -> None:
        self._jobs = jobs
        self._persist = persist
        self._settings = settings
        self._epoch = epoch
        self._running: LargeMerge | None = None
        self._task: asyncio.Task[None] | None = None
        self._failed: dict[ShardId, _Failed] = {}
        self.waiting: set[ShardId] = set()
        """Where there is, or may be, something to be merged by a job, though nothing is written there any more."""

    def busy(self) -> tuple[ShardId, int] | None:
        """The shard of which batches are being merged, and the time below which they are: no other merge may take any
        of them meanwhile."""
        return (self._running.merge.shard, self._running.merge.upper) if self._running is not None else None

    def offer(self, found: Mapping[ShardId, LargeMerge | None], thread: Executor) -> None:
        """Runs the first of the merges that may be tried now, if none is running, and lets the others wait; returns at
        once.  `found` has the shards that were looked at."""
        self.waiting.difference_update(found)
        self.waiting.update(shard for shard, large in found.items() if large is not None)
        if self._task is not None:
            return
        now = asyncio.get_running_loop().time()
        for shard, large in found.items():
            failed = self._failed.get(shard)
            if large is not None and (failed is None or failed.at <= now):
                self._running = large
                self._task = asyncio.create_task(self._run(large, thread), name=f"compaction of {large.id}")
                self._task.add_done_callback(self._ended)
                return

    def cancel(self, id: GlobalId, shard: ShardId | None) -> None:
        """The collection is dropped."""
        if shard is not None:
            self.waiting.discard(shard)
            self._failed.pop(shard, None)
        if self._running is not None and self._running.id == id:
            self.stop()

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _ended(self, _: asyncio.Task[None]) -> None:
        assert self._running is not None
        self.waiting.add(self._running.merge.shard)  # there may be more
        self._running = self._task = None

    async def _run(self, large: LargeMerge, thread: Executor) -> None:
        merge = large.merge
        try:
            await self._jobs.run(
                lambda job_id: self._job(job_id, large),
                "compaction",
                large.id,
                lambda finished: self._replace(merge, finished, thread),
            )
            self._failed.pop(merge.shard, None)
        except ReplicaUnavailable as error:
            logger.debug("the compaction of %s waits: %s", large.id, error.message)
        except PtvcError as error:
            logger.warning("cannot compact %s: %s", large.id, error.message)
            self._try_later(merge.shard)
        except Exception:
            logger.exception("cannot compact %s", large.id)
            self._try_later(merge.shard)

    def _try_later(self, shard: ShardId) -> None:
        failed = self._failed.get(shard)
        pauses = Pauses(BACKOFF) if failed is None else failed.pauses
        self._failed[shard] = _Failed(pauses, asyncio.get_running_loop().time() + pauses.endless())

    def _job(self, job_id: int, large: LargeMerge) -> RunJob:
        merge = large.merge
        upper = max(merge.upper, merge.since + 1)  # what has been advanced may be later than its batch
        source = Import(large.id, merge.shard, merge.schema, True, merge.since, merge.parts, (), upper)
        return RunJob(
            job_id=job_id,
            pool=None,
            plan=compaction_plan(large.id, merge.schema),
            as_of=merge.since,
            imports=(source,),
            output_shard=merge.shard,
            index_key=None,
            answer_bytes=None,
            directory="",
            partitions=self._settings.job_partitions,
            merge_upper=upper,
        )

    async def _replace(self, merge: Merge, finished: JobFinished, thread: Executor) -> None:
        loop = asyncio.get_running_loop()
        replaced = await loop.run_in_executor(
            thread, lambda: self._persist.replace(merge, finished.output, epoch=self._epoch)
        )
        logger.info(
            "Spark job %d has merged %d batches of %s%s",
            finished.job_id,
            len(merge.batches),
            merge.shard,
            "" if replaced else ", which are not there any more",
        )
