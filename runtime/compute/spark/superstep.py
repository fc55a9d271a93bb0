"""A large step as Spark jobs, level by level.

```
work items -> level 0 -> driver -> level 1 -> driver -> ... -> reports
```

The plan is cut at its exchanges (`plan.levels`); between levels travel the rows of `exchange`, a task runs one partition
of one level (`level_task`), and only names and counts come back.  State is left as run files, which a resident task maps;
the view's contents as parts, which the coordinator commits.

A level is a job of Spark of one stage.  What its tasks send passes through the driver, which is quicker than a shuffle, as large
payloads are in files, and what passes are their names (`payload_file`).  So the driver knows how much a level takes in: one
that takes in little is run here, without Spark, which takes some 40 ms for a level of any size.  A join may make much of little:
what is not done here in a moment is Spark's after all.

Where a level feeds a join, its tasks have reported how many rows the keys have.  If some key is hot (`hot_keys`), they are run again,
knowing it.  The same holds for a query's top k.

Rows are few and large, and Spark only moves them: so this is RDDs, not DataFrames, which saves 4 s of CPU
for a SQL session at the start and the planning of every job.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, count, pairwise
from pathlib import Path
from threading import Timer

from pyspark import RDD, SparkContext, TaskContext
from pyspark.accumulators import Accumulator, AccumulatorParam

from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...interrupt import Interrupt, interruptible
from ...persist.location import open_blob
from ...persist.part import PartRef
from ...persist.write import write_parts
from ...repr.batch import Batch, Delta, concat_batches, empty_batch, from_ipc
from ...repr.schema import ERROR_SCHEMA
from ..memory import hand_back
from ..operators.counts import Counts, occurs
from ..operators.reductions.combine import can_be_cut
from ..plan import JoinOp
from ..run_file import read_stored, write_run
from .exchange import REPORT, WORK, Row
from .hot_keys import find, splittable
from .job import Answer, Facts, Job, Report, Step, StepItem, WorkItem
from .level_task import Knowledge, LevelTask
from .node_directory import task_files
from .payload_file import payload_folder, payload_size
from .permit import granted, working_under
from .topology import Topology

SPLIT_ROWS = 50_000
"""Parts are not divided into smaller pieces than this: every task that has a piece decodes the whole part."""

HERE_S = 0.25
"""For so long at most a level is run by the driver, where it holds other jobs up and uses one core."""

TaskId = tuple[int, int]
"""(level, partition)."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job has come: rows read of `rows`, whole levels done of `levels`, and `tasks_done` of `tasks`."""

    rows_read: int
    rows: int
    levels_done: int
    levels: int
    tasks_done: int
    tasks: int


@dataclass(slots=True)
class JobResult:
    """The names of what the tasks have written, by (node, spine) the state; the errors of the output; and what they have reported,
    in order of level and partition."""

    parts: list[PartRef] = field(default_factory=list)
    state: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    index: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    errors: Batch = field(default_factory=lambda: empty_batch(ERROR_SCHEMA))
    reports: list[Report] = field(default_factory=list)

    @property
    def rows_read(self) -> int:
        return sum(report.rows_read for report in self.reports)

    @property
    def bytes_sent(self) -> int:
        """Of payload, between levels."""
        return sum(report.bytes_sent for report in self.reports)


class _Merged(AccumulatorParam[dict[TaskId, Facts]]):
    """The latest facts of each task: one that is run again says the same once more."""

    def zero(self, value: dict[TaskId, Facts]) -> dict[TaskId, Facts]:
        return {}

    def addInPlace(self, value1: dict[TaskId, Facts], value2: dict[TaskId, Facts]) -> dict[TaskId, Facts]:
        value1.update(value2)
        return value1


class JobRun:
    """One job on its way; `progress` may be asked for from another thread."""

    def __init__(self, context: SparkContext, job: Job) -> None:
        self._context = context
        self._job = job
        self._topology = Topology(job.plan, first=job.step is None)
        self._facts: Accumulator[dict[TaskId, Facts]] = context.accumulator({}, _Merged())
        self._attempts = count(-1, -1)

    def run(self, imports: Sequence[tuple[GlobalId, Sequence[PartRef]]], pool: str, group: str) -> JobResult:
        """Runs the job over the parts of each import (a step knows its changes) and gathers what its tasks report.

        Raises whatever made a task fail for good.
        """
        self._context.setLocalProperty("spark.scheduler.pool", pool)
        self._context.setJobGroup(group, f"step of {self._job.writer}", interruptOnCancel=True)
        with granted_to(self._job):
            return gather(self._job, self._levels(work_rows(self._job, imports)))

    def _levels(self, rows: list[Row]) -> list[Row]:
        """What the last level sends, from what the first is to read."""
        job, topology, known = self._job, self._topology, Knowledge({})
        for level in range(len(topology.levels)):
            sent = self._level(level, known, rows)
            if feeds(job, topology, level):
                learned = learn(job, topology, level, known, self._level_facts(level))
                if learned != known:
                    known = learned
                    sent = self._level(level, known, rows)
            rows = sent
        return rows

    def _level(self, level: int, known: Knowledge, rows: list[Row]) -> list[Row]:
        """From the rows for a level to those that it sends."""
        partitions = self._job.partitions
        work: list[list[Row]] = [[] for _ in range(partitions)]
        for row in rows:
            work[row[0]].append(row)
        if is_small(self._job, self._topology, level, rows):
            with suppress(_TakesLong):
                return self._here(level, known, work)
        # One element in each partition: where they are to be, without a shuffle.
        arrived: RDD[Row] = self._context.parallelize(work, partitions).mapPartitions(chain.from_iterable)
        return arrived.mapPartitions(_task(self._job, level, known, self._facts)).collect()

    def _here(self, level: int, known: Knowledge, work: list[list[Row]]) -> list[Row]:
        """The tasks of a level, one after the other.  Raises _TakesLong; what they have written by then nobody knows of."""
        sent: list[Row] = []
        interrupt = Interrupt()
        patience = Timer(HERE_S, interrupt.set, (_TakesLong("a level takes long in the driver"),))
        patience.daemon = True
        patience.start()
        try:
            with _permitted(self._job, interrupt):
                for partition, rows in enumerate(work):

                    def tell(facts: Facts, partition: int = partition) -> None:
                        self._facts.add({(level, partition): facts})

                    attempt, files = next(self._attempts), self._job.files.here()
                    task = LevelTask(self._job, level, partition, attempt, known, tell, files)
                    sent.extend(task.run(rows))
        finally:
            patience.cancel()
            hand_back()
        return sent

    def _level_facts(self, level: int) -> list[Facts]:
        return [facts for (at, _), facts in sorted(self._facts.value.items()) if at == level]

    @property
    def progress(self) -> Progress:
        """Of the tasks that have ended."""
        reported = dict(self._facts.value)
        partitions, levels = self._job.partitions, len(self._topology.levels)
        done = [sum(at == level for at, _ in reported) for level in range(levels)]
        return Progress(
            sum(facts.rows_read for facts in reported.values()),
            self._job.rows,
            sum(tasks == partitions for tasks in done),
            levels,
            len(reported),
            levels * partitions,
        )


@contextmanager
def granted_to(job: Job) -> Iterator[None]:
    """What the tasks need is there inside: their permit, and the folder of what they send."""
    with (
        nullcontext() if job.permit is None else granted(Path(job.permit)),
        nullcontext() if job.payloads is None else payload_folder(job.files.here(), job.payloads),
    ):
        yield


class _TakesLong(PtvcError):
    """Where a level is run by the driver."""


def _permitted(job: Job, interrupt: Interrupt) -> AbstractContextManager[None]:
    """Work inside ends when `interrupt` is set, or the job is canceled."""
    return interruptible(interrupt) if job.permit is None else working_under(Path(job.permit), interrupt)


def is_small(job: Job, topology: Topology, level: int, rows: Sequence[Row]) -> bool:
    """Whether a level, for which there are these rows, takes in so little that it probably need not be Spark's."""
    if level in topology.import_level.values():
        return False
    if job.step is not None and job.files.blobs is not None:
        return False  # the state is elsewhere
    taken_in = 0
    for _, (port, sent) in rows:
        if port >= 0 and topology.level_of[topology.edges[port].consumer] == level:
            taken_in += payload_size(sent)
    return taken_in <= job.small_bytes


def feeds(job: Job, topology: Topology, level: int) -> bool:
    """Whether anything must be known of what a level sends before it is read."""
    if job.partitions == 1 or job.step is not None:
        return False
    readers = [topology.consumer(port) for port in topology.leaving(level)]
    joins = job.rows >= job.hot_rows and any(map(splittable, readers))
    return joins or any(can_be_cut(node.op, kept=job.keeps_state) for node in readers)


def learn(job: Job, topology: Topology, level: int, known: Knowledge, facts: Sequence[Facts]) -> Knowledge:
    """What is known when a level has run.  It is to run again if that is more than before.

    The keys of a join are split as its first inputs are sent; those of an input that comes from a later level are
    not counted any more.
    """
    uncut = known.uncut.union(*(fact.uncut for fact in facts))
    hot = dict(known.hot)
    for id_ in {topology.edges[port].consumer for port in topology.leaving(level)}:
        node = job.plan.nodes[id_]
        sent_earlier = any(topology.level_of[producer] < level for producer in node.inputs)
        if isinstance(node.op, JoinOp) and splittable(node) and not sent_earlier:
            ports = [topology.port(node, index) for index in (0, 1)]
            found = find(node.op, ports, facts, job.partitions, job.hot_rows)
            if found is not None:
                hot[id_] = found
    if hot.keys() == known.hot.keys() and uncut == known.uncut:
        return known
    return replace(known, hot=hot, uncut=uncut)


def gather(job: Job, rows: Iterable[Row]) -> JobResult:
    """What the tasks of the last level have passed on."""
    result = JobResult()
    reports: list[Report] = [pickle.loads(payload) for _, (_, payload) in rows]
    result.reports = sorted(reports, key=lambda report: (report.level, report.partition))
    errors: list[Batch] = []
    for report in result.reports:
        result.parts.extend(report.parts)
        for node, name, file in report.state:
            result.state.setdefault((node, name), []).append(file)
        if report.index is not None:
            result.index.append(report.index)
        if report.answer is not None:
            result.answers.append(report.answer)
        if report.errors is not None:
            errors.append(from_ipc(report.errors))
    if errors:
        _finish_errors(job, errors, result)
    return result


def work_rows(job: Job, imports: Sequence[tuple[GlobalId, Sequence[PartRef]]]) -> list[Row]:
    """What the tasks are to read."""
    rows = [(pid, (REPORT, b"")) for pid in range(job.partitions)]
    work = _dealt_out(job, imports) if job.step is None else _shares(job.partitions, job.step)
    return rows + [(pid, (WORK, pickle.dumps(item))) for pid, item in work]


def _dealt_out(
    job: Job, imports: Sequence[tuple[GlobalId, Sequence[PartRef]]]
) -> Iterator[tuple[int, WorkItem]]:
    """Pieces of parts, the largest first, each to the task that has least to read at its level."""
    read_at = Topology(job.plan).import_level
    share = max(SPLIT_ROWS, sum(part.rows for _, parts in imports for part in parts) // job.partitions)
    items = [item for id_, parts in imports for part in parts for item in _pieces(id_, part, share)]
    loads = {level: [0] * job.partitions for level in read_at.values()}
    for item in sorted(items, key=lambda i: -(i.part.rows // i.pieces)):
        load = loads[read_at[item.id]]
        pid = load.index(min(load))
        load[pid] += item.part.rows // item.pieces + 1
        yield pid, item


def _shares(partitions: int, step: Step) -> Iterator[tuple[int, StepItem]]:
    """Equal shares of the changes of every import; errors stay together."""
    for changes in step.changes:
        if changes.oks is not None:
            bounds = [changes.rows * pid // partitions for pid in range(partitions + 1)]
            for pid, (start, stop) in enumerate(pairwise(bounds)):
                if stop > start:
                    yield pid, StepItem(changes.id, changes.oks, start, stop, False)
        if changes.errs is not None:
            yield 0, StepItem(changes.id, changes.errs, 0, changes.errors, True)


def _pieces(id: GlobalId, part: PartRef, share: int) -> Iterator[WorkItem]:
    """The part, divided when it is more than one task's share of all rows."""
    pieces = max(1, round(part.rows / share))
    for piece in range(pieces):
        yield WorkItem(id, part, piece, pieces)


def _task(
    job: Job, level: int, known: Knowledge, reported: Accumulator[dict[TaskId, Facts]]
) -> Callable[[Iterable[Row]], Iterator[Row]]:
    """The function that Spark calls for every partition of a level."""
    # A permit is on this machine: elsewhere Spark ends the worker of a task that is cancelled.
    job = replace(job, permit=None) if job.files.blobs is not None else job

    def run(rows: Iterable[Row]) -> Iterator[Row]:
        context = TaskContext.get()
        assert context is not None
        partition, attempt = context.partitionId(), context.taskAttemptId()

        def tell(facts: Facts) -> None:
            reported.add({(level, partition): facts})

        with _permitted(job, Interrupt()):
            files = task_files(job.files)
            yield from LevelTask(job, level, partition, attempt, known, tell, files).run(rows)
        hand_back()  # the worker waits a minute for another task before it goes

    return run


def _finish_errors(job: Job, errors: list[Batch], result: JobResult) -> None:
    """Errors of all tasks as one set: their state, and the part that puts the view in error."""
    counts = Counts(ERROR_SCHEMA)
    node, files = len(job.plan.nodes), job.files.here()
    if job.step is not None:
        before = job.step.base.get((node, "errs"), ())
        counts.spine.stand_on(read_stored(files, before))
        for stored in before:
            files.leave(stored.name)  # it is mapped
    result.errors = counts.update(concat_batches(ERROR_SCHEMA, errors), occurs)
    if not job.keeps_state:
        return
    for index, run in enumerate(counts.spine.added):
        name = f"{job.directory}/{node}-errs-{index}.run"
        write_run(files.new(name), run)
        files.publish((files.path(name),))
        result.state.setdefault((node, "errs"), []).append(name)
    if job.output_shard is not None:
        delta = Delta(empty_batch(job.plan.schema), result.errors)
        blob = open_blob(job.blobs)
        result.parts.extend(write_parts(blob, job.output_shard, job.plan.schema, delta, writer=job.writer))
