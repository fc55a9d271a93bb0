"""Replication connections: a slot is made, and what comes behind a position is streamed from it.

```
server ── 'w': a message of a transaction ──┐                      ┌── 'r': all before this is durable ── server
       ── 'k': all before this was sent  ───┴─ ReplicationStream ──┘
```

Transactions come whole, one behind the other, in the order of their commits.  A keepalive between two of them says how far the server
has come, where nothing of it is in the publication.
"""

from __future__ import annotations

import select
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, cast

from psycopg import Connection, sql
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn

from ....clock import Clock
from ...connections.failures import scrubbed
from ..directory import SourceStalled
from ..upstream.transactions import Taken
from .pgoutput import end_of_commit, last_commit
from .position import Position, lsn_of, lsn_text

Db = Connection[tuple[Any, ...]]

FEEDBACK_S = 1.0
SILENT_S = 60.0
"""So long a server may say nothing, though it is asked every second."""
_EPOCH_MS = 946_684_800_000
"""2000-01-01, of which PostgreSQL counts its clocks."""
_KEEPALIVE = struct.Struct(">cQQ?")
_FEEDBACK = struct.Struct(">cQQQQ?")
_DATA, _ALIVE, _BEGIN, _COMMIT = ord("w"), ord("k"), ord("B"), ord("C")
_COMMIT_LSN = struct.Struct(">Q")
"""What a Begin begins with: where the transaction's commit lies."""
HEADER = 25
"""Bytes before what a message says."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """`system` is the same for a server and its standbys, `timeline` another one after a promotion; the log is there up to `reached`."""

    system: str
    timeline: int
    reached: int


def cluster_of(db: Db) -> Cluster:
    ((system, timeline, reached, _),) = _replies(db, sql.SQL("IDENTIFY_SYSTEM"))
    return Cluster(system, int(timeline), lsn_of(reached))


def left_timeline_at(db: Db, of: Cluster, timeline: int) -> int | None:
    """Where the cluster left an earlier timeline; None: it was never on it."""
    ((_, content),) = _replies(db, sql.SQL("TIMELINE_HISTORY {}").format(sql.SQL(str(of.timeline))))
    for line in content.splitlines():
        parts = line.split("\t")
        if parts[0].strip() == str(timeline):
            return lsn_of(parts[1])
    return None


def _replies(db: Db, command: sql.SQL | sql.Composed) -> list[tuple[Any, ...]]:
    return db.execute(command).fetchall()


class SlotCreation:
    """A slot that is being made, which waits for all transactions that are open upstream."""

    def __init__(self, db: Db, slot: str, *, temporary: bool) -> None:
        """`db` is a replication connection; nothing else may be asked of it for as long as the snapshot is to be there."""
        self._db = db
        kind = sql.SQL("TEMPORARY LOGICAL") if temporary else sql.SQL("LOGICAL")
        options = sql.SQL("EXPORT_SNAPSHOT")
        if db.info.server_version >= 170_000 and not temporary:
            options = sql.SQL("(SNAPSHOT 'export', FAILOVER)")
        command = sql.SQL("CREATE_REPLICATION_SLOT {} {} pgoutput {}")
        db.pgconn.send_query(command.format(sql.Identifier(slot), kind, options).as_bytes(db))

    def done(self, wait_s: float) -> tuple[int, str] | None:
        """Where the slot begins, and the name of the snapshot of just then; None: not yet, after `wait_s`.  Raises SourceStalled."""
        pgconn = self._db.pgconn
        select.select([pgconn.socket], [], [], wait_s)
        pgconn.consume_input()
        if pgconn.is_busy():
            return None
        result = pgconn.get_result()
        assert result is not None, "a command was sent"
        if result.status != ExecStatus.TUPLES_OK:
            raise SourceStalled(f"a replication slot cannot be made: {_told(result.error_message)}")
        at, name = result.get_value(0, 1), result.get_value(0, 2)
        while pgconn.get_result() is not None:
            pass
        assert at is not None
        assert name is not None
        return lsn_of(at.decode()), name.decode()


class ReplicationStream:
    """The transactions of a slot behind a position: see `Transactions`."""

    def __init__(self, db: Db, slot: str, publication: str, lsn: int, clock: Clock) -> None:
        """`db` is a replication connection, of which this is the only user from now on.  Raises SourceStalled."""
        self._db, self._clock = db, clock
        self._pgconn: PGconn = db.pgconn
        self._durable = lsn
        self.reached = lsn
        """Of transactions whose commit lies before it none is to come."""
        self._read_to = lsn
        """Of transactions whose commit lies before it, all were taken."""
        self._pending: list[bytes] = []
        """Received, and not taken."""
        self.nbytes = 0
        """Of these."""
        self._whole = True
        """Whether the last message was the end of a transaction."""
        self._told = (0, 0.0)
        self._heard = monotonic()
        names = sql.Literal(str(sql.Identifier(publication).as_string(db)))
        command = sql.SQL(
            "START_REPLICATION SLOT {} LOGICAL {} (proto_version '1', publication_names {})"
        ).format(sql.Identifier(slot), sql.SQL(cast(Any, lsn_text(lsn))), names)
        result = self._pgconn.exec_(command.as_bytes(db))
        if result.status != ExecStatus.COPY_BOTH:
            raise SourceStalled(f'slot "{slot}" cannot be read: {_told(result.error_message)}')

    def close(self) -> None:
        self._db.close()

    def acknowledge(self, at: Position) -> None:
        self._durable = at.lsn

    @property
    def is_empty(self) -> bool:
        return not self._pending

    def read(self, most: int, wait_s: float) -> bool:
        """Raises SourceStalled and psycopg's errors."""
        size, until = 0, monotonic() + wait_s
        self._tell()
        while size < most:
            nbytes, data = self._pgconn.get_copy_data(1)
            if nbytes > 0:
                message = bytes(data)
                if message[0] == _DATA:
                    self._pending.append(message)
                    size += nbytes
                    self._whole = message[HEADER] == _COMMIT
                elif message[0] == _ALIVE:
                    self._alive(message)
            elif nbytes < 0:
                raise SourceStalled("the server has ended the replication")
            elif not self._received(0.0 if size else max(0.0, until - monotonic())):
                break
        self.nbytes += size
        if size or not most:  # nobody was listened to
            self._heard = monotonic()
        elif monotonic() - self._heard > SILENT_S:
            raise SourceStalled(f"the server has said nothing for {SILENT_S:.0f} s")
        return size >= most > 0

    def whole(self, at: Position, until: int | None) -> Taken[Position]:
        """What a snapshot at `until` has not seen has its commit there or behind."""
        pending = self._pending
        if until is not None:
            for place, message in enumerate(pending):
                if message[HEADER] == _BEGIN and _COMMIT_LSN.unpack_from(message, HEADER + 1)[0] >= until:
                    return self._taken(at, place, max(self._read_to, until), until)
        end = last_commit(pending)
        read_to = self._read_to
        if end:
            read_to = max(read_to, end_of_commit(pending[end - 1]))
        if end == len(pending):
            read_to = max(read_to, self.reached if until is None else min(self.reached, until))
        return self._taken(at, end, read_to, until)

    def _taken(self, at: Position, messages: int, read_to: int, until: int | None) -> Taken[Position]:
        is_there = until is not None and read_to >= until
        if until is not None and read_to > until:
            raise SourceStalled(
                f"the server is at {lsn_text(until)}, and was read up to {lsn_text(read_to)}",
                detail="It may be one that follows the other, and has not come so far yet.",
            )
        return Taken(self._pending[:messages], messages > 0, is_there, at.at(read_to))

    def take(self, taken: Taken[Position]) -> None:
        self._drop(len(taken.events))
        self._read_to = taken.position.lsn

    def part(self) -> Sequence[bytes]:
        events = self._pending[:]
        self._drop(len(events))
        return events

    def _drop(self, count: int) -> None:
        self.nbytes -= sum(map(len, self._pending[:count]))
        del self._pending[:count]

    def _received(self, wait_s: float) -> bool:
        if not select.select([self._pgconn.socket], [], [], wait_s)[0]:
            return False
        self._pgconn.consume_input()
        return True

    def _alive(self, message: bytes) -> None:
        _, sent, _, asked = _KEEPALIVE.unpack(message[: _KEEPALIVE.size])
        self._heard = monotonic()
        if self._whole:
            self.reached = max(self.reached, sent)
        if asked:
            self._send()

    def _tell(self) -> None:
        durable, at = self._told
        if monotonic() - at >= FEEDBACK_S or durable != self._durable:
            self._send()

    def _send(self) -> None:
        """It is always asked for an answer, which says how far the server is where nothing happens."""
        now = (self._clock.now_ms() - _EPOCH_MS) * 1000
        at = self._durable
        self._pgconn.put_copy_data(_FEEDBACK.pack(b"r", at, at, at, now, True))
        while self._pgconn.flush():
            select.select([], [self._pgconn.socket], [], FEEDBACK_S)
        self._told = at, monotonic()


def _told(message: bytes | str) -> str:
    text = message.decode(errors="replace") if isinstance(message, bytes) else message
    return scrubbed(text.strip().removeprefix("ERROR:").strip(), ())
