"""An ingestion: one source, from its connector to updates that await a time.

`advance` hands out at most one `Ingest` at a time: the updates of a chunk and the position after it, which the
committer writes together, in one transaction.  `committed` or `aborted` settles it; after `aborted` the same records
are read again.  So what is durable is always the position and exactly what lies before it.

    poll(position) -> decode -> envelope -> Ingest -> [committer] -> committed(time) | aborted()
"""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ..errors import PtvcError
from ..repr.schema import Schema
from .changes import NO_ERROR_CHANGES, Changes, no_changes
from .decode import Decoded, concat_decoded
from .envelope import Envelope

DEFAULT_CHUNK_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Polled:
    """A chunk, as records (a part per file) or as changes, and the connector's position after it."""

    content: tuple[Decoded, ...] | Changes
    position: Mapping[str, Any]
    at_end: bool
    lag_bytes: int
    nbytes: int


class Connector(Protocol):
    def poll(self, position: Mapping[str, Any] | None, max_bytes: int) -> Polled | None:
        """What comes after `position`; None when there is nothing.  Raises PtvcError when it cannot go on."""


class Status(enum.Enum):
    STARTING = "starting"
    RUNNING = "running"
    STALLED = "stalled"


@dataclass(frozen=True, slots=True)
class Statistics:
    """Totals since this ingestion began; `lag_bytes` is what is there to read, `reason` why it is stalled."""

    status: Status = Status.STARTING
    reason: str | None = None
    hint: str | None = None
    records: int = 0
    bytes: int = 0
    errors: int = 0
    lag_bytes: int = 0
    snapshot_done: bool = False


@dataclass(frozen=True, slots=True)
class Ingest:
    """One unit of work to commit: updates of rows and errors, and the position to record with them.

    `at_end`: everything that was there when it was read is included.  `records` and `nbytes` of input.
    """

    oks: Changes
    errs: Changes
    position: str
    at_end: bool
    records: int
    nbytes: int
    lag_bytes: int


def keyed_errors_of(position: str) -> str | None:
    """The envelope's part of a position, for its `restore`."""
    errors: str | None = json.loads(position).get("errors")
    return errors


class Ingestion:
    """Drives one source.  Not thread-safe."""

    def __init__(
        self,
        connector: Connector,
        schema: Schema,
        envelope: Envelope,
        position: str | None,
        *,
        chunk_bytes: int = DEFAULT_CHUNK_BYTES,
    ) -> None:
        self._connector = connector
        self._envelope = envelope
        self._nothing = no_changes(schema)
        self._position: Mapping[str, Any] | None = None if position is None else json.loads(position)["read"]
        self._chunk_bytes = chunk_bytes
        self._pending: tuple[Ingest, Mapping[str, Any]] | None = None
        self.statistics = Statistics()

    def advance(self) -> Ingest | None:
        """The next chunk, or None when nothing is new or the source is stalled (see `statistics`).

        Must not be called while an Ingest is open.
        """
        assert self._pending is None, "commit or abort the open chunk first"
        try:
            polled = self._connector.poll(self._position, self._chunk_bytes)
        except PtvcError as error:
            self.statistics = replace(
                self.statistics, status=Status.STALLED, reason=error.message, hint=error.hint
            )
            return None
        self.statistics = replace(
            self.statistics,
            status=Status.RUNNING,
            reason=None,
            hint=None,
            snapshot_done=self.statistics.snapshot_done or polled is None,
        )
        if polled is None:
            return None
        oks, errs, records = self._changes(polled)
        position: dict[str, Any] = {"read": polled.position}
        if (errors := self._envelope.keyed_errors()) is not None:
            position["errors"] = errors
        text = json.dumps(position, separators=(",", ":"), sort_keys=True)
        ingest = Ingest(oks, errs, text, polled.at_end, records, polled.nbytes, polled.lag_bytes)
        self._pending = (ingest, polled.position)
        return ingest

    def committed(self, timestamp: int) -> None:
        """The open chunk is durable, at `timestamp`."""
        assert self._pending is not None, "nothing is open"
        (ingest, position), self._pending = self._pending, None
        self._envelope.commit()
        self._position = position
        done = self.statistics
        self.statistics = replace(
            done,
            records=done.records + ingest.records,
            bytes=done.bytes + ingest.nbytes,
            errors=done.errors + int((ingest.errs.diffs > 0).sum()),
            lag_bytes=ingest.lag_bytes,
            snapshot_done=done.snapshot_done or ingest.at_end,
        )

    def aborted(self) -> None:
        """The open chunk was not committed, and will not be."""
        assert self._pending is not None, "nothing is open"
        self._pending = None
        self._envelope.rollback()

    def _changes(self, polled: Polled) -> tuple[Changes, Changes, int]:
        if isinstance(polled.content, Changes):
            return polled.content, NO_ERROR_CHANGES, len(polled.content)
        if not polled.content:
            return self._nothing, NO_ERROR_CHANGES, 0
        decoded = concat_decoded(polled.content)
        oks, errs = self._envelope.apply(decoded)
        return oks, errs, len(decoded)
