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
from .invariants import InvariantViolation
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
    """Thread-safe.  Two locks: `_fetching` is held while the store is asked, so that two readers never fetch the same thing;
    `_lock` guards what is remembered and is never held across I/O, so that what needs no store never waits for one."""

    def __init__(self, consensus: Consensus) -> None:
        self._consensus = consensus
        self._fetching = threading.RLock()
        self._lock = threading.Lock()
        self._entries: dict[ShardId, _Entry] = {}

    # -- what the store says --

    def find(self, shard: ShardId) -> Head | None:
        """The shard's head now, or None if it does not exist; a dropped shard's too."""
        with self._fetching:
            changes = self._consensus.change_count()
            entry = self._remembered(shard)
            if entry is None:
                head = self._consensus.head(shard)
                if head is None:
                    return None
                with self._lock:  # this client may have created it meanwhile, and knows its batches
                    entry = self._entries.setdefault(shard, _Entry(head, changes))
            if entry.checked_at != changes:
                self._refresh(shard)
                with self._lock:
                    self._entries[shard].checked_at = changes
            return self._entries[shard].head

    def current(self, shard: ShardId) -> Head:
        """The shard's head now.  Raises UndefinedObject for one that does not exist or was dropped."""
        return _existing(shard, self.find(shard))

    def batches(self, shard: ShardId) -> tuple[Head, list[ShardBatch]]:
        """The head and all batches, of one moment."""
        return self.between(shard, 0, None)

    def between(self, shard: ShardId, lower: int, upper: int | None) -> tuple[Head, list[ShardBatch]]:
        """The head, and the batches whose interval meets `[lower, upper)`, of one moment."""
        with self._fetching:
            self.current(shard)
            while self._entries[shard].batches is None:
                self._fetch_all(shard)
            return self.remembered_between(shard, lower, upper)

    # -- what is remembered --

    def remembered(self, shard: ShardId) -> Head:
        """The shard's head as last seen, for a compare-and-set that decides anyway."""
        entry = self._remembered(shard)
        return self.current(shard) if entry is None or entry.head.dropped else entry.head

    def remembered_head(self, shard: ShardId) -> Head:
        """The shard's head as last seen; UndefinedObject if it was not seen, or was seen dropped.  Asks no store."""
        entry = self._remembered(shard)
        return _existing(shard, None if entry is None else entry.head)

    def remembered_between(
        self, shard: ShardId, lower: int, upper: int | None
    ) -> tuple[Head, list[ShardBatch]]:
        """As `between`, as last seen.  Asks no store; UndefinedObject if the batches were never fetched."""
        with self._lock:
            entry = self._entries.get(shard)
            head = _existing(shard, None if entry is None else entry.head)
            batches = None if entry is None else entry.batches
            if batches is None:
                raise UndefinedObject(f'shard "{shard}" was not fetched')
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

    def _remembered(self, shard: ShardId) -> _Entry | None:
        with self._lock:
            return self._entries.get(shard)

    def _refresh(self, shard: ShardId) -> None:
        if self._consensus.version(shard) == self._entries[shard].head.version:
            return
        # `apply` may run at any moment.  So the version to read after, and the batches known, are taken together.
        with self._lock:
            entry = self._entries[shard]
            head, known = entry.head, None if entry.batches is None else list(entry.batches)
        if known is None:
            fresh = self._consensus.head(shard)
            assert fresh is not None, "a shard's row is never deleted"
            self._put(shard, fresh, None)
            return
        found = self._consensus.batches(shard, head.version)
        assert found is not None, "a shard's row is never deleted"
        now, later = found
        if now.rewrites == head.rewrites:
            self._put(shard, now, _joined(known, later))
        else:
            self._fetch_all(shard)

    def _fetch_all(self, shard: ShardId) -> None:
        found = self._consensus.batches(shard, 0)
        assert found is not None, "a shard's row is never deleted"
        self._put(shard, *found)

    def _put(self, shard: ShardId, head: Head, batches: list[ShardBatch] | None) -> None:
        """What was read, unless a commit of this client has made it old meanwhile."""
        with self._lock:
            entry = self._entries[shard]
            if head.version >= entry.head.version:
                entry.head, entry.batches = head, batches


def _existing(shard: ShardId, head: Head | None) -> Head:
    if head is None or head.dropped:
        raise UndefinedObject(f'shard "{shard}" does not exist')
    return head


def _joined(known: list[ShardBatch], later: list[ShardBatch]) -> list[ShardBatch]:
    """Raises InvariantViolation if a batch would be read twice: no answer is better than a wrong one."""
    if known and later and later[0].lower < known[-1].upper:
        raise InvariantViolation(
            f'batches of shard "{later[0].shard}" overlap: one ends at {known[-1].upper}, the next begins at {later[0].lower}',
            hint="This is a bug of the runtime; nothing was written.",
        )
    return known + later


def _spliced(batches: list[ShardBatch], change: Change) -> list[ShardBatch]:
    if not change.removed:
        batches.extend(change.inserted)
        return batches
    start = bisect_left(batches, change.removed[0].lower, key=_LOWER)
    return [*batches[:start], *change.inserted, *batches[start + len(change.removed) :]]
