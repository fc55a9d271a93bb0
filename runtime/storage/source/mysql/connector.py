"""The connector of MYSQL sources: the contents of tables first, then transactions, each whole.

```
no position ── a snapshot at S ── pieces ──┐
position ── the binary log ── transactions ┴── Polled
         └─ a table that is new: a snapshot at S ── transactions up to S ── pieces ── transactions ...
```

A table that upstream has become another one (altered, emptied, dropped) has an error from then on, and the others go on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np

from ....errors import PtvcError
from ....repr.schema import Column
from ...changes import no_changes
from ...connections.values import Values
from ...ingestion import PROGRESS, Output, OutputChanges, Outputs, Pending, Polled
from ...statistics import OutputId
from ..ended_tables import AGAIN, an_error, joined
from ..upstream_rows import rows_of
from .charsets import Charset
from .ddl import Effect
from .decode import NOT_NAMED, Change, Decoder, Name, Segment
from .options import MysqlOptions
from .position import Position, progress_changes
from .replication import BinlogStream
from .snapshot import Piece, Snapshot
from .tables import MysqlColumn, MysqlTable
from .upstream import Upstream
from .values import is_of, shown, values_of

WAIT_S = 0.1
"""How long an event is waited for."""
RETRY_S = 1.0
"""After something went wrong."""
IDLE_S = 10.0
"""Where nothing changes in the tables the position moves so often, so that it stays within what the server keeps of its log."""
MOST_PENDING = 4
"""A transaction of more than so many times what is asked for is handed out in pieces."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table that the source makes, and what that is upstream."""

    output: Output
    upstream: MysqlTable

    @property
    def columns(self) -> Sequence[tuple[MysqlColumn, Column]]:
        return list(zip(self.upstream.columns, self.output.schema, strict=True))


class MysqlConnector:
    """It waits for events itself."""

    def __init__(self, options: MysqlOptions, connections: Mapping[str, Values]) -> None:
        self._upstream = Upstream(options, connections[options.connection])
        self._stream: BinlogStream | None = None
        self._decoder = Decoder()
        self._snapshot: Snapshot | None = None
        self._copies = False
        """Whether pieces of the snapshot were handed out."""
        self._expected: Mapping[str, Any] | None = None
        """The position that is to come next: another one means that what was handed out was given up."""
        self._failure: tuple[PtvcError, float] | None = None
        self._moved = 0.0
        self._tables: dict[OutputId, _Table] = {}

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
        if self._snapshot is not None:
            self._snapshot.close()
        self._stream = self._snapshot = None
        self._decoder, self._copies = Decoder(), False

    def poll(
        self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | None:
        if self._failure is not None:
            error, until = self._failure
            if monotonic() < until:
                raise error
            self._failure = None
        if position != self._expected:
            self.close()
            self._expected = position
        try:
            with self._upstream.failures():
                polled = self._poll(position, outputs, max_bytes)
        except PtvcError as error:
            if position is not None and self._stream is not None and self._stream.lacks_last:
                self._upstream.lacks = Position.from_json(position).last
            self.close()
            self._failure = error, monotonic() + RETRY_S
            raise
        if isinstance(polled, Polled):
            self._expected = polled.position
        return polled

    def _poll(
        self, position: Mapping[str, Any] | None, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | None:
        self._take(outputs)
        if position is None:
            return self._begin(outputs, max_bytes) if self._tables else None
        at = Position.from_json(position)
        if self._snapshot is not None and self._copies and at.piece:
            return self._piece(self._snapshot, at, outputs, max_bytes)
        if self._stream is None:
            if at.piece:
                raise AssertionError("what was staged is not durable")
            self._stream = self._upstream.stream(at)
        new = {id_: table.upstream for id_, table in self._tables.items() if id_ not in at.outputs}
        if new and self._snapshot is None and not at.piece:
            self._snapshot = self._upstream.snapshot(new)
        return self._transactions(self._stream, at, outputs, max_bytes)

    def _take(self, outputs: Outputs) -> None:
        known = self._tables
        self._tables = {
            id_: known[id_] if id_ in known else _Table(output, MysqlTable.from_json(output.upstream))
            for id_, output in outputs.items()
            if output.reference != PROGRESS
        }

    # -- contents --

    def _begin(self, outputs: Outputs, max_bytes: int) -> Polled:
        self._upstream.check()
        self._snapshot = self._upstream.snapshot({id_: table.upstream for id_, table in self._tables.items()})
        begun = Position(self._snapshot.gtids, self._snapshot.file, self._snapshot.byte)
        return self._piece(self._snapshot, begun, outputs, max_bytes)

    def _piece(self, snapshot: Snapshot, at: Position, outputs: Outputs, max_bytes: int) -> Polled:
        """The next one; with the first, tables that are not what they were have an error instead of contents."""
        contents: dict[OutputId, Any] = {}
        errors = dict(at.outputs)
        if not self._copies:
            self._copies = True
            changed = self._changed(snapshot)
            snapshot.leave_out(frozenset(changed))
            for id_, error in changed.items():
                errors[id_] = error
                contents[id_] = _ended(self._tables[id_].output, (), error)
        piece = snapshot.piece(max_bytes)
        if piece.table in self._tables:
            contents[piece.table] = _rows_of(piece, self._tables[piece.table])
        if piece.more:
            now = replace(at, outputs=errors, piece=at.piece + 1)
        else:
            self._snapshot, self._copies = None, False
            errors = {**dict.fromkeys(piece.staged), **errors}
            now = replace(at.at(at.gtids), outputs={i: e for i, e in errors.items() if i in self._tables})
        return self._polled(at, now, outputs, contents, piece.nbytes, at_end=True, piece=piece)

    def _changed(self, snapshot: Snapshot) -> dict[OutputId, str]:
        """Tables of the snapshot that are not what they were when they were asked for, and why."""
        changed = {}
        for id_ in snapshot.known:
            table = self._tables[id_].upstream
            now = snapshot.definitions.get((table.schema, table.name))
            if (error := _misfit(table, now)) is not None:
                changed[id_] = error
        return changed

    # -- transactions --

    def _transactions(
        self, stream: BinlogStream, at: Position, outputs: Outputs, max_bytes: int
    ) -> Polled | Pending | None:
        snapshot, log = self._snapshot, stream.log
        held = log.nbytes
        more = stream.read(
            max_bytes if held <= MOST_PENDING * max_bytes else 0, WAIT_S if log.is_empty else 0.0
        )
        until = None if snapshot is None else snapshot.place
        taken = log.whole(until)
        if not taken.ends and not taken.is_there and held > MOST_PENDING * max_bytes:
            return self._part(stream, at, outputs)
        if not taken.ends and at.piece:
            return Pending.PENDING  # the rest of a transaction
        log.take(taken)
        contents, errors = self._contents(taken.events, at)
        now = replace(at.at(taken.gtids), outputs=errors, last=taken.last or at.last)
        if taken.is_there and not contents and not at.piece:
            assert snapshot is not None
            return self._piece(snapshot, now, outputs, max_bytes)
        idle = not contents and not at.piece and errors == at.outputs
        if idle and (now.gtids == at.gtids or monotonic() - self._moved < IDLE_S):
            return None if snapshot is None and log.is_empty else Pending.PENDING
        nbytes = sum(map(len, taken.events))
        return self._polled(at, now, outputs, contents, nbytes, at_end=log.is_empty and not more)

    def _part(self, stream: BinlogStream, at: Position, outputs: Outputs) -> Polled:
        """Of a transaction whose end has not come yet, what there is of it."""
        events = stream.log.part()
        contents, errors = self._contents(events, at)
        now = replace(at, outputs=errors, piece=at.piece + 1)
        return self._polled(at, now, outputs, contents, sum(map(len, events)), at_end=False)

    def _contents(
        self, events: Sequence[bytes], at: Position
    ) -> tuple[dict[OutputId, Any], dict[OutputId, str | None]]:
        errors = {id_: error for id_, error in at.outputs.items() if id_ in self._tables}
        reads = {id_: table for id_, table in self._tables.items() if errors.get(id_, "") is None}
        wanted = frozenset((table.upstream.schema, table.upstream.name) for table in reads.values())
        found: Mapping[Name, Sequence[Change]] = self._decoder.decode(events, wanted)
        contents: dict[OutputId, Any] = {}
        for id_, table in reads.items():
            changes, error = self._changes(table, found.get((table.upstream.schema, table.upstream.name), ()))
            if error is not None:
                errors[id_] = error
                contents[id_] = _ended(table.output, changes, error)
            elif changes:
                contents[id_] = joined(table.output, changes)
        return contents, errors

    def _changes(self, table: _Table, found: Sequence[Change]) -> tuple[list[OutputChanges], str | None]:
        """What there is up to what ends the table, if something does."""
        changes: list[OutputChanges] = []
        for change in found:
            if isinstance(change, Segment):
                error = _fault(table.upstream, change)
                if error is not None:
                    return changes, error
                if len(change.diffs):
                    changes.append(self._rows(table, change))
            elif _matters(change, table.upstream):
                return changes, f'table "{table.upstream.reference}" {change.how}: {AGAIN}'
        return changes, None

    def _rows(self, table: _Table, segment: Segment) -> OutputChanges:
        cells = segment.by_name(table.upstream.layout)
        charsets = self._upstream.charsets(c.charset for c in table.upstream.columns if c.charset is not None)
        columns = [
            values_of(segment.stream, cells[column.name], column, own, _charset(charsets, column))
            for column, own in table.columns
        ]
        return OutputChanges(*rows_of(columns, table.output.schema.names, table.output.schema, segment.diffs))

    def _polled(
        self,
        before: Position,
        now: Position,
        outputs: Outputs,
        contents: dict[OutputId, Any],
        nbytes: int,
        *,
        at_end: bool,
        piece: Piece | None = None,
    ) -> Polled:
        complete = now.piece == 0
        if complete:
            self._moved = monotonic()
            exposed = [id_ for id_, output in outputs.items() if output.reference == PROGRESS]
            for id_ in exposed:
                contents[id_] = progress_changes(before.progress.get(id_), now.gtids)
            now = replace(now, progress=dict.fromkeys(exposed, now.gtids))
        return Polled(
            contents,
            now.to_json(),
            at_end=complete and at_end,
            lag_bytes=None,
            nbytes=nbytes,
            complete=complete,
            snapshot={} if piece is None else piece.known,
            snapshot_staged={} if piece is None else piece.staged,
        )


def _charset(charsets: Mapping[str, Charset], column: MysqlColumn) -> Charset | None:
    return None if column.charset is None else charsets[column.charset]


def _rows_of(piece: Piece, table: _Table) -> OutputChanges:
    columns = [shown(raw, *both) for raw, both in zip(piece.columns, table.columns, strict=True)]
    schema = table.output.schema
    return OutputChanges(*rows_of(columns, schema.names, schema, np.ones(piece.rows, np.int64)))


def _ended(output: Output, changes: Sequence[OutputChanges], error: str) -> OutputChanges:
    return joined(output, [*changes, OutputChanges(no_changes(output.schema), an_error(error))])


def _misfit(table: MysqlTable, now: MysqlTable | None) -> str | None:
    """Why the table there is not the one that was asked for; columns that came to it do not matter."""
    if now is None:
        return f'table "{table.reference}" was dropped upstream: {AGAIN}'
    if now.obstacle is not None:
        return f'table "{table.reference}" cannot be read whole any more: {now.obstacle}; then {AGAIN}'
    if now.layout[: len(table.layout)] != table.layout:
        return f'the columns of table "{table.reference}" are in another order upstream: {AGAIN}'
    there = {column.name: column for column in now.columns}
    for column in table.columns:
        if column.name not in there:
            return f'column "{column.name}" of table "{table.reference}" is gone upstream: {AGAIN}'
        found = there[column.name]
        if (found.type_name, found.charset) != (column.type_name, column.charset):
            return f'column "{column.name}" of table "{table.reference}" has another type upstream: {AGAIN}'
    return None


def _matters(change: Effect, table: MysqlTable) -> bool:
    """Whether the table is another one for who reads these columns of it."""
    if change.columns is None or (change.moves and table.layout):
        return True
    return bool(change.columns & {column.name.lower() for column in table.columns})


def _fault(table: MysqlTable, segment: Segment) -> str | None:
    """Why rows are not of the table that was read."""
    if segment.fault is not None:
        return f'table "{table.reference}" {segment.fault}: set it to FULL, then {AGAIN}'
    if not segment.named and not table.layout:
        return f'table "{table.reference}" {NOT_NAMED}: set it to FULL, then {AGAIN}'
    there = {name: cell.column for name, cell in segment.by_name(table.layout).items()}
    for column in table.columns:
        if column.name not in there:
            return f'column "{column.name}" of table "{table.reference}" is gone upstream: {AGAIN}'
        if not is_of(column, there[column.name], signed_known=segment.named):
            return f'column "{column.name}" of table "{table.reference}" has another type upstream: {AGAIN}'
    return None
