"""A large step as a Spark job: the hydration of a dataflow, level by level.

```
work items -> level 0 -> repartitionById -> level 1 -> repartitionById -> ... -> reports
```

The plan is cut at its exchanges (`plan.levels`); between levels travel the rows of `exchange`, a task runs one partition
of one level (`level_task`), and only names and counts come back.  State is left as run files, which a resident task maps;
the view's contents as parts, which the coordinator commits.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession

from ...expr.relation import GlobalId
from ...persist.blob.file import FileBlob
from ...persist.part import PartRef
from ...persist.write import write_parts
from ...repr.batch import Batch, Delta, concat_batches, empty_batch, from_ipc
from ...repr.schema import ERROR_SCHEMA
from ..operators.counts import Counts, occurs
from ..plan import levels
from ..run_file import write_run
from .exchange import ARROW_SCHEMA, REPORT, ROW_SCHEMA
from .level_task import Hydration, LevelTask, Report, WorkItem

SPLIT_ROWS = 50_000
"""A part is divided among tasks in pieces of no fewer rows: every task that has a piece decodes the whole part."""

_Rows = Iterator[pa.RecordBatch]


@dataclass(slots=True)
class HydrationResult:
    """What the tasks have written, by (node, spine) the state, and how many rows they have read."""

    parts: list[PartRef] = field(default_factory=list)
    state: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    rows_read: int = 0


def hydrate(
    spark: SparkSession,
    job: Hydration,
    imports: Sequence[tuple[GlobalId, Sequence[PartRef]]],
    pool: str,
    group: str,
) -> HydrationResult:
    """Runs the job over the parts of each import and gathers what its tasks report, in order of partition.

    Raises whatever made a task fail for good.
    """
    context = spark.sparkContext
    context.setLocalProperty("spark.scheduler.pool", pool)
    context.setJobGroup(group, f"hydrate {job.output_shard}", interruptOnCancel=True)
    frame = spark.createDataFrame(_work(job.partitions, imports), ROW_SCHEMA)
    for level in range(len(levels(job.plan))):
        frame = frame.repartitionById(job.partitions, "pid").mapInArrow(_task(job, level), ROW_SCHEMA)
    result = HydrationResult()
    errors: list[Batch] = []
    rows = frame.toArrow().sort_by("pid")
    for payload in rows["payload"].to_pylist():
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


def _task(job: Hydration, level: int) -> Callable[[_Rows], _Rows]:
    """The function that Spark calls for every partition of a level."""

    def run(batches: _Rows) -> _Rows:
        context = TaskContext.get()
        assert context is not None
        yield from LevelTask(job, level, context.partitionId(), context.taskAttemptId()).run(batches)

    return run


def _work(partitions: int, imports: Sequence[tuple[GlobalId, Sequence[PartRef]]]) -> pa.Table:
    """Pieces of parts dealt out to the tasks of level 0, the largest first, each to the one that has least."""
    items = [item for id_, parts in imports for part in parts for item in _pieces(id_, part, partitions)]
    load = [0] * partitions
    rows = [(pid, REPORT, b"") for pid in range(partitions)]
    for item in sorted(items, key=lambda i: -(i.part.rows // i.pieces)):
        pid = load.index(min(load))
        load[pid] += item.part.rows // item.pieces + 1
        rows.append((pid, 0, pickle.dumps(item)))
    return pa.Table.from_arrays(
        [
            pa.array(values, type_)
            for values, type_ in zip(zip(*rows, strict=True), ARROW_SCHEMA.types, strict=True)
        ],
        schema=ARROW_SCHEMA,
    )


def _pieces(id: GlobalId, part: PartRef, partitions: int) -> Iterator[WorkItem]:
    pieces = max(1, min(partitions, part.rows // SPLIT_ROWS))
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
