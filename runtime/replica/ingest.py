"""Sources in a replica: one thread each, from the connector to an `Ingest` that the coordinator commits.

A source has at most one commit under way; the coordinator gives the time.  The thread waits between polls, never in
between of reading and committing.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow.compute as pc

from ..clock import SystemClock
from ..errors import PtvcError
from ..expr.tree.relation import GlobalId
from ..persist.blob.base import Blob
from ..repr.batch import Batch, Delta
from ..repr.schema import Schema
from ..storage.connectors import CounterOptions, FileOptions, open_ingestion
from ..storage.envelope import EnvelopeKind
from ..storage.ingestion import Ingestion
from ..storage.ingestion import Status as SourceStatus
from .blob_retry import write_parts_when_there_is_room
from .inputs import load_snapshot
from .protocol import Ingest, Ingested, InstallSource, Message, Status

logger = logging.getLogger(__name__)

POLL_INTERVAL_S = 0.1


def open_source(
    connector: str,
    options: Mapping[str, Any],
    schema: Schema,
    key: tuple[int, ...],
    envelope: str,
    position: str | None = None,
    snapshot: Batch | None = None,
) -> Ingestion:
    """The ingestion that a source's description asks for; raises if its parts do not go together."""
    parsed = CounterOptions(**options) if connector == "counter" else FileOptions(**options)
    return open_ingestion(
        parsed, schema, key, EnvelopeKind(envelope), SystemClock(), position=position, snapshot=snapshot
    )


class _RunningSource:
    def __init__(
        self, blob: Blob, writer: str, command: InstallSource, send: Callable[[Message], None]
    ) -> None:
        self._blob = blob
        self._writer = writer
        self._command = command
        self._send = send
        self._replies: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._reported: tuple[SourceStatus, str | None] | None = None
        self._thread = threading.Thread(target=self._run, name=f"source {command.name}", daemon=True)
        self._thread.start()

    def reply(self, time: int | None) -> None:
        self._replies.put(time)

    def stop(self) -> None:
        self._stop.set()
        self._replies.put(None)

    def _run(self) -> None:
        command = self._command
        try:
            description = command.description
            snapshot = load_snapshot(self._blob, command.output).oks if command.position is not None else None
            ingestion = open_source(
                description.connector,
                description.options,
                description.schema,
                description.key,
                description.envelope,
                command.position,
                snapshot,
            )
            while not self._stop.is_set():
                if not self._advance(ingestion):
                    self._stop.wait(POLL_INTERVAL_S)
        except (BrokenPipeError, ConnectionError):
            return  # the coordinator is gone, and this replica with it
        except Exception as error:  # what a source does wrong stops that source alone, and says so
            logger.exception("source %s failed", command.name)
            reason = error.message if isinstance(error, PtvcError) else f"internal error: {error!r}"
            self._send(Status(command.id, "failed", reason))

    def _advance(self, ingestion: Ingestion) -> bool:
        """Commits one chunk; False when there is nothing to do."""
        ingest = ingestion.advance()
        self._report(ingestion)
        if ingest is None:
            return False
        command = self._command
        delta = Delta(ingest.oks.at(0), self._labelled(ingest.errs.at(0)))
        schema = command.description.schema
        parts = write_parts_when_there_is_room(
            self._blob,
            command.output.shard,
            schema,
            delta,
            writer=self._writer,
            wanted=lambda: not self._stop.is_set(),
        )
        done = ingestion.statistics
        statistics = {
            "records": done.records + ingest.records,
            "bytes": done.bytes + ingest.nbytes,
            "errors": done.errors + int((ingest.errs.diffs > 0).sum()),
            "lag_bytes": ingest.lag_bytes,
        }
        self._send(Ingest(command.id, parts, ingest.position, statistics))
        time = self._replies.get()
        if time is None:
            ingestion.aborted()
            self._stop.set()
            return False
        ingestion.committed(time)
        return True

    def _labelled(self, errs: Batch) -> Batch:
        """Errors name their source: by its first name, so that a retraction says the same after a renaming."""
        if not len(errs):
            return errs
        sqlstates, messages = errs.columns
        label = f'source "{self._command.description.label}", '
        return errs.with_columns([sqlstates, pc.binary_join_element_wise(label, messages, "")])

    def _report(self, ingestion: Ingestion) -> None:
        now = ingestion.statistics
        if (now.status, now.reason) != self._reported:
            self._reported = (now.status, now.reason)
            reason = now.reason if now.hint is None or now.reason is None else f"{now.reason} ({now.hint})"
            self._send(Status(self._command.id, now.status.value, reason))


class Sources:
    """The sources of one replica."""

    def __init__(self, blob: Blob, writer: str, send: Callable[[Message], None]) -> None:
        self._blob = blob
        self._writer = writer
        self._send = send
        self._running: dict[GlobalId, _RunningSource] = {}

    def install(self, command: InstallSource) -> None:
        self._running[command.id] = _RunningSource(self._blob, self._writer, command, self._send)

    def ingested(self, message: Ingested) -> None:
        if (source := self._running.get(message.id)) is not None:
            source.reply(message.time)

    def uninstall(self, id: GlobalId) -> None:
        if (source := self._running.pop(id, None)) is not None:
            source.stop()

    def close(self) -> None:
        for source in self._running.values():
            source.stop()
