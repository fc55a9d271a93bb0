"""The binary log as it comes: events of whole transactions, in order.

```
GTID ── TABLE_MAP, rows ... ── XID | COMMIT      a transaction
GTID ── QUERY                                    a definition, or a statement that is none
```

What it keeps of a transaction are GTID, tables, rows and statements; what was rolled back is dropped.  What GTIDs are, and how far the log was
read, is another thing with MariaDB (mariadb_log.py) than with MySQL (mysql_log.py).
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from ..directory import SourceStalled
from . import events as ev
from .position import Place, file_number

Gtid = TypeVar("Gtid")
"""The name of a transaction."""

_KEPT = bytearray(256)
for _type in (ev.TABLE_MAP, ev.PARTIAL_UPDATE, *ev.ROWS):
    _KEPT[_type] = 1
_CRC32 = 1
"""How events are checked, as a FORMAT event says before its own checksum, which it always has."""
_ROTATE_NAME = ev.HEADER + 8
NEW = "Drop the source, and create it again: it begins with the contents as they are then."


class End(NamedTuple, Generic[Gtid]):
    """A transaction ends before so many `events`, counted from the first that ever came; `begin` is where in the log it begins."""

    events: int
    gtid: Gtid
    begin: Place
    time: int


@dataclass(frozen=True, slots=True)
class Taken:
    """Events of so many transactions (`ends`), in order, without their checksums; `gtids` is what is read with them, as text, and `last` says
    which is the very last.  `is_there`: nothing that is to come begins before what was asked about."""

    events: list[bytes]
    ends: int
    gtids: str
    is_there: bool
    last: str | None


class Log(ABC, Generic[Gtid]):
    """What one connection sends, all of it in order.  After an error it must not be used any more."""

    def __init__(self, *, checksums: bool) -> None:
        """`checksums`: the first events have them; later each file says whether it does."""
        self.nbytes = 0
        """Of what was not taken."""
        self._passes = False
        """Whether the transaction that is open is one that was read already, which is passed over."""
        self._events: list[bytes] = []
        self._ends: deque[End[Gtid]] = deque()
        self._count = self._taken = 0
        self._file = 0
        self._reached: Place | None = None
        self._gtid: Gtid | None = None
        """Of the transaction that is open."""
        self._begin, self._time = Place(0, 0), 0
        self._first = 0
        """The number of the first event of the transaction that is open."""
        self._parted = False
        """Whether a part of it was taken."""
        self._checksums = checksums

    @abstractmethod
    def begins(self, kind: int, event: bytes) -> tuple[Gtid, bool] | None:
        """The transaction that begins with the event, and whether it was read already; None where none does."""

    @abstractmethod
    def opened(self) -> None:
        """The transaction has an end of its own: BEGIN came."""

    @abstractmethod
    def ends_with(self, sql: str) -> bool:
        """Whether the statement, which is no COMMIT or ROLLBACK, is all of the transaction that is open."""

    @abstractmethod
    def took(self, end: End[Gtid]) -> None:
        """The transaction was taken."""

    def add(self, events: Iterable[bytes]) -> None:
        """Raises StorageError for what is no binary log, and SourceStalled for what cannot be gone on from."""
        keep = self._events.append
        for event in events:
            kind = event[4]
            if kind == ev.FORMAT:
                self._checksums = event[-5] == _CRC32
            if self._checksums:
                end = len(event) - 4
                if zlib.crc32(event[:end]) != int.from_bytes(event[end:], "little"):
                    raise ev.broken("an event whose checksum is wrong")
                event = event[:end]
            if not _KEPT[kind]:
                self.special(kind, event)
            elif not self._passes:
                keep(event)
                self._count += 1
                self.nbytes += len(event)

    def _keep(self, event: bytes) -> None:
        if self._passes:
            return
        self._events.append(event)
        self._count += 1
        self.nbytes += len(event)

    def special(self, kind: int, event: bytes) -> None:
        """An event, without its checksum."""
        begun = self.begins(kind, event)
        if begun is not None:
            self._begin = Place(self._file, ev.next_byte(event))
            self._first, self._parted, self._time = self._count, False, ev.time_of(event)
            self._gtid, self._passes = begun
            self._keep(event)
            return
        if _KEPT[kind]:
            self._keep(event)
            return
        match kind:
            case ev.XID:
                self._end(event)
            case ev.QUERY:
                self._query(event)
            case ev.XA_PREPARE:
                self._keep(event)
                self._end(event)
            case ev.ROTATE:
                name = event[_ROTATE_NAME:].split(b"\0")[0].decode()
                self._file = file_number(name)
                if ev.next_byte(event):
                    self._reached = Place(self._file, 4)
            case ev.HEARTBEAT:
                if self._gtid is None:
                    name = event[ev.HEADER :].split(b"\0")[0].decode()
                    self._reached = Place(file_number(name), ev.next_byte(event))
            case ev.FORMAT:
                # What follows has the numbers of tables that a server counts from its start.
                self._keep(event)
            case ev.INCIDENT:
                raise SourceStalled("the server's binary log has lost events", sqlstate="55000", hint=NEW)
            case _ if kind not in ev.PASSED_OVER and not event[17] & ev.IGNORABLE:
                raise SourceStalled(f"the server's binary log has an event of type {kind}, which is not read")

    def _query(self, event: bytes) -> None:
        sql, _ = ev.statement_of(event, len(event))
        word = sql[:12].upper()
        if sql == "BEGIN":
            self.opened()
            return
        if word == "COMMIT" or (word == "ROLLBACK" and self._passes):
            self._end(event)
        elif word == "ROLLBACK":
            if self._parted:
                raise SourceStalled("a transaction was rolled back of which a part was read already")
            first = self._first + 1 - self._taken
            self.nbytes -= sum(map(len, self._events[first:]))
            del self._events[first:]
            self._count = self._first + 1
            self._end(event)
        elif not word.startswith("SAVEPOINT "):
            self._keep(event)
            if self._gtid is not None and self.ends_with(sql):
                self._end(event)

    def _end(self, event: bytes) -> None:
        if self._gtid is None:
            raise ev.broken("the end of a transaction that has not begun")
        if not self._passes:
            self._ends.append(End(self._count, self._gtid, self._begin, self._time))
        self._reached = Place(self._file, ev.next_byte(event))
        self._gtid, self._passes = None, False

    @abstractmethod
    def whole(self, until: object) -> Taken:
        """The whole transactions, up to the first that is not in the snapshot of `until`; they are not taken yet: see `take`."""

    def take(self, taken: Taken) -> None:
        self._drop(len(taken.events))
        while self._ends and self._ends[0].events <= self._taken:
            self.took(self._ends.popleft())

    def part(self) -> list[bytes]:
        """Of the transaction that is open, and the only one that is here, what there is of it."""
        events = self._events[:]
        self._drop(len(events))
        self._parted = True
        return events

    def _drop(self, count: int) -> None:
        self.nbytes -= sum(map(len, self._events[:count]))
        del self._events[:count]
        self._taken += count

    @property
    def is_empty(self) -> bool:
        """Whether all that came was taken."""
        return not self._ends and self._gtid is None
