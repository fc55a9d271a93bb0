"""The binary log of MySQL itself, whose transactions come in any order of their numbers.

A transaction is opened by BEGIN, by XA START, or by CREATE TABLE ... START TRANSACTION (with the rows of its SELECT); any other statement that
comes first is all of it.  It may come as one compressed event (binlog_transaction_compression).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..directory import SourceStalled
from . import events as ev
from .gtid_set import GtidSet, Transaction
from .log import End, Log, Taken
from .mariadb_log import another_history
from .payload import payload_events

_OPENS = re.compile(r"XA\s+(START|BEGIN)\b|CREATE\s.*\bSTART\s+TRANSACTION\s*$", re.IGNORECASE | re.DOTALL)


class Known(NamedTuple):
    """The transaction that was read last, and the second in which it began: as the server may give the same GTIDs to other transactions
    after RESET MASTER, it is asked for this one once more."""

    transaction: Transaction
    time: int

    @property
    def text(self) -> str:
        return f"{self.time} {self.transaction.text}"

    @classmethod
    def of(cls, text: str) -> Known:
        time, transaction = text.split(" ")
        return cls(Transaction.of(transaction), int(time))


class MysqlLog(Log[Transaction]):
    def __init__(self, read: GtidSet, *, checksums: bool, known: Known | None = None) -> None:
        """`known` is one of those that were `read`, and comes again."""
        super().__init__(checksums=checksums)
        self._read = read.copy()
        self._known = known
        self._open = False
        """Whether the transaction ends with an event of its own."""

    def begins(self, kind: int, event: bytes) -> tuple[Transaction, bool] | None:
        match kind:
            case ev.MYSQL_GTID:
                self._open = False
                found = ev.transaction_of(event)
                return found, self._is_known(found, ev.time_of(event))
            case ev.ANONYMOUS_GTID:
                raise SourceStalled(
                    "the server's binary log has a transaction without a GTID (gtid_mode)",
                    sqlstate="55000",
                    hint="Set gtid_mode = ON there, then drop the source, and create it again.",
                )
            case ev.TAGGED_GTID:
                raise SourceStalled(
                    "the server's binary log has a transaction whose GTID has a tag, which is not read",
                    sqlstate="0A000",
                )
        return None

    def _is_known(self, transaction: Transaction, time: int) -> bool:
        """Raises SourceStalled where another one stands in its place."""
        known = self._known
        if known is None or transaction != known.transaction:
            return False
        if time != known.time:
            raise another_history(known.transaction.text, known.time, transaction.text, time)
        self._known = None
        return True

    def special(self, kind: int, event: bytes) -> None:
        if kind != ev.TRANSACTION_PAYLOAD:
            super().special(kind, event)
            return
        for one in payload_events(event[ev.HEADER :]):
            super().special(one[4], one)

    def opened(self) -> None:
        self._open = True

    def ends_with(self, sql: str) -> bool:
        if not self._open and _OPENS.match(sql):
            self._open = True
        return not self._open

    def whole(self, until: object) -> Taken:
        """`until` is the GtidSet of a snapshot, or None."""
        assert until is None or isinstance(until, GtidSet)
        read = self._read.copy()
        count, ends = self._taken, 0
        last: str | None = None
        is_there = until is not None and read.covers(until)
        for end in self._ends:
            if is_there:
                break
            read.add(end.gtid)
            count, last = end.events, Known(end.gtid, end.time).text
            ends += 1
            is_there = until is not None and read.covers(until)
        return Taken(self._events[: count - self._taken], ends, read.text, is_there, last)

    def took(self, end: End[Transaction]) -> None:
        self._read.add(end.gtid)
