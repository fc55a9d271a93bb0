"""A large step as a Spark job: the hydration of a dataflow, level by level.

```
work items -> level 0 -> repartitionById -> level 1 -> repartitionById -> ... -> what was written
```

The plan is cut at its exchanges (`plan.levels`).  Between levels travel rows `(pid, port, payload)`: `pid` is the range of
key hashes, and so the partition, that a payload belongs to; `port` the edge of the plan that it travels on; `payload` an
Arrow IPC stream.  A task runs the operators of its level on its range of hashes, sends the outputs on, and writes the
state of its operators as run files, which a resident task maps later.  The last level writes the view's contents as
parts.  Only names and counts come back.

Tasks are deterministic, and what they write is named by task attempt: one that Spark runs twice does no harm.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession

from ...expr.relation import GlobalId
from ...persist.blob.file import FileBlob
from ...persist.part import PartRef, ShardId
from ...persist.read import read_part
from ...persist.write import write_parts
from ...repr.batch import (
    NO_ERRORS,
    Batch,
    Delta,
    Indices,
    concat_batches,
    empty_delta,
    from_ipc,
    to_ipc,
)
from ...repr.buffers import Words
from ...repr.consolidate import consolidate
from ...repr.hash import hash_columns
from ...repr.schema import ERROR_SCHEMA, Schema
from ..operators.build import build
from ..operators.counts import Counts, occurs
from ..plan import ConstantOp, DataflowPlan, Import, Node, ReduceOp, levels
from ..run_file import write_run

ROW_SCHEMA = "pid int, port int, payload binary"
_ROW = pa.schema([("pid", pa.int32()), ("port", pa.int32()), ("payload", pa.binary())])

WAKE = -1
"""The port of a row that only makes sure that its partition runs."""


@dataclass(frozen=True, slots=True)
class WorkItem:
    """Parts of one import for one task of level 0."""

    id: GlobalId
    parts: tuple[PartRef, ...]


@dataclass(frozen=True, slots=True)
class Hydration:
    """The job: everything that its tasks need to know."""

    plan: DataflowPlan
    as_of: int
    schemas: dict[GlobalId, Schema]
    blobs: str
    state_directory: str
    output_shard: ShardId
    writer: str
    partitions: int


@dataclass(frozen=True, slots=True)
class Written:
    """What one task of the job left behind.  `state` is (node, spine name, path)."""

    parts: tuple[PartRef, ...] = ()
    state: tuple[tuple[int, str, str], ...] = ()
    errors: bytes | None = None
    rows_read: int = 0


@dataclass(slots=True)
class HydrationResult:
    """Everything that the tasks have written, and how many rows they have read."""

    parts: list[PartRef] = field(default_factory=list)
    state: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    rows_read: int = 0


@dataclass(frozen=True, slots=True)
class _Edge:
    """One input of one node; its position in the list of edges is its port."""

    producer: int
    consumer: int
    exchange: tuple[int, ...] | None


def hydrate(
    spark: SparkSession, job: Hydration, items: list[WorkItem], pool: str, group: str
) -> HydrationResult:
    """Runs the job and gathers its metadata.  Raises whatever made a task fail for good."""
    context = spark.sparkContext
    context.setLocalProperty("spark.scheduler.pool", pool)
    context.setJobGroup(group, f"hydrate {job.output_shard}", interruptOnCancel=True)
    frame = spark.createDataFrame(_work(job, items), ROW_SCHEMA)
    for level in range(len(levels(job.plan))):
        frame = frame.repartitionById(job.partitions, "pid").mapInArrow(_task(job, level), ROW_SCHEMA)
    result = HydrationResult()
    errors: list[Batch] = []
    for payload in frame.toArrow()["payload"].to_pylist():
        written: Written = pickle.loads(payload)
        result.parts.extend(written.parts)
        result.rows_read += written.rows_read
        for node, name, path in written.state:
            result.state.setdefault((node, name), []).append(path)
        if written.errors is not None:
            errors.append(from_ipc(written.errors))
    if errors:
        _finish_errors(job, errors, result)
    return result


def _work(job: Hydration, items: list[WorkItem]) -> pa.Table:
    """Work items dealt out to the tasks, the largest first to the one that has least."""
    load = [0] * job.partitions
    rows = [(pid, WAKE, b"") for pid in range(job.partitions)]
    single = [WorkItem(item.id, (part,)) for item in items for part in item.parts]
    for item in sorted(single, key=lambda i: -i.parts[0].rows):
        pid = load.index(min(load))
        load[pid] += item.parts[0].rows
        rows.append((pid, 0, pickle.dumps(item)))
    pids, ports, payloads = zip(*rows, strict=True)
    return pa.table([pa.array(pids, pa.int32()), pa.array(ports, pa.int32()), list(payloads)], schema=_ROW)


def _finish_errors(job: Hydration, errors: list[Batch], result: HydrationResult) -> None:
    """Errors of all tasks as one set: their state, and the part that makes the view be in error."""
    counts = Counts(ERROR_SCHEMA)
    errs = counts.update(concat_batches(ERROR_SCHEMA, errors), occurs)
    node = len(job.plan.nodes)
    for index, run in enumerate(counts.spine.runs):
        path = Path(job.state_directory) / f"{node}-errs-{index}.run"
        write_run(path, run)
        result.state.setdefault((node, "errs"), []).append(str(path))
    delta = Delta(empty_delta(job.plan.schema).oks, errs)
    result.parts.extend(
        write_parts(FileBlob(Path(job.blobs)), job.output_shard, job.plan.schema, delta, writer=job.writer)
    )


def _task(job: Hydration, level: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that Spark calls for every partition of a level."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        assert context is not None
        yield from _Task(job, level, context.partitionId(), context.taskAttemptId()).run(batches)

    return run


class _Task:
    """One partition of one level."""

    def __init__(self, job: Hydration, level: int, partition: int, attempt: int) -> None:
        self._job = job
        self._level = level
        self._partition = partition
        self._attempt = attempt
        self._blob = FileBlob(Path(job.blobs))
        self._levels = levels(job.plan)
        self._edges = [
            _Edge(producer, node.id, by)
            for node in job.plan.nodes
            for producer, by in zip(node.inputs, node.exchange, strict=True)
        ]
        self._level_of = {id_: at for at, ids in enumerate(self._levels) for id_ in ids}
        self._received: dict[int, list[Delta]] = {}
        self._outputs: dict[int, Delta] = {}
        self._rows_read = 0
        self._state: list[tuple[int, str, str]] = []

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Takes in what was sent to this partition, runs the level's operators, sends what they put out."""
        last = self._level == len(self._levels) - 1
        imported: dict[GlobalId, list[Delta]] = {}
        for batch in batches:
            for port, payload in zip(batch["port"].to_pylist(), batch["payload"], strict=True):
                if port == WAKE:
                    if payload.as_buffer().size and last:
                        yield _row(0, WAKE, payload.as_py())
                    elif payload.as_buffer().size:
                        yield _row(self._partition, WAKE, payload.as_py())
                elif self._level == 0:
                    self._read(pickle.loads(payload.as_py()), imported)
                elif self._level_of[self._edges[port].consumer] > self._level:
                    yield _row(self._partition, port, payload.as_py())
                else:
                    self._received.setdefault(port, []).append(_decode(payload.as_buffer()))
        for id_ in self._levels[self._level]:
            self._outputs[id_] = self._apply(self._job.plan.nodes[id_], imported)
            yield from self._send(id_)
        yield from self._finish(last)

    def _read(self, item: WorkItem, imported: dict[GlobalId, list[Delta]]) -> None:
        schema = self._job.schemas[item.id]
        for part in item.parts:
            delta = read_part(self._blob, part, schema)
            self._rows_read += len(delta.oks)
            imported.setdefault(item.id, []).append(
                Delta(_at(delta.oks, self._job.as_of), _at(delta.errs, self._job.as_of))
            )

    def _apply(self, node: Node, imported: dict[GlobalId, list[Delta]]) -> Delta:
        plan, as_of = self._job.plan, self._job.as_of
        if isinstance(node.op, Import):
            return _concat(node.schema, imported.get(node.op.id, []))
        alone = isinstance(node.op, ConstantOp) or (isinstance(node.op, ReduceOp) and node.op.scalar)
        inputs = tuple(self._input(node, index) for index in range(len(node.inputs)))
        # A constant, and the one row of a global aggregate, exist once: in partition 0.
        if not any(inputs) and not (alone and self._partition == 0):
            return empty_delta(node.schema)
        if isinstance(node.op, ConstantOp) and self._partition != 0:
            return empty_delta(node.schema)
        operator = build(node.op, plan.input_schemas(node), node.schema, as_of)
        output = operator.step(inputs, as_of, as_of + 1)
        for name, spine in operator.spines().items():
            for index, run in enumerate(spine.runs):
                path = Path(self._job.state_directory) / (
                    f"{node.id}-{name}-{self._partition}-{self._attempt}-{index}.run"
                )
                write_run(path, run)
                self._state.append((node.id, name, str(path)))
        return output

    def _input(self, node: Node, index: int) -> Delta:
        """What has arrived on one edge: from this level's own nodes, or through the shuffle."""
        port = self._port(node, index)
        edge = self._edges[port]
        if self._level_of[edge.producer] == self._level:
            return self._outputs[edge.producer]
        schema = self._job.plan.nodes[edge.producer].schema
        return _concat(schema, self._received.get(port, []))

    def _port(self, node: Node, index: int) -> int:
        first = next(port for port, edge in enumerate(self._edges) if edge.consumer == node.id)
        return first + index

    def _send(self, id: int) -> Iterator[pa.RecordBatch]:
        """The output of a node, to every edge that leads to a later level."""
        output = self._outputs[id]
        if not output:
            return
        schema = self._job.plan.nodes[id].schema
        for port, edge in enumerate(self._edges):
            if edge.producer != id or self._level_of[edge.consumer] == self._level:
                continue
            for pid, oks in self._split(output.oks, edge.exchange):
                yield _row(pid, port, _encode(schema, Delta(oks, NO_ERRORS)))
            if len(output.errs):
                errs = Delta(empty_delta(schema).oks, output.errs)
                yield _row(self._partition, port, _encode(schema, errs))

    def _split(self, batch: Batch, by: tuple[int, ...] | None) -> Iterator[tuple[int, Batch]]:
        """The batch by partition: a range of hashes each."""
        if not len(batch):
            return
        if by is None:
            yield self._partition, batch
        elif not by:
            yield 0, batch
        else:
            hashes = hash_columns([batch.columns[i] for i in by], len(batch))
            pids = partition_of(hashes, self._job.partitions)
            order = np.argsort(pids, kind="stable")
            bounds = np.searchsorted(pids[order], np.arange(self._job.partitions + 1))
            for pid in range(self._job.partitions):
                if bounds[pid] < bounds[pid + 1]:
                    yield pid, batch.take(order[bounds[pid] : bounds[pid + 1]])

    def _finish(self, last: bool) -> Iterator[pa.RecordBatch]:
        """Writes the view's contents, if they are here, and reports; makes sure that the next level runs."""
        plan = self._job.plan
        parts: tuple[PartRef, ...] = ()
        errors = None
        if plan.output in self._outputs:
            output = self._outputs[plan.output]
            oks = Delta(consolidate(output.oks), NO_ERRORS)
            parts = write_parts(
                self._blob, self._job.output_shard, plan.schema, oks, writer=self._job.writer
            )
            if len(output.errs):
                errors = to_ipc(ERROR_SCHEMA, output.errs)
        written = Written(parts, tuple(self._state), errors, self._rows_read)
        if last or written != Written():
            # An empty payload only wakes; a report travels on to the end with its partition.
            yield _row(self._partition, WAKE, pickle.dumps(written))
        if not last:
            yield _row(self._partition, WAKE, b"")


def partition_of(hashes: Words, partitions: int) -> Indices:
    """The partition of each hash: equal ranges, in order, by the upper 32 bits."""
    return ((hashes >> np.uint64(32)) * np.uint64(partitions) >> np.uint64(32)).astype(np.int64)


def _at(batch: Batch, time: int) -> Batch:
    return Batch(batch.columns, np.full(len(batch), time, np.uint64), batch.diffs)


def _concat(schema: Schema, deltas: list[Delta]) -> Delta:
    return Delta(
        concat_batches(schema, [d.oks for d in deltas]), concat_batches(ERROR_SCHEMA, [d.errs for d in deltas])
    )


def _encode(schema: Schema, delta: Delta) -> bytes:
    if len(delta.errs):
        return b"e" + to_ipc(ERROR_SCHEMA, delta.errs)
    return b"o" + to_ipc(schema, delta.oks)


def _decode(payload: pa.Buffer) -> Delta:
    batch = from_ipc(payload.slice(1))
    if payload[0] == ord("e"):
        return Delta(Batch((), batch.times[:0], batch.diffs[:0]), batch)
    return Delta(batch, NO_ERRORS)


def _row(pid: int, port: int, payload: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(
        [pa.array([pid], pa.int32()), pa.array([port], pa.int32()), pa.array([payload], pa.binary())],
        schema=_ROW,
    )
