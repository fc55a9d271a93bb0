"""The binary log of MariaDB: the transactions of a domain come in the order of their numbers."""

from __future__ import annotations

from collections.abc import Mapping

from ..directory import SourceStalled
from . import events as ev
from .log import NEW, End, Log, Taken
from .position import Gtid, Last, Place, gtids_text


class MariaDbLog(Log[Gtid]):
    def __init__(self, gtids: Mapping[int, Gtid], *, checksums: bool, known: Last | None = None) -> None:
        """`gtids` are the last ones that were read.  The first transaction of its domain is the one that is `known` already."""
        super().__init__(checksums=checksums)
        self._gtids = dict(gtids)
        self._known = known
        self._flags = 0
        """Of the transaction that is open."""

    def begins(self, kind: int, event: bytes) -> tuple[Gtid, bool] | None:
        if kind != ev.GTID:
            return None
        gtid, self._flags = ev.gtid_of(event)
        return gtid, self._is_known(gtid, ev.time_of(event))

    def opened(self) -> None:
        """The flags say so already."""

    def ends_with(self, sql: str) -> bool:
        return bool(self._flags & ev.STANDALONE)

    def _is_known(self, gtid: Gtid, time: int) -> bool:
        """Whether that is the transaction that is known.  Raises SourceStalled where another one stands in its place."""
        known = self._known
        if known is None or gtid.domain != known.gtid.domain:
            return False
        if (gtid, time) != (known.gtid, known.time):
            raise another_history(gtids_text({0: known.gtid}), known.time, gtids_text({0: gtid}), time)
        self._known = None
        return True

    def whole(self, until: object) -> Taken:
        """`until` is the Place of a snapshot, or None."""
        assert until is None or isinstance(until, Place)
        gtids = dict(self._gtids)
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
        events = self._events[: count - self._taken]
        return Taken(events, ends, gtids_text(gtids), is_there, None if last is None else last.text)

    def took(self, end: End[Gtid]) -> None:
        self._gtids[end.gtid.domain] = end.gtid


def another_history(read: str, read_time: int, there: str, there_time: int) -> SourceStalled:
    """The server has another transaction in the place of the last one that was read."""
    return SourceStalled(
        "the server's binary log has another history than the one that was read",
        detail=f"Read was {read} of {read_time}, and there is {there} of {there_time} (seconds since 1970).",
        sqlstate="55000",
        hint=NEW,
    )
