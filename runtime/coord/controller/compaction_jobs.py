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
from dataclasses import dataclass

from ...compute.spark.compaction import compaction_plan
from ...config import Settings
from ...errors import PtvcError, ReplicaUnavailable
from ...expr.tree.relation import GlobalId
from ...replica.protocol import JobFinished, RunJob
from ...retry import Backoff, Pauses
from ...supervision import Supervisor
from ..storage.storage import Storage
from ..storage.upkeep import LargeMerge
from .jobs import Jobs

logger = logging.getLogger(__name__)

BACKOFF = Backoff(first_s=5.0, longest_s=300.0)


@dataclass(slots=True)
class _Failed:
    """A merge of a shard is tried again `at` (of the loop's clock), and then after the next of `pauses`."""

    pauses: Pauses
    at: float


class CompactionJobs:
    """Everything here runs on the coordinator's event loop."""

    def __init__(self, jobs: Jobs, storage: Storage, settings: Settings, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._jobs = jobs
        self._storage = storage
        self._settings = settings
        self._running: LargeMerge | None = None
        self._task: asyncio.Task[None] | None = None
        self._failed: dict[str, _Failed] = {}
        self.waiting: set[str] = set()
        """Where there is, or may be, something to be merged by a job, though nothing is written there any more."""

    def busy(self) -> LargeMerge | None:
        """The batches that are being merged: no other merge may take any of them meanwhile."""
        return self._running

    def offer(self, found: Mapping[str, LargeMerge | None]) -> None:
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
                self._task = self._supervisor.run(f"compaction of {large.id}", self._run(large))
                self._task.add_done_callback(self._ended)
                return

    def cancel(self, id: GlobalId, shard: str | None) -> None:
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
        self.waiting.add(self._running.shard)  # there may be more
        self._running = self._task = None

    async def _run(self, large: LargeMerge) -> None:
        try:
            await self._jobs.run(
                lambda job_id: self._job(job_id, large),
                "compaction",
                large.id,
                lambda finished: self._replace(large, finished),
            )
            self._failed.pop(large.shard, None)
        except ReplicaUnavailable as error:
            logger.debug("the compaction of %s waits: %s", large.id, error.message)
        except PtvcError as error:
            logger.warning("cannot compact %s: %s", large.id, error.message)
            self._try_later(large.shard)
        except Exception:
            logger.exception("cannot compact %s", large.id)
            self._try_later(large.shard)

    def _try_later(self, shard: str) -> None:
        failed = self._failed.get(shard)
        pauses = Pauses(BACKOFF) if failed is None else failed.pauses
        self._failed[shard] = _Failed(pauses, asyncio.get_running_loop().time() + pauses.endless())

    def _job(self, job_id: int, large: LargeMerge) -> RunJob:
        source = large.source
        return RunJob(
            job_id=job_id,
            pool=None,
            plan=compaction_plan(large.id, source.schema),
            as_of=source.as_of,
            imports=(source,),
            output_shard=large.shard,
            index_key=None,
            answer_bytes=None,
            directory="",
            partitions=self._settings.job_partitions,
            merge_upper=source.upper,
        )

    async def _replace(self, large: LargeMerge, finished: JobFinished) -> None:
        replaced = await self._storage.replace_merged(large, finished.output)
        logger.info(
            "Spark job %d has merged %d batches of %s%s",
            finished.job_id,
            large.batches,
            large.shard,
            "" if replaced else ", which are not there any more",
        )
