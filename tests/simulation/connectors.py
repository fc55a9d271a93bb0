"""Sources and sinks of a simulated replica: the protocol of `ptvc.replica.protocol.connectors`, with the outside in memory.

A source counts upstream from its position, one commit under way at a time.  A sink writes what it refers to into a target,
which outlives replicas and processes, in steps that are whole or not at all; it is slow at times, and holds little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from ptvc.expr.tree.relation import GlobalId
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.write import write_parts
from ptvc.replica.protocol import (
    FormerInput,
    Ingest,
    Ingested,
    InstallSink,
    InstallSource,
    Message,
    Progress,
    SinkBehind,
    SinkProgress,
)
from ptvc.replica.sink_input import SinkInput
from ptvc.replica.sink_switch import switched
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, batch_from_rows
from ptvc.storage.sink.lake.exchange import Exchange

MOST_POLLS = 40
"""Of one source in one replica: it need not go on for as long as the run."""

_WHOLE = 1 << 62

Row = tuple[object, ...]


@dataclass(slots=True)
class Target:
    """What a sink has written: all of it below `upper`, of that generation of its input, by its `owner` alone."""

    upper: int = 0
    generation: int = 0
    rows: Counter[Row] = field(default_factory=Counter)
    owner: object = None

    def write(self, changes: Batch, upper: int) -> None:
        columns = [column.to_pylist() for column in changes.columns]
        for row, diff in zip(zip(*columns, strict=True), changes.diffs.tolist(), strict=True):
            self.rows[row] += diff
        self.rows = Counter({row: number for row, number in self.rows.items() if number})
        self.upper = upper


@dataclass(slots=True)
class Outside:
    """The targets of all sinks; `checkpoints` says whether replicas make some.  `broken` hears of what must not be."""

    broken: Callable[[str], None]
    checkpoints: bool = False
    targets: dict[GlobalId, Target] = field(default_factory=dict)


@dataclass(slots=True)
class _Source:
    command: InstallSource
    counted: int
    polls: int = 0
    under_way: bool = False


@dataclass(slots=True)
class _Sink:
    command: InstallSink
    target: Target
    input: SinkInput
    formers: list[tuple[FormerInput, SinkInput]]
    sent: int = 0


class Connectors:
    """Those of one replica.  `later(work)` does it after a while, unless the replica has died."""

    def __init__(
        self,
        random: Random,
        blob: MemoryBlob,
        writer: str,
        outside: Outside,
        send: Callable[[Message], None],
        later: Callable[[Callable[[], None]], None],
    ) -> None:
        self._random = random
        self._blob = blob
        self._writer = writer
        self._outside = outside
        self._send = send
        self._later = later
        self._sources: dict[GlobalId, _Source] = {}
        self._sinks: dict[GlobalId, _Sink] = {}

    def uninstall(self, id: GlobalId) -> None:
        self._sources.pop(id, None)
        self._sinks.pop(id, None)

    # -- sources --

    def install_source(self, command: InstallSource) -> None:
        source = self._sources[command.id] = _Source(command, int(command.position or 0))
        self._later(lambda: self._poll(source))

    def _poll(self, source: _Source) -> None:
        command = source.command
        if self._sources.get(command.id) is not source or source.under_way or source.polls == MOST_POLLS:
            return
        source.polls += 1
        before, source.counted = source.counted, source.counted + self._random.randrange(1, 4)
        (output,) = command.outputs.values()
        schema = output.schema
        rows = batch_from_rows(schema, [(n,) for n in range(before + 1, source.counted + 1)], 0)
        parts = write_parts(self._blob, output.shard, schema, Delta(rows, NO_ERRORS), writer=self._writer)
        source.under_way = True
        self._send(
            Ingest(
                command.id, {command.id: parts}, str(source.counted), {}, installation=command.installation
            )
        )

    def ingested(self, message: Ingested) -> None:
        source = self._sources.get(message.id)
        if source is None:
            return
        source.under_way = False
        if message.time is None:
            del self._sources[message.id]
        else:
            self._later(lambda: self._poll(source))

    # -- sinks --

    def install_sink(self, command: InstallSink) -> None:
        target = self._outside.targets.setdefault(command.id, Target())
        target.owner = self
        most_held = self._random.choice((3_000, 16 << 20))
        formers = [(former, SinkInput(former.input, most_held)) for former in command.formers]
        shown = (former.input for former in command.formers if former.generation == target.generation)
        begin = next(shown, command.input).as_of
        if 0 < target.upper <= begin:
            self._outside.broken(
                f"the sink {command.name} begins at {begin}, and its target ends at {target.upper}"
            )
        sink = _Sink(command, target, SinkInput(command.input, most_held), formers)
        self._sinks[command.id] = sink
        self._later(lambda: self._write(sink))

    def receive(self, progress: Progress) -> None:
        uppers = dict(progress.uppers)
        for sink in list(self._sinks.values()):
            inputs = [(sink.command.input.id, sink.input)]
            inputs += [(former.input.id, known) for former, known in sink.formers]
            for id_, known in inputs:
                for committed in progress.updates:
                    if committed.id == id_:
                        known.receive(committed.parts, committed.upper, committed.schema)
                if known.timestamped:
                    known.close(progress.closed)
                elif id_ in uppers:
                    known.close(uppers[id_])
            if self._random.random() < 0.6:  # else its target is slow
                self._write(sink)

    def _write(self, sink: _Sink) -> None:
        """What is known, as far as it goes."""
        command, target = sink.command, sink.target
        if self._sinks.get(command.id) is not sink or target.owner is not self:
            return
        sink.formers = [each for each in sink.formers if each[0].generation == target.generation]
        if sink.formers and not self._switch(sink):
            return
        while sink.input.complete_to > target.upper:
            chunk = sink.input.take(target.upper)
            target.write(chunk.read(self._blob).oks, chunk.upper)
            target.generation = command.description.generation
        if target.upper > sink.sent:
            sink.sent = target.upper
            self._send(SinkProgress(command.id, target.upper, target.generation))
        if sink.input.behind:
            del self._sinks[command.id]
            self._send(SinkBehind(command.id))

    def _switch(self, sink: _Sink) -> bool:
        """Whether the target has come over to the input from the former one."""
        command, target = sink.command, sink.target
        [(shown, former)] = sink.formers
        time = max(target.upper, command.formers[-1].last + 1)
        if former.complete_to < time or sink.input.complete_to <= time:
            if former.behind or sink.input.behind:
                del self._sinks[command.id]
                self._send(SinkBehind(command.id))
            return False
        old = former.take(0, time, _WHOLE).read(self._blob)
        new = sink.input.take(0, None, _WHOLE)
        lower, sink.formers = target.upper, []
        exchange = Exchange.between(shown.input.schema, command.input.schema)
        found = switched(exchange, old, new.read(self._blob), lower, time)
        target.write(found.oks, new.upper)
        target.generation = command.description.generation
        return True
