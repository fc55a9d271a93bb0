"""Large one-off queries as Spark jobs.

The tasks leave the rows in files, which are read here, some at a time, as the client takes them, and removed.  A query
that is cancelled cancels its job.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

from ...compute.duck.relations import is_sql
from ...compute.lower import lower
from ...compute.spark.answer import read_answer
from ...config import Settings
from ...errors import COLLECTION_ERROR_HINT, PtvcError
from ...expr.tree.relation import LetRec, Relation
from ...expr.tree.relation_tree import walk
from ...replica.protocol import Import, JobFinished, RunJob
from ...repr.batch import Batch, concat_batches
from ...repr.consolidate import consolidate
from ..catalog.catalog import Catalog
from ..storage.parts import row_count
from ..thread_pool import EVALUATION
from .jobs import Jobs


class ResultTooLarge(PtvcError):
    """What a query asked for is more than one answer may be."""

    sqlstate = "53400"


DUCKDB_FACTOR = 20
"""A query that DuckDB computes is a job's work from so many times as many rows on: it reads them from mapped files."""


class QueryJobs:
    """`directory` receives the answers; what a predecessor has left there is removed."""

    def __init__(self, jobs: Jobs, catalog: Catalog, settings: Settings, directory: Path) -> None:
        self._jobs = jobs
        self._catalog = catalog
        self._settings = settings
        self._directory = directory
        shutil.rmtree(directory, ignore_errors=True)

    def wanted(self, relation: Relation, cluster: str, sources: tuple[Import, ...]) -> bool:
        """Whether a query that reads all of `sources` is a job's work.  A recursive one is not: a loop runs in one
        place."""
        if any(isinstance(node, LetRec) for node in walk(relation)):
            return False
        least = self._catalog.cluster_options(cluster).job_min_rows
        if least is None:
            least = self._settings.query_job_min_rows
        rows = sum(row_count(source.snapshot) for source in sources)
        if not sources or rows < least:
            return False
        return rows >= DUCKDB_FACTOR * least or rows < self._settings.duckdb_min_rows or not is_sql(relation)

    async def rows(
        self, relation: Relation, time: int, sources: tuple[Import, ...], cluster: str
    ) -> AsyncIterator[Batch]:
        """The rows of `relation`, which is optimized, at `time`; raises the error that is among them, if any."""
        plan = lower(relation)
        directory = self._directory

        def make(job_id: int) -> RunJob:
            nonlocal directory
            directory = self._directory / str(job_id)
            return RunJob(
                job_id=job_id,
                pool=cluster,
                plan=plan,
                as_of=time,
                imports=sources,
                output_shard=None,
                index_key=None,
                answer_bytes=self._settings.max_result_bytes,
                directory=str(directory),
                partitions=self._settings.job_partitions,
            )

        try:
            finished = await self._jobs.run(make, "query")
            self._check(finished)
            batches = (batch for path in finished.answers for batch in read_answer(Path(path)))
            if finished.retracts:
                # A row and its retraction may come from different tasks.
                yield await EVALUATION.run(
                    lambda: consolidate(concat_batches(relation.schema, list(batches)))
                )
            else:
                while (batch := await EVALUATION.run(lambda: next(batches, None))) is not None:
                    yield batch
        finally:
            EVALUATION.release(lambda: shutil.rmtree(directory, ignore_errors=True))

    def _check(self, finished: JobFinished) -> None:
        if finished.failure is not None:
            sqlstate, message = finished.failure
            raise PtvcError(message, sqlstate=sqlstate, hint=COLLECTION_ERROR_HINT)
        most = self._settings.max_result_bytes
        if finished.answer_bytes > most:
            raise ResultTooLarge(
                f"the result of the query is too large: {finished.answer_bytes:,} bytes, the limit is {most:,}",
                hint="Add a LIMIT or a condition, read it in parts, or raise the setting max_result_bytes.",
            )
