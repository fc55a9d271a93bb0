"""The contents of tables at one place of the binary log.

```
a transaction with a consistent snapshot ── where in the log that is ── SELECT, table by table ── done
```

MariaDB says of a snapshot which place in its log it is of (`binlog_snapshot_file`, `binlog_snapshot_position`), so nothing is locked, and
nobody waits.  MySQL does not: there a snapshot begins while FLUSH TABLES WITH READ LOCK holds, which waits for commits that have begun, and
keeps others; so it is of the transactions that the server has then.  The first question about a table keeps it from being altered; one that was altered between is not what the snapshot
is of, and MariaDB refuses to read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ...connections.mysql import Db
from ...statistics import OutputId
from ..directory import SourceStalled
from .events import broken
from .gtid_set import GtidSet
from .packets import PacketReader
from .position import Place, file_number
from .server import executed_gtids, is_mariadb, offered_tables, quoted, rows
from .tables import FLOATS, MysqlColumn, MysqlTable
from .walk import Stream

_QUERY = 3
_ERROR, _NULL, _END = 0xFF, 0xFB, 0xFE
_LEAST_ROW = 9
"""A packet that begins as the end does, and is as long, is a row."""
WAIT_S = 60.0
"""So long the server may say nothing."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of one table, as binaries by column of `MysqlTable.columns`.  `known` are guesses of how many each table has, `staged` how
    many came of each with this piece; where no `more` follow these are all."""

    table: OutputId | None
    columns: tuple[pa.Array, ...]
    rows: int
    nbytes: int
    known: Mapping[OutputId, int]
    staged: Mapping[OutputId, int]
    more: bool


@dataclass(frozen=True, slots=True)
class _Part:
    table: OutputId
    packets: Sequence[bytes]


class Snapshot:
    """Of tables, by output.  It holds a connection until it is closed."""

    def __init__(self, connect: Callable[[], Db], tables: Mapping[OutputId, MysqlTable]) -> None:
        self._db = connect()
        try:
            self._begin(connect, tables)
        except BaseException:
            self.close()
            raise

    def _begin(self, connect: Callable[[], Db], tables: Mapping[OutputId, MysqlTable]) -> None:
        self._db.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        there = sorted({(table.schema, table.name) for table in tables.values()})
        if is_mariadb(self._db):
            self._begin_at_place(there)
        else:
            self._begin_locked(connect, there)
        self.definitions = {(table.schema, table.name): table for table in offered_tables(self._db, there)}
        """The tables as they are for as long as this is there, by name; those that are gone are not among them."""
        self._tables = dict(tables)
        self._staged = dict.fromkeys(tables, 0)
        self.known = {id_: self._guess(table) for id_, table in tables.items()}
        """How many rows each output may have."""
        self._parts: Iterator[_Part] | None = None
        self._next: _Part | None = None

    def _begin_at_place(self, names: Sequence[tuple[str, str]]) -> None:
        self._db.query("START TRANSACTION WITH CONSISTENT SNAPSHOT")
        found = dict(rows(self._db, "SHOW STATUS LIKE 'binlog_snapshot_%'"))
        place = {str(name).lower(): value for name, value in found.items()}
        self.file, self.byte = str(place["binlog_snapshot_file"]), int(place["binlog_snapshot_position"])
        self.place: Place | GtidSet = Place(file_number(self.file), self.byte)
        ((gtids,),) = rows(self._db, "SELECT BINLOG_GTID_POS(%s, %s)", (self.file, self.byte))
        self.gtids = str(gtids or "")
        self._keep(names)

    def _begin_locked(self, connect: Callable[[], Db], names: Sequence[tuple[str, str]]) -> None:
        lock = connect()
        try:
            lock.query("FLUSH TABLES WITH READ LOCK")
            self._db.query("START TRANSACTION WITH CONSISTENT SNAPSHOT")
            self._keep(names)
            self.place, _ = executed_gtids(lock)
            lock.query("UNLOCK TABLES")
        finally:
            lock._force_close()
        self.gtids, self.file, self.byte = self.place.text, "", 0

    def _keep(self, names: Sequence[tuple[str, str]]) -> None:
        """Nobody alters the tables before this ends."""
        missing = 1146
        for schema, name in names:
            try:
                self._db.query(f"SELECT 1 FROM {quoted(schema)}.{quoted(name)} LIMIT 1")
            except Exception as error:
                if getattr(error, "args", (0,))[0] != missing:
                    raise

    def _guess(self, table: MysqlTable) -> int:
        found = rows(
            self._db,
            "SELECT TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s",
            (table.schema, table.name),
        )
        return int(found[0][0] or 0) if found else 0

    def close(self) -> None:
        self._db._force_close()

    def leave_out(self, tables: frozenset[OutputId]) -> None:
        """Nothing is read of these."""
        for id_ in tables:
            del self._tables[id_]

    def piece(self, max_bytes: int) -> Piece:
        """The next one; the connection is closed with the last."""
        if self._parts is None:
            self._parts = self._all(max_bytes)
            self._next = next(self._parts, None)
        now, self._next = self._next, next(self._parts, None)
        more = self._next is not None
        if not more:
            self.close()
        if now is None:
            return Piece(None, (), 0, 0, dict(self._staged), dict(self._staged), more)
        self._staged[now.table] += len(now.packets)
        known = {
            id_: staged if not more else max(staged + 1, self.known[id_])
            for id_, staged in self._staged.items()
        }
        columns = columns_of(now.packets, len(self._tables[now.table].columns))
        nbytes = sum(map(len, now.packets))
        return Piece(now.table, columns, len(now.packets), nbytes, known, dict(self._staged), more)

    def _all(self, max_bytes: int) -> Iterator[_Part]:
        for id_, table in self._tables.items():
            listed = ", ".join(map(_asked, table.columns))
            self._db._execute_command(
                _QUERY, f"SELECT {listed} FROM {quoted(table.schema)}.{quoted(table.name)}"
            )
            reader = PacketReader(self._db._sock)
            head = 2 + len(table.columns)
            done = False
            while not done:
                packets = reader.read(max_bytes, WAIT_S)
                if not packets:
                    raise SourceStalled(f"the server has said nothing for {WAIT_S:.0f} s")
                for packet in packets[: max(head, 0)] + packets[-1:]:
                    if packet[0] == _ERROR:
                        raise SourceStalled(f'table "{table.reference}" cannot be read: {error_text(packet)}')
                skipped, head = min(head, len(packets)), max(0, head - len(packets))
                done = head == 0 and len(packets) > skipped and _is_end(packets[-1])
                own = packets[skipped : len(packets) - done]
                if own:
                    yield _Part(id_, own)


def _is_end(packet: bytes) -> bool:
    return packet[0] == _END and len(packet) < _LEAST_ROW


def error_text(packet: bytes) -> str:
    """What an error says, behind its number and its SQLSTATE."""
    return packet[9:].decode("utf-8", "replace")


def _asked(column: MysqlColumn) -> str:
    """So that numbers come whole: a float as it is shown has but six digits."""
    name = quoted(column.name)
    if column.kind in FLOATS:
        return f"{name} * 1e0"
    return f"{name} + 0" if column.kind == "bit" else name


def columns_of(packets: Sequence[bytes], width: int) -> tuple[pa.Array, ...]:
    """Rows of `width` columns, as binaries: of each value its length, in one, three, four or nine bytes, and so many bytes; or NULL."""
    stream = Stream(packets)
    at = stream.starts
    found = []
    for _ in range(width):
        first = stream.raw[at].astype(np.int64)
        null = first == _NULL
        start, length = at + 1, np.where(null, 0, first)
        for mark, size in ((0xFC, 2), (0xFD, 3), (0xFE, 8)):
            is_long = np.flatnonzero(first == mark)
            if len(is_long):
                length[is_long] = stream.little(start[is_long], size).astype(np.int64)
                start[is_long] += size
        at = start + length
        if (at > stream.ends).any():
            raise broken("rows that are cut off")
        found.append(buffers.spans(pa.py_buffer(stream.data), start, at, null if null.any() else None))
    return tuple(found)
