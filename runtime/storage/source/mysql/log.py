"""The binary log as it comes: events of whole transactions, in order, and how far it goes.

```
GTID ── TABLE_MAP, rows ... ── XID | COMMIT      a transaction
GTID (standalone) ── QUERY                       a definition, or a statement that is none
```

What it keeps of a transaction are GTID, tables, rows and statements; what was rolled back is dropped.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..directory import SourceStalled
from . import events as ev
from .position import Gtid, Last, Place, file_number, gtids_text

_KEPT = bytearray(256)
for _type in (ev.TABLE_MAP, *ev.ROWS):
    _KEPT[_type] = 1
_CRC32 = 1
"""How events are checked, as a FORMAT event says before its own checksum, which it always has."""
_ROTATE_NAME = ev.HEADER + 8


class _End(NamedTuple):
    """A transaction ends before so many `events`, counted from the first that ever came; `begin` is where in the log it begins."""

    events: int
    gtid: Gtid
    begin: Place
    time: int


@dataclass(frozen=True, slots=True)
class Taken:
    """Events of so many transactions (`ends`), in order, without their checksums; `gtids` are the last ones with them, and `last`
    is the very last.  `is_there`: nothing that is to come begins before
    the place that was asked about."""

    events: list[bytes]
    ends: int
    gtids: Mapping[int, Gtid]
    is_there: bool
    last: Last | None


class Log:
    """What one connection sends, all of it in order.  After an error it must not be used any more."""

    def __init__(self, gtids: Mapping[int, Gtid], *, checksums: bool, known: Last | None = None) -> None:
        """`checksums`: the first events have them; later each file says whether it does.  The first transaction of the domain is the one
        that is `known` already, which is passed over."""
        self._known = known
        self._passes = False
        """Whether the transaction that is open is the one that is known."""
        self.gtids = dict(gtids)
        """The last ones that were taken."""
        self.nbytes = 0
        """Of what was not taken."""
        self._events: list[bytes] = []
        self._ends: deque[_End] = deque()
        self._count = self._taken = 0
        self._file = 0
        self._reached: Place | None = None
        self._gtid: tuple[Gtid, int] | None = None
        """Of the transaction that is open, with its flags."""
        self._begin, self._time = Place(0, 0), 0
        self._first = 0
        """The number of the first event of the transaction that is open."""
        self._parted = False
        """Whether a part of it was taken."""
        self._checksums = checksums

    def add(self, events: Iterable[bytes]) -> None:
        """Raises StorageError for what is no log of MariaDB's, and SourceStalled for what cannot be gone on from."""
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
            if _KEPT[kind]:
                if not self._passes:
                    keep(event)
                    self._count += 1
                    self.nbytes += len(event)
            else:
                self._special(kind, event)

    def _keep(self, event: bytes) -> None:
        if self._passes:
            return
        self._events.append(event)
        self._count += 1
        self.nbytes += len(event)

    def _special(self, kind: int, event: bytes) -> None:
        match kind:
            case ev.GTID:
                self._begin = Place(self._file, ev.next_byte(event))
                self._gtid, self._first, self._parted = ev.gtid_of(event), self._count, False
                self._time = ev.time_of(event)
                self._passes = self._is_known(self._gtid[0])
                self._keep(event)
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
                raise SourceStalled("the server's binary log has lost events", sqlstate="55000", hint=_NEW)
            case _ if kind not in ev.PASSED_OVER and not event[17] & ev.IGNORABLE:
                raise SourceStalled(f"the server's binary log has an event of type {kind}, which is not read")

    def _query(self, event: bytes) -> None:
        sql, _ = ev.statement_of(event, len(event))
        word = sql[:12].upper()
        if sql == "BEGIN":
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
            if self._gtid is not None and self._gtid[1] & ev.STANDALONE:
                self._end(event)

    def _end(self, event: bytes) -> None:
        if self._gtid is None:
            raise ev.broken("the end of a transaction that has not begun")
        if not self._passes:
            self._ends.append(_End(self._count, self._gtid[0], self._begin, self._time))
        self._reached = Place(self._file, ev.next_byte(event))
        self._gtid, self._passes = None, False

    def _is_known(self, gtid: Gtid) -> bool:
        """Whether that is the transaction that is known.  Raises SourceStalled where another one stands in its place."""
        known = self._known
        if known is None or gtid.domain != known.gtid.domain:
            return False
        if (gtid, self._time) != (known.gtid, known.time):
            raise SourceStalled(
                "the server's binary log has another history than the one that was read",
                detail=f"Read was {gtids_text({0: known.gtid})} of {known.time}, and there is {gtids_text({0: gtid})} of {self._time} (seconds since 1970).",
                sqlstate="55000",
                hint=_NEW,
            )
        self._known = None
        return True

    def whole(self, until: Place | None) -> Taken:
        """The whole transactions, up to the first that begins at `until` or behind; they are not taken yet: see `take`."""
        gtids = dict(self.gtids)
        count, ends, is_there = self._taken, 0, False
        last: Last | None = None
        for end in self._ends:
            if until is not None and end.begin > until:
                is_there = True
                break
            last = Last(end.gtid, end.time, gtids.get(end.gtid.domain))
            gtids[end.gtid.domain] = end.gtid
            count = end.events
            ends += 1
        else:
            if until is not None:
                is_there = (
                    self._begin > until
                    if self._gtid is not None
                    else self._reached is not None and self._reached >= until
                )
        return Taken(self._events[: count - self._taken], ends, gtids, is_there, last)

    def take(self, taken: Taken) -> None:
        self._drop(len(taken.events))
        self.gtids = dict(taken.gtids)
        while self._ends and self._ends[0].events <= self._taken:
            self._ends.popleft()

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


_NEW = "Drop the source, and create it again: it begins with the contents as they are then."
