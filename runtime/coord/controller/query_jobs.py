"""Large one-off queries as Spark jobs.

The tasks leave the rows in files, which are read here, some at a time, as the client takes them, and removed.  A query
that is cancelled cancels its job.

Rows that COPY is to write as files stay where they are, if they are many: a second job has a task for each file of the answer, which
writes files of its own.  It begins when the answer is whole, so that by then nothing can go wrong with the rows, and each
task has a fixed file to read.  If a row of one file is taken away by another, the query runs once more, with equal rows in one place.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import AsyncIterator, Callable, Iterator

from ...compute.duck.relations import is_sql
from ...compute.lower import lower
from ...compute.plan import DataflowPlan
from ...compute.shared_files import SharedFiles
from ...compute.spark.answer import read_answer
from ...compute.spark.compaction import brought_together
from ...config import Settings
from ...errors import COLLECTION_ERROR_HINT, PtvcError, ReplicaUnavailable
from ...expr.tree.relation import LetRec, Relation
from ...expr.tree.relation_tree import walk
from ...replica.protocol import Import, JobFinished, RunJob, RunTasks
from ...repr.batch import Batch, concat_batches
from ...repr.consolidate import consolidate
from ...storage.export.tasks import AnswerFile, FileWriting, WrittenFile, WrittenFiles
from ..catalog.catalog import Catalog
from ..results.results import TaskFiles
from ..storage.parts import row_count
from ..thread_pool import EVALUATION
from .jobs import Jobs

logger = logging.getLogger(__name__)


class ResultTooLarge(PtvcError):
    """What a query asked for is more than one answer may be."""

    sqlstate = "53400"


DUCKDB_FACTOR = 20
"""A query that DuckDB computes is a job's work from so many times as many rows on: it reads them from mapped files."""

ANSWERS = "answers"
"""The name of the folder of answers, each in a folder of its own."""

UNLIMITED = 1 << 62
"""Bytes of an answer that no session is sent, and of which no more than some rows at a time are in memory."""


class QueryJobs:
    """Answers are among `files`; what a predecessor has left of them is removed."""

    def __init__(self, jobs: Jobs, catalog: Catalog, settings: Settings, files: SharedFiles) -> None:
        self._jobs = jobs
        self._catalog = catalog
        self._settings = settings
        self._files = files
        self._open: set[str] = set()
        shutil.rmtree(files.path(ANSWERS), ignore_errors=True)

    def needs(self) -> Callable[[str], bool]:
        """Whether a file of that name, which was there before this was called, is of an answer that is being made or read."""
        opened = frozenset(self._open)
        return lambda name: "/".join(name.split("/")[:2]) in opened

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
        self,
        relation: Relation,
        time: int,
        sources: tuple[Import, ...],
        cluster: str,
        files: TaskFiles | None = None,
    ) -> AsyncIterator[Batch]:
        """The rows of `relation`, which is optimized, at `time`; raises the error that is among them, if any.  None if they are written
        as `files`."""
        plan, most = lower(relation), self._settings.max_result_bytes
        folders: list[str] = []

        async def answered(plan: DataflowPlan) -> JobFinished:
            def make(job_id: int) -> RunJob:
                folders.append(f"{ANSWERS}/{job_id}")
                self._open.add(folders[-1])
                return RunJob(
                    job_id=job_id,
                    pool=cluster,
                    plan=plan,
                    as_of=time,
                    imports=sources,
                    output_shard=None,
                    index_key=None,
                    answer_bytes=most if files is None else UNLIMITED,
                    directory=folders[-1],
                    partitions=self._settings.job_partitions,
                )

            finished = await self._jobs.run(make, "query")
            _raise_failure(finished)
            return finished

        try:
            finished = await answered(plan)
            large = files is not None and finished.answer_bytes > min(files.least_bytes, most)
            if large and finished.retracts:  # too much to be held together here
                await EVALUATION.run(lambda: self._remove(folders[0]))
                finished = await answered(brought_together(plan))
            if files is None or finished.retracts:
                _check_size(finished, most)
            batches = self._read(finished.answers)
            if finished.retracts:
                # A row and its retraction may come from different tasks.
                yield await EVALUATION.run(
                    lambda: consolidate(concat_batches(relation.schema, list(batches)))
                )
            elif files is not None and _by_tasks(files, finished):
                files.written = await self._written(files, finished.answers, cluster)
            else:
                while (batch := await EVALUATION.run(lambda: next(batches, None))) is not None:
                    yield batch
        finally:
            self._open.difference_update(folders)
            EVALUATION.release(lambda: self._remove(*folders))

    def _read(self, answers: tuple[str, ...]) -> Iterator[Batch]:
        for name in answers:
            self._files.fetch((name,))
            yield from read_answer(self._files.path(name))
            self._files.leave(name)

    def _remove(self, *folders: str) -> None:
        for folder in folders:
            shutil.rmtree(self._files.path(folder), ignore_errors=True)
            try:
                self._files.unpublish(self._files.published(folder))
            except PtvcError as error:
                logger.warning("an answer is removed later: %s", error.message)

    async def _written(
        self, files: TaskFiles, answers: tuple[str, ...], cluster: str
    ) -> tuple[WrittenFile, ...]:
        """Has tasks write the answers.  With the driver the statement ends: what it has begun to write is not written beside that."""
        assert files.writer is not None
        work = FileWriting(files.writer, files.columns)
        items = tuple(AnswerFile(number, name) for number, name in enumerate(answers))
        try:
            finished = await self._jobs.run(lambda job_id: RunTasks(job_id, cluster, work, items), "export")
        except ReplicaUnavailable as lost:
            raise PtvcError(
                f"the files are not written: {lost.message}",
                sqlstate=lost.sqlstate,
                hint="Run the statement again.",
            ) from lost
        written: list[WrittenFile] = []
        for result in finished.results:
            assert isinstance(result, WrittenFiles)
            if result.failure is not None:
                sqlstate, message, hint = result.failure
                raise PtvcError(message, sqlstate=sqlstate, hint=hint)
            written.extend(result.files)
        return tuple(written)


def _raise_failure(finished: JobFinished) -> None:
    if finished.failure is not None:
        sqlstate, message = finished.failure
        raise PtvcError(message, sqlstate=sqlstate, hint=COLLECTION_ERROR_HINT)


def _check_size(finished: JobFinished, most: int) -> None:
    if finished.answer_bytes > most:
        raise ResultTooLarge(
            f"the result of the query is too large: {finished.answer_bytes:,} bytes, the limit is {most:,}",
            hint="Add a LIMIT or a condition, read it in parts, or raise the setting max_result_bytes.",
        )


def _by_tasks(files: TaskFiles, finished: JobFinished) -> bool:
    """Whether it pays: what fits into one file, or comes of one task, is written by one process."""
    return (
        files.writer is not None and len(finished.answers) > 1 and finished.answer_bytes > files.least_bytes
    )
