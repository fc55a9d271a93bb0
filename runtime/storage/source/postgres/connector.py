"""The connector of POSTGRES sources: the contents of tables first, then transactions, each whole.

```
no position ── a slot, and its snapshot ── pieces ──┐
position ── the slot's messages ── transactions ────┴── Polled
         └─ a table that is new: a snapshot at S ── transactions up to S ── pieces ── transactions ...
```

The slot keeps what lies behind the position, and is told of one only when it is durable here.  A table that upstream has become another
one (altered, emptied, taken out of the publication) has an error from then on, and the others go on.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from secrets import token_hex
from time import monotonic
from typing import Any

import numpy as np

from ....clock import Clock
from ....errors import PtvcError
from ...changes import no_changes
from ...connections.values import Values
from ...ingestion import PROGRESS, Output, OutputChanges, Outputs, Pending, Polled
from ...statistics import OutputId
from ..directory import SourceStalled
from ..ended_tables import AGAIN, an_error, joined
from ..upstream_rows import rows_of
from .options import PostgresOptions
from .pgoutput import Decoded, Decoder, Relation, Segment, last_commit
from .position import Position, progress_changes
from .publication import check_replicates
from .replication import HEADER, ReplicationStream
from .snapshot import Piece, Snapshot
from .tables import UpstreamTable
from .upstream import Upstream

WAIT_S = 0.1
"""How long a message is waited for."""
RETRY_S = 1.0
"""After something went wrong."""
IDLE_S = 10.0
"""Where nothing changes the position moves so often: the slot keeps no more of the log than that."""
LOOK_S = 5.0
"""So often it is looked whether the tables are as they were."""
MOST_PENDING = 4
"""A transaction of more than so many times what is asked for is handed out in pieces."""
_BEGIN = ord("B")
_COMMIT_LSN = struct.Struct(">Q")
"""What a Begin begins with: where the transaction's commit lies."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table that the source makes, and what that is upstream."""

    output: Output
    upstream: UpstreamTable


class _SlotWaits(SourceStalled):
    """The slot goes on to be made."""


class PostgresConnector:
    """It waits for messages itself."""

    def __init__(self, options: PostgresOptions, connections: Mapping[str, Values], clock: Clock) -> None:
        self._options, self._clock = options, clock
        self._connections = connections
        self._upstream: Upstream | None = None
        self._stream: ReplicationStream | None = None
        self._decoder = Decoder()
        self._pending: list[bytes] = []
        """Received, and not handed out."""
        self._read_to = 0
        """Of transactions whose commit lies before it, all were handed out, or had nothing for the outputs."""
        self._reached = 0
        """What the server has sent all of."""
        self._snapshot: Snapshot | None = None
        self._expected: Mapping[str, Any] | None = None
        """The position that is to come next: another one means that what was handed out was given up."""
        self._failure: tuple[PtvcError, float] | None = None
        self._moved = self._looked = 0.0
        self._tables: dict[OutputId, _Table] = {}

    def close(self) -> None:
        self._reset()
        if self._upstream is not None:
            self._upstream.close()

    def _reset(self) -> None:
        if self._stream is not None:
            self._stream.close()
        if self._snapshot is not None:
            self._snapshot.close()
        self._stream = self._snapshot = None
        self._pending, self._decoder = [], Decoder()
        self._looked = 0.0

    def poll(
        self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | None:
        if self._failure is not None:
            error, until = self._failure
            if monotonic() < until:
                raise error
            self._failure = None
        if self._upstream is None:
            values = self._connections[self._options.connection]
            self._upstream = Upstream(self._options, values, self._clock)
        if position != self._expected:
            self._reset()
            self._expected = position
        try:
            with self._upstream.failures():
                polled = self._poll(self._upstream, position, outputs, max_bytes)
        except _SlotWaits:
            raise
        except PtvcError as error:
            self._reset()
            self._upstream.close()
            self._failure = error, monotonic() + RETRY_S
            raise
        if isinstance(polled, Polled):
            self._expected = polled.position
        return polled

    def _poll(
        self, upstream: Upstream, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | None:
        self._take(outputs)
        if position is None:
            return self._begin(upstream, outputs, max_bytes) if self._tables else None
        at = Position.from_json(position)
        if self._snapshot is not None and self._snapshot.lsn == at.lsn and at.piece:
            return self._piece(self._snapshot, at, outputs, max_bytes)
        if self._stream is None:
            if at.piece:
                raise AssertionError("what was staged is not durable")
            self._stream, at = upstream.stream(at)
            self._read_to = self._reached = at.lsn
        new = {id_: table.upstream for id_, table in self._tables.items() if id_ not in at.outputs}
        if new and self._snapshot is None and not at.piece:
            self._snapshot = self._snapshot_of(upstream, new, temporary=True)
        if not at.piece:
            self._stream.acknowledge(at.lsn)
        return self._transactions(self._stream, at, outputs, max_bytes)

    def _take(self, outputs: Outputs) -> None:
        known = self._tables
        self._tables = {
            id_: known[id_] if id_ in known else _Table(output, UpstreamTable.from_json(output.upstream))
            for id_, output in outputs.items()
            if output.reference != PROGRESS
        }

    # -- contents --

    def _begin(self, upstream: Upstream, outputs: Outputs, max_bytes: int) -> Polled | Pending:
        if self._snapshot is None:
            check_replicates(upstream.db, self._options.publication)
            upstream.drop_slot()
            wanted = {id_: table.upstream for id_, table in self._tables.items()}
            self._snapshot = self._snapshot_of(upstream, wanted, temporary=False)
        if not self._snapshot.ready(WAIT_S):
            if self._snapshot.is_slow:
                raise _SlotWaits(
                    "the replication slot waits for transactions that are open upstream",
                    hint="See pg_stat_activity there, ordered by xact_start.",
                )
            return Pending.PENDING
        assert self._snapshot.lsn is not None
        cluster = upstream.cluster()
        begun = Position(cluster.system, cluster.timeline, self._snapshot.lsn)
        self._reached = begun.lsn
        return self._piece(self._snapshot, begun, outputs, max_bytes)

    def _snapshot_of(
        self, upstream: Upstream, tables: Mapping[OutputId, UpstreamTable], *, temporary: bool
    ) -> Snapshot:
        slot = f"{self._options.slot[:50]}_{token_hex(4)}" if temporary else self._options.slot
        options = self._options
        return Snapshot(
            upstream.connect, upstream.replicate, options.publication, slot, tables, temporary=temporary
        )

    def _piece(self, snapshot: Snapshot, at: Position, outputs: Outputs, max_bytes: int) -> Polled:
        piece = snapshot.piece(max_bytes)
        contents: dict[OutputId, Any] = {}
        if piece.table in self._tables:
            contents[piece.table] = self._rows_of(piece, self._tables[piece.table])
        if piece.more:
            now = replace(at, piece=at.piece + 1)
        else:
            self._snapshot = None
            outputs_now = {**dict.fromkeys(piece.staged), **at.outputs}
            now = replace(at.at(at.lsn), outputs={i: e for i, e in outputs_now.items() if i in self._tables})
        return self._polled(
            at, now, outputs, contents, piece.nbytes, at_end=True, known=piece.known, staged=piece.staged
        )

    @staticmethod
    def _rows_of(piece: Piece, table: _Table) -> OutputChanges:
        names = [column.name for column in table.upstream.columns]
        return OutputChanges(
            *rows_of(piece.columns, names, table.output.schema, np.ones(piece.rows, np.int64))
        )

    # -- transactions --

    def _transactions(
        self, stream: ReplicationStream, at: Position, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | None:
        snapshot = self._snapshot
        ready = snapshot is not None and snapshot.ready()
        until = None if snapshot is None else snapshot.lsn if ready else snapshot.not_before
        held = sum(map(len, self._pending))
        received = stream.read(max_bytes if held <= MOST_PENDING * max_bytes else 0, 0 if held else WAIT_S)
        self._pending += received.messages
        self._reached = max(self._reached, received.reached)
        taken, rest, is_there = self._whole(until)
        if not taken and not is_there and held > MOST_PENDING * max_bytes:
            return self._part(at, outputs)
        if not taken and at.piece:
            return Pending.PENDING  # the rest of a transaction
        self._pending = rest
        found = self._decoder.decode(taken)
        self._read_to = max(self._read_to, found.end_lsn or 0)
        if not rest or is_there:
            self._read_to = max(self._read_to, self._reached if until is None else min(self._reached, until))
        contents, outputs_now = self._contents(found, at)
        now = replace(at.at(self._read_to), outputs=outputs_now)
        if ready and now.lsn == until and not contents and not at.piece:
            assert snapshot is not None
            return self._piece(snapshot, now, outputs, max_bytes)
        idle = not contents and not at.piece and outputs_now == at.outputs
        if idle and (now.lsn == at.lsn or monotonic() - self._moved < IDLE_S):
            return None if snapshot is None else Pending.PENDING
        at_end = not rest and not received.more
        return self._polled(at, now, outputs, contents, sum(map(len, taken)), at_end=at_end)

    def _whole(self, until: int | None) -> tuple[Sequence[bytes], list[bytes], bool]:
        """The whole transactions that are pending, the rest, and whether that begins with one whose commit lies at `until` or behind.
        What a snapshot at `until` has not seen comes behind it."""
        pending = self._pending
        if until is not None:
            for place, message in enumerate(pending):
                if message[HEADER] == _BEGIN and _COMMIT_LSN.unpack_from(message, HEADER + 1)[0] >= until:
                    return pending[:place], pending[place:], True
        end = last_commit(pending)
        return pending[:end], pending[end:], False

    def _part(self, at: Position, outputs: Outputs) -> Polled:
        """Of a transaction whose end has not come yet, what there is of it."""
        taken, self._pending = self._pending, []
        contents, outputs_now = self._contents(self._decoder.decode(taken), at)
        now = replace(at, outputs=outputs_now, piece=at.piece + 1)
        return self._polled(at, now, outputs, contents, sum(map(len, taken)), at_end=False)

    def _contents(
        self, found: Decoded, at: Position
    ) -> tuple[dict[OutputId, Any], dict[OutputId, str | None]]:
        changed = self._changed_now(found, at)
        contents: dict[OutputId, Any] = {}
        outputs = {id_: error for id_, error in at.outputs.items() if id_ in self._tables}
        for id_, table in self._tables.items():
            if outputs.get(id_, "") is not None:
                continue
            changes: Sequence[OutputChanges] = ()
            if (error := changed.get(id_)) is None:
                changes, error = self._changes(table, found.tables.get(table.upstream.oid, ()))
            if error is not None:
                outputs[id_] = error
                changes = [*changes, OutputChanges(no_changes(table.output.schema), an_error(error))]
            if changes:
                contents[id_] = joined(table.output, changes)
        return contents, outputs

    def _changes(self, table: _Table, segments: Iterable[Segment]) -> tuple[list[OutputChanges], str | None]:
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
                changes.append(
                    OutputChanges(*rows_of(segment.columns, names, table.output.schema, segment.diffs))
                )
        return changes, None

    def _changed_now(self, found: Decoded, at: Position) -> Mapping[OutputId, str]:
        """Tables that are not what they were, and why.  It is looked now and then, and when one is told of in the log: what is told
        there has no numbers of columns."""
        if not found.relations and monotonic() - self._looked < LOOK_S:
            return {}
        self._looked = monotonic()
        assert self._upstream is not None
        there = self._upstream.tables()
        if there is None:
            return {}
        changed = {}
        for id_, table in self._tables.items():
            error = _changed(table.upstream, there.get(table.upstream.oid))
            if error is not None and at.outputs.get(id_, "") is None:
                changed[id_] = error
        return changed

    def _polled(
        self,
        before: Position,
        now: Position,
        outputs: Outputs,
        contents: dict[OutputId, Any],
        nbytes: int,
        *,
        at_end: bool,
        known: Mapping[OutputId, int] | None = None,
        staged: Mapping[OutputId, int] | None = None,
    ) -> Polled:
        complete = now.piece == 0
        if complete:
            self._moved = monotonic()
            shown = [id_ for id_, output in outputs.items() if output.reference == PROGRESS]
            for id_ in shown:
                contents[id_] = progress_changes(before.progress.get(id_), now.lsn)
            now = replace(now, progress=dict.fromkeys(shown, now.lsn))
        return Polled(
            contents,
            now.to_json(),
            at_end=complete and at_end,
            lag_bytes=max(0, self._reached - now.lsn),
            nbytes=nbytes,
            complete=complete,
            snapshot=known or {},
            snapshot_staged=staged or {},
            offset_known=max(self._reached, now.lsn),
            offset_committed=now.lsn,
        )


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
