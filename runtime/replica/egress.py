"""Sinks in a replica: one thread each, writing durable changes to the target and reporting how far it has come.

A sink is fed from commits only, never from a dataflow's memory: what it writes is durable here before it is there.  Its
thread alone reads what was committed and waits for the target.  A sink that lags holds no more than references to a few
MiB of it (`sink_input`); when these are written it asks to be installed anew, with what persist has from there on.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict

import numpy as np

from ..errors import PtvcError, StorageError
from ..expr.tree.relation import GlobalId
from ..persist.blob.base import Blob
from ..repr.batch import Batch, Delta, concat_batches
from ..repr.consolidate import consolidate
from ..retry import Backoff, ThreadTiming, retry
from ..storage.sink.contract import IntervalRefused, SinkFenced, SinkTarget, refuse_ahead
from ..storage.sink.lake.exchange import Exchange
from ..storage.sink.targets import open_target
from .protocol import FormerInput, InstallSink, Message, Progress, SinkBehind, SinkProgress, Status
from .sink_input import MOST_HELD_BYTES, Chunk, SinkInput, errors_of
from .sink_switch import switched

logger = logging.getLogger(__name__)

BACKOFF = Backoff(first_s=0.1, longest_s=5.0)
MOST_WIDENED_BYTES = 256 << 20
"""Of net changes of an interval that a target has refused: no more is taken with it."""
_WHOLE = 1 << 62
"""A switch compares two inputs as a whole."""


class _Stopped(Exception):
    """The sink is to end."""


class _Behind(Exception):
    """What is to be written next is in persist alone."""


class _RunningSink:
    """`predecessor` is the sink as it ran here before: this one begins when that has let go of the target."""

    def __init__(
        self,
        blob: Blob,
        command: InstallSink,
        send: Callable[[Message], None],
        predecessor: threading.Thread | None,
        most_held: int,
    ) -> None:
        self._blob = blob
        self._command = command
        self._send = send
        self._predecessor = predecessor
        self.input = SinkInput(command.input, most_held)
        self._formers = [(former, SinkInput(former.input, most_held)) for former in command.formers]
        self._exchange = Exchange.between(command.input.schema, command.input.schema)
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._looked_at = 0
        self._reading = 0
        self._moved = False
        self._errors: Counter[str] = Counter()
        self._said: tuple[str, str | None] | None = None
        self._progress: SinkProgress | None = None
        self.thread = threading.Thread(target=self._run, name=f"sink {command.name}", daemon=True)
        self.thread.start()

    @property
    def nbytes(self) -> int:
        """Bytes in memory: of references, and of the rows that are being written."""
        return self.input.nbytes + sum(known.nbytes for _, known in tuple(self._formers)) + self._reading

    def shed(self) -> int:
        """Forgets the references to what came since it was installed; returns their bytes."""
        with self._changed:
            freed = sum(known.shed() for _, known in self._inputs())
            if freed:
                self._changed.notify()
        return freed

    def receive(self, progress: Progress) -> None:
        """Takes references to what concerns its inputs, and lets the writer look."""
        uppers = dict(progress.uppers)
        with self._changed:
            for id_, known in self._inputs():
                before = known.frontier
                for committed in progress.updates:
                    if committed.id == id_:
                        known.receive(committed.parts, committed.upper, committed.schema)
                if known.timestamped:
                    known.close(progress.closed)
                elif id_ in uppers:
                    known.close(uppers[id_])
                if known.frontier != before:
                    self._changed.notify()

    def _inputs(self) -> Iterator[tuple[GlobalId, SinkInput]]:
        yield self._command.input.id, self.input
        for former, known in self._formers:
            yield former.input.id, known

    def stop(self) -> None:
        with self._changed:
            self._stop.set()
            self._changed.notify()

    def _run(self) -> None:
        command = self._command
        description = command.description
        if self._predecessor is not None:
            self._predecessor.join()
            self._predecessor = None
        try:
            with closing(
                open_target(
                    command.id,
                    description.connector,
                    description.options,
                    command.input.schema,
                    description.envelope,
                    description.key,
                    description.generation,
                    description.as_of,
                    command.connections,
                    command.term,
                    {former.generation: former.input.schema for former in command.formers},
                )
            ) as sink:
                self._retry(sink.open)
                first = command.formers[0].input if command.formers else command.input
                sink.check_follows(first.as_of + 1)
                refuse_ahead(sink.durable_upper, first.as_of + 1, command.restored_upper)
                if (shown := self._shown(sink)) is not None:
                    self._switch(sink, *shown)
                while True:
                    self._await(lambda: self.input.complete_to > self._looked_at)
                    self._write_known(sink)
        except _Stopped:
            return
        except (BrokenPipeError, ConnectionError):
            return  # the coordinator is gone, and this replica with it
        except _Behind:  # the target is free: whoever is installed next takes it
            self._send_unless_gone(SinkBehind(command.id))
        except Exception as error:  # what a sink does wrong stops that sink alone, and says so
            logger.exception("sink %s failed", command.name)
            reason = error.message if isinstance(error, PtvcError) else f"internal error: {error!r}"
            self._send_unless_gone(Status(command.id, "failed", reason))

    def _send_unless_gone(self, message: Message) -> None:
        try:
            self._send(message)
        except ConnectionError:
            return  # the coordinator is gone, and this replica with it

    def _shown(self, sink: SinkTarget) -> tuple[FormerInput, SinkInput] | None:
        """The former input that the target shows; the others are let go of."""
        with self._changed:
            wanted = sink.written_generation
            self._formers = [each for each in self._formers if each[0].generation == wanted]
        if self._formers or wanted == self._command.description.generation:
            return next(iter(self._formers), None)
        raise StorageError(
            f"the target shows generation {wanted} of what the sink reads, which is none that it may show"
        )

    def _switch(self, sink: SinkTarget, shown: FormerInput, former: SinkInput) -> None:
        """Lets the target go over to the input from the former one."""
        self._exchange = Exchange.between(shown.input.schema, self._command.input.schema)
        time = max(sink.upper, self._command.formers[-1].last + 1)
        self._await(lambda: former.complete_to >= time or former.behind)
        while True:
            self._await(lambda: self.input.complete_to > max(time, self._looked_at))
            if not self._in_error():
                break
        with self._changed:
            if former.complete_to < time or self.input.complete_to <= time:
                raise _Behind
            self._formers = []
            gone, begun = former.take(0, time, _WHOLE), self.input.take(0, None, _WHOLE)
        lower = sink.upper
        old, new = self._read(gone), self._read(begun)
        changes = switched(self._exchange, old, new, lower, time).oks
        self._write(sink, changes, lower, begun.upper, time)

    def _write_known(self, sink: SinkTarget) -> None:
        """Hands over what is known; not while the input is in error: it has no contents then, and the changes wait."""
        if self._in_error():
            return
        while True:
            with self._changed:
                if self.input.complete_to <= sink.upper:
                    break
                chunk = self.input.take(sink.upper)
            self._write(sink, self._read(chunk).oks, chunk.lower, chunk.upper)
        self._say_running(sink)

    def _write(self, sink: SinkTarget, changes: Batch, lower: int, upper: int, switched_at: int = 0) -> None:
        refused = False

        def between() -> None:
            if self._stop.is_set():
                raise _Stopped
            if not refused:
                self._say_running(sink)

        def attempt() -> None:
            nonlocal changes, upper, refused
            if refused and sink.writes_net:
                changes, upper = self._widened(changes, upper, exchanging=bool(switched_at))
            try:
                sink.write(changes, lower, upper, switched_at, between)
            except IntervalRefused:
                refused = True
                raise

        self._reading = changes.nbytes
        self._retry(attempt)
        self._reading = 0
        self._moved = True
        self._say_running(sink)

    def _widened(self, changes: Batch, upper: int, *, exchanging: bool) -> tuple[Batch, int]:
        """The changes up to `upper`, which the target does not take, with those behind them, by which that may have changed: net, and up to
        where the interval ends then.  Raises _Behind."""
        if changes.nbytes > MOST_WIDENED_BYTES:
            return changes, upper
        with self._changed:
            if self.input.complete_to <= upper and self.input.behind:
                raise _Behind
        if self._in_error() or self._looked_at <= upper:
            return changes, upper
        with self._changed:
            chunk = self.input.take(upper, self._looked_at)
        more = self._read(chunk).oks
        if not len(more):
            return changes, chunk.upper
        if exchanging:
            more = self._exchange.of_new(more)
        schema = self._exchange.schema if exchanging else self._command.input.schema
        both = concat_batches(schema, (changes, more))
        # What the sink begins with stays apart: a target may leave it out.
        last = np.uint64(chunk.upper - 1)
        times = np.where(both.times > self._command.description.as_of, last, both.times)
        net = consolidate(Batch(both.columns, times, both.diffs))
        self._reading = net.nbytes
        return net, chunk.upper

    def _say_running(self, sink: SinkTarget) -> None:
        """Its status last: whoever sees that it runs may rely on what it has gone over to."""
        progress = SinkProgress(
            self._command.id, sink.durable_upper, sink.written_generation, asdict(sink.statistics)
        )
        if progress != self._progress:
            self._progress = progress
            self._send(progress)
        self._state("running", None)

    def _read(self, chunk: Chunk) -> Delta:
        """Raises _Behind if parts are not there any more: others have taken their place."""
        self._reading = sum(reference.part.decoded_nbytes for reference in chunk.references)
        try:
            return chunk.read(self._blob)
        except StorageError:
            if not self._moved:
                raise  # they were held since this began
            raise _Behind from None

    def _in_error(self) -> bool:
        """Whether an error of the input is left by all that is referred to."""
        with self._changed:
            self._looked_at = self.input.complete_to
            references = self.input.unchecked()
        try:
            errs = errors_of(self._blob, references)
        except StorageError:
            if not self._moved:
                raise
            raise _Behind from None
        messages, diffs = errs.columns[1].to_pylist(), errs.diffs.tolist()
        for message, diff in zip(messages, diffs, strict=True):
            self._errors[message] += diff
        error = next((message for message, count in self._errors.items() if count > 0), None)
        if error is not None:
            self._moved = True  # for as long as that lasts nothing is held
            self._state("stalled", f"its input is in error: {error}")
        return error is not None

    def _await(self, condition: Callable[[], bool]) -> None:
        """Until the condition holds.  Raises _Stopped, and _Behind when the input will not come so far."""
        with self._changed:
            self._changed.wait_for(lambda: self._stop.is_set() or condition() or self.input.behind)
            if self._stop.is_set():
                raise _Stopped
            if not condition():
                raise _Behind

    def _state(self, state: str, reason: str | None) -> None:
        if (state, reason) != self._said:
            self._said = (state, reason)
            self._send(Status(self._command.id, state, reason))

    def _retry(self, action: Callable[[], object]) -> None:
        """Does `action`, again and again while the target refuses.  Raises _Stopped."""
        try:
            retry(
                action,
                lambda error: isinstance(error, PtvcError) and not isinstance(error, SinkFenced),
                BACKOFF,
                ThreadTiming(self._stop),
                self._say_stalled,
            )
        except PtvcError:
            if not self._stop.is_set():
                raise
            raise _Stopped from None

    def _say_stalled(self, error: Exception) -> None:
        assert isinstance(error, PtvcError)
        self._moved = True  # for as long as that lasts nothing is held
        hint = f" ({error.hint})" if error.hint else ""
        self._state("stalled", f"{error.message}{hint}")


class Egress:
    """The sinks of one replica, each with at most `most_held` bytes of references.  One thread says what there is to do, others may ask
    what they hold, and end them."""

    def __init__(self, blob: Blob, send: Callable[[Message], None], most_held: int = MOST_HELD_BYTES) -> None:
        self._blob = blob
        self._send = send
        self._most_held = most_held
        self._running: dict[GlobalId, _RunningSink] = {}
        self._ending: dict[GlobalId, threading.Thread] = {}

    @property
    def nbytes(self) -> int:
        """Bytes that all sinks hold in memory."""
        return sum(sink.nbytes for sink in tuple(self._running.values()))

    def shed(self) -> int:
        """Has the sinks forget what can be read again from persist; returns the bytes that they let go."""
        return sum(sink.shed() for sink in tuple(self._running.values()))

    def install(self, command: InstallSink) -> None:
        """A sink that runs here already ends first."""
        self.uninstall(command.id)
        predecessor = self._ending.pop(command.id, None)
        self._running[command.id] = _RunningSink(
            self._blob, command, self._send, predecessor, self._most_held
        )

    def receive(self, progress: Progress) -> None:
        for sink in self._running.values():
            sink.receive(progress)

    def uninstall(self, id: GlobalId) -> None:
        if (sink := self._running.pop(id, None)) is not None:
            sink.stop()
            self._ending = {id_: thread for id_, thread in self._ending.items() if thread.is_alive()}
            self._ending[id] = sink.thread

    def close(self) -> None:
        for sink in tuple(self._running.values()):
            sink.stop()
