"""Sources in a replica: one thread each, from the connector to an `Ingest` that the coordinator commits.

A source has at most one commit under way; the coordinator gives the time.  The thread waits between polls, never in
between of reading and committing.  What one transaction has for several outputs, in pieces perhaps, is written piece by
piece, and committed with the position in one.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic

from ..compute.memory import hand_back
from ..errors import DiskFull, PtvcError
from ..expr.tree.relation import GlobalId
from ..persist.blob.base import Blob
from ..persist.write import PartRef
from ..repr.batch import NO_ERRORS, Batch, Delta
from ..retry import ThreadTiming, retry
from ..storage.changes import Changes
from ..storage.connectors import (
    Stored,
    asked_outputs,
)
from ..storage.ingestion import Ingestion, OutputChanges
from ..storage.shares import OF_JOBS, OF_WORKERS, WORKERS_MIN_BYTES
from ..storage.statistics import OutputStatistics, Statistics
from ..storage.statistics import Status as SourceStatus
from ..storage.upsert.scratch import Scratch
from .blob_retry import NO_ROOM, write_parts_when_there_is_room
from .inputs import stored_updates
from .protocol import (
    Ingest,
    Ingested,
    IngestProgress,
    InstallSource,
    Message,
    ReadShares,
    SetOutputs,
    SharesRead,
    SourceOutput,
    SourceStatistics,
    Status,
    UpsertState,
)
from .sources.opening import asked, open_source
from .sources.shares import ReadingByOthers
from .workers.source_shares import SharesAmongWorkers

logger = logging.getLogger(__name__)

POLL_INTERVAL_S = 0.1
PACE_S = 0.025
"""From the beginning of a commit of few records until more are read, of a source that takes all there is at once.  A commit costs
milliseconds of several processes, however few records it has: one for each few of them would take all cores at a thousand records a second,
and have each wait longer than this."""
FEW_RECORDS = 1_000


class _RunningSource:
    def __init__(
        self,
        blob: Blob,
        writer: str,
        command: InstallSource,
        send: Callable[[Message], None],
        scratch: Path | None,
        workers: SharesAmongWorkers | None,
    ) -> None:
        self._blob = blob
        self._scratch = scratch
        self._writer = writer
        self._command = command
        self._outputs = command.outputs
        self._asked_outputs: queue.SimpleQueue[Mapping[GlobalId, SourceOutput]] = queue.SimpleQueue()
        self._send = send
        self._replies: queue.SimpleQueue[int | SharesRead | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._reported: tuple[SourceStatus, str | None] | None = None
        self._told: tuple[bool, frozenset[GlobalId]] | None = None
        self._staged: dict[GlobalId, tuple[PartRef, ...]] = {}
        self._rehydration_s: float | None = None
        self._not_before = 0.0
        self._workers = workers
        self._others = (
            ReadingByOthers(command, self._ask, command.job_min_bytes, OF_JOBS)
            if workers is None
            else ReadingByOthers(command, self._ask_workers, WORKERS_MIN_BYTES, OF_WORKERS)
        )
        self._thread = threading.Thread(target=self._run, name=f"source {command.name}", daemon=True)
        self._thread.start()

    def set_outputs(self, outputs: Mapping[GlobalId, SourceOutput]) -> None:
        """From its next transaction on the source has these."""
        self._asked_outputs.put(outputs)

    def reply(self, message: Ingested) -> None:
        """What an earlier installation of the source has asked is not its matter."""
        if message.installation == self._command.installation:
            self._replies.put(message.time)

    def shares_read(self, message: SharesRead) -> None:
        """As `reply`."""
        if message.installation == self._command.installation:
            self._replies.put(message)

    def stop(self) -> None:
        self._stop.set()
        self._replies.put(None)

    def _run(self) -> None:
        command = self._command
        ingestion: Ingestion | None = None
        try:
            ingestion = self._open()
            while not self._stop.is_set():
                if not ingestion.in_transaction:
                    self._take_outputs(ingestion)
                self._keep_pace()
                if not self._advance(ingestion):
                    stalled = ingestion.statistics.status is SourceStatus.STALLED
                    self._stop.wait(POLL_INTERVAL_S if stalled or not ingestion.waits else 0)
        except (BrokenPipeError, ConnectionError):
            return  # the coordinator is gone, and this replica with it
        except Exception as error:  # what a source does wrong stops that source alone, and says so
            logger.exception("source %s failed", command.name)
            reason = error.message if isinstance(error, PtvcError) else f"internal error: {error!r}"
            self._report_failure(reason)
        finally:
            if ingestion is not None:
                ingestion.close()

    def _report_failure(self, reason: str) -> None:
        try:
            self._send(Status(self._command.id, "failed", reason))
        except ConnectionError:
            return  # the coordinator is gone, and this replica with it

    def _keep_pace(self) -> None:
        if (early := self._not_before - monotonic()) > 0:
            self._stop.wait(early)

    def _open(self) -> Ingestion:
        command = self._command
        if (state := command.upsert) is None:
            return open_source(
                command.description,
                command.outputs,
                command.position,
                connections=command.connections,
                recorded=self._recorded_rows(),
            )
        begin = monotonic()
        ingestion = retry(
            lambda: self._restored(state),
            lambda error: isinstance(error, DiskFull),
            NO_ROOM,
            ThreadTiming(self._stop),
            self._report_full,
        )
        hand_back()
        self._rehydration_s = monotonic() - begin
        return ingestion

    def _restored(self, state: UpsertState) -> Ingestion:
        """The ingestion of an upsert source.  Raises DiskFull when there is no room for its state."""
        command = self._command
        stored = None
        if command.position is not None:
            stored = Stored(stored_updates(self._blob, state.stored), self._recorded_rows())
        scratch = Scratch(self._scratch, state.spill_rows)
        return open_source(
            command.description,
            command.outputs,
            command.position,
            stored,
            scratch,
            command.connections,
            self._recorded_rows(),
        )

    def _recorded_rows(self) -> Iterator[Batch]:
        """Updates of what stands beside the position."""
        recorded = self._command.recorded
        return iter(()) if recorded is None else stored_updates(self._blob, recorded)

    def _report_full(self, error: Exception) -> None:
        assert isinstance(error, PtvcError)
        self._report_status(SourceStatus.STALLED, error.message, error.hint)

    def _take_outputs(self, ingestion: Ingestion) -> None:
        latest = None
        with suppress(queue.Empty):
            while True:
                latest = self._asked_outputs.get_nowait()
        if latest is not None:
            self._outputs = latest
            ingestion.set_outputs(asked_outputs(asked(latest)))

    def _advance(self, ingestion: Ingestion) -> bool:
        """Commits one transaction, or writes a piece of one; False when there is nothing to do."""
        by_others = self._others.read(ingestion, self._outputs)
        if self._stop.is_set():
            return False
        ingest = ingestion.advance() if by_others is None else by_others.ingest
        if not ingestion.in_transaction:
            self._staged = {}  # pieces of one that could not be read to its end were given up
        self._report(ingestion)
        if ingest is None:
            self._report_snapshot(ingestion.statistics)
            return False
        if ingestion.waits and ingest.records < FEW_RECORDS:
            self._not_before = monotonic() + PACE_S
        id_ = self._command.id
        for output, changes in ingest.outputs.items():
            self._staged[output] = self._staged.get(output, ()) + self._written(output, changes)
        if not ingest.complete:
            ingestion.staged()
            self._send(IngestProgress(id_, self._statistics(ingestion.statistics)))
            return True
        parts, self._staged = self._staged, {}
        if by_others is not None:
            parts = {id_: parts.get(id_, ()) + by_others.parts.get(id_, ()) for id_ in self._outputs}
        statistics = self._statistics(ingestion.once_committed())
        recorded = self._recorded(ingest.recorded)
        installation = self._command.installation
        job_id = None if by_others is None else by_others.job_id
        self._send(Ingest(id_, parts, ingest.position, statistics, recorded, installation, job_id))
        time = self._replies.get()
        assert not isinstance(time, SharesRead), "one thing is asked at a time"
        if time is None:
            ingestion.aborted()
            self._stop.set()
            return False
        ingestion.committed(time)
        return True

    def _ask(self, message: ReadShares) -> SharesRead | None:
        """What a job has read; None: the source ends."""
        self._send(message)
        read = self._replies.get()
        assert not isinstance(read, int), "one thing is asked at a time"
        if read is None:
            self._stop.set()
        return read

    def _ask_workers(self, message: ReadShares) -> SharesRead | None:
        """As `_ask`, of all workers of the replica."""
        assert self._workers is not None
        reader = replace(message.reader, writer=self._writer)
        try:
            written = self._workers.read(reader, message.shares, self._blob, lambda: not self._stop.is_set())
        except PtvcError as error:
            if self._stop.is_set():
                return None
            return SharesRead(message.id, message.installation, error=error.message)
        return SharesRead(message.id, message.installation, written=written)

    def _written(self, id: GlobalId, changes: OutputChanges) -> tuple[PartRef, ...]:
        """What the changes are written as; their time is still open."""
        output = self._outputs[id]
        delta = Delta(changes.oks.at(0), changes.errs.at(0))
        return write_parts_when_there_is_room(
            self._blob,
            output.shard,
            output.schema,
            delta,
            writer=self._writer,
            wanted=lambda: not self._stop.is_set(),
        )

    def _recorded(self, changes: Changes | None) -> tuple[PartRef, ...]:
        """What goes to the shard of positions beside the position."""
        if changes is None:
            return ()
        shard = self._command.recorded
        assert shard is not None, "a source that records something goes on from it"
        return write_parts_when_there_is_room(
            self._blob,
            shard.shard,
            shard.schema,
            Delta(changes.at(0), NO_ERRORS),
            writer=self._writer,
            wanted=lambda: not self._stop.is_set(),
        )

    def _statistics(self, now: Statistics) -> SourceStatistics:
        of_source: dict[str, int | float | None] = {
            "records": now.records,
            "bytes": now.bytes,
            "errors": now.errors,
            "dead_letters": now.dead_letters,
            "lag_bytes": now.lag_bytes,
            "messages_received": now.received,
            "bytes_received": now.bytes_received,
            "offset_known": now.offset_known,
            "offset_committed": now.offset_committed,
            "rehydration_latency": self._rehydration_s,
        }
        found: dict[GlobalId, Mapping[str, int | float | None]] = {
            id_: self._output_statistics(now, now.outputs.get(id_, OutputStatistics()))
            for id_ in self._outputs
        }
        own = found.get(self._command.id, {"snapshot_committed": now.snapshot_done})
        found[self._command.id] = {**of_source, **own}
        return found

    @staticmethod
    def _output_statistics(now: Statistics, output: OutputStatistics) -> Mapping[str, int | float | None]:
        committed = output.snapshot_committed
        return {
            "updates_staged": output.updates_staged,
            "updates_committed": output.updates_committed,
            "updates_filtered": output.updates_filtered,
            "snapshot_records_known": output.snapshot_records_known,
            "snapshot_records_staged": output.snapshot_records_staged,
            "snapshot_committed": now.snapshot_done if committed is None else committed,
        }

    def _report_snapshot(self, now: Statistics) -> None:
        """Where nothing is there to be committed, nothing else would say that what was there is."""
        told = (now.snapshot_done, frozenset(self._outputs))
        if told != self._told:
            self._told = told
            self._send(IngestProgress(self._command.id, self._statistics(now)))

    def _report(self, ingestion: Ingestion) -> None:
        now = ingestion.statistics
        self._report_status(now.status, now.reason, now.hint)

    def _report_status(self, status: SourceStatus, reason: str | None, hint: str | None) -> None:
        if self._stop.is_set():
            return  # what is installed in its place says how it is
        if (status, reason) != self._reported:
            self._reported = (status, reason)
            told = reason if hint is None or reason is None else f"{reason} ({hint})"
            self._send(Status(self._command.id, status.value, told))


class Sources:
    """The sources of one replica.  One thread says what there is to do; another may hand on what has become of a commit, and end them.
    In the directory `scratch` they keep what is too large for memory; None: nothing is.  What can be divided is read by all `workers`, of a
    replica that has several."""

    def __init__(
        self,
        blob: Blob,
        writer: str,
        send: Callable[[Message], None],
        scratch: Path | None = None,
        workers: SharesAmongWorkers | None = None,
    ) -> None:
        self._scratch = scratch
        self._workers = workers
        self._blob = blob
        self._writer = writer
        self._send = send
        self._running: dict[GlobalId, _RunningSource] = {}

    def install(self, command: InstallSource) -> None:
        self._running[command.id] = _RunningSource(
            self._blob, self._writer, command, self._send, self._scratch, self._workers
        )

    def ingested(self, message: Ingested) -> None:
        if (source := self._running.get(message.id)) is not None:
            source.reply(message)

    def shares_read(self, message: SharesRead) -> None:
        if (source := self._running.get(message.id)) is not None:
            source.shares_read(message)

    def set_outputs(self, message: SetOutputs) -> None:
        if (source := self._running.get(message.id)) is not None:
            source.set_outputs(message.outputs)

    def uninstall(self, id: GlobalId) -> None:
        if (source := self._running.pop(id, None)) is not None:
            source.stop()

    def close(self) -> None:
        for source in tuple(self._running.values()):
            source.stop()
