"""Garbage collection: blobs that nothing refers to any more.

Two kinds.  **Replaced** blobs were live once; consensus names them, with the version of the shard that let go of
them.  They go when no leased hold on the shard is as old as that (its reader may have taken a snapshot with them),
and after a grace period for readers without a lease; none goes while somebody has a *pin*, who reads all shards as of one
moment, and longer than any of them may be there.  **Orphans** were written and never appended: they go when
their writer is known dead.

A blob is deleted before it is forgotten: a crash in between leaves a name without a blob, which the next
collection deletes again, and never a blob without a name.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection

from ..clock import Clock
from .blob.base import Blob, key_writer
from .consensus.base import Consensus, Garbage
from .part import BlobKey, ShardId
from .state import Hold

PIN = "pin-"
"""A leased hold whose holder begins so keeps the replaced blobs of every shard, whichever shard it is on."""

LOOKING_SHARE = 100
"""At most one part of so many of the time goes to looking for orphans: for that all names are listed, of which S3 gives, and charges for,
a thousand at once."""

_AT_ONCE = 500
"""Blobs that are looked up, or forgotten, in one query."""


class Collector:
    """Remembers since when it has known each replaced blob; a new collector begins the grace period anew."""

    def __init__(self, consensus: Consensus, blob: Blob, clock: Clock) -> None:
        self._consensus = consensus
        self._blob = blob
        self._clock = clock
        self._lock = threading.Lock()
        self._known_since: dict[BlobKey, float] = {}
        self._looks_again_at = float("-inf")

    def collect_replaced(self, grace_ms: int, confirm: Callable[[], None]) -> int:
        """Delete the replaced blobs that no reader can need; returns how many.

        `confirm` raises if another process collects now.  It is called once the blobs are chosen: a process that takes over
        later reads nothing that was garbage by then.
        """
        now = self._clock.monotonic()
        with self._lock:
            # Garbage first: a lease taken afterwards cannot have seen what was garbage already.
            garbage = self._consensus.garbage()
            leases = self._consensus.leases()
            pinned = any(hold.holder.startswith(PIN) for hold in leases)
            oldest = _oldest_lease(leases)
            self._known_since = {row.blob: self._known_since.get(row.blob, now) for row in garbage}
            ripe = [
                row.blob
                for row in garbage
                if not pinned
                and not _needed(row, oldest)
                and (now - self._known_since[row.blob]) * 1000 >= grace_ms
            ]
            if ripe:
                confirm()
            for start in range(0, len(ripe), _AT_ONCE):
                some = ripe[start : start + _AT_ONCE]
                for key in some:
                    self._blob.delete(key)
                self._consensus.forget_garbage(some)
            return len(ripe)

    def collect_orphans(self, writer_is_dead: Callable[[str], bool], confirm: Callable[[], None]) -> int:
        """Delete the blobs of dead writers that consensus does not know; returns how many.  Where it takes long to look, that is not done each
        time.

        `writer_is_dead(writer)` must be True only if no append of that writer's parts can be committed any more.
        It is asked after the blob was seen and before consensus is: in this order nothing slips through.  `confirm` as
        above: the writers of a process that takes over later have written none of these.
        """
        began = self._clock.monotonic()
        if began < self._looks_again_at:
            return 0
        dead: dict[str, bool] = {}
        keys = list(self._blob.keys())
        orphans: list[BlobKey] = []
        candidates = []
        for key in keys:
            writer = key_writer(key)
            if writer not in dead:
                dead[writer] = writer_is_dead(writer)
            if dead[writer]:
                candidates.append(key)
        for start in range(0, len(candidates), _AT_ONCE):
            some = candidates[start : start + _AT_ONCE]
            known: Collection[BlobKey] = self._consensus.known_blobs(some)
            orphans.extend(key for key in some if key not in known)
        if orphans:
            confirm()
        for key in orphans:
            self._blob.delete(key)
        ended = self._clock.monotonic()
        self._looks_again_at = ended + LOOKING_SHARE * (ended - began)
        return len(orphans)


def _oldest_lease(leases: list[Hold]) -> dict[ShardId, int]:
    oldest: dict[ShardId, int] = {}
    for hold in leases:
        oldest[hold.shard] = min(hold.version, oldest.get(hold.shard, hold.version))
    return oldest


def _needed(row: Garbage, oldest: dict[ShardId, int]) -> bool:
    version = oldest.get(row.shard)
    return version is not None and version < row.version
