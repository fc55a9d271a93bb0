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

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ...connections.mysql import Db
from ...statistics import OutputId
from ..directory import SourceStalled
from ..upstream.ended import AGAIN
from ..upstream.snapshot import Part, Snapshot
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
Moment = Place | GtidSet
"""What was committed before it is in a snapshot: a place in the log of MariaDB, or the transactions that a MySQL has."""
WAIT_S = 60.0
"""So long the server may say nothing."""


class MysqlSnapshot(Snapshot[Moment]):
    def __init__(self, connect: Callable[[], Db], tables: Mapping[OutputId, MysqlTable]) -> None:
        super().__init__(tables)
        self._tables = dict(tables)
        self._db = connect()
        try:
            self._begin(connect, tables)
        except BaseException:
            self.close()
            raise

    @property
    def place(self) -> Moment:
        return self._place

    def _begin(self, connect: Callable[[], Db], tables: Mapping[OutputId, MysqlTable]) -> None:
        self._db.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        there = sorted({(table.schema, table.name) for table in tables.values()})
        if is_mariadb(self._db):
            self._begin_at_place(there)
        else:
            self._begin_locked(connect, there)
        self.definitions = {(table.schema, table.name): table for table in offered_tables(self._db, there)}
        """The tables as they are for as long as this is there, by name; those that are gone are not among them."""
        self._guesses.update({id_: self._guess(table) for id_, table in tables.items()})

    def _begin_at_place(self, names: Sequence[tuple[str, str]]) -> None:
        self._db.query("START TRANSACTION WITH CONSISTENT SNAPSHOT")
        found = dict(rows(self._db, "SHOW STATUS LIKE 'binlog_snapshot_%'"))
        place = {str(name).lower(): value for name, value in found.items()}
        self.file, self.byte = str(place["binlog_snapshot_file"]), int(place["binlog_snapshot_position"])
        self._place: Moment = Place(file_number(self.file), self.byte)
        ((gtids,),) = rows(self._db, "SELECT BINLOG_GTID_POS(%s, %s)", (self.file, self.byte))
        self.gtids = str(gtids or "")
        self._keep(names)

    def _begin_locked(self, connect: Callable[[], Db], names: Sequence[tuple[str, str]]) -> None:
        lock = connect()
        try:
            lock.query("FLUSH TABLES WITH READ LOCK")
            self._db.query("START TRANSACTION WITH CONSISTENT SNAPSHOT")
            self._keep(names)
            executed, _ = executed_gtids(lock)
            lock.query("UNLOCK TABLES")
        finally:
            lock._force_close()
        self._place, self.gtids, self.file, self.byte = executed, executed.text, "", 0

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

    def ended(self) -> Mapping[OutputId, str]:
        found = {id_: self._misfit(table) for id_, table in self._tables.items()}
        ended = {id_: error for id_, error in found.items() if error is not None}
        for id_ in ended:
            del self._tables[id_]
        return ended

    def _misfit(self, table: MysqlTable) -> str | None:
        """Why the table there is not the one that was asked for; columns that came to it do not matter."""
        now = self.definitions.get((table.schema, table.name))
        if now is None:
            return f'table "{table.reference}" was dropped or renamed upstream: {AGAIN}'
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
                return (
                    f'column "{column.name}" of table "{table.reference}" has another type upstream: {AGAIN}'
                )
        return None

    def parts(self, max_bytes: int) -> Iterator[Part]:
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
                    columns = columns_of(own, len(table.columns))
                    yield Part(id_, columns, len(own), sum(map(len, own)))


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
