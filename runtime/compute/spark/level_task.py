"""One task of a job: one partition of one level.

It takes in what was sent to its partition, runs the operators of its level on that range of key hashes, sends their
outputs on, writes the state of its operators as run files and, where the view's contents come out, those as parts.

A task is deterministic, and whatever it writes bears the attempt's own name: one that Spark runs twice does no harm.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...expr.relation import GlobalId
from ...persist.blob.file import FileBlob
from ...persist.part import PartRef, ShardId
from ...persist.read import read_updates
from ...persist.write import write_parts
from ...repr.batch import NO_ERRORS, Batch, Delta, empty_batch, empty_delta, to_ipc
from ...repr.consolidate import consolidate
from ...repr.schema import ERROR_SCHEMA, Schema
from ..operators.build import NEVER, build
from ..plan import ConstantOp, DataflowPlan, Exchange, Import, Node, ReduceOp, levels
from ..run_file import write_run
from .exchange import REPORT, Row, concat, decode, encode, split


@dataclass(frozen=True, slots=True)
class WorkItem:
    """Rows `[rows * piece // pieces, rows * (piece + 1) // pieces)` of one part of an import, for one task."""

    id: GlobalId
    part: PartRef
    piece: int
    pieces: int


@dataclass(frozen=True, slots=True)
class Hydration:
    """The job: everything that its tasks need to know.  The view's contents are written only if `output_shard`
    names where to."""

    plan: DataflowPlan
    as_of: int
    schemas: dict[GlobalId, Schema]
    blobs: str
    state_directory: str
    output_shard: ShardId | None
    writer: str
    partitions: int


@dataclass(frozen=True, slots=True)
class Report:
    """What one task leaves behind.  `state` is (node, spine name, path), `errors` those of the view (IPC)."""

    parts: tuple[PartRef, ...] = ()
    state: tuple[tuple[int, str, str], ...] = ()
    errors: bytes | None = None
    rows_read: int = 0


@dataclass(frozen=True, slots=True)
class _Edge:
    """One input of one node; its position in the list of edges is its port."""

    producer: int
    consumer: int
    exchange: Exchange


class LevelTask:
    """`attempt` is unique among all tasks that may write to the job's state directory."""

    def __init__(self, job: Hydration, level: int, partition: int, attempt: int) -> None:
        self._job = job
        self._partition = partition
        self._attempt = attempt
        self._blob = FileBlob(Path(job.blobs))
        every = levels(job.plan)
        self._level = level
        self._nodes = every[level]
        self._last = level == len(every) - 1
        self._level_of = {id_: at for at, ids in enumerate(every) for id_ in ids}
        self._edges = [
            _Edge(producer, node.id, by)
            for node in job.plan.nodes
            for producer, by in zip(node.inputs, node.exchange, strict=True)
        ]
        self._first_port: dict[int, int] = {}
        for port, edge in enumerate(self._edges):
            self._first_port.setdefault(edge.consumer, port)
        self._imported: dict[GlobalId, list[Delta]] = {}
        self._received: dict[int, list[Delta]] = {}
        self._outputs: dict[int, Delta] = {}
        self._state: list[tuple[int, str, str]] = []
        self._rows_read = 0

    def run(self, rows: Iterable[Row]) -> Iterator[Row]:
        """From the rows that were sent here to the rows for the next level; after the last level, reports."""
        for _, (port, payload) in rows:
            yield from self._take(port, payload)
        for id_ in self._nodes:
            self._outputs[id_] = self._apply(self._job.plan.nodes[id_])
        for id_ in self._nodes:
            yield from self._send(id_)
        yield from self._finish()

    def _take(self, port: int, payload: bytes) -> Iterator[Row]:
        """Takes in one row, or passes it on if it is for a later level."""
        if port == REPORT:
            if payload:
                yield self._partition, (REPORT, payload)
        elif self._level == 0:
            self._read(pickle.loads(payload))
        elif self._level_of[self._edges[port].consumer] > self._level:
            yield self._partition, (port, payload)
        else:
            schema = self._job.plan.nodes[self._edges[port].producer].schema
            self._received.setdefault(port, []).append(decode(schema, payload, self._job.as_of))

    def _read(self, item: WorkItem) -> None:
        """The contents as of the job's time, not consolidated: equal rows may lie in different parts."""
        as_of, schema = self._job.as_of, self._job.schemas[item.id]
        delta = read_updates(self._blob, (item.part,), schema, 0, as_of + 1)
        start, stop = (len(delta.oks) * i // item.pieces for i in (item.piece, item.piece + 1))
        errs = delta.errs if item.piece == 0 else NO_ERRORS
        self._rows_read += stop - start
        rows = delta.oks.slice(start, stop)
        self._imported.setdefault(item.id, []).append(Delta(_at(rows, as_of), _at(errs, as_of)))

    def _apply(self, node: Node) -> Delta:
        plan = self._job.plan
        if isinstance(node.op, Import):
            return concat(node.schema, self._imported.pop(node.op.id, []))
        inputs = tuple(self._input(node, index) for index in range(len(node.inputs)))
        # A constant, and the one row of an aggregate over everything, exist once: in partition 0.
        alone = isinstance(node.op, ConstantOp) or (isinstance(node.op, ReduceOp) and node.op.scalar)
        first = self._partition == 0
        if not any(inputs) and not (alone and first):
            return empty_delta(node.schema)
        as_of = self._job.as_of
        operator = build(node.op, plan.input_schemas(node), node.schema, as_of if first else NEVER)
        output = operator.step(inputs, as_of, as_of + 1)
        for name, spine in operator.spines().items():
            for index, run in enumerate(spine.runs):
                file = f"{node.id}-{name}-{self._partition}-{self._attempt}-{index}.run"
                path = Path(self._job.state_directory) / file
                write_run(path, run)
                self._state.append((node.id, name, str(path)))
        return output

    def _input(self, node: Node, index: int) -> Delta:
        """What has come on one edge: from this level's own nodes, or through the shuffle."""
        port = self._first_port[node.id] + index
        producer = self._edges[port].producer
        if self._level_of[producer] == self._level:
            return self._outputs[producer]
        return concat(self._job.plan.nodes[producer].schema, self._received.pop(port, []))

    def _send(self, id: int) -> Iterator[Row]:
        """The output of a node, on every edge that leads to a later level.  Errors stay in their partition."""
        output = self._outputs[id]
        schema = self._job.plan.nodes[id].schema
        for port, edge in enumerate(self._edges):
            if edge.producer != id or self._level_of[edge.consumer] == self._level or not output:
                continue
            for pid, oks in split(output.oks, edge.exchange, self._job.partitions, self._partition):
                for payload in encode(schema, Delta(oks, NO_ERRORS)):
                    yield pid, (port, payload)
            for payload in encode(schema, Delta(empty_batch(schema), output.errs)):
                yield self._partition, (port, payload)

    def _finish(self) -> Iterator[Row]:
        """Writes the view's contents, if they are here, reports, and makes sure that the next level runs."""
        plan, shard = self._job.plan, self._job.output_shard
        parts: tuple[PartRef, ...] = ()
        errors = None
        if plan.output in self._nodes:
            output = self._outputs[plan.output]
            if shard is not None:
                oks = Delta(consolidate(output.oks), NO_ERRORS)
                parts = write_parts(self._blob, shard, plan.schema, oks, writer=self._job.writer)
            errs = consolidate(output.errs)
            errors = to_ipc(ERROR_SCHEMA, errs) if len(errs) else None
        report = Report(parts, tuple(self._state), errors, self._rows_read)
        yield self._partition, (REPORT, pickle.dumps(report))
        if not self._last:
            yield self._partition, (REPORT, b"")


def _at(batch: Batch, time: int) -> Batch:
    return Batch(batch.columns, np.full(len(batch), time, np.uint64), batch.diffs)
