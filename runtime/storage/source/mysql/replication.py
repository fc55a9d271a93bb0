"""A connection by which a server sends its binary log, as it does to a replica.

After COM_BINLOG_DUMP (MariaDB) or COM_BINLOG_DUMP_GTID (MySQL) each packet is an event, or the end.  Where nothing happens the server says every second how far its log goes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from uuid import UUID

from ...connections.mysql import Db
from ..directory import SourceStalled
from ..upstream.transactions import Taken
from .gtid_set import GtidSet
from .log import NEW
from .log import Taken as LogTaken
from .mariadb_log import MariaDbLog
from .mysql_log import Known, MysqlLog
from .packets import PacketReader
from .position import Last, Position, gtids_of, gtids_text
from .server import executed_gtids, is_mariadb, rows
from .snapshot import Moment, error_text

HEARTBEAT_S = 1.0
SILENT_S = 60.0
"""So long a server may say nothing."""
_HEARTBEAT_NS = int(HEARTBEAT_S * 1e9)
_REGISTER_REPLICA, _BINLOG_DUMP, _BINLOG_DUMP_GTID = 0x15, 0x12, 0x1E
_THROUGH_GTID = 4
"""A flag: a set of GTIDs says what was read."""
_OK, _ERROR = 0x00, 0xFF
_FATAL = 1236
"""The server cannot send the log from there on."""
_PURGED = "Could not find GTID state"
"""What MariaDB says of a position whose file is gone."""
_KNOWS_GTIDS = 4


def _another_kind(read: str, there: str) -> SourceStalled:
    return SourceStalled(
        f"the log that was read is {read}'s, and the server is {there}", sqlstate="55000", hint=NEW
    )


def _check_goes_on(read: GtidSet, executed: GtidSet, purged: GtidSet) -> None:
    """Raises SourceStalled where something is missing between what was `read` and what the server sends."""
    missing = purged.without(read)
    if missing:
        raise SourceStalled(
            "the server cannot send its binary log from there on: it has purged transactions that were not read",
            sqlstate="55000",
            detail=f"These are {missing.text}.",
            hint=NEW,
        )
    lost = read.without(executed)
    if lost:
        raise SourceStalled(
            "the server cannot send its binary log from there on: it has not got transactions that were read",
            sqlstate="55000",
            detail=f"These are {lost.text}: it has another history, or is another server.",
            hint=NEW,
        )


@dataclass(frozen=True, slots=True)
class _OfLog(Taken[Position]):
    taken: LogTaken


class BinlogStream:
    """The transactions behind a position: see `Transactions`."""

    def __init__(self, db: Db, server_id: int, at: Position, *, verified: bool) -> None:
        """`db` has no other user from now on.  `verified`: that the server has the history that was read, by the last transaction of it."""
        self._db = db
        self._purged = ""
        """What the server says where it is only the transaction that is asked for once more that it has purged."""
        self.lacks_last = False
        """Whether the server has purged the last transaction that was read, which says nothing of what comes next."""
        ((checksum,),) = rows(db, "SELECT @@GLOBAL.binlog_checksum")
        checksums = str(checksum).upper() == "CRC32"
        self.log: MariaDbLog | MysqlLog
        if is_mariadb(db):
            self.log = self._of_mariadb(server_id, at, checksums, verified=verified)
        else:
            self.log = self._of_mysql(server_id, at, checksums)
        self._last = at.last
        """Of what was taken."""
        self._packets = PacketReader(db._sock)
        self._heard = monotonic()

    def _of_mariadb(self, server_id: int, at: Position, checksums: bool, *, verified: bool) -> MariaDbLog:
        if ":" in at.gtids:
            raise _another_kind("MySQL", "MariaDB")
        db, gtids = self._db, gtids_of(at.gtids)
        known = Last.of(at.last) if verified and at.last else None
        if known is None or known.before is None:
            known = None  # nobody knows where to ask from
        else:
            gtids[known.gtid.domain] = known.before
            self._purged = _PURGED
        db.query(
            f"SET @master_heartbeat_period = {_HEARTBEAT_NS}, @master_binlog_checksum = @@GLOBAL.binlog_checksum, "
            f"@mariadb_slave_capability = {_KNOWS_GTIDS}"
        )
        if at.gtids:
            db.query(
                f"SET @slave_connect_state = '{gtids_text(gtids)}', @slave_gtid_strict_mode = 1, @slave_gtid_ignore_duplicates = 0"
            )
        self._register(server_id)
        file, byte = (b"", 4) if at.gtids else (at.file.encode(), at.byte)
        db._execute_command(_BINLOG_DUMP, struct.pack("<IHI", byte, 0, server_id) + file)
        return MariaDbLog(gtids_of(at.gtids), checksums=checksums, known=known)

    def _of_mysql(self, server_id: int, at: Position, checksums: bool) -> MysqlLog:
        if at.gtids and ":" not in at.gtids:
            raise _another_kind("MariaDB", "MySQL")
        db, read = self._db, GtidSet.of(at.gtids)
        executed, purged = executed_gtids(db)
        _check_goes_on(read, executed, purged)
        asked, known = read.copy(), Known.of(at.last) if at.last else None
        if known is None or known.transaction in purged:
            known = None
        else:
            asked.remove(known.transaction)
        # Of two with the same UUID the server ends the older.  Names of variables are those of all versions.
        own = UUID(int=server_id)
        db.query(
            f"SET @master_heartbeat_period = {_HEARTBEAT_NS}, @source_heartbeat_period = {_HEARTBEAT_NS}, "
            "@master_binlog_checksum = @@GLOBAL.binlog_checksum, @source_binlog_checksum = @@GLOBAL.binlog_checksum, "
            f"@slave_uuid = '{own}', @replica_uuid = '{own}'"
        )
        self._register(server_id)
        sent = asked.encoded()
        head = struct.pack("<HIIQI", _THROUGH_GTID, server_id, 0, 4, len(sent))
        db._execute_command(_BINLOG_DUMP_GTID, head + sent)
        return MysqlLog(read, checksums=checksums, known=known)

    def _register(self, server_id: int) -> None:
        name = b"ptvc"
        register = struct.pack("<IB", server_id, len(name)) + name + struct.pack("<BBHII", 0, 0, 0, 0, 0)
        self._db._execute_command(_REGISTER_REPLICA, register)
        self._db._read_packet()

    def close(self) -> None:
        self._db._force_close()

    def read(self, most: int, wait_s: float) -> bool:
        packets = self._packets.read(most, wait_s)
        now = monotonic()
        if packets or not most:  # nobody was listened to
            self._heard = now
        elif now - self._heard > SILENT_S:
            raise SourceStalled(f"the server has said nothing for {SILENT_S:.0f} s")
        self.log.add(self._events(packets))
        return sum(map(len, packets)) >= most > 0

    @property
    def nbytes(self) -> int:
        return self.log.nbytes

    @property
    def is_empty(self) -> bool:
        return self.log.is_empty

    def whole(self, at: Position, until: Moment | None) -> Taken[Position]:
        taken = self.log.whole(until)
        now = at.at(taken.gtids, taken.last or self._last)
        return _OfLog(taken.events, taken.ends > 0, taken.is_there, now, taken)

    def take(self, taken: Taken[Position]) -> None:
        assert isinstance(taken, _OfLog)
        self.log.take(taken.taken)
        self._last = taken.position.last

    def part(self) -> Sequence[bytes]:
        return self.log.part()

    def acknowledge(self, at: Position) -> None:
        """The server keeps its log as it is set to."""

    def _events(self, packets: Sequence[bytes]) -> Sequence[bytes]:
        # Only the last packet can be anything but an event.
        if packets and packets[-1][0] != _OK:
            last = packets[-1]
            if last[0] != _ERROR:
                raise SourceStalled("the server has ended the replication")
            self.lacks_last = bool(self._purged) and self._purged in error_text(last)
            number = int.from_bytes(last[1:3], "little")
            raise SourceStalled(
                f"the server cannot send its binary log from there on: {error_text(last)}",
                sqlstate="55000",
                hint=NEW if number == _FATAL else None,
            )
        return [packet[1:] for packet in packets]
