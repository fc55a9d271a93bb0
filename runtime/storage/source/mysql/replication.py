"""A connection by which a server sends its binary log, as it does to a replica.

After COM_BINLOG_DUMP each packet is an event, or the end.  Where nothing happens the server says every second how far its log goes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from ...connections.mysql import Db
from ..directory import SourceStalled
from ..upstream.transactions import Taken
from .log import Log
from .log import Taken as LogTaken
from .packets import PacketReader
from .position import Last, Place, Position, gtids_of, gtids_text
from .server import rows
from .snapshot import error_text

HEARTBEAT_S = 1.0
SILENT_S = 60.0
"""So long a server may say nothing."""
_REGISTER_REPLICA, _BINLOG_DUMP = 0x15, 0x12
_OK, _ERROR = 0x00, 0xFF
_FATAL = 1236
"""The server cannot send the log from there on."""
_PURGED = "Could not find GTID state"
"""What MariaDB says of a position whose file is gone."""
_KNOWS_GTIDS = 4
_NEW = "Drop the source, and create it again: it begins with the contents as they are then."


@dataclass(frozen=True, slots=True)
class _OfLog(Taken[Position]):
    taken: LogTaken


class BinlogStream:
    """The transactions behind a position: see `Transactions`."""

    def __init__(self, db: Db, server_id: int, at: Position, *, verified: bool) -> None:
        """`db` has no other user from now on.  `verified`: that the server has the history that was read, by the last transaction of it."""
        self._db = db
        gtids = gtids_of(at.gtids)
        known = Last.of(at.last) if verified and at.last else None
        if known is None or known.before is None:
            known = None  # nobody knows where to ask from
        else:
            gtids[known.gtid.domain] = known.before
        self._verifies = known is not None
        self.lacks_last = False
        """Whether the server has purged the last transaction that was read, which says nothing of what comes next."""
        ((checksum,),) = rows(db, "SELECT @@GLOBAL.binlog_checksum")
        db.query(
            f"SET @master_heartbeat_period = {int(HEARTBEAT_S * 1e9)}, @master_binlog_checksum = @@GLOBAL.binlog_checksum, "
            f"@mariadb_slave_capability = {_KNOWS_GTIDS}"
        )
        if at.gtids:
            db.query(
                f"SET @slave_connect_state = '{gtids_text(gtids)}', @slave_gtid_strict_mode = 1, @slave_gtid_ignore_duplicates = 0"
            )
        name = b"ptvc"
        register = struct.pack("<IB", server_id, len(name)) + name + struct.pack("<BBHII", 0, 0, 0, 0, 0)
        db._execute_command(_REGISTER_REPLICA, register)
        db._read_packet()
        file, byte = (b"", 4) if at.gtids else (at.file.encode(), at.byte)
        db._execute_command(_BINLOG_DUMP, struct.pack("<IHI", byte, 0, server_id) + file)
        self.log = Log(gtids_of(at.gtids), checksums=str(checksum).upper() == "CRC32", known=known)
        self._last = at.last
        """Of what was taken."""
        self._packets = PacketReader(db._sock)
        self._heard = monotonic()

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

    def whole(self, at: Position, until: Place | None) -> Taken[Position]:
        taken = self.log.whole(until)
        last = self._last if taken.last is None else taken.last.text
        now = at.at(gtids_text(taken.gtids), last)
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
            self.lacks_last = self._verifies and _PURGED in error_text(last)
            number = int.from_bytes(last[1:3], "little")
            raise SourceStalled(
                f"the server cannot send its binary log from there on: {error_text(last)}",
                sqlstate="55000",
                hint=_NEW if number == _FATAL else None,
            )
        return [packet[1:] for packet in packets]
