"""Sinks in a replica: one thread each, writing durable changes to the target and reporting how far it has come.

A sink is fed from commits only, never from a dataflow's memory: what it writes is durable here before it is there.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import PtvcError
from ..expr.tree.relation import GlobalId
from ..persist.blob.base import Blob
from ..repr.batch import Batch, Delta, concat_batches, empty_delta
from ..repr.schema import Schema
from ..storage.sink.change_records import SinkEnvelope
from ..storage.sink.file import FileSink
from .inputs import Input
from .protocol import InstallSink, Message, Progress, SinkProgress, Status
from .sink_switch import switched

logger = logging.getLogger(__name__)

FIRST_RETRY_S = 0.1
LONGEST_RETRY_S = 5.0


def open_sink(
    id: GlobalId,
    options: Mapping[str, Any],
    schema: Schema,
    envelope: str,
    key: tuple[int, ...],
    generation: int = 0,
) -> FileSink:
    """The sink that a description asks for, not opened; raises if its parts do not go together."""
    return FileSink(id, options["path"], options["format"], schema, SinkEnvelope(envelope), key, generation)


class _RunningSink:
    """`predecessor` is the sink as it ran here before: this one begins when that has let go of the target."""

    def __init__(
        self,
        blob: Blob,
        command: InstallSink,
        send: Callable[[Message], None],
        predecessor: threading.Thread | None,
    ) -> None:
        self._command = command
        self._send = send
        self._predecessor = predecessor
        self.input = Input(blob, command.input)
        self._former = Input(blob, command.former.input) if command.former is not None else None
        self._changed = threading.Condition()
        self._stop = False
        self._reported = 0
        self._errors: Counter[str] = Counter()
        self._waiting: list[Batch] = []
        self._said: tuple[str, str | None] | None = None
        self.thread = threading.Thread(target=self._run, name=f"sink {command.name}", daemon=True)
        self.thread.start()

    def receive(self, progress: Progress) -> None:
        """Takes what concerns its inputs, and lets the writer look."""
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

    def _inputs(self) -> Iterator[tuple[GlobalId, Input]]:
        yield self._command.input.id, self.input
        if self._former is not None and self._command.former is not None:
            yield self._command.former.input.id, self._former

    def stop(self) -> None:
        with self._changed:
            self._stop = True
            self._changed.notify()

    def _run(self) -> None:
        command = self._command
        description = command.description
        if self._predecessor is not None:
            self._predecessor.join()
            self._predecessor = None
        sink = open_sink(
            command.id,
            description.options,
            command.input.schema,
            description.envelope,
            description.key,
            description.generation,
        )
        try:
            with self._changed:
                self.input.load()
            if not self._retry(sink.open):
                return
            if command.former is not None and not self._switch(sink, command.former.last):
                return
            while (taken := self._take()) is not None:
                delta, upper = taken
                if not self._write(sink, delta, upper):
                    return
        except (BrokenPipeError, ConnectionError):
            return  # the coordinator is gone, and this replica with it
        except Exception as error:  # what a sink does wrong stops that sink alone, and says so
            logger.exception("sink %s failed", command.name)
            reason = error.message if isinstance(error, PtvcError) else f"internal error: {error!r}"
            self._send(Status(command.id, "failed", reason))
        finally:
            sink.close()

    def _switch(self, sink: FileSink, last: int) -> bool:
        """Lets the target go over to the input from the former one, which it shows up to `last`, or up to where it is further
        already; False when the sink was stopped meanwhile."""
        time = max(sink.upper, last + 1)
        with self._changed:
            former, self._former = self._former, None
            if former is None or sink.written_generation == self._command.description.generation:
                return True
            self._former = former
            former.load()
            while not self._stop and not (former.frontier >= time and self.input.frontier > time):
                self._changed.wait()
            if self._stop:
                return False
            self._former = None
            upper = self.input.frontier
            old, new = former.take(time), self.input.take(upper)
        return self._write(sink, switched(self._command.input.schema, old, new, sink.upper, time), upper)

    def _take(self) -> tuple[Delta, int] | None:
        """All changes below the input's frontier, once it has moved; None when the sink is to stop."""
        with self._changed:
            while not self._stop and self.input.frontier <= self._reported:
                self._changed.wait()
            if self._stop:
                return None
            upper = self.input.frontier
            delta = self.input.take(upper)
        return delta if delta is not None else empty_delta(self._command.input.schema), upper

    def _write(self, sink: FileSink, delta: Delta, upper: int) -> bool:
        """Hands `[sink.upper, upper)` over; False when the sink was stopped meanwhile.

        A collection in error has no rows to write: the changes wait until the error is gone.
        """
        self._reported = upper
        self._waiting.append(delta.oks)
        if (error := self._error(delta.errs)) is not None:
            self._state("stalled", f"its input is in error: {error}")
            return True
        lower = sink.upper
        if upper > lower:
            # After a restart the input begins before what the target has already.
            changes = concat_batches(self._command.input.schema, self._waiting)
            changes = changes.filter(changes.times >= lower) if len(changes) else changes
            if not self._retry(lambda: sink.write(changes, lower, upper)):
                return False
        self._waiting = []
        self._state("running", None)
        self._send(SinkProgress(self._command.id, sink.durable_upper, sink.written_generation))
        return True

    def _error(self, errs: Batch) -> str | None:
        """An error of the input as it stands after `errs`; None when there is none."""
        messages, diffs = errs.columns[1].to_pylist(), errs.diffs.tolist()
        for message, diff in zip(messages, diffs, strict=True):
            self._errors[message] += diff
        return next((message for message, count in self._errors.items() if count > 0), None)

    def _state(self, state: str, reason: str | None) -> None:
        if (state, reason) != self._said:
            self._said = (state, reason)
            self._send(Status(self._command.id, state, reason))

    def _retry(self, action: Callable[[], object]) -> bool:
        """Does `action`, again and again while the target refuses; False when the sink is stopped."""
        delay = FIRST_RETRY_S
        while True:
            try:
                action()
            except PtvcError as error:
                hint = f" ({error.hint})" if error.hint else ""
                self._state("stalled", f"{error.message}{hint}")
            else:
                return True
            with self._changed:
                self._changed.wait_for(lambda: self._stop, delay)
                if self._stop:
                    return False
            delay = min(2 * delay, LONGEST_RETRY_S)


class Egress:
    """The sinks of one replica."""

    def __init__(self, blob: Blob, send: Callable[[Message], None]) -> None:
        self._blob = blob
        self._send = send
        self._running: dict[GlobalId, _RunningSink] = {}
        self._ending: dict[GlobalId, threading.Thread] = {}

    def install(self, command: InstallSink) -> None:
        predecessor = self._ending.pop(command.id, None)
        self._running[command.id] = _RunningSink(self._blob, command, self._send, predecessor)

    def receive(self, progress: Progress) -> None:
        for sink in self._running.values():
            sink.receive(progress)

    def uninstall(self, id: GlobalId) -> None:
        if (sink := self._running.pop(id, None)) is not None:
            sink.stop()
            self._ending = {id_: thread for id_, thread in self._ending.items() if thread.is_alive()}
            self._ending[id] = sink.thread

    def close(self) -> None:
        for sink in self._running.values():
            sink.stop()
