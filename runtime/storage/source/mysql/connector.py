"""The connector of MYSQL sources: see upstream/connector.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ....repr.schema import Column
from ...connections.values import Values
from ...ingestion import OutputChanges
from ...statistics import OutputId
from ..upstream.connector import Ended, Table, UpstreamConnector
from ..upstream.ended import AGAIN
from ..upstream.rows import rows_of
from ..upstream.snapshot import Part, Snapshot
from .charsets import Charset
from .ddl import Effect
from .decode import NOT_NAMED, Change, Decoder, Segment
from .options import MysqlOptions
from .position import Position
from .progress import PROGRESS_SCHEMA
from .replication import BinlogStream
from .snapshot import Moment, MysqlSnapshot
from .tables import MysqlColumn, MysqlTable
from .upstream import Upstream
from .values import is_of, shown, values_of


class MysqlConnector(UpstreamConnector[Position, Moment, MysqlTable]):
    def __init__(self, options: MysqlOptions, connections: Mapping[str, Values]) -> None:
        super().__init__(PROGRESS_SCHEMA)
        self._upstream = Upstream(options, connections[options.connection])
        self._decoder = Decoder()
        self._stream: BinlogStream | None = None
        """The log, if it is open."""

    def reset(self) -> None:
        super().reset()
        self._stream, self._decoder = None, Decoder()

    def table(self, text: str) -> MysqlTable:
        return MysqlTable.from_json(text)

    def position(self, value: Mapping[str, Any]) -> Position:
        return Position.from_json(value)

    def failures(self) -> AbstractContextManager[None]:
        return self._upstream.failures()

    def failed(self, at: Position) -> None:
        if self._stream is not None and self._stream.lacks_last:
            self._upstream.lacks = at.last

    # -- contents --

    def first_snapshot(self, tables: Mapping[OutputId, MysqlTable]) -> Snapshot[Moment]:
        self._upstream.check()
        return self._upstream.snapshot(tables)

    def added_snapshot(self, tables: Mapping[OutputId, MysqlTable]) -> Snapshot[Moment]:
        return self._upstream.snapshot(tables)

    def begins_at(self, snapshot: Snapshot[Moment]) -> Position:
        assert isinstance(snapshot, MysqlSnapshot)
        return Position(snapshot.gtids, snapshot.file, snapshot.byte)

    def rows(self, part: Part, table: Table[MysqlTable]) -> OutputChanges:
        columns = [shown(raw, *both) for raw, both in zip(part.columns, _columns(table), strict=True)]
        ones = np.ones(part.rows, np.int64)
        return OutputChanges(*rows_of(columns, _names(table), table.output.schema, ones, table.upstream))

    # -- transactions --

    def log_behind(self, at: Position) -> tuple[BinlogStream, Position]:
        self._stream = self._upstream.stream(at)
        return self._stream, at

    def changes(
        self, events: Sequence[bytes], tables: Mapping[OutputId, Table[MysqlTable]]
    ) -> Mapping[OutputId, Ended]:
        names = {id_: (table.upstream.schema, table.upstream.name) for id_, table in tables.items()}
        found = self._decoder.decode(events, frozenset(names.values()))
        return {id_: self._changes(table, found.get(names[id_], ())) for id_, table in tables.items()}

    def _changes(self, table: Table[MysqlTable], found: Sequence[Change]) -> Ended:
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

    def _rows(self, table: Table[MysqlTable], segment: Segment) -> OutputChanges:
        cells = segment.by_name(table.upstream.layout)
        charsets = self._upstream.charsets(c.charset for c in table.upstream.columns if c.charset is not None)
        columns = [
            values_of(segment.stream, cells[column.name], column, own, _charset(charsets, column))
            for column, own in _columns(table)
        ]
        schema = table.output.schema
        return OutputChanges(*rows_of(columns, _names(table), schema, segment.diffs, table.upstream))


def _columns(table: Table[MysqlTable]) -> Sequence[tuple[MysqlColumn, Column]]:
    """Those that are read."""
    own = {column.name: column for column in table.output.schema}
    return [(column, own[column.name]) for column in table.upstream.columns]


def _names(table: Table[MysqlTable]) -> Sequence[str]:
    return [column.name for column in table.upstream.columns]


def _charset(charsets: Mapping[str, Charset], column: MysqlColumn) -> Charset | None:
    return None if column.charset is None else charsets[column.charset]


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
