"""Hydrations of views and indexes over large inputs, as Spark jobs.

A job computes the contents as of one time, and all operator state; the replica goes on from that.  A recursive plan is
never a job's work: a loop runs in one place.  Nor is one that the workers of a replica divide: each makes its own state.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from ...compute.partitioned.placement import undivided
from ...compute.plan import DataflowPlan, recursive
from ...config import Settings
from ...replica.protocol import Import, IndexOutput, JobFinished, RunJob, Updates, ViewOutput
from ..catalog.catalog import Catalog
from ..catalog.items import Index, Maintained
from ..storage.parts import row_count
from .checkpoints import Checkpoints
from .jobs import Jobs
from .replicas import ReplicaClient

logger = logging.getLogger(__name__)


class HydrationJobs:
    """`commit_view` commits an output that did not come from a replica, and lets its readers know."""

    def __init__(
        self,
        jobs: Jobs,
        settings: Settings,
        catalog: Catalog,
        checkpoints: Checkpoints,
        commit_view: Callable[[Updates], Awaitable[None]],
    ) -> None:
        self._jobs = jobs
        self._settings = settings
        self._catalog = catalog
        self._checkpoints = checkpoints
        self._commit_view = commit_view

    def wanted(
        self, replica: ReplicaClient, item: Maintained, plan: DataflowPlan, imports: tuple[Import, ...]
    ) -> bool:
        """Whether reading these inputs is a job's work."""
        rows = sum(row_count(source.snapshot) for source in imports)
        if not plan.imports or rows < self._min_rows(replica) or self.is_divided(replica, item, plan):
            return False
        if recursive(plan):
            logger.info("%s is recursive: its replica hydrates it, not a Spark job", item.full_name)
            return False
        return True

    def is_divided(self, replica: ReplicaClient, item: Maintained, plan: DataflowPlan) -> bool:
        """Whether the workers of the replica divide it."""
        key = item.arranged_by if isinstance(item, Index) else None
        return replica.options.workers > 1 and undivided(plan, key) is None

    def _min_rows(self, replica: ReplicaClient) -> int:
        least = self._catalog.cluster_options(replica.cluster).job_min_rows
        return self._settings.job_min_rows if least is None else least

    async def run(
        self,
        replica: ReplicaClient,
        item: Maintained,
        plan: DataflowPlan,
        as_of: int,
        imports: tuple[Import, ...],
        output: ViewOutput | IndexOutput,
    ) -> JobFinished:
        """Contents as of `as_of` and all operator state, computed by Spark.  The contents of a view are committed
        here, unless a predecessor has; those of an index are a part of the state."""
        self._checkpoints.forget(item.id, replica.name)
        directory = self._checkpoints.directory(item.id, replica.name)
        shard = output.shard if isinstance(output, ViewOutput) and output.upper <= as_of else None

        def make(job_id: int) -> RunJob:
            logger.info("hydrating %s by Spark job %d", item.full_name, job_id)
            self._jobs.hydrations[item.id] = job_id
            return RunJob(
                job_id=job_id,
                pool=replica.cluster,
                plan=plan,
                as_of=as_of,
                imports=imports,
                output_shard=shard,
                index_key=output.key if isinstance(output, IndexOutput) else None,
                answer_bytes=None,
                directory=f"{directory}/{job_id}",
                partitions=self._settings.job_partitions,
            )

        async def commit(finished: JobFinished) -> None:
            if shard is not None:
                assert isinstance(output, ViewOutput)
                await self._commit_view(Updates(item.id, output.upper, as_of + 1, finished.output))

        return await self._jobs.run(make, "hydration", item.id, commit)
