"""Transactions of MySQL itself: each has the UUID of the server that it began on, and a number there.

A set of them is written `uuid:1-5:7,uuid:1`: intervals of numbers by server.  Unlike MariaDB's positions it says of every transaction whether it
is in it, so numbers may come in any order, and with gaps.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from uuid import UUID

from ....errors import StorageError, Unsupported

_NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")
_U64 = struct.Struct("<Q")
_INTERVAL = struct.Struct("<QQ")


class Transaction(NamedTuple):
    """`source` is the UUID of its server, in lower case."""

    source: str
    number: int

    @property
    def text(self) -> str:
        return f"{self.source}:{self.number}"

    @classmethod
    def of(cls, text: str) -> Transaction:
        source, _, number = text.partition(":")
        return cls(source, int(number))


class GtidSet:
    """Mutable.  The intervals of a server are in order, do not touch each other, and have both of their ends in them."""

    def __init__(self, intervals: Mapping[str, list[tuple[int, int]]] | None = None) -> None:
        self._intervals = {source: list(kept) for source, kept in (intervals or {}).items() if kept}

    @classmethod
    def of(cls, text: str) -> GtidSet:
        """Raises Unsupported for transactions with tags, which servers since 8.3 can give them, StorageError for what is no set."""
        found = cls()
        for part in text.replace("\n", "").split(","):
            if not part.strip():
                continue
            source, *intervals = (one.strip() for one in part.split(":"))
            try:
                source = str(UUID(source))
            except ValueError:
                raise _no_set(text) from None
            for interval in intervals:
                matched = _NUMBERS.fullmatch(interval)
                if matched is None:
                    if re.fullmatch(r"[a-zA-Z_]\w*", interval):
                        raise Unsupported(
                            f"the server has transactions whose GTIDs have tags ({part.strip()}), which are not read"
                        )
                    raise _no_set(text)
                low = int(matched[1])
                found._put(source, low, int(matched[2] or low))
        return found

    def copy(self) -> GtidSet:
        return GtidSet(self._intervals)

    def add(self, one: Transaction) -> None:
        intervals = self._intervals.get(one.source)
        if intervals and intervals[-1][1] + 1 == one.number:  # nearly always
            intervals[-1] = intervals[-1][0], one.number
        else:
            self._put(one.source, one.number, one.number)

    def remove(self, one: Transaction) -> None:
        """It is in it."""
        intervals = self._intervals[one.source]
        at = bisect_right(intervals, (one.number, 1 << 64)) - 1
        low, high = intervals[at]
        parts = [(low, one.number - 1), (one.number + 1, high)]
        intervals[at : at + 1] = [part for part in parts if part[0] <= part[1]]
        if not intervals:
            del self._intervals[one.source]

    def _put(self, source: str, low: int, high: int) -> None:
        kept = []
        for first, last in self._intervals.get(source, ()):
            if last + 1 < low or high + 1 < first:
                kept.append((first, last))
            else:
                low, high = min(low, first), max(high, last)
        self._intervals[source] = sorted([*kept, (low, high)])

    def __contains__(self, one: Transaction) -> bool:
        return self._covers(one.source, one.number, one.number)

    def covers(self, other: GtidSet) -> bool:
        """Whether all of the other ones are in it."""
        return all(self._covers(source, low, high) for source, low, high in other)

    def _covers(self, source: str, low: int, high: int) -> bool:
        intervals = self._intervals.get(source, [])
        at = bisect_right(intervals, (low, 1 << 64)) - 1
        return at >= 0 and intervals[at][0] <= low and high <= intervals[at][1]

    def without(self, other: GtidSet) -> GtidSet:
        """Those that are not in the other one."""
        found = GtidSet()
        for source, low, high in self:
            for first, last in other._intervals.get(source, ()):
                if first > high:
                    break
                if low < first:
                    found._put(source, low, first - 1)
                low = max(low, last + 1)
            if low <= high:
                found._put(source, low, high)
        return found

    def __iter__(self) -> Iterator[tuple[str, int, int]]:
        """Server, and the first and the last number of an interval."""
        for source in sorted(self._intervals):
            for low, high in self._intervals[source]:
                yield source, low, high

    def __bool__(self) -> bool:
        return bool(self._intervals)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GtidSet) and self._intervals == other._intervals

    __hash__ = None  # type: ignore[assignment]

    @property
    def text(self) -> str:
        """As MySQL writes it."""
        return ",".join(
            ":".join([source, *(f"{low}-{high}" if low < high else str(low) for low, high in intervals)])
            for source, intervals in sorted(self._intervals.items())
        )

    def encoded(self) -> bytes:
        """As COM_BINLOG_DUMP_GTID has it; the ends of intervals are not in them there."""
        parts = [_U64.pack(len(self._intervals))]
        for source, intervals in sorted(self._intervals.items()):
            parts += [UUID(source).bytes, _U64.pack(len(intervals))]
            parts += [_INTERVAL.pack(low, high + 1) for low, high in intervals]
        return b"".join(parts)


def _no_set(text: str) -> StorageError:
    return StorageError(f'"{text}" is no set of GTIDs', sqlstate="08P01")
