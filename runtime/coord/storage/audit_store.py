"""The durable audit log: two shards of events, one that definitions write in their own transactions, one of logins.

They are bounded apart: a flood of the one leaves the other.  Times of the first are versions, as the catalog's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass

from ...persist.client import PartRef, PersistClient, ShardId, Write
from ...persist.read import read_snapshot
from ...persist.write import write_parts
from ...repr.batch import NO_ERRORS, Delta, batch_from_rows, concat_batches
from ...repr.schema import Column, Schema
from ...repr.types import INT8, TEXT

DEFINITIONS_SHARD, LOGINS_SHARD = "audit-definitions", "audit-logins"
AUDIT_SHARDS = (DEFINITIONS_SHARD, LOGINS_SHARD)
SCHEMA = Schema(
    (
        Column("number", INT8, False),
        Column("at_ms", INT8, False),
        Column("kind", TEXT, False),
        Column("object_type", TEXT, False),
        Column("details", TEXT, False),
        Column("user", TEXT, True),
    )
)


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """`details` is a JSON object, canonical; `user` None is the runtime, or nobody in particular."""

    number: int
    at_ms: int
    kind: str
    object_type: str
    details: str
    user: str | None


@dataclass(frozen=True, slots=True)
class AuditChange:
    """Events that are added, and old ones that go."""

    added: tuple[AuditEvent, ...]
    gone: tuple[AuditEvent, ...]


class AuditStore:
    """What it says that it blocks runs in the thread of commits, or at the start."""

    def __init__(self, persist: PersistClient, epoch: int) -> None:
        self._persist = persist
        self._epoch = epoch

    def open(self) -> None:
        """Makes the shards known, and makes them if they are not there.  Blocks."""
        for shard in AUDIT_SHARDS:
            self._persist.create_shard(shard, SCHEMA, epoch=self._epoch)
            self._persist.mirror.load(shard)

    def load(self) -> Mapping[ShardId, list[AuditEvent]]:
        """All events, the oldest first.  Blocks."""
        return {shard: self._load(shard) for shard in AUDIT_SHARDS}

    def _load(self, shard: ShardId) -> list[AuditEvent]:
        state = self._persist.mirror.state(shard)
        if state.upper <= state.since:
            return []
        rows = read_snapshot(self._persist.blob, self._persist.mirror.snapshot(shard, state.upper - 1)).oks
        columns = [column.to_pylist() for column in rows.columns]
        return sorted(
            (AuditEvent(*row) for row in zip(*columns, strict=True)), key=lambda event: event.number
        )

    def definitions(self, change: AuditChange) -> dict[ShardId, Write]:
        """What makes events durable together with the change of the catalog that they tell of.  Blocks."""
        version = self._persist.mirror.state(DEFINITIONS_SHARD).upper
        parts = self._parts(DEFINITIONS_SHARD, change, version)
        return {DEFINITIONS_SHARD: Write(version, version + 1, parts)}

    def logins(self, change: AuditChange) -> dict[ShardId, tuple[PartRef, ...]]:
        """Rows whose time is still open.  Blocks."""
        return {LOGINS_SHARD: self._parts(LOGINS_SHARD, change, 0)}

    def _parts(self, shard: ShardId, change: AuditChange, time: int) -> tuple[PartRef, ...]:
        batches = [
            batch_from_rows(SCHEMA, rows, time, diff)
            for rows, diff in ((_rows(change.added), 1), (_rows(change.gone), -1))
            if rows
        ]
        delta = Delta(concat_batches(SCHEMA, batches), NO_ERRORS)
        return write_parts(self._persist.blob, shard, SCHEMA, delta, writer=self._persist.writer_id)


def _rows(events: Iterable[AuditEvent]) -> list[tuple[object, ...]]:
    return [astuple(event) for event in events]
