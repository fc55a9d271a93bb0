"""Jobs in the driver, asked for by the coordinator, run on Spark, reported back: a hydration, step, query or compaction, or tasks that know
nothing of each other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import Any

from ..compute.narrow_imports import narrow_imports
from ..compute.run_store import INDEX_RUNS
from ..compute.shared_files import SharedRoot
from ..compute.spark.application import Application
from ..compute.spark.broadcast import broadcast
from ..compute.spark.first_paths import first_paths
from ..compute.spark.job import Job
from ..compute.spark.node_directory import task_files
from ..compute.spark.superstep import JobResult, Progress
from ..expr.tree.relation import GlobalId
from ..repr.batch import to_ipc
from ..repr.schema import ERROR_SCHEMA, Schema
from ..storage.export.tasks import AnswerFile, FileWriting, WrittenFiles
from .protocol import (
    JobFinished,
    JobProgress,
    RunJob,
    RunTasks,
    StateRuns,
    job_payloads,
    job_writer,
)

PARTITION_ROWS = 4_000_000
"""A task holds the rows of its partition in memory, so there are more partitions than cores for larger inputs."""

PARTITION_BYTES = 256 << 20
"""Likewise where rows are wide: of encoded parts."""

MAINTENANCE_POOL = "maintenance"

PROGRESS_INTERVAL_S = 0.25


def default_partitions(rows: int, nbytes: int, cores: int) -> int:
    """Tasks per level for an input of so many rows and encoded bytes, where so many cores may run them."""
    return max(cores, -(-rows // PARTITION_ROWS), -(-nbytes // PARTITION_BYTES))


def run_job(
    app: Application, command: RunJob, blobs: str, root: SharedRoot, send: Callable[[JobProgress], None]
) -> JobFinished:
    """Runs a job on the blobs at a URL, and says now and then how far it is; raises what made it fail."""
    started = monotonic()
    files = root.here()
    if command.directory:
        files.path(command.directory).mkdir(parents=True, exist_ok=True)
    rows, group = command.rows, job_writer(command.job_id)
    partitions = command.partitions or default_partitions(rows, command.nbytes, app.job_cores)
    plan = command.plan
    columns: dict[GlobalId, tuple[int, ...]] = {}
    copies: dict[int, frozenset[str]] = {}
    if command.step is None:  # of a step, the changes are on file as they came, and state lies by the keys
        plan, columns = narrow_imports(plan)
        sizes = {source.id: sum(part.rows for part in source.snapshot) for source in command.imports}
        plan, copies = broadcast(first_paths(plan, sizes), sizes, partitions)
    job = Job(
        plan=plan,
        as_of=command.as_of,
        schemas=_schemas(command),
        blobs=blobs,
        directory=command.directory,
        writer=job_writer(command.job_id),
        partitions=partitions,
        rows=rows,
        columns=columns,
        copies=copies,
        output_shard=command.output_shard,
        index_key=command.index_key,
        answer_bytes=command.answer_bytes,
        step=command.step,
        merge_upper=command.merge_upper,
        permit=str(app.permit(group)),
        payloads=job_payloads(command.job_id),
        files=root,
    )
    imports = [(source.id, source.snapshot) for source in command.imports]
    run = app.job_run(job)
    try:
        with _reported(command.job_id, lambda: run.progress, send):
            result = run.run(imports, command.pool or MAINTENANCE_POOL, group)
    finally:
        if command.directory:
            files.leave(command.directory)
    return _finished(command, result, monotonic() - started)


def run_tasks(
    app: Application, command: RunTasks, root: SharedRoot, send: Callable[[JobProgress], None]
) -> JobFinished:
    """As `run_job`."""
    started = monotonic()
    group, count = job_writer(command.job_id), len(command.items)
    asked = command.work
    work: Callable[[Any], Any] = (
        partial(_write_answer, root, asked) if isinstance(asked, FileWriting) else asked
    )
    run = app.tasks_run(work, command.items, group, root)

    def progress() -> Progress:
        done = run.done
        return Progress(0, 0, done // count, 1, done, count)

    with _reported(command.job_id, progress, send):
        results = run.run(command.pool or MAINTENANCE_POOL, group)
    return JobFinished(command.job_id, (), (), 0, monotonic() - started, results=tuple(results))


def _write_answer(root: SharedRoot, work: FileWriting, answer: AnswerFile) -> WrittenFiles:
    """In a task."""
    files = task_files(root)
    files.fetch((answer.name,))
    try:
        return work(answer.number, files.path(answer.name))
    finally:
        files.leave(answer.name)


def _schemas(command: RunJob) -> dict[GlobalId, Schema]:
    """What rows of each input are read as: a table may have gained columns since the plan was made, and the schema of what is stored says
    what its old rows have in one that it had gained before."""
    schemas = {id_: command.plan.import_schema(id_) for id_ in command.plan.imports}
    stored = {source.id: source.schema.columns[: len(schemas[source.id])] for source in command.imports}
    return schemas | {id_: Schema(columns) for id_, columns in stored.items()}


@contextmanager
def _reported(
    job_id: int, progress: Callable[[], Progress], send: Callable[[JobProgress], None]
) -> Iterator[None]:
    """How far a job has come is sent while it runs inside."""
    ended = threading.Event()
    reporter = threading.Thread(
        target=_report, args=(job_id, progress, ended, send), name=f"progress of job {job_id}"
    )
    reporter.start()
    try:
        yield
    finally:
        ended.set()
        reporter.join()


def _report(
    job_id: int,
    progress: Callable[[], Progress],
    ended: threading.Event,
    send: Callable[[JobProgress], None],
) -> None:
    """Sends the job's progress whenever it has changed, until the job has ended; the last word is JobFinished."""
    last, over = None, False
    while not over:
        over = ended.wait(PROGRESS_INTERVAL_S)
        now = progress()
        if now != last:
            last = now
            try:
                send(
                    JobProgress(
                        job_id,
                        now.rows_read,
                        now.rows,
                        now.levels_done,
                        now.levels,
                        now.tasks_done,
                        now.tasks,
                    )
                )
            except ConnectionError:
                return  # the coordinator is gone, and this driver with it


def _finished(command: RunJob, result: JobResult, seconds: float) -> JobFinished:
    state = [StateRuns(node, name, tuple(files)) for (node, name), files in result.state.items()]
    if result.index:
        state.append(StateRuns(len(command.plan.nodes), INDEX_RUNS, tuple(result.index)))
    failure = None
    if len(result.errors):
        sqlstates, messages = result.errors.columns
        failure = sqlstates[0].as_py(), messages[0].as_py()
    return JobFinished(
        command.job_id,
        tuple(result.parts),
        tuple(state),
        result.rows_read,
        seconds,
        answers=tuple(answer.name for answer in result.answers if answer.name),
        answer_bytes=sum(answer.nbytes for answer in result.answers),
        retracts=any(answer.retracts for answer in result.answers),
        failure=failure,
        errors=to_ipc(ERROR_SCHEMA, result.errors) if command.step is not None and failure else None,
    )
