"""A large step as a Spark job: the hydration of a dataflow, level by level.

```
work items -> shuffle -> level 0 -> shuffle -> level 1 -> ... -> reports
```

The plan is cut at its exchanges (`plan.levels`); between levels travel the rows of `exchange`, a task runs one partition
of one level (`level_task`), and only names and counts come back.  State is left as run files, which a resident task maps;
the view's contents as parts, which the coordinator commits.

Rows are few and large, and Spark only moves them: so this is a chain of RDDs, not of DataFrames, which saves 4 s of CPU
for a SQL session at the start and the planning of every job.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pyspark import RDD, SparkContext, TaskContext

from ...expr.relation import GlobalId
from ...persist.blob.file import FileBlob
from ...persist.part import PartRef
from ...persist.write import write_parts
from ...repr.batch import Batch, Delta, concat_batches, empty_batch, from_ipc
from ...repr.schema import ERROR_SCHEMA
from ..operators.counts import Counts, occurs
from ..plan import levels
from ..run_file import write_run
from .exchange import REPORT, Row
from .level_task import Hydration, LevelTask, Report, WorkItem

SPLIT_ROWS = 50_000
"""Parts are not divided into smaller pieces than this: every task that has a piece decodes the whole part."""


@dataclass(slots=True)
class HydrationResult:
    """What the tasks have written, by (node, spine) the state, and how many rows they have read."""

    parts: list[PartRef] = field(default_factory=list)
    state: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    rows_read: int = 0


def hydrate(
    context: SparkContext,
    job: Hydration,
    imports: Sequence[tuple[GlobalId, Sequence[PartRef]]],
    pool: str,
    group: str,
) -> HydrationResult:
    """Runs the job over the parts of each import and gathers what its tasks report, in order of partition.

    Raises whatever made a task fail for good.
    """
    context.setLocalProperty("spark.scheduler.pool", pool)
    context.setJobGroup(group, f"hydrate {job.output_shard}", interruptOnCancel=True)
    rows: RDD[Row] = context.parallelize(_work(job.partitions, imports), job.partitions)
    for level in range(len(levels(job.plan))):
        rows = rows.partitionBy(job.partitions, _itself).mapPartitions(_task(job, level))
    result = HydrationResult()
    errors: list[Batch] = []
    for _, (_, payload) in sorted(rows.collect()):
        report: Report = pickle.loads(payload)
        result.parts.extend(report.parts)
        result.rows_read += report.rows_read
        for node, name, path in report.state:
            result.state.setdefault((node, name), []).append(path)
        if report.errors is not None:
            errors.append(from_ipc(report.errors))
    if errors:
        _finish_errors(job, errors, result)
    return result


def _itself(pid: int) -> int:
    """Rows say themselves where they belong."""
    return pid


def _task(job: Hydration, level: int) -> Callable[[Iterable[Row]], Iterator[Row]]:
    """The function that Spark calls for every partition of a level."""

    def run(rows: Iterable[Row]) -> Iterator[Row]:
        context = TaskContext.get()
        assert context is not None
        yield from LevelTask(job, level, context.partitionId(), context.taskAttemptId()).run(rows)

    return run


def _work(partitions: int, imports: Sequence[tuple[GlobalId, Sequence[PartRef]]]) -> list[Row]:
    """Pieces of parts dealt out to the tasks of level 0, the largest first, each to the one that has least."""
    share = max(SPLIT_ROWS, sum(part.rows for _, parts in imports for part in parts) // partitions)
    items = [item for id_, parts in imports for part in parts for item in _pieces(id_, part, share)]
    load = [0] * partitions
    rows: list[Row] = [(pid, (REPORT, b"")) for pid in range(partitions)]
    for item in sorted(items, key=lambda i: -(i.part.rows // i.pieces)):
        pid = load.index(min(load))
        load[pid] += item.part.rows // item.pieces + 1
        rows.append((pid, (0, pickle.dumps(item))))
    return rows


def _pieces(id: GlobalId, part: PartRef, share: int) -> Iterator[WorkItem]:
    """The part, divided when it is more than one task's share of all rows."""
    pieces = max(1, round(part.rows / share))
    for piece in range(pieces):
        yield WorkItem(id, part, piece, pieces)


def _finish_errors(job: Hydration, errors: list[Batch], result: HydrationResult) -> None:
    """Errors of all tasks as one set: their state, and the part that puts the view in error."""
    counts = Counts(ERROR_SCHEMA)
    errs = counts.update(concat_batches(ERROR_SCHEMA, errors), occurs)
    node = len(job.plan.nodes)
    for index, run in enumerate(counts.spine.runs):
        path = Path(job.state_directory) / f"{node}-errs-{index}.run"
        write_run(path, run)
        result.state.setdefault((node, "errs"), []).append(str(path))
    if job.output_shard is not None:
        delta = Delta(empty_batch(job.plan.schema), errs)
        blob = FileBlob(Path(job.blobs))
        result.parts.extend(write_parts(blob, job.output_shard, job.plan.schema, delta, writer=job.writer))
