"""What a client remembers of consensus, so that the cost of an operation does not grow with the history.

Per shard: the head, and, once asked for, the list of batches in order of time.  `current` asks the store one cheap
question (has anything been committed?) before it trusts what it remembers, and fetches only what was added
since; a shard whose batches were rewritten is read again.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from operator import attrgetter

from ..errors import UndefinedObject
from .consensus.base import Consensus
from .part import ShardId
from .state import Change, Head, ShardBatch

_LOWER = attrgetter("lower")
_UPPER = attrgetter("upper")


@dataclass(slots=True)
class _Entry:
    head: Head
    checked_at: int  # the store's change count when the head was last known to be current
    batches: list[ShardBatch] | None = field(default=None)  # in order of time; None: not fetched


class ShardCache:
    """Thread-safe.  Fetching happens under the lock: two readers never fetch the same thing."""

    def __init__(self, consensus: Consensus) -> None:
        self._consensus = consensus
        self._lock = threading.RLock()
        self._entries: dict[ShardId, _Entry] = {}

    def find(self, shard: ShardId) -> Head | None:
        """The shard's head now, or None if it does not exist; a dropped shard's too."""
        with self._lock:
            changes = self._consensus.change_count()
            entry = self._entries.get(shard)
            if entry is None:
                head = self._consensus.head(shard)
                if head is not None:
                    self._entries[shard] = _Entry(head, changes)
                return head
            if entry.checked_at != changes:
                self._refresh(entry)
                entry.checked_at = changes
            return entry.head

    def current(self, shard: ShardId) -> Head:
        """The shard's head now.  Raises UndefinedObject for one that does not exist or was dropped."""
        head = self.find(shard)
        if head is None or head.dropped:
            raise UndefinedObject(f'shard "{shard}" does not exist')
        return head

    def remembered(self, shard: ShardId) -> Head:
        """The shard's head as last seen, for a compare-and-set that decides anyway."""
        with self._lock:
            entry = self._entries.get(shard)
        return self.current(shard) if entry is None or entry.head.dropped else entry.head

    def batches(self, shard: ShardId) -> tuple[Head, list[ShardBatch]]:
        """The head and all batches, of one moment."""
        return self.between(shard, 0, None)

    def between(self, shard: ShardId, lower: int, upper: int | None) -> tuple[Head, list[ShardBatch]]:
        """The head, and the batches whose interval meets `[lower, upper)`, of one moment."""
        with self._lock:
            head = self.current(shard)
            entry = self._entries[shard]
            if entry.batches is None:
                self._fetch(entry, 0)
                head = entry.head
            batches = entry.batches
            assert batches is not None
            start = bisect_right(batches, lower, key=_UPPER)
            stop = len(batches) if upper is None else bisect_left(batches, upper, key=_LOWER)
            return head, batches[start:stop]

    def apply(self, change: Change) -> None:
        """The change was committed by this client.  Ignored if something newer was read meanwhile."""
        after = change.after
        with self._lock:
            entry = self._entries.get(after.shard)
            if entry is None:
                # The count is of no moment in particular: the next reader asks.
                self._entries[after.shard] = _Entry(after, -1, [] if change.before is None else None)
            elif change.before is not None and entry.head.version == change.before.version:
                entry.head = after
                if entry.batches is not None and (change.removed or change.inserted):
                    entry.batches = _spliced(entry.batches, change)

    def _refresh(self, entry: _Entry) -> None:
        head = entry.head
        version = self._consensus.version(head.shard)
        if version == head.version:
            return
        if entry.batches is None:
            fresh = self._consensus.head(head.shard)
            assert fresh is not None, "a shard's row is never deleted"
            entry.head = fresh
        else:
            self._fetch(entry, head.version)

    def _fetch(self, entry: _Entry, after_version: int) -> None:
        """Read the batches that were added after `after_version`; all of them if others were removed."""
        known = entry.batches or []
        found = self._consensus.batches(entry.head.shard, after_version)
        assert found is not None, "a shard's row is never deleted"
        head, added = found
        if after_version and head.rewrites != entry.head.rewrites:
            return self._fetch(entry, 0)
        entry.head = head
        entry.batches = [*known, *added] if after_version else added
        return None


def _spliced(batches: list[ShardBatch], change: Change) -> list[ShardBatch]:
    if not change.removed:
        batches.extend(change.inserted)
        return batches
    start = bisect_left(batches, change.removed[0].lower, key=_LOWER)
    return [*batches[:start], *change.inserted, *batches[start + len(change.removed) :]]
