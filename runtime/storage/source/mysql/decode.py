"""Events of the binary log, decoded by whole batches: changes of tables, and what statements do to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ....repr.batch import Diffs
from . import events as ev
from .ddl import Effect, effects
from .events import TableMap
from .walk import Bytes, Cells, Mask, Positions, Stream, Walker

Name = tuple[str, str]
"""A schema and a table."""

_HEADER = ev.HEADER
_BODY = _HEADER + 8
_IS_ROWS = np.isin(np.arange(256), ev.ROWS)
_IS_SPECIAL = np.isin(np.arange(256), (ev.QUERY, ev.TABLE_MAP, ev.XA_PREPARE, ev.PARTIAL_UPDATE))
_BEGINS = np.isin(np.arange(256), (ev.GTID, ev.MYSQL_GTID))
_IS_UPDATE, _IS_DELETE = (np.isin(np.arange(256), kinds) for kinds in (ev.UPDATE_ROWS, ev.DELETE_ROWS))
_SINCE_2 = ev.WRITE_ROWS[1]
"""The least type of version 2, whose events have more of a head."""

NOT_FULL_IMAGE = "has rows upstream without all of their columns (binlog_row_image)"
NOT_NAMED = "has rows upstream without the names of their columns (binlog_row_metadata)"
_PARTIAL = "has rows upstream that say of a JSON value only what has changed of it (binlog_row_value_options)"
_UNDONE = "was changed by a transaction that is not told whole (XA, or ROLLBACK TO over tables without transactions)"


@dataclass(frozen=True, slots=True)
class Segment:
    """Changes of a table while it had these columns.  Only the sum has a meaning: rows are in no order.  `fault` says why there are none.
    The log may have left out what the columns are `named`."""

    stream: Stream
    cells: Sequence[Cells]
    diffs: Diffs
    fault: str | None = None
    named: bool = True

    def by_name(self, layout: Sequence[str]) -> dict[str, Cells]:
        """By the names that the log says, or else by those of the table's first columns, in order."""
        if self.named:
            return {cell.column.name: cell for cell in self.cells}
        return dict(zip(layout, self.cells, strict=False))


Change = Segment | Effect


class Decoder:
    """Decodes what one connection sends, all of it in order; it keeps which tables events are of."""

    def __init__(self) -> None:
        self._tables: dict[int, TableMap] = {}
        """By the numbers that events have, since the server began its file of the log."""
        self._known: dict[bytes, TableMap] = {}
        """By what an event says, which is said again for every statement."""
        self._touched: frozenset[Name] = frozenset()
        """Tables with rows in the transaction that is not whole yet."""

    def decode(self, events: Sequence[bytes], wanted: frozenset[Name]) -> dict[Name, list[Change]]:
        """What comes of the wanted tables, in order.  `events` may be cut anywhere."""
        found: dict[Name, list[Change]] = defaultdict(list)
        begin = 0
        for at, event in enumerate([*events, _END]):
            if event[4] == ev.FORMAT:
                if at > begin:
                    for name, changes in self._file(events[begin:at], wanted).items():
                        found[name] += changes
                self._tables = self._tables if event is _END else {}
                begin = at + 1
        return found

    def _file(self, events: Sequence[bytes], wanted: frozenset[Name]) -> dict[Name, list[Change]]:
        """Events of one file of the log."""
        stream = Stream(events)
        kinds = stream.raw[stream.starts + 4]
        specials, undone = self._specials(events, kinds)
        rows = np.flatnonzero(_IS_ROWS[kinds])
        numbers = stream.little(stream.starts[rows] + _HEADER, 6)
        by_name: dict[Name, list[tuple[TableMap, Positions]]] = defaultdict(list)
        for number in np.unique(numbers).tolist():
            table = self._table(number)
            if (table.schema, table.name) in wanted:
                by_name[table.schema, table.name].append((table, rows[numbers == number]))
        found: dict[Name, list[Change]] = {}
        for name in wanted:
            parts = by_name.get(name, ())
            own = [(at, effect) for at, effect in specials if _concerns(effect, name)]
            for at in undone:
                begin = _begin(kinds, at)
                if (begin < 0 and name in self._touched) or _any_between(parts, begin, at):
                    own.append((at, Effect(_UNDONE)))
            changes = list(_in_order(stream, kinds, parts, sorted(own, key=lambda one: one[0])))
            if changes:
                found[name] = changes
        begin = _begin(kinds, len(kinds))
        before = self._touched if begin < 0 else frozenset()
        self._touched = before | {n for n, parts in by_name.items() if _any_between(parts, begin, len(kinds))}
        return found

    def _table(self, number: int) -> TableMap:
        table = self._tables.get(number)
        if table is None:
            raise ev.broken(f"rows of a table (number {number}) that it has not described")
        return table

    def _specials(self, events: Sequence[bytes], kinds: Bytes) -> tuple[list[tuple[int, Effect]], list[int]]:
        """What statements do, each with the number of its event; and the events that undo what rows said before."""
        specials: list[tuple[int, Effect]] = []
        undone: list[int] = []
        for at in np.flatnonzero(_IS_SPECIAL[kinds]).tolist():
            event = events[at]
            if event[4] == ev.TABLE_MAP:
                body = event[_BODY:]
                table = self._known.get(body)
                if table is None:
                    if len(self._known) >= _MOST_KNOWN:
                        self._known.clear()
                    table = self._known[body] = ev.table_map(body)
                self._tables[int.from_bytes(event[_HEADER : _HEADER + 6], "little")] = table
            elif event[4] == ev.XA_PREPARE:
                undone.append(at)
            elif event[4] == ev.PARTIAL_UPDATE:
                table = self._table(int.from_bytes(event[_HEADER : _HEADER + 6], "little"))
                specials.append((at, Effect(_PARTIAL, table.schema, table.name)))
            else:
                sql, schema = ev.statement_of(event, len(event))
                if sql[:9].upper() == "ROLLBACK ":
                    undone.append(at)
                else:
                    specials += [(at, effect) for effect in effects(sql, schema)]
        return specials, undone


_MOST_KNOWN = 10_000
_END = bytes((0, 0, 0, 0, ev.FORMAT))
"""Stands behind the last event."""


def _any_between(parts: Sequence[tuple[TableMap, Positions]], begin: int, end: int) -> bool:
    return any(bool(((events > begin) & (events < end)).any()) for _, events in parts)


def _begin(kinds: Bytes, at: int) -> int:
    """Where the transaction begins that is open at event `at`."""
    begins = np.flatnonzero(_BEGINS[kinds[:at]])
    return int(begins[-1]) if len(begins) else -1


def _concerns(effect: Effect, name: Name) -> bool:
    """Names are compared without their case, which a server may not look at either."""
    return all(
        said is None or said.lower() == own.lower()
        for said, own in zip((effect.schema, effect.table), name, strict=True)
    )


def _in_order(
    stream: Stream,
    kinds: Bytes,
    parts: Sequence[tuple[TableMap, Positions]],
    specials: Sequence[tuple[int, Effect]],
) -> Iterator[Change]:
    """What comes of one table: its rows' events, between the statements that concern it."""
    begin = 0
    for at, effect in [*specials, (len(kinds), None)]:
        for table, events in parts:
            own = events[(events >= begin) & (events < at)]
            if len(own):
                yield from _segments(stream, kinds, own, table)
        if effect is not None:
            yield effect
        begin = at


def _segments(stream: Stream, kinds: Bytes, events: Positions, table: TableMap) -> Iterator[Segment]:
    width = len(table.columns)
    walker = Walker(stream, table.columns)
    kinds = kinds[events]
    at = stream.starts[events] + _BODY
    at = np.where(kinds >= _SINCE_2, at + stream.little(at, 2).astype(np.int64), at)
    size, at = _sizes(stream, at)
    if (size != width).any():
        raise ev.broken("rows of another number of columns than their table")
    updates = _IS_UPDATE[kinds]
    present = (width + 7) // 8
    full = np.packbits(np.ones(width, np.bool_), bitorder="little")
    for of, head in ((np.arange(len(at)), at), (np.flatnonzero(updates), at[updates] + present)):
        if len(of) and ((stream.raw[head[:, None] + np.arange(present)] & full) != full).any():
            yield Segment(stream, (), np.empty(0, np.int64), NOT_FULL_IMAGE, table.named)
            return
    at = at + present * (1 + updates.astype(np.int64))
    starts, owners = walker.rows(at, stream.ends[events])
    diffs = _diffs(owners, updates, _IS_DELETE[kinds])
    yield Segment(stream, walker.cells(starts), diffs, named=table.named)


def _sizes(stream: Stream, at: Positions) -> tuple[Positions, Positions]:
    """How many columns there are, a number of one byte or of three, and what is behind it."""
    first = stream.raw[at].astype(np.int64)
    is_long = first == 252
    return np.where(is_long, stream.little(at + 1, 2).astype(np.int64), first), at + np.where(is_long, 3, 1)


def _diffs(owners: Positions, updates: Mask, deletes: Mask) -> Diffs:
    """Of rows by their events; those of updates are the old one and the new one, in turn."""
    diffs = np.where(deletes[owners], -1, 1).astype(np.int64)
    changed = np.flatnonzero(updates[owners])
    if len(changed):
        own = owners[changed]
        first = np.flatnonzero(np.r_[True, own[1:] != own[:-1]])
        counts = np.diff(np.r_[first, len(own)])
        if (counts % 2).any():
            raise ev.broken("an updated row without a new one")
        place = np.arange(len(own)) - np.repeat(first, counts)
        diffs[changed] = np.where(place % 2 == 0, -1, 1)
    return diffs
