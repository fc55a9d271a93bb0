"""What an ingestion counts, and how it is."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

OutputId = str
"""The id of the collection that an output is."""


class Status(enum.Enum):
    STARTING = "starting"
    RUNNING = "running"
    STALLED = "stalled"


@dataclass(frozen=True, slots=True)
class OutputStatistics:
    """Totals of one output since the ingestion began; the snapshot's are of the last one, None before the first.  `updates_filtered` are
    those that WHERE has left out, of what is committed: they are neither staged nor committed."""

    updates_staged: int = 0
    updates_committed: int = 0
    updates_filtered: int = 0
    snapshot_records_known: int | None = None
    snapshot_records_staged: int | None = None
    snapshot_committed: bool | None = None


@dataclass(frozen=True, slots=True)
class Statistics:
    """Totals since this ingestion began; `lag_bytes` is what is there to read, `reason` why it is stalled, or why it leaves something.

    `received` and `bytes_received` count what was read, also if it was not committed, `records` and `bytes` what was.
    `snapshot_done`: all that was there for its outputs has been committed once; an output whose own snapshot is known
    says more.
    """

    status: Status = Status.STARTING
    reason: str | None = None
    hint: str | None = None
    records: int = 0
    bytes: int = 0
    errors: int = 0
    dead_letters: int = 0
    lag_bytes: int | None = 0
    received: int = 0
    bytes_received: int = 0
    snapshot_done: bool = False
    offset_known: int | None = None
    offset_committed: int | None = None
    outputs: Mapping[OutputId, OutputStatistics] = field(default_factory=dict)
