"""The connector of POSTGRES sources: see upstream/connector.py.

The slot keeps what lies behind the position, and is told of one only when it is durable here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from secrets import token_hex
from time import monotonic
from typing import Any

import numpy as np

from ....clock import Clock
from ...connections.values import Values
from ...ingestion import OutputChanges
from ...statistics import OutputId
from ..upstream.connector import Ended, Table, UpstreamConnector
from ..upstream.ended import AGAIN
from ..upstream.rows import rows_of
from ..upstream.snapshot import Part, Snapshot
from .options import PostgresOptions
from .pgoutput import Decoded, Decoder, Relation, Segment
from .position import Position
from .progress import PROGRESS_SCHEMA
from .publication import check_replicates
from .replication import ReplicationStream
from .snapshot import PostgresSnapshot
from .tables import UpstreamTable
from .upstream import Upstream

LOOK_S = 5.0
"""So often it is looked whether the tables are as they were."""


class PostgresConnector(UpstreamConnector[Position, int, UpstreamTable]):
    def __init__(self, options: PostgresOptions, connections: Mapping[str, Values], clock: Clock) -> None:
        super().__init__(PROGRESS_SCHEMA)
        self._options = options
        self._upstream = Upstream(options, connections[options.connection], clock)
        self._decoder = Decoder()
        self._stream: ReplicationStream | None = None
        """The log, if it is open."""
        self._looked = 0.0

    def close(self) -> None:
        super().close()
        self._upstream.close()

    def reset(self) -> None:
        super().reset()
        self._stream, self._decoder = None, Decoder()
        self._looked = 0.0

    def table(self, text: str) -> UpstreamTable:
        return UpstreamTable.from_json(text)

    def position(self, value: Mapping[str, Any]) -> Position:
        return Position.from_json(value)

    def failures(self) -> AbstractContextManager[None]:
        return self._upstream.failures()

    def reached(self) -> int:
        return 0 if self._stream is None else self._stream.reached

    # -- contents --

    def first_snapshot(self, tables: Mapping[OutputId, UpstreamTable]) -> Snapshot[int]:
        check_replicates(self._upstream.db, self._options.publication)
        self._upstream.drop_slot()
        return self._snapshot_of(tables, self._options.slot, temporary=False)

    def added_snapshot(self, tables: Mapping[OutputId, UpstreamTable]) -> Snapshot[int]:
        return self._snapshot_of(tables, f"{self._options.slot[:50]}_{token_hex(4)}", temporary=True)

    def _snapshot_of(
        self, tables: Mapping[OutputId, UpstreamTable], slot: str, *, temporary: bool
    ) -> Snapshot[int]:
        return PostgresSnapshot(
            self._upstream,
            self._options.publication,
            slot,
            tables,
            temporary=temporary,
            connections=self._options.snapshot_connections,
        )

    def begins_at(self, snapshot: Snapshot[int]) -> Position:
        cluster = self._upstream.cluster()
        return Position(cluster.system, cluster.timeline, snapshot.place)

    def rows(self, part: Part, table: Table[UpstreamTable]) -> OutputChanges:
        names = [column.name for column in table.upstream.columns]
        ones = np.ones(part.rows, np.int64)
        return OutputChanges(*rows_of(part.columns, names, table.output.schema, ones, table.upstream))

    # -- transactions --

    def log_behind(self, at: Position) -> tuple[ReplicationStream, Position]:
        self._stream, now = self._upstream.stream(at)
        return self._stream, now

    def changes(
        self, events: Sequence[bytes], tables: Mapping[OutputId, Table[UpstreamTable]]
    ) -> Mapping[OutputId, Ended]:
        found = self._decoder.decode(events)
        changed = self._changed_now(found, tables)
        return {
            id_: ((), changed[id_])
            if id_ in changed
            else _changes(table, found.tables.get(table.upstream.oid, ()))
            for id_, table in tables.items()
        }

    def _changed_now(
        self, found: Decoded, tables: Mapping[OutputId, Table[UpstreamTable]]
    ) -> Mapping[OutputId, str]:
        """Tables that are not what they were, and why.  It is looked now and then, and when one is told of in the log: what is told
        there has no numbers of columns."""
        if not found.relations and monotonic() - self._looked < LOOK_S:
            return {}
        self._looked = monotonic()
        there = self._upstream.tables()
        if there is None:
            return {}
        errors = {
            id_: _changed(table.upstream, there.get(table.upstream.oid)) for id_, table in tables.items()
        }
        return {id_: error for id_, error in errors.items() if error is not None}


def _changes(table: Table[UpstreamTable], segments: Iterable[Segment]) -> Ended:
    changes: list[OutputChanges] = []
    for segment in segments:
        error = _misfit(table.upstream, segment.relation)
        if segment.truncated:
            error = f'table "{table.upstream.reference}" was truncated upstream: {AGAIN}'
        elif error is None and segment.lacks_old:
            error = _not_full(table.upstream)
        if error is not None:
            return changes, error
        if len(segment.diffs):
            names = [column.name for column in segment.relation.columns]
            found = rows_of(segment.columns, names, table.output.schema, segment.diffs, table.upstream)
            changes.append(OutputChanges(*found))
    return changes, None


def _not_full(table: UpstreamTable) -> str:
    return f'table "{table.reference}" has not REPLICA IDENTITY FULL any more: set it, then {AGAIN}'


def _misfit(table: UpstreamTable, relation: Relation) -> str | None:
    """Why what comes now is not of the table that was read; columns that came to it do not matter."""
    if relation.identity != "f":
        return _not_full(table)
    there = {column.name: (column.type_oid, column.typmod) for column in relation.columns}
    return _other_columns(table, there)


def _changed(table: UpstreamTable, now: UpstreamTable | None) -> str | None:
    if now is None or now.membership != table.membership:
        return f'table "{table.reference}" was dropped upstream, or taken out of the publication: {AGAIN}'
    if now.identity != "f":
        return _not_full(table)
    numbers = {column.name: column.number for column in now.columns}
    for column in table.columns:
        if numbers.get(column.name, column.number) != column.number:
            return f'column "{column.name}" of table "{table.reference}" is another one upstream: {AGAIN}'
    return _other_columns(table, {column.name: (column.type_oid, column.typmod) for column in now.columns})


def _other_columns(table: UpstreamTable, there: Mapping[str, tuple[int, int]]) -> str | None:
    for column in table.columns:
        if column.name not in there:
            return f'column "{column.name}" of table "{table.reference}" is gone upstream: {AGAIN}'
        if there[column.name] != (column.type_oid, column.typmod):
            return f'column "{column.name}" of table "{table.reference}" has another type upstream: {AGAIN}'
    return None
