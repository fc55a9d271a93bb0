"""One task of a job: one partition of one level.

It takes in what was sent to its partition, runs the operators of its level on that range of key hashes, sends their
outputs on, writes the state of its operators as run files and, where the output of the job comes out, that.

A task is deterministic, and whatever it writes bears the attempt's own name: one that Spark runs twice does no harm.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ...expr.tree.relation import GlobalId
from ...interrupt import check_interrupt
from ...persist.location import open_blob
from ...persist.part import PartRef
from ...persist.read import read_updates
from ...persist.write import write_parts
from ...repr.batch import NO_ERRORS, Batch, Delta, empty_batch, empty_delta, to_ipc
from ...repr.consolidate import advance, consolidate
from ...repr.hash import hash_columns
from ...repr.schema import ERROR_SCHEMA, Schema
from ..operators.base import Operator
from ..operators.build import NEVER, build
from ..operators.joins.arrange import Arrange
from ..operators.joins.lookup import Lookup
from ..operators.reductions.combine import Combined, can_be_cut, combine, state_schemas
from ..operators.reductions.reduce import Reduce
from ..plan import (
    ArrangeOp,
    DistinctOp,
    Exchange,
    Import,
    JoinOp,
    LookupOp,
    Mfp,
    Node,
    starts_alone,
)
from ..run import Run
from ..run_file import read_stored, write_run
from ..run_store import StateId
from ..shared_files import SharedFiles
from ..snapshot_join import snapshot_join
from ..spine import Spine
from .answer import write_answer
from .exchange import REPORT, WORK, Row, concat, decode, encode, encode_state, split, state_name
from .hot_keys import HotKeys, heavy, own_share, splittable
from .job import Answer, Facts, Job, Report, Step, StepItem, WorkItem
from .payload_file import PayloadReader, PayloadWriter, least_bytes
from .topology import Edge, Topology


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the driver has found out before a level is run: hot keys by join, and ports on which rows are retracted, so
    that nothing may be cut short."""

    hot: Mapping[int, HotKeys]
    uncut: frozenset[int] = frozenset()


class LevelTask:
    """`attempt` is unique among all tasks that may write to the job's directory; `tell` is called once, at the end.  `files` are the job's,
    as they are found here."""

    def __init__(
        self,
        job: Job,
        level: int,
        partition: int,
        attempt: int,
        known: Knowledge,
        tell: Callable[[Facts], None],
        files: SharedFiles,
    ) -> None:
        self._job = job
        self._files = files
        self._partition = partition
        self._attempt = attempt
        self._known = known
        self._tell = tell
        self._blob = open_blob(job.blobs)
        self._topology = Topology(job.plan, first=job.step is None)
        self._level = level
        self._nodes = self._topology.levels[level]
        self._last = level == len(self._topology.levels) - 1
        self._imported: dict[GlobalId, list[Delta]] = {}
        self._pieces: dict[int, list[Delta]] = {}
        self._received: dict[int, list[Delta]] = {}
        self._states: dict[int, dict[str, list[Batch]]] = {}
        self._outputs: dict[int, Delta] = {}
        self._arrangements: dict[int, Arrange] = {}
        self._state: list[tuple[int, str, str]] = []
        self._written: list[str] = []
        self._reader = PayloadReader(files)
        self._writer = PayloadWriter(files, self._payload_name(), least_bytes(files, job.partitions))
        self._rows_read = self._rows_in = self._bytes_sent = 0
        self._sent: dict[int, int] = {}
        self._heavy: dict[int, dict[int, int]] = {}
        self._uncut: set[int] = set()
        self._rows_sent: dict[tuple[int, Exchange], list[tuple[int, bytes]]] = {}

    def run(self, rows: Iterable[Row]) -> Iterator[Row]:
        """From the rows that were sent here to the rows for the next level; after the last level, reports."""
        rows = list(rows)
        self._reader.expect(sent for _, (port, sent) in rows if port >= 0 and self._is_for_here(port))
        try:
            for _, (port, payload) in rows:
                check_interrupt()
                yield from self._take(port, payload)
        finally:
            self._reader.close()
        for id_ in self._nodes:
            check_interrupt()
            self._outputs[id_] = self._apply(self._job.plan.nodes[id_])
        for port in self._topology.leaving(self._level):
            for pid, sent in self._send(port):
                yield pid, (port, sent)
        self._writer.close()
        check_interrupt()
        yield from self._finish()
        rows_out = sum(len(output.oks) for output in self._outputs.values())
        self._tell(Facts(self._rows_read, rows_out, self._sent, self._heavy, frozenset(self._uncut)))

    # -- in --

    def _take(self, port: int, sent: bytes) -> Iterator[Row]:
        """Takes in one row, or passes it on if it is for a later level."""
        topology = self._topology
        if port == REPORT:
            if sent:
                yield self._partition, (REPORT, sent)
            return
        if port == WORK:
            item = pickle.loads(sent)
            if self._level == topology.import_level[item.id]:
                self._read(item)
            else:
                yield self._partition, (WORK, sent)
            return
        if not self._is_for_here(port):
            yield self._partition, (port, sent)
            return
        payload = self._reader.get(sent)
        if (name := state_name(payload)) is not None:
            node = topology.consumer(port)
            schema = state_schemas(node.op, topology.schema(port))[name]
            batch = decode(schema, payload, self._job.as_of).oks
            self._rows_in += len(batch)
            self._states.setdefault(node.id, {}).setdefault(name, []).append(batch)
        else:
            delta = decode(topology.schema(port), payload, self._job.as_of)
            self._rows_in += len(delta.oks)
            self._received.setdefault(port, []).append(delta)

    def _is_for_here(self, port: int) -> bool:
        """Whether what travels there is for this level, and no later one."""
        return self._topology.level_of[self._topology.edges[port].consumer] <= self._level

    def _read(self, item: WorkItem | StepItem) -> None:
        """The contents as of the job's time, not consolidated: equal rows may lie in different parts.  Or updates."""
        if isinstance(item, StepItem):
            updates = read_stored(self._files, (item.file,))[0].batch.slice(item.start, item.stop)
            self._rows_read += 0 if item.errors else len(updates)
            nothing = empty_batch(self._job.schemas[item.id])
            delta = Delta(nothing, updates) if item.errors else Delta(updates, NO_ERRORS)
            self._imported.setdefault(item.id, []).append(delta)
            return
        as_of, schema, columns = self._job.as_of, self._job.schemas[item.id], self._job.columns.get(item.id)
        delta = read_updates(self._blob, (item.part,), schema, 0, self._job.upper, columns)
        start, stop = (len(delta.oks) * i // item.pieces for i in (item.piece, item.piece + 1))
        errs = delta.errs if item.piece == 0 else NO_ERRORS
        self._rows_read += stop - start
        rows = delta.oks.slice(start, stop)
        self._imported.setdefault(item.id, []).append(Delta(advance(rows, as_of), advance(errs, as_of)))

    def _input(self, node: Node, index: int) -> Delta:
        """What has come on one edge: from this level's own nodes, or through the shuffle."""
        port = self._topology.port(node, index)
        producer = self._topology.edges[port].producer
        if self._topology.level_of[producer] == self._level:
            return self._outputs[producer]
        return concat(self._topology.schema(port), self._received.pop(port, []))

    # -- operators --

    def _apply(self, node: Node) -> Delta:
        plan, as_of = self._job.plan, self._job.as_of
        if isinstance(node.op, Import):
            pieces = self._imported.pop(node.op.id, [])
            if self._only_mapped(node):
                self._pieces[node.id] = pieces
                return empty_delta(node.schema)
            return concat(node.schema, pieces)
        if isinstance(node.op, Mfp) and (found := self._pieces.pop(node.inputs[0], None)) is not None:
            operator = build(node.op, plan.input_schemas(node), node.schema, NEVER)
            steps = [operator.step((piece,), as_of, self._job.upper) for piece in found if piece]
            return concat(node.schema, steps)
        inputs = tuple(self._input(node, index) for index in range(len(node.inputs)))
        states = self._states.pop(node.id, {})
        if self._job.step is not None:
            return self._go_on(self._job.step, node, inputs, states)
        # A constant, and the one row of an aggregate over everything, exist once: in partition 0.
        alone = starts_alone(node.op)
        first = self._partition == 0
        if not any(inputs) and not states and not (alone and first):
            return empty_delta(node.schema)
        if node.id in self._topology.silent:
            return Delta(empty_batch(node.schema), inputs[0].errs)
        if isinstance(node.op, JoinOp) and not self._job.keeps_state:
            return snapshot_join(node.op, plan.input_schemas(node), node.schema, inputs)
        if isinstance(node.op, ArrangeOp) and node.op.index is not None:
            return inputs[0]  # an index has these rows: nothing is left for the replica
        if isinstance(node.op, LookupOp):
            # The errors of what is looked up come by the path that begins there.
            inputs = (inputs[0], Delta(inputs[1].oks, NO_ERRORS))
        operator = build(node.op, plan.input_schemas(node), node.schema, as_of if first else NEVER)
        if isinstance(operator, Arrange):
            self._arrangements[node.id] = operator
        elif isinstance(operator, Lookup) and (held := self._arrangements.get(node.inputs[1])) is not None:
            operator.read(held)
            inputs = inputs[:1]
        if states:
            inputs = (_with_sums(operator, inputs[0], states),)
        output = operator.step(inputs, as_of, self._job.upper)
        if self._job.keeps_state:
            self._keep(node, operator)
        return output

    def _only_mapped(self, node: Node) -> bool:
        """Whether one node reads an import, and maps and filters it here: then what it reads need not be put together before."""
        ports = self._topology.ports_of(node.id)
        readers = [self._topology.consumer(port) for port in ports]
        return node.id != self._job.plan.output and [
            isinstance(reader.op, Mfp) and self._topology.level_of[reader.id] == self._level
            for reader in readers
        ] == [True]

    def _go_on(
        self, step: Step, node: Node, inputs: tuple[Delta, ...], states: dict[str, list[Batch]]
    ) -> Delta:
        """The step of one operator, from the state that the dataflow has.

        All of that is at hand, mapped: operators look up in it what the rows here need, and nothing else is read.
        """
        if isinstance(node.op, ArrangeOp) and node.op.index is not None:
            return inputs[
                0
            ]  # it is no state: an index has these rows, or the replica takes them in by itself
        given = inputs[:1] if isinstance(node.op, LookupOp) else inputs
        if not any(given) and not states:
            return empty_delta(node.schema)
        operator = build(node.op, self._job.plan.input_schemas(node), node.schema, NEVER)
        if isinstance(operator, Lookup):
            operator.read(self._arranged(step, node, inputs[1]))
        for name, spine in operator.spines().items():
            spine.stand_on(self._mapped(step, (node.id, name)))
        if states:
            given = (_with_sums(operator, given[0], states),)
        output = operator.step(given, step.lower, step.upper)
        for name, spine in operator.spines().items():
            for index, run in enumerate(spine.added):
                self._state.append((node.id, name, self._write(f"{node.id}-{name}", index, run)))
        return output

    def _arranged(self, step: Step, node: Node, rows: Delta) -> Arrange:
        """What a Lookup reads: the Arrange's rows as of before the step, and as of after it, `rows` included.  An index
        that is shared has all of them, and is read below the one time or the other."""
        source = self._job.plan.nodes[node.inputs[1]]
        assert isinstance(source.op, ArrangeOp)
        if (files := step.shared.get(source.id)) is not None:
            arrange = Arrange(source.schema, source.op.key, shareable=True)
            arrange.share(_Shared(tuple(read_stored(self._files, files))))
            arrange.begin_step(step.lower, step.upper)
            return arrange
        arrange = Arrange(source.schema, source.op.key)
        for name, spine in arrange.spines().items():
            spine.stand_on(self._mapped(step, (source.id, name)))
        arrange.step((rows,), step.lower, step.upper)
        return arrange

    def _mapped(self, step: Step, id: StateId) -> list[Run]:
        return read_stored(self._files, step.base.get(id, ()))

    def _keep(self, node: Node, operator: Operator) -> None:
        hot = self._known.hot.get(node.id)
        copies = self._job.copies.get(node.id, frozenset())
        for name, spine in operator.spines().items():
            for index, run in enumerate(spine.runs):
                if name in copies:
                    run = own_share(run, self._job.partitions, self._partition)
                if hot is not None:
                    run = hot.own(name, run, self._job.partitions, self._partition)
                if len(run):
                    self._state.append((node.id, name, self._write(f"{node.id}-{name}", index, run)))

    def _write(self, name: str, index: int, run: Run) -> str:
        """Writes a run under a name of this attempt's own, which is returned."""
        name, path = self._new_file(f"{name}-{index}.run")
        write_run(path, run)
        return name

    def _payload_name(self) -> str | None:
        folder = self._job.payloads
        return None if folder is None else f"{folder}/{self._level}-{self._partition}-{self._attempt}"

    def _new_file(self, name: str) -> tuple[str, Path]:
        """A name of this attempt's own, and where to write the file, which is published before the task reports."""
        name = f"{self._job.directory}/{self._level}-{self._partition}-{self._attempt}-{name}"
        self._written.append(name)
        return name, self._files.new(name)

    def _publish(self) -> None:
        """What was written is for others."""
        self._files.publish(self._files.path(name) for name in self._written)
        for name in self._written:
            self._files.leave(name)

    # -- out --

    def _send(self, port: int) -> Iterator[tuple[int, bytes]]:
        """The output of the port's producer, by partition.  What goes by the same exchange to several consumers is written once."""
        edge, schema = self._topology.edges[port], self._topology.schema(port)
        if self._job.step is not None and edge.consumer in self._job.step.shared:
            return  # the index has the rows
        output = self._outputs[edge.producer]
        if edge.consumer in self._topology.silent:
            output = Delta(empty_batch(schema), output.errs)  # its rows would meet nothing
        self._measure(port, edge, output.oks)
        combined = self._combined(port, edge, schema, output.oks)
        rows = self._put(self._rows(port, edge, schema, combined.rows))
        if combined.rows is self._outputs[edge.producer].oks and edge.consumer not in self._known.hot:
            way = edge.producer, edge.exchange
            if way not in self._rows_sent:
                self._rows_sent[way] = list(rows)
            rows = iter(self._rows_sent[way])
        yield from rows
        if combined.sums:
            schemas = state_schemas(self._topology.consumer(port).op, schema)
            for name, batch in combined.sums.items():
                for pid, part in split(batch, edge.exchange, self._job.partitions, self._partition):
                    payloads = encode_state(name, schemas[name], part, self._job.as_of)
                    yield from self._put((pid, payload) for payload in payloads)
        yield from self._put(self._errors(schema, output.errs))

    def _put(self, payloads: Iterable[tuple[int, pa.Buffer]]) -> Iterator[tuple[int, bytes]]:
        """What stands for them in the rows that Spark moves."""
        for pid, payload in payloads:
            check_interrupt()
            self._bytes_sent += payload.size
            yield pid, self._writer.put(payload)

    def _rows(self, port: int, edge: Edge, schema: Schema, rows: Batch) -> Iterator[tuple[int, pa.Buffer]]:
        for pid, oks in self._split(port, edge, rows):
            for payload in encode(schema, Delta(oks, NO_ERRORS), self._job.as_of):
                yield pid, payload

    def _errors(self, schema: Schema, errors: Batch) -> Iterator[tuple[int, pa.Buffer]]:
        """Errors stay where they are, unless they are what it is about."""
        by: Exchange = None
        if self._job.merges:
            errors, by = consolidate(errors), tuple(range(len(ERROR_SCHEMA)))
        for pid, piece in split(errors, by, self._job.partitions, self._partition):
            for payload in encode(schema, Delta(empty_batch(schema), piece), self._job.as_of):
                yield pid, payload

    def _measure(self, port: int, edge: Edge, rows: Batch) -> None:
        """Counts what goes to a join, to find keys that are too many for one task."""
        job = self._job
        if (
            job.partitions == 1
            or job.rows < job.hot_rows
            or job.step is not None
            or not splittable(self._topology.consumer(port))
        ):
            return
        assert isinstance(edge.exchange, tuple)
        hashes = hash_columns([rows.columns[i] for i in edge.exchange], len(rows))
        self._sent[port] = len(rows)
        self._heavy[port] = heavy(hashes, max(1, job.hot_rows // job.partitions))

    def _combined(self, port: int, edge: Edge, schema: Schema, rows: Batch) -> Combined:
        if edge.exchange is None or not self._job.combine:
            return Combined(rows, {})
        op = self._topology.consumer(port).op
        if self._job.merges:
            return combine(DistinctOp(), schema, rows)
        if self._job.step is not None:
            return combine(op, schema, rows)
        cut = can_be_cut(op, kept=self._job.keeps_state) and port not in self._known.uncut
        combined = combine(op, schema, rows, cut=cut)
        if combined.uncut:
            self._uncut.add(port)
        return combined

    def _split(self, port: int, edge: Edge, rows: Batch) -> Iterator[tuple[int, Batch]]:
        hot = self._known.hot.get(edge.consumer)
        if hot is not None and len(rows):
            return hot.split(rows, edge.exchange, self._job.partitions, self._topology.side(port))
        return split(rows, edge.exchange, self._job.partitions, self._partition)

    def _finish(self) -> Iterator[Row]:
        """Writes the job's output, if it is here, reports, and makes sure that the next level runs."""
        job = self._job
        parts: tuple[PartRef, ...] = ()
        errors = index = answer = None
        if job.plan.output in self._nodes:
            output = self._outputs[job.plan.output]
            oks, errs = consolidate(output.oks), consolidate(output.errs)
            if job.output_shard is not None:
                delta = Delta(oks, errs if job.merges else NO_ERRORS)
                parts = write_parts(self._blob, job.output_shard, job.plan.schema, delta, writer=job.writer)
            if job.index_key is not None:
                index = self._arrange(oks, job.index_key)
            if job.answer_bytes is not None and len(oks):
                answer = self._answer(oks, job.answer_bytes)
            errors = to_ipc(ERROR_SCHEMA, errs) if len(errs) and not job.merges else None
        self._publish()
        report = Report(
            self._level,
            self._partition,
            parts,
            tuple(self._state),
            errors,
            index,
            answer,
            self._rows_read,
            self._rows_in,
            self._bytes_sent,
        )
        yield self._partition, (REPORT, pickle.dumps(report))
        if not self._last:
            yield self._partition, (REPORT, b"")

    def _arrange(self, rows: Batch, key: tuple[int, ...]) -> str | None:
        """Writes the rows as a run of an index."""
        spine = Spine(self._job.plan.schema, key)
        spine.insert(rows)
        return self._write("index", 0, spine.runs[0]) if spine.runs else None

    def _answer(self, rows: Batch, most: int) -> Answer:
        retracts = int(rows.diffs.min()) < 0
        if rows.nbytes > most:
            return Answer("", rows.nbytes, retracts)
        name, path = self._new_file("answer")
        write_answer(path, self._job.plan.schema, rows)
        return Answer(name, rows.nbytes, retracts)


def _with_sums(operator: Operator, rows: Delta, states: dict[str, list[Batch]]) -> Delta:
    """What an operator is to take in, so that it has what was combined elsewhere."""
    assert isinstance(operator, Reduce)
    return Delta(operator.with_sums(rows.oks, states), rows.errs)


@dataclass(frozen=True, slots=True)
class _Shared:
    """The runs of an index."""

    runs: tuple[Run, ...]

    def handle(self) -> tuple[Run, ...]:
        return self.runs
